//! The texts of a job, readable at random.
//!
//! Verification reads some texts again. If a row can be read again by itself (`rows.rs`), only its
//! place is kept. Otherwise (a table, an archive, a compressed stream) the work folder has a copy
//! of the text:
//!
//! ```text
//! texts        texts and blocks of texts; block = length of its text (u32), zstd frame with
//!              checksum
//! text-places  one record a document:
//!
//!                      start (u64)   kind (u32)         offset (u32)      length (u32)
//!   row of a source    of the row    2^32 - 1           source number     of the row
//!   plain text         of the text   0                  0                 of the text
//!   text in a block    of the block  bytes of the block in block's text   of the text
//! ```
//!
//! Compressing takes a third of the time of reading, so the first texts of a job stay plain. Each
//! text is verified against the content hash stored in `facts`.

use std::borrow::Cow;

use twindex_corpus::{RowBuffer, RowPlace};

use super::{Column, ColumnWriter, RowSources, WorkFolder};
use crate::error::{BatchError, Result};

/// A block is closed when it holds this much text; a longer document has a block of its own. Small
/// blocks make random reads cheap, large ones compress better: 16 KiB take about 15 microseconds to
/// decompress.
const BLOCK_BYTES: usize = 16 << 10;

/// The fastest regular level: the copy is read once or twice and then removed.
const LEVEL: i32 = 1;

const PLACE_BYTES: usize = 20;

/// Texts of a batch of documents.
#[derive(Debug, Default)]
pub(crate) struct PackedTexts {
    bytes: Vec<u8>,
    places: Vec<Place>,
}

/// Where the text of a document is.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// In a row of a source.
    Row { source: u32, row: RowPlace },
    /// By itself.
    Plain { start: u64, length: u32 },
    /// At `offset` in the text of a block of `bytes` bytes.
    Block { start: u64, bytes: u32, offset: u32, length: u32 },
}

/// The kind of a plain text, and of a row; the kind of a text in a block is the size of the block.
const PLAIN: u32 = 0;
const ROW: u32 = u32::MAX;

impl Place {
    /// As a record; copied texts begin at `base`.
    fn encode(self, base: u64) -> [u8; PLACE_BYTES] {
        let (start, kind, offset, length) = match self {
            Place::Row { source, row } => (row.offset, ROW, source, row.length),
            Place::Plain { start, length } => (base + start, PLAIN, 0, length),
            Place::Block { start, bytes, offset, length } => (base + start, bytes, offset, length),
        };
        let mut record = [0; PLACE_BYTES];
        record[..8].copy_from_slice(&start.to_le_bytes());
        record[8..12].copy_from_slice(&kind.to_le_bytes());
        record[12..16].copy_from_slice(&offset.to_le_bytes());
        record[16..].copy_from_slice(&length.to_le_bytes());
        record
    }

    fn decode(record: &[u8; PLACE_BYTES]) -> Self {
        let number =
            |at: usize| u32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]);
        let start = u64::from(number(0)) | u64::from(number(4)) << u32::BITS;
        let (kind, offset, length) = (number(8), number(12), number(16));
        match kind {
            ROW => Place::Row { source: offset, row: RowPlace { offset: start, length } },
            PLAIN => Place::Plain { start, length },
            bytes => Place::Block { start, bytes, offset, length },
        }
    }
}

/// Packs texts. Belongs to one thread, which reuses it for each batch.
#[derive(Default)]
pub(crate) struct TextPacker {
    packed: PackedTexts,
    /// The text of the block that is still open, and how many documents it has.
    open: Vec<u8>,
    open_places: usize,
    /// The sizes of the last batch, to reserve for the next one: growing step by step would touch
    /// twice as much memory.
    expected: (usize, usize),
    /// Made when it is first needed.
    compressor: Option<zstd::bulk::Compressor<'static>>,
}

impl PackedTexts {
    /// Texts that stay in the rows of a source.
    pub(crate) fn in_rows(source: u32, rows: impl Iterator<Item = RowPlace>) -> Self {
        PackedTexts { bytes: vec![], places: rows.map(|row| Place::Row { source, row }).collect() }
    }
}

