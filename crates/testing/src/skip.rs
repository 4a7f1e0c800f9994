//! Tests that cannot run on this machine.
//!
//! A test that returns early counts as passed. So a skip goes through [`skip`], which is loud, and
//! which is a failure in continuous integration.

use std::env;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::thread;

/// In continuous integration this variable is `true`, and a skip is a failure.
pub const CI: &str = "CI";

/// Names, separated by commas, of what may be missing even there ([`Need::name`]).
pub const ALLOW_SKIPS: &str = "TWINDEX_ALLOW_SKIPS";

/// A file to which each skip adds a line, so that `cargo xtask test` can count them.
pub const SKIP_LOG: &str = "TWINDEX_SKIP_LOG";

/// What a test may need and a machine may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Chromium and its driver, which `cargo xtask test` installs.
    Browser,
    /// The right to mount a file system.
    Mount,
    /// A user whom permissions bind.
    Permissions,
    /// The device that is always full.
    FullDevice,
    /// The labelled packs, which are no part of the repository.
    Packs,
}

impl Need {
    /// How [`ALLOW_SKIPS`] calls it.
    pub fn name(self) -> &'static str {
        match self {
            Need::Browser => "browser",
            Need::Mount => "mount",
            Need::Permissions => "permissions",
            Need::FullDevice => "full-device",
            Need::Packs => "packs",
        }
    }

    /// Whether a test may be skipped for the lack of it.
    fn may_be_missing(self, is_ci: bool, allowed: &str) -> bool {
        let is_named = || allowed.split(',').any(|name| name.trim() == self.name());
        !is_ci || self == Need::Packs || is_named()
    }
}

/// Says that the test of this thread is skipped, and why.
///
/// # Panics
/// In continuous integration, unless the need may be missing there.
pub fn skip(need: Need, why: &str) {
    let is_ci = env::var(CI).is_ok_and(|value| value == "true");
    let allowed = env::var(ALLOW_SKIPS).unwrap_or_default();
    let name = need.name();
    assert!(
        need.may_be_missing(is_ci, &allowed),
        "{why}, and {CI}=true forbids to skip a test\nhint: {ALLOW_SKIPS}={name} allows it"
    );
    let thread = thread::current();
    let line = format!("SKIPPED ({name}): {}: {why}\n", thread.name().unwrap_or("a test"));
    // Not by `eprintln!`, which the test runner keeps to itself while tests pass.
    let _ = io::stderr().write_all(line.as_bytes());
    if let Some(log) = env::var_os(SKIP_LOG) {
        let appended = OpenOptions::new().create(true).append(true).open(&log);
        let written = appended.and_then(|mut log| log.write_all(line.as_bytes()));
        written.unwrap_or_else(|error| panic!("{}: {error}", log.display()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Need; 5] = [Need::Browser, Need::Mount, Need::Permissions, Need::FullDevice, Need::Packs];

    #[test]
    fn in_continuous_integration_only_packs_and_what_is_named_may_be_missing() {
        for need in ALL {
            assert!(need.may_be_missing(false, ""), "{need:?}");
            assert_eq!(need.may_be_missing(true, ""), need == Need::Packs, "{need:?}");
            assert!(need.may_be_missing(true, &format!("other, {}", need.name())), "{need:?}");
        }
        assert!(!Need::Mount.may_be_missing(true, "mounting"));
    }
}
