//! Tables that are Markdown and, being aligned, readable on a terminal as well.

use std::fmt;

/// A table. The first column is flush left, the others flush right, as numbers want.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(header: &[&str]) -> Self {
        Self { rows: vec![header.iter().map(|&cell| cell.to_owned()).collect()] }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, output: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows[0].len();
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        // Markdown needs three dashes to see a rule.
        let widths: Vec<usize> = (0..columns).map(|column| width(column).max(3)).collect();
        for (number, row) in self.rows.iter().enumerate() {
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                if column == 0 {
                    write!(output, "| {cell:<width$} |")?;
                } else {
                    write!(output, " {cell:>width$} |")?;
                }
            }
            writeln!(output)?;
            if number == 0 {
                for (column, width) in widths.iter().enumerate() {
                    match column {
                        0 => write!(output, "|{}|", "-".repeat(width + 2))?,
                        _ => write!(output, "{}:|", "-".repeat(width + 1))?,
                    }
                }
                writeln!(output)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(&["pack", "F1"]);
        table.row(["bills".to_owned(), "0.99".to_owned()]);
        table.row(["zh".to_owned(), "1".to_owned()]);
        let expected = "| pack  |   F1 |\n|-------|-----:|\n| bills | 0.99 |\n| zh    |    1 |\n";
        assert_eq!(table.to_string(), expected);
    }
}
