//! Is there space for a change?
//!
//! A store whose disk fills up in the middle of a commit recovers, but must be reopened. Checking
//! first is cheaper, and leaves a reserve for removals and maintenance.

use std::path::Path;

use crate::error::{IndexError, Result};

/// With less free space than this nothing is added: about what one large commit writes.
const RESERVE: u64 = 8 << 20;

/// Refuses an addition when the disk of the file is nearly full.
pub(super) fn check(path: &Path) -> Result<()> {
    match rustix::fs::statvfs(path) {
        Ok(disk) if disk.f_bavail.saturating_mul(disk.f_frsize) < RESERVE => {
            Err(IndexError::DiskFull { path: path.to_owned() })
        }
        // A file system that does not report its free space is tried.
        _ => Ok(()),
    }
}
