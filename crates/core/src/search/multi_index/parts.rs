//! An index as plain columns of numbers, for snapshots.
//!
//! Whoever writes them chooses the file and its checksums; numbers are written in little-endian order to be read anywhere. What
//! is read back is checked for its form, so that a wrong file is an error instead of a panic in a search. Whether tags
//! belong to their fingerprints is the checksum's business.

use std::borrow::Cow;

use thiserror::Error;

use crate::kernel::Kernel;

use super::layout::{Header, Layout};
use super::table::Table;
use super::{MultiIndex, Tables};

/// The columns of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts<'a> {
    /// How many fingerprints.
    pub length: usize,
    /// The fingerprints by position; empty if the entries are whole fingerprints.
    pub fingerprints: Cow<'a, [u64]>,
    /// The tables in their order.
    pub tables: Vec<TableParts<'a>>,
}

/// The columns of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableParts<'a> {
    /// Its header.
    pub header: Header,
    /// Where each bucket begins, and where the last one ends.
    pub offsets: Cow<'a, [u32]>,
    /// The entries in header order.
    pub entries: Entries<'a>,
    /// The position of each entry.
    pub positions: Cow<'a, [u32]>,
}

/// The entries of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entries<'a> {
    /// Tags of 32 bits.
    Tags(Cow<'a, [u32]>),
    /// Whole fingerprints.
    Words(Cow<'a, [u64]>),
}

/// Columns that are no index.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PartsError {
    /// A column has the wrong length.
    #[error("{column} of table {table} has {found} numbers, expected {expected}; build the index again")]
    Length {
        /// The number of the table.
        table: usize,
        /// Which column.
        column: &'static str,
        /// How many were expected.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// Headers overlap, leave the fingerprint or are empty.
    #[error(
        "the header of table {table} has {bits} bits from bit {shift} on, expected 1 to 28 bits of its own; build the index again"
    )]
    Header {
        /// The number of the table.
        table: usize,
        /// Its lowest bit.
        shift: u32,
        /// Its width.
        bits: u32,
    },
    /// Offsets do not ascend from zero to the number of fingerprints.
    #[error("the offsets of table {table} do not ascend from 0 to {length}; build the index again")]
    Offsets {
        /// The number of the table.
        table: usize,
        /// Where they should end.
        length: usize,
    },
    /// A position lies outside the collection.
    #[error(
        "table {table} has the position {position}, but there are {length} fingerprints; build the index again"
    )]
    Position {
        /// The number of the table.
        table: usize,
        /// What was found.
        position: u32,
        /// How many fingerprints there are.
        length: usize,
    },
    /// Some tables have tags and some have fingerprints, or there is no table, or too many fingerprints.
    #[error(
        "expected one or more tables that all hold tags, or all hold fingerprints, of less than 2^32; build the index again"
    )]
    Mixed,
}

/// The widest header: its offsets take a gigabyte.
const MOST_BITS: u32 = 28;

impl MultiIndex {
    /// The columns.
    pub fn parts(&self) -> Parts<'_> {
        let parts = |header, offsets, entries, positions| TableParts {
            header,
            offsets: Cow::Borrowed(offsets),
            entries,
            positions: Cow::Borrowed(positions),
        };
        let (fingerprints, tables) = match &self.tables {
            Tables::Tags(tables, fingerprints) => {
                let tables = tables.iter().map(|it| {
                    parts(it.header, &it.offsets, Entries::Tags(Cow::Borrowed(&it.entries)), &it.positions)
                });
                (fingerprints.as_slice(), tables.collect())
            }
            Tables::Words(tables) => {
                let tables = tables.iter().map(|it| {
                    parts(it.header, &it.offsets, Entries::Words(Cow::Borrowed(&it.entries)), &it.positions)
                });
                ([].as_slice(), tables.collect())
            }
        };
        Parts { length: self.length, fingerprints: Cow::Borrowed(fingerprints), tables }
    }

    /// The index of these columns.
    pub fn from_parts(parts: Parts<'_>, kernel: Kernel) -> Result<Self, PartsError> {
        let Parts { length, fingerprints, tables } = parts;
        let words = matches!(tables.first(), Some(TableParts { entries: Entries::Words(_), .. }));
        let stored = if words { 0 } else { length };
        if u32::try_from(length).is_err() || tables.is_empty() {
            return Err(PartsError::Mixed);
        }
        expect_length(0, "fingerprints", stored, fingerprints.len())?;
        let mut headers: Vec<Header> = vec![];
        let (mut tags_tables, mut words_tables) = (vec![], vec![]);
        for (number, table) in tables.into_iter().enumerate() {
            check(&table, number, length, &headers)?;
            headers.push(table.header);
            let (header, offsets, positions) =
                (table.header, table.offsets.into_owned(), table.positions.into_owned());
            match table.entries {
                Entries::Tags(tags) if !words => {
                    tags_tables.push(Table {
                        header,
                        offsets,
                        entries: tags.into_owned(),
                        positions,
                        lines: vec![],
                    });
                }
                Entries::Words(entries) if words => {
                    words_tables.push(Table {
                        header,
                        offsets,
                        entries: entries.into_owned(),
                        positions,
                        lines: vec![],
                    });
                }
                _ => return Err(PartsError::Mixed),
            }
        }
        let tables = if words {
            Tables::Words(words_tables)
        } else {
            Tables::Tags(tags_tables, fingerprints.into_owned())
        };
        Ok(MultiIndex {
            length,
            layout: Layout { headers, words },
            tables,
            kernel,
            steps: Default::default(),
        })
    }
}

fn check(parts: &TableParts<'_>, table: usize, length: usize, before: &[Header]) -> Result<(), PartsError> {
    let Header { shift, bits } = parts.header;
    let inside =
        (1..=MOST_BITS).contains(&bits) && shift.checked_add(bits).is_some_and(|end| end <= u64::BITS);
    if !inside || before.iter().any(|header| header.mask() & parts.header.mask() != 0) {
        return Err(PartsError::Header { table, shift, bits });
    }
    expect_length(table, "offsets", (1 << bits) + 1, parts.offsets.len())?;
    expect_length(table, "positions", length, parts.positions.len())?;
    let entries = match &parts.entries {
        Entries::Tags(tags) => tags.len(),
        Entries::Words(words) => words.len(),
    };
    expect_length(table, "entries", length, entries)?;
    let ends = (parts.offsets.first(), parts.offsets.last());
    if ends != (Some(&0), Some(&(length as u32))) || !parts.offsets.is_sorted() {
        return Err(PartsError::Offsets { table, length });
    }
    match parts.positions.iter().find(|&&position| position as usize >= length) {
        Some(&position) => Err(PartsError::Position { table, position, length }),
        None => Ok(()),
    }
}

fn expect_length(
    table: usize,
    column: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), PartsError> {
    if expected == found { Ok(()) } else { Err(PartsError::Length { table, column, expected, found }) }
}
