//! Which run of the machine is this?

use std::fs;
use std::path::Path;

/// Linux draws a name for each run of the machine.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// The name of this run of the machine, where the system tells.
fn this_run() -> Option<String> {
    fs::read_to_string(BOOT_ID).ok().filter(|name| !name.trim().is_empty())
}

/// Notes this run of the machine in `file`; whether it could be told from others.
pub(super) fn note(file: &Path) -> std::io::Result<bool> {
    match this_run() {
        Some(name) => fs::write(file, name).map(|()| true),
        None => Ok(false),
    }
}

/// Whether `file` holds a note of another run of the machine than this one.
pub(super) fn is_of_another_run(file: &Path) -> bool {
    // Whatever else is in the file is no name of this run either; only a file that is not there says nothing.
    fs::read_to_string(file)
        .map_or_else(|error| error.kind() != std::io::ErrorKind::NotFound, |noted| Some(noted) != this_run())
}
