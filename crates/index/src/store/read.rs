//! Reading the store.

use std::cell::OnceCell;
use std::ops::Range;
use std::path::Path;

use redb::{
    Database, ReadOnlyTable, ReadTransaction, ReadableDatabase, ReadableTableMetadata, TableDefinition,
};

use super::paragraphs::Row;
use super::{
    COUNTERS, DOCUMENTS, Documents, EVIDENCE, EXPIRY, FINGERPRINTS, IDS, NEXT_NUMBER, NEXT_PARAGRAPH,
    NextNumbers, PARAGRAPH_TOMBSTONES, PARAGRAPHS, Record, StoreResult, TOMBSTONES, damaged,
};
use crate::error::{IndexError, Result};
use crate::time::Timestamp;

/// A table of bytes by number.
type Bytes = ReadOnlyTable<u32, &'static [u8]>;

/// The store at one moment.
pub(crate) struct Reader<'a> {
    pub(super) transaction: ReadTransaction,
    documents: Bytes,
    /// Opened once, when first needed: opening a table costs as much as reading from it.
    evidence: OnceCell<Bytes>,
    fingerprints: OnceCell<Bytes>,
    paragraphs: OnceCell<Bytes>,
    path: &'a Path,
}

impl<'a> Reader<'a> {
    pub(super) fn new(database: &Database, path: &'a Path) -> StoreResult<Self> {
        let transaction = database.begin_read()?;
        let documents = transaction.open_table(DOCUMENTS)?;
        let (evidence, fingerprints, paragraphs) = Default::default();
        Ok(Reader { transaction, documents, evidence, fingerprints, paragraphs, path })
    }

    /// Calls `each` with every live document whose number is in the range, in order.
    pub(crate) fn for_each_record(
        &self,
        numbers: Range<u64>,
        mut each: impl FnMut(u32, Result<Record>) -> Result<()>,
    ) -> Result<()> {
        let Some(numbers) = narrow(numbers) else { return Ok(()) };
        for row in self.documents.range(numbers).map_err(|error| self.error(error.into()))? {
            let (number, bytes) = row.map_err(|error| self.error(error.into()))?;
            let number = number.value();
            each(number, self.decode(number, bytes.value()))?;
        }
        Ok(())
    }

