use std::collections::BTreeSet;

use proptest::prelude::*;

use super::record::Record;
use super::stored::bottom_k;
use super::*;
use crate::hash::mix;
use crate::search::HashFrequencies;
use crate::search::listed::LISTED;

fn method(name: MethodName) -> Method {
    Method::new(&Recipe { method: name, ..Recipe::default() }, Kernel::best())
}

fn fingerprint(method: &Method, units: &[u64]) -> Vec<u8> {
    let mut out = vec![];
    method.fingerprints(units, &[units.len()], &mut MethodScratch::default(), &mut out);
    out
}

const METHODS: [MethodName; 4] =
    [MethodName::Simhash, MethodName::BottomK, MethodName::MinhashLsh, MethodName::Sampled];

#[test]
fn hexadecimal_digits() {
    let units: Vec<u64> = (0..5).map(mix).collect();
    let written = METHODS.map(|name| {
        let method = method(name);
        let mut hex = String::new();
        method.write_hex(&fingerprint(&method, &units), &mut hex);
        hex
    });
    let margins = method(MethodName::Simhash).margins(&units, &[], &mut MethodScratch::default()).unwrap();
    assert_eq!(written[0], margins.simhash().to_string());
    // Five units make three shingles of three, and a sketch of all of them.
    let hashes: Vec<u64> = written[1].split(',').map(|hash| u64::from_str_radix(hash, 16).unwrap()).collect();
    assert_eq!(hashes, bottom_k(128, &fingerprint(&method(MethodName::BottomK), &units)).hashes());
    assert_eq!(hashes.len(), 3);
    let stored = fingerprint(&method(MethodName::MinhashLsh), &units);
    let bins = Record::read(&stored, Bands { bands: 42, rows: 3 }).signature.unwrap().bins();
    assert_eq!(written[2], bins.map(|bin| format!("{bin:04x}")).collect::<String>());
}

#[test]
fn only_simhash_has_margins() {
    for name in METHODS {
        let margins = method(name).margins(&[1, 2, 3], &[], &mut MethodScratch::default());
        assert_eq!(margins.is_some(), name == MethodName::Simhash);
    }
}

#[test]
fn equal_documents_are_candidates_with_estimate_one_and_strangers_are_not() {
    let units = |range: std::ops::Range<u64>| range.map(mix).collect::<Vec<_>>();
    for name in METHODS {
        let method = method(name);
        let (a, b) = (fingerprint(&method, &units(0..300)), fingerprint(&method, &units(1_000..1_300)));
        assert!(method.is_candidate(&a, &a) && !method.is_candidate(&a, &b));
        let estimates = (method.estimate(&a, &a), method.estimate(&a, &b).map(|estimate| estimate < 0.05));
        let expected = if name == MethodName::Simhash { (None, None) } else { (Some(1.0), Some(true)) };
        assert_eq!(estimates, expected);
        let nothing = fingerprint(&method, &[]);
        assert!(method.estimate(&nothing, &nothing).is_none_or(|estimate| estimate == 0.0));
    }
}

/// Fingerprints can be stored one behind the other.
#[test]
fn a_fingerprint_tells_where_it_ends() {
    let methods = METHODS.map(method).into_iter().chain([method(MethodName::MinhashLsh).listing()]);
    for method in methods {
        let documents = [0u64, 1, 5, 40, 90, 150, 300].map(|length| (0..length).map(mix).collect::<Vec<_>>());
        let each: Vec<Vec<u8>> = documents.iter().map(|units| fingerprint(&method, units)).collect();
        assert!(method.split(&each.concat()).eq(each.iter()), "{method:?}");
        assert!(each.iter().all(|stored| stored.len() <= method.width()), "{method:?}");
        let has_one_length = each.iter().all(|stored| stored.len() == method.width());
        assert_eq!(has_one_length, method.has_one_length(), "{method:?}");
        // What is cut off is missing, and nothing else happens.
        for stored in &each {
            for length in 0..stored.len().min(20) {
                assert!(method.split(&stored[..length]).count() <= length);
            }
        }
    }
}

