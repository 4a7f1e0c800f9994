//! Writing the store.

use std::path::Path;

use redb::{Database, ReadableTable, WriteTransaction};

use super::{
    COUNTERS, DOCUMENTS, Documents, EVIDENCE, EXPIRY, GRAVES, IDS, NEXT_NUMBER, Record, StoreResult, damaged,
};
use crate::error::{IndexError, Result};
use crate::settings::Durability;
use crate::time::Timestamp;

/// A change of the store: all of it happens, or nothing.
pub(crate) struct Writer<'a> {
    transaction: WriteTransaction,
    path: &'a Path,
}

impl<'a> Writer<'a> {
    pub(super) fn new(database: &Database, path: &'a Path, durability: Durability) -> Result<Self> {
        let begin = || -> StoreResult<_> {
            let mut transaction = database.begin_write()?;
            if durability == Durability::Relaxed {
                transaction.set_durability(redb::Durability::None)?;
            }
            Ok(transaction)
        };
        Ok(Writer { transaction: begin().map_err(IndexError::store(path))?, path })
    }

    /// Adds a document under a fresh number.
    pub(crate) fn insert(&self, number: u32, record: &Record, evidence: Option<&[u8]>) -> Result<()> {
        self.run(|transaction| {
            transaction.open_table(DOCUMENTS)?.insert(number, record.encode(number).as_slice())?;
            transaction.open_table(IDS)?.insert(record.id.as_str(), number)?;
            if let Some(evidence) = evidence {
                transaction.open_table(EVIDENCE)?.insert(number, evidence)?;
            }
            if let Some(expires) = record.expires {
                transaction.open_table(EXPIRY)?.insert((expires.0, number), ())?;
            }
            Ok(())
        })
    }

    /// Removes a document, and leaves a grave for the segments that hold it.
    pub(crate) fn bury(&self, number: u32, record: &Record) -> Result<()> {
        self.run(|transaction| {
            transaction.open_table(DOCUMENTS)?.remove(number)?;
            transaction.open_table(EVIDENCE)?.remove(number)?;
            let mut ids = transaction.open_table(IDS)?;
            // The id may have gone to a younger document.
            if ids.get(record.id.as_str())?.is_some_and(|found| found.value() == number) {
                ids.remove(record.id.as_str())?;
            }
            if let Some(expires) = record.expires {
                transaction.open_table(EXPIRY)?.remove((expires.0, number))?;
            }
            transaction.open_table(GRAVES)?.insert(number, ())?;
            Ok(())
        })
    }

    /// Changes when a document expires.
    pub(crate) fn set_expiry(
        &self,
        number: u32,
        record: &mut Record,
        expires: Option<Timestamp>,
    ) -> Result<()> {
        let before = std::mem::replace(&mut record.expires, expires);
        self.run(|transaction| {
            let mut expiry = transaction.open_table(EXPIRY)?;
            if let Some(before) = before {
                expiry.remove((before.0, number))?;
            }
            if let Some(expires) = expires {
                expiry.insert((expires.0, number), ())?;
            }
            transaction.open_table(DOCUMENTS)?.insert(number, record.encode(number).as_slice())?;
            Ok(())
        })
    }

    /// Notes the next number to give.
    pub(crate) fn set_next_number(&self, next: u64) -> Result<()> {
        self.run(|transaction| {
            transaction.open_table(COUNTERS)?.insert(NEXT_NUMBER, next)?;
            Ok(())
        })
    }

    /// Makes the change happen.
    pub(crate) fn commit(self) -> Result<()> {
        self.transaction.commit().map_err(|error| IndexError::store(self.path)(error.into()))
    }

    fn run<T>(&self, change: impl FnOnce(&WriteTransaction) -> StoreResult<T>) -> Result<T> {
        change(&self.transaction).map_err(IndexError::store(self.path))
    }
}

impl Documents for Writer<'_> {
    fn record(&self, number: u32) -> Result<Option<Record>> {
        let bytes = self.run(|transaction| {
            Ok(transaction.open_table(DOCUMENTS)?.get(number)?.map(|bytes| bytes.value().to_vec()))
        })?;
        let decode =
            |bytes: Vec<u8>| Record::decode(&bytes, number).ok_or_else(|| self.damaged(number, "record"));
        bytes.map(decode).transpose()
    }

    fn evidence(&self, number: u32) -> Result<Option<Vec<u8>>> {
        self.run(|transaction| {
            Ok(transaction.open_table(EVIDENCE)?.get(number)?.map(|bytes| bytes.value().to_vec()))
        })
    }

    fn number(&self, id: &str) -> Result<Option<u32>> {
        self.run(|transaction| Ok(transaction.open_table(IDS)?.get(id)?.map(|number| number.value())))
    }

    fn is_buried(&self, number: u32) -> Result<bool> {
        self.run(|transaction| Ok(transaction.open_table(GRAVES)?.get(number)?.is_some()))
    }

    fn damaged(&self, number: u32, what: &str) -> IndexError {
        damaged(self.path, number, what)
    }
}
