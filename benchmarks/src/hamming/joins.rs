//! All pairs.

use rayon::prelude::*;
use twindex_core::fingerprint::Simhash;
use twindex_core::kernel::Kernel;
use twindex_core::search::join::Pair;
use twindex_core::search::{HammingSearch, Join, MultiIndex, OneThread, Scan, Want, Workers};

use crate::measure::{Report, Row, best_cpu_time, best_wall_time};

use super::RADIUS;
use super::data::join_set;

/// Up to this size pairs are compared with index queries, beyond it with the scan of a sample.
const CHECKED: usize = 1 << 23;

/// Fingerprints of the sample.
const SAMPLE: usize = 512;

/// The tweets of the paper on simhash in hardware, and the seconds that its matching took.
const TWEETS: usize = 114_333_421;
const PAPER_SECONDS: f64 = 276.0;

/// Tweets of a quick run.
const QUICK_TWEETS: usize = 20_000;

/// All threads of the machine.
pub(crate) struct Pool;

impl Workers for Pool {
    fn threads(&self) -> usize {
        rayon::current_num_threads()
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..tasks).into_par_iter().for_each(task);
    }
}

pub(super) fn run(length: usize, case: &str, report: &mut Report) {
    let mut values = join_set(length);
    let unsorted = values.clone();
    let times = if length < 1 << 24 { 3 } else { 1 };
    let sort = best_cpu_time(times, || {
        values.copy_from_slice(&unsorted);
        values.sort_unstable();
    });
    let sort = sort.as_secs_f64();
    drop(unsorted);
    values.dedup();
    let pairs = count(&values, &OneThread);
    let (checked, how) = check(&values, pairs);
    let one = best_cpu_time(times, || count(&values, &OneThread)).as_secs_f64();
    let note = format!("{pairs} pairs, {how}");
    report.row(Row::new("join", case).metric("seconds", one).checked(checked).note(note));
    let row = Row::new("join/sort", case).metric("times", one / sort).checked(checked);
    report.row(row.note(format!("of one sort_unstable, {sort:.3} s; less is better")));
    let mut found = 0;
    let two = best_wall_time(times, || found = count(&values, &Pool)).as_secs_f64();
    let row = Row::new("join", case).threads(Pool.threads()).metric("seconds", two);
    report.row(row.against("join", one / two).checked(found == pairs));
}

/// As many fingerprints as the paper had tweets, from unsorted to all pairs, on all threads.
pub(super) fn twitter(quick: bool, report: &mut Report) {
    let length = if quick { QUICK_TWEETS } else { TWEETS };
    let mut values = join_set(length);
    let mut pairs = 0;
    let seconds = best_wall_time(1, || {
        values.par_sort_unstable();
        values.dedup();
        pairs = count(&values, &Pool);
    });
    let seconds = seconds.as_secs_f64();
    let (checked, how) = check(&values, pairs);
    let row = Row::new("twitter", format!("{length}")).threads(Pool.threads()).metric("seconds", seconds);
    let row = if quick { row } else { row.against("paper", PAPER_SECONDS / seconds) };
    report.row(row.checked(checked).note(format!("sorting included; {pairs} pairs, {how}")));
}

fn pairs_of(values: &[u64], workers: &dyn Workers, sink: &mut dyn FnMut(Pair)) {
    let join = Join { radius: RADIUS, kernel: Kernel::best(), workers, memory: usize::MAX };
    join.run(values, sink);
}

pub(crate) fn count(values: &[u64], workers: &dyn Workers) -> u64 {
    let mut pairs = 0;
    pairs_of(values, workers, &mut |_| pairs += 1);
    pairs
}

/// Whether the join found the right pairs, and how that was checked.
pub(crate) fn check(values: &[u64], pairs: u64) -> (bool, String) {
    if values.len() <= CHECKED {
        return (pairs == by_queries(values), "all compared with queries".to_owned());
    }
    let sample: Vec<u64> = values.iter().copied().step_by(values.len() / SAMPLE).collect();
    let queries: Vec<_> = sample.iter().map(|&value| Simhash(value).into()).collect();
    let mut expected = vec![];
    let scan = Scan::new(values.to_vec(), Kernel::best());
    scan.search_batch(&queries, RADIUS, Want::All, &mut |query, matched| {
        let (a, b) = (sample[query], values[matched.position as usize]);
        if a != b {
            expected.push((a.min(b), a.max(b)));
        }
        true
    });
    expected.sort_unstable();
    expected.dedup();
    let mut found = vec![];
    pairs_of(values, &Pool, &mut |pair| {
        if sample.binary_search(&pair.0).is_ok() || sample.binary_search(&pair.1).is_ok() {
            found.push(pair);
        }
    });
    found.sort_unstable();
    let how = format!("those of {} fingerprints ({}) compared with the scan", sample.len(), expected.len());
    (found == expected, how)
}

/// The number of pairs, by querying an index with every fingerprint.
fn by_queries(values: &[u64]) -> u64 {
    let index = MultiIndex::build(values.to_vec(), RADIUS, Kernel::best());
    let queries: Vec<_> = values.iter().map(|&value| Simhash(value).into()).collect();
    let mut found = 0;
    index.search_batch(&queries, RADIUS, Want::All, &mut |_, _| {
        found += 1;
        true
    });
    // Every fingerprint finds itself, and every pair is found twice.
    (found - values.len() as u64) / 2
}
