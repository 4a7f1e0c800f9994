//! The headers of the tables, and the search radius of each.
//!
//! Disjoint headers of t_1, .., t_m bits with radii r_1, .., r_m find everything within h bits if
//! (r_1 + 1) + .. + (r_m + 1) > h: a fingerprint missed by every table differs in at least r_i + 1
//! bits of each header, in all more than h. So h + 1 units are given to the tables one by one, each
//! to the table where it adds the least work; a table without a unit is not read. For h = 3 and
//! three tables that is (1, 0, 0): 26 look-ups, where equal radii (1, 1, 1) need 67.
//!
//! The work of a table is its number of look-ups, the subsets of at most r of t bits, times the
//! cost of a bucket: a few cache misses, and its entries.

use std::ops::RangeInclusive;

use crate::search::hamming::LARGEST_RADIUS;

/// The header of a table: `bits` bits of the fingerprint from bit `shift` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The lowest bit.
    pub shift: u32,
    /// How many bits.
    pub bits: u32,
}

impl Header {
    /// The header of a fingerprint, as a number.
    #[inline(always)]
    pub fn of(self, fingerprint: u64) -> u32 {
        (fingerprint >> self.shift) as u32 & ((1 << self.bits) - 1)
    }

    /// The header's bits of a fingerprint.
    pub fn mask(self) -> u64 {
        ((1 << self.bits) - 1) << self.shift
    }
}

/// Nanoseconds of a look-up before its entries are read: its share of overlapping cache misses.
/// This and the next two were measured on 2^23 and 2^26 fingerprints; only their ratios matter, and
/// a factor of two changes no preset.
const LOOK_UP: f64 = 30.0;

/// Nanoseconds to stream and compare a 32-bit tag, and a 64-bit fingerprint.
const TAG: f64 = 0.4;
const WORD: f64 = 0.8;

/// From this radius on, too many random tags are within the radius, and whole fingerprints are
/// stored.
const WORDS_FROM: u32 = 7;

/// Headers leave 8 fingerprints per bucket on average: smaller buckets only make the offsets larger
/// and more buckets empty.
const BUCKET_BITS: u32 = 3;

/// Never smaller, so that small collections have more than one bucket.
const LEAST_BITS: u32 = 4;

/// Never larger: the offsets of such a table take a gigabyte.
const MOST_BITS: u32 = 28;

/// The most tables of tags: four with their identifiers and the fingerprints take 40 bytes per
/// fingerprint.
const MOST_TABLES: u32 = 4;

/// The headers of an index, and what its tables store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    pub(super) headers: Vec<Header>,
    pub(super) words: bool,
}

impl Layout {
    /// The layout with the least work for queries of `radius` to `length` nearly uniform
    /// fingerprints.
    pub fn new(length: usize, radius: u32) -> Self {
        Layout::fastest(length, radius, 1..=MOST_TABLES)
    }

    /// The layout with the fewest tables whose queries take at most `nanoseconds` by the model; the
    /// fastest if all take longer. For h = 3 two tables suffice, with radii (1, 1): 24 bytes per
    /// fingerprint instead of 40, and fifty look-ups.
    pub fn compact(length: usize, radius: u32, nanoseconds: f64) -> Self {
        let of_size = (1..=MOST_TABLES).map(|tables| Layout::fastest(length, radius, tables..=tables));
        let cost = |layout: &Layout| layout.cost(length, &layout.radii(length, radius));
        let mut affordable = of_size.filter(|layout| cost(layout) <= nanoseconds);
        affordable.next().unwrap_or_else(|| Layout::new(length, radius))
    }

    fn fastest(length: usize, radius: u32, tables: RangeInclusive<u32>) -> Self {
        let words = radius >= WORDS_FROM;
        let most = (length.max(1).ilog2().saturating_sub(BUCKET_BITS)).clamp(LEAST_BITS, MOST_BITS);
        let layouts = tables.flat_map(|tables| {
            // Tables with one unit more than the others have larger headers.
            let larger = if (radius + 1).is_multiple_of(tables) { tables } else { (radius + 1) % tables };
            (LEAST_BITS..=most.min(64 / tables.min(larger + 1))).filter_map(move |bits| {
                let count = tables - larger;
                // The remaining bits, as evenly as possible.
                let left = 64 - larger * bits;
                let other = |number: u32| ((left + count - 1 - number) / count).min(most);
                (count == 0 || other(count - 1) >= LEAST_BITS).then(|| {
                    let others = (0..count).map(other);
                    Layout::of(std::iter::repeat_n(bits, larger as usize).chain(others), words)
                })
            })
        });
        let cost = |layout: &Layout| layout.cost(length, &layout.radii(length, radius));
        layouts.min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or_else(|| Layout::of([LEAST_BITS], words))
    }

    /// Headers of these widths one above the other; at most 64 bits in all.
    pub(super) fn of(bits: impl IntoIterator<Item = u32>, words: bool) -> Self {
        let mut shift = 0;
        let headers = bits.into_iter().map(|bits| {
            let header = Header { shift, bits };
            shift += bits;
            header
        });
        Layout { headers: headers.collect(), words }
    }

    /// The headers.
    pub fn headers(&self) -> &[Header] {
        &self.headers
    }

