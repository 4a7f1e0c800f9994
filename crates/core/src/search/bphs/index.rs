//! The sorted copies, searched one query at a time.

use crate::fingerprint::Simhash;
use crate::kernel::Kernel;
use crate::kernel::hamming::{LookUp, Survivor};
use crate::kernel::memory;
use crate::search::hamming::{HammingSearch, Match, Query, Sink, Want, check_radius};

use super::tables::BlockTables;

/// How a table finds the run of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Find {
    /// By binary search, as in the papers: log2 n steps, nearly each a cache miss.
    BinarySearch,
    /// By a table of the start of each value of the first bits: one step.
    DirectAddress,
}

/// The permuted copies of at most 2^32 - 1 fingerprints.
#[derive(Debug, Clone)]
pub struct BlockIndex {
    design: BlockTables,
    length: usize,
    tables: Vec<Copied>,
    kernel: Kernel,
}

/// A permuted copy with its leading bits in front.
#[derive(Debug, Clone)]
struct Copied {
    permutation: Permutation,
    /// The permuted fingerprints, ascending.
    values: Vec<u64>,
    /// The original position of each.
    positions: Vec<u32>,
    /// The start of each value of the first `address_bits` bits; empty for binary search.
    offsets: Vec<u32>,
    address_bits: u32,
}

/// Logarithm of the average run length for the chosen address.
const RUN_BITS: u32 = 3;

/// The widest address.
const MOST_BITS: u32 = 28;

impl BlockIndex {
    /// Sorts a permuted copy of `fingerprints` for every table.
    pub fn build(design: BlockTables, fingerprints: &[u64], find: Find, kernel: Kernel) -> Self {
        let tables = design.masks().iter().map(|&mask| Copied::build(mask, fingerprints, find)).collect();
        BlockIndex { design, length: fingerprints.len(), tables, kernel }
    }

    /// The choices of blocks.
    pub fn design(&self) -> &BlockTables {
        &self.design
    }

    /// Bytes of memory. The paper counts 8 per fingerprint and table; the position takes 4 more.
    pub fn bytes(&self) -> usize {
        self.tables.iter().map(|table| 12 * table.values.len() + 4 * table.offsets.len()).sum()
    }

    /// Calls `sink` with the matches of one query, each once, until it returns false.
    fn search_one(
        &self,
        fingerprint: u64,
        radius: u32,
        survivors: &mut Vec<Survivor>,
        sink: &mut dyn FnMut(Match) -> bool,
    ) {
        for (number, table) in self.tables.iter().enumerate() {
            let word = table.permutation.apply(fingerprint);
            let (start, end) = table.run(word);
            survivors.clear();
            self.kernel.look_up(&table.values, &[LookUp { start, end, word, radius }], survivors);
            for survivor in survivors.iter() {
                let difference = table.values[survivor.position as usize] ^ word;
                let original = table.permutation.undo(difference);
                // A match in the run of an earlier table was reported there.
                let seen = self.design.masks()[..number].iter().any(|mask| original & mask == 0);
                let header = original & self.design.masks()[number] == 0;
                if header && !seen {
                    let position = table.positions[survivor.position as usize];
                    if !sink(Match { position, distance: Simhash(difference).distance(Simhash(0)) }) {
                        return;
                    }
                }
            }
        }
    }
}

impl HammingSearch for BlockIndex {
    fn len(&self) -> usize {
        self.length
    }

    fn largest_radius(&self) -> u32 {
        self.design.radius()
    }

    fn search_batch(&self, queries: &[Query<'_>], radius: u32, want: Want, sink: &mut Sink<'_>) {
        check_radius(radius, self.largest_radius());
        let mut survivors = vec![];
        for (number, query) in queries.iter().enumerate() {
            self.search_one(query.fingerprint.0, radius, &mut survivors, &mut |found| {
                let counts = sink(number, found);
                want == Want::All || !counts
            });
        }
    }
}

impl Copied {
    fn build(mask: u64, fingerprints: &[u64], find: Find) -> Self {
        let permutation = Permutation::new(mask);
        let mut entries: Vec<(u64, u32)> = fingerprints
            .iter()
            .zip(0..)
            .map(|(&fingerprint, position)| (permutation.apply(fingerprint), position))
            .collect();
        entries.sort_unstable();
        let (mut values, mut positions) = (memory::zeroed(entries.len()), memory::zeroed(entries.len()));
        for (place, &(value, position)) in entries.iter().enumerate() {
            values[place] = value;
            positions[place] = position;
        }
        let leading = mask.count_ones();
        let useful = fingerprints.len().max(1).ilog2().saturating_sub(RUN_BITS).clamp(1, MOST_BITS);
        let address_bits = leading.min(useful);
        let mut offsets = vec![];
        if find == Find::DirectAddress {
            offsets = memory::zeroed((1 << address_bits) + 1);
            let header = |value: u64| (value >> (u64::BITS - address_bits)) as usize;
            values.iter().for_each(|&value| offsets[header(value) + 1] += 1);
            for place in 1..offsets.len() {
                offsets[place] += offsets[place - 1];
            }
        }
        Copied { permutation, values, positions, offsets, address_bits }
    }

