//! A job: inputs, recipe, outputs and limits.

use std::path::PathBuf;
use std::sync::Arc;

use twindex_core::Recipe;
use twindex_core::feature::DocumentFrequencies;
use twindex_core::group::KeepPolicy;
use twindex_core::hash;
use twindex_core::kernel::Kernel;
use twindex_corpus::ReadOptions;
use twindex_disk::Disk;

use crate::work::Existing;

/// The size of a batch: large enough that threads rarely contend, small enough that many fit into
/// memory. A resumed job counts batches, so the size never depends on options.
pub(crate) const BATCH_BYTES: usize = 1 << 20;

/// A job; [`Job::new`] has the defaults.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Job {
    /// Files, folders, globs.
    pub inputs: Vec<String>,
    /// Collections whose documents can be witnesses, but are never removed. A folder may be an
    /// index: then those of its documents are read that match a document of the inputs.
    pub against: Vec<String>,
    /// The folder of an index to which the kept documents are added, made if there is none.
    pub remember: Option<PathBuf>,
    /// How to read them.
    pub read: ReadOptions,
    /// What counts as a duplicate.
    pub recipe: Recipe,
    /// The document frequencies to weigh by; `None` = those of the inputs, counted in a first pass
    /// if the recipe needs them.
    pub frequencies: Option<Arc<DocumentFrequencies>>,
    /// What to do with duplicates.
    pub mode: Mode,
    /// Where results go.
    pub outputs: Outputs,
    /// Whether rows of equal ids are an error.
    pub unique_ids: bool,
    /// Whether equal copies of documents without words are duplicates, too.
    pub dedup_wordless: bool,
    /// What to do with a bad row.
    pub on_error: OnError,
    /// The folder for intermediate results.
    pub work: PathBuf,
    /// What to do if that folder holds a job.
    pub existing: Existing,
    /// How much memory the job may use, in bytes.
    pub memory: u64,
    /// How many threads work.
    pub threads: usize,
    /// The inner loops.
    pub kernel: Kernel,
    /// The command as typed, for the report.
    pub command: String,
    /// How often the job saves.
    pub pace: Pace,
    /// How files reach the disk; replaced in tests.
    #[doc(hidden)]
    pub disk: Arc<dyn Disk>,
}

/// How often a job saves, and how much it decides at once. Results do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Bytes of rows between two checkpoints of the reading stage: what may have to be read again
    /// after a kill.
    pub checkpoint_bytes: u64,
    /// Candidates between two checkpoints of verification.
    pub checkpoint_candidates: u64,
    /// Documents whose candidates are decided together: the larger, the larger the share of the
    /// work that runs in parallel.
    pub block_documents: usize,
}

impl Default for Pace {
    fn default() -> Self {
        Pace { checkpoint_bytes: 256 << 20, checkpoint_candidates: 1 << 22, block_documents: 4096 }
    }
}

/// What to do with duplicates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    /// Keep one of each.
    Dedup(KeepPolicy),
    /// List every pair that passes the rule.
    Pairs,
}

/// What to do with a bad row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnError {
    /// Stop and name it.
    #[default]
    Fail,
    /// Leave it out, count and list it.
    Skip,
}

/// Where results go. Nothing is written that is not named here.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    /// The kept rows as they came.
    pub kept: Option<PathBuf>,
    /// The removed documents with their witnesses.
    pub removed: Option<PathBuf>,
    /// Whether removed rows carry the original row.
    pub removed_rows: bool,
    /// The verified pairs; `-` for standard output.
    pub pairs: Option<PathBuf>,
    /// The clusters.
    pub clusters: Option<PathBuf>,
    /// The report.
    pub report: Option<PathBuf>,
    /// All rows that were left out as bad, if they are more than the summary lists. A file of
    /// another origin is not replaced: the name of the list then ends with a number.
    pub skipped: Option<PathBuf>,
}

impl Outputs {
    /// Whether an output contains rows of the inputs, so that they are read again.
    pub(crate) fn want_rows(&self) -> bool {
        self.kept.is_some() || self.removed_rows && self.removed.is_some()
    }
}

impl Job {
    /// Everything that decides the results, line by line: a resumed job must agree with it. Memory,
    /// threads and kernel are left out, because results do not depend on them.
    pub(crate) fn description(&self, stamps: &[String]) -> String {
        let mode = match &self.mode {
            Mode::Dedup(keep) => format!("dedup, keep {keep}"),
            Mode::Pairs => "pairs".to_owned(),
        };
        let read = &self.read;
        let id_field = read.id_field.as_ref().map_or_else(|| "(default)".to_owned(), ToString::to_string);
        let mut lines = vec![
            mode,
            format!("text field {}, id field {id_field}", read.text_field),
            format!("bad rows: {}", if self.on_error == OnError::Skip { "skip" } else { "fail" }),
            format!("repeated ids: {}", if self.unique_ids { "refused" } else { "counted" }),
            format!("documents without words: {}", if self.dedup_wordless { "by equality" } else { "kept" }),
            format!("rejected pairs: {}", if self.keeps_rejected() { "listed" } else { "forgotten" }),
        ];
        if let Some(frequencies) = &self.frequencies {
            let bytes = frequencies.to_bytes(self.recipe.vocabulary());
            let documents = frequencies.documents();
            lines.push(format!(
                "document frequencies of {documents} documents, {:032x}",
                hash::content(&bytes)
            ));
        }
        if let Some(folder) = &self.remember {
            lines.push(format!("what is kept goes into the index {}", folder.display()));
        }
        lines.extend(stamps.iter().cloned());
        lines.push(self.recipe.to_toml());
        lines.join("\n")
    }

    /// Whether pairs that fail the rule are worth keeping: only the report shows them.
    pub(crate) fn keeps_rejected(&self) -> bool {
        self.outputs.report.is_some()
    }
}
