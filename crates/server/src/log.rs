//! What the service says while it runs, on standard error.

use std::io;

use tracing::level_filters::LevelFilter;

/// How log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line, for programs.
    Json,
}

/// Starts logging. Without `verbose`, single requests are not logged unless they fail or are slow.
pub fn start_log(format: LogFormat, verbose: bool) {
    let level = if verbose { LevelFilter::DEBUG } else { LevelFilter::INFO };
    let log = tracing_subscriber::fmt().with_max_level(level).with_writer(io::stderr).with_target(false);
    // The process may have a log already; then this one is not needed.
    let _ = match format {
        LogFormat::Text => log.with_ansi(false).try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
}
