//! Changing the store: the tables of one transaction.

use std::path::Path;

use redb::{ReadableTable, Table, WriteTransaction};

use super::paragraphs::Row;
use super::record::sealed;
use super::{
    COUNTERS, DOCUMENTS, Documents, EVIDENCE, EXPIRY, FINGERPRINTS, IDS, NEXT_NUMBER, NEXT_PARAGRAPH,
    NextNumbers, PARAGRAPH_TOMBSTONES, PARAGRAPHS, Record, StoreResult, TOMBSTONES, damaged,
};
use crate::error::{IndexError, Result};
use crate::time::Timestamp;

/// The tables of a change: it happens as a whole or not at all.
pub(crate) struct Tables<'t> {
    documents: Table<'t, u32, &'static [u8]>,
    evidence: Table<'t, u32, &'static [u8]>,
    /// In an index by keys.
    fingerprints: Option<Table<'t, u32, &'static [u8]>>,
    paragraphs: Table<'t, u32, &'static [u8]>,
    ids: Table<'t, &'static str, u32>,
    expiry: Table<'t, (u64, u32), ()>,
    tombstones: Table<'t, u32, ()>,
    paragraph_tombstones: Table<'t, u32, u32>,
    counters: Table<'t, &'static str, u64>,
    path: &'t Path,
}

impl<'t> Tables<'t> {
    pub(super) fn open(
        transaction: &'t WriteTransaction,
        path: &'t Path,
        is_keyed: bool,
    ) -> StoreResult<Tables<'t>> {
        Ok(Tables {
            fingerprints: if is_keyed { Some(transaction.open_table(FINGERPRINTS)?) } else { None },
            documents: transaction.open_table(DOCUMENTS)?,
            evidence: transaction.open_table(EVIDENCE)?,
            paragraphs: transaction.open_table(PARAGRAPHS)?,
            ids: transaction.open_table(IDS)?,
            expiry: transaction.open_table(EXPIRY)?,
            tombstones: transaction.open_table(TOMBSTONES)?,
            paragraph_tombstones: transaction.open_table(PARAGRAPH_TOMBSTONES)?,
            counters: transaction.open_table(COUNTERS)?,
            path,
        })
    }

    /// Adds a document under a fresh number. Only an index by keys has a fingerprint apart from the
    /// record.
    pub(crate) fn insert(
        &mut self,
        number: u32,
        record: &Record,
        evidence: Option<&[u8]>,
        fingerprint: Option<&[u8]>,
        paragraphs: Option<&Row>,
    ) -> Result<()> {
        self.put(number, record)?;
        self.ids.insert(record.id.as_str(), number).map_err(failed(self.path))?;
        if let Some(evidence) = evidence {
            self.evidence.insert(number, evidence).map_err(failed(self.path))?;
        }
        if let (Some(table), Some(fingerprint)) = (&mut self.fingerprints, fingerprint) {
            let bytes = sealed(fingerprint.to_vec(), u64::from(number));
            table.insert(number, bytes.as_slice()).map_err(failed(self.path))?;
        }
        if let (Some((first, _)), Some(row)) = (record.paragraphs, paragraphs) {
            let bytes = row.encode(first);
            self.paragraphs.insert(first, bytes.as_slice()).map_err(failed(self.path))?;
        }
        if let Some(expires) = record.expires {
            self.expiry.insert((expires.0, number), ()).map_err(failed(self.path))?;
        }
        Ok(())
    }

    /// Removes a document, and adds tombstones for the segments that hold it.
    pub(crate) fn remove(&mut self, number: u32, record: &Record) -> Result<()> {
        let mut change = || -> StoreResult<()> {
            self.documents.remove(number)?;
            self.evidence.remove(number)?;
            if let Some(fingerprints) = &mut self.fingerprints {
                fingerprints.remove(number)?;
            }
            // The id may belong to a newer document.
            let is_ours = self.ids.get(record.id.as_str())?.is_some_and(|found| found.value() == number);
            if is_ours {
                self.ids.remove(record.id.as_str())?;
            }
            if let Some(expires) = record.expires {
                self.expiry.remove((expires.0, number))?;
            }
            self.tombstones.insert(number, ())?;
            if let Some((first, count)) = record.paragraphs {
                self.paragraphs.remove(first)?;
                self.paragraph_tombstones.insert(first, count)?;
            }
            Ok(())
        };
        change().map_err(|error| IndexError::store(self.path)(error))
    }

    /// Changes when a document expires.
    pub(crate) fn set_expiry(
        &mut self,
        number: u32,
        record: &mut Record,
        expires: Option<Timestamp>,
    ) -> Result<()> {
        if let Some(before) = record.expires {
            self.expiry.remove((before.0, number)).map_err(failed(self.path))?;
        }
        if let Some(expires) = expires {
            self.expiry.insert((expires.0, number), ()).map_err(failed(self.path))?;
        }
        record.expires = expires;
        self.put(number, record)
    }

    /// Drops tombstones of numbers that no segment holds any more.
    pub(crate) fn drop_tombstones(&mut self, documents: &[u32], paragraphs: &[u32]) -> Result<()> {
        for number in documents {
            self.tombstones.remove(number).map_err(failed(self.path))?;
        }
        for first in paragraphs {
            self.paragraph_tombstones.remove(first).map_err(failed(self.path))?;
        }
        Ok(())
    }

    /// Stores the next numbers to give.
    pub(crate) fn set_next(&mut self, next: NextNumbers) -> Result<()> {
        for (name, value) in [(NEXT_NUMBER, next.document), (NEXT_PARAGRAPH, next.paragraph)] {
            self.counters.insert(name, value).map_err(failed(self.path))?;
        }
        Ok(())
    }

    fn put(&mut self, number: u32, record: &Record) -> Result<()> {
        let bytes = record.encode(number);
        self.documents.insert(number, bytes.as_slice()).map_err(failed(self.path))?;
        Ok(())
    }

    fn error(&self, error: redb::Error) -> IndexError {
        IndexError::store(self.path)(error)
    }
}

