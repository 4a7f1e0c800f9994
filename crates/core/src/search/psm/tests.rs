use super::batch::{Batch, ChunkMatch, Chunks, Progress};
use super::calibration::{Calibration, KnownMatch};
use super::*;
use crate::fingerprint::{Margins, Simhash};
use crate::hash::mix;
use crate::search::samples::{Document, all_sets, clustered, matches};
use crate::search::{MultiIndex, Scan};

const RADIUS: u32 = 3;

/// A collection with edited copies of the queries in it, and random fingerprints.
struct Sample {
    queries: Vec<Margins>,
    stored: Vec<u64>,
    volatility: Volatility,
}

fn sample() -> Sample {
    let documents: Vec<Document> = (0..600).map(Document::new).collect();
    let queries: Vec<Margins> = documents.iter().map(Document::margins).collect();
    let copies: Vec<Margins> =
        documents.iter().zip(9000..).map(|(document, seed)| document.edited(seed).margins()).collect();
    let others =
        documents.iter().zip(19_000..).map(|(document, seed)| document.edited(seed).margins().simhash().0);
    let mut stored: Vec<u64> = copies.iter().map(|margins| margins.simhash().0).chain(others).collect();
    stored.extend((0..6000).map(|i| mix(i + 77_000_000)));
    let volatility = Volatility::sample(queries.iter().zip(&copies).skip(300));
    Sample { queries, stored, volatility }
}

impl Sample {
    fn known(&self, queries: std::ops::Range<usize>) -> Vec<KnownMatch<'_>> {
        let scan = Scan::new(self.stored.clone(), Kernel::best());
        let fingerprints: Vec<Simhash> = self.queries[queries.clone()].iter().map(Margins::simhash).collect();
        let found = matches(&scan, &fingerprints, RADIUS);
        let of_query = |(margins, positions): (_, Vec<usize>)| {
            positions.into_iter().map(move |position| KnownMatch { margins, stored: self.stored[position] })
        };
        self.queries[queries].iter().zip(found).flat_map(of_query).collect()
    }

    fn settings(&self, order: FlipOrder, flips: usize) -> Settings {
        Settings { header_bits: 10, volatility: self.volatility.clone(), order, flips }
    }

    fn ranks(&self) -> FlipOrder {
        FlipOrder::ranks(&self.queries[300..], &self.volatility, 10, RADIUS, 200)
    }
}

fn queries(margins: &[Margins]) -> Vec<Query<'_>> {
    margins.iter().map(|margins| Query { fingerprint: margins.simhash(), margins: Some(margins) }).collect()
}

