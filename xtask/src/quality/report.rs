//! The results for people (Markdown) and for programs (JSON lines).

use serde::Serialize;

use super::baseline::Peers;
use super::measure::{Run, Score};
use super::pack::Pack;
use crate::machine::Machine;
use crate::measured::Cost;
use crate::table::Table;

/// All results of one invocation.
pub(crate) struct Report {
    machine: Machine,
    /// The recipes to run; none means the default.
    recipes: Vec<String>,
    rows: Vec<Row>,
}

struct Row {
    recipe: String,
    pack: String,
    bytes: u64,
    documents: u64,
    cost: Cost,
    score: Option<Score>,
    candidate_recall: Option<f64>,
    peers: Peers,
}

const DEFAULT: &str = "default";
const BENCH: &str = "quality";

/// The first line for programs.
#[derive(Serialize)]
struct MachineLine<'a> {
    bench: &'a str,
    machine: &'a str,
    cores: usize,
    version: &'a str,
}

/// Every other line for programs: the same fields as all benchmarks have, in the same order.
#[derive(Serialize)]
struct Figure<'a> {
    bench: &'a str,
    row: &'a str,
    case: &'a str,
    threads: usize,
    metric: &'a str,
    value: f64,
    baseline: Option<String>,
    ratio: Option<f64>,
    checked: bool,
}

impl Report {
    pub(crate) fn new(machine: Machine, recipes: Vec<String>) -> Self {
        Self { machine, recipes, rows: Vec::new() }
    }

    pub(crate) fn add(&mut self, recipe: Option<&str>, pack: &Pack, run: Run, peers: Peers) {
        self.rows.push(Row {
            recipe: recipe.unwrap_or(DEFAULT).to_owned(),
            pack: pack.name.clone(),
            bytes: pack.bytes,
            documents: pack.documents,
            cost: run.cost,
            score: run.score,
            candidate_recall: run.candidate_recall,
            peers,
        });
    }

    /// The tables, one pair per recipe, without a date and without a path: equal results give an
    /// equal file but for the seconds.
    pub(crate) fn markdown(&self) -> String {
        let options: String = self.recipes.iter().map(|name| format!(" --recipe {name}")).collect();
        let mut text = format!(
            "# Quality on the labelled packs\n\n`cargo xtask quality{options}` on {}. Each pack runs with the recipe \
             and no other option.\nThe best peer is the best of all tools and settings in the packs' BASELINE.md; the \
             oracle is exact Jaccard at the\nthreshold that is best for the pack itself. Candidate recall: of all pairs that the \
             rule accepts, the share that\nthe search proposed.\n",
            self.machine
        );
        let mut recipes: Vec<&str> = self.rows.iter().map(|row| row.recipe.as_str()).collect();
        recipes.dedup();
        for recipe in recipes {
            let rows: Vec<&Row> = self.rows.iter().filter(|row| row.recipe == recipe).collect();
            text.push_str(&format!("\n## Recipe: {recipe}\n\n{}", scores(&rows)));
            let bulk = speeds(&rows);
            if !bulk.is_empty() {
                text.push_str(&format!("\nPacks without labels, `twindex dedup --threads 1`:\n\n{bulk}"));
            }
        }
        text.push_str(&format!(
            "\n## F1 of other tools\n\nAs published in the packs' BASELINE.md.\n\n{}",
            self.peers()
        ));
        text
    }

    /// What every other tool reaches on every labelled pack.
    fn peers(&self) -> Table {
        // Peers do not depend on the recipe: the rows of the first one will do.
        let first = self.rows.first().map(|row| &row.recipe);
        let labelled: Vec<&Row> =
            self.rows.iter().filter(|row| row.score.is_some() && Some(&row.recipe) == first).collect();
        let tools: Vec<&str> = labelled
            .first()
            .map(|row| row.peers.all.iter().map(|(name, _)| name.as_str()).collect())
            .unwrap_or_default();
        let header: Vec<&str> = std::iter::once("pack").chain(tools).collect();
        let mut table = Table::new(&header);
        for row in labelled {
            let figures = row.peers.all.iter();
            let figures = figures.map(|(_, f1)| f1.map_or_else(|| "-".to_owned(), |f1| format!("{f1:.3}")));
            table.row(std::iter::once(row.pack.clone()).chain(figures));
        }
        table
    }

    /// One object for the machine and one for each figure.
    pub(crate) fn json_lines(&self) -> String {
        let machine = MachineLine {
            bench: BENCH,
            machine: &self.machine.processor,
            cores: self.machine.cores,
            version: env!("CARGO_PKG_VERSION"),
        };
        let figures = self.rows.iter().flat_map(|row| row.figures(self.machine.cores));
        std::iter::once(line(&machine)).chain(figures.map(|figure| line(&figure))).collect()
    }
}

fn line(object: &impl Serialize) -> String {
    // Structures of strings and numbers always serialize; a number that is not finite becomes null.
    serde_json::to_string(object).unwrap_or_default() + "\n"
}

impl Row {
    /// Peers are published with three decimals, so that is what they are compared with.
    fn reaches_best_peer(&self) -> Option<bool> {
        let (_, best) = self.peers.best.as_ref()?;
        Some((self.score?.f1 * 1000.0).round() >= (best * 1000.0).round())
    }

