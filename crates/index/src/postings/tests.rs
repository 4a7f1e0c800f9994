//! Postings, held against sorted pairs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use twindex_disk::RealDisk;

use super::*;

/// The definition: every document of every key.
#[derive(Default)]
struct Naive(BTreeMap<Key, BTreeSet<u32>>);

impl Naive {
    fn push(&mut self, number: u32, keys: &[Key]) {
        for &key in keys {
            self.0.entry(key).or_default().insert(number);
        }
    }

    fn of(&self, keys: &[Key], since: u64) -> BTreeSet<u32> {
        let lists = keys.iter().filter_map(|key| self.0.get(key)).flatten();
        lists.copied().filter(|&number| u64::from(number) >= since).collect()
    }
}

/// A segment of some streams, written to `folder` and opened again.
fn written(
    folder: &std::path::Path,
    covers: Range<u64>,
    streams: Vec<Box<dyn Iterator<Item = io::Result<Entry>> + '_>>,
    keep: impl Fn(u32) -> bool,
) -> Option<Segment> {
    let name = folder.join(format!("{}-{}", covers.start, covers.end));
    let mut writer = SegmentWriter::begin(&name, covers.clone(), 1_000).unwrap();
    for entry in Merged::new(streams).unwrap() {
        let entry = entry.unwrap();
        if keep(entry.1) {
            writer.push(entry).unwrap();
        }
    }
    let path = |documents: u64| folder.join(format!("{}-{}-{documents}", covers.start, covers.end));
    let made = writer.finish(&RealDisk, path).unwrap()?;
    let path = path(made.documents().len() as u64);
    let opened = Segment::open(&path, &covers, made.documents().len() as u64).unwrap().unwrap();
    assert!(opened.stream().map(Result::unwrap).eq(made.stream().map(Result::unwrap)));
    assert_eq!((opened.bytes() > 0, opened.entries()), (true, made.entries()));
    Some(opened)
}

fn from_runs(set: &PostingSet) -> Vec<Box<dyn Iterator<Item = io::Result<Entry>> + '_>> {
    let stream = |run: &'_ Arc<Run>| -> Box<dyn Iterator<Item = io::Result<Entry>>> {
        Box::new(run.entries().to_vec().into_iter().map(Ok))
    };
    set.runs().iter().map(stream).collect()
}

fn proposed(set: &PostingSet, keys: &[Key], since: u64) -> Vec<u32> {
    let lists: Vec<Probed> = keys.iter().map(|&key| Probed { key, living: 0 }).collect();
    let mut proposals = Proposals::new(set, &lists, since).unwrap();
    let mut numbers = vec![];
    while let Some((number, of)) = proposals.next().unwrap() {
        assert!(of.count() > 0);
        numbers.push(number);
    }
    numbers
}

