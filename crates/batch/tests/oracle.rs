//! A job gives what comparing everything with everything gives.
//!
//! The oracle computes the evidence of every document, compares all pairs, and applies the witness
//! rule as it is defined. The methods `bottom-k` and `simhash` are complete for their own notion of
//! closeness, so the job must agree to the pair; `minhash-lsh` may miss a pair by chance, but never
//! on this collection, because nothing in it is random.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use twindex_batch::{Existing, Job, Mode, OnError, Outputs, Pace, Progress, Silent, Unit, run};
use twindex_core::group::KeepPolicy;
use twindex_core::group::witness::{self, Ranked};
use twindex_core::hash::mix;
use twindex_core::kernel::Kernel;
use twindex_core::recipe::MethodName;
use twindex_core::search::{BesideScratch, Edge};
use twindex_core::verify::{Measured, Side, Verdict};
use twindex_core::{Digests, Engine, EngineScratch, Markup, Recipe};

mod dying;
use dying::Dies;

/// Documents of forty words: some fresh, some edited copies of earlier ones, some equal copies,
/// some empty.
fn collection() -> Vec<String> {
    let word = |seed: u64| format!("w{}", mix(seed) % 5_000);
    let mut texts: Vec<String> = vec![];
    for number in 0..400u64 {
        let draw = |salt: u64| mix(number * 1_000 + salt);
        let text = match draw(0) % 10 {
            0..=3 => (0..40).map(|i| word(draw(i + 10))).collect::<Vec<_>>().join(" "),
            4..=7 if !texts.is_empty() => {
                let original = &texts[draw(1) as usize % texts.len()];
                let edits = draw(2) % 8;
                let mut words: Vec<String> = original.split(' ').map(str::to_owned).collect();
                for edit in 0..edits {
                    let at = draw(edit + 3) as usize % words.len();
                    words[at] = word(draw(edit + 60));
                }
                words.join(" ")
            }
            8 if !texts.is_empty() => texts[draw(1) as usize % texts.len()].clone(),
            _ => ["", "?!", "one", "one two"][draw(1) as usize % 4].to_owned(),
        };
        texts.push(text);
    }
    texts
}

fn job(folder: &Path, mode: Mode, method: MethodName) -> Job {
    let path = |name: &str| Some(folder.join(name));
    let dedup = mode != Mode::Pairs;
    let outputs = Outputs {
        removed: dedup.then(|| folder.join("removed.tsv")),
        pairs: path("pairs.tsv"),
        ..Outputs::default()
    };
    let inputs = vec![folder.join("docs.jsonl").display().to_string()];
    let mut job = Job::new(inputs, mode, outputs).unwrap();
    job.recipe.method = method;
    job.work = folder.join("work");
    job.memory = 256 << 20;
    job.threads = 2;
    job.kernel = test_kernel();
    // Many blocks and checkpoints, far smaller than the collection.
    job.pace = Pace { checkpoint_bytes: 1, checkpoint_candidates: 1, block_documents: 7 };
    job
}

fn test_kernel() -> Kernel {
    let name = std::env::var("TWINDEX_TEST_KERNEL").ok();
    name.map_or_else(Kernel::best, |name| Kernel::named(&name).expect("a kernel of this CPU"))
}

/// The verdict on every pair (left before right) that the method proposes and the rule accepts.
fn oracle(texts: &[String], method: MethodName) -> BTreeMap<(usize, usize), Verdict> {
    let recipe = Recipe { method, ..Recipe::default() };
    let engine = Engine::new(&recipe, Kernel::Scalar).unwrap();
    let mut scratch = EngineScratch::default();
    let evidence: Vec<_> =
        texts.iter().map(|text| engine.evidence(text, Markup::None, &mut scratch)).collect();
    let mut digests = Digests::default();
    let documents = texts.iter().map(|text| (text.as_str(), Markup::None));
    engine.digests(documents, &mut scratch, &mut digests);
    let fingerprints: Vec<_> =
        (0..texts.len()).map(|document| engine.read(digests.fingerprint(document))).collect();
    let is_plausible = |left: usize, right: usize| {
        engine.beside(&fingerprints[left], &mut BesideScratch::default()).is_plausible(&fingerprints[right])
    };
    let mut pairs = BTreeMap::new();
    for right in 0..texts.len() {
        for left in 0..right {
            if texts[left] == texts[right] {
                // A document without words is a duplicate of nothing, not even of its equal.
                if !evidence[left].features.is_empty() {
                    pairs.insert((left, right), Verdict::new(recipe.rule, Measured::EQUAL));
                }
                continue;
            }
            let proposed = method == MethodName::MinhashLsh || is_plausible(left, right);
            let verdict = engine.verifier().verdict(&evidence[left], &evidence[right]);
            if proposed && verdict.is_accepted() {
                pairs.insert((left, right), verdict);
            }
        }
    }
    pairs
}

