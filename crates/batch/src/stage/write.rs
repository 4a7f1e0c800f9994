//! Stage seven: the outputs.
//!
//! Each is written under a provisional name in its folder. When all are complete they get their
//! names.

use std::path::Path;

use twindex_core::verify::Side;
use twindex_corpus::{Cell, Column, ColumnKind, Pending, Reader, RowWriter, Source, TableWriter};

use crate::error::{BatchError, Result};
use crate::job::{BATCH_BYTES, Job};
use crate::join::Records;
use crate::progress::{Progress, Unit};
use crate::report::Clusters;
use crate::sources;
use crate::work::{Places, ScoredPair, WorkFolder, row_status};

/// The columns of a scored pair, after its two documents.
const SCORES: [(&str, ColumnKind); 6] = [
    ("jaccard", ColumnKind::Number),
    ("containment_left", ColumnKind::Number),
    ("containment_right", ColumnKind::Number),
    ("cosine", ColumnKind::Number),
    ("distance", ColumnKind::Integer),
    ("rule", ColumnKind::Text),
];

/// The parameters of the stage.
pub(crate) struct Writing<'a> {
    pub(crate) job: &'a Job,
    pub(crate) places: Places<'a>,
    /// Where this stage reads the rows of the inputs: maybe from unpacked copies.
    pub(crate) sources: Vec<Source>,
    /// Documents below this can only be witnesses.
    pub(crate) against: u32,
    /// Rows of the collections that hold them, bad ones included.
    pub(crate) against_rows: u64,
    pub(crate) work: &'a WorkFolder,
}

/// Kept and removed rows that wait for their names.
#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) pending: Vec<Pending>,
    /// How many rows were kept, if they were read again.
    pub(crate) kept: Option<u64>,
}

