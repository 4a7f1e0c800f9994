//! A table or figure of a paper: what it claims, the paper's values, and what counts as agreement.
//!
//! One TOML file each in `benchmarks/definitions`; its name is the name of the experiment.

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use clap::ValueEnum;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::record::Outcome;

/// How large the inputs of a run are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Size {
    /// For tests: shows that the experiment works
    Tiny,
    /// Everything within 15 minutes on two cores
    Quick,
    /// The largest that this machine holds
    Full,
}

impl Size {
    /// The word for a page.
    pub fn name(self) -> &'static str {
        match self {
            Size::Tiny => "tiny",
            Size::Quick => "quick",
            Size::Full => "full",
        }
    }
}

/// One table or figure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The name of the file, without its ending.
    #[serde(skip)]
    pub name: String,
    /// The key of the paper: see [`PAPERS`](super::page::PAPERS).
    pub paper: String,
    /// Its place among those of the paper.
    pub order: u32,
    /// `Table II`, `Figure 3`.
    pub place: String,
    /// What it is about.
    pub title: String,
    /// What the paper claims.
    pub claim: String,
    /// How our run maps to it.
    pub mapping: String,
    /// What counts as agreement, in words; the bounds are those of the values.
    pub agreement: String,
    /// The figure that matters, for the table of contents; `{name}` is a measured figure.
    pub headline: String,
    /// The parameters of every size.
    #[serde(default)]
    parameters: toml::Table,
    #[serde(default)]
    tiny: toml::Table,
    #[serde(default)]
    quick: toml::Table,
    #[serde(default)]
    full: toml::Table,
    /// What the paper prints.
    #[serde(default, rename = "value")]
    pub values: Vec<PaperValue>,
}

/// A number of the paper, and the measured figure that stands beside it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperValue {
    /// What it is.
    pub name: String,
    /// The paper's number; missing if it says so in words only.
    pub paper: Option<f64>,
    /// The unit.
    #[serde(default)]
    pub unit: String,
    /// The name of our figure; missing if there is none to compare.
    pub figure: Option<String>,
    /// Agreement: ours is within this factor of the paper's.
    pub within: Option<f64>,
    /// Agreement: ours is at least this.
    pub least: Option<f64>,
    /// Agreement: ours is at most this.
    pub most: Option<f64>,
    /// Why ours deviates, if it does: a deviation without this sentence fails the run. `{name}` is
    /// a measured figure, as in the headline.
    pub because: Option<String>,
}

/// How our figure compares with the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Within the bounds.
    Agrees,
    /// Outside.
    Deviates,
    /// Without bounds: both are shown, and no more.
    Shown,
    /// No figure at this size, or none at all.
    Missing,
}

impl Definition {
    /// Every definition of a folder, in the order of papers and their places.
    pub fn read_all(folder: &Path) -> anyhow::Result<Vec<Definition>> {
        let mut definitions = vec![];
        let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == "toml") {
                definitions.push(Definition::read(&path)?);
            }
        }
        ensure!(!definitions.is_empty(), "there are no definitions in {}", folder.display());
        let paper = |name: &str| super::page::PAPERS.iter().position(|paper| paper.key == name);
        definitions.sort_by_key(|one: &Definition| (paper(&one.paper), one.order, one.name.clone()));
        Ok(definitions)
    }

    fn read(path: &Path) -> anyhow::Result<Definition> {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut definition: Definition =
            toml::from_str(&text).with_context(|| format!("in {}", path.display()))?;
        definition.name =
            path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let known = super::page::PAPERS.iter().any(|paper| paper.key == definition.paper);
        ensure!(known, "{}: there is no paper `{}`", path.display(), definition.paper);
        Ok(definition)
    }

    /// The parameters of a size: the common ones, overridden by those of the size.
    pub fn parameters<P: DeserializeOwned>(&self, size: Size) -> anyhow::Result<P> {
        let mut all = self.parameters.clone();
        let own = match size {
            Size::Tiny => &self.tiny,
            Size::Quick => &self.quick,
            Size::Full => &self.full,
        };
        all.extend(own.clone());
        all.try_into().with_context(|| format!("the parameters of {}, size {}", self.name, size.name()))
    }
}

impl PaperValue {
    /// Our figure.
    pub fn ours(&self, outcome: &Outcome) -> Option<f64> {
        outcome.figures.get(self.figure.as_ref()?).copied()
    }

    /// Whether ours agrees.
    pub fn verdict(&self, outcome: &Outcome) -> Verdict {
        let Some(ours) = self.ours(outcome) else { return Verdict::Missing };
        let near = |factor: f64, paper: f64| ours <= paper * factor && ours * factor >= paper;
        let bounds = [
            self.within.zip(self.paper).map(|(factor, paper)| near(factor, paper)),
            self.least.map(|least| ours >= least),
            self.most.map(|most| ours <= most),
        ];
        match bounds.iter().flatten().all(|holds| *holds) {
            _ if bounds.iter().all(Option::is_none) => Verdict::Shown,
            true => Verdict::Agrees,
            false => Verdict::Deviates,
        }
    }

    /// The bounds in words.
    pub fn bounds(&self) -> String {
        let parts = [
            self.within.map(|factor| format!("within {} times", super::page::number(factor))),
            self.least.map(|least| format!("at least {}", super::page::number(least))),
            self.most.map(|most| format!("at most {}", super::page::number(most))),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = r#"
        paper = "psm"
        order = 1
        place = "Figure 1"
        title = "t"
        claim = "c"
        mapping = "m"
        agreement = "a"
        headline = "h"
        [parameters]
        bits = 3
        documents = 5
        [full]
        documents = 50
        [[value]]
        name = "speed"
        paper = 10.0
        figure = "speed"
        within = 2.0
    "#;

    #[derive(Deserialize, PartialEq, Debug)]
    struct Parameters {
        bits: u32,
        documents: u32,
    }

    #[test]
    fn a_size_overrides_common_parameters() {
        let definition: Definition = toml::from_str(EXAMPLE).unwrap();
        let of = |size| definition.parameters::<Parameters>(size).unwrap();
        assert_eq!(of(Size::Quick), Parameters { bits: 3, documents: 5 });
        assert_eq!(of(Size::Full), Parameters { bits: 3, documents: 50 });
    }

    #[test]
    fn verdicts_follow_the_bounds() {
        let definition: Definition = toml::from_str(EXAMPLE).unwrap();
        let verdict = |speed: f64| {
            let mut outcome = Outcome::default();
            outcome.figure("speed", speed);
            definition.values[0].verdict(&outcome)
        };
        assert_eq!(
            [5.0, 4.9, 20.0, 20.1].map(verdict),
            [Verdict::Agrees, Verdict::Deviates, Verdict::Agrees, Verdict::Deviates]
        );
        assert_eq!(definition.values[0].verdict(&Outcome::default()), Verdict::Missing);
        let without = PaperValue { within: None, ..toml::from_str("name = \"n\"\nfigure = \"f\"").unwrap() };
        let mut outcome = Outcome::default();
        outcome.figure("f", 1.0);
        assert_eq!(without.verdict(&outcome), Verdict::Shown);
    }
}
