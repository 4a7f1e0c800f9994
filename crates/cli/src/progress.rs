//! Progress bars, on a terminal only.

use std::io::IsTerminal;
use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressStyle};
use twindex_batch::{Progress, Unit};

/// Draws a bar a stage on standard error, if that is a terminal.
pub(crate) struct Bars {
    visible: bool,
    current: Mutex<Option<ProgressBar>>,
}

impl Bars {
    /// Bars that are drawn unless `quiet` or standard error is no terminal.
    pub(crate) fn new(quiet: bool) -> Self {
        Bars { visible: !quiet && std::io::stderr().is_terminal(), current: Mutex::new(None) }
    }

    /// Prints a line on standard error, above the bar if there is one.
    pub(crate) fn say(&self, line: &str) {
        let bar = self.current.lock().ok().and_then(|current| current.clone());
        match bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None => eprintln!("{line}"),
        }
    }

    fn with_current(&self, act: impl FnOnce(&mut Option<ProgressBar>)) {
        if self.visible
            && let Ok(mut current) = self.current.lock()
        {
            act(&mut current);
        }
    }
}

impl Progress for Bars {
    fn begin(&self, stage: &'static str, total: u64, unit: Unit) {
        self.with_current(|current| {
            let template = match unit {
                // The size of a stream is not known beforehand.
                _ if total == 0 => "{msg:>10} {decimal_bytes:>11} {decimal_bytes_per_sec}",
                Unit::Bytes => {
                    "{msg:>10} {bar:40} {decimal_bytes:>11} of {decimal_total_bytes:<11} {decimal_bytes_per_sec}, {eta} left"
                }
                Unit::Things => "{msg:>10} {bar:40} {human_pos:>11} of {human_len:<11} {eta} left",
            };
            let style =
                ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            *current = Some(ProgressBar::new(total).with_style(style).with_message(stage));
        });
    }

    fn position(&self, done: u64) {
        self.with_current(|current| {
            if let Some(bar) = current {
                bar.set_position(done);
            }
        });
    }

    fn end(&self) {
        self.with_current(|current| {
            if let Some(bar) = current.take() {
                bar.finish_and_clear();
            }
        });
    }
}
