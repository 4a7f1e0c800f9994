//! Table III: all pairs within three bits.

use rayon::prelude::*;
use serde::Deserialize;
use twindex_core::fingerprint::Simhash;
use twindex_core::kernel::Kernel;
use twindex_core::search::bphs::{BlockIndex, BlockTables, Find};
use twindex_core::search::{HammingSearch, Query, Want};

use crate::hamming::data::join_set;
use crate::hamming::joins::{Pool, check, count};
use crate::measure::best_wall_time;
use crate::papers::definition::Definition;
use crate::papers::experiment::Setting;
use crate::papers::page::number;
use crate::papers::record::{Outcome, Table};

#[derive(Deserialize)]
struct Parameters {
    collections: Vec<Collection>,
    /// Queries by which the paper's search is timed.
    queries: usize,
    radius: u32,
    /// The most fingerprints for which the paper's sorted copies are made: four, and ten.
    most_for_four: usize,
    most_for_ten: usize,
}

#[derive(Deserialize)]
struct Collection {
    name: String,
    documents: usize,
}

pub(in crate::papers) fn run(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    let parameters: Parameters = definition.parameters(setting.size)?;
    let mut outcome = Outcome::default();
    let mut times = Table::new(
        "Seconds from unsorted fingerprints to all pairs, all cores",
        &["", "fingerprints", "four tables, a query each", "ten tables", "our join", "pairs"],
    );
    let mut probes = Table::new(
        "Entries compared with a query, in all tables",
        &["", "4 tables of 1 block", "5 of 1", "6 of 1", "10 of 2 (5 blocks)"],
    );
    for Collection { name, documents } in &parameters.collections {
        let mut values = join_set(*documents);
        let paper = |values: &[u64], blocks: u32, most: usize| {
            (values.len() <= most).then(|| as_in_the_paper(values, blocks, &parameters))
        };
        let four = paper(&values, 4, parameters.most_for_four);
        let ten = paper(&values, 5, parameters.most_for_ten);

        let designs = [(4, 1), (5, 1), (6, 1), (5, 2)];
        let compared = designs.map(|(blocks, leading)| probes_of(&values, blocks, leading));
        let mut row = vec![name.clone()];
        row.extend(compared.map(number));
        probes.row(row);
        outcome.figure(format!("{name}: probes a table"), compared[0] / 4.0);
        outcome.figure(format!("{name}: probes"), compared[0]);
        outcome.figure(format!("{name}: five tables / four"), compared[1] / compared[0]);
        outcome.figure(format!("{name}: six tables / four"), compared[2] / compared[0]);
        outcome.figure(format!("{name}: four tables / ten"), compared[0] / compared[3]);

        let mut pairs = 0;
        let join = best_wall_time(1, || {
            values.par_sort_unstable();
            values.dedup();
            pairs = count(&values, &Pool);
        });
        let (right, how) = check(&values, pairs);
        outcome.check(format!("{name}: {how}"), right);
        let join = join.as_secs_f64();
        outcome.figure(format!("{name}: seconds"), join);
        for (tables, found) in [("four", &four), ("ten", &ten)] {
            if let Some((seconds, equal)) = found {
                outcome.figure(format!("{name}: seconds with {tables} tables"), *seconds);
                outcome.check(format!("{name}: {tables} tables find what the multi-index finds"), *equal);
            }
        }
        let or_dash = |found: &Option<(f64, bool)>| found.map_or("-".to_owned(), |found| number(found.0));
        times.row([
            name.clone(),
            number(*documents as f64),
            or_dash(&four),
            or_dash(&ten),
            number(join),
            number(pairs as f64),
        ]);
    }
    outcome.tables.extend([times, probes]);
    Ok(outcome)
}

/// Seconds for a query of every fingerprint to the paper's tables, by a sample; building them is
/// not counted, as in the paper. And whether the sample's matches are right.
fn as_in_the_paper(values: &[u64], blocks: u32, parameters: &Parameters) -> (f64, bool) {
    let Parameters { queries, radius, .. } = *parameters;
    let tables = BlockTables::new(blocks, radius);
    let index = BlockIndex::build(tables, values, Find::BinarySearch, Kernel::Scalar);
    let step = (values.len() / queries).max(1);
    let sample: Vec<Query<'_>> = values.iter().step_by(step).map(|&value| Simhash(value).into()).collect();
    let found = |search: &(dyn HammingSearch + Sync)| -> usize {
        let part = sample.len().div_ceil(rayon::current_num_threads());
        let one = |queries: &[Query<'_>]| {
            let mut found = 0;
            search.search_batch(queries, radius, Want::All, &mut |_, _| {
                found += 1;
                true
            });
            found
        };
        sample.par_chunks(part).map(one).sum()
    };
    let mut matches = 0;
    let time = best_wall_time(2, || matches = found(&index)).as_secs_f64();
    drop(index);
    let exact = twindex_core::search::MultiIndex::build(values.to_vec(), radius, Kernel::best());
    (time / sample.len() as f64 * values.len() as f64, matches == found(&exact))
}

/// The mean number of fingerprints that share the leading bits of a query, summed over all tables.
fn probes_of(values: &[u64], blocks: u32, leading: u32) -> f64 {
    let tables = BlockTables::with_leading(blocks, leading);
    let squares = tables.masks().par_iter().map(|&mask| {
        let mut counts = vec![0u32; 1 << mask.count_ones()];
        values.iter().for_each(|&value| counts[compress(value, mask)] += 1);
        counts.iter().map(|&count| f64::from(count) * f64::from(count)).sum::<f64>()
    });
    squares.sum::<f64>() / values.len() as f64
}

/// The bits of a mask, put together.
fn compress(value: u64, mut mask: u64) -> usize {
    let (mut out, mut place) = (0, 0);
    while mask != 0 {
        let start = mask.trailing_zeros();
        let ones = (mask >> start).trailing_ones();
        let run = (u64::MAX >> (u64::BITS - ones)) << start;
        out |= (value & run) >> start << place;
        place += ones;
        mask &= !run;
    }
    out as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_a_mask_are_put_together() {
        assert_eq!(compress(0b1011_0110, 0b1111_0000), 0b1011);
        assert_eq!(compress(0b1011_0110, 0b1000_0111), 0b1110);
        assert_eq!(compress(u64::MAX, 0), 0);
    }

    #[test]
    fn probes_are_the_entries_of_the_query_s_buckets() {
        // Two equal values and one that shares three of four blocks with them.
        let values = [0, 0, 1];
        let expected = (3.0 * 3.0 * 3.0 + (2.0 * 2.0 + 1.0)) / 3.0;
        assert!((probes_of(&values, 4, 1) - expected).abs() < 1e-12);
    }
}