/// Whether one document may go for another.
fn may_go(pairs: &BTreeMap<(usize, usize), Verdict>, x: usize, y: usize) -> bool {
    let side = if x < y { Side::Left } else { Side::Right };
    pairs.get(&(x.min(y), x.max(y))).is_some_and(|verdict| verdict.may_go(side))
}

fn write_collection(folder: &Path, texts: &[String]) {
    let rows: String = texts
        .iter()
        .enumerate()
        .map(|(id, text)| format!("{{\"id\": \"{id}\", \"text\": \"{text}\"}}\n"))
        .collect();
    fs::write(folder.join("docs.jsonl"), rows).unwrap();
}

/// The first two columns as numbers and the third as a score.
fn table(path: &Path) -> Vec<(usize, usize, f64)> {
    let text = fs::read_to_string(path).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        (cells[0].parse().unwrap(), cells[1].parse().unwrap(), cells[2].parse().unwrap())
    };
    text.lines().skip(1).map(row).collect()
}

/// An output without the name of the folder, which is in the places of rows.
fn output(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap().replace(&folder.display().to_string(), "")
}

const METHODS: [MethodName; 3] = [MethodName::MinhashLsh, MethodName::BottomK, MethodName::Simhash];

#[test]
fn pairs_are_those_of_comparing_everything_with_everything() {
    let texts = collection();
    for method in METHODS {
        let folder = tempfile::tempdir().unwrap();
        write_collection(folder.path(), &texts);
        run(&job(folder.path(), Mode::Pairs, method), &Silent).unwrap();
        let expected = oracle(&texts, method);
        assert!(
            expected.len() > 100,
            "{method:?} found only {}: the collection tests nothing",
            expected.len()
        );
        let found = table(&folder.path().join("pairs.tsv"));
        let expected: Vec<_> = expected
            .into_iter()
            .map(|((left, right), verdict)| (left, right, verdict.measured.scores().jaccard))
            .collect();
        assert_eq!(found, expected, "{method:?}");
    }
}

/// Some documents of the collection with a part in front of them, or behind: wholes that come
/// before and after their parts.
fn collection_with_wholes() -> Vec<String> {
    let mut texts = collection();
    for number in (0..texts.len()).step_by(5) {
        let more: String =
            (0..12).map(|place| format!(" m{}", mix((number * 100 + place) as u64) % 5_000)).collect();
        let whole = texts[number].clone() + &more;
        let at = mix(number as u64) as usize % texts.len();
        texts.insert(at, whole);
    }
    texts
}

