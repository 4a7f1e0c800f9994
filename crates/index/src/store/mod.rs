//! The durable truth: one redb file.
//!
//! ```text
//! about       name -> text          the format and the settings
//! documents   number -> Record      every live document; numbers are given once, in order
//! evidence    number -> evidence    what verification needs of it
//! ids         id -> number
//! expiry      (moment, number)      the documents that expire, in the order in which they do
//! graves      number                removed documents that segments may still hold
//! counters    name -> number        the next number to give
//! ```
//!
//! Numbers only grow, so documents and evidence are written at the end of their tables.

mod read;
mod record;
mod write;

pub(crate) use read::Reader;
pub(crate) use record::{Record, opened, sealed, take};
pub(crate) use write::Writer;

use std::path::{Path, PathBuf};

use redb::{Database, ReadableDatabase, TableDefinition};

use crate::error::{IndexError, Result};
use crate::settings::{Durability, OpenOptions, Settings};

const ABOUT: TableDefinition<&str, &str> = TableDefinition::new("about");
const DOCUMENTS: TableDefinition<u32, &[u8]> = TableDefinition::new("documents");
const EVIDENCE: TableDefinition<u32, &[u8]> = TableDefinition::new("evidence");
const IDS: TableDefinition<&str, u32> = TableDefinition::new("ids");
const EXPIRY: TableDefinition<(u64, u32), ()> = TableDefinition::new("expiry");
const GRAVES: TableDefinition<u32, ()> = TableDefinition::new("graves");
const COUNTERS: TableDefinition<&str, u64> = TableDefinition::new("counters");

/// The next document number, never given before.
const NEXT_NUMBER: &str = "next";

/// The version of everything in the folder.
pub(crate) const FORMAT: u32 = 1;

const FORMAT_KEY: &str = "format";
const SETTINGS_KEY: &str = "settings";

/// Documents by number and by id: those of a moment, or those of a change that is being made.
pub(crate) trait Documents {
    /// The document of that number; `None` if it was removed.
    fn record(&self, number: u32) -> Result<Option<Record>>;
    /// What is kept for the verification of a document, as it was written.
    fn evidence(&self, number: u32) -> Result<Option<Vec<u8>>>;
    /// The number of the document of that id.
    fn number(&self, id: &str) -> Result<Option<u32>>;
    /// Whether the document of that number was removed.
    fn is_buried(&self, number: u32) -> Result<bool>;
    /// The error that something of a document is not what was written.
    fn damaged(&self, number: u32, what: &str) -> IndexError;
}

/// The open file.
#[derive(Debug)]
pub(crate) struct Store {
    database: Database,
    path: PathBuf,
    durability: Durability,
}

impl Store {
    /// Makes the file.
    pub(crate) fn create(path: &Path, settings: &Settings) -> Result<()> {
        let error = IndexError::store(path);
        let make = || -> StoreResult<()> {
            let database = Database::create(path)?;
            let transaction = database.begin_write()?;
            {
                let mut about = transaction.open_table(ABOUT)?;
                about.insert(FORMAT_KEY, FORMAT.to_string().as_str())?;
                // Serialising a valid recipe cannot fail; an empty text would be refused when it is read.
                about.insert(SETTINGS_KEY, toml::to_string(settings).unwrap_or_default().as_str())?;
                transaction.open_table(DOCUMENTS)?;
                transaction.open_table(EVIDENCE)?;
                transaction.open_table(IDS)?;
                transaction.open_table(EXPIRY)?;
                transaction.open_table(GRAVES)?;
                transaction.open_table(COUNTERS)?.insert(NEXT_NUMBER, 0)?;
            }
            Ok(transaction.commit()?)
        };
        make().map_err(error)
    }

    /// Opens the file and reads what it is about.
    pub(crate) fn open(path: &Path, options: &OpenOptions) -> Result<(Store, Settings)> {
        let error = IndexError::store(path);
        let damaged = |what: String| IndexError::Damaged { path: path.to_owned(), what };
        let mut builder = Database::builder();
        builder.set_cache_size(options.cache_bytes);
        let database = builder.open(path).map_err(|found| error(found.into()))?;
        let store = Store { database, path: path.to_owned(), durability: options.durability };

        let about = |key: &str| -> StoreResult<Option<String>> {
            let table = store.database.begin_read()?.open_table(ABOUT)?;
            Ok(table.get(key)?.map(|value| value.value().to_owned()))
        };
        let format = about(FORMAT_KEY).map_err(&error)?.and_then(|text| text.parse().ok());
        let found: u32 = format.ok_or_else(|| damaged("it does not say its format".to_owned()))?;
        if found != FORMAT {
            return Err(IndexError::OtherFormat { path: path.to_owned(), found, expected: FORMAT });
        }
        let settings = about(SETTINGS_KEY).map_err(&error)?.unwrap_or_default();
        let settings: Settings =
            toml::from_str(&settings).map_err(|found| damaged(format!("its settings: {found}")))?;
        settings.validate()?;
        Ok((store, settings))
    }

    /// The store as it is now, whatever is written later.
    pub(crate) fn read(&self) -> Result<Reader<'_>> {
        Reader::new(&self.database, &self.path)
    }

    /// Begins a change; there is one at a time.
    pub(crate) fn write(&self) -> Result<Writer<'_>> {
        Writer::new(&self.database, &self.path, self.durability)
    }

    /// Where the file is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

type StoreResult<T> = std::result::Result<T, redb::Error>;

fn damaged(path: &Path, number: u32, what: &str) -> IndexError {
    IndexError::Damaged { path: path.to_owned(), what: format!("the {what} of document number {number}") }
}
