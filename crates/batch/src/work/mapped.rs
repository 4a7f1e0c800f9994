//! A file of the work folder in memory, without a copy.
//!
//! What a job has written a moment ago the system still holds. Reading it back would copy it to fresh pages, which have to
//! be cleared first: for a brief job that took as long as the search for equal texts and the written rows together.

use std::fs::File;
use std::io;
use std::ops::Deref;

use memmap2::Mmap;

/// A mapped file.
#[derive(Debug)]
pub(super) struct Mapped(Mmap);

impl Mapped {
    /// Maps all of a file that nobody writes to any more.
    pub(super) fn new(file: &File) -> io::Result<Self> {
        #[expect(unsafe_code, reason = "a map is only as constant as its file")]
        // SAFETY: the file belongs to a finished stage of a work folder that this process has locked: no stage writes to it
        // again, other processes are kept out by the lock, and the folder is readable and writable by its owner alone.
        let map = unsafe { Mmap::map(file) }?;
        Ok(Mapped(map))
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
