//! Files of fingerprints: every search against comparing everything with everything.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

use std::fs;
use std::path::{Path, PathBuf};

use twindex_batch::Silent;
use twindex_batch::hamming::{
    FingerprintInput, MatchJob, MatchSummary, Notation, PairsJob, Resources, SearchMethod, Stored,
};
use twindex_core::fingerprint::Margins;
use twindex_core::hash::mix;
use twindex_core::search::Want;

/// A document as weighted features, so that its margins and those of edited copies are realistic.
#[derive(Clone)]
struct Document(Vec<(u64, i32)>);

impl Document {
    fn new(seed: u64) -> Self {
        let weight = |i: u64| 1 + (mix(seed * 1000 + i + 500) % 64).pow(2) as i32 / 64;
        Document((0..80).map(|i| (mix(seed * 1000 + i), weight(i))).collect())
    }

    fn edited(&self, seed: u64) -> Self {
        let mut copy = self.clone();
        for edit in 0..1 + mix(seed) % 4 {
            let place = mix(seed * 16 + edit) as usize % copy.0.len();
            copy.0[place].0 = mix(mix(seed * 16 + edit + 8));
        }
        copy
    }

    fn margins(&self) -> Margins {
        let mut sums = [0; 64];
        for (hash, weight) in &self.0 {
            for (bit, sum) in sums.iter_mut().enumerate() {
                *sum += if hash >> bit & 1 == 1 { *weight } else { -weight };
            }
        }
        Margins(sums)
    }
}

/// Queries with margins, and stored fingerprints: edited copies of half of the queries, copies of
/// copies, and unrelated ones.
fn collections(queries: u64, unrelated: u64) -> (Vec<Margins>, Vec<u64>) {
    let documents: Vec<Document> = (0..queries).map(Document::new).collect();
    let copies = documents.iter().zip(0..).filter(|(_, number)| number % 2 == 0);
    let copies = copies.flat_map(|(document, number)| {
        [0, 1].map(|copy| document.edited(number * 2 + copy + 7_000_000).margins().simhash().0)
    });
    let mut stored: Vec<u64> = copies.collect();
    stored.extend((0..unrelated).map(|i| mix(i + 1_000_000_000)));
    // Equal fingerprints.
    stored.extend_from_within(..20.min(stored.len()));
    (documents.iter().map(Document::margins).collect(), stored)
}

fn write_queries(path: &Path, queries: &[Margins]) {
    let line = |(number, margins): (usize, &Margins)| {
        format!(
            "{{\"id\":\"q{number}\",\"fingerprint\":\"{}\",\"margins\":{:?}}}\n",
            margins.simhash(),
            margins.0
        )
    };
    fs::write(path, queries.iter().enumerate().map(line).collect::<String>()).unwrap();
}

fn write_raw(path: &Path, values: &[u64]) {
    fs::write(path, values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>()).unwrap();
}

fn input(path: &Path) -> FingerprintInput {
    FingerprintInput::new(vec![path.display().to_string()])
}

fn resources(folder: &Path, threads: usize) -> Resources {
    Resources { memory: 200_000_000, threads, work: folder.to_owned(), ..Resources::default() }
}

/// The rows of a TSV file, without the header.
fn rows(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().skip(1).map(str::to_owned).collect()
}

/// All matches, as the output has them: by query, distance, position.
fn expected(queries: &[Margins], stored: &[u64], name: &str, radius: u32) -> Vec<String> {
    let mut lines = vec![];
    for (number, query) in queries.iter().enumerate() {
        let query = query.simhash().0;
        let distances = stored.iter().map(|value| (value ^ query).count_ones());
        let mut found: Vec<(u32, usize)> =
            distances.zip(1..).filter(|(distance, _)| *distance <= radius).collect();
        found.sort_unstable();
        lines.extend(found.iter().map(|(distance, place)| format!("q{number}\t{name}:{place}\t{distance}")));
    }
    lines
}

struct Case {
    folder: tempfile::TempDir,
    queries: Vec<Margins>,
    stored: Vec<u64>,
}

