//! Where does a row stand?

use std::fmt;
use std::num::NonZeroU64;
use std::sync::Arc;

use crate::source::Source;

/// The place of a row in its source: `docs.jsonl:17`, or the file alone where a file is one
/// document.
///
/// Two words and a shared pointer, so every row and every error carries one.
#[derive(Debug, Clone)]
pub struct Position {
    source: Arc<Source>,
    number: Option<NonZeroU64>,
}

impl Position {
    pub(crate) fn numbered(source: &Arc<Source>, number: u64) -> Position {
        Position { source: Arc::clone(source), number: NonZeroU64::new(number) }
    }

    pub(crate) fn whole_file(source: &Arc<Source>) -> Position {
        Position { source: Arc::clone(source), number: None }
    }

    /// The source that holds the row.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The number of the line (text formats), row (Parquet) or record (WARC), from 1; `None` where
    /// the file is the row.
    pub fn number(&self) -> Option<u64> {
        self.number.map(NonZeroU64::get)
    }
}

/// Equal places of equally named sources are equal.
impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number && self.source.name == other.source.name
    }
}

impl Eq for Position {}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.row_name(self.number()).fmt(formatter)
    }
}
