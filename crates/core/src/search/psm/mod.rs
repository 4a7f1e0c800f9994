//! Probabilistic simhash matching (PSM): one sorted copy, and header guesses in order of
//! probability.
//!
//! The header of a fingerprint, its highest t bits, is the address of its bucket. A near-duplicate
//! has the same header except for a few flipped bits, and the margins show which bits flip easily.
//! So a query looks up its own header first, then the headers that [VOSH](vosh) makes by flipping
//! the likeliest sets of bits, and compares the remaining bits of the entries:
//!
//! ```text
//! for S in {}, then the k likeliest subsets of at most h header bits:
//!     for each stored fingerprint whose header is the query's with S flipped:
//!         report it if the other bits differ in at most h - |S|
//! ```
//!
//! With one copy instead of several it needs 12 bytes per fingerprint and a table of 2^t headers.
//! Matches whose set of flips is not tried are missed: k is [calibrated](calibration) for a wanted
//! recall. Without margins only the query's own header is looked up.
//!
//! Differences from the paper: headers are found by offsets into the sorted copy, which need 4
//! bytes where its hash table needs 8, so that the memory factor T' = 1 + 2^(t-d) is smaller at the
//! same t; a fixed list of ranks may replace the heap ([`FlipOrder`]); the queries of a batch
//! overlap their cache misses.
//!
//! Source: S. Sood, D. Loguinov, Probabilistic near-duplicate detection using simhash, 2011.

pub mod batch;
pub mod calibration;
mod order;
mod volatility;
pub mod vosh;

use crate::kernel::Kernel;
use crate::search::hamming::{HammingSearch, LARGEST_RADIUS, Query, Sink, Want, check_radius};
use crate::search::multi_index::Header;
use crate::search::multi_index::probe::{self, Pending, Probe, Step};
use crate::search::multi_index::table::{Scratch, Table};

use order::{Flips, Guess};

pub use order::FlipOrder;
pub use volatility::{NoDistribution, STEPS, Volatility};

/// An immutable collection of at most 2^32 - 1 fingerprints.
#[derive(Debug, Clone)]
pub struct Psm {
    table: [Table<u64>; 1],
    settings: Settings,
    kernel: Kernel,
}

/// The parameters that determine recall and speed.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The header bits t: at most the logarithm of the collection's size, and 28. More bits mean
    /// fewer false candidates in a bucket, more flips for the same recall, and a larger table.
    pub header_bits: u32,
    /// How bits flip.
    pub volatility: Volatility,
    /// How flips are ordered.
    pub order: FlipOrder,
    /// The flips k of a query, besides its own header.
    pub flips: usize,
}

/// The widest header.
const MOST_BITS: u32 = 28;

/// The most queries that are looked up together.
const MOST_TOGETHER: usize = 32;

/// Flips that a query for the first match tries before it checks for an answer.
const AT_ONCE: usize = 4;

impl Settings {
    /// The header bits of `length` fingerprints for a memory factor of T' = 1 + 2^-`fewer`.
    pub fn header_bits(length: usize, fewer: u32) -> u32 {
        length.max(2).ilog2().saturating_sub(fewer).clamp(1, MOST_BITS)
    }

    fn guess(&self, radius: u32, kernel: Kernel) -> Guess<'_> {
        let Settings { order, volatility, header_bits, .. } = self;
        Guess { order, volatility, header_bits: *header_bits, radius, kernel }
    }
}

impl Psm {
    /// Sorts the fingerprints by their headers.
    ///
    /// Panics if the header is wider than 28 bits or than the logarithm of the number of
    /// fingerprints, rounded up.
    pub fn build(fingerprints: &[u64], settings: Settings, kernel: Kernel) -> Self {
        let bits = settings.header_bits;
        let most = fingerprints.len().max(2).next_power_of_two().ilog2().min(MOST_BITS);
        assert!(
            (1..=most).contains(&bits),
            "a header of {bits} bits was asked for; this collection allows 1 to {most}"
        );
        let header = Header { shift: u64::BITS - bits, bits };
        let table = [Table::build(header, fingerprints, &mut Scratch::default())];
        Psm { table, settings, kernel }
    }

