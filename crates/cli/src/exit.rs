//! How the program ends.

use std::process::ExitCode;

use crate::{hint, say};

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

impl UsageError {
    /// A library's error that the command line is to blame for. It stays the cause, so that its
    /// hint is found.
    pub(crate) fn from_cause(cause: impl std::error::Error + Send + Sync + 'static) -> anyhow::Error {
        let message = cause.to_string();
        anyhow::Error::from(cause).context(UsageError(message))
    }
}

/// Prints help, the version or an error of clap; the first two are no errors.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() }
}

/// Prints an error with its causes and what can be done about it.
pub(crate) fn failed(error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        // The reader closed the pipe early: `twindex pairs ... | head`.
        return Exit::Done.into();
    }
    say::error(message(error).trim_end());
    hint::hints(error).iter().for_each(|hint| say::hint(hint));
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

/// Whether the reader closed the pipe.
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
    use crate::hint::Hinted;

    #[test]
    fn causes_are_named_once() {
        let cause = std::io::Error::other("disk on fire");
        let error = anyhow::Error::from(cause).context("cannot read x");
        assert_eq!(message(&error), "cannot read x: disk on fire");
        assert_eq!(message(&anyhow!("a: b").context("c: a: b")), "c: a: b");
        let hinted = Hinted { error, hint: "put it out".to_owned() }.into();
        assert_eq!(message(&hinted), "cannot read x: disk on fire");
    }

    #[test]
    fn a_broken_pipe_is_seen_through_everything() {
        let pipe = || std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        let error = Err::<(), _>(pipe()).context("cannot write").unwrap_err();
        assert!(is_broken_pipe(&error));
        assert!(is_broken_pipe(&Hinted { error: pipe().into(), hint: String::new() }.into()));
        assert!(!is_broken_pipe(&anyhow!("other")));
    }

    #[test]
    fn a_usage_error_keeps_its_cause() {
        let error = UsageError::from_cause(twindex_tune::TruthError::Empty);
        assert!(error.downcast_ref::<UsageError>().is_some());
        assert_eq!(message(&error), "it has no pairs");
        assert_eq!(hint::hints(&error).len(), 1);
    }
}
