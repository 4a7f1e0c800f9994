//! The texts of a job, readable at random.
//!
//! Verification reads texts again, and the inputs may be compressed streams that cannot be entered in the middle. So the
//! work folder keeps a copy: blocks of texts, each with a checksum, and for every document where its text lies:
//!
//! ```text
//! texts        block, block, ...        block = length of its text (u32), zstd frame with checksum
//!                                       or      PLAIN | length (u32), XXH3 of the text (u64), text
//! text-places  one record a document:   block start (u64), block bytes (u32), offset in text (u32), length (u32)
//! ```
//!
//! Compressing takes a third of the time of reading, and room on the disk is only worth it where much of it is needed:
//! the first texts of a job stay plain.

use xxhash_rust::xxh3::xxh3_64;

use crate::error::{BatchError, Result};
use crate::work::{Column, ColumnWriter, WorkFolder};

/// A compressed block is closed when it holds this much text; a longer document has a block of its own. Small blocks make
/// random reading cheap, large ones compress better: 16 KiB costs about 15 microseconds to open.
const PACKED_BLOCK_BYTES: usize = 16 << 10;

/// The same for plain blocks, which gain nothing by being longer than a page.
const PLAIN_BLOCK_BYTES: usize = 4 << 10;

/// The fastest regular level: the copy is read once or twice and then removed.
const LEVEL: i32 = 1;

const PLACE_BYTES: usize = 20;

/// Set in the length of a plain block. A text is never as long as that.
const PLAIN: u32 = 1 << 31;

/// Texts of a batch of documents, in blocks.
#[derive(Debug, Default)]
pub(crate) struct PackedTexts {
    blocks: Vec<u8>,
    places: Vec<Place>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    block: u64,
    block_bytes: u32,
    offset: u32,
    length: u32,
}

/// Packs texts. Belongs to one thread, and is used again for batch after batch.
#[derive(Default)]
pub(crate) struct TextPacker {
    packed: PackedTexts,
    /// Text of the block that is still open, and the first place in it.
    open: Vec<u8>,
    open_from: usize,
    /// The room that the batch before needed: growing to it would touch twice as much memory.
    expected: (usize, usize),
    /// Made when it is first needed.
    compressor: Option<zstd::bulk::Compressor<'static>>,
}

impl TextPacker {
    /// Packs the texts of a batch; `plain` texts are not compressed.
    pub(crate) fn pack<'t>(
        &mut self,
        texts: impl Iterator<Item = &'t str>,
        plain: bool,
    ) -> std::io::Result<PackedTexts> {
        let block_bytes = if plain { PLAIN_BLOCK_BYTES } else { PACKED_BLOCK_BYTES };
        self.packed.blocks.reserve(self.expected.0);
        self.packed.places.reserve(self.expected.1);
        for text in texts {
            if text.len() >= block_bytes {
                self.close(plain)?;
            }
            let (offset, length) = (self.open.len() as u32, text.len() as u32);
            self.packed.places.push(Place { block: 0, block_bytes: 0, offset, length });
            self.open.extend_from_slice(text.as_bytes());
            if self.open.len() >= block_bytes {
                self.close(plain)?;
            }
        }
        self.close(plain)?;
        self.open_from = 0;
        let packed = std::mem::take(&mut self.packed);
        // Batches are of about one size.
        self.expected = (with_room(packed.blocks.len()), with_room(packed.places.len()));
        Ok(packed)
    }

    fn close(&mut self, plain: bool) -> std::io::Result<()> {
        let PackedTexts { blocks, places } = &mut self.packed;
        if self.open_from == places.len() {
            return Ok(());
        }
        let start = blocks.len();
        let length = self.open.len() as u32;
        if plain {
            blocks.extend_from_slice(&(PLAIN | length).to_le_bytes());
            blocks.extend_from_slice(&xxh3_64(&self.open).to_le_bytes());
            blocks.extend_from_slice(&self.open);
        } else {
            let compressor = match &mut self.compressor {
                Some(compressor) => compressor,
                none => none.insert(compressor()?),
            };
            blocks.extend_from_slice(&length.to_le_bytes());
            blocks.extend_from_slice(&compressor.compress(&self.open)?);
        }
        for place in &mut places[self.open_from..] {
            place.block = start as u64;
            place.block_bytes = (blocks.len() - start) as u32;
        }
        self.open.clear();
        self.open_from = places.len();
        Ok(())
    }
}

/// An eighth more.
fn with_room(length: usize) -> usize {
    length + length / 8
}

fn compressor() -> std::io::Result<zstd::bulk::Compressor<'static>> {
    let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
    compressor.include_checksum(true)?;
    Ok(compressor)
}

/// Appends packed texts.
#[derive(Debug)]
pub(crate) struct TextStore {
    blocks: ColumnWriter,
    places: ColumnWriter,
}

impl TextStore {
    /// Opens the store and forgets everything behind the given sizes.
    pub(crate) fn open(work: &WorkFolder, block_bytes: u64, place_bytes: u64) -> Result<Self> {
        Ok(TextStore {
            blocks: ColumnWriter::open(&work.file("texts"), block_bytes)?,
            places: ColumnWriter::open(&work.file("text-places"), place_bytes)?,
        })
    }

