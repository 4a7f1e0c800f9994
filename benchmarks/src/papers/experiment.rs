//! Which experiment belongs to which definition.

use std::path::PathBuf;
use std::sync::OnceLock;

use anyhow::{Context, bail};

use super::definition::{Definition, Size};
use super::psm::{self, Corpus};
use super::record::{Outcome, Record};
use super::{fpga, minhash, service, weights};
use crate::measure;

/// Where and how large.
#[derive(Debug)]
pub struct Setting {
    /// The size of all inputs.
    pub size: Size,
    /// Where real texts are.
    pub packs: measure::Options,
    /// Where records are: some experiments combine the figures of others.
    pub results: PathBuf,
    corpus: OnceLock<Corpus>,
}

impl Setting {
    /// A setting.
    pub fn new(size: Size, packs: measure::Options, results: PathBuf) -> Self {
        Setting { size, packs, results, corpus: OnceLock::new() }
    }

    /// Real documents with weights, read once.
    pub(super) fn corpus(&self) -> anyhow::Result<&Corpus> {
        if self.corpus.get().is_none() {
            // Another thread may have been faster: its corpus is the same.
            let _ = self.corpus.set(Corpus::read(self.size, &self.packs)?);
        }
        self.corpus.get().context("the corpus was just read")
    }

    /// A figure of another experiment's last run.
    pub(super) fn figure(&self, experiment: &str, figure: &str) -> anyhow::Result<f64> {
        let record = Record::read(&self.results, experiment)?.with_context(|| {
            format!("{experiment} has not been run: `cargo xtask papers --only {experiment}`")
        })?;
        let found = record.outcome.figures.get(figure);
        found.copied().with_context(|| format!("{experiment} has no figure `{figure}`"))
    }

    /// Whether a figure of another experiment exists.
    pub(super) fn optional(&self, experiment: &str, figure: &str) -> anyhow::Result<Option<f64>> {
        let record = Record::read(&self.results, experiment)?;
        Ok(record.and_then(|record| record.outcome.figures.get(figure).copied()))
    }
}

/// Runs the experiment of a definition.
pub(super) fn run(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    match definition.name.as_str() {
        "fpga-figure-3" => fpga::worked_example::run(definition, setting),
        "fpga-table-2" => fpga::stage_one::run(definition, setting),
        "fpga-word-level" => fpga::word_level::run(definition, setting),
        "fpga-table-3" => fpga::matching::run(definition, setting),
        "fpga-table-4" => fpga::totals::run(setting),
        "psm-table-1" => psm::all_pairs::run(definition, setting),
        "psm-figure-1" => psm::margins::run(definition, setting),
        "psm-figure-2" => psm::tree::run(definition, setting),
        "psm-figure-3" => psm::flips::run(definition, setting),
        "psm-figure-5" => psm::headers::run(definition, setting),
        "psm-figure-6" => psm::distance::run(definition, setting),
        "psm-table-2" => psm::searches::run(definition, setting),
        "psm-figure-7" => psm::growth::run(definition, setting),
        "psm-figure-8" => psm::fixed_flips::run(definition, setting),
        "psm-figure-9" => psm::batches::run(definition, setting),
        "minhash-table-1" => minhash::construction(setting),
        "minhash-table-2" => minhash::pairs(definition, setting),
        "minhash-join" => minhash::join(definition, setting),
        "service-figure-1" => service::rates(definition, setting),
        "service-figure-2" => service::sizes(definition, setting),
        "service-weights" => weights::run(definition, setting),
        other => bail!("there is no experiment for the definition {other}"),
    }
}
