//! What can go wrong.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;
use twindex_core::recipe::RecipeError;

/// Short for results of this crate.
pub type Result<T> = std::result::Result<T, IndexError>;

/// What went wrong.
///
/// Cloned for every caller whose documents were in one commit.
#[derive(Debug, Clone, Error)]
pub enum IndexError {
    /// There is no index in the folder.
    #[error("{path} holds no index", path = path.display())]
    NoIndex {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds something already.
    #[error("{path} is not empty, and an index needs a folder of its own", path = path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// Another process has the index open.
    #[error("the index {path} is in use by another process", path = path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// Made by another version.
    #[error("{path} has the format {found}, and this version reads format {expected}\nhint: see FORMAT.md for the way from one to the other", path = path.display())]
    OtherFormat {
        /// The folder.
        path: PathBuf,
        /// The format in the folder.
        found: u32,
        /// The format of this version.
        expected: u32,
    },
    /// A document that cannot be added.
    #[error("document {position} of the batch: {reason}")]
    InvalidDocument {
        /// Its place in the batch, from 0.
        position: usize,
        /// Why.
        reason: &'static str,
    },
    /// Settings that contradict each other.
    #[error("{0}")]
    InvalidSettings(&'static str),
    /// A recipe that is not valid.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// No space is left. Queries work; adds work again as soon as there is space.
    #[error("no space left on the disk of {path}; nothing was added\nhint: free some space and try again", path = path.display())]
    DiskFull {
        /// The file that could not grow.
        path: PathBuf,
    },
    /// A file does not hold what was written to it.
    #[error("{path} is damaged: {what}", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// Several things are damaged.
    #[error("{count} damages, the first: {first}")]
    Damages {
        /// How many.
        count: u64,
        /// The first.
        first: String,
    },
    /// Every document number has been used.
    #[error(
        "the index has taken {} documents in its life, which is all it can number\nhint: make a new index of its documents",
        u32::MAX
    )]
    Exhausted,
    /// A text could not be compressed. Nothing was added.
    #[error("a text cannot be compressed: {0}; nothing was added")]
    Compression(Arc<io::Error>),
    /// Settings that could not be written as TOML. Nothing was created.
    #[error("the settings cannot be stored: {0}")]
    UnwritableSettings(toml::ser::Error),
    /// The outcome of an add is not known: the thread that committed it panicked. The documents are
    /// there or not, all of them; adding them again is safe.
    #[error("it is not known whether the documents were added\nhint: add them again")]
    NoVerdict,
    /// Reading or writing failed.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: Arc<io::Error>,
    },
}

/// The kinds of failure that a caller may want to tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// There is no index where one was expected.
    NotFound,
    /// An invalid request; repeating it will not help.
    Invalid,
    /// Another process is at work.
    Locked,
    /// No space, or no number, is left.
    Full,
    /// A file is damaged, or of another version.
    Damaged,
    /// The system failed.
    Io,
}

impl IndexError {
    /// Of which kind this is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            IndexError::NoIndex { .. } => ErrorKind::NotFound,
            IndexError::NotEmpty { .. }
            | IndexError::InvalidDocument { .. }
            | IndexError::InvalidSettings(_)
            | IndexError::UnwritableSettings(_)
            | IndexError::Recipe(_) => ErrorKind::Invalid,
            IndexError::Locked { .. } => ErrorKind::Locked,
            IndexError::DiskFull { .. } | IndexError::Exhausted => ErrorKind::Full,
            IndexError::Damaged { .. } | IndexError::Damages { .. } | IndexError::OtherFormat { .. } => {
                ErrorKind::Damaged
            }
            IndexError::Io { .. } | IndexError::Compression(_) | IndexError::NoVerdict => ErrorKind::Io,
        }
    }

    /// Turns a failure of the system into an error about a file.
    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> IndexError + '_ {
        move |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                IndexError::DiskFull { path: path.to_owned() }
            }
            _ => IndexError::Io { path: path.to_owned(), source: Arc::new(source) },
        }
    }

    /// Turns a failure of the store into an error about its file.
    pub(crate) fn store(path: &Path) -> impl Fn(redb::Error) -> IndexError + '_ {
        move |error| match error {
            redb::Error::Io(source) => IndexError::io(path)(source),
            redb::Error::DatabaseAlreadyOpen => IndexError::Locked { path: path.to_owned() },
            redb::Error::TransactionInProgress
            | redb::Error::PreviousIo
            | redb::Error::DatabaseClosed
            | redb::Error::LockPoisoned(_) => IndexError::io(path)(io::Error::other(error.to_string())),
            other => IndexError::Damaged { path: path.to_owned(), what: other.to_string() },
        }
    }
}