    /// Appends the documents of a batch.
    pub(crate) fn append(&mut self, packed: &PackedTexts) -> Result<()> {
        let base = self.blocks.bytes();
        self.blocks.append(&packed.blocks)?;
        for place in &packed.places {
            let mut record = [0; PLACE_BYTES];
            record[..8].copy_from_slice(&(base + place.block).to_le_bytes());
            record[8..12].copy_from_slice(&place.block_bytes.to_le_bytes());
            record[12..16].copy_from_slice(&place.offset.to_le_bytes());
            record[16..].copy_from_slice(&place.length.to_le_bytes());
            self.places.append(&record)?;
        }
        Ok(())
    }

    /// Makes everything last; returns the sizes for a checkpoint.
    pub(crate) fn settle(&mut self, work: &WorkFolder) -> Result<(u64, u64)> {
        Ok((self.blocks.settle(work)?, self.places.settle(work)?))
    }
}

/// Reads texts, from any thread.
#[derive(Debug)]
pub(crate) struct TextReader {
    blocks: Column,
    places: Column,
}

/// The block that a thread read last: documents are often asked for in their order.
#[derive(Default)]
pub(crate) struct TextScratch {
    block: Option<u64>,
    packed: Vec<u8>,
    text: Vec<u8>,
    decompressor: zstd::bulk::Decompressor<'static>,
}

impl TextReader {
    /// Opens a finished store.
    pub(crate) fn open(work: &WorkFolder) -> Result<Self> {
        Ok(TextReader {
            blocks: Column::open(&work.file("texts"))?,
            places: Column::open(&work.file("text-places"))?,
        })
    }

    /// Where the texts lie: small, and asked for with every text.
    pub(crate) fn places(&mut self) -> &mut Column {
        &mut self.places
    }

    /// The text of a document.
    pub(crate) fn text<'s>(&self, document: u32, scratch: &'s mut TextScratch) -> Result<&'s str> {
        let mut record = [0; PLACE_BYTES];
        self.places.read_at(u64::from(document) * PLACE_BYTES as u64, &mut record)?;
        let number =
            |at: usize| u32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]);
        let block = u64::from(number(0)) | u64::from(number(4)) << 32;
        let (offset, length) = (number(12) as usize, number(16) as usize);
        if scratch.block != Some(block) {
            scratch.block = None;
            self.open_block(block, number(8) as usize, scratch)?;
            scratch.block = Some(block);
        }
        let text = scratch.text.get(offset..offset + length);
        text.and_then(|text| std::str::from_utf8(text).ok())
            .ok_or_else(|| BatchError::damaged(self.blocks.path(), "a text is not where it should be"))
    }

    fn open_block(&self, start: u64, bytes: usize, scratch: &mut TextScratch) -> Result<()> {
        let damaged = |what: &str| BatchError::damaged(self.blocks.path(), what);
        scratch.packed.resize(bytes, 0);
        self.blocks.read_at(start, &mut scratch.packed)?;
        let (length, block) =
            scratch.packed.split_first_chunk().ok_or_else(|| damaged("a block is too short"))?;
        let length = u32::from_le_bytes(*length);
        scratch.text.clear();
        if length & PLAIN == 0 {
            scratch.text.reserve(length as usize);
            return scratch
                .decompressor
                .decompress_to_buffer(block, &mut scratch.text)
                .map(drop)
                .map_err(|error| damaged(&format!("a block cannot be decompressed: {error}")));
        }
        let (checksum, text) = block.split_first_chunk().ok_or_else(|| damaged("a block is too short"))?;
        if xxh3_64(text) != u64::from_le_bytes(*checksum) {
            return Err(damaged("a block is not as it was written"));
        }
        scratch.text.extend_from_slice(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::Existing;

    #[test]
    fn texts_come_back_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let work = WorkFolder::open(folder.path(), Existing::Refuse).unwrap();
        let texts: Vec<String> = (0..300).map(|i| format!("text {i} ").repeat(i * i % 4_000)).collect();
        let mut store = TextStore::open(&work, 0, 0).unwrap();
        let mut packer = TextPacker::default();
        for (number, batch) in texts.chunks(70).enumerate() {
            let packed = packer.pack(batch.iter().map(String::as_str), number % 2 == 0).unwrap();
            store.append(&packed).unwrap();
        }
        store.settle(&work).unwrap();
        let reader = TextReader::open(&work).unwrap();
        let mut scratch = TextScratch::default();
        for i in (0..texts.len()).rev().chain([5, 5, 299, 0]) {
            assert_eq!(reader.text(i as u32, &mut scratch).unwrap(), texts[i]);
        }
    }

    #[test]
    fn a_damaged_block_is_an_error() {
        for plain in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let work = WorkFolder::open(folder.path(), Existing::Refuse).unwrap();
            let mut store = TextStore::open(&work, 0, 0).unwrap();
            let text = "some text ".repeat(50);
            store.append(&TextPacker::default().pack([text.as_str()].into_iter(), plain).unwrap()).unwrap();
            store.settle(&work).unwrap();
            let path = work.file("texts");
            let mut bytes = std::fs::read(&path).unwrap();
            *bytes.last_mut().unwrap() ^= 1;
            std::fs::write(&path, bytes).unwrap();
            let error = TextReader::open(&work).unwrap().text(0, &mut TextScratch::default()).unwrap_err();
            assert!(error.to_string().contains("--fresh"), "{error}");
        }
    }
}