    /// The radius of each table for queries of `radius` to `length` fingerprints; a table with
    /// `None` is not read.
    pub fn radii(&self, length: usize, radius: u32) -> Vec<Option<u32>> {
        let mut units = vec![0; self.headers.len()];
        for _ in 0..=radius {
            let added = |table: usize| {
                let (header, units) = (self.headers[table], units[table]);
                // A radius of all bits finds everything; more units add nothing.
                if units > header.bits {
                    f64::INFINITY
                } else {
                    subsets(header.bits, units) * self.bucket(header, length)
                }
            };
            let cheapest = (0..units.len()).min_by(|&a, &b| added(a).total_cmp(&added(b)));
            if let Some(table) = cheapest {
                units[table] += 1;
            }
        }
        units.into_iter().map(|units| u32::checked_sub(units, 1)).collect()
    }

    /// Nanoseconds of a query, by the model.
    pub fn cost(&self, length: usize, radii: &[Option<u32>]) -> f64 {
        self.look_ups(radii).map(|(header, look_ups)| look_ups * self.bucket(header, length)).sum()
    }

    /// The buckets that a query reads of each table.
    pub fn look_ups(&self, radii: &[Option<u32>]) -> impl Iterator<Item = (Header, f64)> {
        self.headers.iter().zip(radii).map(|(&header, &radius)| {
            let subsets = |radius| (0..=radius).map(|ones| subsets(header.bits, ones)).sum();
            (header, radius.map_or(0.0, subsets))
        })
    }

    /// Bytes of an index of `length` fingerprints, without lines.
    pub fn bytes(&self, length: usize) -> u64 {
        let (entry, whole) = if self.words { (8, 0) } else { (4, 8) };
        let table = |header: &Header| 4 * (1u64 << header.bits) + length as u64 * (entry + 4);
        whole * length as u64 + self.headers.iter().map(table).sum::<u64>()
    }

    /// Nanoseconds of a look-up.
    fn bucket(&self, header: Header, length: usize) -> f64 {
        let entry = if self.words { WORD } else { TAG };
        LOOK_UP + entry * length as f64 / f64::from(1u32 << header.bits)
    }
}

/// How many subsets of that size `bits` bits have.
fn subsets(bits: u32, ones: u32) -> f64 {
    (0..ones).fold(1.0, |product, i| product * f64::from(bits.saturating_sub(i)) / f64::from(i + 1))
}

/// Every way to change at most `radius` of `bits` bits: fewer changes first, then ascending.
pub(super) fn flips(bits: u32, radius: u32) -> Vec<u32> {
    debug_assert!(bits <= MOST_BITS && radius <= LARGEST_RADIUS);
    let mut all = vec![0u32];
    let mut last = 0;
    for _ in 0..radius.min(bits) {
        let (from, to) = (last, all.len());
        // Each subset is made from the one without its highest bit, and only from that.
        for smaller in from..to {
            let subset = all[smaller];
            all.extend((u32::BITS - subset.leading_zeros()..bits).map(|bit| subset | 1 << bit));
        }
        last = to;
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn units_exceed_the_radius_for_every_size() {
        for length in [0, 1, 100, 1 << 14, 1 << 20, 1 << 23, 1 << 26] {
            for built_for in 0..=LARGEST_RADIUS {
                let layout = Layout::new(length, built_for);
                assert!(layout.headers.iter().map(|header| header.bits).sum::<u32>() <= 64);
                for radius in 0..=LARGEST_RADIUS {
                    let units: u32 =
                        layout.radii(length, radius).iter().flatten().map(|radius| radius + 1).sum();
                    // Exactly one more than the radius: fewer would lose matches, more would be
                    // wasted.
                    assert_eq!(units, radius + 1, "{length} fingerprints, {built_for} and {radius} bits");
                }
            }
        }
    }

    #[test]
    fn presets() {
        let preset = |length, radius| {
            let layout = Layout::new(length, radius);
            let radii =
                layout.radii(length, radius).into_iter().map(|radius| radius.unwrap()).collect::<Vec<_>>();
            (layout.headers.iter().map(|header| header.bits).collect::<Vec<_>>(), radii)
        };
        assert_eq!(preset(1 << 20, 3), (vec![16; 4], vec![0; 4]));
        assert_eq!(preset(1 << 23, 3), (vec![16; 4], vec![0; 4]));
        assert_eq!(preset(1 << 26, 3).1, [1, 0, 0]);
        assert!(Layout::new(1 << 23, 8).words && !Layout::new(1 << 23, 6).words);
    }

    #[test]
    fn few_tables_while_they_are_fast_enough() {
        let tables = |length, radius, nanoseconds| {
            let layout = Layout::compact(length, radius, nanoseconds);
            assert_eq!(
                layout.radii(length, radius).iter().flatten().map(|it| it + 1).sum::<u32>(),
                radius + 1
            );
            layout.headers.len()
        };
        assert_eq!(tables(1 << 26, 3, 3_000.0), 2);
        assert_eq!(tables(1 << 10, 3, 3_000.0), 1, "a small collection has few buckets");
        assert_eq!(Layout::compact(1 << 23, 8, 3_000.0), Layout::new(1 << 23, 8), "too slow with any");
        assert_eq!(Layout::compact(1 << 23, 3, 0.0), Layout::new(1 << 23, 3));
    }

    #[test]
    fn flips_are_all_subsets_once_in_order_of_size() {
        for (bits, radius) in [(0, 3), (1, 0), (5, 2), (7, 7), (16, 3), (3, 9)] {
            let all = flips(bits, radius);
            assert!(all.is_sorted_by_key(|flip| flip.count_ones()));
            let expected: BTreeSet<u32> =
                (0..1 << bits).filter(|flip: &u32| flip.count_ones() <= radius).collect();
            assert_eq!(all.len(), expected.len());
            assert_eq!(all.into_iter().collect::<BTreeSet<_>>(), expected);
        }
    }
}
