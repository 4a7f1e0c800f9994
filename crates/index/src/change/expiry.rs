//! When documents end: renewing them, and removing what has expired.

use super::document;
use crate::error::Result;
use crate::state::State;
use crate::store::Documents;
use crate::time::{Timestamp, is_over};

/// Expired documents are removed so many at a time, so that adds need not wait long.
const EXPIRE_BATCH: usize = 10_000;

impl State {
    /// Changes when a document expires; whether it was there.
    pub(crate) fn renew(&self, id: &str, expires: Option<Timestamp>, now: Timestamp) -> Result<bool> {
        let _lock = self.lock();
        self.store.change(|tables| {
            let Some((number, mut record)) = document(tables, id)? else { return Ok(false) };
            if is_over(record.expires, now) {
                return Ok(false);
            }
            tables.set_expiry(number, &mut record, expires)?;
            Ok(true)
        })
    }

    /// Removes what has expired; how many documents that were.
    pub(crate) fn expire(&self, now: Timestamp) -> Result<u64> {
        let mut removed = 0;
        loop {
            let _lock = self.lock();
            let expired = self.store.read()?.expired(now, EXPIRE_BATCH)?;
            if expired.is_empty() {
                return Ok(removed);
            }
            self.store.change(|tables| {
                for &number in &expired {
                    let record = tables.record(number)?.ok_or_else(|| tables.damaged(number, "record"))?;
                    tables.bury(number, &record)?;
                }
                Ok(())
            })?;
            self.work.expired(expired.len());
            removed += expired.len() as u64;
        }
    }
}
