//! The stored documents: one redb file. Everything else is derived from it.
//!
//! ```text
//! about             name -> text            the format and the settings
//! frequencies       name -> bytes           document frequencies, if the recipe needs any
//! documents         number -> Record        every live document; numbers are given once, in order
//! evidence          number -> evidence      what verification needs of it
//! fingerprints      number -> fingerprint   the source of postings; none in an index of simhashes
//! paragraphs        first number -> Row     where its paragraphs are, and their fingerprints
//! ids               id -> number
//! expiry            (moment, number)        the documents that expire, in order of expiry
//! graves            number                  tombstones: removed, segments may still hold them
//! paragraph_graves  first number -> count   tombstones of paragraphs
//! counters          name -> number          the next numbers to give
//! ```
//!
//! Numbers only grow, so documents and evidence are written at the end of their tables.
//!
//! After a failed write, redb refuses every operation until the file is opened again. [`Store`]
//! reopens it, so that an index recovers from a full disk without a restart.

mod backend;
mod copy;
mod evidence;
mod features;
mod numbers;
mod panic;
mod paragraphs;
mod parse;
mod read;
mod record;
mod sketch;
mod space;
mod tables;

pub(crate) use evidence::{EncodedEvidence, StoredEvidence};
pub(crate) use numbers::NextNumbers;
pub(crate) use panic::catch_panics;
pub(crate) use paragraphs::Row;
#[doc(hidden)]
pub use parse::parse_stored;
pub(crate) use read::Reader;
pub(crate) use record::Record;
pub(crate) use sketch::Sketch;
pub(crate) use tables::Tables;

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use redb::{Database, ReadableDatabase, TableDefinition};
use twindex_core::feature::DocumentFrequencies;
use twindex_disk::Disk;

use crate::error::{IndexError, Result};
use crate::settings::{Durability, Evidence, OpenOptions, Settings};

const ABOUT: TableDefinition<&str, &str> = TableDefinition::new("about");
const FREQUENCIES: TableDefinition<&str, &[u8]> = TableDefinition::new("frequencies");
const DOCUMENTS: TableDefinition<u32, &[u8]> = TableDefinition::new("documents");
const EVIDENCE: TableDefinition<u32, &[u8]> = TableDefinition::new("evidence");
const FINGERPRINTS: TableDefinition<u32, &[u8]> = TableDefinition::new("fingerprints");
const PARAGRAPHS: TableDefinition<u32, &[u8]> = TableDefinition::new("paragraphs");
const IDS: TableDefinition<&str, u32> = TableDefinition::new("ids");
const EXPIRY: TableDefinition<(u64, u32), ()> = TableDefinition::new("expiry");
// Format 1 calls its tombstones graves.
const TOMBSTONES: TableDefinition<u32, ()> = TableDefinition::new("graves");
const PARAGRAPH_TOMBSTONES: TableDefinition<u32, u32> = TableDefinition::new("paragraph_graves");
const COUNTERS: TableDefinition<&str, u64> = TableDefinition::new("counters");

/// The next document number, never given before.
const NEXT_NUMBER: &str = "next";
/// The next paragraph number, never given before.
const NEXT_PARAGRAPH: &str = "next paragraph";

/// The format of an index of simhashes, and of segments of simhashes in any index.
pub(crate) const FORMAT: u32 = 1;

/// The format of an index by the keys of the engine, and of one that keeps features.
const KEYED_FORMAT: u32 = 2;

/// The format of an index with these settings.
fn format_of(settings: &Settings) -> u32 {
    let is_new = settings.is_keyed() || settings.evidence == Evidence::Features;
    if is_new { KEYED_FORMAT } else { FORMAT }
}

const FORMAT_KEY: &str = "format";
const SETTINGS_KEY: &str = "settings";
const IDF_KEY: &str = "idf";

type StoreResult<T> = std::result::Result<T, redb::Error>;

