//! Standard input until somebody asks to stop.
//!
//! A feed has no end of its own: whoever reads it is ended by a signal (Ctrl-C, `kill`, a terminal that goes away). The first one
//! is the end of the input, so that everything that was begun is finished; the second one ends the program as signals do.

use std::fs::File;
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

/// See the module.
pub(crate) struct UntilSignal {
    /// Without a buffer, so that waiting for the file is waiting for the input.
    input: File,
    stop: Arc<AtomicBool>,
}

impl UntilSignal {
    /// From now on signals end the input.
    pub(crate) fn new() -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag unset, and sets it.
            flag::register_conditional_default(signal, Arc::clone(&stop))?;
            flag::register(signal, Arc::clone(&stop))?;
        }
        Ok(UntilSignal { input: io::stdin().as_fd().try_clone_to_owned()?.into(), stop })
    }
}

impl Read for UntilSignal {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.stop.load(Ordering::Relaxed) {
            match poll(&mut [PollFd::new(&self.input, PollFlags::IN)], Some(&LOOK_EVERY)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return self.input.read(buffer),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(0)
    }
}
