//! The findings as one HTML file: no script, no request, plots drawn as SVG.

mod plot;

use std::fmt::Write as _;

use twindex_core::compare::Piece;

use self::plot::{Line, Plot};
use crate::curve::{Curve, Point};
use crate::decisions::COVERAGES;
use crate::doubtful::Doubtful;
use crate::findings::{Findings, Labelled};

const STYLE: &str = include_str!("page.css");

/// The whole file. `title` is usually the name of the collection, `recipe` the name of the recipe.
pub fn page(findings: &Findings, title: &str, recipe: &str, command: &str) -> String {
    let mut out = String::new();
    let title = escape(title);
    let _ = write!(
        out,
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{title}: how well does the recipe fit?</title><style>{STYLE}</style></head><body><main>\
         <p class=\"brand\">twindex tune</p><h1>{title}</h1><p class=\"caption\"><code>{}</code></p>",
        escape(command)
    );
    summary(findings, recipe, &mut out);
    recommendation(findings, &mut out);
    decisions(findings, &mut out);
    if let Some(labels) = &findings.labels {
        thresholds(findings, labels, &mut out);
        distances(labels, &mut out);
    }
    candidates(findings, &mut out);
    injected(findings, &mut out);
    let reading = "Read these: if they are duplicates, the threshold may go down";
    doubtful("Most similar rejected pairs", reading, &findings.most_rejected, &mut out);
    let reading = "Read these: if they are not duplicates, the threshold should go up";
    doubtful("Least similar accepted pairs", reading, &findings.least_accepted, &mut out);
    out.push_str("</main></body></html>\n");
    out
}

fn summary(findings: &Findings, recipe: &str, out: &mut String) {
    let sample = &findings.sample;
    let labels = match &findings.labels {
        Some(_) => format!("{} labelled pairs", sample.right_pairs),
        None => "no labels".to_owned(),
    };
    let _ = write!(
        out,
        "<section><h2>The recipe {} as it is</h2><p class=\"caption\">{} of {} documents, every pair compared; \
         {labels}.</p><dl class=\"figures\">",
        escape(recipe),
        sample.documents,
        sample.collection,
    );
    let of_labels = |value: fn(&Labelled) -> Option<f64>| findings.labels.as_ref().and_then(value);
    for (name, value) in [
        ("precision", of_labels(|labels| labels.precision)),
        ("recall", of_labels(|labels| labels.recall)),
        ("proposed by the search", findings.candidate_recall),
    ] {
        if let Some(value) = value {
            let _ = write!(out, "<div><dt>{name}</dt><dd>{value:.3}</dd></div>");
        }
    }
    let _ = write!(
        out,
        "<div><dt>rule</dt><dd>{} &ge; {}</dd></div><div><dt>coverage</dt><dd>{}</dd></div></dl></section>",
        escape(&findings.measure),
        findings.threshold,
        findings.coverage
    );
}

fn recommendation(findings: &Findings, out: &mut String) {
    let found = &findings.recommendation;
    let _ = write!(out, "<section><h2>Recommendation</h2><p>{}.</p>", escape(&found.basis));
    if !found.changes.is_empty() {
        out.push_str("<ul>");
        for change in &found.changes {
            let _ = write!(out, "<li>{}</li>", escape(change));
        }
        let _ = write!(
            out,
            "</ul><details><summary>The recipe as a file</summary><pre>{}</pre></details>",
            escape(&found.recipe)
        );
    }
    out.push_str("</section>");
}

fn decisions(findings: &Findings, out: &mut String) {
    out.push_str(
        "<section><h2>What each threshold and coverage does</h2><p class=\"caption\">In the sample, if the search proposes \
         everything: accepted pairs, and documents that are removed if at least that part of them is in one that stays.</p>\
         <table><tr><th>threshold<th>pairs",
    );
    for coverage in COVERAGES {
        let _ = write!(out, "<th>removed at {coverage}");
    }
    out.push_str("</tr>");
    for row in &findings.decisions {
        let _ = write!(out, "<tr><td>{}<td>{}", row.threshold, row.pairs);
        for removed in row.removed {
            let _ = write!(out, "<td>{removed}");
        }
        out.push_str("</tr>");
    }
    out.push_str("</table></section>");
}

fn thresholds(findings: &Findings, labels: &Labelled, out: &mut String) {
    let plot = Plot {
        name: "Precision and recall by threshold",
        x_name: &findings.measure,
        x: (0.0, 1.0),
        mark: Some(findings.threshold),
        lines: precision_and_recall(&labels.by_threshold),
    };
    let caption = "What the rule would accept at each threshold if the search proposed everything. The vertical line is the recipe's.";
    section(&plot, &where_they_meet(&labels.by_threshold, caption), out);
}

fn distances(labels: &Labelled, out: &mut String) {
    let last = labels.by_distance.points.last().map_or(1.0, |point| point.at);
    let plot = Plot {
        name: "Precision and recall by Hamming distance",
        x_name: "bits",
        x: (0.0, last),
        mark: None,
        lines: precision_and_recall(&labels.by_distance),
    };
    let caption = "What simhash alone would give: every pair within the distance, without a rule.";
    section(&plot, &where_they_meet(&labels.by_distance, caption), out);
}