/// The stored table of document frequencies. An index that was made without one has no table for
/// it.
fn frequencies(database: &Database) -> StoreResult<Option<Vec<u8>>> {
    match database.begin_read()?.open_table(FREQUENCIES) {
        Ok(table) => Ok(table.get(IDF_KEY)?.map(|value| value.value().to_vec())),
        Err(redb::TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Documents by number and by id: of a snapshot ([`Reader`]) or of an open change ([`Tables`]).
pub(crate) trait Documents {
    /// The document of that number; `None` if it was removed.
    fn record(&self, number: u32) -> Result<Option<Record>>;
    /// The stored bytes of a document's evidence.
    fn evidence_bytes(&self, number: u32) -> Result<Option<Vec<u8>>>;
    /// The stored fingerprint of a document, with its checksum.
    fn fingerprint_bytes(&self, number: u32) -> Result<Option<Vec<u8>>>;
    /// The number of the document of that id.
    fn number(&self, id: &str) -> Result<Option<u32>>;
    /// Whether the document has a tombstone.
    fn is_removed(&self, number: u32) -> Result<bool>;
    /// The paragraphs of the document that contains `paragraph`, with the number of the first;
    /// `None` if it was removed.
    fn paragraphs_around(&self, paragraph: u32) -> Result<Option<(u32, Row)>>;
    /// Whether the document that contained `paragraph` has a tombstone.
    fn is_paragraph_removed(&self, paragraph: u32) -> Result<bool>;
    /// The error that something of a document is not what was written.
    fn damaged(&self, number: u32, what: &str) -> IndexError;

    /// What is kept of a document for verification; `None` if nothing is.
    fn evidence(&self, number: u32) -> Result<Option<StoredEvidence>> {
        let Some(stored) = self.evidence_bytes(number)? else { return Ok(None) };
        let decoded = StoredEvidence::decode(&stored, number);
        decoded.ok_or_else(|| self.damaged(number, "evidence")).map(Some)
    }

    /// The fingerprint of a document; `None` if it was removed.
    fn fingerprint(&self, number: u32) -> Result<Option<Vec<u8>>> {
        let Some(mut stored) = self.fingerprint_bytes(number)? else { return Ok(None) };
        let Some(length) = record::opened(&stored, u64::from(number)).map(<[u8]>::len) else {
            return Err(self.damaged(number, "fingerprint"));
        };
        stored.truncate(length);
        Ok(Some(stored))
    }

    /// The document of that id, with its number.
    fn find(&self, id: &str) -> Result<Option<(u32, Record)>> {
        let Some(number) = self.number(id)? else { return Ok(None) };
        let record = self.record(number)?.ok_or_else(|| self.damaged(number, "record"))?;
        if record.id != id {
            return Err(self.damaged(number, "id"));
        }
        Ok(Some((number, record)))
    }
}

/// The open file.
#[derive(Debug)]
pub(crate) struct Store {
    /// `None` while the file cannot be reopened after a failure.
    database: RwLock<Option<Database>>,
    path: PathBuf,
    options: OpenOptions,
    disk: Option<Arc<dyn Disk>>,
    /// Whether there is a table of fingerprints.
    is_keyed: bool,
}

impl Store {
    /// Makes the file.
    pub(crate) fn create(path: &Path, settings: &Settings, disk: Option<&Arc<dyn Disk>>) -> Result<()> {
        let about_settings = toml::to_string(settings).map_err(IndexError::UnwritableSettings)?;
        let make = || -> StoreResult<()> {
            let database = backend::open(path, &OpenOptions::default(), disk, true)?;
            let transaction = database.begin_write()?;
            {
                let mut about = transaction.open_table(ABOUT)?;
                about.insert(FORMAT_KEY, format_of(settings).to_string().as_str())?;
                about.insert(SETTINGS_KEY, about_settings.as_str())?;
                if let Some(frequencies) = &settings.frequencies {
                    let bytes = frequencies.to_bytes(settings.recipe.vocabulary());
                    transaction.open_table(FREQUENCIES)?.insert(IDF_KEY, bytes.as_slice())?;
                }
                Tables::open(&transaction, path, settings.is_keyed())?;
                let mut counters = transaction.open_table(COUNTERS)?;
                counters.insert(NEXT_NUMBER, 0)?;
                counters.insert(NEXT_PARAGRAPH, 0)?;
            }
            Ok(transaction.commit()?)
        };
        make().map_err(IndexError::store(path))
    }

    /// Opens the file and reads the settings.
    pub(crate) fn open(
        path: &Path,
        options: &OpenOptions,
        disk: Option<&Arc<dyn Disk>>,
    ) -> Result<(Store, Settings)> {
        let error = IndexError::store(path);
        let damaged = |what: String| IndexError::Damaged { path: path.to_owned(), what };
        let database = backend::open(path, options, disk, false).map_err(&error)?;
        let about = |key: &str| -> StoreResult<Option<String>> {
            let table = database.begin_read()?.open_table(ABOUT)?;
            Ok(table.get(key)?.map(|value| value.value().to_owned()))
        };
        let format = about(FORMAT_KEY).map_err(&error)?.and_then(|text| text.parse().ok());
        let found: u32 = format.ok_or_else(|| damaged("it does not say its format".to_owned()))?;
        if ![FORMAT, KEYED_FORMAT].contains(&found) {
            return Err(IndexError::OtherFormat { path: path.to_owned(), found, expected: KEYED_FORMAT });
        }
        let settings = about(SETTINGS_KEY).map_err(&error)?;
        let settings = settings.ok_or_else(|| damaged("it has no settings".to_owned()))?;
        let mut settings: Settings =
            toml::from_str(&settings).map_err(|found| damaged(format!("its settings: {found}")))?;
        settings.validate()?;
        if found != format_of(&settings) {
            return Err(damaged(format!("it has the format {found}, which does not fit its recipe")));
        }
        if let Some(bytes) = frequencies(&database).map_err(&error)? {
            let table = DocumentFrequencies::from_bytes(&bytes, settings.recipe.vocabulary());
            settings.frequencies = Some(Arc::new(table.map_err(|found| damaged(found.to_string()))?));
        }
        let database = RwLock::new(Some(database));
        let (disk, is_keyed) = (disk.cloned(), settings.is_keyed());
        Ok((Store { database, path: path.to_owned(), options: *options, disk, is_keyed }, settings))
    }

    /// A snapshot of the store.
    pub(crate) fn read(&self) -> Result<Reader<'_>> {
        self.with_database(|database| Reader::new(database, &self.path))
    }

    /// Makes a change, one at a time. If `work` fails nothing changes.
    pub(crate) fn change<T>(&self, work: impl FnOnce(&mut Tables<'_>) -> Result<T>) -> Result<T> {
        let durability = self.options.durability;
        let transaction = self.with_database(|database| Ok(database.begin_write()?))?;
        self.finish(transaction, durability, work)
    }

    /// Refuses to grow when the disk is nearly full. Not called for removals.
    pub(crate) fn check_space(&self) -> Result<()> {
        space::check(&self.path)
    }

    /// Makes every change so far durable.
    pub(crate) fn flush(&self) -> Result<()> {
        let transaction = self.with_database(|database| Ok(database.begin_write()?))?;
        self.finish(transaction, Durability::Strict, |_| Ok(()))
    }

    fn finish<T>(
        &self,
        mut transaction: redb::WriteTransaction,
        durability: Durability,
        work: impl FnOnce(&mut Tables<'_>) -> Result<T>,
    ) -> Result<T> {
        let error = IndexError::store(&self.path);
        match durability {
            // Without it, opening after a crash would read the whole file.
            Durability::Strict => transaction.set_quick_repair(true),
            Durability::Relaxed => {
                transaction.set_durability(redb::Durability::None).map_err(|found| error(found.into()))?;
            }
        }
        let mut tables = Tables::open(&transaction, &self.path, self.is_keyed).map_err(&error)?;
        let result = work(&mut tables);
        drop(tables);
        match result {
            Ok(value) => transaction.commit().map(|()| value).map_err(|found| error(found.into())),
            Err(failure) => {
                // Nothing was written; the caller gets the first failure.
                let _ = transaction.abort();
                Err(failure)
            }
        }
    }

    /// Begins one commit of a copy, which is durable when the whole copy is flushed.
    fn begin_copy(&self) -> StoreResult<redb::WriteTransaction> {
        let guard = self.database.read().unwrap_or_else(PoisonError::into_inner);
        let mut transaction = guard.as_ref().ok_or(redb::Error::DatabaseClosed)?.begin_write()?;
        transaction.set_durability(redb::Durability::None)?;
        Ok(transaction)
    }

    /// Runs `begin`. If redb refuses because of an earlier failure or panic, reopens the file and
    /// runs it again.
    fn with_database<T>(&self, begin: impl Fn(&Database) -> StoreResult<T>) -> Result<T> {
        if let Some(database) = &*self.database.read().unwrap_or_else(PoisonError::into_inner) {
            match begin(database) {
                Err(redb::Error::PreviousIo | redb::Error::Corrupted(_) | redb::Error::LockPoisoned(_)) => {}
                result => return result.map_err(IndexError::store(&self.path)),
            }
        }
        let mut guard = self.database.write().unwrap_or_else(PoisonError::into_inner);
        // Closed before it is opened: redb locks the file.
        *guard = None;
        let reopened = backend::open(&self.path, &self.options, self.disk.as_ref(), false);
        let database = guard.insert(reopened.map_err(IndexError::store(&self.path))?);
        begin(database).map_err(IndexError::store(&self.path))
    }

    /// Checks every page against its checksum. Needs exclusive access.
    pub(crate) fn check_pages(&self) -> Result<()> {
        let mut guard = self.database.write().unwrap_or_else(PoisonError::into_inner);
        let Some(database) = guard.as_mut() else { return Ok(()) };
        match database.check_integrity() {
            // With a reader open pages cannot be checked; values have checksums of their own.
            Ok(true) | Err(redb::DatabaseError::TransactionInProgress) => Ok(()),
            Ok(false) => Err(IndexError::Damaged {
                path: self.path.clone(),
                what: "pages did not fit together and were repaired; check again".to_owned(),
            }),
            Err(error) => Err(IndexError::store(&self.path)(error.into())),
        }
    }

    /// Gives unused space back to the disk. Needs exclusive access.
    pub(crate) fn compact(&self) -> Result<()> {
        let mut guard = self.database.write().unwrap_or_else(PoisonError::into_inner);
        let Some(database) = guard.as_mut() else { return Ok(()) };
        loop {
            match database.compact() {
                Ok(true) => {}
                // With a reader open the space is reused later instead.
                Ok(false) | Err(redb::CompactionError::TransactionInProgress) => return Ok(()),
                Err(error) => return Err(IndexError::store(&self.path)(error.into())),
            }
        }
    }

    /// The disk of a test, if there is one.
    pub(crate) fn disk(&self) -> Option<&Arc<dyn Disk>> {
        self.disk.as_ref()
    }

    /// Where the file is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

fn damaged(path: &Path, number: u32, what: &str) -> IndexError {
    IndexError::Damaged { path: path.to_owned(), what: format!("the {what} of document number {number}") }
}
