//! `twindex index query`

use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;
use twindex_corpus::{Cell, Column, ColumnKind, Row, STANDARD_STREAM, TableWriter};
use twindex_index::{Answer, Index, Query, Timestamp};

use super::documents::for_each_batch;
use super::open;
use crate::arguments::QueryOptions;
use crate::command::job::print_json;

/// One line of `--json`.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    #[serde(flatten)]
    answer: &'a Answer,
}

/// Lists the matches of documents.
pub(super) fn run(options: &QueryOptions) -> Result<()> {
    let index = open(&options.index)?;
    let output = options.output.clone().unwrap_or_else(|| PathBuf::from(STANDARD_STREAM));
    let mut table = if options.json { None } else { Some(TableWriter::create(&output, &columns())?) };
    for_each_batch(&options.inputs, &output, &options.read, options.on_error, |rows| {
        for row in &rows {
            let id = row.id_or_position();
            let answer = ask(&index, row, options.limit, options.all)?;
            match &mut table {
                None => print_json(&Line { id: &id, answer: &answer })?,
                Some(table) => write(table, &id, &answer)?,
            }
        }
        Ok(())
    })?;
    if let Some(table) = table {
        table.finish()?.commit()?;
    }
    Ok(())
}

/// The first page of matches, or all pages as one.
fn ask(index: &Index, row: &Row, limit: usize, all: bool) -> Result<Answer> {
    let now = Timestamp::now();
    let mut query = Query { text: &row.text, markup: row.markup, limit, after: None };
    let mut answer = index.check(&query, now)?;
    while let (true, Some(after)) = (all, answer.next) {
        query.after = Some(after);
        let page = index.check(&query, now)?;
        answer.matches.extend(page.matches);
        answer.covers.extend(page.covers);
        (answer.more, answer.next) = (page.more, page.next);
    }
    Ok(answer)
}

fn columns() -> Vec<Column> {
    let mut columns = vec![Column::new("id", ColumnKind::Text), Column::new("match", ColumnKind::Text)];
    columns.push(Column::new("distance", ColumnKind::Integer));
    for name in ["jaccard", "containment_left", "containment_right", "cosine"] {
        columns.push(Column::new(name, ColumnKind::Number));
    }
    columns.push(Column::new("evidence", ColumnKind::Text));
    columns.push(Column::new("paragraphs", ColumnKind::Integer));
    columns
}

fn write(table: &mut TableWriter, id: &str, answer: &Answer) -> Result<()> {
    for found in &answer.matches {
        let scores = found.scores;
        let number = |value: Option<f64>| Cell::Number(value);
        table.row(&[
            Cell::Text(id),
            Cell::Text(&found.id),
            Cell::Integer(found.distance.map(i64::from)),
            number(scores.map(|scores| scores.jaccard)),
            number(scores.map(|scores| scores.containment_left)),
            number(scores.map(|scores| scores.containment_right)),
            number(scores.and_then(|scores| scores.cosine)),
            Cell::Text(found.evidence.name()),
            Cell::Integer(i64::try_from(found.paragraphs.len()).ok()),
        ])?;
    }
    Ok(())
}
