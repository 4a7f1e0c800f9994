//! What a search may spend, and where it works.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use twindex_core::kernel::Kernel;
use twindex_corpus::{STANDARD_STREAM, TableWriter, WORK_SUFFIX};
use twindex_disk::{Disk, RealDisk};

use crate::defaults;
use crate::error::{BatchError, Result};
use crate::memory::megabytes;
use crate::work::{Existing, WorkFolder};

/// What a search may spend.
#[derive(Debug, Clone)]
pub struct Resources {
    /// How much memory, in bytes; default half of the machine's.
    pub memory: u64,
    /// How many threads work; default one for each core.
    pub threads: usize,
    /// The folder in which a folder for intermediate results is made; default that of temporary
    /// files.
    pub work: PathBuf,
    /// The inner loops.
    pub kernel: Kernel,
    /// How files reach the disk; replaced in tests.
    #[doc(hidden)]
    pub disk: Arc<dyn Disk>,
}

impl Default for Resources {
    fn default() -> Self {
        Resources {
            memory: defaults::memory(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            work: std::env::temp_dir(),
            kernel: Kernel::best(),
            disk: Arc::new(RealDisk),
        }
    }
}

/// Program and buffers, and for each thread its rows in flight.
const FIXED_BYTES: u64 = 32 << 20;
const THREAD_BYTES: u64 = 16 << 20;

/// The least memory for sorting.
const LEAST_WORKING_BYTES: u64 = 16 << 20;

impl Resources {
    /// The memory that is left for fingerprints. `what` needs the `least` bytes.
    pub(crate) fn working_memory(&self, least: u64, what: &str) -> Result<u64> {
        let fixed = FIXED_BYTES + self.threads as u64 * THREAD_BYTES;
        let needed = fixed + least.max(LEAST_WORKING_BYTES);
        if self.memory < needed {
            let (given, needed) = (megabytes(self.memory), megabytes(needed));
            return Err(BatchError::TooLarge { what: what.to_owned(), given, needed });
        }
        Ok(self.memory - fixed)
    }

    /// Runs something on the threads.
    pub(crate) fn install<R: Send>(&self, run: impl FnOnce() -> Result<R> + Send) -> Result<R> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build();
        let no_threads = |error| BatchError::work(Path::new("threads"))(std::io::Error::other(error));
        pool.map_err(no_threads)?.install(run)
    }

    /// A new folder for intermediate results, which is removed when it is dropped.
    pub(crate) fn work_folder(&self) -> Result<TemporaryWork> {
        // Process ids repeat, above all in containers.
        let random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), std::process::id());
        let path = self.work.join(format!("twindex-{random:016x}{WORK_SUFFIX}"));
        let folder = WorkFolder::open(&path, Existing::Refuse, Arc::clone(&self.disk))?;
        Ok(TemporaryWork(Some(folder)))
    }
}

/// A work folder that is removed when it is dropped, after errors too.
#[derive(Debug)]
pub(crate) struct TemporaryWork(Option<WorkFolder>);

impl std::ops::Deref for TemporaryWork {
    type Target = WorkFolder;

    fn deref(&self) -> &WorkFolder {
        self.0.as_ref().expect("only dropping takes it")
    }
}

impl Drop for TemporaryWork {
    fn drop(&mut self) {
        // A destructor cannot return an error; what is left is among temporary files.
        let _ = self.0.take().map(WorkFolder::remove);
    }
}

/// Notices a wrong name of a table before the work.
pub(crate) fn check_output(path: &Path) -> Result<()> {
    if path.as_os_str() != STANDARD_STREAM {
        drop(TableWriter::create(path, &[])?);
    }
    Ok(())
}