    /// Calls `each` with the paragraphs of every live document whose first paragraph is in the
    /// range, in order.
    pub(crate) fn for_each_row(
        &self,
        paragraphs: Range<u64>,
        mut each: impl FnMut(u32, Row) -> Result<()>,
    ) -> Result<()> {
        let Some(paragraphs) = narrow(paragraphs) else { return Ok(()) };
        let table = self.table(&self.paragraphs, PARAGRAPHS)?;
        for row in table.range(paragraphs).map_err(|error| self.error(error.into()))? {
            let (first, bytes) = row.map_err(|error| self.error(error.into()))?;
            let first = first.value();
            each(first, Row::decode(bytes.value(), first).ok_or_else(|| self.damaged(first, "paragraphs"))?)?;
        }
        Ok(())
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

    /// The next numbers to give.
    pub(crate) fn next(&self) -> Result<NextNumbers> {
        let found = self.run(|transaction| {
            let counters = transaction.open_table(COUNTERS)?;
            let document = counters.get(NEXT_NUMBER)?.map(|number| number.value());
            let paragraph = counters.get(NEXT_PARAGRAPH)?.map(|number| number.value());
            Ok(document.zip(paragraph))
        })?;
        let missing = || IndexError::Damaged {
            path: self.path.to_owned(),
            what: "the next number is missing".to_owned(),
        };
        found.map(|(document, paragraph)| NextNumbers { document, paragraph }).ok_or_else(missing)
    }

    /// How many documents there are, expired ones included.
    pub(crate) fn len(&self) -> Result<u64> {
        self.documents.len().map_err(|error| self.error(error.into()))
    }

    /// How many ids there are.
    pub(crate) fn ids(&self) -> Result<u64> {
        self.run(|transaction| Ok(transaction.open_table(IDS)?.len()?))
    }

    /// The tombstones in the range.
    pub(crate) fn tombstones(&self, numbers: Range<u64>) -> Result<Vec<u32>> {
        let Some(numbers) = narrow(numbers) else { return Ok(vec![]) };
        self.run(|transaction| {
            let table = transaction.open_table(TOMBSTONES)?;
            table.range(numbers)?.map(|row| Ok(row?.0.value())).collect()
        })
    }

    /// The tombstones of paragraphs in the range, as first number and count.
    pub(crate) fn paragraph_tombstones(&self, paragraphs: Range<u64>) -> Result<Vec<(u32, u32)>> {
        let Some(paragraphs) = narrow(paragraphs) else { return Ok(vec![]) };
        self.run(|transaction| {
            let table = transaction.open_table(PARAGRAPH_TOMBSTONES)?;
            let row = |row: std::result::Result<_, redb::StorageError>| {
                let (first, count): (redb::AccessGuard<'_, u32>, redb::AccessGuard<'_, u32>) = row?;
                Ok((first.value(), count.value()))
            };
            table.range(paragraphs)?.map(row).collect()
        })
    }

    /// How many tombstones of documents there are.
    pub(crate) fn tombstone_count(&self) -> Result<u64> {
        self.run(|transaction| Ok(transaction.open_table(TOMBSTONES)?.len()?))
    }

    /// A table that is opened once.
    fn table<'t>(
        &self,
        table: &'t OnceCell<Bytes>,
        definition: TableDefinition<'_, u32, &'static [u8]>,
    ) -> Result<&'t Bytes> {
        if let Some(table) = table.get() {
            return Ok(table);
        }
        let opened = self.run(|transaction| Ok(transaction.open_table(definition)?))?;
        Ok(table.get_or_init(|| opened))
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

/// The part of a range that numbers can have; `None` if it is empty.
fn narrow(numbers: Range<u64>) -> Option<std::ops::RangeInclusive<u32>> {
    let last = u32::try_from(numbers.end.checked_sub(1)?).unwrap_or(u32::MAX);
    let first = u32::try_from(numbers.start).ok()?;
    (first <= last).then_some(first..=last)
}

impl Documents for Reader<'_> {
    fn record(&self, number: u32) -> Result<Option<Record>> {
        let stored = self.documents.get(number).map_err(|error| self.error(error.into()))?;
        stored.map(|stored| self.decode(number, stored.value())).transpose()
    }

    fn evidence_bytes(&self, number: u32) -> Result<Option<Vec<u8>>> {
        let stored = self.table(&self.evidence, EVIDENCE)?.get(number);
        Ok(stored.map_err(|error| self.error(error.into()))?.map(|bytes| bytes.value().to_vec()))
    }

    fn fingerprint_bytes(&self, number: u32) -> Result<Option<Vec<u8>>> {
        let stored = self.table(&self.fingerprints, FINGERPRINTS)?.get(number);
        Ok(stored.map_err(|error| self.error(error.into()))?.map(|bytes| bytes.value().to_vec()))
    }

    fn number(&self, id: &str) -> Result<Option<u32>> {
        self.run(|transaction| Ok(transaction.open_table(IDS)?.get(id)?.map(|number| number.value())))
    }

    fn is_removed(&self, number: u32) -> Result<bool> {
        self.run(|transaction| Ok(transaction.open_table(TOMBSTONES)?.get(number)?.is_some()))
    }

    fn paragraphs_around(&self, paragraph: u32) -> Result<Option<(u32, Row)>> {
        let table = self.table(&self.paragraphs, PARAGRAPHS)?;
        let mut range = table.range(..=paragraph).map_err(|error| self.error(error.into()))?;
        let Some(row) = range.next_back() else { return Ok(None) };
        let (first, bytes) = row.map_err(|error| self.error(error.into()))?;
        let first = first.value();
        let row = Row::decode(bytes.value(), first).ok_or_else(|| self.damaged(first, "paragraphs"))?;
        Ok((paragraph - first < row.places.len() as u32).then_some((first, row)))
    }

    fn is_paragraph_removed(&self, paragraph: u32) -> Result<bool> {
        self.run(|transaction| {
            let table = transaction.open_table(PARAGRAPH_TOMBSTONES)?;
            let row = table.range(..=paragraph)?.next_back().transpose()?;
            Ok(row.is_some_and(|(first, count)| paragraph - first.value() < count.value()))
        })
    }

    fn damaged(&self, number: u32, what: &str) -> IndexError {
        damaged(self.path, number, what)
    }
}
