//! Table 2: probabilistic matching against sorted block tables.

use serde::Deserialize;
use twindex_core::kernel::Kernel;
use twindex_core::search::bphs::{BlockIndex, BlockTables, Find};
use twindex_core::search::{HammingSearch, Want};

use super::RADIUS;
use super::collection::{Collection, Truth, all, found, rate};
use crate::papers::definition::Definition;
use crate::papers::experiment::Setting;
use crate::papers::page::number;
use crate::papers::record::{Outcome, Table};

#[derive(Deserialize)]
struct Parameters {
    exponent: u32,
    queries: usize,
    /// Queries by which the block tables are timed: they are slower.
    block_queries: usize,
    times: usize,
    /// Tables are sorted up to this exponent.
    most_for_ten: u32,
}

/// Header bits below the exponent: T' = 1 + 2^-this.
const FEWER: [u32; 5] = [0, 1, 2, 3, 4];

/// The paper counts eight bytes a fingerprint and table; ours hold four more, the position.
const PAPER_BYTES: f64 = 8.0;

pub(in crate::papers) fn run(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    let parameters: Parameters = definition.parameters(setting.size)?;
    let Parameters { exponent, queries, times, .. } = parameters;
    let collection = Collection::new(setting.corpus()?, 1 << exponent, queries);
    let exact = collection.exact();
    let measured = collection.measured();
    let truth = Truth::of(&exact, &measured);
    let expected = all(&exact, &measured);
    let stored = collection.stored.len() as f64;
    let mut outcome = Outcome::default();
    let mut table = Table::new(
        format!("{} stored fingerprints, one thread", number(stored)),
        &[
            "search",
            "tables",
            "bytes each",
            "recall, all",
            "K/s, all",
            "K/s, first",
            "K/s / tables, all",
            "first",
        ],
    );
    let mut row = |name: &str, tables: f64, bytes: f64, recall: Option<f64>, speeds: [f64; 2]| {
        table.row([
            name.to_owned(),
            number(tables),
            number(bytes),
            recall.map_or("all".to_owned(), |recall| format!("{recall:.3}")),
            number(speeds[0] / 1e3),
            number(speeds[1] / 1e3),
            number(speeds[0] / 1e3 / tables),
            number(speeds[1] / 1e3 / tables),
        ]);
    };
    let few = &measured[..parameters.block_queries.min(measured.len())];
    let few_expected: Vec<_> = expected.iter().copied().filter(|(query, _)| *query < few.len()).collect();
    let mut blocks: Vec<(f64, [f64; 2])> = vec![];
    for (count, design) in [(4, BlockTables::new(4, RADIUS)), (10, BlockTables::new(5, RADIUS))] {
        if count == 10 && exponent > parameters.most_for_ten {
            continue;
        }
        let index = BlockIndex::build(design, &collection.stored, Find::BinarySearch, Kernel::Scalar);
        let speeds = [Want::All, Want::First].map(|want| rate(&index, few, want, times));
        outcome.check(format!("{count} block tables find every match"), all(&index, few) == few_expected);
        outcome.figure(format!("BPHS-{count}: queries/s, all"), speeds[0]);
        outcome.figure(format!("BPHS-{count}: queries/s, first"), speeds[1]);
        row(&format!("BPHS, {count} tables"), f64::from(count), index.bytes() as f64 / stored, None, speeds);
        blocks.push((f64::from(count), speeds));
    }
    let mut right = true;
    let mut best = [0.0f64; 2];
    let mut first_row = [0.0; 2];
    let mut last_row = [0.0; 2];
    for fewer in FEWER {
        let mut psm = collection.psm(exponent - fewer);
        let tables = 1.0 + 0.5f64.powi(fewer as i32);
        let (mut speeds, mut recall) = ([0.0; 2], 0.0);
        for (place, want) in [Want::All, Want::First].into_iter().enumerate() {
            let flips = collection.calibrate(&mut psm, want, &exact);
            speeds[place] = rate(&psm, &measured, want, times);
            best[place] = best[place].max(speeds[place] / tables);
            let share = found(&psm, &measured, want) as f64 / truth.of_kind(want).max(1) as f64;
            let name = ["all", "first"][place];
            outcome.figure(format!("PSM, d - {fewer}: recall, {name}"), share);
            outcome.figure(format!("PSM, d - {fewer}: queries/s, {name}"), speeds[place]);
            outcome.figure(format!("PSM, d - {fewer}: flips, {name}"), flips as f64);
            if want == Want::All {
                recall = share;
                right &= all(&psm, &measured).iter().all(|one| expected.binary_search(one).is_ok());
            }
        }
        if fewer == FEWER[0] {
            first_row = speeds;
        }
        last_row = speeds;
        row(
            &format!("PSM, t = {}", exponent - fewer),
            tables,
            psm.bytes() as f64 / stored,
            Some(recall),
            speeds,
        );
    }
    outcome.check("every match of PSM is one of the exact index", right);
    for ((count, speeds), tables) in blocks.iter().zip(["four", "ten"]) {
        outcome.figure(format!("PSM / {tables} tables, all"), first_row[0] / speeds[0]);
        outcome.figure(format!("PSM / {tables} tables, first"), first_row[1] / speeds[1]);
        outcome.figure(format!("K/s / tables of {tables}, all"), speeds[0] / 1e3 / count);
    }
    outcome.figure("loss from T' = 2 to 1.06, all", 1.0 - last_row[0] / first_row[0]);
    outcome.figure("loss from T' = 2 to 1.06, first", 1.0 - last_row[1] / first_row[1]);
    outcome.figure("best K/s / tables, all", best[0] / 1e3);
    outcome.figure("best K/s / tables, first", best[1] / 1e3);
    let speeds = [Want::All, Want::First].map(|want| rate(&exact, &measured, want, times));
    outcome.figure("multi-index: queries/s, all", speeds[0]);
    outcome.figure("PSM / multi-index, all", first_row[0] / speeds[0]);
    row(
        "multi-index (ours, exact)",
        exact.bytes() as f64 / stored / PAPER_BYTES,
        exact.bytes() as f64 / stored,
        None,
        speeds,
    );
    outcome.tables.push(table);
    outcome.check("the exact index has every fingerprint", exact.len() == collection.stored.len());
    Ok(outcome)
}
