//! Work spread over threads, results in order.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};

use crate::error::Result;

/// Results that may wait for the sink, for each thread: enough to keep threads busy behind a slow
/// item.
const AHEAD: u64 = 4;

/// Takes items from `source`, runs `work` on `threads` threads, and passes the results to `sink` in
/// the order of the items.
///
/// One thread at a time calls the source, so it may be a file that is read from front to back. The
/// sink runs on the calling thread. The first error, in the order of the items, ends the work and
/// is returned; the sink has received all results before it, as with one thread.
pub fn ordered<T: Send, R: Send>(
    threads: usize,
    source: impl FnMut() -> Result<Option<T>> + Send,
    work: impl Fn(T) -> Result<R> + Sync,
    sink: impl FnMut(R) -> Result<()>,
) -> Result<()> {
    ordered_with(threads, source, |(): &mut (), item| work(item), sink)
}

/// The same for work with buffers: each thread has its own and reuses them.
pub(crate) fn ordered_with<T: Send, R: Send, Buffers: Default>(
    threads: usize,
    mut source: impl FnMut() -> Result<Option<T>> + Send,
    work: impl Fn(&mut Buffers, T) -> Result<R> + Sync,
    mut sink: impl FnMut(R) -> Result<()>,
) -> Result<()> {
    if threads <= 1 {
        let mut buffers = Buffers::default();
        while let Some(item) = source()? {
            sink(work(&mut buffers, item)?)?;
        }
        return Ok(());
    }

    let source = Mutex::new((source, 0u64, false));
    let state = Mutex::new(State { ready: BTreeMap::new(), handed_on: 0, workers: threads, stop: false });
    let changed = Condvar::new();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let _leave = Leave { state: &state, changed: &changed };
                let mut buffers = Buffers::default();
                loop {
                    let (number, item) = {
                        let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
                        if source.2 {
                            return;
                        }
                        let number = source.1;
                        source.1 += 1;
                        let item = (source.0)();
                        source.2 = !matches!(item, Ok(Some(_)));
                        (number, item)
                    };
                    let result = match item {
                        Ok(None) => return,
                        Ok(Some(item)) => work(&mut buffers, item),
                        Err(error) => Err(error),
                    };
                    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                    while number > state.handed_on + AHEAD * threads as u64 && !state.stop {
                        state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                    }
                    if state.stop {
                        return;
                    }
                    state.ready.insert(number, result);
                    changed.notify_all();
                }
            });
        }

        // Stops the workers, also after an error or a panic in the sink.
        let _stop = Stop { state: &state, changed: &changed };
        let mut guard = state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let next = guard.handed_on;
            if let Some(result) = guard.ready.remove(&next) {
                guard.handed_on += 1;
                drop(guard);
                changed.notify_all();
                let handed_on = result.and_then(&mut sink);
                guard = state.lock().unwrap_or_else(PoisonError::into_inner);
                handed_on?;
            } else if guard.workers == 0 || guard.stop {
                return Ok(());
            } else {
                guard = changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
            }
        }
    })
}

struct State<R> {
    /// Finished results that wait for their turn.
    ready: BTreeMap<u64, Result<R>>,
    /// How many results the sink has received.
    handed_on: u64,
    /// Threads still at work.
    workers: usize,
    /// Something failed or panicked: all workers end.
    stop: bool,
}

/// Stops all workers when it is dropped.
struct Stop<'a, R> {
    state: &'a Mutex<State<R>>,
    changed: &'a Condvar,
}

impl<R> Drop for Stop<'_, R> {
    fn drop(&mut self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).stop = true;
        self.changed.notify_all();
    }
}

/// Signs a worker off. If it panics, its result will never come: all workers end, and the panic is
/// passed on.
struct Leave<'a, R> {
    state: &'a Mutex<State<R>>,
    changed: &'a Condvar,
}

impl<R> Drop for Leave<'_, R> {
    fn drop(&mut self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.workers -= 1;
        state.stop |= std::thread::panicking();
        drop(state);
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::BatchError;

    fn run(threads: usize, fail_at: Option<u64>) -> (Vec<u64>, bool) {
        let mut next = 0;
        let mut seen = vec![];
        let result = ordered(
            threads,
            || {
                next += 1;
                Ok((next <= 200).then_some(next))
            },
            |item| {
                // The first items are the slowest, so that later ones finish before them.
                std::thread::sleep(std::time::Duration::from_micros(if item < 10 { 500 } else { 5 }));
                if Some(item) == fail_at { Err(BatchError::TooMany) } else { Ok(item) }
            },
            |item| {
                seen.push(item);
                Ok(())
            },
        );
        (seen, result.is_ok())
    }

    #[test]
    fn any_number_of_threads_gives_the_same_order() {
        for threads in [1, 2, 3, 8] {
            assert_eq!(run(threads, None), ((1..=200).collect(), true), "{threads} threads");
        }
    }

    #[test]
    fn a_panic_is_passed_on() {
        for (in_work, in_sink) in [(Some(50), None), (None, Some(50))] {
            let result = std::panic::catch_unwind(|| {
                let mut next = 0;
                let source = || {
                    next += 1;
                    Ok((next <= 200).then_some(next))
                };
                let work = |item| if Some(item) == in_work { panic!("planned") } else { Ok(item) };
                let sink = |item| if Some(item) == in_sink { panic!("planned") } else { Ok(()) };
                ordered(3, source, work, sink)
            });
            assert!(result.is_err());
        }
    }

    #[test]
    fn an_error_ends_the_work_after_what_came_before_it() {
        for threads in [1, 2, 3, 8] {
            assert_eq!(run(threads, Some(77)), ((1..77).collect(), false), "{threads} threads");
        }
    }
}
