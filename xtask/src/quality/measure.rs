//! One pack through one recipe.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use serde::Deserialize;

use super::pack::Pack;
use crate::measured::{self, Cost};

/// What a run gave.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) cost: Cost,
    /// Of a labelled pack.
    pub(crate) score: Option<Score>,
    /// Of the pairs that the rule accepts, the share that the search proposed.
    pub(crate) candidate_recall: Option<f64>,
}

/// What is measured with.
pub(crate) struct Programs {
    pub(crate) twindex: PathBuf,
    /// Lists every pair that a rule accepts, without a search.
    pub(crate) rule: PathBuf,
    /// The packs' own.
    pub(crate) scorer: PathBuf,
}

/// The part of score.py's answer that is shown.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
pub(crate) struct Score {
    pub(crate) f1: f64,
    pub(crate) precision: f64,
    pub(crate) recall: f64,
    pub(crate) ari: f64,
}

pub(crate) fn run(programs: &Programs, pack: &Pack, recipe: Option<&str>) -> anyhow::Result<Run> {
    let folder = tempfile::tempdir()?;
    let pairs = folder.path().join("pairs.tsv");
    let mut command = Command::new(&programs.twindex);
    command.arg(if pack.is_labelled { "pairs" } else { "dedup" }).arg(pack.documents_file());
    if pack.is_labelled {
        command.arg("--output").arg(&pairs);
    } else {
        // Speed is reported for one core.
        command.args(["--threads", "1"]);
    }
    if let Some(recipe) = recipe {
        command.args(["--recipe", recipe]);
    }
    // Only tables and JSON lines of this program go to standard output.
    let cost = measured::run(command.stdout(Stdio::null()))?;
    let score = pack.is_labelled.then(|| score(&programs.scorer, pack, &pairs)).transpose()?;
    let recall = pack.is_labelled.then(|| candidate_recall(&programs.rule, pack, recipe, &pairs));
    Ok(Run { cost, score, candidate_recall: recall.transpose()?.flatten() })
}

/// `None` if nothing can be said: the rule is not one on shingles, or accepts nothing.
fn candidate_recall(
    rule: &Path,
    pack: &Pack,
    recipe: Option<&str>,
    pairs: &Path,
) -> anyhow::Result<Option<f64>> {
    // The program compares: this one would grow by all pairs, and with it the peak of every program
    // that it measures.
    let mut command = Command::new(rule);
    command.arg("exhaustive").arg(&pack.folder).arg("--found").arg(pairs);
    if let Some(recipe) = recipe {
        command.args(["--recipe", recipe]);
    }
    let output = command.output().with_context(|| format!("cannot start {}", rule.display()))?;
    if !output.status.success() {
        eprintln!("no candidate recall: {}", String::from_utf8_lossy(&output.stderr).trim());
        return Ok(None);
    }
    let share = String::from_utf8(output.stdout)?;
    let read = |share: &str| share.parse().with_context(|| format!("{} said {share:?}", rule.display()));
    Some(share.trim()).filter(|share| !share.is_empty()).map(read).transpose()
}

pub(super) fn score(scorer: &Path, pack: &Pack, pairs: &Path) -> anyhow::Result<Score> {
    let output = Command::new("python3")
        .args([scorer, &pack.folder, pairs])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start python3")?;
    ensure!(output.status.success(), "score.py failed: {}", output.status);
    serde_json::from_slice(&output.stdout)
        .with_context(|| format!("score.py said {:?}", String::from_utf8_lossy(&output.stdout)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scorers_answer_is_read() {
        let answer =
            r#"{"pack": "x", "precision": 0.5, "recall": 1.0, "f1": 0.666667, "ari": 0.25, "tp": 1}"#;
        let score: Score = serde_json::from_str(answer).unwrap();
        assert_eq!(score, Score { f1: 0.666_667, precision: 0.5, recall: 1.0, ari: 0.25 });
    }
}