#[test]
fn removals_are_those_of_the_witness_rule() {
    let texts = collection_with_wholes();
    let choices = METHODS
        .into_iter()
        .flat_map(|method| ["first", "longest", "shortest"].map(|policy| (method, policy)));
    let mut given_way = 0;
    for ((method, policy), container_wins) in choices.flat_map(|choice| [(choice, true), (choice, false)]) {
        let folder = tempfile::tempdir().unwrap();
        write_collection(folder.path(), &texts);
        let policy: KeepPolicy = policy.parse().unwrap();
        let mut job = job(folder.path(), Mode::Dedup(policy.clone()), method);
        job.recipe.rule.container_wins = container_wins;
        run(&job, &Silent).unwrap();

        let pairs = oracle(&texts, method);
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&document| (policy.key(texts[document].len() as u64, None).unwrap(), document));
        let mut firsts: BTreeMap<&str, usize> = BTreeMap::new();
        for &document in &order {
            firsts.entry(&texts[document]).or_insert(document);
        }
        let first = |document: usize| firsts[texts[document].as_str()];
        // Copies are kept or removed with their representative.
        order.retain(|&document| first(document) == document);
        let rank = |document: usize| order.iter().position(|&other| other == document);
        let mut edges: Vec<Edge> = pairs
            .keys()
            .filter_map(|&(a, b)| Some((rank(a)? as u32, rank(b)? as u32)))
            .map(|(a, b)| Edge { later: a.max(b), earlier: a.min(b) })
            .collect();
        edges.sort_unstable();
        let features: Vec<u32> = order.iter().map(|&document| shingles(&texts[document])).collect();
        let ranked = Ranked { features: &features, protected: 0, container_wins };
        let witnesses =
            witness::witnesses(ranked, &edges, |x, y| may_go(&pairs, order[x as usize], order[y as usize]));
        let witness_of = |document: usize| Some(order[witnesses[rank(document)?]? as usize]);
        let expected: BTreeMap<usize, usize> = (0..texts.len())
            .filter_map(|document| {
                let first = first(document);
                // Documents without words stay.
                let of_copy = (first != document && shingles(&texts[first]) > 0).then_some(first);
                Some((document, witness_of(first).or(of_copy)?))
            })
            .collect();
        let gives_way = |removed: usize, witness: usize| {
            rank(removed).is_some_and(|rank_of| Some(rank_of) < rank(witness))
        };
        given_way += expected.iter().filter(|&(&removed, &witness)| gives_way(removed, witness)).count();

        let found: BTreeMap<usize, usize> = table(&folder.path().join("removed.tsv"))
            .into_iter()
            .map(|(left, right, _)| (left, right))
            .collect();
        assert_eq!(found, expected, "{method:?}, {policy}, {container_wins}");
    }
    assert!(given_way > 20, "only {given_way} give way: the second pass is not tested");
}

/// How many distinct shingles of three words a text has.
fn shingles(text: &str) -> u32 {
    let engine = Engine::new(&Recipe::default(), Kernel::Scalar).unwrap();
    engine.evidence(text, Markup::None, &mut EngineScratch::default()).features.len() as u32
}

/// Where all documents are near each other, `dedup` does not list all pairs: each document is
/// paired with the first ones of its buckets.
#[test]
fn of_a_template_few_are_met() {
    let page = |number: usize| {
        let word = |place: usize| if place == 7 { format!("n{number}") } else { format!("w{place}") };
        (0..400).map(word).collect::<Vec<_>>().join(" ")
    };
    let texts: Vec<String> = (0..300).map(page).collect();
    let folder = tempfile::tempdir().unwrap();
    write_collection(folder.path(), &texts);
    let dedup = job(folder.path(), Mode::Dedup(KeepPolicy::First), MethodName::Simhash);
    let summary = run(&dedup, &Silent).unwrap();
    assert!(
        summary.hot_pairs_left_out > 0,
        "{} candidates: every document met every other",
        summary.candidates
    );
    assert!(summary.removed > 250, "only {} removed", summary.removed);
    let pairs = oracle(&texts, MethodName::Simhash);
    let removed: BTreeMap<usize, usize> =
        table(&folder.path().join("removed.tsv")).into_iter().map(|(left, right, _)| (left, right)).collect();
    for (&removed_one, &witness) in &removed {
        assert!(!removed.contains_key(&witness) && may_go(&pairs, removed_one, witness));
    }
}

/// So little that the keys of the collection below need more than one pass.
const LITTLE_MEMORY: u64 = 114 << 20;

/// Bytes of rows up to the first checkpoint: at once, in the middle of the collection below, and
/// never. Until then texts are kept plain and nothing waits for the disk.
const FIRST_CHECKPOINTS: [u64; 3] = [1, 2 << 20, 1 << 40];

/// A job can be resumed from every checkpoint of every stage, with another memory limit.
#[test]
fn a_job_that_dies_at_any_checkpoint_goes_on() {
    for checkpoint_bytes in FIRST_CHECKPOINTS {
        dies_and_goes_on(checkpoint_bytes);
    }
}

/// Of the collection above.
const COPIES: usize = 60;