    fn figures(&self, cores: usize) -> Vec<Figure<'_>> {
        // Packs without labels run on one thread.
        let threads = if self.score.is_some() { cores } else { 1 };
        let figure = |metric, value: f64, baseline: Option<(&'_ str, f64)>| Figure {
            bench: BENCH,
            row: &self.recipe,
            case: &self.pack,
            threads,
            metric,
            value,
            baseline: baseline.map(|(name, _)| name.to_owned()),
            ratio: baseline.filter(|(_, best)| *best > 0.0).map(|(_, best)| value / best),
            checked: self.score.is_some(),
        };
        let mut figures = Vec::new();
        if let Some(Score { f1, precision, recall, ari }) = self.score {
            figures.push(figure(
                "F1",
                f1,
                self.peers.best.as_ref().map(|(name, best)| (name.as_str(), *best)),
            ));
            figures.push(figure("precision", precision, None));
            figures.push(figure("recall", recall, None));
            figures.push(figure("ARI", ari, None));
        }
        figures.extend(self.candidate_recall.map(|recall| figure("candidate recall", recall, None)));
        figures.push(figure("seconds", self.cost.seconds, None));
        figures.push(figure("MB/s", self.cost.megabytes_per_second(self.bytes), None));
        figures.push(figure("peak MB", self.cost.peak_megabytes(), None));
        figures
    }
}

fn scores(rows: &[&Row]) -> String {
    let mut table = Table::new(&[
        "pack",
        "F1",
        "precision",
        "recall",
        "ARI",
        "candidate recall",
        "best peer's F1",
        "best peer",
        "oracle's F1",
        "seconds",
        "MB/s",
        "peak MB",
    ]);
    let dash = || "-".to_owned();
    let mut sum = 0.0;
    let mut labelled = 0_usize;
    for row in rows {
        let Some(score) = row.score else { continue };
        labelled += 1;
        sum += score.f1;
        let best = row.peers.best.as_ref();
        table.row([
            row.pack.clone(),
            format!("{:.3}", score.f1),
            format!("{:.3}", score.precision),
            format!("{:.3}", score.recall),
            format!("{:.3}", score.ari),
            row.candidate_recall.map_or_else(dash, |recall| format!("{recall:.4}")),
            best.map_or_else(dash, |(_, reached)| format!("{reached:.3}")),
            best.map_or_else(dash, |(name, _)| name.clone()),
            row.peers.oracle.map_or_else(dash, |reached| format!("{reached:.3}")),
            format!("{:.2}", row.cost.seconds),
            format!("{:.1}", row.cost.megabytes_per_second(row.bytes)),
            format!("{:.0}", row.cost.peak_megabytes()),
        ]);
    }
    let verdicts: Vec<bool> = rows.iter().filter_map(|row| row.reaches_best_peer()).collect();
    let reached = verdicts.iter().filter(|&&reached| reached).count();
    format!(
        "{table}\n{reached} of {} packs reach at least the best peer's F1; the mean F1 of {labelled} packs is {:.3}.\n",
        verdicts.len(),
        sum / labelled.max(1) as f64
    )
}

/// Nothing when every pack has labels.
fn speeds(rows: &[&Row]) -> String {
    let mut table = Table::new(&["pack", "documents", "MB", "seconds", "MB/s", "peak MB"]);
    let bulk: Vec<&&Row> = rows.iter().filter(|row| row.score.is_none()).collect();
    for row in &bulk {
        table.row([
            row.pack.clone(),
            row.documents.to_string(),
            format!("{:.1}", row.bytes as f64 / 1e6),
            format!("{:.2}", row.cost.seconds),
            format!("{:.1}", row.cost.megabytes_per_second(row.bytes)),
            format!("{:.0}", row.cost.peak_megabytes()),
        ]);
    }
    if bulk.is_empty() { String::new() } else { table.to_string() }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn report(f1: f64) -> Report {
        let machine = Machine { processor: "a processor".to_owned(), cores: 2 };
        let mut report = Report::new(machine, Vec::new());
        for (name, is_labelled) in [("bills", true), ("bulk", false)] {
            let pack = Pack {
                name: name.to_owned(),
                folder: "/secret".into(),
                bytes: 5_000_000,
                documents: 9,
                is_labelled,
            };
            let score = is_labelled.then_some(Score { f1, precision: 1.0, recall: 0.9, ari: 0.8 });
            let best = ("gaoya best".to_owned(), 0.977);
            let all = vec![(best.0.clone(), Some(best.1)), ("gaoya default".to_owned(), None)];
            let peers = Peers { all, best: Some(best), oracle: Some(1.0) };
            let cost = Cost { seconds: 2.0, cpu_seconds: 3.0, peak_bytes: 30_000_000 };
            report.add(
                None,
                &pack,
                Run { cost, score, candidate_recall: is_labelled.then_some(0.995) },
                if is_labelled { peers } else { Peers::default() },
            );
        }
        report
    }

    #[test]
    fn the_tables_hold_every_figure_and_no_path() {
        let text = report(0.98).markdown();
        for part in [
            "0.980",
            "0.9950",
            "gaoya best",
            "0.977",
            "1 of 1 packs reach",
            "a processor, 2 cores",
            "2.5",
            "| bulk",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        assert!(!text.contains("secret"));
    }

    #[test]
    fn a_peer_is_reached_at_its_published_precision() {
        assert!(report(0.9765).markdown().contains("1 of 1 packs"));
        assert!(report(0.9764).markdown().contains("0 of 1 packs"));
    }

    #[test]
    fn every_json_line_is_an_object_and_the_first_is_the_machine() {
        let lines = report(0.977).json_lines();
        let objects: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(objects[0]["machine"], "a processor");
        assert_eq!(objects[1]["metric"], "F1");
        assert_eq!(objects[1]["ratio"], 1.0);
        assert_eq!(objects[1]["checked"], true);
        let fields =
            r#"{"bench":"quality","row":"default","case":"bills","threads":2,"metric":"F1","value":0.977,"#;
        assert!(lines.contains(fields), "{lines}");
        assert_eq!(objects.len(), 1 + 8 + 3);
        assert_eq!(objects[9]["checked"], false);
    }
}
