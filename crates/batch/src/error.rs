//! What can go wrong in a batch job.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use twindex_core::group::KeepError;
use twindex_core::recipe::RecipeError;
use twindex_corpus::{BadFieldPath, CorpusError, Position, RowError};
use twindex_index::IndexError;

/// What went wrong. Messages carry facts; a program adds what to do, by the variant.
#[derive(Debug, Error)]
pub enum BatchError {
    /// An input or output.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// A row that is no document.
    #[error("{0}")]
    Row(#[from] RowError),
    /// The recipe.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// An index.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// An index decides by another rule, or finds other documents.
    #[error(
        "the index {} was made with the recipe {found}, and this job has the recipe {expected}{}",
        path.display(),
        if found == expected { ", whose parameters differ" } else { "" }
    )]
    OtherRecipe {
        /// The index.
        path: PathBuf,
        /// The name of its recipe.
        found: String,
        /// The name of the job's.
        expected: String,
    },
    /// An index weighs words by other frequencies.
    #[error("the index {} weighs words by other document frequencies than this job", path.display())]
    OtherFrequencies {
        /// The index.
        path: PathBuf,
    },
    /// An index whose documents cannot be compared with those of a job.
    #[error("the index {} keeps no texts, and a job compares texts", path.display())]
    NoTexts {
        /// The index.
        path: PathBuf,
    },
    /// The keep policy's value in a row.
    #[error("{position}: {error}")]
    Keep {
        /// Where the row stands.
        position: Position,
        /// What is wrong with it.
        error: KeepError,
    },
    /// The name of an input is no text, and may be a pattern.
    #[error("{}: the name of an input must be UTF-8", path.display())]
    NotUnicode {
        /// The input.
        path: PathBuf,
    },
    /// The field that the keep policy reads is no field.
    #[error("the field of the keep policy: {0}")]
    KeepField(BadFieldPath),
    /// Two documents with one id.
    #[error("two documents have the id \"{id}\": {first} and {second}")]
    EqualIds {
        /// The id.
        id: String,
        /// Where it stands first.
        first: String,
        /// Where it stands again.
        second: String,
    },
    /// A file of the work folder.
    #[error("{}: {source}", path.display())]
    Work {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file of the work folder does not hold what was written to it.
    #[error("{}: the work folder is damaged ({what})", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// An unfinished job is there already.
    #[error("{} holds an unfinished job", path.display())]
    Unfinished {
        /// The work folder.
        path: PathBuf,
    },
    /// There is nothing to resume, and a job that fills an index must not run twice.
    #[error("there is nothing to resume, and {} exists: the job may be finished", output.display())]
    MayBeFinished {
        /// One of its outputs.
        output: PathBuf,
    },
    /// Started over, a job would find the documents that it added to an index, and remove them.
    #[error("{} holds an unfinished job that has begun to fill an index", path.display())]
    HalfRemembered {
        /// The work folder.
        path: PathBuf,
    },
    /// A folder that is not a work folder.
    #[error("{} is not empty and no work folder of twindex", path.display())]
    NotOurs {
        /// The folder.
        path: PathBuf,
    },
    /// An input or output lies where everything is removed at the end.
    #[error("{} lies in the work folder, which is removed at the end", path.display())]
    InWorkFolder {
        /// The file.
        path: PathBuf,
    },
    /// The inputs are read twice, and were not the same.
    #[error("{name} changed while it was read")]
    InputChanged {
        /// The input.
        name: String,
    },
    /// Documents that can only be witnesses were to come from standard input.
    #[error("witnesses cannot be read from standard input")]
    AgainstStandardInput,
    /// Two `-` among the inputs.
    #[error("- (standard input) is named twice")]
    StandardInputTwice,
    /// Another process uses the work folder.
    #[error("{} is in use by another run", path.display())]
    InUse {
        /// The work folder.
        path: PathBuf,
    },
    /// The job in the work folder is another one.
    #[error(
        "{} holds a different job: it was started with `{before}`, now it is `{now}`",
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
    #[error("{given} of memory is too little for about {documents} documents: at least {needed} are needed")]
    Memory {
        /// How much is allowed.
        given: String,
        /// How many documents are expected.
        documents: u64,
        /// How much is enough.
        needed: String,
    },
    /// The memory limit cannot hold the words of a row.
    #[error("{position}: its {words} words take about {needed} of memory, and {given} are allowed")]
    LongRow {
        /// Where the row stands.
        position: Position,
        /// How many words it has, about.
        words: u64,
        /// How much is enough.
        needed: String,
        /// How much is allowed.
        given: String,
    },
    /// A row was lost, or counted twice.
    #[error(
        "{rows} rows were read, and {kept} kept + {removed} removed + {skipped} skipped are not as many: \
         nothing was written"
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
    /// A row whose fingerprint is none.
    #[error("{place}: \"{found}\" is no fingerprint: expected {expected}")]
    BadFingerprint {
        /// The row.
        place: String,
        /// What it holds.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A row without margins, where a search needs them.
    #[error("{place}: there are no margins, and this search tries bits in the order of their margins")]
    NoMargins {
        /// The row, or the file.
        place: String,
    },
    /// Margins whose signs are not the fingerprint.
    #[error("{place}: the margins are not 64 integers whose signs are the fingerprint")]
    BadMargins {
        /// The row.
        place: String,
    },
    /// A raw file of something that has no raw form.
    #[error("{name}: sketches have no raw form: expected rows with a list of hashes")]
    NotRaw {
        /// The file.
        name: String,
    },
    /// A folder that is no store of fingerprints.
    #[error("{} is no store of fingerprints", path.display())]
    NoStore {
        /// The folder.
        path: PathBuf,
    },
    /// An output that is an input.
    #[error("the output {} is an input, and inputs are never changed", path.display())]
    Overwrites {
        /// The file.
        path: PathBuf,
    },
    /// Fewer tables than a radius needs.
    #[error("{count} tables cannot guarantee a radius of {radius}: expected at least {}", radius + 1)]
    FewTables {
        /// How many were asked for.
        count: u32,
        /// The radius.
        radius: u32,
    },
    /// More memory than allowed.
    #[error("{what} takes {needed} of memory, and {given} are allowed")]
    TooLarge {
        /// What needs it.
        what: String,
        /// How much is allowed.
        given: String,
        /// How much is needed.
        needed: String,
    },
    /// More documents than a job can number.
    #[error("more than {} documents in one job, or rows in one file", u32::MAX - 1)]
    TooMany,
}

impl BatchError {
    /// Whether the same job may succeed later, so that what it did so far is worth keeping. A job
    /// whose input has to be changed is another job then, and one that fits no output fails again.
    pub fn may_pass(&self) -> bool {
        let broken_pipe = || {
            let mut causes =
                std::iter::successors(Some(self as &dyn std::error::Error), |cause| cause.source());
            causes.any(|cause| {
                let error = cause.downcast_ref::<io::Error>();
                error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
            })
        };
        match self {
            BatchError::Corpus(
                CorpusError::Open { .. }
                | CorpusError::Read { .. }
                | CorpusError::Write { .. }
                | CorpusError::NoSpace { .. }
                | CorpusError::FolderNotEmpty { .. }
                | CorpusError::OutputInUse { .. }
                | CorpusError::OutputReplaced { .. },
            )
            | BatchError::Index(_)
            | BatchError::Work { .. }
            | BatchError::Memory { .. } => !broken_pipe(),
            _ => false,
        }
    }

    /// An error of the system about a file of the work folder.
    pub(crate) fn work(path: &Path) -> impl FnOnce(io::Error) -> BatchError + '_ {
        move |source| BatchError::Work { path: path.to_owned(), source }
    }

    /// A file of the work folder that does not hold what was written to it.
    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> BatchError {
        BatchError::Damaged { path: path.to_owned(), what: what.into() }
    }
}

/// The result of anything in this crate.
pub type Result<T> = std::result::Result<T, BatchError>;
