//! Jobs over files, with the defaults of the program.

use std::path::{Path, PathBuf};

use twindex_batch::{BatchError, Existing, Job, Mode, OnError, Outputs, Summary};
use twindex_core::Recipe;
use twindex_core::progress::{Progress, Silent};
use twindex_corpus::FieldPath;

use crate::Keep;

/// What both kinds of job have in common.
#[derive(Debug, Clone)]
struct Files {
    inputs: Vec<PathBuf>,
    against: Vec<PathBuf>,
    recipe: Recipe,
    text_field: Option<FieldPath>,
    id_field: Option<FieldPath>,
    memory: Option<u64>,
    threads: Option<usize>,
    skip_bad_rows: bool,
    work: Option<PathBuf>,
    existing: Existing,
    outputs: Outputs,
}

impl Files {
    fn new(inputs: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        Files {
            inputs: inputs.into_iter().map(|path| path.as_ref().to_owned()).collect(),
            against: vec![],
            recipe: Recipe::default(),
            text_field: None,
            id_field: None,
            memory: None,
            threads: None,
            skip_bad_rows: false,
            work: None,
            existing: Existing::Refuse,
            outputs: Outputs::default(),
        }
    }

    fn run(self, mode: Mode, progress: &dyn Progress) -> Result<Summary, BatchError> {
        let mut job = Job::new(names(self.inputs)?, mode, self.outputs)?;
        job.against = names(self.against)?;
        job.recipe = self.recipe;
        job.read.text_field = self.text_field.unwrap_or(job.read.text_field);
        job.read.id_field = self.id_field.or(job.read.id_field);
        job.memory = self.memory.unwrap_or(job.memory);
        job.threads = self.threads.unwrap_or(job.threads);
        job.on_error = if self.skip_bad_rows { OnError::Skip } else { OnError::Fail };
        job.work = self.work.unwrap_or(job.work);
        job.existing = self.existing;
        twindex_batch::run(&job, progress)
    }
}

/// Inputs may be patterns, which are text.
fn names(paths: Vec<PathBuf>) -> Result<Vec<String>, BatchError> {
    let name = |path: PathBuf| {
        path.into_os_string().into_string().map_err(|path| BatchError::NotUnicode { path: path.into() })
    };
    paths.into_iter().map(name).collect()
}

/// The setters of both builders.
macro_rules! options {
    () => {
        /// What counts as a duplicate. Default: [`Recipe::default`]. Replaces all of it, also a
        /// threshold that was set before.
        pub fn recipe(mut self, recipe: Recipe) -> Self {
            self.files.recipe = recipe;
            self
        }

        /// The least similarity of a pair, by the recipe's measure.
        pub fn threshold(mut self, threshold: f64) -> Self {
            self.files.recipe.rule.threshold = threshold;
            self
        }

        /// A collection whose documents can be witnesses and are never removed. May be called
        /// again.
        pub fn against(mut self, path: impl AsRef<Path>) -> Self {
            self.files.against.push(path.as_ref().to_owned());
            self
        }

        /// The field that holds the text. Default: `text`.
        pub fn text_field(mut self, field: FieldPath) -> Self {
            self.files.text_field = Some(field);
            self
        }

        /// The field that holds the id. Default: `id`, and where there is none, file and line.
        pub fn id_field(mut self, field: FieldPath) -> Self {
            self.files.id_field = Some(field);
            self
        }

        /// How much memory the job may use, in bytes. Default: half of the machine's.
        pub fn memory(mut self, bytes: u64) -> Self {
            self.files.memory = Some(bytes);
            self
        }

        /// How many threads work. Default: one for each core. Results do not depend on it.
        pub fn threads(mut self, threads: usize) -> Self {
            self.files.threads = Some(threads);
            self
        }

        /// Leaves bad rows out and lists them in the summary. Default: the first one is an error.
        pub fn skip_bad_rows(mut self) -> Self {
            self.files.skip_bad_rows = true;
            self
        }

        /// The folder for intermediate results. Default: beside the first output, or temporary.
        pub fn work(mut self, folder: impl Into<PathBuf>) -> Self {
            self.files.work = Some(folder.into());
            self
        }

        /// What to do with an unfinished job in the work folder. Default: it is an error.
        pub fn existing(mut self, existing: Existing) -> Self {
            self.files.existing = existing;
            self
        }

        /// A file for the pairs; its name says the format.
        pub fn pairs(mut self, path: impl Into<PathBuf>) -> Self {
            self.files.outputs.pairs = Some(path.into());
            self
        }

        /// A file for the clusters.
        pub fn clusters(mut self, path: impl Into<PathBuf>) -> Self {
            self.files.outputs.clusters = Some(path.into());
            self
        }

        /// A file for the report, a page of HTML.
        pub fn report(mut self, path: impl Into<PathBuf>) -> Self {
            self.files.outputs.report = Some(path.into());
            self
        }

        /// Runs the job. Its outputs appear all together, or not at all.
        ///
        /// # Errors
        ///
        /// Whatever stops the job: inputs that cannot be read, bad rows, a full disk.
        pub fn run(self) -> Result<Summary, BatchError> {
            self.run_with(&Silent)
        }
    };
}

