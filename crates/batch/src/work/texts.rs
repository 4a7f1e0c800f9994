//! The texts of a job, compressed, readable at random.
//!
//! Verification reads texts again, and the inputs may be compressed streams that cannot be entered in the middle. So the
//! work folder keeps a copy: blocks of some [`BLOCK_BYTES`] of text, each a zstd frame with a checksum, and for every
//! document where its text lies:
//!
//! ```text
//! texts        block, block, ...        block = length of its text (u32), zstd frame
//! text-places  one record a document:   block start (u64), block bytes (u32), offset in text (u32), length (u32)
//! ```
//!
//! Small blocks make random reading cheap, large ones compress better: 16 KiB costs about 15 microseconds to open.

use crate::error::{BatchError, Result};
use crate::work::{Column, ColumnWriter, WorkFolder};

/// A block is closed when it holds this much text. A longer document has a block of its own.
const BLOCK_BYTES: usize = 16 << 10;

/// The fastest regular level: the copy is read once or twice and then removed.
const LEVEL: i32 = 1;

const PLACE_BYTES: usize = 20;

/// The texts of a batch of documents, packed by a worker thread.
#[derive(Debug, Default)]
pub(crate) struct PackedTexts {
    blocks: Vec<u8>,
    places: Vec<Place>,
    /// Text of the block that is still open, and the first place in it.
    open: Vec<u8>,
    open_from: usize,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    block: u64,
    block_bytes: u32,
    offset: u32,
    length: u32,
}

impl PackedTexts {
    /// Adds a document's text.
    pub(crate) fn push(
        &mut self,
        text: &str,
        compressor: &mut zstd::bulk::Compressor<'_>,
    ) -> std::io::Result<()> {
        if text.len() >= BLOCK_BYTES {
            self.close(compressor)?;
        }
        let offset = self.open.len() as u32;
        self.places.push(Place { block: 0, block_bytes: 0, offset, length: text.len() as u32 });
        self.open.extend_from_slice(text.as_bytes());
        if self.open.len() >= BLOCK_BYTES { self.close(compressor) } else { Ok(()) }
    }

    /// Closes the last block.
    pub(crate) fn close(&mut self, compressor: &mut zstd::bulk::Compressor<'_>) -> std::io::Result<()> {
        if self.open_from == self.places.len() {
            return Ok(());
        }
        let start = self.blocks.len();
        self.blocks.extend((self.open.len() as u32).to_le_bytes());
        self.blocks.extend(compressor.compress(&self.open)?);
        for place in &mut self.places[self.open_from..] {
            place.block = start as u64;
            place.block_bytes = (self.blocks.len() - start) as u32;
        }
        self.open.clear();
        self.open_from = self.places.len();
        Ok(())
    }

    /// The compressor that [`PackedTexts::push`] wants.
    pub(crate) fn compressor() -> std::io::Result<zstd::bulk::Compressor<'static>> {
        let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
        compressor.include_checksum(true)?;
        Ok(compressor)
    }
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
    pub(crate) fn sync(&mut self) -> Result<(u64, u64)> {
        Ok((self.blocks.sync()?, self.places.sync()?))
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
        let (length, frame) =
            scratch.packed.split_first_chunk().ok_or_else(|| damaged("a block is too short"))?;
        scratch.text.clear();
        scratch.text.reserve(u32::from_le_bytes(*length) as usize);
        scratch
            .decompressor
            .decompress_to_buffer(frame, &mut scratch.text)
            .map_err(|error| damaged(&format!("a block cannot be decompressed: {error}")))?;
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
        let mut compressor = PackedTexts::compressor().unwrap();
        for batch in texts.chunks(70) {
            let mut packed = PackedTexts::default();
            batch.iter().for_each(|text| packed.push(text, &mut compressor).unwrap());
            packed.close(&mut compressor).unwrap();
            store.append(&packed).unwrap();
        }
        store.sync().unwrap();
        let reader = TextReader::open(&work).unwrap();
        let mut scratch = TextScratch::default();
        for i in (0..texts.len()).rev().chain([5, 5, 299, 0]) {
            assert_eq!(reader.text(i as u32, &mut scratch).unwrap(), texts[i]);
        }
    }

    #[test]
    fn a_damaged_block_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let work = WorkFolder::open(folder.path(), Existing::Refuse).unwrap();
        let mut store = TextStore::open(&work, 0, 0).unwrap();
        let (mut packed, mut compressor) = (PackedTexts::default(), PackedTexts::compressor().unwrap());
        packed.push(&"some text ".repeat(50), &mut compressor).unwrap();
        packed.close(&mut compressor).unwrap();
        store.append(&packed).unwrap();
        store.sync().unwrap();
        let path = work.file("texts");
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let error = TextReader::open(&work).unwrap().text(0, &mut TextScratch::default()).unwrap_err();
        assert!(error.to_string().contains("--fresh"), "{error}");
    }
}
