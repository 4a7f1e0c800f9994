//! The findings for a terminal.

use std::fmt::Write as _;

use twindex_tune::{COVERAGES, Curve, Findings};

use crate::words;

/// Every setting would fill the screen: one in this many is printed.
const PRINTED_EVERY: usize = 5;

pub(super) fn text(findings: &Findings) -> String {
    let mut out = String::new();
    let sample = &findings.sample;
    let labels = match &findings.labels {
        Some(_) => words::count(sample.right_pairs, "labelled pair"),
        None => "no labels".to_owned(),
    };
    let _ = writeln!(
        out,
        "{} of {}, every pair compared; {labels}",
        words::count(sample.documents, "document"),
        words::number(sample.collection),
    );
    if sample.pairs_outside > 0 {
        let _ =
            writeln!(out, "{} not in the collection", words::count(sample.pairs_outside, "labelled pair"));
    }
    let share = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{share:.3}"));
    let _ = write!(out, "\nthe recipe as it is ({} >= {})", findings.measure, findings.threshold);
    if let Some(labels) = &findings.labels {
        let _ = write!(out, ": precision {}, recall {}", share(labels.precision), share(labels.recall));
    }
    let _ =
        writeln!(out, "; of what the rule accepts, the search proposes {}", share(findings.candidate_recall));
    let _ = write!(out, "\n{:>9} {:>9}", findings.measure, "pairs");
    for coverage in COVERAGES {
        let _ = write!(out, " {:>13}", format!("removed {coverage}"));
    }
    out.push_str("   by coverage\n");
    for row in &findings.decisions {
        let _ = write!(out, "{:>9.2} {:>9}", row.threshold, row.pairs);
        for removed in row.removed {
            let _ = write!(out, " {removed:>13}");
        }
        out.push('\n');
    }
    if let Some(labels) = &findings.labels {
        let _ = writeln!(out, "\n{:>9} {:>10} {:>8} {:>8}", findings.measure, "precision", "recall", "F1");
        curve(&labels.by_threshold, PRINTED_EVERY, &mut out);
        let _ =
            writeln!(out, "\n{:>9} {:>10} {:>8} {:>8}   simhash alone", "bits", "precision", "recall", "F1");
        curve(&labels.by_distance, 1, &mut out);
    }
    let _ = writeln!(
        out,
        "\n{:>9} {:>10} {:>8} {:>10} {:>8}   injected copies",
        "edited", "jaccard", "bits", "proposed", "found"
    );
    for row in &findings.injected {
        let _ = writeln!(
            out,
            "{:>7.0} % {:>10.3} {:>8.1} {:>10.3} {:>8.3}",
            100.0 * row.strength,
            row.jaccard,
            row.distance,
            row.proposed,
            row.found
        );
    }
    let found = &findings.recommendation;
    let _ = writeln!(out, "\nrecommendation: {}", found.basis);
    for change in &found.changes {
        let _ = writeln!(out, "  {change}");
    }
    out
}

fn curve(curve: &Curve, every: usize, out: &mut String) {
    for point in curve.points.iter().step_by(every) {
        let _ = writeln!(
            out,
            "{:>9.2} {:>10} {:>8.3} {:>8.3}",
            point.at,
            point.precision.map_or_else(|| "-".to_owned(), |precision| format!("{precision:.3}")),
            point.recall,
            point.f1()
        );
    }
    if let Some(point) = &curve.crossing {
        let _ =
            writeln!(out, "precision and recall meet at {:.2}, where both are {:.3}", point.at, point.recall);
    }
}
