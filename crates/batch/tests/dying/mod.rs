//! A job that dies at a given moment.

use std::sync::atomic::{AtomicU32, Ordering};

use twindex_batch::{Progress, Unit};

/// Panics at the given number of progress reports.
pub(crate) struct Dies(AtomicU32);

impl Dies {
    pub(crate) fn after(life: u32) -> Self {
        Dies(AtomicU32::new(life))
    }
}

impl Progress for Dies {
    fn begin(&self, _: &'static str, _: u64, _: Unit) {}
    fn position(&self, _: u64) {
        assert_ne!(self.0.fetch_sub(1, Ordering::Relaxed), 0, "as planned");
    }
    fn end(&self) {}
}