impl TextPacker {
    /// Packs the texts of a batch; `plain` texts are not compressed.
    pub(crate) fn pack<'t>(
        &mut self,
        texts: impl Iterator<Item = &'t str>,
        plain: bool,
    ) -> std::io::Result<PackedTexts> {
        self.packed.bytes.reserve(self.expected.0);
        self.packed.places.reserve(self.expected.1);
        for text in texts {
            if plain {
                self.add_plain(text);
            } else {
                self.add_packed(text)?;
            }
        }
        self.close()?;
        let packed = std::mem::take(&mut self.packed);
        // Batches are of about one size.
        self.expected = (with_room(packed.bytes.len()), with_room(packed.places.len()));
        Ok(packed)
    }

    fn add_plain(&mut self, text: &str) {
        let PackedTexts { bytes, places } = &mut self.packed;
        places.push(Place::Plain { start: bytes.len() as u64, length: text.len() as u32 });
        bytes.extend_from_slice(text.as_bytes());
    }

    fn add_packed(&mut self, text: &str) -> std::io::Result<()> {
        if text.len() >= BLOCK_BYTES {
            self.close()?;
        }
        let (offset, length) = (self.open.len() as u32, text.len() as u32);
        self.open_places += 1;
        // `close` fills in start and size of the block.
        self.packed.places.push(Place::Block { start: 0, bytes: 0, offset, length });
        self.open.extend_from_slice(text.as_bytes());
        if self.open.len() >= BLOCK_BYTES { self.close() } else { Ok(()) }
    }

    /// Closes the open block, if there is one.
    fn close(&mut self) -> std::io::Result<()> {
        let PackedTexts { bytes, places } = &mut self.packed;
        let first_open = places.len() - std::mem::take(&mut self.open_places);
        if first_open == places.len() {
            return Ok(());
        }
        let compressor = match &mut self.compressor {
            Some(compressor) => compressor,
            none => none.insert(compressor()?),
        };
        let start = bytes.len();
        bytes.extend_from_slice(&(self.open.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&compressor.compress(&self.open)?);
        let block_bytes = (bytes.len() - start) as u32;
        for place in &mut places[first_open..] {
            if let Place::Block { offset, length, .. } = *place {
                *place = Place::Block { start: start as u64, bytes: block_bytes, offset, length };
            }
        }
        self.open.clear();
        Ok(())
    }
}

/// An eighth more: batches differ a little.
pub(crate) fn with_room(length: usize) -> usize {
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
    bytes: ColumnWriter,
    places: ColumnWriter,
}

impl TextStore {
    /// Opens the store and truncates it to the given sizes.
    pub(crate) fn open(work: &WorkFolder, bytes: u64, place_bytes: u64) -> Result<Self> {
        Ok(TextStore {
            bytes: ColumnWriter::open(&work.file("texts"), bytes)?,
            places: ColumnWriter::open(&work.file("text-places"), place_bytes)?,
        })
    }

    /// Appends the documents of a batch.
    pub(crate) fn append(&mut self, packed: &PackedTexts) -> Result<()> {
        let base = self.bytes.bytes();
        self.bytes.append(&packed.bytes)?;
        for place in &packed.places {
            self.places.append(&place.encode(base))?;
        }
        Ok(())
    }

    /// Flushes; returns the sizes of texts and places for a checkpoint.
    pub(crate) fn flush(&mut self) -> Result<(u64, u64)> {
        Ok((self.bytes.flush()?, self.places.flush()?))
    }
}

/// Reads texts, from any thread.
#[derive(Debug)]
pub(crate) struct TextReader {
    bytes: Column,
    places: Column,
    rows: RowSources,
}

/// The block that a thread read last: documents are often read in order.
#[derive(Default)]
pub(crate) struct TextScratch {
    block: Option<u64>,
    packed: Vec<u8>,
    text: Vec<u8>,
    row: RowBuffer,
    decompressor: zstd::bulk::Decompressor<'static>,
}

impl TextReader {
    /// Opens a finished store.
    pub(crate) fn open(work: &WorkFolder, rows: RowSources) -> Result<Self> {
        Ok(TextReader {
            bytes: Column::open(&work.file("texts"))?,
            places: Column::open(&work.file("text-places"))?,
            rows,
        })
    }

    /// Where the texts are: small, and read with every text.
    pub(crate) fn places(&mut self) -> &mut Column {
        &mut self.places
    }

