//! Writes the rows of a synthetic collection and their truth.
//!
//! A row is a function of its number, so that blocks of rows are generated on all cores and written
//! in order: the bytes do not depend on the number of threads.

use std::io::Write;

use rayon::prelude::*;

use crate::edit::Strength;
use crate::jaccard;
use crate::paragraphs::Paragraphs;
use crate::template::Template;
use crate::truth::{self, Planted};
use crate::web::Web;

/// The size limits of a collection: the first one reached ends it.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The least bytes of rows; the row that reaches it is the last.
    pub bytes: u64,
    /// The most documents.
    pub documents: u64,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Rows.
    pub documents: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Planted pairs.
    pub planted: u64,
}

/// One line of the collection and, for a copy, the line of the truth.
#[derive(Debug)]
pub struct Row {
    line: String,
    planted: Option<Planted>,
}

/// Rows generated at a time. Their few megabytes are all the memory that a run of any size needs.
const BLOCK: u64 = 1_024;

/// Writes the rows 0, 1, 2, ... and their truth until a limit is reached.
pub fn write(
    row: impl Fn(u64) -> Row + Sync,
    limit: Limit,
    rows: &mut impl Write,
    truth: &mut impl Write,
) -> std::io::Result<Written> {
    writeln!(truth, "{}", truth::HEADER)?;
    let mut written = Written::default();
    loop {
        let end = limit.documents.min(written.documents.saturating_add(BLOCK));
        let block: Vec<Row> = (written.documents..end).into_par_iter().map(&row).collect();
        if block.is_empty() {
            return Ok(written);
        }
        for Row { line, planted } in block {
            if written.bytes >= limit.bytes {
                return Ok(written);
            }
            rows.write_all(line.as_bytes())?;
            written.documents += 1;
            written.bytes += line.len() as u64;
            if let Some(planted) = planted {
                written.planted += 1;
                truth::write(&planted, truth)?;
            }
        }
    }
}

/// A row of a web collection.
pub fn web_row(web: &Web, number: u64) -> Row {
    let page = web.document(number);
    let planted = page.origin.map(|origin| Planted {
        left: id(origin.number),
        right: id(number),
        jaccard: jaccard::of(&origin.text, &page.text),
        strength: origin.strength,
    });
    Row { line: line(number, page.site, &page.text), planted }
}

/// A row of a collection of variants: each is planted with document 0.
pub fn template_row(template: &Template, number: u64) -> Row {
    let text = template.document(number);
    let planted = (number > 0).then(|| Planted {
        left: id(0),
        right: id(number),
        jaccard: jaccard::of(template.text(), &text),
        strength: Strength::Variant,
    });
    Row { line: line(number, 0, &text), planted }
}

/// A row of a collection of shared paragraphs: nothing is planted.
pub fn paragraphs_row(paragraphs: &Paragraphs, number: u64) -> Row {
    Row { line: line(number, 0, &paragraphs.document(number)), planted: None }
}

fn id(number: u64) -> String {
    format!("w{number:08}")
}

/// One JSON object and a line feed. The text has letters, Han characters, marks and line feeds
/// only, so that only line feeds must be escaped; `every_row_is_json` guards that.
fn line(number: u64, site: usize, text: &str) -> String {
    // Months of 28 days over a century, repeating: dates for keep policies.
    let (year, month, day) = (2000 + number / 336 % 100, number / 28 % 12 + 1, number % 28 + 1);
    let id = id(number);
    let mut row = String::with_capacity(text.len() + 100);
    row.push_str(&format!(
        "{{\"id\":\"{id}\",\"site\":\"site-{site}\",\"date\":\"{year}-{month:02}-{day:02}\",\"text\":\""
    ));
    for (line, part) in text.split('\n').enumerate() {
        if line > 0 {
            row.push_str("\\n");
        }
        row.push_str(part);
    }
    row.push_str("\"}\n");
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_json() {
        let mut rows = Vec::new();
        let source = Web::new(3, 0.3);
        let limit = Limit { bytes: 300_000, documents: u64::MAX };
        let written =
            write(|number| web_row(&source, number), limit, &mut rows, &mut std::io::sink()).unwrap();
        assert_eq!(written.bytes as usize, rows.len());
        let rows = String::from_utf8(rows).unwrap();
        assert_eq!(rows.lines().count() as u64, written.documents);
        for (number, line) in rows.lines().enumerate() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(row["id"], id(number as u64));
            assert_eq!(row["text"], source.document(number as u64).text);
        }
    }

    #[test]
    fn the_limit_of_documents_holds() {
        let template = Template::new(1);
        for documents in [0, 1, 9, BLOCK, BLOCK + 1] {
            let mut truth = Vec::new();
            let limit = Limit { bytes: u64::MAX, documents };
            let row = |number| template_row(&template, number);
            let written = write(row, limit, &mut std::io::sink(), &mut truth).unwrap();
            assert_eq!((written.documents, written.planted), (documents, documents.saturating_sub(1)));
            assert_eq!(truth::read(truth.as_slice()).unwrap().len() as u64, written.planted);
        }
    }
}
