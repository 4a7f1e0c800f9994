//! Linear scan: compares the query with everything. The oracle of every other Hamming search, and
//! the right choice for small sets.
//!
//! A single query streams through the fingerprints at memory bandwidth. A batch of queries first
//! turns blocks of fingerprints into bit slices (see [`slices`]), which pays off from eight queries
//! on. The [`Buffer`] keeps its slices, and thus serves single queries at the same speed.

mod buffer;

use crate::fingerprint::Simhash;
use crate::kernel::Kernel;
use crate::kernel::hamming::slices::{self, Slices};
use crate::search::hamming::{HammingSearch, Match, Query, Sink, Want};

pub use buffer::Buffer;

/// The positions of all fingerprints within `radius` bits of `query`, ascending.
pub fn within(stored: &[Simhash], query: Simhash, radius: u32) -> Vec<usize> {
    let near = |(_, fingerprint): &(usize, &Simhash)| fingerprint.distance(query) <= radius;
    stored.iter().enumerate().filter(near).map(|(position, _)| position).collect()
}

/// The least queries of a batch for slices: making them, and their sums, costs as much as a few
/// plain scans.
const WORTH_SLICING: usize = 8;

/// Blocks of slices made at once: 16,384 fingerprints, whose counted rows stay in the L2 cache
/// while all queries scan them.
const BLOCKS: usize = 64;

/// Fingerprints in the order in which they were given.
#[derive(Debug, Clone)]
pub struct Scan {
    fingerprints: Vec<u64>,
    kernel: Kernel,
}

impl Scan {
    /// A scan over at most 2^32 fingerprints.
    pub fn new(fingerprints: Vec<u64>, kernel: Kernel) -> Self {
        Scan { fingerprints, kernel }
    }

    /// The fingerprints, in the order in which they were given.
    pub fn fingerprints(&self) -> &[u64] {
        &self.fingerprints
    }

    /// Plain, one query after another.
    fn one_by_one(
        &self,
        fingerprints: &[u64],
        first: usize,
        queries: &[Query<'_>],
        radius: u32,
        each: &mut Each<'_, '_>,
    ) {
        let mut found = vec![];
        for (number, query) in queries.iter().enumerate() {
            if each.is_open(number) {
                self.kernel.within(fingerprints, query.fingerprint.0, radius, &mut found);
                each.report(number, query, fingerprints, first, radius, &mut found);
            }
        }
    }
}

impl HammingSearch for Scan {
    fn len(&self) -> usize {
        self.fingerprints.len()
    }

    fn largest_radius(&self) -> u32 {
        u64::BITS
    }

    fn search_batch(&self, queries: &[Query<'_>], radius: u32, want: Want, sink: &mut Sink<'_>) {
        let mut each = Each::new(queries.len(), want, sink);
        if queries.len() < WORTH_SLICING {
            return self.one_by_one(&self.fingerprints, 0, queries, radius, &mut each);
        }
        let mut sliced = Slices::for_radius(radius);
        let (mut open, mut words, mut found) = (vec![], vec![], vec![]);
        for (number, part) in self.fingerprints.chunks(BLOCKS * slices::LENGTH).enumerate() {
            let first = number * BLOCKS * slices::LENGTH;
            let (whole, rest) = part.as_chunks::<{ slices::LENGTH }>();
            sliced.clear();
            whole.iter().for_each(|block| sliced.push(block, self.kernel));
            open.clear();
            open.extend((0..queries.len()).filter(|&number| each.is_open(number)));
            words.clear();
            words.extend(open.iter().map(|&number| queries[number].fingerprint.0));
            self.kernel.each_within_slices(&sliced, &words, radius, &mut found);
            for (query, place) in found.drain(..) {
                let number = open[query as usize];
                each.offer(number, &queries[number], part, first, radius, place);
            }
            self.one_by_one(rest, first + whole.len() * slices::LENGTH, queries, radius, &mut each);
        }
    }
}

/// The queries that are still open, and the sink of the matches.
struct Each<'s, 'f> {
    open: Vec<bool>,
    want: Want,
    sink: &'s mut Sink<'f>,
}

impl<'s, 'f> Each<'s, 'f> {
    fn new(queries: usize, want: Want, sink: &'s mut Sink<'f>) -> Self {
        Each { open: vec![true; queries], want, sink }
    }

    fn is_open(&self, query: usize) -> bool {
        self.open[query]
    }

    /// Reports those of the `found` places (in `fingerprints`, which begin at `first`) that are
    /// within the radius, and clears the list.
    fn report(
        &mut self,
        number: usize,
        query: &Query<'_>,
        fingerprints: &[u64],
        first: usize,
        radius: u32,
        found: &mut Vec<u32>,
    ) {
        for place in found.drain(..) {
            self.offer(number, query, fingerprints, first, radius, place);
        }
    }

    /// The same for one place.
    fn offer(
        &mut self,
        number: usize,
        query: &Query<'_>,
        fingerprints: &[u64],
        first: usize,
        radius: u32,
        place: u32,
    ) {
        let distance = Simhash(fingerprints[place as usize]).distance(query.fingerprint);
        if distance <= radius && self.open[number] {
            let counts = (self.sink)(number, Match { position: first as u32 + place, distance });
            self.open[number] = !(counts && self.want == Want::First);
        }
    }
}

#[cfg(test)]
mod tests;
