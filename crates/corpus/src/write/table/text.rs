//! Tables in text: JSON Lines and tab separated values.

use std::fmt::Write;

use crate::error::CorpusError;
use crate::write::compressed::CompressedWriter;
use crate::write::pending::Pending;
use crate::write::table::number::shortest;
use crate::write::table::{Cell, Column};

/// One JSON object per row.
pub(crate) struct JsonTable {
    out: CompressedWriter,
    line: String,
}

impl JsonTable {
    pub(crate) fn new(out: CompressedWriter) -> JsonTable {
        JsonTable { out, line: String::new() }
    }

    pub(crate) fn row(&mut self, columns: &[Column], cells: &[Cell<'_>]) -> Result<(), CorpusError> {
        self.line.clear();
        for (column, cell) in columns.iter().zip(cells) {
            self.line.push(if self.line.is_empty() { '{' } else { ',' });
            push_json_string(&mut self.line, &column.name);
            self.line.push(':');
            push_json(&mut self.line, cell);
        }
        self.line.push_str("}\n");
        self.out.put(self.line.as_bytes())
    }

    pub(crate) fn finish(self) -> Result<Pending, CorpusError> {
        self.out.finish()
    }
}

fn push_json(line: &mut String, cell: &Cell<'_>) {
    match cell {
        Cell::Text(text) => push_json_string(line, text),
        Cell::TextList(texts) => {
            line.push('[');
            for (index, text) in texts.iter().enumerate() {
                if index > 0 {
                    line.push(',');
                }
                push_json_string(line, text);
            }
            line.push(']');
        }
        Cell::Json(json) => line.push_str(json),
        Cell::Null | Cell::Number(_) | Cell::Integer(_) => {
            let before = line.len();
            push_number(line, cell);
            if line.len() == before {
                line.push_str("null");
            }
        }
    }
}

/// Writes a number, or nothing where there is none.
fn push_number(line: &mut String, cell: &Cell<'_>) {
    match cell {
        Cell::Number(Some(number)) => line.push_str(&shortest(*number).unwrap_or_default()),
        Cell::Integer(Some(integer)) => write!(line, "{integer}").expect("a string takes everything"),
        _ => {}
    }
}

/// Appends a JSON string.
pub(crate) fn push_json_string(line: &mut String, text: &str) {
    line.push_str(&serde_json::to_string(text).expect("text is always valid JSON"));
}

/// One line per row, a header first. Tabs, line breaks and backslashes inside cells are written as
/// `\t`, `\n`, `\r`, `\\`; lists as JSON; no value as nothing.
pub(crate) struct TsvTable {
    out: CompressedWriter,
    line: String,
}

impl TsvTable {
    pub(crate) fn new(out: CompressedWriter, columns: &[Column]) -> Result<TsvTable, CorpusError> {
        let mut table = TsvTable { out, line: String::new() };
        let names: Vec<Cell<'_>> = columns.iter().map(|column| Cell::Text(&column.name)).collect();
        table.row(&names)?;
        Ok(table)
    }

    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), CorpusError> {
        self.line.clear();
        for (index, cell) in cells.iter().enumerate() {
            if index > 0 {
                self.line.push('\t');
            }
            match cell {
                Cell::Text(text) | Cell::Json(text) => push_escaped(&mut self.line, text),
                Cell::TextList(_) => {
                    let mut list = String::new();
                    push_json(&mut list, cell);
                    push_escaped(&mut self.line, &list);
                }
                Cell::Null | Cell::Number(_) | Cell::Integer(_) => push_number(&mut self.line, cell),
            }
        }
        self.line.push('\n');
        self.out.put(self.line.as_bytes())
    }

    pub(crate) fn finish(self) -> Result<Pending, CorpusError> {
        self.out.finish()
    }
}

fn push_escaped(line: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '\t' => line.push_str("\\t"),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\\' => line.push_str("\\\\"),
            other => line.push(other),
        }
    }
}