proptest! {
    /// Whatever their lengths, and however they repeat themselves: documents that share enough are proposed where both are listed, and
    /// compared by their signatures otherwise.
    #[test]
    fn listed_documents_are_proposed_if_they_share_enough(
        common in prop::collection::vec(0u64..500, 0..300),
        left in prop::collection::vec(500u64..800, 0..60),
        right in prop::collection::vec(800u64..1_100, 0..60),
        repeated in 1usize..4,
    ) {
        let method = method(MethodName::MinhashLsh).listing();
        let units = |own: &[u64], times: usize| -> Vec<u64> {
            common.repeat(times).iter().chain(own).map(|&draw| mix(draw)).collect()
        };
        let documents = [units(&left, 1), units(&right, repeated)];
        let sets = documents.each_ref().map(|units| method.shingler.shingle_hashes(units).into_iter().collect::<BTreeSet<_>>());
        let union = sets[0].union(&sets[1]).count().max(1);
        let jaccard = sets[0].intersection(&sets[1]).count() as f64 / union as f64;
        let stored = documents.each_ref().map(|units| fingerprint(&method, units));
        let [a, b] = stored.each_ref().map(|stored| Record::read(stored, Bands { bands: 42, rows: 3 }));
        prop_assert_eq!([a, b].map(|record| record.list.is_some()), sets.each_ref().map(|set| set.len() <= LISTED));
        if jaccard >= 0.5 {
            if a.list.is_some() && b.list.is_some() {
                prop_assert!(method.is_candidate(&stored[0], &stored[1]));
            } else {
                prop_assert!(a.signature.is_some() && b.signature.is_some());
            }
        }
        prop_assert_eq!(method.is_plausible(&stored[0], &stored[1]), method.is_plausible(&stored[1], &stored[0]));
    }
}

/// Every document has as many keys in an aligned part, and no key of one place is a key of another.
#[test]
fn aligned_keys_meet_in_their_place_only() {
    let method = method(MethodName::MinhashLsh);
    let aligned: Vec<Option<usize>> = (0..method.key_parts()).map(|part| method.aligned_keys(part)).collect();
    assert_eq!(aligned.iter().flatten().sum::<usize>(), usize::from(Recipe::default().minhash.bands));
    for (part, count) in aligned.iter().enumerate().filter_map(|(part, count)| Some((part, (*count)?))) {
        // The same number in every bin: equal rows in every band.
        for units in [vec![7], (0..500).map(mix).collect()] {
            let mut keys = vec![];
            let stored = fingerprint(&method, &units);
            method.keys_of_part(part, &stored, &HashFrequencies::default(), &mut keys);
            assert_eq!(keys.len(), count);
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), count);
        }
    }
}

/// Aligned keys of two documents are equal where their keys are.
#[test]
fn aligned_keys_meet_as_keys_do() {
    let keep = |rows| crate::recipe::MinhashOptions { bands: 20, rows };
    for minhash in [Recipe::default().minhash, keep(2), keep(5)] {
        let recipe = Recipe { method: MethodName::MinhashLsh, minhash, ..Recipe::default() };
        let method = Method::new(&recipe, Kernel::best());
        let [a, b] = [0..100, 20..130]
            .map(|range: std::ops::Range<u64>| fingerprint(&method, &range.map(mix).collect::<Vec<_>>()));
        let mut meetings = 0;
        for part in 0..method.key_parts() {
            let Some(count) = method.aligned_keys(part) else { continue };
            let keys = |stored: &[u8]| {
                let (mut keys, mut aligned) = (vec![], vec![]);
                method.keys_of_part(part, stored, &HashFrequencies::default(), &mut keys);
                method.for_each_aligned(part, stored, |key| aligned.push(key));
                assert_eq!([keys.len(), aligned.len()], [count; 2]);
                (keys, aligned)
            };
            let ((keys_a, aligned_a), (keys_b, aligned_b)) = (keys(&a), keys(&b));
            for place in 0..count {
                assert_eq!(aligned_a[place] == aligned_b[place], keys_a[place] == keys_b[place]);
                meetings += usize::from(aligned_a[place] == aligned_b[place]);
            }
        }
        assert!(meetings > 0);
    }
}
