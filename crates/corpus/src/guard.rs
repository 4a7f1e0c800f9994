//! What happens when a library panics on a damaged file?
//!
//! The readers of Parquet and Arrow answer most damage with an error and some with a panic. A file
//! of somebody else's must not end the program with a backtrace, so their calls run behind a guard
//! that turns a panic into the text of an error. The panic hook of the program asks
//! [`is_guarded`] whether to stay silent.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread will be turned into an error, so that a panic hook need not print
/// it.
pub fn is_guarded() -> bool {
    GUARDED.get()
}

/// Calls foreign code; the error is what it said when it panicked.
///
/// Whatever the call leaves half done is dropped by the callers: they give up the file.
pub(crate) fn foreign<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    let before = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(call));
    GUARDED.set(before);
    result.map_err(|panic| {
        let said = panic
            .downcast_ref::<&str>()
            .map(|said| (*said).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        // A message may have several lines; the first says what was wrong.
        let said = said.lines().next().unwrap_or_default();
        format!("its reader gave up ({said}); write the file anew with another program, or leave it out")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        assert_eq!(foreign(|| 3), Ok(3));
        let panics = || {
            assert!(is_guarded(), "the hook would print this");
            assert_eq!(1, [2][0], "index out\nof bounds");
        };
        let message = foreign(panics).unwrap_err();
        assert!(message.starts_with("its reader gave up (assertion"), "{message}");
        assert!(!is_guarded());
    }
}
