//! The executor of parallel tasks.
//!
//! This crate starts no thread. Functions with independent tasks take an executor: [`OneThread`],
//! or the caller's thread pool.

/// Runs tasks.
pub trait Workers: Sync {
    /// How many tasks can run at the same time. Affects how work is divided, never the results.
    fn threads(&self) -> usize;

    /// Calls `task` with every number below `tasks`, in any order, and returns after all have
    /// finished.
    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync));
}

/// Runs tasks one after another on the calling thread.
#[derive(Debug, Clone, Copy, Default)]
pub struct OneThread;

impl Workers for OneThread {
    fn threads(&self) -> usize {
        1
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..tasks).for_each(task);
    }
}

/// Runs one task for each of `items`, with exclusive access to it.
pub(super) fn run_each<T: Send>(workers: &dyn Workers, items: &mut [T], task: impl Fn(usize, &mut T) + Sync) {
    // Each lock is taken once, by the only task of its number: it passes the item without a copy.
    let items: Vec<std::sync::Mutex<&mut T>> = items.iter_mut().map(std::sync::Mutex::new).collect();
    workers.run(items.len(), &|number| {
        let mut item = items[number].lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        task(number, &mut item);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_has_its_turn() {
        let mut items: Vec<usize> = vec![0; 10];
        run_each(&OneThread, &mut items, |number, item| *item += number);
        assert_eq!(items, (0..10).collect::<Vec<_>>());
        assert_eq!(OneThread.threads(), 1);
    }
}