    /// The fingerprints by position.
    pub fn fingerprints(&self) -> Vec<u64> {
        let [table] = &self.table;
        let mut fingerprints = vec![0; table.entries.len()];
        for (&position, &fingerprint) in table.positions.iter().zip(&table.entries) {
            fingerprints[position as usize] = fingerprint;
        }
        fingerprints
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Sets the number of flips: more recall, or more speed.
    pub fn set_flips(&mut self, flips: usize) {
        self.settings.flips = flips;
    }

    /// Sets the order of flips.
    pub fn set_order(&mut self, order: FlipOrder) {
        self.settings.order = order;
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        let [table] = &self.table;
        12 * table.entries.len() + 4 * table.offsets.len()
    }
}

impl HammingSearch for Psm {
    fn len(&self) -> usize {
        self.table[0].entries.len()
    }

    fn search_batch(&self, queries: &[Query<'_>], radius: u32, want: Want, sink: &mut Sink<'_>) {
        check_radius(radius, LARGEST_RADIUS);
        let [table] = &self.table;
        let bits = table.header.bits;
        let steps = [Step { table: 0, radius: bits, mask: table.header.mask(), flips: vec![] }];
        let mut probe = Probe::new(&self.table, None, &steps, queries.len(), radius, want, self.kernel, sink);
        let (guess, count) = (self.settings.guess(radius, self.kernel), self.settings.flips);
        let mut flips = Flips::default();
        let mut of_query = vec![];
        let mut look_ups: Vec<Pending> = vec![];
        // At most one group of `probe::TOGETHER` look-ups: a small rest would overlap few cache
        // misses.
        let together = (probe::TOGETHER / count.saturating_add(1)).clamp(1, MOST_TOGETHER);
        for (number, group) in queries.chunks(together).enumerate() {
            let numbered = || group.iter().zip((number * together) as u32..);
            let pending = |query: u32, fingerprint: u64, flip| Pending { query, flip, fingerprint };
            look_ups.clear();
            look_ups.extend(numbered().map(|(query, number)| pending(number, query.fingerprint.0, 0)));
            look_ups.iter().for_each(|look_up| probe.prefetch(0, look_up));
            if want == Want::First {
                probe.look_up_pending(0, &look_ups);
                look_ups.clear();
            }
            for (query, number) in
                numbered().filter(|(_, number)| want == Want::All || probe.is_open(*number))
            {
                let Some(margins) = query.margins else { continue };
                of_query.clear();
                flips.append(guess, margins, count, &mut of_query);
                let start = look_ups.len();
                look_ups.extend(of_query.iter().map(|&flip| pending(number, query.fingerprint.0, flip)));
                // Prefetched while the flips of the next query are computed.
                look_ups[start..].iter().for_each(|look_up| probe.prefetch(0, look_up));
            }
            match want {
                Want::All => probe.look_up_pending(0, &look_ups),
                Want::First => first(&mut probe, &look_ups),
            }
        }
        probe.report();
    }
}

/// Looks up a few flips of every query, then a few more of those that are still open.
fn first(probe: &mut Probe<'_, '_, '_, u64>, look_ups: &[Pending]) {
    let mut of_queries: Vec<&[Pending]> = look_ups.chunk_by(|a, b| a.query == b.query).collect();
    let mut round = vec![];
    while !of_queries.is_empty() {
        round.clear();
        for rest in &mut of_queries {
            let (now, later) = rest.split_at(AT_ONCE.min(rest.len()));
            round.extend_from_slice(now);
            *rest = later;
        }
        probe.look_up_pending(0, &round);
        of_queries.retain(|rest| rest.first().is_some_and(|next| probe.is_open(next.query)));
    }
}

#[cfg(test)]
mod tests;