fn candidates(findings: &Findings, out: &mut String) {
    let middle = |from: f64, to: f64| (from + to) / 2.0;
    let mut lines = vec![Line {
        name: "measured",
        class: "first",
        points: findings.candidates.iter().map(|bin| (middle(bin.from, bin.to), bin.measured)).collect(),
    }];
    let expected: Vec<(f64, f64)> = findings
        .candidates
        .iter()
        .filter_map(|bin| Some((middle(bin.from, bin.to), bin.expected?)))
        .collect();
    if !expected.is_empty() {
        lines.push(Line { name: "foretold by the bands", class: "second", points: expected });
    }
    let plot = Plot {
        name: "Which pairs does the search propose?",
        x_name: "jaccard",
        x: (0.0, 1.0),
        mark: (findings.measure == "jaccard").then_some(findings.threshold),
        lines,
    };
    section(
        &plot,
        "The share of the pairs of each similarity that become candidates. It should be near 1 right of the rule's threshold.",
        out,
    );
}

fn injected(findings: &Findings, out: &mut String) {
    let line = |name, class, value: fn(&crate::Injected) -> f64| Line {
        name,
        class,
        points: findings.injected.iter().map(|row| (row.strength, value(row))).collect(),
    };
    let plot = Plot {
        name: "Injected copies",
        x_name: "share of words edited",
        x: (0.0, 0.5),
        mark: None,
        lines: vec![
            line("proposed by the search", "second", |row| row.proposed),
            line("found by search and rule", "first", |row| row.found),
        ],
    };
    let mut table = String::from(
        "Documents of the sample were copied with edits (words replaced, deleted, doubled, swapped).</p>\
         <table><tr><th>edited<th>copies<th>mean jaccard<th>mean bits<th>proposed<th>accepted<th>found</tr>",
    );
    for row in &findings.injected {
        let _ = write!(
            table,
            "<tr><td>{:.0} %<td>{}<td>{:.3}<td>{:.1}<td>{:.3}<td>{:.3}<td>{:.3}</tr>",
            100.0 * row.strength,
            row.copies,
            row.jaccard,
            row.distance,
            row.proposed,
            row.accepted,
            row.found
        );
    }
    table.push_str("</table><p>");
    section(&plot, &table, out);
}

fn doubtful(name: &str, reading: &str, pairs: &[Doubtful], out: &mut String) {
    let _ = write!(out, "<section><h2>{name}</h2><p class=\"caption\">{reading}.</p>");
    if pairs.is_empty() {
        out.push_str("<p>There are none in the sample.</p>");
    }
    for pair in pairs {
        let distance = pair.distance.map_or_else(String::new, |bits| format!(", {bits} bits"));
        let label = match pair.is_right {
            Some(true) => "; labelled as a pair",
            Some(false) => "; not labelled",
            None => "",
        };
        let _ = write!(
            out,
            "<details><summary><b>{:.3}</b> {} &middot; {} <span class=\"caption\">jaccard {:.3}, cosine {:.3}{distance}{label}\
             </span></summary><p class=\"text\">",
            pair.value,
            escape(&pair.left),
            escape(&pair.right),
            pair.jaccard,
            pair.cosine
        );
        for piece in &pair.pieces {
            let _ = match piece {
                Piece::Same(text) => write!(out, "{}", escape(text)),
                Piece::Removed(text) => write!(out, "<del>{}</del>", escape(text)),
                Piece::Added(text) => write!(out, "<ins>{}</ins>", escape(text)),
            };
        }
        out.push_str("</p></details>");
    }
    out.push_str("</section>");
}

fn section(plot: &Plot, caption: &str, out: &mut String) {
    let _ = write!(
        out,
        "<section><h2>{}</h2>{}<p class=\"caption\">{caption}</p></section>",
        plot.name,
        plot.svg()
    );
}

fn precision_and_recall(curve: &Curve) -> Vec<Line<'static>> {
    let line = |name, class, value: fn(&Point) -> Option<f64>| Line {
        name,
        class,
        points: curve.points.iter().filter_map(|point| Some((point.at, value(point)?))).collect(),
    };
    vec![
        line("precision", "first", |point| point.precision),
        line("recall", "second", |point| Some(point.recall)),
    ]
}

fn where_they_meet(curve: &Curve, caption: &str) -> String {
    let crossing = curve.crossing.map_or_else(
        || "The two do not meet.".to_owned(),
        |point| format!("The two meet at {:.2}, where both are {:.3}.", point.at, point.recall),
    );
    let best = curve
        .best
        .map_or_else(String::new, |point| format!(" F1 is largest at {:.2}: {:.3}.", point.at, point.f1()));
    format!("{caption} {crossing}{best}")
}

/// Text as it may stand in HTML.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(character),
        }
    }
    out
}
