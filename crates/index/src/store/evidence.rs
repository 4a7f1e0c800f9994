//! What is kept of a document for verification, as bytes.
//!
//! ```text
//! text:      1, length of the text (4 bytes), the text compressed by zstd
//! sketch:    2, the sketch of the whole text, the sketches of its paragraphs
//! features:  3, the features of the whole text, those of its paragraphs
//! ```
//!
//! All end with the checksum that all values of the store have.

use std::cell::RefCell;
use std::io;
use std::sync::Arc;

use twindex_core::verify::Evidence;
use zstd::bulk::{Compressor, Decompressor};

use super::features;
use super::record::{opened, sealed, take};
use super::sketch::Sketch;
use crate::error::{IndexError, Result};

const TEXT: u8 = 1;
const SKETCH: u8 = 2;
const FEATURES: u8 = 3;

/// zstd's fastest regular level: an add waits for the compression.
const COMPRESSION: i32 = 1;

/// The evidence of a stored document.
#[derive(Debug)]
pub(crate) enum StoredEvidence {
    /// The text.
    Text(String),
    /// The sketch of the whole text, and of each paragraph.
    Sketch(Sketch, Vec<Sketch>),
    /// The shingles of the whole text, and of each paragraph.
    Features(Evidence, Vec<Evidence>),
}

/// Evidence that is ready to be stored, as soon as the document has a number.
#[derive(Debug)]
pub(crate) struct EncodedEvidence(Vec<u8>);

impl EncodedEvidence {
    /// Keeps the text.
    pub(crate) fn text(text: &str) -> Result<EncodedEvidence> {
        let compressed =
            compress(text.as_bytes()).map_err(|error| IndexError::Compression(Arc::new(error)))?;
        let mut bytes = vec![TEXT];
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(compressed);
        Ok(EncodedEvidence(bytes))
    }

    /// Keeps sketches: of the whole text, and of its paragraphs.
    pub(crate) fn sketches<'s>(
        whole: &Sketch,
        paragraphs: impl IntoIterator<Item = &'s Sketch>,
    ) -> EncodedEvidence {
        let mut bytes = vec![SKETCH];
        whole.encode(&mut bytes);
        paragraphs.into_iter().for_each(|paragraph| paragraph.encode(&mut bytes));
        EncodedEvidence(bytes)
    }

    /// Keeps all shingles: of the whole text, and of its paragraphs.
    pub(crate) fn features<'e>(
        whole: &Evidence,
        paragraphs: impl IntoIterator<Item = &'e Evidence>,
    ) -> EncodedEvidence {
        let mut bytes = vec![FEATURES];
        features::encode(whole, &mut bytes);
        paragraphs.into_iter().for_each(|paragraph| features::encode(paragraph, &mut bytes));
        EncodedEvidence(bytes)
    }

    /// The bytes that are stored under a number.
    pub(crate) fn sealed(self, number: u32) -> Vec<u8> {
        sealed(self.0, u64::from(number))
    }
}

thread_local! {
    /// Making a context costs more than compressing a short text with it.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

fn decompress(bytes: &[u8], length: usize) -> io::Result<Vec<u8>> {
    DECOMPRESSOR.with_borrow_mut(|slot| {
        let mut decompressor = match slot.take() {
            Some(decompressor) => decompressor,
            None => Decompressor::new()?,
        };
        let text = decompressor.decompress(bytes, length)?;
        *slot = Some(decompressor);
        Ok(text)
    })
}

fn compress(text: &[u8]) -> io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|slot| {
        let mut compressor = match slot.take() {
            Some(compressor) => compressor,
            None => Compressor::new(COMPRESSION)?,
        };
        let compressed = compressor.compress(text)?;
        *slot = Some(compressor);
        Ok(compressed)
    })
}

impl StoredEvidence {
    /// `None` if the bytes are not what was written.
    pub(crate) fn decode(stored: &[u8], number: u32) -> Option<StoredEvidence> {
        let mut bytes = opened(stored, u64::from(number))?;
        let [tag] = take(&mut bytes)?;
        match tag {
            TEXT => {
                let length = u32::from_le_bytes(take(&mut bytes)?) as usize;
                let text = decompress(bytes, length).ok().filter(|text| text.len() == length)?;
                String::from_utf8(text).ok().map(StoredEvidence::Text)
            }
            SKETCH => {
                let whole = Sketch::decode(&mut bytes)?;
                let mut paragraphs = vec![];
                while !bytes.is_empty() {
                    paragraphs.push(Sketch::decode(&mut bytes)?);
                }
                Some(StoredEvidence::Sketch(whole, paragraphs))
            }
            FEATURES => {
                let whole = features::decode(&mut bytes)?;
                let mut paragraphs = vec![];
                while !bytes.is_empty() {
                    paragraphs.push(features::decode(&mut bytes)?);
                }
                Some(StoredEvidence::Features(whole, paragraphs))
            }
            _ => None,
        }
    }
}
