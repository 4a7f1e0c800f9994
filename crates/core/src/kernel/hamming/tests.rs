//! Every kernel against the definition: every length, alignment and radius, random and near words.

use super::*;
use crate::hash::mix;
use crate::kernel::Kernel;

/// Random words mixed with words near `query`.
fn words(length: usize, query: u64) -> Vec<u64> {
    let flipped = |i: u64| (0..i % 16).fold(query, |word, flip| word ^ 1 << (mix(i * 31 + flip) % 64));
    (0..length as u64).map(|i| if i % 3 == 0 { flipped(i) } else { mix(i) }).collect()
}

fn naive(words: &[u64], query: u64, radius: u32) -> Vec<u32> {
    let mut found = vec![];
    for (position, word) in words.iter().enumerate() {
        let mut distance = 0;
        for bit in 0..64 {
            distance += u32::from(word >> bit & 1 != query >> bit & 1);
        }
        if distance <= radius {
            found.push(position as u32);
        }
    }
    found
}

#[test]
fn within_equals_the_definition_at_every_length_and_radius() {
    let query = mix(77);
    let words = words(150, query);
    for kernel in Kernel::available() {
        for radius in (0..=13).chain([63, 64]) {
            for start in 0..5 {
                for end in start..words.len() {
                    let mut found = vec![];
                    kernel.within(&words[start..end], query, radius, &mut found);
                    let name = kernel.name();
                    assert_eq!(
                        found,
                        naive(&words[start..end], query, radius),
                        "{name} {radius} {start}..{end}"
                    );
                }
            }
        }
    }
}

fn look_ups_equal_the_definition<W: Word + std::fmt::Debug>(words: &[W], wanted: &[W]) {
    let mut look_ups = vec![];
    for start in (0..words.len()).step_by(3) {
        for end in (start..words.len()).step_by(7).chain([words.len()]) {
            let word = wanted[(start + end) % wanted.len()];
            let radius = ((start * 5 + end) % 14) as u32;
            look_ups.push(LookUp { start: start as u32, end: end as u32, word, radius });
        }
    }
    let mut expected = vec![];
    for (number, wanted) in look_ups.iter().enumerate() {
        for position in wanted.start..wanted.end {
            if (words[position as usize] ^ wanted.word).ones() <= wanted.radius {
                expected.push(Survivor { look_up: number as u32, position });
            }
        }
    }
    assert!(expected.len() > 100, "only {} survivors: the test shows little", expected.len());
    for kernel in Kernel::available() {
        let mut survivors = vec![];
        kernel.look_up(words, &look_ups, &mut survivors);
        assert_eq!(survivors, expected, "{}", kernel.name());
    }
}

#[test]
fn look_ups_of_words_equal_the_definition() {
    let query = mix(5);
    look_ups_equal_the_definition(&words(151, query), &[query, query ^ 1, mix(9)]);
}

#[test]
fn look_ups_of_tags_equal_the_definition() {
    let query = mix(5);
    let tags: Vec<u32> = words(151, query).iter().map(|&word| word as u32).collect();
    look_ups_equal_the_definition(&tags, &[query as u32, query as u32 ^ 9, mix(9) as u32]);
}

#[test]
#[should_panic = "range end index 4 out of range"]
fn a_run_beyond_the_words_is_refused() {
    Kernel::best().look_up(&[1u32, 2, 3], &[LookUp { start: 0, end: 4, word: 0, radius: 0 }], &mut vec![]);
}

#[test]
fn slices_lose_nothing_and_agree_between_kernels() {
    let query = mix(3);
    let words = words(4 * slices::LENGTH, query);
    let (parts, _) = words.as_chunks::<{ slices::LENGTH }>();
    let mut all = Slices::default();
    parts.iter().for_each(|part| all.push(part, Kernel::Scalar));
    // Enough queries for the sums, each a different word, `query` among them.
    let queries: Vec<u64> =
        (0..11).map(|number| if number == 7 { query } else { words[number * 90] }).collect();
    for radius in 0..=16 {
        let rows = slices::enough(radius);
        // What the counted rows see of a fingerprint: the other bits taken from the query.
        let seen: Vec<u64> = words
            .iter()
            .map(|word| if rows == 64 { *word } else { ((word ^ query) % (1 << rows)) ^ query })
            .collect();
        let expected =
            if radius < 16 { naive(&seen, query, radius) } else { (0..words.len() as u32).collect() };
        for kernel in Kernel::available() {
            let mut found = vec![];
            kernel.within_slices(&all, query, radius, &mut found);
            assert_eq!(found, expected, "{} {radius}", kernel.name());
            assert!(naive(&words, query, radius).iter().all(|near| found.contains(near)));
            let mut each = vec![];
            kernel.each_within_slices(&all, &queries, radius, &mut each);
            for (&query, number) in queries.iter().zip(0..) {
                let mut one_by_one = vec![];
                kernel.within_slices(&all, query, radius, &mut one_by_one);
                let of_query = |&(query, place): &(u32, u32)| (query == number).then_some(place);
                assert_eq!(
                    each.iter().filter_map(of_query).collect::<Vec<_>>(),
                    one_by_one,
                    "radius {radius}"
                );
            }
        }
    }
}