impl Writing<'_> {
    /// Writes the pairs to `path`.
    pub(crate) fn pairs(&self, path: &Path) -> Result<Pending> {
        let mut table =
            TableWriter::create(path, &columns(["left", "right"], ["left_place", "right_place"], false))?;
        for pair in Records::<ScoredPair>::open(&self.work.file("pairs"))? {
            let pair = pair?;
            self.row(&mut table, &pair, &pair.verdict(self.job.recipe.rule).reason(), None)?;
        }
        Ok(table.finish()?)
    }

    /// Writes the clusters to `path`.
    pub(crate) fn clusters(&self, path: &Path, clusters: &Clusters) -> Result<Pending> {
        let columns = [
            Column::new("id", ColumnKind::Text),
            Column::new("members", ColumnKind::TextList),
            Column::new("places", ColumnKind::TextList),
        ];
        let mut table = TableWriter::create(path, &columns)?;
        for cluster in clusters.iter() {
            let members = cluster.iter().map(|&(_, member)| self.places.documents.id(member));
            let members = members.collect::<Result<Vec<_>>>()?;
            let places = cluster.iter().map(|&(_, member)| self.places.of(member));
            let places = places.collect::<Result<Vec<_>>>()?;
            table.row(&[Cell::Text(&members[0]), Cell::TextList(&members), Cell::TextList(&places)])?;
        }
        Ok(table.finish()?)
    }

    /// Writes kept rows and removed rows: one more pass over the inputs where rows are wanted.
    pub(crate) fn rows(&self, progress: &dyn Progress) -> Result<Rows> {
        let outputs = &self.job.outputs;
        if outputs.kept.is_none() && outputs.removed.is_none() {
            return Ok(Rows::default());
        }
        let mut kept_rows = None;
        let mut kept =
            outputs.kept.as_ref().map(|path| RowWriter::create(path, self.places.inputs)).transpose()?;
        let columns = columns(["id", "witness"], ["place", "witness_place"], outputs.removed_rows);
        let mut removed =
            outputs.removed.as_ref().map(|path| TableWriter::create(path, &columns)).transpose()?;
        let mut removals = Records::<ScoredPair>::open(&self.work.file("removed"))?.peekable();

        if outputs.want_rows() {
            let mut reader = Reader::open(&self.sources, &self.job.read)?;
            let statuses = self.row_statuses()?;
            let mut statuses = statuses.iter();
            progress.begin("write", self.sources.iter().map(|source| source.bytes).sum(), Unit::Bytes);
            let mut document = self.against;
            let kept_rows = kept_rows.insert(0);
            while let Some(batch) = reader.next_batch(BATCH_BYTES)? {
                let mut keep = vec![false; batch.len()];
                for (row, keep) in keep.iter_mut().enumerate() {
                    if statuses.next() != Some(&row_status::DOCUMENT) {
                        continue; // a bad row: no document, and not kept
                    }
                    let next =
                        removals.next_if(|next| next.as_ref().map_or(true, |pair| pair.left == document));
                    let removal = next.transpose()?;
                    *keep = removal.is_none();
                    document += 1;
                    if let (Some(pair), Some(table)) = (removal, &mut removed) {
                        let json = if outputs.removed_rows { Some(batch.row_json(row)?) } else { None };
                        self.row(table, &pair, &self.removal_reason(&pair), json.as_deref())?;
                    }
                }
                *kept_rows += keep.iter().filter(|keep| **keep).count() as u64;
                if let Some(kept) = &mut kept {
                    batch.write_selected(&keep, kept)?;
                }
                progress.position(reader.compressed_bytes_read());
            }
            progress.end();
            sources::must_be_unchanged(self.places.inputs)?;
            // The rows reveal an input that changed and changed back.
            let all_rows_seen = statuses.next().is_none() && document == self.places.documents.len();
            if !all_rows_seen || removals.next().is_some() {
                return Err(BatchError::InputChanged { name: self.places.inputs[0].name.clone() });
            }
        } else if let Some(table) = &mut removed {
            for pair in removals {
                let pair = pair?;
                self.row(table, &pair, &self.removal_reason(&pair), None)?;
            }
        }
        let mut pending = vec![];
        pending.extend(kept.map(RowWriter::finish).transpose()?);
        pending.extend(removed.map(TableWriter::finish).transpose()?);
        Ok(Rows { pending, kept: kept_rows })
    }

    /// For every row of the inputs, its [status](row_status).
    fn row_statuses(&self) -> Result<Vec<u8>> {
        let path = self.work.file("rows");
        let all = std::fs::read(&path).map_err(BatchError::work(&path))?;
        // The rows of `against` come first.
        Ok(all.get(self.against_rows as usize..).unwrap_or_default().to_vec())
    }

    fn removal_reason(&self, removal: &ScoredPair) -> String {
        removal.verdict(self.job.recipe.rule).removal_reason(Side::Left)
    }

    fn row(&self, table: &mut TableWriter, pair: &ScoredPair, rule: &str, json: Option<&str>) -> Result<()> {
        let documents = self.places.documents;
        let (left, right) = (documents.id(pair.left)?, documents.id(pair.right)?);
        let (left_place, right_place) = (self.places.of(pair.left)?, self.places.of(pair.right)?);
        let scores = pair.measured().scores();
        let mut cells = vec![
            Cell::Text(&left),
            Cell::Text(&right),
            Cell::Number(Some(scores.jaccard)),
            Cell::Number(Some(scores.containment_left)),
            Cell::Number(Some(scores.containment_right)),
            Cell::Number(Some(scores.cosine)),
            Cell::Integer(pair.distance().map(i64::from)),
            Cell::Text(rule),
            Cell::Text(&left_place),
            Cell::Text(&right_place),
        ];
        if let Some(json) = json {
            cells.push(Cell::Json(json));
        }
        Ok(table.row(&cells)?)
    }
}

/// The columns of removed documents: `id`, `witness`, the scores of the two, and their places.
pub fn removed_columns() -> Vec<Column> {
    columns(["id", "witness"], ["place", "witness_place"], false)
}

fn columns(documents: [&str; 2], places: [&str; 2], with_row: bool) -> Vec<Column> {
    let text = |name: &str| Column::new(name, ColumnKind::Text);
    let scores = SCORES.map(|(name, kind)| Column::new(name, kind));
    let row = with_row.then(|| Column::new("row", ColumnKind::Json));
    documents.map(text).into_iter().chain(scores).chain(places.map(text)).chain(row).collect()
}
