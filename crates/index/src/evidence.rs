//! What is kept of a document, as bytes.
//!
//! ```text
//! text:    1, length of the text (4 bytes), the text compressed by zstd
//! sketch:  2, the sketch of the whole text, the sketches of its paragraphs
//! ```
//!
//! Each ends with the checksum of all values of the store.

use std::cell::RefCell;

use zstd::bulk::Compressor;

use crate::question::{Pipelines, Question};
use crate::settings::Evidence;
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
    /// Of the whole text, and of each paragraph.
    Sketch(Sketch, Vec<Sketch>),
}

/// What is to be kept of a text; `None` if nothing is.
pub(crate) fn keep(evidence: Evidence, question: &Question<'_>, pipelines: &Pipelines) -> Option<Vec<u8>> {
    match evidence {
        Evidence::None => None,
        Evidence::Text => {
            let mut bytes = vec![TEXT];
            bytes.extend((question.text.len() as u32).to_le_bytes());
            compress(question.text.as_bytes(), &mut bytes);
            Some(bytes)
        }
        Evidence::Sketch => {
            let mut bytes = vec![SKETCH];
            question.sketch(pipelines).encode(&mut bytes);
            for number in 0..question.paragraphs.len() {
                question.paragraph_sketch(number, pipelines).encode(&mut bytes);
            }
            Some(bytes)
        }
    }
}

thread_local! {
    /// Making a context costs more than compressing a short text with it.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
}

/// Appends the compressed text.
fn compress(text: &[u8], bytes: &mut Vec<u8>) {
    COMPRESSOR.with_borrow_mut(|compressor| {
        if compressor.is_none() {
            *compressor = Compressor::new(COMPRESSION).ok();
        }
        let packed = compressor.as_mut().and_then(|compressor| compressor.compress(text).ok());
        // Compressing into memory fails only if the library is broken; reading would tell by the length.
        bytes.extend(packed.unwrap_or_default());
    });
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
            SKETCH => {
                let whole = Sketch::decode(&mut bytes)?;
                let mut paragraphs = vec![];
                while !bytes.is_empty() {
                    paragraphs.push(Sketch::decode(&mut bytes)?);
                }
                Some(Kept::Sketch(whole, paragraphs))
            }
            _ => None,
        }
    }
}