    /// The text of a document.
    pub(crate) fn text<'s>(&self, document: u32, scratch: &'s mut TextScratch) -> Result<Cow<'s, str>> {
        let text = match self.place(document)? {
            Place::Row { source, row } => {
                let text = self.rows.text(source, row, &mut scratch.row)?;
                return text.ok_or_else(|| self.row_changed(source));
            }
            Place::Plain { start, length } => {
                scratch.packed.resize(length as usize, 0);
                self.bytes.read_at(start, &mut scratch.packed)?;
                scratch.packed.as_slice()
            }
            Place::Block { start, bytes, offset, length } => {
                if scratch.block != Some(start) {
                    scratch.block = None;
                    self.open_block(start, bytes as usize, scratch)?;
                    scratch.block = Some(start);
                }
                let (offset, length) = (offset as usize, length as usize);
                scratch.text.get(offset..offset + length).ok_or_else(|| self.misplaced())?
            }
        };
        std::str::from_utf8(text).map(Cow::Borrowed).map_err(|_| self.misplaced())
    }

    fn place(&self, document: u32) -> Result<Place> {
        let mut record = [0; PLACE_BYTES];
        self.places.read_at(u64::from(document) * PLACE_BYTES as u64, &mut record)?;
        Ok(Place::decode(&record))
    }

    /// The source of a document and where its row lies there, if its text is read from there.
    pub(crate) fn row(&self, document: u32) -> Result<Option<(u32, RowPlace)>> {
        Ok(match self.place(document)? {
            Place::Row { source, row } => Some((source, row)),
            Place::Plain { .. } | Place::Block { .. } => None,
        })
    }

    /// The error for a document whose text is not what was read.
    pub(crate) fn changed(&self, document: u32) -> Result<BatchError> {
        Ok(match self.place(document)? {
            Place::Row { source, .. } => self.row_changed(source),
            Place::Plain { .. } | Place::Block { .. } => self.misplaced(),
        })
    }

    fn row_changed(&self, source: u32) -> BatchError {
        let no_source = || BatchError::damaged(self.places.path(), "a text is in a source that is not there");
        self.rows.changed(source).unwrap_or_else(no_source)
    }

    fn misplaced(&self) -> BatchError {
        BatchError::damaged(self.bytes.path(), "a text is not where it should be, or not as it was written")
    }

    fn open_block(&self, start: u64, bytes: usize, scratch: &mut TextScratch) -> Result<()> {
        let damaged = |what: &str| BatchError::damaged(self.bytes.path(), what);
        scratch.packed.resize(bytes, 0);
        self.bytes.read_at(start, &mut scratch.packed)?;
        let (length, block) =
            scratch.packed.split_first_chunk().ok_or_else(|| damaged("a block is too short"))?;
        scratch.text.clear();
        scratch.text.reserve(u32::from_le_bytes(*length) as usize);
        scratch
            .decompressor
            .decompress_to_buffer(block, &mut scratch.text)
            .map(drop)
            .map_err(|error| damaged(&format!("a block cannot be decompressed: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let work = super::super::for_test(folder.path());
        let texts: Vec<String> = (0..300).map(|i| format!("text {i} ").repeat(i * i % 4_000)).collect();
        let mut store = TextStore::open(&work, 0, 0).unwrap();
        let mut packer = TextPacker::default();
        for (number, batch) in texts.chunks(70).enumerate() {
            let packed = packer.pack(batch.iter().map(String::as_str), number % 2 == 0).unwrap();
            store.append(&packed).unwrap();
        }
        store.flush().unwrap();
        let reader = TextReader::open(&work, RowSources::none()).unwrap();
        let mut scratch = TextScratch::default();
        for i in (0..texts.len()).rev().chain([5, 5, 299, 0]) {
            assert_eq!(reader.text(i as u32, &mut scratch).unwrap(), texts[i]);
        }
    }

    #[test]
    fn a_damaged_block_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let work = super::super::for_test(folder.path());
        let mut store = TextStore::open(&work, 0, 0).unwrap();
        let text = "some text ".repeat(50);
        store.append(&TextPacker::default().pack([text.as_str()].into_iter(), false).unwrap()).unwrap();
        store.flush().unwrap();
        let path = work.file("texts");
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let error = TextReader::open(&work, RowSources::none())
            .unwrap()
            .text(0, &mut TextScratch::default())
            .unwrap_err();
        assert!(matches!(error, BatchError::Damaged { .. }), "{error}");
    }
}
