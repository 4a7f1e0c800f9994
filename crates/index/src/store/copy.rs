//! Copying a store at one moment.

use redb::{Key, ReadableTable, TableDefinition, Value};

use super::{
    COUNTERS, DOCUMENTS, EVIDENCE, EXPIRY, FINGERPRINTS, IDS, PARAGRAPHS, Reader, Store, StoreResult,
};
use crate::error::{IndexError, Result};

/// Rows of one commit of a copy.
const ROWS: usize = 100_000;

impl Reader<'_> {
    /// Copies every document into an empty store. A copy has no segments, so it needs no
    /// tombstones.
    pub(crate) fn copy_to(&self, copy: &Store) -> Result<()> {
        let all = || -> StoreResult<()> {
            self.copy_table(copy, DOCUMENTS)?;
            self.copy_table(copy, EVIDENCE)?;
            if copy.is_keyed {
                self.copy_table(copy, FINGERPRINTS)?;
            }
            self.copy_table(copy, PARAGRAPHS)?;
            self.copy_table(copy, IDS)?;
            self.copy_table(copy, EXPIRY)?;
            self.copy_table(copy, COUNTERS)
        };
        all().map_err(IndexError::store(copy.path()))?;
        copy.flush()
    }

    fn copy_table<K: Key + 'static, V: Value + 'static>(
        &self,
        copy: &Store,
        table: TableDefinition<'_, K, V>,
    ) -> StoreResult<()> {
        let source = self.transaction.open_table(table)?;
        let mut rows = source.iter()?.peekable();
        while rows.peek().is_some() {
            let transaction = copy.begin_copy()?;
            {
                let mut target = transaction.open_table(table)?;
                for row in rows.by_ref().take(ROWS) {
                    let (key, value) = row?;
                    target.insert(key.value(), value.value())?;
                }
            }
            transaction.commit()?;
        }
        Ok(())
    }
}
