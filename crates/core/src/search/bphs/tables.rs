//! The choices of leading blocks.

use crate::fingerprint::Simhash;
use crate::hash::mix;

/// One bit mask per table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockTables {
    radius: u32,
    masks: Vec<u64>,
}

/// The blocks of the nested design, and the parts into which the rest is divided again.
const NESTED: u32 = 4;

impl BlockTables {
    /// Tables that find everything within `radius` bits by dividing fingerprints into `blocks`
    /// blocks; as many lead as are certain to be equal.
    ///
    /// `blocks` must be larger than `radius` and at most 64.
    pub fn new(blocks: u32, radius: u32) -> Self {
        assert!(radius < blocks && blocks <= 64, "{blocks} blocks cannot guarantee a radius of {radius}");
        BlockTables::with_leading(blocks, blocks - radius)
    }

    /// Tables of `leading` of `blocks` blocks: the paper's g and G. They find everything within G -
    /// g bits.
    ///
    /// `leading` must be from 1 to `blocks`, and `blocks` at most 64.
    pub fn with_leading(blocks: u32, leading: u32) -> Self {
        assert!((1..=blocks).contains(&leading) && blocks <= 64, "{leading} of {blocks} blocks cannot lead");
        let block_masks: Vec<u64> = (0..blocks).map(|block| block_mask(block, blocks)).collect();
        let mut masks = vec![];
        choose(&block_masks, leading as usize, 0, &mut masks);
        BlockTables { radius: blocks - leading, masks }
    }

    /// The nested design of 16 tables for a radius of 3: one of four blocks leads, followed by one
    /// of four parts of the other 48 bits; 28 bits in all.
    pub fn nested() -> Self {
        let mut masks = vec![];
        for outer in (0..NESTED).map(|block| block_mask(block, NESTED)) {
            // Of the other bits, the lowest quarter, the next, and so on.
            let others: Vec<u64> = (0..64).map(|bit| 1 << bit).filter(|bit| bit & outer == 0).collect();
            let part = others.len() / NESTED as usize;
            masks.extend(others.chunks(part).map(|bits| bits.iter().fold(outer, |mask, bit| mask | bit)));
        }
        BlockTables { radius: NESTED - 1, masks }
    }

    /// How many tables there are.
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

    /// The leading bits of each table.
    pub fn masks(&self) -> &[u64] {
        &self.masks
    }

    /// Appends one key per table. Two fingerprints within the radius share at least one key.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::samples::clustered;
    use crate::search::scan;

    #[test]
    fn fingerprints_within_the_radius_share_a_key() {
        let stored: Vec<Simhash> = clustered(500).into_iter().map(Simhash).collect();
        let designs =
            [(4, 3), (5, 3), (6, 3), (10, 8)].map(|(blocks, radius)| BlockTables::new(blocks, radius));
        for tables in designs.into_iter().chain([BlockTables::nested()]) {
            let keys = |fingerprint| {
                let mut keys = vec![];
                tables.keys(fingerprint, &mut keys);
                keys
            };
            for &a in &stored {
                for position in scan::within(&stored, a, tables.radius()) {
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
        assert_eq!(BlockTables::with_leading(8, 3).len(), 56);
        assert_eq!(BlockTables::with_leading(8, 3).radius(), 5);
    }

    #[test]
    fn nested_tables_lead_with_28_bits() {
        let nested = BlockTables::nested();
        assert_eq!((nested.len(), nested.radius()), (16, 3));
        assert!(nested.masks().iter().all(|mask| mask.count_ones() == 28));
    }
}
