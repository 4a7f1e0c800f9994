//! The laws of a method.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::minhash::list::LISTED;
use super::*;
use crate::feature::Shingler;
use crate::hash::mix;
use crate::recipe::{Measure, Rule};

const METHODS: [MethodName; 4] =
    [MethodName::Simhash, MethodName::BottomK, MethodName::MinhashLsh, MethodName::Sampled];

fn recipe(name: MethodName) -> Recipe {
    Recipe { method: name, ..Recipe::default() }
}

fn method(name: MethodName) -> Method {
    Method::new(&recipe(name), Kernel::best())
}

fn signatures_only() -> Method {
    let mut method = method(MethodName::MinhashLsh);
    if let Method::Minhash(signatures) = &mut method {
        signatures.without_lists();
    }
    method
}

fn stored(method: &Method, units: &[u64]) -> Vec<u8> {
    let (mut bytes, mut ends) = (vec![], vec![]);
    let mut out = Stored { bytes: &mut bytes, ends: &mut ends };
    method.write(units, &[units.len()], &mut MethodScratch::default(), &mut out);
    assert_eq!(ends, [bytes.len()]);
    bytes
}

fn is_plausible(method: &Method, a: &[u8], b: &[u8]) -> bool {
    let [a, b] = [a, b].map(|stored| method.read(stored));
    method.beside(&a, &mut BesideScratch::default()).is_plausible(&b)
}

/// Whether keys and fingerprints let a pair through.
fn proposes(method: &Method, a: &[u8], b: &[u8]) -> bool {
    let [left, right] = [a, b].map(|stored| method.keys(&method.read(stored), None));
    left.meet(&right) && is_plausible(method, a, b)
}

fn units(range: std::ops::Range<u64>) -> Vec<u64> {
    range.map(mix).collect()
}

#[test]
fn hexadecimal_digits() {
    let units = units(0..5);
    let written = METHODS.map(|name| {
        let method = method(name);
        method.read(&stored(&method, &units)).to_string()
    });
    let Method::Simhash(simhashes) = method(MethodName::Simhash) else { panic!("simhash is simhash") };
    let margins = simhashes.margins(&units, &[], &mut MethodScratch::default());
    assert_eq!(written[0], margins.simhash().to_string());
    // Five units make three shingles of three, and a sketch of all of them.
    assert_eq!(written[1].split(',').map(str::len).collect::<Vec<_>>(), [16; 3]);
    assert_eq!(written[2], "", "a short document has a list");
    let method = signatures_only();
    assert_eq!(method.read(&stored(&method, &units)).to_string().len(), 4 * 126);
}

#[test]
fn equal_documents_are_candidates_with_estimate_one_and_unrelated_ones_are_not() {
    for (name, method) in METHODS.map(|name| (name, method(name))) {
        let (a, b) = (stored(&method, &units(0..300)), stored(&method, &units(1_000..1_300)));
        assert!(proposes(&method, &a, &a) && !proposes(&method, &a, &b));
        let [left, right] = [&a, &b].map(|stored| method.read(stored));
        let estimates = (left.estimate(&left), left.estimate(&right).map(|estimate| estimate < 0.05));
        let expected = if name == MethodName::Simhash { (None, None) } else { (Some(1.0), Some(true)) };
        assert_eq!(estimates, expected);
        let nothing = stored(&method, &[]);
        let nothing = method.read(&nothing);
        assert!(nothing.estimate(&nothing).is_none_or(|estimate| estimate == 0.0));
    }
}

#[test]
fn widths_are_kept_and_damage_is_no_panic() {
    for method in METHODS.map(method).into_iter().chain([signatures_only()]) {
        let each = [0u64, 1, 5, 40, 90, 150, 300].map(|length| stored(&method, &units(0..length)));
        let Width { fixed, most, .. } = method.width();
        assert!(each.iter().all(|stored| stored.len() <= most), "{method:?}");
        assert!(fixed.is_none_or(|fixed| each.iter().all(|stored| stored.len() == fixed)), "{method:?}");
        for stored in &each {
            for length in 0..stored.len().min(20) {
                let cut = method.read(&stored[..length]);
                method.keys(&cut, None);
                method.beside(&cut, &mut BesideScratch::default()).is_plausible(&method.read(stored));
            }
        }
    }
}

/// Two documents of some common and some own units, the second perhaps repeating itself.
fn two_documents() -> impl Strategy<Value = [Vec<u64>; 2]> {
    let part = |range: std::ops::Range<u64>, most| prop::collection::vec(range, 0..most);
    (part(0..500, 300), part(500..800, 60), part(800..1_100, 60), 1usize..4).prop_map(
        |(common, left, right, repeated)| {
            let units = |own: &[u64], times: usize| -> Vec<u64> {
                common.repeat(times).iter().chain(own).map(|&draw| mix(draw)).collect()
            };
            [units(&left, 1), units(&right, repeated)]
        },
    )
}