fn keys() -> impl Strategy<Value = Vec<Key>> {
    // Some keys agree in bucket and tag, some are common, most are rare.
    let one = prop_oneof![
        (0u64..4).prop_map(|low| 77 << 20 | low),
        (0u64..5).prop_map(key),
        (0u64..2_000).prop_map(key),
    ];
    prop::collection::btree_set(one, 0..12).prop_map(|keys| keys.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Runs, segments and merged segments propose every document of a key, in order and once; what
    /// else they propose shares bucket and tag with it.
    #[test]
    fn lists_are_those_of_sorting_everything(
        documents in prop::collection::vec(keys(), 1..120),
        sealed_at in prop::collection::btree_set(0usize..120, 0..4),
        removed in prop::collection::btree_set(0u32..120, 0..20),
        queried in keys(),
        since in 0u64..140,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut set = PostingSet::new(vec![], 8);
        let mut naive = Naive::default();
        for (number, keys) in (0..).zip(&documents) {
            set.push(number, keys);
            naive.push(number, keys);
            if sealed_at.contains(&(number as usize)) {
                let end = u64::from(number) + 1;
                let covers = set.sealed_end()..end;
                let segment = written(folder.path(), covers, from_runs(&set), |_| true);
                set = set.with_sealed(segment.map(Arc::new), end);
                prop_assert_eq!(set.buffered(), 0);
            }
        }
        let check = |set: &PostingSet, is_removed: &dyn Fn(u32) -> bool| {
            let found = proposed(set, &queried, since);
            assert!(found.is_sorted_by(|a, b| a < b));
            let expected: Vec<u32> =
                naive.of(&queried, since).into_iter().filter(|&number| !is_removed(number)).collect();
            assert!(expected.iter().all(|number| found.contains(number)), "{found:?} {expected:?}");
            // Short segments keep 16 of 40 bits at least.
            let near: BTreeSet<Key> = naive.0.keys().copied()
                .filter(|key| queried.iter().any(|other| key >> 24 == other >> 24)).collect();
            let allowed = naive.of(&near.into_iter().collect::<Vec<_>>(), since);
            assert!(found.iter().all(|number| allowed.contains(number)));
        };
        check(&set, &|_| false);
        if !set.sealed().is_empty() {
            let streams: Vec<Box<dyn Iterator<Item = io::Result<Entry>>>> =
                set.sealed().iter().map(|segment| Box::new(segment.stream()) as _).collect();
            let covers = 0..set.sealed_end();
            let merged = written(folder.path(), covers, streams, |number| !removed.contains(&number));
            let held: Vec<u32> = merged.iter().flat_map(|it| it.documents().iter()).collect();
            prop_assert!(held.iter().all(|number| !removed.contains(number)));
            let all = 0..set.sealed().len();
            let merged = set.with_merged(&all, merged.map(Arc::new));
            let end = set.sealed_end();
            check(&merged, &|number| u64::from(number) < end && removed.contains(&number));
        }
    }

    /// Of each group the chosen lists are as many as needed, and no other is shorter.
    #[test]
    fn the_shortest_lists_are_probed(documents in prop::collection::vec(keys(), 1..60), queried in keys(), enough in 0usize..14) {
        let mut set = PostingSet::new(vec![], 8);
        (0..).zip(&documents).for_each(|(number, keys)| set.push(number, keys));
        let (chosen, is_there) = choose(&set, &[Group { keys: queried.clone(), enough }]);
        prop_assert_eq!(chosen.len(), enough.min(queried.len()));
        let length = |key: Key| documents.iter().filter(|keys| keys.contains(&key)).count();
        let longest = chosen.iter().map(|probed| length(probed.key)).max().unwrap_or(0);
        let is_chosen = |key: Key| chosen.iter().any(|probed| probed.key == key);
        prop_assert_eq!(is_there, longest > 0);
        prop_assert!(enough == 0 || queried.iter().all(|&key| is_chosen(key) || length(key) >= longest));
    }

    #[test]
    fn a_changed_file_is_noticed(documents in prop::collection::vec(keys(), 1..20), place: prop::sample::Index) {
        let folder = tempfile::tempdir().unwrap();
        let mut set = PostingSet::new(vec![], 8);
        (0..).zip(&documents).for_each(|(number, keys)| set.push(number, keys));
        let covers = 0..documents.len() as u64;
        if let Some(segment) = written(folder.path(), covers.clone(), from_runs(&set), |_| true) {
            let count = segment.documents().len() as u64;
            let path = folder.path().join(format!("0-{}-{count}", documents.len()));
            let bytes = std::fs::read(&path).unwrap();
            let mut flipped = bytes.clone();
            let bit = place.index(8 * bytes.len());
            flipped[bit / 8] ^= 1 << (bit % 8);
            for damaged in [flipped, bytes[..place.index(bytes.len())].to_vec()] {
                std::fs::write(&path, damaged).unwrap();
                prop_assert!(Segment::open(&path, &covers, count).unwrap().is_err());
            }
        }
    }
}

#[test]
fn long_lists_are_read_in_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let mut set = PostingSet::new(vec![], 1 << 20);
    let [one, two] = [1 << 30, 2 << 30];
    let of = |number: u32| match number % 3 {
        0 => vec![one, two],
        1 => vec![one],
        _ => vec![two],
    };
    (0..2_000).for_each(|number| set.push(number, &of(number)));
    let segment = written(folder.path(), 0..2_000, from_runs(&set), |_| true);
    let mut set = set.with_sealed(segment.map(Arc::new), 2_000);
    (2_000..3_000).for_each(|number| set.push(number, &of(number)));
    assert!(proposed(&set, &[one, two], 0).into_iter().eq(0..3_000));
    assert!(proposed(&set, &[one, two], 1_234).into_iter().eq(1_234..3_000));
    assert!(proposed(&set, &[one], 0).into_iter().eq((0..3_000).filter(|number| number % 3 != 2)));
}
