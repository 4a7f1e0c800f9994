//! How does a row of a table in text (CSV, TSV) become a document?

use std::sync::Arc;

use crate::error::CorpusError;
use crate::source::Source;

/// The first row of a table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// As it came, with the line break.
    pub(crate) raw: Vec<u8>,
    pub(crate) names: Vec<String>,
}

impl Header {
    /// A header of names between tabs.
    pub(crate) fn of_tabs(_source: &Source, raw: &[u8]) -> Result<Arc<Header>, CorpusError> {
        let line = String::from_utf8_lossy(raw);
        let names = line.trim_end_matches(['\n', '\r']).split('\t').map(str::to_owned).collect();
        Ok(Arc::new(Header { raw: raw.to_owned(), names }))
    }
}
