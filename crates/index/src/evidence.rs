//! What is kept of a document, as bytes.
//!
//! ```text
//! text:    1, length of the text (4 bytes), the text compressed by zstd
//! sketch:  2, the sketch of the whole text
//! ```
//!
//! Each ends with the checksum of all values of the store.

use twindex_core::{Markup, Pipeline, PipelineScratch};

use crate::settings::{Evidence, Settings};
use crate::sketch::Sketch;
use crate::store::{opened, sealed, take};

const TEXT: u8 = 1;
const SKETCH: u8 = 2;

/// Fast: texts are compressed while somebody waits.
const COMPRESSION: i32 = 1;

/// What was kept.
#[derive(Debug)]
pub(crate) enum Kept {
    Text(String),
    Sketch(Sketch),
}

/// What is to be kept of a text; `None` if nothing is.
pub(crate) fn keep(
    settings: &Settings,
    pipeline: &Pipeline,
    text: &str,
    markup: Markup,
    scratch: &mut PipelineScratch,
) -> Option<Vec<u8>> {
    match settings.evidence {
        Evidence::None => None,
        Evidence::Text => {
            let mut bytes = vec![TEXT];
            bytes.extend((text.len() as u32).to_le_bytes());
            // Compressing into memory fails only if the library is broken.
            bytes.extend(zstd::bulk::compress(text.as_bytes(), COMPRESSION).unwrap_or_default());
            Some(bytes)
        }
        Evidence::Sketch => {
            let mut bytes = vec![SKETCH];
            let evidence = pipeline.evidence(text, markup, scratch);
            Sketch::new(settings.recipe.bottom_k.size, evidence.features.as_slice()).encode(&mut bytes);
            Some(bytes)
        }
    }
}

/// The bytes as they are stored under a number.
pub(crate) fn sealed_for(number: u32, bytes: Vec<u8>) -> Vec<u8> {
    sealed(bytes, u64::from(number))
}

impl Kept {
    /// `None` if the bytes are not what was written.
    pub(crate) fn decode(stored: &[u8], number: u32) -> Option<Kept> {
        let mut bytes = opened(stored, u64::from(number))?;
        let [tag] = take(&mut bytes)?;
        match tag {
            TEXT => {
                let length = u32::from_le_bytes(take(&mut bytes)?) as usize;
                let text = zstd::bulk::decompress(bytes, length).ok().filter(|text| text.len() == length)?;
                String::from_utf8(text).ok().map(Kept::Text)
            }
            SKETCH => Sketch::decode(&mut bytes).map(Kept::Sketch),
            _ => None,
        }
    }
}
