//! What an experiment found: kept as JSON, from which pages are made.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::definition::Size;
use super::plot::Plot;

/// The results of an experiment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Every figure by its name; definitions refer to these.
    pub figures: BTreeMap<String, f64>,
    /// What was compared with an oracle.
    pub checks: Vec<Check>,
    /// Details.
    pub tables: Vec<Table>,
    /// Curves.
    pub plots: Vec<Plot>,
    /// Sentences with measured figures in them.
    pub notes: Vec<String>,
}

/// A comparison with an oracle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// What was compared.
    pub what: String,
    /// Whether it was equal.
    pub passed: bool,
}

/// A table of details.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// The names of the columns.
    pub header: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

impl Outcome {
    /// Adds a figure.
    pub fn figure(&mut self, name: impl Into<String>, value: f64) {
        self.figures.insert(name.into(), value);
    }

    /// Adds a comparison with an oracle.
    pub fn check(&mut self, what: impl Into<String>, passed: bool) {
        self.checks.push(Check { what: what.into(), passed });
    }

    /// Adds a sentence.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }
}

impl Table {
    /// A table without rows.
    pub fn new(caption: impl Into<String>, header: &[&str]) -> Self {
        Table {
            caption: caption.into(),
            header: header.iter().map(|&cell| cell.to_owned()).collect(),
            rows: vec![],
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

/// An outcome with the circumstances of its run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The machine, in words.
    pub machine: String,
    /// The size of the run.
    pub size: Size,
    /// How long it took.
    pub seconds: f64,
    /// The results.
    pub outcome: Outcome,
}

impl Record {
    /// The file of an experiment.
    pub fn path(results: &Path, name: &str) -> PathBuf {
        results.join("data").join(format!("{name}.json"))
    }

    /// The last run of an experiment, if there was one.
    pub fn read(results: &Path, name: &str) -> anyhow::Result<Option<Record>> {
        let path = Record::path(results, name);
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).map(Some).with_context(|| format!("in {}", path.display()))
    }

    /// Keeps it for pages.
    pub fn write(&self, results: &Path, name: &str) -> anyhow::Result<()> {
        let path = Record::path(results, name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        let text = serde_json::to_string_pretty(self)? + "\n";
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}
