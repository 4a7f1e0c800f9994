//! The ids of rows, on disk: most rows are never named.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::input::Names;
use crate::error::{BatchError, Result};
use crate::work::{Column, ColumnWriter};

/// Consecutive rows whose ids come from one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IdPart {
    /// The first row.
    first: u64,
    /// The file whose name and row number are the id, and the number of the first row; `None` if
    /// ids are stored.
    numbered: Option<(String, u64)>,
    /// The rows before it whose ids are stored.
    stored_before: u64,
}

/// Appends ids.
pub(crate) struct IdWriter {
    paths: [PathBuf; 2],
    text: ColumnWriter,
    ends: ColumnWriter,
    parts: Vec<IdPart>,
    rows: u64,
    stored: u64,
}

/// The files of ids with that name: their texts, and where each ends.
fn paths(folder: &Path, name: &str) -> [PathBuf; 2] {
    ["ids", "ends"].map(|kind| folder.join(format!("{name}.{kind}")))
}

impl IdWriter {
    /// New ids in a folder.
    pub(crate) fn create(folder: &Path, name: &str) -> Result<Self> {
        let paths = paths(folder, name);
        for path in paths.iter().filter(|path| path.exists()) {
            std::fs::remove_file(path).map_err(BatchError::work(path))?;
        }
        let [text, ends] = [&paths[0], &paths[1]].map(|path| ColumnWriter::open(path, 0));
        Ok(IdWriter { text: text?, ends: ends?, paths, parts: vec![], rows: 0, stored: 0 })
    }

    /// Appends the ids of `count` rows.
    pub(crate) fn append(&mut self, names: &Names, count: usize) -> Result<()> {
        let follows = self.parts.last().is_some_and(|part| match (&part.numbered, names) {
            (None, Names::Given(..)) => true,
            (Some((before, first)), Names::Numbered(name, next)) => {
                before.as_str() == &**name && first + (self.rows - part.first) == *next
            }
            _ => false,
        });
        if !follows && count > 0 {
            let numbered = match names {
                Names::Numbered(name, first) => Some((name.to_string(), *first)),
                Names::Given(..) => None,
            };
            self.parts.push(IdPart { first: self.rows, numbered, stored_before: self.stored });
        }
        if let Names::Given(ids, ends) = names {
            let before = self.text.bytes();
            self.text.append(ids.as_bytes())?;
            for &end in ends {
                self.ends.append(&(before + u64::from(end)).to_le_bytes())?;
            }
            self.stored += ends.len() as u64;
        }
        self.rows += count as u64;
        Ok(())
    }

    /// The files and the parts, for a collection that outlives the process.
    pub(crate) fn close(mut self) -> Result<([PathBuf; 2], Vec<IdPart>)> {
        self.text.flush()?;
        self.ends.flush()?;
        Ok((self.paths, self.parts))
    }

    /// Ends writing.
    pub(crate) fn finish(self) -> Result<Ids> {
        let (paths, parts) = self.close()?;
        Ids::of(&paths, parts)
    }
}

/// Reads ids by row.
#[derive(Debug)]
pub(crate) struct Ids {
    text: Column,
    ends: Column,
    parts: Vec<IdPart>,
}

impl Ids {
    /// Opens the ids in a folder.
    pub(crate) fn open(folder: &Path, name: &str, parts: Vec<IdPart>) -> Result<Self> {
        Ids::of(&paths(folder, name), parts)
    }

    fn of([text, ends]: &[PathBuf; 2], parts: Vec<IdPart>) -> Result<Self> {
        Ok(Ids { text: Column::open(text)?, ends: Column::open(ends)?, parts })
    }

    /// Holds them in memory, if they take at most `bytes`.
    pub(crate) fn hold(&mut self, bytes: u64) -> Result<()> {
        if self.text.bytes() + self.ends.bytes() <= bytes {
            self.text.hold()?;
            self.ends.hold()?;
        }
        Ok(())
    }

    /// The id of a row.
    pub(crate) fn get(&self, row: u64) -> Result<String> {
        let damaged = |what: &str| BatchError::damaged(self.text.path(), what);
        let place = self.parts.partition_point(|part| part.first <= row);
        let part = place.checked_sub(1).map(|place| &self.parts[place]);
        let part = part.ok_or_else(|| damaged("there is no id for a row"))?;
        let number = row - part.first;
        if let Some((name, first)) = &part.numbered {
            return Ok(format!("{name}:{}", first + number));
        }
        let number = part.stored_before + number;
        let start = if number == 0 { 0 } else { self.ends.number_at(number - 1)? };
        let end = self.ends.number_at(number)?;
        let length = end.checked_sub(start).filter(|_| end <= self.text.bytes());
        let length = length.ok_or_else(|| damaged("an id ends outside of the file"))?;
        let mut buffer = vec![];
        let bytes = self.text.part(start, length as usize, &mut buffer)?;
        Ok(std::str::from_utf8(bytes).map_err(|_| damaged("an id is not UTF-8"))?.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_all_kinds_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = IdWriter::create(folder.path(), "test").unwrap();
        let raw = |first| Names::Numbered("a.u64".into(), first);
        writer.append(&raw(1), 3).unwrap();
        writer.append(&raw(4), 2).unwrap();
        writer.append(&Names::Given("xyz".into(), vec![1, 1, 3]), 3).unwrap();
        writer.append(&Names::Given(String::new(), vec![]), 0).unwrap();
        writer.append(&Names::Numbered("b.u64".into(), 1), 1).unwrap();
        writer.append(&Names::Given("w".into(), vec![1]), 1).unwrap();
        assert_eq!(writer.parts.len(), 4);
        let (_, parts) = writer.close().unwrap();
        for held in [0, 1 << 20] {
            let mut ids = Ids::open(folder.path(), "test", parts.clone()).unwrap();
            ids.hold(held).unwrap();
            let found: Vec<String> = (0..10).map(|row| ids.get(row).unwrap()).collect();
            let expected =
                ["a.u64:1", "a.u64:2", "a.u64:3", "a.u64:4", "a.u64:5", "x", "", "yz", "b.u64:1", "w"];
            assert_eq!(found, expected);
        }
    }
}