fn found(search: &dyn HammingSearch, queries: &[Query<'_>], want: Want) -> Vec<(usize, u32)> {
    let mut all = vec![];
    search.search_batch(queries, RADIUS, want, &mut |query, found| {
        all.push((query, found.position));
        true
    });
    all.sort_unstable();
    all
}

/// For few flips the heap gets few ranks: the same flips come first.
#[test]
fn few_flips_are_the_first_of_many() {
    let sample = sample();
    let guess = |kernel| Guess {
        order: &FlipOrder::Heap,
        volatility: &sample.volatility,
        header_bits: 22,
        radius: RADIUS,
        kernel,
    };
    let mut flips = Flips::default();
    for margins in &sample.queries[..50] {
        let mut many = vec![];
        flips.append(guess(Kernel::Scalar), margins, 200, &mut many);
        assert_eq!(many.len(), 200);
        for (count, kernel) in [0, 1, 2, 5, 19]
            .into_iter()
            .flat_map(|count| Kernel::available().map(move |kernel| (count, kernel)))
        {
            let mut few = vec![];
            flips.append(guess(kernel), margins, count, &mut few);
            assert_eq!(few, many[..count]);
        }
    }
}

/// With every subset tried, nothing is missed, and no match is reported twice.
#[test]
fn all_subsets_equal_the_scan() {
    for (name, stored) in all_sets(500) {
        if stored.len() < 2 {
            continue;
        }
        let header_bits = Settings::header_bits(stored.len(), 0).min(8);
        let settings = Settings {
            header_bits,
            volatility: Volatility::sample([]),
            order: FlipOrder::Heap,
            flips: usize::MAX,
        };
        let margins: Vec<Margins> = stored
            .iter()
            .step_by(9)
            .map(|fingerprint| {
                Margins(std::array::from_fn(|bit| {
                    let size = 1 + (mix(fingerprint ^ bit as u64) % 50) as i32;
                    if fingerprint >> bit & 1 == 1 { size } else { -size }
                }))
            })
            .collect();
        let psm = Psm::build(&stored, settings, Kernel::best());
        let scan = Scan::new(stored, Kernel::best());
        let (queries, all) = (queries(&margins), Want::All);
        assert_eq!(found(&psm, &queries, all), found(&scan, &queries, all), "{name}");
    }
}

#[test]
fn recall_on_other_queries_meets_the_calibration() {
    let sample = sample();
    for order in [FlipOrder::Heap, sample.ranks()] {
        let known = sample.known(300..600);
        let calibration = Calibration::new(known, &sample.volatility, &order, 10, RADIUS, 300);
        let flips = calibration.flips(0.95).unwrap();
        assert!(flips > 0 && flips < 60, "{flips} flips of at most {}", 10 + 45 + 120);
        let psm = Psm::build(&sample.stored, sample.settings(order, flips), Kernel::best());
        let exact = MultiIndex::build(sample.stored.clone(), RADIUS, Kernel::best());
        let held_out = queries(&sample.queries[..300]);
        let (some, all) = (found(&psm, &held_out, Want::All), found(&exact, &held_out, Want::All));
        assert!(some.iter().all(|one| all.contains(one)), "PSM found what is not there");
        let recall = some.len() as f64 / all.len() as f64;
        // Three standard deviations of a share of 0.95 among some 250 matches are four points.
        assert!(all.len() > 150 && recall > 0.91, "{recall} of {}", all.len());
        let few = Psm::build(&sample.stored, sample.settings(FlipOrder::Heap, 0), Kernel::best());
        assert!(found(&few, &held_out, Want::All).len() < some.len(), "flips are worth something");
    }
}

#[test]
fn first_answers_the_queries_that_all_answers_with_one_match_each() {
    let sample = sample();
    for order in [FlipOrder::Heap, sample.ranks()] {
        let psm = Psm::build(&sample.stored, sample.settings(order, 20), Kernel::best());
        let queries = queries(&sample.queries);
        let first: Vec<usize> =
            found(&psm, &queries, Want::First).into_iter().map(|(query, _)| query).collect();
        let mut all: Vec<usize> =
            found(&psm, &queries, Want::All).into_iter().map(|(query, _)| query).collect();
        all.dedup();
        assert_eq!(first, all);
    }
}

#[test]
fn without_margins_only_the_own_header_is_searched() {
    let stored = clustered(2000);
    let settings =
        Settings { header_bits: 8, volatility: Volatility::sample([]), order: FlipOrder::Heap, flips: 100 };
    let psm = Psm::build(&stored, settings, Kernel::best());
    assert_eq!((psm.len(), psm.bytes()), (2000, 2000 * 12 + 257 * 4));
    let found = matches(&psm, &[Simhash(stored[0])], RADIUS);
    assert!(found[0].contains(&0));
    assert!(found[0].iter().all(|&position| stored[position] >> 56 == stored[0] >> 56));
}

#[test]
#[should_panic = "a header of 13 bits was asked for"]
fn a_header_wider_than_the_collection_is_refused() {
    let settings =
        Settings { header_bits: 13, volatility: Volatility::sample([]), order: FlipOrder::Heap, flips: 1 };
    Psm::build(&clustered(2000), settings, Kernel::best());
}

/// The sample's collection in sorted chunks.
fn chunks(stored: &[u64]) -> Vec<Vec<u64>> {
    let sorted = |chunk: &[u64]| {
        let mut chunk = chunk.to_vec();
        chunk.sort_unstable();
        chunk
    };
    stored.chunks(1500).map(sorted).collect()
}

fn run(batch: &Batch, chunks: &mut Vec<Vec<u64>>, progress: &mut Progress) -> Vec<ChunkMatch> {
    let mut all = vec![];
    batch.search(chunks, progress, &mut |found| all.push(found), &mut |_| Ok(())).unwrap();
    all.sort_unstable();
    all
}

#[test]
fn a_batch_over_chunks_equals_the_index_in_memory() {
    let sample = sample();
    let settings = sample.settings(FlipOrder::Heap, 12);
    let psm = Psm::build(&sample.stored, settings.clone(), Kernel::best());
    let mut online: Vec<(usize, u64)> = found(&psm, &queries(&sample.queries), Want::All)
        .into_iter()
        .map(|(query, position)| (query, sample.stored[position as usize]))
        .collect();
    online.sort_unstable();
    let batch = Batch::new(&sample.queries, &settings, RADIUS, Want::All);
    let mut collection = chunks(&sample.stored);
    let mut found: Vec<(usize, u64)> = run(&batch, &mut collection, &mut Progress::default())
        .into_iter()
        .map(|found| (found.query as usize, found.stored))
        .collect();
    found.sort_unstable();
    assert_eq!(found, online);
    assert!(batch.bytes() > sample.queries.len() * 12 * 4);
}

#[test]
fn a_batch_goes_on_where_it_stopped_and_first_drops_what_is_answered() {
    let sample = sample();
    for want in [Want::First, Want::All] {
        let batch = Batch::new(&sample.queries, &sample.settings(FlipOrder::Heap, 12), RADIUS, want);
        let mut collection = chunks(&sample.stored);
        let whole = run(&batch, &mut collection, &mut Progress::default());
        // Stopped after each chunk in turn: the matches until the checkpoint, and those after it.
        for stop in 1..collection.len() {
            let (mut until, mut saved) = (vec![], None);
            let mut first_chunks = collection[..stop].to_vec();
            let mut progress = Progress::default();
            batch
                .search(&mut first_chunks, &mut progress, &mut |found| until.push(found), &mut |progress| {
                    saved = Some(progress.clone());
                    Ok(())
                })
                .unwrap();
            let mut resumed = saved.unwrap();
            assert_eq!(resumed.chunks_done, stop);
            until.extend(run(&batch, &mut collection, &mut resumed));
            until.sort_unstable();
            assert_eq!(until, whole, "{want:?}, stopped after {stop}");
        }
        let mut queries: Vec<u32> = whole.iter().map(|found| found.query).collect();
        let answers = queries.len();
        queries.dedup();
        assert_eq!(answers == queries.len(), want == Want::First, "one answer each");
    }
}

/// Chunks that count how often they are read.
struct Counted(Vec<Vec<u64>>, usize);

impl Chunks for Counted {
    type Error = std::convert::Infallible;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn read(&mut self, chunk: usize, values: &mut Vec<u64>) -> Result<(), Self::Error> {
        self.1 += 1;
        Chunks::read(&mut self.0, chunk, values)
    }
}

#[test]
fn first_stops_reading_when_all_are_answered() {
    let sample = sample();
    let own: Vec<u64> = sample.queries.iter().map(|margins| margins.simhash().0).collect();
    let mut collection = Counted(chunks(&own), 0);
    collection.0.extend(chunks(&sample.stored));
    let batch = Batch::new(&sample.queries, &sample.settings(FlipOrder::Heap, 3), RADIUS, Want::First);
    let mut progress = Progress::default();
    batch.search(&mut collection, &mut progress, &mut |_| (), &mut |_| Ok(())).unwrap();
    assert_eq!((collection.1, progress.chunks_done), (1, collection.0.len()));
}
