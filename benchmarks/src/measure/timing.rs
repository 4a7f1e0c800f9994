//! The best of several runs.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// The least CPU time that this thread needed for `work`, of `times` runs. Other programs on the
/// machine compete for the caches but are not counted.
pub fn best_cpu_time<R>(times: usize, work: impl FnMut() -> R) -> Duration {
    best(times, thread_cpu_time, work)
}

/// The least wall time of `work`, of `times` runs: for work on several threads.
pub fn best_wall_time<R>(times: usize, work: impl FnMut() -> R) -> Duration {
    let start = Instant::now();
    best(times, move || start.elapsed(), work)
}

fn best<R>(times: usize, clock: impl Fn() -> Duration, mut work: impl FnMut() -> R) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..times.max(1) {
        let start = clock();
        std::hint::black_box(work());
        best = best.min(clock() - start);
    }
    best
}

fn thread_cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeping_costs_wall_time_only() {
        let nap = Duration::from_millis(30);
        let sleep = || std::thread::sleep(nap);
        assert!(best_wall_time(2, sleep) >= nap);
        assert!(best_cpu_time(2, sleep) < nap);
    }

    #[test]
    fn the_work_runs_times_times() {
        let mut runs = 0;
        best_cpu_time(5, || runs += 1);
        assert_eq!(runs, 5);
    }
}
