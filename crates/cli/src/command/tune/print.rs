//! The findings for a terminal.

use std::fmt::Write as _;

use twindex_tune::{Curve, Findings, Reference};

use crate::words;

/// Every setting would fill the screen: every so many are printed.
const PRINTED_EVERY: usize = 5;

pub(super) fn text(findings: &Findings) -> String {
    let mut out = String::new();
    let sample = &findings.sample;
    let reference = match findings.reference {
        Reference::Truth => "labelled".to_owned(),
        Reference::Cosine(least) => format!("cosine of at least {least}"),
    };
    let _ = writeln!(
        out,
        "{} of {}, every pair compared: {} ({reference})",
        words::count(sample.documents, "document"),
        words::number(sample.collection),
        words::count(sample.right_pairs, "right pair"),
    );
    if sample.pairs_outside > 0 {
        let _ = writeln!(out, "{} not in the sample", words::count(sample.pairs_outside, "labelled pair"));
    }
    let _ = writeln!(
        out,
        "\nthe recipe as it is ({} >= {}): precision {:.3}, recall {:.3}; the search proposes {:.1} % of what the rule accepts",
        findings.measure,
        findings.threshold,
        findings.precision,
        findings.recall,
        100.0 * findings.candidate_recall
    );
    let _ = writeln!(out, "\n{:>9} {:>10} {:>8} {:>8}", findings.measure, "precision", "recall", "F1");
    curve(&findings.by_threshold, PRINTED_EVERY, &mut out);
    let _ = writeln!(out, "\n{:>9} {:>10} {:>8} {:>8}   simhash alone", "bits", "precision", "recall", "F1");
    curve(&findings.by_distance, 1, &mut out);
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
    out.push_str("\nrecommendation: ");
    match &findings.recommendation.reasons[..] {
        [] => out.push_str("the recipe fits this collection as it is\n"),
        reasons => {
            for reason in reasons {
                let _ = write!(out, "\n  {reason}");
            }
            out.push('\n');
        }
    }
    out
}

fn curve(curve: &Curve, every: usize, out: &mut String) {
    for point in curve.points.iter().step_by(every) {
        let _ = writeln!(
            out,
            "{:>9.2} {:>10.3} {:>8.3} {:>8.3}",
            point.at,
            point.precision,
            point.recall,
            point.f1()
        );
    }
    if let Some(point) = &curve.crossing {
        let _ = writeln!(
            out,
            "precision and recall meet at {:.2}, where both are {:.3}",
            point.at, point.precision
        );
    }
}
