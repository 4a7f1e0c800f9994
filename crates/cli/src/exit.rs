//! How the program ends.

use std::process::ExitCode;

use crate::say;

/// The exit codes, as documented in docs/outputs.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything was done.
    Done = 0,
    /// Something failed; the message says what and what to do.
    Failed = 1,
    /// The command line is wrong.
    Usage = 2,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// A mistake that clap does not see: options that contradict each other.
#[derive(Debug)]
pub(crate) struct UsageError(pub(crate) String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// An error with a way out that only the command line knows.
#[derive(Debug)]
pub(crate) struct Hinted {
    pub(crate) error: anyhow::Error,
    pub(crate) hint: String,
}

impl std::fmt::Display for Hinted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\nhint: {}", message(&self.error), self.hint)
    }
}

impl std::error::Error for Hinted {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.error.as_ref())
    }
}

/// Prints what clap has to say: help and version are no errors.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() }
}

/// Prints an error with its causes.
pub(crate) fn failed(error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        // The reader of our output has seen enough: `twindex pairs ... | head`.
        return Exit::Done.into();
    }
    say::error(message(error).trim_end());
    let is_usage = error.downcast_ref::<UsageError>().is_some();
    if is_usage { Exit::Usage.into() } else { Exit::Failed.into() }
}

/// An error with its causes, in one sentence.
fn message(error: &anyhow::Error) -> String {
    let mut message = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        // Many errors already quote their cause.
        if !message.contains(&cause) {
            message.push_str(": ");
            message.push_str(&cause);
        }
    }
    message
}

/// Whether the reader of our output went away.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, anyhow};

    use super::*;

    #[test]
    fn causes_are_told_once() {
        let cause = std::io::Error::other("disk on fire");
        let error = anyhow::Error::from(cause).context("cannot read x");
        assert_eq!(message(&error), "cannot read x: disk on fire");
        assert_eq!(message(&anyhow!("a: b").context("c: a: b")), "c: a: b");
        let hinted = Hinted { error, hint: "put it out".to_owned() }.into();
        assert_eq!(message(&hinted), "cannot read x: disk on fire\nhint: put it out");
    }

    #[test]
    fn a_broken_pipe_is_seen_through_everything() {
        let pipe = || std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        let error = Err::<(), _>(pipe()).context("cannot write").unwrap_err();
        assert!(is_broken_pipe(&error));
        assert!(is_broken_pipe(&Hinted { error: pipe().into(), hint: String::new() }.into()));
        assert!(!is_broken_pipe(&anyhow!("other")));
    }
}
