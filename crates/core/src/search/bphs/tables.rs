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

    /// The design of exactly `count` tables for a radius, with as many leading bits as possible;
    /// `None` if so few tables cannot guarantee the radius.
    ///
    /// For a radius of 3 these are 4 tables of one block, 10 of two and 20 of three, and the nested
    /// design of 16. Other numbers (5, 6) have one leading block too, a shorter one: their runs are
    /// longer than those of four tables, and they find more than was asked for.
    pub fn of_count(count: u32, radius: u32) -> Option<Self> {
        let mut designs: Vec<BlockTables> = (1..=64u32)
            .flat_map(|blocks| (1..=blocks).map(move |leading| (blocks, leading)))
            .filter(|&(blocks, leading)| {
                blocks - leading >= radius && choices(blocks, leading) == f64::from(count)
            })
            .map(|(blocks, leading)| BlockTables::with_leading(blocks, leading))
            .collect();
        designs.extend(
            (radius < NESTED).then(BlockTables::nested).filter(|nested| nested.len() == count as usize),
        );
        let leading = |design: &BlockTables| design.masks.iter().map(|mask| mask.count_ones()).min();
        designs.into_iter().max_by_key(leading)
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

/// C(blocks, leading).
fn choices(blocks: u32, leading: u32) -> f64 {
    let factor = |i: u32| f64::from(blocks - i) / f64::from(i + 1);
    (0..leading).map(factor).product::<f64>().round()
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
    // As many masks must follow as are still to be chosen.
    let last = masks.len().saturating_sub(count - 1);
    for (position, mask) in masks[..last].iter().enumerate() {
        choose(&masks[position + 1..], count - 1, chosen | mask, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::samples::clustered;
    use crate::search::scan;

    #[test]
    fn numbers_of_tables_have_a_design() {
        let leading = |count, radius| {
            let design = BlockTables::of_count(count, radius)?;
            assert_eq!(design.len(), count as usize);
            assert!(design.radius() >= radius);
            design.masks().iter().map(|mask| mask.count_ones()).min()
        };
        let of_three = [4, 5, 6, 10, 16, 20].map(|count| leading(count, 3));
        assert_eq!(of_three, [Some(16), Some(12), Some(10), Some(25), Some(28), Some(31)]);
        assert_eq!(leading(6, 2), Some(32), "two of four blocks");
        assert_eq!(leading(16, 5), Some(4), "the nested design serves up to 3 bits");
        assert_eq!(leading(3, 3), None);
        assert_eq!(leading(0, 0), None);
        assert_eq!(leading(1, 0), Some(64));
    }

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
