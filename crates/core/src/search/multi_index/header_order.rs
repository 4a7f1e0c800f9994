//! Sorts a batch of queries by header, so that it streams through a table instead of jumping.
//!
//! ```text
//! part by the highest bits: the buckets of a part stay in the L1 cache during its queries bucket
//! by the next bits: queries of one bucket are adjacent, and its run length is predicted
//! ```
//!
//! Both are counting passes; the second stays in the cache. First-touch memory is expensive, so
//! that the first pass moves twelve bytes per query; moving numbers alone would fetch every query
//! again for every table, each from a different page.

use crate::search::hamming::Query;

use super::layout::Header;

/// Header bits of a part.
const PART_BITS: u32 = 11;

/// Header bits of a bucket inside its part; further bits stay unsorted.
const BUCKET_BITS: u32 = 6;

/// A query: its number and its fingerprint.
type Numbered = (u32, u64);

/// The same in three quarters of the memory.
fn pack((number, fingerprint): Numbered) -> [u32; 3] {
    [number, fingerprint as u32, (fingerprint >> u32::BITS) as u32]
}

fn unpack([number, low, high]: [u32; 3]) -> Numbered {
    (number, u64::from(low) | u64::from(high) << u32::BITS)
}

/// Memory that the tables of an index share.
#[derive(Default)]
pub(super) struct HeaderOrder {
    packed: Vec<[u32; 3]>,
    ordered: Vec<Numbered>,
}

impl HeaderOrder {
    /// Calls `each` with one part of the queries after another.
    pub(super) fn for_each_part(
        &mut self,
        queries: &[Query<'_>],
        header: Header,
        mut each: impl FnMut(&[Numbered]),
    ) {
        let part_bits = header.bits.min(PART_BITS);
        let bucket_bits = (header.bits - part_bits).min(BUCKET_BITS);
        let part_of = |fingerprint| (header.of(fingerprint) >> (header.bits - part_bits)) as usize;
        let rest = header.bits - part_bits - bucket_bits;
        let bucket_of = |fingerprint| (header.of(fingerprint) >> rest) as usize % (1 << bucket_bits);

        let HeaderOrder { packed, ordered } = self;
        let fingerprints = queries.iter().map(|query| query.fingerprint.0);
        let numbered = (0u32..).zip(fingerprints);
        let ends = put_in_order(numbered, |query| part_of(query.1), part_bits, pack, packed);
        let mut start = 0;
        for end in ends {
            let part = packed[std::mem::replace(&mut start, end)..end].iter().copied().map(unpack);
            put_in_order(part, |query| bucket_of(query.1), bucket_bits, |query| query, ordered);
            each(ordered);
        }
    }
}

/// Stable counting sort by keys of `bits` bits of what is `kept` of each item. Returns the end of
/// each key.
fn put_in_order<I: Copy, K: Copy + Default>(
    items: impl Iterator<Item = I> + Clone,
    key: impl Fn(I) -> usize,
    bits: u32,
    kept: impl Fn(I) -> K,
    ordered: &mut Vec<K>,
) -> Vec<usize> {
    let mut places = vec![0; 1 << bits];
    items.clone().for_each(|item| places[key(item)] += 1);
    let mut before = 0;
    for place in &mut places {
        before += std::mem::replace(place, before);
    }
    ordered.resize(before, K::default());
    for item in items {
        let place = &mut places[key(item)];
        ordered[*place] = kept(item);
        *place += 1;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::Simhash;
    use crate::hash::mix;

    #[test]
    fn every_query_comes_once_and_in_order() {
        let queries: Vec<Query<'_>> = (0..5_000).map(|number| Simhash(mix(number)).into()).collect();
        let mut order = HeaderOrder::default();
        for header in
            [Header { shift: 0, bits: 16 }, Header { shift: 40, bits: 24 }, Header { shift: 7, bits: 3 }]
        {
            let mut seen = vec![];
            order.for_each_part(&queries, header, |part| seen.extend_from_slice(part));
            let sorted_bits = header.bits.min(PART_BITS + BUCKET_BITS);
            assert!(seen.is_sorted_by_key(|query| header.of(query.1) >> (header.bits - sorted_bits)));
            seen.sort_unstable();
            let all = queries.iter().zip(0..).map(|(query, number)| (number, query.fingerprint.0));
            assert!(seen.into_iter().eq(all));
        }
    }
}
