//! Pages from definitions and records: a page per paper, and the table of contents.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context;

use super::definition::{Definition, Size, Verdict};
use super::record::{Outcome, Record, Table};

/// A paper that is reproduced.
pub struct Paper {
    /// The name of its page, and the beginning of its definitions' names.
    pub key: &'static str,
    /// Short, for the table of contents.
    pub short: &'static str,
    /// Authors, title, year.
    pub reference: &'static str,
}

/// The papers, in the order of the table of contents.
pub const PAPERS: [Paper; 4] = [
    Paper {
        key: "fpga",
        short: "simhash in hardware",
        reference: "Efficient Near-Duplicate Document Detection using FPGAs (simhash on a Convey HC-2ex)",
    },
    Paper {
        key: "minhash",
        short: "bottom-k MinHash",
        reference: "A. Gudkov, Efficient implementation of MinHash, part 1",
    },
    Paper {
        key: "psm",
        short: "probabilistic simhash matching",
        reference: "S. Sood, D. Loguinov, Probabilistic near-duplicate detection using simhash, 2011",
    },
    Paper {
        key: "service",
        short: "a deduplication service",
        reference: "Y. Yu, Z. Hu, Y. Zhang, Research on Large Scale Documents Deduplication Technique based on Simhash Algorithm, 2016",
    },
];

/// The lines of a README between which the table of contents stands.
const BEGIN: &str = "<!-- papers: written by `cargo xtask papers` -->";
const END: &str = "<!-- end of papers -->";

/// A definition with its last run.
pub type Done<'a> = (&'a Definition, Option<Record>);

/// The page of a paper.
pub fn page(paper: &Paper, done: &[Done<'_>]) -> String {
    let mut text = format!(
        "# {}\n\nWritten by `cargo xtask papers`: definitions in [`../definitions`](../definitions), measured figures in \
         [`data`](data). Dashed lines are the paper's, or a reference.\n",
        paper.reference
    );
    for (definition, record) in done.iter().filter(|(definition, _)| definition.paper == paper.key) {
        let _ = write!(
            text,
            "\n## {}: {}\n\n*Claim.* {}\n\n*Our run.* {}\n\n*Agreement.* {}\n\n",
            definition.place, definition.title, definition.claim, definition.mapping, definition.agreement
        );
        match record {
            Some(record) => section(definition, record, &mut text),
            None => text.push_str("Not run yet.\n"),
        }
    }
    text
}

fn section(definition: &Definition, record: &Record, text: &mut String) {
    let outcome = &record.outcome;
    let _ = writeln!(
        text,
        "Measured by `cargo xtask papers{} --only {}` in {} s on {}.\n",
        if record.size == Size::Full { " --full" } else { "" },
        definition.name,
        number(record.seconds),
        record.machine,
    );
    if !definition.values.is_empty() {
        let mut table = Table::new("", &["", "paper", "ours", "bound", ""]);
        for value in &definition.values {
            let with_unit = |figure: f64| match value.unit.as_str() {
                "" => number(figure),
                unit => format!("{} {unit}", number(figure)),
            };
            let verdict = match value.verdict(outcome) {
                Verdict::Agrees => "agrees",
                Verdict::Deviates => "**deviates**",
                Verdict::Shown => "",
                Verdict::Missing if value.figure.is_some() => "not in this run",
                Verdict::Missing => "not reproduced",
            };
            table.row([
                value.name.clone(),
                value.paper.map(with_unit).unwrap_or_default(),
                value.ours(outcome).map(with_unit).unwrap_or_default(),
                value.bounds(),
                verdict.to_owned(),
            ]);
        }
        text.push_str(&markdown(&table));
        text.push('\n');
        for value in &definition.values {
            let deviates = matches!(value.verdict(outcome), Verdict::Deviates | Verdict::Missing);
            if let (true, Some(because)) = (deviates, &value.because) {
                let _ = writeln!(text, "- *{}*: {}", value.name, filled(because, outcome));
            }
        }
        text.push('\n');
    }
    for plot in &outcome.plots {
        let _ = writeln!(text, "![{}]({}-{}.svg)\n", plot.title, definition.name, plot.file);
    }
    for table in &outcome.tables {
        if !table.caption.is_empty() {
            let _ = writeln!(text, "{}:\n", table.caption);
        }
        text.push_str(&markdown(table));
        text.push('\n');
    }
    for note in &outcome.notes {
        let _ = writeln!(text, "{note}\n");
    }
    if !outcome.checks.is_empty() {
        let checks = outcome.checks.iter().map(|check| match check.passed {
            true => check.what.clone(),
            false => format!("**FAILED: {}**", check.what),
        });
        let _ = writeln!(text, "Checked: {}.", checks.collect::<Vec<_>>().join("; "));
    }
}

/// A table whose first column is flush left and the others flush right.
fn markdown(table: &Table) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&table.header);
    text.push_str("|---|");
    text.push_str(&"---:|".repeat(table.header.len().saturating_sub(1)));
    text.push('\n');
    table.rows.iter().for_each(|row| text.push_str(&line(row)));
    text
}