/// Keeps one of each document in files: `twindex dedup`.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let rows = "{\"text\": \"one two three\"}\n{\"text\": \"one two three\"}\n";
/// std::fs::write(folder.path().join("rows.jsonl"), rows)?;
/// let summary = twindex::DedupFiles::new([folder.path()]).run()?;
/// assert_eq!(summary.removed, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct DedupFiles {
    files: Files,
    keep: Keep,
}

impl DedupFiles {
    /// Of these files, folders and patterns (`*`, `?`, `[...]`). Without outputs, the job says what
    /// it would remove.
    pub fn new(inputs: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        DedupFiles { files: Files::new(inputs), keep: Keep::First }
    }

    /// Which of several duplicates stays. Default: the first.
    pub fn keep(mut self, keep: Keep) -> Self {
        self.keep = keep;
        self
    }

    /// The least share of a removed document that is in its witness.
    pub fn coverage(mut self, coverage: f64) -> Self {
        self.files.recipe.rule.coverage = coverage;
        self
    }

    /// A file for the kept rows, as they came.
    pub fn output(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.outputs.kept = Some(path.into());
        self
    }

    /// A file for the removed documents, each with its witness.
    pub fn removed(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.outputs.removed = Some(path.into());
        self
    }

    options!();

    /// Runs the job and reports how far it is.
    ///
    /// # Errors
    ///
    /// As [`DedupFiles::run`].
    pub fn run_with(self, progress: &dyn Progress) -> Result<Summary, BatchError> {
        self.files.run(Mode::Dedup(self.keep), progress)
    }
}

/// Lists every pair of duplicates in files: `twindex pairs`.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let rows = "{\"text\": \"one two three\"}\n{\"text\": \"one two three\"}\n";
/// std::fs::write(folder.path().join("rows.jsonl"), rows)?;
/// let pairs = folder.path().join("pairs.tsv");
/// let summary = twindex::PairsFiles::new([folder.path().join("rows.jsonl")]).pairs(&pairs).run()?;
/// assert_eq!((summary.pairs, std::fs::read_to_string(pairs)?.lines().count()), (1, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct PairsFiles {
    files: Files,
}

impl PairsFiles {
    /// Of these files, folders and patterns (`*`, `?`, `[...]`).
    pub fn new(inputs: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        PairsFiles { files: Files::new(inputs) }
    }

    options!();

    /// Runs the job and reports how far it is.
    ///
    /// # Errors
    ///
    /// As [`PairsFiles::run`].
    pub fn run_with(self, progress: &dyn Progress) -> Result<Summary, BatchError> {
        self.files.run(Mode::Pairs, progress)
    }
}
