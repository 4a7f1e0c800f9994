use super::stored::bottom_k;
use super::*;
use crate::hash::mix;
use crate::search::HashFrequencies;
use crate::search::signature::StoredSignature;

fn method(name: MethodName) -> Method {
    Method::new(&Recipe { method: name, ..Recipe::default() }, Kernel::best())
}

fn fingerprint(method: &Method, units: &[u64]) -> Vec<u8> {
    let mut out = vec![];
    method.fingerprints(units, &[units.len()], &mut MethodScratch::default(), &mut out);
    out
}

const METHODS: [MethodName; 3] = [MethodName::Simhash, MethodName::BottomK, MethodName::MinhashLsh];

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
    let bins = StoredSignature::new(&stored[..stored.len() - faint::WIDTH], 126).bins();
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

/// Whatever a method is asked, the padding says nothing.
#[test]
fn a_trimmed_fingerprint_is_as_good_as_the_whole() {
    for name in METHODS {
        let method = method(name);
        let lengths = [0u64, 1, 5, 40, 300].map(|length| {
            let whole = fingerprint(&method, &(0..length).map(mix).collect::<Vec<_>>());
            let trimmed = method.trimmed(&whole);
            assert_eq!(method.trimmed(trimmed), trimmed);
            assert!(whole[trimmed.len()..].iter().all(|&byte| byte == 0));
            let keys = |stored: &[u8]| {
                let mut keys = vec![];
                method.keys(stored, &HashFrequencies::default(), &mut keys);
                keys
            };
            assert_eq!(keys(trimmed), keys(&whole));
            let counted = |stored: &[u8]| {
                let mut statistics = Statistics::new(10);
                method.add_to_statistics(stored, &mut statistics);
                statistics
            };
            assert_eq!(counted(trimmed), counted(&whole));
            let hex = |stored: &[u8]| {
                let mut hex = String::new();
                method.write_hex(stored, &mut hex);
                hex
            };
            assert_eq!(hex(trimmed), hex(&whole));
            assert_eq!(method.estimate(trimmed, trimmed), method.estimate(&whole, &whole));
            assert_eq!(method.is_plausible(trimmed, trimmed), method.is_plausible(&whole, &whole));
            trimmed.len()
        });
        assert_eq!(
            lengths.iter().all(|&length| length == method.width()),
            method.has_one_length(),
            "{name:?}"
        );
    }
}

/// An outline rules out nothing that is plausible, and nearly all strangers.
#[test]
fn outlines_rule_out_strangers_only() {
    let method = method(MethodName::MinhashLsh);
    let (mut ruled_out, mut asked) = (0, 0);
    for length in [1u64, 4, 20, 60, 70, 300] {
        for other in [1, 5, 20, 60, 90, 300] {
            for shift in (0..length).step_by(3) {
                let [a, b] = [0..length, shift..shift + other]
                    .map(|range| fingerprint(&method, &range.map(mix).collect::<Vec<_>>()));
                let outlines = [&a, &b].map(|stored| method.outline(stored).unwrap());
                let [is_likely, turned] = [(0, 1), (1, 0)].map(|(one, other)| {
                    let mut others = vec![other];
                    method.retain_likely(&outlines, one, &mut others);
                    others == [other]
                });
                assert_eq!(is_likely, turned);
                assert!(is_likely || !method.is_plausible(&a, &b), "{length} {other} {shift}");
                asked += 1;
                ruled_out += u32::from(!is_likely);
            }
        }
    }
    assert!(ruled_out > asked / 4, "{ruled_out} of {asked}");
    let simhash = self::method(MethodName::Simhash);
    assert!(simhash.outline(&fingerprint(&simhash, &[1, 2, 3])).is_none());
}

/// Every document has as many keys in an aligned part, and no key of one place is a key of another.
#[test]
fn aligned_keys_meet_in_their_place_only() {
    let method = method(MethodName::MinhashLsh);
    let aligned: Vec<Option<usize>> = (0..method.key_parts()).map(|part| method.aligned_keys(part)).collect();
    assert_eq!(aligned.iter().flatten().sum::<usize>(), usize::from(Recipe::default().minhash.bands));
    assert_eq!(aligned.last(), Some(&None), "faint keys are as many as there are");
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

/// Aligned keys of two documents are equal where their keys are, and never marked as faint.
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
                assert!(aligned.iter().all(|&key| !method.is_common(key, usize::MAX)));
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
