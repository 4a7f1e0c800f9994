//! The rows of a run, printed as they are measured.

use std::fmt::Write as _;
use std::process::ExitCode;

use super::{Machine, Options, Row};

/// Prints rows as a table for people or as JSON lines for programs, and records whether all were
/// checked.
#[derive(Debug)]
pub struct Report {
    bench: &'static str,
    json: bool,
    unchecked: usize,
    /// Rows that are kept instead of printed.
    kept: Option<Vec<Row>>,
}

impl Report {
    /// Prints the machine first.
    pub fn new(bench: &'static str, options: &Options) -> Self {
        let report = Self { bench, json: options.json, unchecked: 0, kept: None };
        print!("{}", report.beginning(&Machine::this()));
        report
    }

    /// Prints nothing: the rows are for another report.
    pub fn silent(bench: &'static str) -> Self {
        Self { bench, json: true, unchecked: 0, kept: Some(vec![]) }
    }

    /// The rows of a silent report.
    pub fn into_rows(self) -> Vec<Row> {
        self.kept.unwrap_or_default()
    }

    /// Prints a row.
    pub fn row(&mut self, row: Row) {
        self.unchecked += usize::from(!row.checked);
        match &mut self.kept {
            Some(kept) => kept.push(row),
            None => println!("{}", self.line(&row)),
        }
    }

    /// A line for people between rows; programs do not see it.
    pub fn heading(&self, text: &str) {
        if !self.json {
            println!("\n{text}");
        }
    }

    /// Failure if any row differed from its oracle.
    pub fn finish(self) -> ExitCode {
        if self.unchecked == 0 {
            return ExitCode::SUCCESS;
        }
        eprintln!(
            "error: {} rows gave results that differ from the oracle's or were not checked",
            self.unchecked
        );
        ExitCode::FAILURE
    }

    fn beginning(&self, machine: &Machine) -> String {
        if self.json {
            return format!("{}\n", serde_json::json!({"bench": self.bench, "machine": machine}));
        }
        format!(
            "{}: {machine}\n{:<28} {:>10} {:>3} {:>12} {:<12} {:>8}  {:<14} {}\n",
            self.bench, "row", "case", "thr", "value", "metric", "ratio", "to", "checked, note"
        )
    }

    fn line(&self, row: &Row) -> String {
        if self.json {
            let mut line = format!(r#"{{"bench":"{}","#, self.bench);
            // A row is plain data and always becomes an object.
            let object = serde_json::to_string(row).unwrap_or_else(|_| "{}".to_owned());
            line.push_str(object.strip_prefix('{').unwrap_or("}"));
            return line;
        }
        let mut line = format!(
            "{:<28} {:>10} {:>3} {:>12} {:<12} {:>8}  {:<14} {}",
            row.row,
            row.case,
            row.threads,
            figure(row.value),
            row.metric,
            row.ratio.map(figure).unwrap_or_default(),
            row.baseline.as_deref().unwrap_or_default(),
            if row.checked { "yes" } else { "NO" }
        );
        if let Some(note) = &row.note {
            let _ = write!(line, "  {note}");
        }
        line
    }
}

/// Three significant digits or so: more is noise.
fn figure(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        size if size >= 0.01 => format!("{value:.4}"),
        _ => format!("{value:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(json: bool) -> Report {
        Report { bench: "simhash", json, unchecked: 0, kept: None }
    }

    #[test]
    fn programs_get_one_object_with_the_documented_names() {
        let row = Row::new("avx2", "4KB").metric("GB/s", 1.5).against("naive", 12.0).checked(true);
        let line = report(true).line(&row);
        let expected = r#"{"bench":"simhash","row":"avx2","case":"4KB","threads":1,"metric":"GB/s","value":1.5,"baseline":"naive","ratio":12.0,"checked":true}"#;
        assert_eq!(line, expected);
    }

    #[test]
    fn people_get_short_figures() {
        let row = Row::new("naive", "45B").metric("GB/s", 0.09321).note("slow");
        let line = report(false).line(&row);
        assert!(line.contains(" 0.0932 GB/s") && line.ends_with("NO  slow"), "{line}");
        assert_eq!([1234.5, 12.34, 1.234, 0.0].map(figure), ["1234", "12.3", "1.23", "0"]);
    }

    #[test]
    fn one_unchecked_row_fails_the_run() {
        let mut report = report(true);
        report.row(Row::new("a", "b").checked(true));
        assert_eq!(report.unchecked, 0);
        report.row(Row::new("a", "b"));
        assert_eq!(report.unchecked, 1);
    }
}
