//! What stage one left of the documents, readable at random.

use twindex_core::search::Method;
use twindex_core::{Markup, hash};

use crate::error::{BatchError, Result};
use crate::place::Place;
use crate::record::Fact;
use crate::work::{Column, FingerprintReader, RowSources, TextReader, TextScratch, WorkFolder};

/// The part of the memory that may be taken by columns that could be read from the disk as well.
pub(crate) const HELD_PART: usize = 4;

/// Fingerprints of some documents are asked for so many documents ahead.
const ANNOUNCED: usize = 8;

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
    /// Opens the columns of a finished first stage, with fingerprints of that method; some texts are in `rows`.
    pub(crate) fn open(work: &WorkFolder, method: &Method, rows: RowSources) -> Result<Self> {
        Ok(Documents {
            facts: Column::open(&work.file("facts"))?,
            fingerprints: FingerprintReader::open(work, method)?,
            ids: Column::open(&work.file("ids"))?,
            id_ends: Column::open(&work.file("id-ends"))?,
            places: Column::open(&work.file("places"))?,
            texts: TextReader::open(work, rows)?,
        })
    }

    /// Of columns as they were made.
    pub(crate) fn of(
        facts: Column,
        fingerprints: FingerprintReader,
        [ids, id_ends, places]: [Column; 3],
        texts: TextReader,
    ) -> Self {
        Documents { facts, fingerprints, ids, id_ends, places, texts }
    }

    /// Holds in memory what is small and asked for again and again, if that takes no more than a part of `memory`, and otherwise nothing;
    /// returns how many bytes it takes.
    pub(crate) fn hold(&mut self, memory: usize, work: &WorkFolder) -> Result<usize> {
        let mut columns = vec![&mut self.facts, &mut self.id_ends, self.texts.places()];
        columns.extend(self.fingerprints.columns());
        // Ids and places are asked for seldom: they are in memory if they were never anywhere else.
        columns.extend([&mut self.ids, &mut self.places].into_iter().filter(|column| column.is_held()));
        let bytes = columns.iter().map(|column| column.bytes()).sum::<u64>();
        if bytes > (memory / HELD_PART) as u64 {
            columns.into_iter().try_for_each(|column| column.release(work))?;
            return Ok(0);
        }
        columns.into_iter().try_for_each(Column::hold)?;
        Ok(bytes as usize)
    }

    /// Writes columns that are in memory only into the work folder, too.
    pub(crate) fn settle(&self, work: &WorkFolder) -> Result<()> {
        let columns = [&self.facts, &self.ids, &self.id_ends, &self.places];
        columns.into_iter().try_for_each(|column| column.settle(work))?;
        self.fingerprints.settle(work)?;
        self.texts.settle(work)
    }

    /// Whether fingerprints are in memory.
    pub(crate) fn holds_fingerprints(&self) -> bool {
        self.fingerprints.is_held()
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

    /// Calls `each` with the fingerprint of each of these documents, which ascend.
    pub(crate) fn for_each_fingerprint_of(
        &self,
        documents: &[u32],
        mut each: impl FnMut(u32, &[u8]),
    ) -> Result<()> {
        if !self.holds_fingerprints() {
            let mut left = documents.iter().copied().peekable();
            return self.for_each_fingerprint(|document, fingerprint| {
                if left.next_if_eq(&document).is_some() {
                    each(document, fingerprint);
                }
            });
        }
        let mut buffer = vec![];
        for (number, &document) in documents.iter().enumerate() {
            if let Some(&next) = documents.get(number + ANNOUNCED) {
                self.announce_fingerprint(next)?;
            }
            each(document, self.fingerprint(document, &mut buffer)?);
        }
        Ok(())
    }

    /// The fingerprint of one document, in `buffer` unless it is held in memory.
    pub(crate) fn fingerprint<'s>(&'s self, document: u32, buffer: &'s mut Vec<u8>) -> Result<&'s [u8]> {
        self.fingerprints.of(document, buffer)
    }

    /// Says that the fingerprint of a document will be asked for soon.
    pub(crate) fn announce_fingerprint(&self, document: u32) -> Result<()> {
        self.fingerprints.announce(document)
    }

    /// Says that the fingerprint of a document will be announced soon.
    pub(crate) fn announce_place(&self, document: u32) {
        self.fingerprints.announce_place(document);
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

    /// The text of one document, and how it is written.
    pub(crate) fn text<'s>(&self, document: u32, scratch: &'s mut TextScratch) -> Result<(&'s str, Markup)> {
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
    use twindex_core::kernel::Kernel;
    use twindex_core::recipe::Recipe;

    use super::*;
    use crate::work::{Existing, TextPacker, TextStore};

    #[test]
    fn a_text_that_is_not_as_it_was_written_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let work = WorkFolder::open(folder.path(), Existing::Refuse).unwrap();
        let written = "some text ".repeat(50);
        let mut texts = TextStore::open(&work, 0, 0).unwrap();
        texts.append(&TextPacker::default().pack([written.as_str()].into_iter(), true).unwrap()).unwrap();
        texts.settle(&work).unwrap();
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
        let method = Method::new(&Recipe::default(), Kernel::best());
        let documents = Documents::open(&work, &method, RowSources::none()).unwrap();
        let mut scratch = TextScratch::default();
        assert_eq!(documents.text(0, &mut scratch).unwrap(), (written.as_str(), Markup::None));

        let mut bytes = std::fs::read(work.file("texts")).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(work.file("texts"), bytes).unwrap();
        let error = documents.text(0, &mut scratch).unwrap_err();
        assert!(error.to_string().contains("--fresh"), "{error}");
    }
}