impl Documents for Tables<'_> {
    fn record(&self, number: u32) -> Result<Option<Record>> {
        let stored = self.documents.get(number).map_err(|error| self.error(error.into()))?;
        let decode =
            |bytes: &[u8]| Record::decode(bytes, number).ok_or_else(|| self.damaged(number, "record"));
        stored.map(|stored| decode(stored.value())).transpose()
    }

    fn evidence_bytes(&self, number: u32) -> Result<Option<Vec<u8>>> {
        let stored = self.evidence.get(number).map_err(|error| self.error(error.into()))?;
        Ok(stored.map(|stored| stored.value().to_vec()))
    }

    fn fingerprint_bytes(&self, number: u32) -> Result<Option<Vec<u8>>> {
        let Some(table) = &self.fingerprints else { return Ok(None) };
        let stored = table.get(number).map_err(|error| self.error(error.into()))?;
        Ok(stored.map(|stored| stored.value().to_vec()))
    }

    fn number(&self, id: &str) -> Result<Option<u32>> {
        let found = self.ids.get(id).map_err(|error| self.error(error.into()))?;
        Ok(found.map(|number| number.value()))
    }

    fn is_removed(&self, number: u32) -> Result<bool> {
        Ok(self.tombstones.get(number).map_err(|error| self.error(error.into()))?.is_some())
    }

    fn paragraphs_around(&self, paragraph: u32) -> Result<Option<(u32, Row)>> {
        let mut range = self.paragraphs.range(..=paragraph).map_err(|error| self.error(error.into()))?;
        let Some(row) = range.next_back() else { return Ok(None) };
        let (first, bytes) = row.map_err(|error| self.error(error.into()))?;
        let first = first.value();
        let row = Row::decode(bytes.value(), first).ok_or_else(|| self.damaged(first, "paragraphs"))?;
        Ok((paragraph - first < row.places.len() as u32).then_some((first, row)))
    }

    fn is_paragraph_removed(&self, paragraph: u32) -> Result<bool> {
        let mut range =
            self.paragraph_tombstones.range(..=paragraph).map_err(|error| self.error(error.into()))?;
        let Some(row) = range.next_back() else { return Ok(false) };
        let (first, count) = row.map_err(|error| self.error(error.into()))?;
        Ok(paragraph - first.value() < count.value())
    }

    fn damaged(&self, number: u32, what: &str) -> IndexError {
        damaged(self.path, number, what)
    }
}

/// Turns any failure of redb into an error about the file.
fn failed<E: Into<redb::Error>>(path: &Path) -> impl Fn(E) -> IndexError + '_ {
    move |error| IndexError::store(path)(error.into())
}
