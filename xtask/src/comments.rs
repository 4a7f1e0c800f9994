//! Is every comment line at most 100 columns wide? rustfmt leaves comments as they are.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::workspace;

/// Indent and slashes included, so that two files fit side by side on a screen.
const WIDEST: usize = 100;

/// Folders with sources.
const SOURCES: [&str; 5] = ["benchmarks", "crates", "fuzz", "hardware", "xtask"];

/// Languages whose comments begin with `//`: Rust, SystemVerilog and C++.
const EXTENSIONS: [&str; 4] = ["rs", "sv", "svh", "cpp"];

/// Fails with the lines that are too wide.
pub(crate) fn check() -> anyhow::Result<()> {
    let root = workspace::root();
    let mut files = vec![];
    for folder in SOURCES {
        source_files(&root.join(folder), &mut files)?;
    }
    files.sort();
    let mut wide = vec![];
    for file in files {
        let name = file.strip_prefix(&root).unwrap_or(&file);
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", name.display()))?;
        wide.extend(wide_lines(&text).map(|line| format!("{}:{line}", name.display())));
    }
    ensure!(
        wide.is_empty(),
        "{} comment lines are wider than {WIDEST} columns:\n{}",
        wide.len(),
        wide.join("\n")
    );
    Ok(())
}

fn source_files(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            if entry.file_name() != "target" {
                source_files(&path, files)?;
            }
        } else if path.extension().is_some_and(|extension| EXTENSIONS.iter().any(|one| extension == *one)) {
            files.push(path);
        }
    }
    Ok(())
}

/// The numbers of the lines that hold a comment alone and are too wide. Rows of tables cannot be
/// wrapped.
fn wide_lines(text: &str) -> impl Iterator<Item = usize> {
    text.lines().zip(1..).filter(|(line, _)| is_wide(line)).map(|(_, number)| number)
}

fn is_wide(line: &str) -> bool {
    let Some(comment) = line.trim_start().strip_prefix("//") else { return false };
    let is_table = comment.trim_start_matches(['/', '!']).trim_start().starts_with('|');
    !is_table && line.chars().count() > WIDEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_comments_count_and_tables_do_not() {
        let long = "x".repeat(WIDEST);
        let fits = "x".repeat(WIDEST - 3);
        let text = format!("// {fits}\n    /// {fits}\n//! | {long} |\nlet x = \"{long}\";\n// é{fits}\n");
        assert_eq!(wide_lines(&text).collect::<Vec<_>>(), [2, 5]);
    }
}
