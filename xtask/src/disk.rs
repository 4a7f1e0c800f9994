//! How full did a folder get while something ran?

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Often enough for files that live for seconds; a shorter-lived peak may be missed, so the figure
/// is a lower bound.
const PERIOD: Duration = Duration::from_millis(200);

/// Runs `work` and returns its result with the most bytes that `folder` held meanwhile.
pub(crate) fn high_water<T>(folder: &Path, work: impl FnOnce() -> T) -> (T, u64) {
    let (done, most) = (AtomicBool::new(false), AtomicU64::new(0));
    let result = thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                most.fetch_max(bytes_below(folder), Ordering::Relaxed);
                thread::park_timeout(PERIOD);
            }
        });
        let result = work();
        done.store(true, Ordering::Relaxed);
        watcher.thread().unpark();
        result
    });
    (result, most.into_inner().max(bytes_below(folder)))
}

/// The bytes of all files below a folder. What vanishes while it is read counts as nothing.
fn bytes_below(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(data) if data.is_dir() => bytes_below(&entry.path()),
            Ok(data) => data.len(),
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_gone_at_the_end_still_counts() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        let ((), most) = high_water(folder.path(), || {
            fs::write(inner.join("large"), vec![0; 5_000]).unwrap();
            thread::sleep(PERIOD * 3);
            fs::remove_file(inner.join("large")).unwrap();
            fs::write(inner.join("small"), vec![0; 100]).unwrap();
        });
        assert_eq!(most, 5_000);
    }
}
