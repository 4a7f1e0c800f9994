//! Panics of redb become errors.

use std::path::Path;

use crate::error::{IndexError, Result};

/// Runs `work`; a panic becomes an error about the store at `path`.
///
/// redb panics when a page holds what it never wrote (an `unreachable` of its B-tree), and a
/// damaged file must not bring a service down. The message of the panic is on standard error.
pub(crate) fn catch_panics<T>(path: &Path, work: impl FnOnce() -> Result<T>) -> Result<T> {
    // Data behind a poisoned lock is whole: see `state::lock`.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let what = "reading it failed where only damage can make it fail".to_owned();
        Err(IndexError::Damaged { path: path.to_owned(), what })
    })
}