proptest! {
    /// Exact methods: what the rule accepts, keys and plausibility let through. A simhash knows
    /// distances alone; short documents have lists.
    #[test]
    fn exact_methods_lose_nothing(documents in two_documents()) {
        let shingler = Shingler::new(Default::default(), recipe(MethodName::MinhashLsh).feature.size, Default::default());
        let sets = documents.each_ref().map(|units| shingler.shingle_hashes(units).into_iter().collect::<BTreeSet<_>>());
        let jaccard = sets[0].intersection(&sets[1]).count() as f64 / sets[0].union(&sets[1]).count().max(1) as f64;
        for name in METHODS {
            let method = method(name);
            let [a, b] = documents.each_ref().map(|units| stored(&method, units));
            prop_assert_eq!(is_plausible(&method, &a, &b), is_plausible(&method, &b, &a));
            let [left, right] = [&a, &b].map(|stored| method.read(stored));
            let must_be_found = match (&left, &right) {
                (Fingerprint::Simhash(x), Fingerprint::Simhash(y)) => x.distance(*y) <= 3,
                // The method's own notion: the similarity of sketches.
                (Fingerprint::BottomK(_), _) => is_plausible(&method, &a, &b),
                (Fingerprint::Minhash(x), Fingerprint::Minhash(y)) => {
                    let is_listed = [x, y].map(|record| record.list.is_some());
                    prop_assert_eq!(is_listed, sets.each_ref().map(|set| set.len() <= LISTED));
                    if jaccard >= 0.5 && is_listed != [true; 2] {
                        prop_assert!(x.signature.is_some() && y.signature.is_some());
                    }
                    jaccard >= 0.5 && is_listed == [true; 2]
                }
                _ => false,
            };
            if must_be_found && !sets[0].is_empty() {
                prop_assert!(proposes(&method, &a, &b), "{:?} at {}", name, jaccard);
            }
        }
    }

    /// The law of probes: any `enough` keys of a group find every document that the whole group
    /// finds and that passes.
    #[test]
    fn any_prefix_of_a_group_is_enough(documents in two_documents(), seed in any::<u64>()) {
        for name in METHODS {
            let method = method(name);
            let [a, b] = documents.each_ref().map(|units| stored(&method, units));
            // Sampled shingles promise it with a probability, tested below.
            if name == MethodName::Sampled || !is_plausible(&method, &a, &b) {
                continue;
            }
            let [a, b] = [a, b].map(|stored| method.keys(&method.read(&stored), None));
            let found = |keys: &Keys, stored: &[u64]| {
                keys.probes.iter().any(|probes| {
                    let mut order = probes.keys.clone();
                    order.sort_by_key(|&key| mix(key ^ seed));
                    order[..probes.enough].iter().any(|key| stored.contains(key))
                })
            };
            if a.meet(&b) {
                prop_assert_eq!(found(&a, &b.stored), found(&b, &a.stored), "{:?}", name);
                prop_assert!(found(&a, &b.stored), "{:?}", name);
            }
        }
    }
}

/// LSH and sampling lose at most the share that they state.
#[test]
fn chance_loses_no_more_than_stated() {
    const TRIALS: u64 = 300;
    let containment = Rule { measure: Measure::Containment, threshold: 0.5, ..Rule::default() };
    let sampled = Method::new(&Recipe { rule: containment, ..recipe(MethodName::Sampled) }, Kernel::best());
    let found = |method: &Method, left: &dyn Fn(u64) -> Vec<u64>, right: &dyn Fn(u64) -> Vec<u64>| {
        let is_found = |trial: &u64| {
            let [a, b] = [left(trial * 10_000), right(trial * 10_000)].map(|units| stored(method, &units));
            proposes(method, &a, &b)
        };
        (0..TRIALS).filter(is_found).count() as f64 / TRIALS as f64
    };
    // 1,000 units each, 700 in common: a Jaccard of 0.54, at which 42 bands of 3 rows find 99.9 %.
    let whole = |first: u64| units(first..first + 1_000);
    let shifted = |first: u64| units(first + 300..first + 1_300);
    assert!(found(&method(MethodName::MinhashLsh), &whole, &shifted) >= 0.98);
    // A part of 100 units in a whole of 1,000: 98 shingles, twelve of them sampled.
    let part = |first: u64| units(first + 200..first + 300);
    assert!(found(&sampled, &whole, &part) >= 0.95);
}
