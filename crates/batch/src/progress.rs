//! How a job tells how far it is.

/// Receives the progress of a job. Methods may be called often; they must be quick.
pub trait Progress: Sync {
    /// A stage begins. `total` is in the unit that `position` counts.
    fn begin(&self, stage: &'static str, total: u64, unit: Unit);
    /// So much of the stage is done, in all.
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

/// Tells nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: &'static str, _: u64, _: Unit) {}
    fn position(&self, _: u64) {}
    fn end(&self) {}
}
