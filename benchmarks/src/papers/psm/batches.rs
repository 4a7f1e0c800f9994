//! Figure 9: batches of queries against a collection in chunks.

use serde::Deserialize;
use twindex_core::kernel::Kernel;
use twindex_core::search::bphs::{BlockIndex, BlockTables, Find};
use twindex_core::search::psm::Settings;
use twindex_core::search::psm::batch::{Batch, Progress};
use twindex_core::search::{BlockBatch, Want};

use super::RADIUS;
use super::collection::Collection;
use crate::measure::best_cpu_time;
use crate::papers::definition::Definition;
use crate::papers::experiment::Setting;
use crate::papers::page::number;
use crate::papers::plot::{Axis, Plot, Series};
use crate::papers::record::{Outcome, Table};

#[derive(Deserialize)]
struct Parameters {
    /// The collection of part a, and its batches.
    exponent: u32,
    batches: Vec<u32>,
    /// The batch of part b, and its collections.
    batch: u32,
    exponents: Vec<u32>,
    /// Flips by which the batches are searched: those of the chunks' calibration.
    times: usize,
}

const NAMES: [&str; 3] = ["BPHS-4", "PSM, all", "PSM, first"];

/// The queries a second of each search, and whether they agree.
struct Measured {
    speeds: [f64; 3],
    recall: f64,
    right: bool,
}

pub(in crate::papers) fn run(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    let Parameters { exponent, batches, batch, exponents, times } = definition.parameters(setting.size)?;
    let mut outcome = Outcome::default();
    let mut right = true;
    let mut least_recall = 1.0f64;
    let mut part =
        |cases: &[(u32, u32)], column: &str, file: &str, x_of: fn((u32, u32)) -> u32| -> anyhow::Result<_> {
            let mut table = Table::new(
                format!("Queries a second, by {column}; one thread"),
                &[column, NAMES[0], NAMES[1], NAMES[2]],
            );
            let mut curves = [const { vec![] }; NAMES.len()];
            for &(exponent, batch) in cases {
                let Measured { speeds, recall, right: equal } = measure(setting, exponent, batch, times)?;
                right &= equal;
                least_recall = least_recall.min(recall);
                let x = f64::from(x_of((exponent, batch))).exp2();
                curves.iter_mut().zip(speeds).for_each(|(curve, speed)| curve.push((x, speed)));
                let mut row = vec![number(x)];
                row.extend(speeds.map(number));
                table.row(row);
            }
            let plot = Plot {
                file: file.to_owned(),
                title: format!("Queries a second of a batch, by {column}"),
                x: Axis::log(column),
                y: Axis::log("queries/s"),
                series: NAMES
                    .into_iter()
                    .zip(curves.clone())
                    .map(|(name, curve)| Series::ours(name, curve))
                    .collect(),
            };
            Ok((table, plot, curves))
        };
    let by_batch: Vec<(u32, u32)> = batches.iter().map(|&batch| (exponent, batch)).collect();
    let (table_a, plot_a, curves_a) = part(&by_batch, "batch m", "batch", |case| case.1)?;
    let by_length: Vec<(u32, u32)> = exponents.iter().map(|&exponent| (exponent, batch)).collect();
    let (table_b, plot_b, curves_b) = part(&by_length, "collection n", "collection", |case| case.0)?;
    for (name, curve) in NAMES.iter().zip(&curves_a) {
        if let [first, .., last] = curve[..] {
            outcome.figure(format!("{name}: growth with m"), last.1 / first.1);
            outcome.figure(format!("{name}: queries/s at the largest m"), last.1);
        }
    }
    let ratio = |curves: &[Vec<(f64, f64)>; 3], of: usize, last: bool| {
        let at = |curve: &Vec<(f64, f64)>| if last { curve.last().copied() } else { curve.first().copied() };
        at(&curves[of]).zip(at(&curves[0])).map_or(f64::NAN, |(a, b)| a.1 / b.1)
    };
    outcome.figure("PSM / BPHS at the largest m, all", ratio(&curves_a, 1, true));
    outcome.figure("PSM / BPHS at the largest m, first", ratio(&curves_a, 2, true));
    outcome.figure(
        "ratio at the largest n / at the smallest, all",
        ratio(&curves_b, 1, true) / ratio(&curves_b, 1, false),
    );
    outcome.figure("least recall", least_recall);
    outcome.tables.extend([table_a, table_b]);
    outcome.plots.extend([plot_a, plot_b]);
    outcome.check("PSM reports matches of BPHS only", right);
    Ok(outcome)
}

/// A batch of 2^`batch` queries against 2^`exponent` stored fingerprints in chunks of the batch's
/// size, as in the paper.
fn measure(setting: &Setting, exponent: u32, batch: u32, times: usize) -> anyhow::Result<Measured> {
    // A quarter of the queries calibrates: the others are the batch.
    let collection = Collection::new(setting.corpus()?, 1 << exponent, (1usize << batch).div_ceil(3) * 4);
    let queries = collection.measured();
    let bits = Settings::header_bits(1 << batch.min(exponent), 0);
    let mut chunks: Vec<Vec<u64>> = collection
        .stored
        .chunks(1 << batch)
        .map(|chunk| {
            let mut chunk = chunk.to_vec();
            chunk.sort_unstable();
            chunk
        })
        .collect();

    let fingerprints: Vec<u64> = queries.iter().map(|query| query.fingerprint.0).collect();
    let mut matches = vec![];
    let block_time = best_cpu_time(1, || {
        let design = BlockTables::new(4, RADIUS);
        let index = BlockIndex::build(design, &fingerprints, Find::BinarySearch, Kernel::Scalar);
        let tables = BlockBatch::new(index);
        matches.clear();
        for chunk in &chunks {
            tables.stream(chunk, RADIUS, &mut |query, place| matches.push((query, chunk[place])));
        }
    });
    matches.sort_unstable();
    let mut answered: Vec<u32> = matches.iter().map(|found| found.0).collect();
    answered.dedup();

    let exact = collection.exact();
    let (mut speeds, mut recall, mut right) = ([0.0; 3], 1.0f64, true);
    speeds[0] = queries.len() as f64 / block_time.as_secs_f64();
    for (place, want) in [(1, Want::All), (2, Want::First)] {
        // The header of a chunk is that of a collection of its size.
        let mut psm = collection.psm(bits);
        collection.calibrate(&mut psm, want, &exact);
        let settings = psm.settings().clone();
        drop(psm);
        let mut found = vec![];
        let time = best_cpu_time(times, || {
            found.clear();
            let margins = queries.iter().filter_map(|query| query.margins);
            let batch = Batch::new(margins, &settings, RADIUS, want);
            let mut sink = |matched: twindex_core::search::psm::batch::ChunkMatch| {
                found.push((matched.query, matched.stored));
            };
            // Chunks in memory cannot fail.
            let done = batch.search(&mut chunks, &mut Progress::default(), &mut sink, &mut |_| Ok(()));
            match done {
                Ok(()) => (),
                Err(never) => match never {},
            }
        });
        speeds[place] = queries.len() as f64 / time.as_secs_f64();
        right &= found.iter().all(|one| matches.binary_search(one).is_ok());
        let whole = if want == Want::All { matches.len() } else { answered.len() };
        if whole > 0 {
            recall = recall.min(found.len() as f64 / whole as f64);
        }
    }
    Ok(Measured { speeds, recall, right })
}