fn dies_and_goes_on(checkpoint_bytes: u64) {
    let texts = collection_with_wholes();
    let outputs = |folder: &Path| ["removed.tsv", "pairs.tsv"].map(|name| output(folder, name));
    let undisturbed = tempfile::tempdir().unwrap();
    // The texts are repeated with other words until they fill several batches, and columns that
    // outgrow the little memory.
    let texts: Vec<String> = (0..COPIES)
        .flat_map(|copy| texts.iter().map(move |text| text.replace('w', &format!("w{copy}x"))))
        .collect();
    write_collection(undisturbed.path(), &texts);
    let dedup = |folder: &Path| {
        let mut job = job(folder, Mode::Dedup(KeepPolicy::First), MethodName::MinhashLsh);
        job.pace.checkpoint_bytes = checkpoint_bytes;
        job
    };
    // The pace does not change the results.
    let mut at_ease = dedup(undisturbed.path());
    at_ease.pace = Pace::default();
    run(&at_ease, &Silent).unwrap();
    let expected = outputs(undisturbed.path());

    let folder = tempfile::tempdir().unwrap();
    write_collection(folder.path(), &texts);
    let mut deaths = 0;
    for life in [1, 2, 3, 1, 40, 100, 7, 300].into_iter().cycle() {
        let existing = if deaths == 0 { Existing::Refuse } else { Existing::Resume };
        let mut job = dedup(folder.path());
        (job.existing, job.memory) = (existing, LITTLE_MEMORY);
        let progress = Dies::after(life);
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&job, &progress))) {
            Ok(result) => {
                assert!(result.unwrap().resumed);
                break;
            }
            Err(_) => deaths += 1,
        }
        assert!(deaths < 500, "it never comes to an end");
    }
    assert!(deaths > 5, "only {deaths} deaths: the test tests nothing");
    assert!(outputs(folder.path()) == expected);
}

/// Panics when a stage begins.
struct DiesAt(&'static str);

impl Progress for DiesAt {
    fn begin(&self, stage: &'static str, _: u64, _: Unit) {
        assert_ne!(stage, self.0, "as planned");
    }
    fn position(&self, _: u64) {}
    fn end(&self) {}
}

/// A job that is too small for a checkpoint while it reads gets one in a long verification, and
/// starts over before it.
#[test]
fn a_small_job_resumes_from_its_verification_or_starts_over() {
    let texts = collection();
    let dedup = |folder: &Path, existing| {
        let mut job = job(folder, Mode::Dedup(KeepPolicy::First), MethodName::Simhash);
        (job.pace.checkpoint_bytes, job.existing) = (1 << 40, existing);
        job
    };
    let undisturbed = tempfile::tempdir().unwrap();
    write_collection(undisturbed.path(), &texts);
    run(&dedup(undisturbed.path(), Existing::Refuse), &Silent).unwrap();
    for (stage, is_resumed) in [("verify", false), ("containers", true)] {
        let folder = tempfile::tempdir().unwrap();
        write_collection(folder.path(), &texts);
        let killed = || run(&dedup(folder.path(), Existing::Refuse), &DiesAt(stage));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(killed)).is_err());
        let summary = run(&dedup(folder.path(), Existing::Resume), &Silent).unwrap();
        assert_eq!(summary.resumed, is_resumed, "{stage}");
        for name in ["removed.tsv", "pairs.tsv"] {
            let [found, expected] = [folder.path(), undisturbed.path()].map(|path| output(path, name));
            assert!(found == expected, "{name}, {stage}");
        }
    }
}

/// The figures of a finished stage come from the run that finished it.
#[test]
fn a_resumed_job_counts_every_row() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows: String = collection()
        .iter()
        .enumerate()
        .map(|(number, text)| format!("{{\"id\": \"{}\", \"text\": \"{text}\"}}\n", number % 300))
        .collect();
    rows.push_str("{\"text\": null}\n{\"text\": 1}\nnonsense\n");
    fs::write(folder.path().join("docs.jsonl"), rows).unwrap();
    let dedup = |existing| {
        let mut job = job(folder.path(), Mode::Dedup(KeepPolicy::First), MethodName::MinhashLsh);
        (job.on_error, job.existing) = (OnError::Skip, existing);
        job
    };
    let killed = || run(&dedup(Existing::Refuse), &DiesAt("verify"));
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(killed)).is_err());
    let resumed = run(&dedup(Existing::Resume), &Silent).unwrap();
    let fresh = run(&dedup(Existing::Refuse), &Silent).unwrap();
    assert!(resumed.resumed && !fresh.resumed);
    for summary in [resumed, fresh] {
        assert_eq!((summary.rows, summary.repeated_ids), (403, 100));
        assert_eq!((summary.null_texts, summary.skipped_rows), (1, 2));
        assert_eq!(summary.kept + summary.removed, 401);
        assert!(summary.without_words > 5 && summary.removed > 60, "{summary:?}");
    }
}
