//! Standard input until a signal.
//!
//! A feed has no end: its reader is stopped by a signal (Ctrl-C, `kill`, a closed terminal). The
//! first signal is the end of the input, so that rows in progress are finished; the second one ends
//! the program. An ignored signal (`nohup`) stays ignored.
//!
//! Only whole lines are returned: a row that is incomplete when the signal comes is dropped.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

/// How long a signal may go unnoticed while no input comes.
const LOOK_EVERY: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// The size of one read.
const STEP: usize = 64 << 10;

/// The most that is returned at once, if it is there: each time costs a commit of the index.
const AT_ONCE: usize = 512 << 10;

/// Waiting for nothing.
const NOT: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

/// A longer line is returned in pieces: the reader has its own limit.
const LONGEST_LINE: usize = 64 << 20;

/// See the module.
pub(crate) struct UntilSignal {
    /// Without a buffer, so that waiting for the file is waiting for the input.
    input: File,
    stop: Arc<AtomicBool>,
    /// Bytes that arrived and were not returned; the first `whole` are whole lines.
    arrived: Vec<u8>,
    whole: usize,
}

impl UntilSignal {
    /// From now on signals end the input.
    pub(crate) fn new() -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let ignored = ignored_signals(&fs::read_to_string("/proc/self/status").unwrap_or_default());
        for signal in [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0)
        {
            // In this order: the first signal finds the flag unset, and sets it.
            flag::register_conditional_default(signal, Arc::clone(&stop))?;
            flag::register(signal, Arc::clone(&stop))?;
        }
        let input = io::stdin().as_fd().try_clone_to_owned()?.into();
        Ok(UntilSignal { input, stop, arrived: vec![], whole: 0 })
    }

    /// Waits until there are whole lines, or nothing more comes; and takes what else is there.
    fn wait(&mut self) -> io::Result<()> {
        while self.whole == 0 || self.arrived.len() < AT_ONCE {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            let time = if self.whole == 0 { &LOOK_EVERY } else { &NOT };
            match poll(&mut [PollFd::new(&self.input, PollFlags::IN)], Some(time)) {
                Ok(0) | Err(_) if self.whole > 0 => break,
                Ok(0) | Err(Errno::INTR) => continue,
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
            let before = self.arrived.len();
            self.arrived.resize(before + STEP, 0);
            let read = self.input.read(&mut self.arrived[before..]);
            self.arrived.truncate(before + *read.as_ref().unwrap_or(&0));
            let fresh = &self.arrived[before..];
            let line_end = fresh.iter().rposition(|&byte| byte == b'\n').map(|end| before + end + 1);
            if read.is_err() && self.whole > 0 {
                break;
            }
            if read? == 0 || self.arrived.len() > LONGEST_LINE {
                // The last line of a file may lack its end.
                self.whole = self.arrived.len();
                return Ok(());
            }
            self.whole = line_end.unwrap_or(self.whole);
        }
        Ok(())
    }
}

impl Read for UntilSignal {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.wait()?;
        let length = self.whole.min(buffer.len());
        buffer[..length].copy_from_slice(&self.arrived[..length]);
        self.arrived.drain(..length);
        self.whole -= length;
        Ok(length)
    }
}

/// The signals that the process ignores, one bit each, from /proc; none on other systems.
fn ignored_signals(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read_from_the_status() {
        assert_eq!(ignored_signals("Name:\tx\nSigIgn:\t0000000000001001\nSigCgt:\t0\n"), 0x1001);
        assert_eq!(ignored_signals(""), 0);
    }
}