impl Case {
    fn new(queries: u64, unrelated: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (queries, stored) = collections(queries, unrelated);
        write_queries(&folder.path().join("queries.jsonl"), &queries);
        write_raw(&folder.path().join("stored.u64"), &stored);
        Case { folder, queries, stored }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn job(&self, method: SearchMethod, radius: u32, want: Want, threads: usize) -> MatchJob {
        MatchJob {
            queries: input(&self.path("queries.jsonl")),
            stored: Stored::Files(input(&self.path("stored.u64"))),
            radius,
            method,
            want,
            output: self.path("matches.tsv"),
            resources: resources(self.folder.path(), threads),
        }
    }

    fn run(&self, job: &MatchJob) -> (MatchSummary, Vec<String>) {
        let summary = job.run(&Silent).unwrap();
        let found = rows(&job.output);
        assert_eq!(summary.matches, found.len() as u64);
        (summary, found)
    }

    fn expected(&self, radius: u32) -> Vec<String> {
        expected(&self.queries, &self.stored, &self.path("stored.u64").display().to_string(), radius)
    }
}

fn query_of(line: &str) -> &str {
    line.split('\t').next().unwrap()
}

#[test]
fn exact_and_block_searches_find_everything_with_any_number_of_threads() {
    let case = Case::new(600, 9_000);
    for radius in [0, 3, 5, 8, 13] {
        let expected = case.expected(radius);
        assert!(expected.len() > 20, "{radius}: {}", expected.len());
        let mut methods = vec![SearchMethod::Exact, SearchMethod::Blocks(None)];
        if radius == 3 {
            methods.extend([4, 5, 6, 10, 16, 20].map(|tables| SearchMethod::Blocks(Some(tables))));
        }
        for method in methods {
            for threads in [1, 3] {
                let (summary, found) = case.run(&case.job(method, radius, Want::All, threads));
                assert_eq!(found, expected, "{method:?}, radius {radius}, {threads} threads");
                assert_eq!((summary.queries, summary.stored), (600, case.stored.len() as u64));
                assert!(summary.recall.is_none());
            }
        }
    }
}

#[test]
fn the_first_match_is_one_of_all() {
    let case = Case::new(600, 9_000);
    let all = case.expected(3);
    let matched: std::collections::BTreeSet<&str> = all.iter().map(|line| query_of(line)).collect();
    for method in [SearchMethod::Exact, SearchMethod::Blocks(Some(4))] {
        let (summary, one) = case.run(&case.job(method, 3, Want::First, 1));
        assert_eq!(case.run(&case.job(method, 3, Want::First, 3)).1, one, "{method:?}");
        assert_eq!((summary.matched, one.len()), (matched.len() as u64, matched.len()));
        assert!(one.iter().all(|line| all.contains(line)), "{method:?}");
    }
}

#[test]
fn probabilistic_matching_finds_the_share_that_it_reports() {
    let case = Case::new(3_000, 20_000);
    let all = case.expected(3);
    for (wanted, want) in [(0.7, Want::All), (0.95, Want::All), (0.95, Want::First), (1.0, Want::All)] {
        let method = SearchMethod::Psm(wanted);
        let (summary, found) = case.run(&case.job(method, 3, want, 2));
        assert_eq!(case.run(&case.job(method, 3, want, 1)).1, found);
        assert!(found.iter().all(|line| all.contains(line)));
        let recall = summary.recall.unwrap();
        let share = match want {
            Want::All => found.len() as f64 / all.len() as f64,
            Want::First => {
                let queries: std::collections::BTreeSet<&str> =
                    all.iter().map(|line| query_of(line)).collect();
                found.len() as f64 / queries.len() as f64
            }
        };
        let measured = recall.measured.unwrap();
        assert!(measured >= wanted, "{recall:?}");
        // Half of a sample of a thousand matches: three standard errors.
        assert!((share - measured).abs() < 0.06, "{share} and {recall:?}");
        assert!(share > wanted - 0.05, "{share} of {wanted}");
    }
}

#[test]
fn a_sample_without_matches_reports_no_recall() {
    let case = Case::new(50, 100);
    write_raw(&case.path("stored.u64"), &(0..5_000).map(|i| mix(i + 77)).collect::<Vec<u64>>());
    let (summary, found) = case.run(&case.job(SearchMethod::Psm(0.95), 3, Want::All, 2));
    let recall = summary.recall.unwrap();
    assert_eq!((found.len(), recall.measured, recall.matches), (0, None, 0));
    assert!(recall.flips > 0);
}

#[test]
fn empty_files_match_nothing() {
    let case = Case::new(5, 10);
    write_raw(&case.path("stored.u64"), &[]);
    for method in [SearchMethod::Exact, SearchMethod::Blocks(None), SearchMethod::Psm(0.9)] {
        assert_eq!(case.run(&case.job(method, 3, Want::All, 2)).1, [""; 0]);
    }
    fs::write(case.path("queries.jsonl"), "").unwrap();
    write_raw(&case.path("stored.u64"), &[1, 2, 3]);
    for method in [SearchMethod::Exact, SearchMethod::Blocks(None), SearchMethod::Psm(0.9)] {
        assert_eq!(case.run(&case.job(method, 3, Want::All, 2)).1, [""; 0]);
    }
}

/// Centres with copies at many distances, equal ones among them, under ids of every kind.
fn clustered(length: u64) -> Vec<u64> {
    let copy = |i: u64| {
        let (centre, flips) = (mix(i / 20), i % 20);
        (0..flips).fold(centre, |word, flip| word ^ 1 << (mix(i * 64 + flip) % 64))
    };
    let mut values: Vec<u64> = (0..length).map(copy).collect();
    values.extend_from_within(..30);
    values
}

#[test]
fn pairs_are_those_of_comparing_everything_in_any_memory() {
    let folder = tempfile::tempdir().unwrap();
    let values = clustered(4_000);
    let path = folder.path().join("values.tsv");
    let line = |(number, value): (usize, &u64)| format!("{value:016x}\tn{number}\n");
    let lines: String = values.iter().enumerate().map(line).collect();
    fs::write(&path, format!("fingerprint\tid\n{lines}")).unwrap();
    for radius in [0, 1, 3, 8, 12, 16] {
        let mut expected = vec![];
        for (a, left) in values.iter().enumerate() {
            for (b, right) in values.iter().enumerate().skip(a + 1) {
                let distance = (left ^ right).count_ones();
                if distance <= radius {
                    expected.push(format!("n{a}\tn{b}\t{distance}"));
                }
            }
        }
        assert!(expected.len() > 20);
        for (threads, memory) in [(1, 100_000_000), (3, 120_000_000), (2, 4_000_000_000)] {
            let resources = Resources { memory, ..resources(folder.path(), threads) };
            let output = folder.path().join("pairs.tsv");
            let job = PairsJob { input: input(&path), radius, output: output.clone(), resources };
            let mut forecasts = 0;
            let summary = job.run(&Silent, &mut |forecast| {
                assert_eq!(forecast.fingerprints, values.len() as u64);
                forecasts += 1;
                true
            });
            let summary = summary.unwrap().unwrap();
            assert_eq!((summary.pairs, forecasts), (expected.len() as u64, 1));
            assert!(rows(&output) == expected, "radius {radius}, {threads} threads, memory {memory}");
        }
        let left: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "{left:?}");
    }
}

