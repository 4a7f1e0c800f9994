//! How does long work report how far it is?
//!
//! ```
//! use std::sync::atomic::{AtomicU64, Ordering};
//! use twindex_core::progress::{Progress, Unit};
//!
//! /// Remembers the last position.
//! #[derive(Default)]
//! struct Last(AtomicU64);
//!
//! impl Progress for Last {
//!     fn begin(&self, _stage: &'static str, _total: u64, _unit: Unit) {}
//!     fn position(&self, done: u64) {
//!         self.0.store(done, Ordering::Relaxed);
//!     }
//!     fn end(&self) {}
//! }
//!
//! fn count(progress: &dyn Progress) {
//!     progress.begin("count", 3, Unit::Things);
//!     (1..=3).for_each(|done| progress.position(done));
//!     progress.end();
//! }
//!
//! let last = Last::default();
//! count(&last);
//! assert_eq!(last.0.into_inner(), 3);
//! ```

/// Receives the progress of a job. Methods may be called often; they must be quick.
pub trait Progress: Sync {
    /// A stage begins. `total` is in the unit that `position` counts.
    fn begin(&self, stage: &'static str, total: u64, unit: Unit);
    /// `done` of the stage's `total` is done.
    fn position(&self, done: u64);
    /// The stage is over.
    fn end(&self);
}

/// What a stage counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Things, such as documents or candidates.
    Things,
}

/// Reports nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: &'static str, _: u64, _: Unit) {}
    fn position(&self, _: u64) {}
    fn end(&self) {}
}