/// Every kind of nearness for a radius: whole words, some bits of them, none.
fn nearnesses(radius: u32) -> impl Iterator<Item = Nearness> {
    let bits =
        [!0, 0xffff, 0xffff_ffff << 9, 0x00ff_0000_ff00_0fff, !0xfff << 40, 0x0123_4567_89ab_cdef, 7, 0];
    let most = [radius, radius.saturating_sub(1), radius / 2];
    let all = bits.into_iter().flat_map(move |deciding| most.map(|most| (deciding, most)));
    all.map(move |(deciding, most)| Nearness { radius, deciding, most })
}

fn near_pairs_by_definition(words: &[u64], runs: &[Run], near: &Nearness) -> Vec<(u32, u32)> {
    let mut pairs = vec![];
    for run in runs {
        for b in run.start..run.end {
            let is_near = |&a: &u32| {
                let difference = words[a as usize] ^ words[b as usize];
                let ones = |bits: u64| (0..64).filter(|bit| bits >> bit & 1 == 1).count() as u32;
                ones(difference) <= near.radius && ones(difference & near.deciding) <= near.most
            };
            pairs.extend((run.start..b).filter(is_near).map(|a| (a, b)));
        }
    }
    pairs.sort_unstable();
    pairs
}

#[test]
fn near_pairs_equal_the_definition_for_every_length_of_run() {
    let words = words(400, mix(8));
    for near in [0, 1, 2, 3, 4, 6, 7, 12].into_iter().flat_map(nearnesses) {
        for length in (0..60).chain([100, 257]) {
            let runs =
                [Run { start: 0, end: 3 }, Run { start: 5, end: 5 + length }, Run { start: 300, end: 331 }];
            let mut expected = vec![];
            scalar::near_pairs(&words, &runs, &near, &mut expected);
            expected.sort_unstable();
            // The slow definition at some lengths only.
            if length % 16 < 3 {
                assert_eq!(near_pairs_by_definition(&words, &runs, &near), expected);
            }
            for kernel in Kernel::available() {
                // With words behind the last run, and without.
                for words in [&words[..], &words[..331]] {
                    let mut found = vec![];
                    kernel.near_pairs(words, &runs, &near, &mut found);
                    found.sort_unstable();
                    assert_eq!(found, expected, "{}, {near:?}, length {length}", kernel.name());
                }
            }
        }
    }
}

/// Runs of every short length, one after another, some words between them in none.
#[test]
fn near_pairs_of_short_runs_equal_the_definition() {
    let near = |i: u64| mix(i / 40) ^ ((mix(i) % 3) << (mix(i + 9) % 63));
    let words: Vec<u64> = (0..3000).map(near).collect();
    let mut runs = vec![];
    let mut start = 1;
    while start + 24 < words.len() as u32 {
        let length = (mix(start.into()) % 20) as u32;
        runs.push(Run { start, end: start + length });
        start += length + u32::from(length.is_multiple_of(3));
    }
    for near in [0, 1, 2, 3, 5].into_iter().flat_map(nearnesses) {
        let expected = near_pairs_by_definition(&words, &runs, &near);
        assert!(expected.len() > 1000, "only {} pairs: the test shows little", expected.len());
        for kernel in Kernel::available() {
            let mut found = vec![];
            kernel.near_pairs(&words, &runs, &near, &mut found);
            found.sort_unstable();
            assert_eq!(found, expected, "{}, {near:?}", kernel.name());
        }
    }
}

/// Too few runs for windows, or not in the order of their places.
#[test]
fn near_pairs_of_scattered_runs_equal_the_definition() {
    let words: Vec<u64> = (0..600).map(|i| mix(i / 300) ^ 1 << (mix(i) % 64)).collect();
    let sparse = [Run { start: 0, end: 3 }, Run { start: 590, end: 600 }];
    let descending = [Run { start: 590, end: 600 }, Run { start: 20, end: 40 }, Run { start: 0, end: 3 }];
    for near in [1, 2, 3, 5].into_iter().flat_map(nearnesses) {
        for runs in [&sparse[..], &descending] {
            let expected = near_pairs_by_definition(&words, runs, &near);
            for kernel in Kernel::available() {
                let mut found = vec![];
                kernel.near_pairs(&words, runs, &near, &mut found);
                found.sort_unstable();
                assert_eq!(found, expected, "{}, {near:?}", kernel.name());
            }
        }
    }
}

#[test]
fn lines_equal_the_definition_at_every_length_and_radius() {
    let query = mix(77) as u32;
    let tags: Vec<u32> = words(200, query.into()).into_iter().map(|word| word as u32).collect();
    let lengths = 0..=Line::MOST + 3;
    let buckets: Vec<&[u32]> = lengths.flat_map(|length| [&tags[..length], &tags[90..90 + length]]).collect();
    let lines: Vec<Line> = buckets.iter().map(|bucket| Line::of(bucket)).collect();
    for kernel in Kernel::available() {
        for radius in (0..=13).chain([32]) {
            // The padding of a line is zero: nothing is found there either.
            for tag in [query, 0] {
                let look_ups: Vec<LineLookUp> =
                    (0..lines.len() as u32).rev().map(|line| LineLookUp { line, tag, radius }).collect();
                let mut found = vec![];
                kernel.look_up_lines(&lines, &look_ups, &mut found);
                let mut expected = vec![];
                for (look_up, bucket) in (0..).zip(buckets.iter().rev()) {
                    let near = bucket.iter().take(Line::MOST).zip(0..);
                    let near = near.filter(|(other, _)| (*other ^ tag).count_ones() <= radius);
                    expected.extend(near.map(|(_, position)| Survivor { look_up, position }));
                }
                assert_eq!(found, expected, "{} {radius} {tag:x}", kernel.name());
            }
        }
    }
}
