//! Is there space for a change?
//!
//! A store that runs into the end of the disk in the middle of a commit recovers, but has to be opened again. Asking
//! before is cheaper, and leaves enough for what must be written even then.

use std::path::Path;

use crate::error::{IndexError, Result};

/// Less than this and nothing is added: about what one large commit writes.
const RESERVE: u64 = 8 << 20;

/// Refuses a change when the disk of the file is nearly full.
pub(super) fn check(path: &Path) -> Result<()> {
    match rustix::fs::statvfs(path) {
        Ok(disk) if disk.f_bavail.saturating_mul(disk.f_frsize) < RESERVE => {
            Err(IndexError::DiskFull { path: path.to_owned() })
        }
        // A file system that cannot tell is tried.
        _ => Ok(()),
    }
}