/// The table of contents: one row for each definition, with the figure that matters.
pub fn contents(done: &[Done<'_>]) -> String {
    let mut table = Table::new("", &["paper", "table or figure", "the figure that matters", "agrees"]);
    for (definition, record) in done {
        let Some(paper) = PAPERS.iter().find(|paper| paper.key == definition.paper) else { continue };
        let heading = format!("{}: {}", definition.place, definition.title);
        table.row([
            paper.short.to_owned(),
            format!("[{heading}](results/{}.md#{})", paper.key, anchor(&heading)),
            record
                .as_ref()
                .map(|record| filled(&definition.headline, &record.outcome))
                .unwrap_or("not run".to_owned()),
            record.as_ref().map(|record| agreement(definition, record)).unwrap_or_default(),
        ]);
    }
    // Words, not numbers: flush left.
    markdown(&table).replace("---:|", "---|")
}

/// How many of the bounded values agree.
fn agreement(definition: &Definition, record: &Record) -> String {
    let verdicts = definition.values.iter().map(|value| value.verdict(&record.outcome));
    let verdicts: Vec<Verdict> = verdicts.collect();
    let count = |wanted| verdicts.iter().filter(|verdict| **verdict == wanted).count();
    format!("{} of {}", count(Verdict::Agrees), count(Verdict::Agrees) + count(Verdict::Deviates))
}

/// A sentence of a definition with measured figures where it names them.
fn filled(text: &str, outcome: &Outcome) -> String {
    let mut text = text.to_owned();
    for (name, value) in &outcome.figures {
        text = text.replace(&format!("{{{name}}}"), &number(*value));
    }
    text
}

/// The anchor of a heading, as the usual Markdown readers make it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// The README with the table of contents renewed.
pub fn with_contents(readme: &str, contents: &str) -> anyhow::Result<String> {
    let (before, rest) = readme.split_once(BEGIN).with_context(|| format!("no line `{BEGIN}`"))?;
    let (_, after) = rest.split_once(END).with_context(|| format!("no line `{END}`"))?;
    Ok(format!("{before}{BEGIN}\n\n{contents}\n{END}{after}"))
}

/// Writes every page and picture, and renews the table of contents of `readme`.
pub fn write_all(done: &[Done<'_>], results: &Path, readme: &Path) -> anyhow::Result<()> {
    for (path, text) in all(done, results, readme)? {
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Every file that is made from records, with its text.
pub fn all(
    done: &[Done<'_>],
    results: &Path,
    readme: &Path,
) -> anyhow::Result<Vec<(std::path::PathBuf, String)>> {
    let mut files = vec![];
    for paper in &PAPERS {
        files.push((results.join(format!("{}.md", paper.key)), page(paper, done)));
    }
    for (definition, record) in done {
        for plot in record.iter().flat_map(|record| &record.outcome.plots) {
            files.push((results.join(format!("{}-{}.svg", definition.name, plot.file)), plot.svg()));
        }
    }
    if readme.exists() {
        let old = fs::read_to_string(readme).with_context(|| format!("cannot read {}", readme.display()))?;
        files.push((readme.to_owned(), with_contents(&old, &contents(done))?));
    }
    Ok(files)
}

/// About three significant digits, with commas between thousands.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e15).contains(&size) {
        return format!("{value:.2e}");
    }
    let places = match size {
        100.0.. => 0,
        10.0.. => 1,
        1.0.. => 2,
        0.1.. => 3,
        _ => 4,
    };
    let text = format!("{value:.places$}");
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let rest = rest.trim_end_matches('0');
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap_or_default())
        .collect();
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{rest}", groups.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        let cases = [
            (0.0, "0"),
            (1234567.0, "1,234,567"),
            (-1234.5, "-1,234"),
            (12.34, "12.3"),
            (2.0, "2"),
            (0.0312, "0.0312"),
            (0.00001, "1.00e-5"),
            (999.96, "1,000"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn only_the_table_of_contents_is_renewed() {
        let readme = format!("# A\n\n{BEGIN}\nold\n{END}\n\nrest\n");
        assert_eq!(
            with_contents(&readme, "new\n").unwrap(),
            format!("# A\n\n{BEGIN}\n\nnew\n\n{END}\n\nrest\n")
        );
        assert!(with_contents("no lines", "new").is_err());
    }

    #[test]
    fn sentences_name_measured_figures() {
        let mut outcome = Outcome::default();
        outcome.figure("probes", 6983.0);
        assert_eq!(filled("{probes} entries, not {other}", &outcome), "6,983 entries, not {other}");
    }

    #[test]
    fn anchors_are_those_of_markdown() {
        assert_eq!(anchor("Table II: stage one, by shape"), "table-ii-stage-one-by-shape");
    }
}
