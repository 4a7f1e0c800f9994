//! A batch of queries in the order of their headers, so that it streams through a table instead of jumping.
//!
//! ```text
//! part     by the highest bits: the buckets of a part stay in the first-level cache while its queries pass
//! bucket   by the next bits: queries of one bucket follow each other, and the processor guesses the length of its run right
//! ```
//!
//! Both are counting passes. The first moves numbers only, because fresh memory costs more than looking the queries up again; the
//! second stays in the cache.

use crate::search::hamming::Query;

use super::layout::Header;

/// Header bits of a part.
const PART_BITS: u32 = 11;

/// Header bits of a bucket inside its part; a longer rest stays in disorder.
const BUCKET_BITS: u32 = 6;

/// A query: its number and its fingerprint.
type Numbered = (u32, u64);

/// Memory that the tables of an index share.
#[derive(Default)]
pub(super) struct HeaderOrder {
    numbers: Vec<u32>,
    part: Vec<Numbered>,
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

        let HeaderOrder { numbers, part, ordered } = self;
        let fingerprints = queries.iter().map(|query| query.fingerprint.0);
        let numbered = (0u32..).zip(fingerprints);
        let ends = put_in_order(numbered, |query| part_of(query.1), part_bits, |query| query.0, numbers);
        let mut start = 0;
        for end in ends {
            let numbers = &numbers[std::mem::replace(&mut start, end)..end];
            part.clear();
            part.extend(numbers.iter().map(|&number| (number, queries[number as usize].fingerprint.0)));
            put_in_order(
                part.iter().copied(),
                |query| bucket_of(query.1),
                bucket_bits,
                |query| query,
                ordered,
            );
            each(ordered);
        }
    }
}

/// What is `kept` of each item, in the order of keys of so many bits and, of equal keys, in their own. Returns where each key ends.
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
