//! Sealing and merging postings. A segment is in a file before it is in a view.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use crate::error::Result;
use crate::postings::PostingSet;
use crate::segments::{FileName, Kind, POSTINGS, postings};
use crate::state::State;

impl State {
    /// Does what is due, if this is an index by keys.
    pub(super) fn settle_postings(&self) -> Result<()> {
        let mut changed = false;
        while self.seal_postings(false)? || self.merge_due_postings()? {
            changed = true;
        }
        if changed { self.drop_replaced_postings() } else { Ok(()) }
    }

    /// Merges everything into one segment.
    pub(super) fn purge_postings(&self) -> Result<()> {
        self.seal_postings(true)?;
        let segments = self.view.load().postings.as_ref().map_or(0, |set| set.sealed().len());
        self.merge_postings(&(0..segments))?;
        self.drop_replaced_postings()
    }

    /// Exchanges the postings of the view.
    fn exchange(&self, change: impl FnOnce(&PostingSet) -> PostingSet) {
        let _lock = self.lock();
        let mut view = self.view.load().as_ref().clone();
        view.postings = view.postings.as_ref().map(change);
        self.view.store(Arc::new(view));
    }

    fn seal_postings(&self, in_any_case: bool) -> Result<bool> {
        let view = self.view.load_full();
        let Some(set) = &view.postings else { return Ok(false) };
        if !(set.is_full() || (in_any_case && set.buffered() > 0)) {
            return Ok(false);
        }
        // With relaxed durability a file could otherwise hold documents that a crash loses.
        self.store.flush()?;
        let end = view.next.document;
        let sealed = postings::seal(&self.files, set.runs(), set.sealed_end()..end)?;
        self.exchange(|set| set.with_sealed(sealed, end));
        Ok(true)
    }

    fn merge_due_postings(&self) -> Result<bool> {
        let due = self.view.load().postings.as_ref().and_then(PostingSet::merge_due);
        let Some(range) = due else { return Ok(false) };
        self.merge_postings(&range)?;
        Ok(true)
    }

    fn merge_postings(&self, range: &Range<usize>) -> Result<()> {
        let view = self.view.load_full();
        let Some(set) = view.postings.as_ref().filter(|_| !range.is_empty()) else { return Ok(()) };
        let segments = &set.sealed()[range.clone()];
        let end = segments.last().map_or(0, |last| last.covers().end);
        let removed = self.removed(Kind::Documents, segments[0].covers().start..end)?;
        let is_removed = |number: u32| removed.binary_search(&number).is_ok();
        // One segment without removed documents stays as it is.
        let keeps_all =
            removed.iter().all(|&number| !segments.iter().any(|it| it.documents().contains(number)));
        if segments.len() == 1 && keeps_all {
            return Ok(());
        }
        let merged = postings::merge(&self.files, segments, is_removed)?;
        self.totals.merges.fetch_add(1, Relaxed);
        let documents = merged.as_ref().map_or(0, |merged| merged.documents().len());
        self.totals.merged_fingerprints.fetch_add(documents as u64, Relaxed);
        self.exchange(|set| set.with_merged(range, merged));
        Ok(())
    }

    /// Removes the files that have no segment, then the tombstones of documents that no segment and
    /// no run holds.
    fn drop_replaced_postings(&self) -> Result<()> {
        let view = self.view.load_full();
        let Some(set) = &view.postings else { return Ok(()) };
        let wanted: BTreeSet<FileName> = set
            .sealed()
            .iter()
            .map(|segment| FileName::new(segment.covers(), segment.documents().len() as u64))
            .collect();
        let written = self.files.list(POSTINGS)?;
        let stale: Vec<&FileName> = written.iter().filter(|file| !wanted.contains(file)).collect();
        for file in &stale {
            self.files.remove(POSTINGS, file)?;
        }
        if !stale.is_empty() {
            // A removed file must not come back after a power cut when its tombstones are gone.
            self.files.sync()?;
        }
        let tombstones = self.store.read()?.tombstones(0..set.sealed_end())?;
        let is_held = |number: &u32| set.sealed().iter().any(|it| it.documents().contains(*number));
        let gone: Vec<u32> = tombstones.into_iter().filter(|number| !is_held(number)).collect();
        self.drop(Kind::Documents, &gone)
    }
}