#[test]
fn a_forecast_that_is_declined_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.u64");
    write_raw(&path, &clustered(100));
    let output = folder.path().join("pairs.tsv");
    let job = PairsJob { input: input(&path), radius: 3, output, resources: resources(folder.path(), 1) };
    assert!(job.run(&Silent, &mut |_| false).unwrap().is_none());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let little = Resources { memory: 1_000_000, ..job.resources.clone() };
    let error = PairsJob { resources: little, ..job }.run(&Silent, &mut |_| true).unwrap_err();
    assert!(error.to_string().contains("1M are allowed"), "{error}");
}

#[test]
fn every_notation_and_format_gives_the_same_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let values = clustered(300);
    let text = |line: &dyn Fn(usize, u64) -> String, header: &str| {
        let lines = values.iter().enumerate().map(|(number, &value)| line(number, value));
        header.to_owned() + &lines.collect::<String>()
    };
    let files = [
        ("hex.tsv", Notation::Auto, text(&|n, v| format!("n{n}\t{v:016x}\n"), "id\tfingerprint\n")),
        ("short.tsv", Notation::Hex, text(&|n, v| format!("n{n}\t{v:x}\n"), "id\tfingerprint\n")),
        ("prefix.csv", Notation::Auto, text(&|n, v| format!("n{n},{v:#x}\n"), "id,fingerprint\n")),
        ("decimal.tsv", Notation::Decimal, text(&|n, v| format!("n{n}\t{v}\n"), "id\tfingerprint\n")),
        ("binary.tsv", Notation::Auto, text(&|n, v| format!("n{n}\t{v:064b}\n"), "id\tfingerprint\n")),
        (
            "text.jsonl",
            Notation::Auto,
            text(&|n, v| format!("{{\"id\":\"n{n}\",\"fingerprint\":\"{v:016x}\"}}\n"), ""),
        ),
        (
            "number.jsonl",
            Notation::Auto,
            text(&|n, v| format!("{{\"id\":\"n{n}\",\"fingerprint\":{v}}}\n"), ""),
        ),
        (
            "signed.jsonl",
            Notation::Auto,
            text(&|n, v| format!("{{\"id\":\"n{n}\",\"fingerprint\":{}}}\n", v.cast_signed()), ""),
        ),
    ];
    let mut results = vec![];
    for (name, notation, contents) in files {
        let path = folder.path().join(name);
        fs::write(&path, contents).unwrap();
        let output = folder.path().join("pairs.tsv");
        let input = FingerprintInput { notation, ..input(&path) };
        let job =
            PairsJob { input, radius: 5, output: output.clone(), resources: resources(folder.path(), 2) };
        job.run(&Silent, &mut |_| true).unwrap();
        results.push((name, rows(&output)));
    }
    assert!(results[0].1.len() > 100);
    assert!(
        results.iter().all(|(_, found)| *found == results[0].1),
        "{:?}",
        results.iter().map(|it| (it.0, it.1.len())).collect::<Vec<_>>()
    );
}
