//! Messages on standard error, in colour where wanted: aligned figures, notes, hints and errors.

use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use twindex_corpus::STANDARD_STREAM;

const LABEL: Style = AnsiColor::Cyan.on_default().bold();
const VALUE: Style = Style::new().bold();
const NOTE: Style = AnsiColor::Yellow.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// A fact that may surprise, and what to do about it.
pub(crate) fn note(text: &str) {
    prefixed("note", NOTE, text);
}

/// A next step.
pub(crate) fn hint(text: &str) {
    prefixed("hint", LABEL, text);
}

/// Why the program fails.
pub(crate) fn error(text: &str) {
    prefixed("error", ERROR, text);
}

fn prefixed(prefix: &str, style: Style, text: &str) {
    anstream::eprintln!("{style}{prefix}:{style:#} {text}");
}

/// Names the files that were written.
pub(crate) fn wrote<'a>(paths: impl Iterator<Item = &'a PathBuf>) {
    let files = paths.filter(|path| path.as_os_str() != STANDARD_STREAM);
    let names: Vec<String> = files.map(|path| path.display().to_string()).collect();
    if !names.is_empty() {
        anstream::eprintln!("{LABEL}wrote{LABEL:#} {}", names.join(", "));
    }
}

/// Lines of a label, a number and what it means: labels end where the longest does, and so do
/// numbers.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    lines: Vec<[String; 3]>,
}

impl Figures {
    /// Adds a line.
    pub(crate) fn add(&mut self, label: &str, value: impl Into<String>, meaning: impl Into<String>) {
        self.lines.push([label.to_owned(), value.into(), meaning.into()]);
    }

    /// Prints all lines.
    pub(crate) fn print(&self) {
        anstream::eprint!("{}", self.text());
    }

    fn text(&self) -> String {
        let width = |column: usize| self.lines.iter().map(|line| line[column].chars().count()).max();
        let [labels, values] = [0, 1].map(|column| width(column).unwrap_or(0));
        let mut text = String::new();
        for [label, value, meaning] in &self.lines {
            let line =
                format!("{LABEL}{label:labels$}{LABEL:#}  {VALUE}{value:>values$}{VALUE:#}  {meaning}");
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_below_each_other() {
        let mut figures = Figures::default();
        figures.add("kept", "1,051", "of 1,065 rows");
        figures.add("removed", "14", "");
        figures.add("time", "11 ms", "5.2 MB/s");
        assert_eq!(
            anstream::adapter::strip_str(&figures.text()).to_string(),
            "kept     1,051  of 1,065 rows\nremoved     14\ntime     11 ms  5.2 MB/s\n"
        );
    }
}
