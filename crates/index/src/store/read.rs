//! Reading the store.

use std::ops::RangeBounds;
use std::path::Path;

use redb::{Database, ReadOnlyTable, ReadTransaction, ReadableDatabase, ReadableTableMetadata};

use super::{
    COUNTERS, DOCUMENTS, Documents, EVIDENCE, EXPIRY, GRAVES, IDS, NEXT_NUMBER, Record, StoreResult, damaged,
};
use crate::error::{IndexError, Result};
use crate::time::Timestamp;

/// The store at one moment.
pub(crate) struct Reader<'a> {
    transaction: ReadTransaction,
    documents: ReadOnlyTable<u32, &'static [u8]>,
    path: &'a Path,
}

impl<'a> Reader<'a> {
    pub(super) fn new(database: &Database, path: &'a Path) -> Result<Self> {
        let begin = || -> StoreResult<_> {
            let transaction = database.begin_read()?;
            let documents = transaction.open_table(DOCUMENTS)?;
            Ok((transaction, documents))
        };
        let (transaction, documents) = begin().map_err(IndexError::store(path))?;
        Ok(Reader { transaction, documents, path })
    }

    /// Every live document with a number in the range, in order.
    pub(crate) fn records(
        &self,
        numbers: impl RangeBounds<u32>,
    ) -> Result<impl Iterator<Item = Result<(u32, Record)>>> {
        let range = self.documents.range(numbers).map_err(|error| self.error(error.into()))?;
        Ok(range.map(|row| {
            let (number, bytes) = row.map_err(|error| self.error(error.into()))?;
            let number = number.value();
            Ok((number, self.decode(number, bytes.value())?))
        }))
    }

    /// The documents that have expired, at most `limit` of them.
    pub(crate) fn expired(&self, now: Timestamp, limit: usize) -> Result<Vec<u32>> {
        self.run(|transaction| {
            let table = transaction.open_table(EXPIRY)?;
            let mut numbers = vec![];
            for row in table.range(..=(now.0, u32::MAX))?.take(limit) {
                numbers.push(row?.0.value().1);
            }
            Ok(numbers)
        })
    }

    /// The next document number to give.
    pub(crate) fn next_number(&self) -> Result<u64> {
        let found = self.run(|transaction| {
            Ok(transaction.open_table(COUNTERS)?.get(NEXT_NUMBER)?.map(|number| number.value()))
        })?;
        found.ok_or_else(|| IndexError::Damaged {
            path: self.path.to_owned(),
            what: "the next number is missing".to_owned(),
        })
    }

    /// How many documents are there, expired ones included.
    pub(crate) fn len(&self) -> Result<u64> {
        self.documents.len().map_err(|error| self.error(error.into()))
    }

    /// How many removed documents segments may still hold.
    pub(crate) fn graves(&self) -> Result<u64> {
        self.run(|transaction| Ok(transaction.open_table(GRAVES)?.len()?))
    }

    fn decode(&self, number: u32, bytes: &[u8]) -> Result<Record> {
        Record::decode(bytes, number).ok_or_else(|| self.damaged(number, "record"))
    }

    fn run<T>(&self, read: impl FnOnce(&ReadTransaction) -> StoreResult<T>) -> Result<T> {
        read(&self.transaction).map_err(IndexError::store(self.path))
    }

    fn error(&self, error: redb::Error) -> IndexError {
        IndexError::store(self.path)(error)
    }
}

impl Documents for Reader<'_> {
    fn record(&self, number: u32) -> Result<Option<Record>> {
        let stored = self.documents.get(number).map_err(|error| self.error(error.into()))?;
        stored.map(|stored| self.decode(number, stored.value())).transpose()
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
