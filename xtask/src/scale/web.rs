//! A crawl that is larger than the memory.

use std::fs;

use super::{Bench, rows};
use crate::machine::Machine;
use crate::table::Table;

/// Every figure is of the collection with this seed and one copy in ten documents.
const SEED: &str = "1";
const COPIES: &str = "0.1";

/// The name of the collection of a size.
pub(super) fn name(bytes: &str) -> String {
    format!("web-{bytes}")
}

/// How the collection of a size is made.
pub(super) fn options(bytes: &str) -> [&str; 6] {
    ["--bytes", bytes, "--seed", SEED, "--duplicates", COPIES]
}

pub(super) fn run(bench: &Bench, bytes: &str, maximum_resident: u64) -> anyhow::Result<bool> {
    let name = name(bytes);
    let collection = bench.collection(&name, &options(bytes))?;
    let outcome = bench.dedup(&collection)?;
    let (all, kept, removed) =
        (rows::count(&collection.rows)?, rows::count(&outcome.kept)?, rows::count(&outcome.removed)?);
    let size = fs::metadata(&collection.rows)?.len();

    println!("\n`twindex dedup --memory {}` on {}:\n", bench.memory, Machine::this());
    let mut table = Table::new(&[
        "collection",
        "GB",
        "documents",
        "kept",
        "removed",
        "seconds",
        "MB/s",
        "peak MB",
        "disk GB",
    ]);
    table.row([
        name,
        format!("{:.2}", size as f64 / 1e9),
        all.to_string(),
        kept.to_string(),
        removed.to_string(),
        format!("{:.1}", outcome.cost.seconds),
        format!("{:.1}", outcome.cost.megabytes_per_second(size)),
        format!("{:.0}", outcome.cost.peak_megabytes()),
        format!("{:.2}", outcome.disk as f64 / 1e9),
    ]);
    println!("{table}");

    let nothing_lost = kept + removed == all;
    if !nothing_lost {
        println!("FAILED: {kept} kept and {removed} removed rows are not the {all} of the collection");
    }
    let within_memory = outcome.cost.peak_megabytes() < maximum_resident as f64;
    if !within_memory {
        println!("FAILED: the peak of resident memory is not below {maximum_resident} MB");
    }
    let found = bench.check(&collection, &outcome.removed)?;
    Ok(nothing_lost && within_memory && found)
}
