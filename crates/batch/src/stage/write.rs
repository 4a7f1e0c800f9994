//! Stage seven: the outputs.
//!
//! Each is written under a provisional name in its folder. When all are complete they get their
//! names.

use twindex_core::verify::Side;
use twindex_corpus::{Cell, Pending, Reader, RowPlace, RowWriter, Source, TableWriter};

use crate::error::{BatchError, Result};
use crate::job::{BATCH_BYTES, Job};
use crate::join::Records;
use crate::progress::{Progress, Unit};
use crate::report::Clusters;
use crate::sources;
use crate::work::{Documents, Places, ScoredPair, WorkFolder, row_status, stay_in_place};

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

/// A removed document, and where its row lies.
struct Removal {
    pair: ScoredPair,
    source: u32,
    row: RowPlace,
}

impl Removal {
    fn next(
        removals: &mut impl Iterator<Item = Result<ScoredPair>>,
        documents: &Documents,
    ) -> Result<Option<Removal>> {
        let Some(pair) = removals.next().transpose()? else { return Ok(None) };
        let unknown = || BatchError::Damaged {
            path: "text-places".into(),
            what: format!("document {} is in no row", pair.left),
        };
        let (source, row) = documents.row(pair.left)?.ok_or_else(unknown)?;
        Ok(Some(Removal { pair, source, row }))
    }
}

impl Writing<'_> {
    /// Writes the pairs.
    pub(crate) fn pairs(&self, mut table: TableWriter) -> Result<Pending> {
        for pair in Records::<ScoredPair>::open(&self.work.file("pairs"))? {
            let pair = pair?;
            self.row(&mut table, &pair, &pair.verdict(self.job.recipe.rule).reason(), None)?;
        }
        Ok(table.finish()?)
    }

    /// Writes the clusters.
    pub(crate) fn clusters(&self, mut table: TableWriter, clusters: &Clusters) -> Result<Pending> {
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
    pub(crate) fn rows(
        &self,
        mut kept: Option<RowWriter>,
        mut removed: Option<TableWriter>,
        progress: &dyn Progress,
    ) -> Result<Rows> {
        let outputs = &self.job.outputs;
        if kept.is_none() && removed.is_none() {
            return Ok(Rows::default());
        }
        let mut kept_rows = None;
        let mut removals = Records::<ScoredPair>::open(&self.work.file("removed"))?.peekable();

        let statuses = if outputs.want_rows() { self.row_statuses()? } else { vec![] };
        let by_ranges = kept.is_some() && self.has_ranges(&statuses);
        if let Some(kept) = kept.as_mut().filter(|_| by_ranges) {
            kept_rows = Some(self.copy_kept(kept, removed.as_mut(), removals, progress)?);
        } else if outputs.want_rows() {
            let mut reader = Reader::open(&self.sources, &self.job.read)?;
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

    /// Whether what is kept is everything but the rows of removed documents, and their places are
    /// known: rows that are no documents are left out, too, and have no place.
    fn has_ranges(&self, statuses: &[u8]) -> bool {
        let outputs = &self.job.outputs;
        let reads_removed = outputs.removed_rows && outputs.removed.is_some();
        !reads_removed
            && self.sources.iter().all(stay_in_place)
            && statuses.iter().all(|status| *status == row_status::DOCUMENT)
    }

    /// Copies all that is between the rows of removed documents; returns how many rows are kept.
    fn copy_kept(
        &self,
        kept: &mut RowWriter,
        mut removed: Option<&mut TableWriter>,
        mut removals: impl Iterator<Item = Result<ScoredPair>>,
        progress: &dyn Progress,
    ) -> Result<u64> {
        let changed = || BatchError::InputChanged { name: self.places.inputs[0].name.clone() };
        let documents = self.places.documents;
        let mut rows = u64::from(documents.len() - self.against);
        let mut removal = Removal::next(&mut removals, documents)?;
        progress.begin("write", self.sources.iter().map(|source| source.bytes).sum(), Unit::Bytes);
        let mut before = 0;
        for (number, source) in (self.places.against.len() as u32..).zip(&self.sources) {
            let at = |position| progress.position(before + position);
            let mut copy = kept.copy(source)?.ok_or_else(changed)?;
            while let Some(Removal { pair, row, .. }) = removal.take_if(|next| next.source == number) {
                if !copy.leave_out(row, at)? {
                    return Err(changed());
                }
                rows -= 1;
                if let Some(table) = &mut removed {
                    self.row(table, &pair, &self.removal_reason(&pair), None)?;
                }
                removal = Removal::next(&mut removals, documents)?;
            }
            if !copy.finish(at)? {
                return Err(changed());
            }
            before += source.bytes;
        }
        if removal.is_some() {
            return Err(changed());
        }
        progress.end();
        sources::must_be_unchanged(self.places.inputs)?;
        Ok(rows)
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
