//! Renewing documents, and removing expired ones.

use std::sync::atomic::Ordering::Relaxed;

use crate::error::Result;
use crate::state::State;
use crate::store::Documents;
use crate::time::{Timestamp, is_over};

/// Expired documents that are removed in one change; adds wait for it.
const EXPIRE_BATCH: usize = 10_000;

impl State {
    /// Changes when a document expires; whether it was there.
    pub(crate) fn renew(&self, id: &str, expires: Option<Timestamp>, now: Timestamp) -> Result<bool> {
        let _lock = self.lock();
        self.store.change(|tables| {
            let Some((number, mut record)) = tables.find(id)? else { return Ok(false) };
            if is_over(record.expires, now) {
                return Ok(false);
            }
            tables.set_expiry(number, &mut record, expires)?;
            Ok(true)
        })
    }

    /// Removes expired documents; how many.
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
                    tables.remove(number, &record)?;
                }
                Ok(())
            })?;
            self.totals.expired.fetch_add(expired.len() as u64, Relaxed);
            removed += expired.len() as u64;
        }
    }
}
