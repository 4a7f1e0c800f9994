//! All pairs.

use rayon::prelude::*;
use twindex_core::fingerprint::Simhash;
use twindex_core::kernel::Kernel;
use twindex_core::search::{HammingSearch, Join, MultiIndex, OneThread, Want, Workers};

use crate::measure::{Report, Row, best_cpu_time, best_wall_time};

use super::RADIUS;
use super::data::join_set;

/// Pairs are compared with the queries of an index up to this size.
const CHECKED: usize = 1 << 23;

/// All threads of the machine.
pub(super) struct Pool;

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
    let join = |workers: &'static dyn Workers| {
        let mut pairs = 0u64;
        let join = Join { radius: RADIUS, kernel: Kernel::best(), workers, memory: usize::MAX };
        join.run(&values, &mut |_| pairs += 1);
        pairs
    };
    let pairs = join(&OneThread);
    let checked = length > CHECKED || pairs == by_queries(&values);
    let one = best_cpu_time(times, || join(&OneThread)).as_secs_f64();
    let note = format!("{pairs} pairs{}", if length > CHECKED { ", not compared at this size" } else { "" });
    report.row(Row::new("join", case).metric("seconds", one).checked(checked).note(note));
    let row = Row::new("join/sort", case).metric("times", one / sort).checked(checked);
    report.row(row.note(format!("of one sort_unstable, {sort:.3} s; less is better")));
    let two = best_wall_time(times, || join(&Pool)).as_secs_f64();
    let row = Row::new("join", case).threads(Pool.threads()).metric("seconds", two);
    report.row(row.against("join", one / two).checked(join(&Pool) == pairs));
}

/// The number of pairs, by asking an index for every fingerprint.
fn by_queries(values: &[u64]) -> u64 {
    let index = MultiIndex::build(values.to_vec(), RADIUS, Kernel::best());
    let queries: Vec<_> = values.iter().map(|&value| Simhash(value).into()).collect();
    let mut found = 0;
    index.search_batch(&queries, RADIUS, Want::All, &mut |_, _| {
        found += 1;
        true
    });
    // Everybody finds itself, and every pair twice.
    (found - values.len() as u64) / 2
}
