//! Fingerprints that were read: stored ones, and queries.

use std::path::Path;

use twindex_core::fingerprint::{Margins, Simhash};
use twindex_core::search::Query;

use super::ids::{IdWriter, Ids};
use super::input::{Counted, FingerprintInput, Reading, Rows, read};
use super::resources::Resources;
use crate::error::Result;
use crate::progress::Progress;
use crate::work::{Column, ColumnWriter, WorkFolder};

/// Bytes of the margins of a fingerprint.
const MARGIN_BYTES: usize = size_of::<Margins>();

/// Fingerprints in memory; their ids and margins are on disk.
pub(crate) struct Collection {
    pub(crate) values: Vec<u64>,
    pub(crate) ids: Ids,
    pub(crate) counted: Counted,
    margins: Option<Column>,
}

impl Collection {
    /// Reads the input; `name` is that of its files in the work folder.
    pub(crate) fn read(
        input: &FingerprintInput,
        with_margins: bool,
        name: &'static str,
        output: &Path,
        resources: &Resources,
        work: &WorkFolder,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let path = work.file(&format!("{name}.margins"));
        let mut margins = if with_margins { Some(ColumnWriter::open(&path, 0)?) } else { None };
        let mut ids = IdWriter::create(path.parent().unwrap_or(&path), name)?;
        let mut values = vec![];
        let threads = resources.threads;
        let reading = Reading { input, margins: with_margins, threads, work, stage: name, output };
        let counted = read(&reading, progress, &mut |rows: Rows<u64>| {
            if let Some(column) = &mut margins {
                for margin in rows.margins.iter().flat_map(|margins| &margins.0) {
                    column.append(&margin.to_le_bytes())?;
                }
            }
            values.extend_from_slice(&rows.values);
            ids.append(&rows.names, rows.values.len())
        })?;
        let margins = match margins {
            Some(mut column) => {
                column.flush()?;
                Some(Column::open(&path)?)
            }
            None => None,
        };
        Ok(Collection { values, ids: ids.finish()?, counted, margins })
    }

    /// The margins of some rows; `None` if there are none.
    pub(crate) fn margins(&self, rows: impl ExactSizeIterator<Item = usize>) -> Result<Option<Vec<Margins>>> {
        let Some(column) = &self.margins else { return Ok(None) };
        let mut found = Vec::with_capacity(rows.len());
        let mut bytes = [0; MARGIN_BYTES];
        for row in rows {
            column.read_at((row * MARGIN_BYTES) as u64, &mut bytes)?;
            let (numbers, _) = bytes.as_chunks();
            found.push(Margins(std::array::from_fn(|bit| i32::from_le_bytes(numbers[bit]))));
        }
        Ok(Some(found))
    }

    /// The rows as queries, with the margins that [`Collection::margins`] gave for them.
    pub(crate) fn queries<'m>(
        &self,
        rows: impl Iterator<Item = usize>,
        margins: Option<&'m [Margins]>,
    ) -> Vec<Query<'m>> {
        rows.enumerate()
            .map(|(place, row)| Query {
                fingerprint: Simhash(self.values[row]),
                margins: margins.map(|margins| &margins[place]),
            })
            .collect()
    }
}
