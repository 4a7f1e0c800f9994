//! Documents that share paragraphs: candidates that are no duplicates must stay cheap.

use std::fs;

use super::Bench;
use crate::machine::Machine;
use crate::table::Table;

const BYTES: &str = "755M";

/// The largest ratio of the CPU time of the default recipe to that of `strict`, whose search
/// proposes next to none of these pairs.
const HIGHEST_RATIO: f64 = 3.0;

pub(super) fn run(bench: &Bench) -> anyhow::Result<bool> {
    let options = ["--shape", "paragraphs", "--bytes", BYTES];
    let collection = bench.collection(&format!("paragraphs-{BYTES}"), &options)?;
    let bytes = fs::metadata(&collection.rows)?.len();
    let mut table = Table::new(&["recipe", "CPU s", "seconds", "MB/s", "peak MB"]);
    let mut seconds = vec![];
    for recipe in ["strict", "default"] {
        let cost = bench.timed(&collection.rows, &["--recipe", recipe])?;
        table.row([
            recipe.to_owned(),
            format!("{:.2}", cost.cpu_seconds),
            format!("{:.2}", cost.seconds),
            format!("{:.0}", cost.megabytes_per_second(bytes)),
            format!("{:.0}", cost.peak_megabytes()),
        ]);
        seconds.push(cost.cpu_seconds);
    }
    println!("\n`twindex dedup --memory {}` on {}:\n\n{table}", bench.memory, Machine::this());
    let is_cheap = seconds[1] <= HIGHEST_RATIO * seconds[0];
    if !is_cheap {
        println!("FAILED: the default recipe takes more than {HIGHEST_RATIO} times the CPU time of `strict`");
    }
    Ok(is_cheap)
}
