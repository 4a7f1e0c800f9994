//! One pack through one recipe.

use std::path::Path;
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
}

/// The part of score.py's answer that is shown.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
pub(crate) struct Score {
    pub(crate) f1: f64,
    pub(crate) precision: f64,
    pub(crate) recall: f64,
    pub(crate) ari: f64,
}

pub(crate) fn run(program: &Path, pack: &Pack, recipe: Option<&str>, scorer: &Path) -> anyhow::Result<Run> {
    let folder = tempfile::tempdir()?;
    let pairs = folder.path().join("pairs.tsv");
    let mut command = Command::new(program);
    command.arg(if pack.is_labelled { "pairs" } else { "dedup" }).arg(pack.documents_file());
    if pack.is_labelled {
        command.arg("--output").arg(&pairs);
    } else {
        // Speed is told for one core.
        command.args(["--threads", "1"]);
    }
    if let Some(recipe) = recipe {
        command.args(["--recipe", recipe]);
    }
    // Only tables and JSON lines of this program go to standard output.
    let cost = measured::run(command.stdout(Stdio::null()))?;
    let score = pack.is_labelled.then(|| score(scorer, pack, &pairs)).transpose()?;
    Ok(Run { cost, score })
}

fn score(scorer: &Path, pack: &Pack, pairs: &Path) -> anyhow::Result<Score> {
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
