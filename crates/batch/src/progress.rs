//! How a job reports its progress.

pub use twindex_core::progress::{Progress, Silent, Unit};
