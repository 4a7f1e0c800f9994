//! One kind of collection at several sizes: a byte must not cost more in a large one.

use std::fs;

use anyhow::Context;

use super::{Bench, web};
use crate::machine::Machine;
use crate::table::Table;

/// The largest ratio of the time a byte takes at a size to that at the first size.
const HIGHEST_RATIO: f64 = 1.2;

pub(super) fn run(bench: &Bench, sizes: &[String]) -> anyhow::Result<bool> {
    let mut table = Table::new(&["GB", "seconds", "MB/s", "time a byte, to the first", "peak MB"]);
    let mut first = None;
    let mut is_flat = true;
    for size in sizes {
        let collection = bench.collection(&web::name(size), &web::options(size))?;
        let bytes = fs::metadata(&collection.rows)?.len();
        let cost = bench.timed(&collection.rows, &[])?;
        let per_byte = cost.seconds / bytes as f64;
        let ratio = per_byte / *first.get_or_insert(per_byte);
        is_flat &= ratio <= HIGHEST_RATIO;
        table.row([
            format!("{:.1}", bytes as f64 / 1e9),
            format!("{:.2}", cost.seconds),
            format!("{:.0}", cost.megabytes_per_second(bytes)),
            format!("{ratio:.2}"),
            format!("{:.0}", cost.peak_megabytes()),
        ]);
    }
    first.context("no size was given")?;
    println!("\n`twindex dedup --memory {}` on {}:\n\n{table}", bench.memory, Machine::this());
    if !is_flat {
        println!("FAILED: a byte takes more than {HIGHEST_RATIO} times as long as at the first size");
    }
    Ok(is_flat)
}
