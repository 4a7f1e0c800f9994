//! Variants of one template: every document is a candidate of every other, and the time must still
//! be linear.

use super::Bench;
use crate::machine::Machine;
use crate::table::Table;

const DOCUMENTS: [u64; 4] = [25_000, 50_000, 100_000, 200_000];

/// The largest ratio of the times for eight times the documents. Linear work gives 8 and a constant
/// part less; quadratic work gives 64. Twice the linear ratio leaves room for caches and a busy
/// machine.
const HIGHEST_RATIO: f64 = 16.0;

pub(super) fn run(bench: &Bench) -> anyhow::Result<bool> {
    let mut table =
        Table::new(&["documents", "seconds", "ratio to the row above", "ratio to the first", "peak MB"]);
    let mut seconds: Vec<f64> = Vec::new();
    let mut all_found = true;
    for documents in DOCUMENTS {
        let options = ["--shape", "template", "--documents", &documents.to_string()];
        let collection = bench.collection(&format!("template-{documents}"), &options)?;
        let outcome = bench.dedup(&collection)?;
        all_found &= bench.check(&collection, &outcome.removed)?;
        let now = outcome.cost.seconds;
        let ratio = |before: Option<&f64>| {
            before.map_or_else(|| "-".to_owned(), |before| format!("{:.2}", now / before))
        };
        table.row([
            documents.to_string(),
            format!("{now:.2}"),
            ratio(seconds.last()),
            ratio(seconds.first()),
            format!("{:.0}", outcome.cost.peak_megabytes()),
        ]);
        seconds.push(now);
    }
    println!("\nVariants of one template, `twindex dedup` on {}:\n\n{table}", Machine::this());
    let linear = seconds[seconds.len() - 1] / seconds[0] < HIGHEST_RATIO;
    if !linear {
        println!("FAILED: eight times the documents take {HIGHEST_RATIO} times the time or more");
    }
    Ok(linear && all_found)
}
