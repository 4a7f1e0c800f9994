//! What all requests share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::Semaphore;
use twindex_index::{Index, Timestamp};

use crate::config::Config;
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::tokens::Tokens;
use crate::workers::Workers;

/// Adds mostly wait for the disk, and concurrent ones share a commit: many threads cost little.
const SLOW_THREADS: usize = 32;

/// The service: an index, and what is needed to answer for it.
#[derive(Debug)]
pub struct Service {
    pub(crate) config: Config,
    pub(crate) tokens: Option<Tokens>,
    pub(crate) metrics: Metrics,
    pub(crate) body_memory: Arc<Semaphore>,
    /// Threads for queries: as many as cores, because they compute.
    pub(crate) quick: Workers,
    /// Threads for changes and comparisons, which wait for the disk or take their time.
    pub(crate) slow: Workers,
    index: OnceLock<Arc<Index>>,
    stopping: AtomicBool,
    clock: fn() -> Timestamp,
}

impl Service {
    /// A service whose index is not open yet: it answers that it is not ready.
    pub fn new(config: Config, tokens: Option<Tokens>) -> std::io::Result<Arc<Service>> {
        Service::with_clock(config, tokens, Timestamp::now)
    }

    /// The same with another clock, for tests that do not want to wait.
    pub fn with_clock(
        config: Config,
        tokens: Option<Tokens>,
        clock: fn() -> Timestamp,
    ) -> std::io::Result<Arc<Service>> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = config.threads.map_or(cores, usize::from);
        Ok(Arc::new(Service {
            body_memory: Arc::new(Semaphore::new(config.body_memory.min(Semaphore::MAX_PERMITS))),
            quick: Workers::start("quick", threads, config.queue)?,
            slow: Workers::start("slow", SLOW_THREADS, config.queue)?,
            config,
            tokens,
            metrics: Metrics::default(),
            index: OnceLock::new(),
            stopping: AtomicBool::new(false),
            clock,
        }))
    }

    /// Makes the service ready. Only the first index counts.
    pub fn open(&self, index: Index) {
        let _ = self.index.set(Arc::new(index));
    }

    /// The index, if it is open.
    pub(crate) fn index(&self) -> Result<Arc<Index>, Problem> {
        self.index
            .get()
            .cloned()
            .ok_or_else(|| Problem::unavailable("the index is being opened; try again soon"))
    }

    /// Whether new requests should come here.
    pub(crate) fn is_ready(&self) -> bool {
        self.index.get().is_some() && !self.stopping.load(Ordering::Relaxed)
    }

    /// From now on the service says that it is not ready; it still answers.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// What time it is.
    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// How long a request may take.
    pub(crate) fn request_time(&self) -> Duration {
        Duration::from_secs(self.config.request_seconds)
    }
}
