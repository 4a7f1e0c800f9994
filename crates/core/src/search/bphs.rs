//! Block-permuted Hamming search (BPHS).
//!
//! Cut the 64 bits into G blocks. If two fingerprints differ in at most h bits, at least G - h blocks are equal, so for
//! g = G - h some choice of g blocks is equal in both. Keep one table for each of the C(G, g) choices, sorted by the bits
//! of its chosen blocks; a query looks up its own chosen bits in each table and compares what it finds there:
//!
//! ```text
//! for each table:  run = entries whose chosen blocks equal the query's;  report those within h bits
//! ```
//!
//! Fewer, larger tables or more, smaller runs: for h = 3, G = 4, 5, 6 give 4, 10, 20 tables whose runs share 16, 25, 32
//! bits. Complete by the pigeonhole principle; the tests compare with a scan for every (G, h).
//!
//! Source: G. S. Manku, A. Jain, A. Das Sarma, Detecting near-duplicates for web crawling, 2007; called BPHS in the paper
//! on probabilistic simhash matching.

use crate::fingerprint::Simhash;
use crate::hash::mix;

/// The choices of leading blocks: one bit mask a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockTables {
    radius: u32,
    masks: Vec<u64>,
}

impl BlockTables {
    /// Tables that find everything within `radius` bits by cutting fingerprints into `blocks` blocks.
    ///
    /// `blocks` must be larger than `radius` and at most 64.
    pub fn new(blocks: u32, radius: u32) -> Self {
        assert!(radius < blocks && blocks <= 64, "{blocks} blocks cannot guarantee a radius of {radius}");
        let block_masks: Vec<u64> = (0..blocks).map(|block| block_mask(block, blocks)).collect();
        let leading = blocks - radius;
        let mut masks = vec![];
        choose(&block_masks, leading as usize, 0, &mut masks);
        BlockTables { radius, masks }
    }

    /// How many tables there are: C(G, g).
    pub fn len(&self) -> usize {
        self.masks.len()
    }

    /// Never true; there is always a table.
    pub fn is_empty(&self) -> bool {
        self.masks.is_empty()
    }

    /// The distance within which the tables find everything.
    pub fn radius(&self) -> u32 {
        self.radius
    }

    /// Appends one key a table. Two fingerprints within the radius share at least one key.
    pub fn keys(&self, fingerprint: Simhash, keys: &mut Vec<u64>) {
        keys.extend(
            self.masks
                .iter()
                .enumerate()
                .map(|(table, mask)| mix((fingerprint.0 & mask).wrapping_add(mix(table as u64)))),
        );
    }
}

/// Block `block` of `blocks` nearly equal ones, the low bits first.
fn block_mask(block: u32, blocks: u32) -> u64 {
    let (start, end) = (64 * block / blocks, 64 * (block + 1) / blocks);
    (u64::MAX >> (64 - (end - start))) << start
}

/// Every union of `count` of the masks.
fn choose(masks: &[u64], count: usize, chosen: u64, out: &mut Vec<u64>) {
    if count == 0 {
        out.push(chosen);
        return;
    }
    for (position, mask) in masks.iter().enumerate() {
        choose(&masks[position + 1..], count - 1, chosen | mask, out);
    }
}

/// The sorted tables over a set of fingerprints, searched one query at a time.
#[derive(Debug, Clone)]
pub struct BlockIndex {
    tables: BlockTables,
    /// For each table the entries (fingerprint, position) in order of their chosen bits.
    sorted: Vec<Vec<(Simhash, u32)>>,
}

impl BlockIndex {
    /// Sorts a copy of `fingerprints` for every table.
    pub fn build(tables: BlockTables, fingerprints: &[Simhash]) -> Self {
        let entries: Vec<(Simhash, u32)> = fingerprints.iter().copied().zip(0..).collect();
        let sorted = tables
            .masks
            .iter()
            .map(|mask| {
                let mut table = entries.clone();
                table.sort_unstable_by_key(|(fingerprint, position)| (fingerprint.0 & mask, *position));
                table
            })
            .collect();
        BlockIndex { tables, sorted }
    }

    /// The positions of all fingerprints within the tables' radius of `query`, ascending.
    pub fn within(&self, query: Simhash) -> Vec<usize> {
        let mut found = vec![];
        for (mask, table) in self.tables.masks.iter().zip(&self.sorted) {
            let wanted = query.0 & mask;
            let start = table.partition_point(|(fingerprint, _)| fingerprint.0 & mask < wanted);
            let run = table[start..].iter().take_while(|(fingerprint, _)| fingerprint.0 & mask == wanted);
            found.extend(
                run.filter(|(fingerprint, _)| fingerprint.distance(query) <= self.tables.radius)
                    .map(|&(_, position)| position as usize),
            );
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::scan;

    /// Clusters of fingerprints a few bits apart, plus the hard cases: equal, complementary, one bit apart.
    fn fingerprints() -> Vec<Simhash> {
        let mut all = vec![Simhash(0), Simhash(0), Simhash(1), Simhash(u64::MAX), Simhash(u64::MAX - 1)];
        for centre in 0..40 {
            for variant in 0..10u64 {
                let flips =
                    (0..variant).fold(0, |bits, i| bits | 1 << (mix(centre * 100 + variant * 10 + i) % 64));
                all.push(Simhash(mix(centre + 1) ^ flips));
            }
        }
        all
    }

    #[test]
    fn equals_the_scan_for_all_blocks_and_radii() {
        let stored = fingerprints();
        for blocks in 2..=8 {
            for radius in 0..blocks {
                let index = BlockIndex::build(BlockTables::new(blocks, radius), &stored);
                for &query in stored.iter().step_by(3) {
                    assert_eq!(
                        index.within(query),
                        scan::within(&stored, query, radius),
                        "{blocks} blocks, radius {radius}, query {query}"
                    );
                }
            }
        }
    }

    #[test]
    fn fingerprints_within_the_radius_share_a_key() {
        let stored = fingerprints();
        for (blocks, radius) in [(4, 3), (5, 3), (6, 3), (10, 8)] {
            let tables = BlockTables::new(blocks, radius);
            let keys = |fingerprint| {
                let mut keys = vec![];
                tables.keys(fingerprint, &mut keys);
                keys
            };
            for &a in &stored {
                for position in scan::within(&stored, a, radius) {
                    let (a, b) = (keys(a), keys(stored[position]));
                    assert!(a.iter().any(|key| b.contains(key)));
                }
            }
        }
    }

    #[test]
    fn the_number_of_tables_is_the_binomial_coefficient() {
        let tables = |blocks, radius| BlockTables::new(blocks, radius).len();
        assert_eq!([tables(4, 3), tables(5, 3), tables(6, 3), tables(1, 0)], [4, 10, 20, 1]);
    }
}
