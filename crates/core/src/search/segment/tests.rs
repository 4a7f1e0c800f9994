use super::*;
use crate::fingerprint::Simhash;
use crate::kernel::Kernel;
use crate::search::samples::clustered;
use crate::search::scan;

fn plan() -> Plan {
    Plan { radius: 3, accuracy: Accuracy::Exact, kernel: Kernel::best() }
}

/// A collection of several segments of different sizes and a buffer; the number of a fingerprint is
/// ten times its place.
fn grown(fingerprints: &[u64]) -> Segments {
    let mut segments = Segments::new(plan());
    for (place, &fingerprint) in fingerprints.iter().enumerate() {
        segments.insert(fingerprint, 10 * place as u32);
        if place % 700 == 699 || place == 100 {
            segments.seal();
        }
    }
    segments
}

fn found(segments: &Segments, query: u64, radius: u32, want: Want) -> Vec<u32> {
    let mut numbers = vec![];
    segments.search_batch(&[Simhash(query).into()], radius, want, &mut |_, found| {
        numbers.push(found.number);
        true
    });
    numbers.sort_unstable();
    numbers
}

fn expected(fingerprints: &[u64], query: u64, radius: u32) -> Vec<u32> {
    let stored: Vec<Simhash> = fingerprints.iter().copied().map(Simhash).collect();
    scan::within(&stored, Simhash(query), radius).into_iter().map(|place| 10 * place as u32).collect()
}

#[test]
fn a_grown_collection_equals_the_scan_before_and_after_merging() {
    let fingerprints = clustered(3000);
    let mut segments = grown(&fingerprints);
    assert!(segments.sealed().len() > 3 && !segments.fresh().0.is_empty());
    for merge in [true, false] {
        assert_eq!(segments.len(), fingerprints.len());
        for &query in fingerprints.iter().step_by(41) {
            for radius in [0, 3, 8] {
                assert_eq!(
                    found(&segments, query, radius, Want::All),
                    expected(&fingerprints, query, radius)
                );
            }
            assert_eq!(found(&segments, query, 3, Want::First).len(), 1);
        }
        if merge {
            let merged = Segment::merge(&segments.sealed()[1..4], |_| true, &plan());
            segments.replace(1..4, merged);
        }
    }
}

#[test]
fn what_the_sink_refuses_does_not_end_the_first_and_a_merge_drops_it() {
    let mut segments = grown(&[7; 1500]);
    // All but one, which is in the middle of a segment.
    let deleted = |number: u32| number != 13_000;
    let mut seen = vec![];
    segments.search_batch(&[Simhash(7).into(), Simhash(!7).into()], 3, Want::First, &mut |query, found| {
        assert_eq!(query, 0);
        seen.push(found.number);
        !deleted(found.number)
    });
    assert!(seen.iter().filter(|&&number| !deleted(number)).count() == 1 && seen.len() > 1, "{seen:?}");
    let all = 0..segments.sealed().len();
    let merged = Segment::merge(&segments.sealed()[all.clone()], |number| !deleted(number), &plan());
    segments.replace(all, merged);
    let left: Vec<u32> =
        segments.sealed().iter().flat_map(|segment| segment.numbers().iter().collect::<Vec<_>>()).collect();
    assert_eq!(left, [13_000]);
}

#[test]
fn eight_of_a_size_are_merged_and_an_empty_result_leaves_nothing() {
    let mut segments = Segments::new(plan());
    for round in 0..9u32 {
        (0..10).for_each(|i| segments.insert(u64::from(i), 10 * round + i));
        assert!(!segments.is_full());
        segments.seal();
        segments.seal();
        let due = segments.merge_due();
        assert_eq!(due, (round >= 7).then_some(0..round as usize + 1));
    }
    let nothing = Segment::merge(&segments.sealed()[..8], |_| false, &plan());
    segments.replace(0..8, nothing);
    assert_eq!(segments.len(), 10);
    let only = Segments::from_sealed(segments.sealed().to_vec(), plan());
    assert_eq!(only.sealed().len(), 1);
}

#[test]
#[should_panic = "every fingerprint has one number"]
fn numbers_are_as_many_as_fingerprints() {
    Segment::build(vec![1, 2], vec![1], &plan());
}