    /// The run of a permuted query: all entries with its leading bits, and, with a short address,
    /// perhaps others.
    fn run(&self, word: u64) -> (u32, u32) {
        if self.offsets.is_empty() {
            let rest = u64::MAX.checked_shr(self.permutation.leading).unwrap_or(0);
            let (first, last) = (word & !rest, word | rest);
            let start = self.values.partition_point(|&value| value < first);
            let length = self.values[start..].iter().take_while(|&&value| value <= last).count();
            return (start as u32, (start + length) as u32);
        }
        let header = (word >> (u64::BITS - self.address_bits)) as usize;
        (self.offsets[header], self.offsets[header + 1])
    }
}

/// Moves the chosen bits to the front; both groups keep their order.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Permutation {
    /// How many bits lead.
    leading: u32,
    /// The pieces from the front: their original mask, and how far they are rotated to the left.
    pieces: Vec<(u64, u32)>,
}

impl Permutation {
    fn new(mask: u64) -> Self {
        let mut pieces = vec![];
        let mut place = u64::BITS;
        for group in [mask, !mask] {
            // Runs of ones from the highest bit down.
            let mut rest = group;
            while rest != 0 {
                let top = u64::BITS - rest.leading_zeros();
                let ones = (rest << (u64::BITS - top)).leading_ones();
                let piece = (u64::MAX >> (u64::BITS - ones)) << (top - ones);
                place -= ones;
                pieces.push((piece, (u64::BITS + place - (top - ones)) % u64::BITS));
                rest &= !piece;
            }
        }
        Permutation { leading: mask.count_ones(), pieces }
    }

    fn apply(&self, word: u64) -> u64 {
        self.pieces.iter().fold(0, |moved, (mask, rotation)| moved | (word & mask).rotate_left(*rotation))
    }

    fn undo(&self, moved: u64) -> u64 {
        self.pieces.iter().fold(0, |word, (mask, rotation)| word | moved.rotate_right(*rotation) & mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;
    use crate::search::Scan;
    use crate::search::samples::{all_sets, clustered, matches};

    #[test]
    fn equals_the_scan_for_all_blocks_and_leading_ones() {
        for (name, stored) in all_sets(150) {
            let scan = Scan::new(stored.clone(), Kernel::best());
            let queries: Vec<Simhash> = stored.iter().step_by(13).map(|&bits| Simhash(bits)).collect();
            for blocks in 1..=8 {
                for leading in 1..=blocks {
                    let design = BlockTables::with_leading(blocks, leading);
                    for find in [Find::BinarySearch, Find::DirectAddress] {
                        let index = BlockIndex::build(design.clone(), &stored, find, Kernel::best());
                        for radius in [0, design.radius() / 2, design.radius()] {
                            let found = matches(&index, &queries, radius);
                            let case = format!("{name}, {leading} of {blocks}, radius {radius}, {find:?}");
                            assert_eq!(found, matches(&scan, &queries, radius), "{case}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_nested_design_equals_the_scan() {
        let stored = clustered(3000);
        let scan = Scan::new(stored.clone(), Kernel::best());
        let queries: Vec<Simhash> = stored.iter().step_by(5).map(|&bits| Simhash(bits)).collect();
        for find in [Find::BinarySearch, Find::DirectAddress] {
            let index = BlockIndex::build(BlockTables::nested(), &stored, find, Kernel::best());
            assert_eq!(matches(&index, &queries, 3), matches(&scan, &queries, 3));
        }
    }

    #[test]
    fn permutations_put_the_chosen_bits_in_front_and_back() {
        for mask in BlockTables::nested().masks().iter().chain(BlockTables::new(5, 3).masks()).chain(&[
            1,
            1 << 63,
            u64::MAX,
        ]) {
            let permutation = Permutation::new(*mask);
            let front = u64::MAX << (64 - mask.count_ones());
            assert_eq!(permutation.apply(*mask), front, "{mask:x}");
            for word in (0..100).map(mix) {
                assert_eq!(permutation.undo(permutation.apply(word)), word);
            }
        }
    }

    #[test]
    fn the_first_match_that_counts_ends_a_query() {
        let index = BlockIndex::build(BlockTables::new(4, 3), &[7; 20], Find::DirectAddress, Kernel::best());
        let mut seen = vec![];
        index.search(Simhash(6).into(), 3, Want::First, &mut |found| {
            seen.push(found.position);
            found.position >= 4
        });
        assert_eq!(seen, [0, 1, 2, 3, 4]);
    }
}
