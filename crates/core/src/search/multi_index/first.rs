//! The first match of each query: the likeliest bucket first.
//!
//! A near-duplicate most likely differs where the query's margins are small. So with margins, the
//! look-ups of a query are sorted by what they flip: nothing, then flips by the sum of their
//! margins. Without margins, fewer flips come first. After every few look-ups the queries with a
//! match are dropped.

use crate::search::hamming::Query;

use super::probe::{Probe, Step};
use super::table::Entry;

/// Look-ups of a query between two checks for a match: their cache misses overlap, and the last
/// ones may be in vain.
const AT_ONCE: usize = 8;

/// Queries without margins that are looked up together.
const GROUP: usize = 64;

/// With more look-ups than this, sorting costs more than it saves.
const WORTH_ORDERING: usize = 512;

/// Finds the first match of each query.
pub(super) fn run<W: Entry>(probe: &mut Probe<'_, '_, '_, W>, steps: &[Step], queries: &[Query<'_>]) {
    let look_ups: usize = steps.iter().map(|step| step.flips.len()).sum();
    // The unflipped headers come first, in any case: a query that finds a match there needs no
    // sorting.
    let mut group = vec![];
    for (number, part) in queries.chunks(GROUP).enumerate() {
        group.clear();
        group.extend(
            part.iter().zip((number * GROUP) as u32..).map(|(query, number)| (number, query.fingerprint.0)),
        );
        for (at, step) in steps.iter().enumerate() {
            probe.look_up(at, &step.flips[..1], &group);
        }
        let mut ordered = vec![];
        for (query, &(number, fingerprint)) in part.iter().zip(&group) {
            let Some(margins) = query.margins.filter(|_| look_ups <= WORTH_ORDERING) else { continue };
            if !probe.is_open(number) {
                continue;
            }
            ordered.clear();
            for (at, step) in steps.iter().enumerate() {
                let shift = step.mask.trailing_zeros();
                let cost = |flip: u32| -> u64 {
                    let bits = (0..u32::BITS).filter(|bit| flip >> bit & 1 == 1);
                    bits.map(|bit| u64::from(margins.0[(shift + bit) as usize].unsigned_abs())).sum()
                };
                ordered.extend(step.flips[1..].iter().map(|&flip| (cost(flip), at, flip)));
            }
            ordered.sort_unstable();
            for some in ordered.chunks(AT_ONCE) {
                for of_table in some.chunk_by(|a, b| a.1 == b.1) {
                    let flips: Vec<u32> = of_table.iter().map(|look_up| look_up.2).collect();
                    probe.look_up(of_table[0].1, &flips, &[(number, fingerprint)]);
                }
                if !probe.is_open(number) {
                    break;
                }
            }
        }
        // The open queries without sorted look-ups.
        group.retain(|&(query, _)| {
            let margins = queries[query as usize].margins.filter(|_| look_ups <= WORTH_ORDERING);
            margins.is_none() && probe.is_open(query)
        });
        for (at, step) in steps.iter().enumerate() {
            for flips in step.flips[1..].chunks(AT_ONCE) {
                probe.look_up(at, flips, &group);
            }
        }
    }
}
