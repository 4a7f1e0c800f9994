//! The columns of the documents, readable at random.

use std::borrow::Cow;

use twindex_core::search::Width;
use twindex_core::{Markup, hash};
use twindex_corpus::RowPlace;

use super::{Column, Fact, FingerprintReader, Place, RowSources, TextReader, TextScratch, WorkFolder};
use crate::error::{BatchError, Result};

/// One in `HELD_PART` bytes of the memory may hold columns that could be read from the disk as
/// well. With a quarter the fingerprints of 5 GB of pages did not fit into `--memory 2G`, and
/// verification took 6.2 s of CPU instead of 4.1; the evidence that shares the rest has a bound.
pub(crate) const HELD_PART: usize = 3;

/// The columns of the documents.
#[derive(Debug)]
pub(crate) struct Documents {
    facts: Column,
    fingerprints: FingerprintReader,
    ids: Column,
    id_ends: Column,
    places: Column,
    texts: TextReader,
}

impl Documents {
    /// Opens the columns of a finished first stage; some texts are in `rows`.
    pub(crate) fn open(work: &WorkFolder, width: Width, rows: RowSources) -> Result<Self> {
        Ok(Documents {
            facts: Column::open(&work.file("facts"))?,
            fingerprints: FingerprintReader::open(work, width)?,
            ids: Column::open(&work.file("ids"))?,
            id_ends: Column::open(&work.file("id-ends"))?,
            places: Column::open(&work.file("places"))?,
            texts: TextReader::open(work, rows)?,
        })
    }

    /// Loads the small columns that are read often, the smallest first, as long as they fit into a
    /// part of `memory`; returns how many bytes they take.
    ///
    /// Each that is held saves a system call a candidate. When none was, because all did not fit,
    /// verifying 5 GB of pages took 9.1 s of CPU instead of 6.2.
    pub(crate) fn hold(&mut self, memory: usize) -> Result<usize> {
        let mut columns = vec![&mut self.facts, &mut self.id_ends, self.texts.places()];
        columns.extend(self.fingerprints.columns());
        columns.sort_by_key(|column| column.bytes());
        let most = memory / HELD_PART;
        let mut held = 0;
        for column in columns {
            let bytes = usize::try_from(column.bytes()).unwrap_or(usize::MAX);
            if bytes > most - held {
                break;
            }
            column.hold()?;
            held += bytes;
        }
        Ok(held)
    }

    /// How many documents there are.
    pub(crate) fn len(&self) -> u32 {
        (self.facts.bytes() / Fact::BYTES as u64) as u32
    }

    /// Calls `each` with the facts of every document, in order.
    pub(crate) fn for_each_fact(&self, mut each: impl FnMut(u32, Fact)) -> Result<()> {
        let mut document = 0;
        self.facts.for_each(Fact::BYTES, |bytes| {
            each(document, Fact::decode(bytes));
            document += 1;
        })
    }

    /// The facts of one document.
    pub(crate) fn fact(&self, document: u32) -> Result<Fact> {
        let mut bytes = [0; Fact::BYTES];
        self.facts.read_at(u64::from(document) * Fact::BYTES as u64, &mut bytes)?;
        Ok(Fact::decode(&bytes))
    }

    /// Calls `each` with the fingerprint of every document, in order.
    pub(crate) fn for_each_fingerprint(&self, each: impl FnMut(u32, &[u8])) -> Result<()> {
        self.fingerprints.for_each(each)
    }

    /// The fingerprint of one document, in `buffer` unless it is held in memory.
    pub(crate) fn fingerprint<'s>(&'s self, document: u32, buffer: &'s mut Vec<u8>) -> Result<&'s [u8]> {
        self.fingerprints.of(document, buffer)
    }

    /// The id of one document.
    pub(crate) fn id(&self, document: u32) -> Result<String> {
        let mut ends = [0; 16];
        let (start, end) = if document == 0 {
            self.id_ends.read_at(0, &mut ends[8..])?;
            (0, word(&ends[8..]))
        } else {
            self.id_ends.read_at((u64::from(document) - 1) * 8, &mut ends)?;
            (word(&ends[..8]), word(&ends[8..]))
        };
        let damaged = || BatchError::damaged(self.ids.path(), "an id is not where it should be");
        let length = end.checked_sub(start).filter(|_| end <= self.ids.bytes()).ok_or_else(damaged)?;
        let mut id = vec![0; length as usize];
        self.ids.read_at(start, &mut id)?;
        String::from_utf8(id).map_err(|_| damaged())
    }

    /// Where the row of one document stands.
    pub(crate) fn place(&self, document: u32) -> Result<Place> {
        let mut bytes = [0; Place::BYTES];
        self.places.read_at(u64::from(document) * Place::BYTES as u64, &mut bytes)?;
        Ok(Place::decode(bytes))
    }

    /// The source of one document and where its row lies there, if it is read again from there.
    pub(crate) fn row(&self, document: u32) -> Result<Option<(u32, RowPlace)>> {
        self.texts.row(document)
    }

    /// The text of one document, and how it is written.
    pub(crate) fn text<'s>(
        &self,
        document: u32,
        scratch: &'s mut TextScratch,
    ) -> Result<(Cow<'s, str>, Markup)> {
        let fact = self.fact(document)?;
        let text = self.texts.text(document, scratch)?;
        if hash::content(text.as_bytes()) != fact.content {
            return Err(self.texts.changed(document)?);
        }
        Ok((text, fact.markup))
    }
}

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use twindex_core::group::KeepKey;

    use super::*;
    use crate::work::{TextPacker, TextStore, for_test};

    #[test]
    fn a_text_that_is_not_as_it_was_written_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let work = for_test(folder.path());
        let written = "some text ".repeat(50);
        let mut texts = TextStore::open(&work, 0, 0).unwrap();
        texts.append(&TextPacker::default().pack([written.as_str()].into_iter(), true).unwrap()).unwrap();
        texts.flush().unwrap();
        let fact = Fact {
            content: hash::content(written.as_bytes()),
            id: 0,
            keep: KeepKey(0),
            markup: Markup::None,
            has_features: true,
            is_null: false,
        };
        std::fs::write(work.file("facts"), fact.encode()).unwrap();
        for name in ["fingerprints", "fingerprint-ends", "ids", "id-ends", "places"] {
            std::fs::write(work.file(name), []).unwrap();
        }
        let width = Width { fixed: None, typical: 0, most: 0 };
        let documents = Documents::open(&work, width, RowSources::none()).unwrap();
        let mut scratch = TextScratch::default();
        assert_eq!(documents.text(0, &mut scratch).unwrap(), (written.as_str().into(), Markup::None));

        let mut bytes = std::fs::read(work.file("texts")).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(work.file("texts"), bytes).unwrap();
        let error = documents.text(0, &mut scratch).unwrap_err();
        assert!(matches!(error, BatchError::Damaged { .. }), "{error}");
    }
}
