//! What can go wrong in a batch job, and what to do then.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use twindex_core::group::KeepError;
use twindex_core::recipe::RecipeError;
use twindex_corpus::{CorpusError, Position, RowError};

/// What went wrong. Every message says what to do next.
#[derive(Debug, Error)]
pub enum BatchError {
    /// An input or output.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// A row that is no document.
    #[error("{0}\n{SKIP_HINT}")]
    Row(#[from] RowError),
    /// The recipe.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The keep policy's value in a row.
    #[error("{position}: {error}\n{SKIP_HINT}")]
    Keep {
        /// Where the row stands.
        position: Position,
        /// What is wrong with it.
        error: KeepError,
    },
    /// Two documents of one name.
    #[error(
        "two documents have the id \"{id}\": {first} and {second}\nhint: name a field with unique values by --id-field, or make the ids unique"
    )]
    EqualIds {
        /// The id.
        id: String,
        /// Where it stands first.
        first: String,
        /// Where it stands again.
        second: String,
    },
    /// A file of the work folder.
    #[error("{}: {}", path.display(), explain(source))]
    Work {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file of the work folder has contents that this program did not write.
    #[error("{}: the work folder is damaged ({what})\nhint: run again with --fresh to start over", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// An unfinished job is there already.
    #[error(
        "{} holds an unfinished job\nhint: --resume goes on with it, --fresh throws it away, --work names another folder",
        path.display()
    )]
    Unfinished {
        /// The work folder.
        path: PathBuf,
    },
    /// A folder that is not a work folder.
    #[error(
        "{} is not empty and no work folder of twindex\nhint: name a folder that is empty or does not exist by --work",
        path.display()
    )]
    NotOurs {
        /// The folder.
        path: PathBuf,
    },
    /// An input or output lies where everything is removed at the end.
    #[error("{} lies in the work folder, which is removed at the end\nhint: name another folder by --work", path.display())]
    InWorkFolder {
        /// The file.
        path: PathBuf,
    },
    /// The inputs are read twice, and were not the same.
    #[error("{name} changed while it was read\nhint: run again when nothing writes to it")]
    InputChanged {
        /// The input.
        name: String,
    },
    /// `--against -`
    #[error("--against cannot read standard input: name a file")]
    AgainstStandardInput,
    /// Two `-` among the inputs.
    #[error("- (standard input) is named twice")]
    StandardInputTwice,
    /// Another process uses the work folder.
    #[error("{} is in use by another run\nhint: wait for it, or name another folder by --work", path.display())]
    InUse {
        /// The work folder.
        path: PathBuf,
    },
    /// The job in the work folder is another one.
    #[error(
        "{} holds a different job: it was started with `{before}`, now it is `{now}`\nhint: run the command as before, or start over with --fresh",
        path.display()
    )]
    OtherJob {
        /// The work folder.
        path: PathBuf,
        /// The first line that differs, as it was.
        before: String,
        /// The same line now.
        now: String,
    },
    /// The memory limit cannot hold what grows with the number of documents.
    #[error("--memory {given} is too little for about {documents} documents: at least {needed} are needed")]
    Memory {
        /// What the user allows.
        given: String,
        /// How many documents are expected.
        documents: u64,
        /// What would do.
        needed: String,
    },
    /// A row was lost, or counted twice.
    #[error(
        "{rows} rows were read, and {kept} kept + {removed} removed + {skipped} skipped are not as many: nothing was written\n\
         hint: this is a defect of twindex; please report it with the command"
    )]
    Unaccounted {
        /// Rows of the inputs.
        rows: u64,
        /// Rows that were kept.
        kept: u64,
        /// Rows that were removed.
        removed: u64,
        /// Rows that were left out as bad.
        skipped: u64,
    },
    /// More documents than a job can number.
    #[error("more than {} documents in one job, or rows in one file: split the collection", u32::MAX - 1)]
    TooMany,
}

const SKIP_HINT: &str = "hint: --on-error skip leaves such rows out and lists them";

impl BatchError {
    /// Whether the same job may succeed later, so that what it did so far is worth keeping.
    pub(crate) fn may_pass(&self) -> bool {
        let broken_pipe = || {
            let mut causes =
                std::iter::successors(Some(self as &dyn std::error::Error), |cause| cause.source());
            causes.any(|cause| {
                let error = cause.downcast_ref::<io::Error>();
                error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
            })
        };
        matches!(self, BatchError::Corpus(_) | BatchError::Work { .. } | BatchError::Memory { .. })
            && !broken_pipe()
    }

    /// The message about a bad row without the hint: for a list of rows that were skipped already.
    pub(crate) fn of_row(&self) -> String {
        match self {
            BatchError::Row(error) => error.to_string(),
            BatchError::Keep { position, error } => format!("{position}: {error}"),
            other => other.to_string(),
        }
    }

    /// An error of the system about a file of the work folder.
    pub(crate) fn work(path: &Path) -> impl FnOnce(io::Error) -> BatchError + '_ {
        move |source| BatchError::Work { path: path.to_owned(), source }
    }

    /// A file of the work folder that holds nonsense.
    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> BatchError {
        BatchError::Damaged { path: path.to_owned(), what: what.into() }
    }
}

/// The system's message, with a remedy where one is known.
fn explain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull => {
            format!(
                "{error}\nhint: free some space, or name a work folder on a larger disk by --work; --resume then goes on"
            )
        }
        io::ErrorKind::PermissionDenied => {
            format!("{error}\nhint: name a work folder that you may write by --work")
        }
        _ => error.to_string(),
    }
}

/// The result of anything in this crate.
pub type Result<T> = std::result::Result<T, BatchError>;
