//! Threads that do the work, so that the threads that move bytes never wait for it.
//!
//! A fixed number of threads take jobs from a bounded queue. When it is full, a request is rejected
//! at once: a client that knows now can do better than one that waits for an answer that comes too
//! late.
//!
//! A job wakes the thread that worked last: its memory is warm, and a thread's allocator has just
//! what such a job needs. Round robin, 32 threads would each keep the buffers of a batch of
//! documents and fault them in again.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use crate::problem::Problem;

type Job = Box<dyn FnOnce() + Send>;

/// A pool of threads with a bounded queue.
#[derive(Debug)]
pub(crate) struct Workers {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    queue: Mutex<Queue>,
    /// What each thread waits for.
    calls: Vec<Condvar>,
    longest_queue: usize,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    /// The threads that wait, the one that worked last at the end.
    idle: Vec<usize>,
    closed: bool,
}

impl Workers {
    /// Starts `threads` threads, for which at most `longest_queue` jobs may wait.
    pub(crate) fn start(name: &str, threads: usize, longest_queue: usize) -> std::io::Result<Workers> {
        let calls = (0..threads).map(|_| Condvar::new()).collect();
        let shared = Arc::new(Shared { queue: Mutex::default(), calls, longest_queue });
        let start = |number: usize| {
            let shared = Arc::clone(&shared);
            std::thread::Builder::new().name(format!("{name}-{number}")).spawn(move || shared.work(number))
        };
        let threads = (0..threads).map(start).collect::<Result<_, _>>()?;
        Ok(Workers { shared, threads })
    }

    /// How many jobs wait.
    pub(crate) fn waiting(&self) -> usize {
        self.shared.lock().jobs.len()
    }

    /// Runs the work on one of the threads; an error at once if the queue is full.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let (reply, answer) = oneshot::channel();
        let job = move || {
            // The response is no longer awaited: the client has disconnected, or the request timed
            // out.
            if !reply.is_closed() {
                let _ = reply.send(work());
            }
        };
        self.shared.submit(Box::new(job))?;
        // The other end is dropped without an answer only if the work panicked.
        answer.await.unwrap_or_else(|_| Err(Problem::internal()))
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // A queue is whole between any two statements that change it.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn submit(&self, job: Job) -> Result<(), Problem> {
        let mut queue = self.lock();
        if queue.closed {
            return Err(Problem::unavailable("the service is shutting down"));
        }
        if queue.jobs.len() >= self.longest_queue {
            return Err(Problem::overloaded("too many requests are waiting; try again later"));
        }
        queue.jobs.push_back(job);
        let called = queue.idle.pop();
        drop(queue);
        // Without an idle thread the job waits for one that has finished.
        if let Some(thread) = called {
            self.calls[thread].notify_one();
        }
        Ok(())
    }

    /// What a thread does until the queue is closed and empty.
    fn work(&self, thread: usize) {
        loop {
            let mut queue = self.lock();
            let job = loop {
                match queue.jobs.pop_front() {
                    Some(job) => break job,
                    None if queue.closed => return,
                    None => {}
                }
                queue.idle.push(thread);
                queue = self.calls[thread].wait(queue).unwrap_or_else(PoisonError::into_inner);
                // After a spurious wake-up the thread is still in the list.
                queue.idle.retain(|&idle| idle != thread);
            };
            drop(queue);
            // The panic hook has logged it; the thread goes on.
            if catch_unwind(AssertUnwindSafe(job)).is_err() {
                tracing::error!("a request made the service panic");
            }
        }
    }
}

impl Drop for Workers {
    /// Finishes what was accepted.
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.calls.iter().for_each(Condvar::notify_all);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Shared").field("longest_queue", &self.longest_queue).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use axum::http::StatusCode;

    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().build().unwrap()
    }

    #[test]
    fn work_comes_back() {
        let workers = Workers::start("test", 2, 10).unwrap();
        let answers =
            runtime().block_on(async { (workers.run(|| Ok(1)).await, workers.run(|| Ok(2)).await) });
        assert_eq!(answers, (Ok(1), Ok(2)));
    }

    #[test]
    fn a_full_queue_turns_away_and_the_rest_is_done() {
        let workers = Workers::start("test", 1, 1).unwrap();
        let (release, wait) = mpsc::channel::<()>();
        let (started, running) = mpsc::channel();
        let (first, first_answer) = oneshot::channel();
        let job = move || {
            started.send(()).unwrap();
            wait.recv().unwrap();
            let _ = first.send(1);
        };
        workers.shared.submit(Box::new(job)).unwrap();
        running.recv().unwrap();
        workers.shared.submit(Box::new(|| {})).unwrap();
        assert_eq!(workers.waiting(), 1);
        let refused = runtime().block_on(workers.run(|| Ok(3))).unwrap_err();
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
        release.send(()).unwrap();
        assert_eq!(first_answer.blocking_recv(), Ok(1));
        drop(workers);
    }

    #[test]
    fn the_thread_that_worked_last_works_next() {
        let workers = Workers::start("test", 4, 10).unwrap();
        while workers.shared.lock().idle.len() < 4 {
            std::thread::yield_now();
        }
        let mut threads = vec![];
        for _ in 0..8 {
            let name = || Ok(std::thread::current().id());
            threads.push(runtime().block_on(workers.run(name)).unwrap());
            // The answer comes a moment before the thread is idle again.
            while workers.shared.lock().idle.len() < 4 {
                std::thread::yield_now();
            }
        }
        threads.dedup();
        assert_eq!(threads.len(), 1);
    }

    #[test]
    fn a_panic_is_an_internal_error_and_the_thread_lives_on() {
        let workers = Workers::start("test", 1, 10).unwrap();
        let answers = runtime().block_on(async {
            (
                workers.run(|| -> Result<u8, Problem> { panic!("on purpose") }).await,
                workers.run(|| Ok(2)).await,
            )
        });
        assert_eq!(answers, (Err(Problem::internal()), Ok(2)));
    }
}
