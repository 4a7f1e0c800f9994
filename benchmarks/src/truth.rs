//! The truth about a synthetic collection: the planted pairs and their similarity.
//!
//! ```text
//! left <TAB> right <TAB> jaccard <TAB> strength
//! ```
//!
//! Left is the original, right the copy. Two copies of one original are not listed: they may be
//! duplicates of each other or not, and a job may pair them or not.

use std::io::{BufRead, Write};

use anyhow::{Context, ensure};

use crate::edit::Strength;

/// The first line.
pub const HEADER: &str = "left\tright\tjaccard\tstrength";

/// One planted pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Planted {
    /// The original's id.
    pub left: String,
    /// The copy's id.
    pub right: String,
    /// Their exact Jaccard over word 3-shingles.
    pub jaccard: f64,
    /// The kind of change.
    pub strength: Strength,
}

/// Writes one line.
pub fn write(planted: &Planted, output: &mut impl Write) -> std::io::Result<()> {
    let Planted { left, right, jaccard, strength } = planted;
    writeln!(output, "{left}\t{right}\t{jaccard:.6}\t{}", strength.name())
}

/// Reads a truth file.
pub fn read(input: impl BufRead) -> anyhow::Result<Vec<Planted>> {
    let mut planted = Vec::new();
    for (number, line) in input.lines().enumerate() {
        let line = line?;
        if number == 0 {
            ensure!(line == HEADER, "expected the header {HEADER:?} of a truth file, found {line:?}");
        } else {
            let pair = parse(&line);
            planted.push(pair.with_context(|| format!("line {}: {line:?}", number + 1))?);
        }
    }
    Ok(planted)
}

fn parse(line: &str) -> anyhow::Result<Planted> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [left, right, jaccard, strength] = columns[..] else {
        anyhow::bail!("expected 4 columns, found {}", columns.len());
    };
    Ok(Planted {
        left: left.to_owned(),
        right: right.to_owned(),
        jaccard: jaccard.parse().context("the third column is no number")?,
        strength: Strength::of_name(strength).context("the fourth column names no strength")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let planted = Planted {
            left: "w0".to_owned(),
            right: "w1".to_owned(),
            jaccard: 0.625,
            strength: Strength::Moved,
        };
        let mut file = format!("{HEADER}\n").into_bytes();
        write(&planted, &mut file).unwrap();
        assert_eq!(read(file.as_slice()).unwrap(), [planted]);
    }

    #[test]
    fn a_bad_line_is_named() {
        let file = format!("{HEADER}\na\tb\t0.5\texact\na\tb\thalf\texact\n");
        let error = format!("{:#}", read(file.as_bytes()).unwrap_err());
        assert!(error.starts_with("line 3: "), "{error}");
        assert!(read(&b"a\tb\n"[..]).is_err());
    }
}
