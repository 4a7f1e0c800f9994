//! Answers equal a brute-force scan of the live documents at every moment.
//!
//! Random steps (adds, batches, removals, renewals, expiry, imports, seals and merges, compaction,
//! closing and opening) on an index with a tiny buffer, so that all of its parts are at work, and
//! on a list of documents. After every step both answer the same queries, all at once and in pages.
//! Candidates are found by simhashes within a radius, or by the keys of another method.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use twindex_core::fingerprint::Simhash;
use twindex_core::kernel::Kernel;
use twindex_core::recipe::MethodName;
use twindex_core::verify::{Measured, Side, Verdict};
use twindex_core::{Digests, Engine, EngineScratch, Markup, Recipe};
use twindex_index::{
    AddOptions, Evidence, Imported, Index, Match, NewDocument, OpenOptions, Outcome, Query, Seconds,
    Settings, Timestamp,
};

/// Sealed after four documents: a few dozen steps see every kind of segment.
const BUFFER: usize = 4;
const START: u64 = 1_000;
const TTL: u64 = 50;

#[derive(Debug, Clone)]
enum Step {
    Add(Vec<(u8, u8)>, bool),
    Import(Vec<(u8, u8)>),
    Remove(u8),
    Renew(u8, Option<u8>),
    Later(u8),
    Expire,
    Settle,
    Compact,
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let pairs = |most| prop::collection::vec((0u8..40, 0u8..24), 1..most);
    let step = prop_oneof![
        8 => (pairs(6), prop::bool::weighted(0.2)).prop_map(|(batch, only_unseen)| Step::Add(batch, only_unseen)),
        1 => pairs(12).prop_map(Step::Import),
        3 => (0u8..40).prop_map(Step::Remove),
        2 => (0u8..40, prop::option::of(0u8..100)).prop_map(|(id, span)| Step::Renew(id, span)),
        3 => (0u8..30).prop_map(Step::Later),
        1 => Just(Step::Expire),
        3 => Just(Step::Settle),
        1 => Just(Step::Compact),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..80)
}

/// Texts in families: those of a family are duplicates of each other, or nearly.
fn text(number: u8) -> String {
    let (family, variant) = (number / 4, number % 4);
    if family == 0 {
        return "!?".repeat(usize::from(variant)); // no words
    }
    let word = |place: usize| format!("w{}x{place}", usize::from(family) % 5);
    let mut words: Vec<String> = (0..60).map(word).collect();
    for place in 0..usize::from(variant) * 2 {
        words[place * 7] = format!("changed{variant}");
    }
    words.join(" ")
}

#[derive(Debug, Clone)]
struct Known {
    order: u64,
    text: Option<String>,
    /// As the engine stores it; none without words.
    fingerprint: Option<Vec<u8>>,
    expires: Option<u64>,
}

struct Model {
    engine: Engine,
    documents: BTreeMap<String, Known>,
    order: u64,
    now: u64,
}

/// A match, as far as the model knows it.
#[derive(Debug, PartialEq)]
struct Found {
    id: String,
    distance: u32,
    jaccard: Option<f64>,
    may_go: bool,
}

impl Found {
    fn new(found: &Match) -> Found {
        Found {
            id: found.id.clone(),
            distance: found.distance.unwrap_or(0),
            jaccard: found.scores.map(|scores| scores.jaccard),
            may_go: found.may_go,
        }
    }
}

impl Model {
    fn fingerprint(&self, text: &str) -> Option<Vec<u8>> {
        let mut digests = Digests::default();
        self.engine.digests([(text, Markup::None)], &mut EngineScratch::default(), &mut digests);
        (digests.features[0] > 0).then_some(digests.fingerprints)
    }

    fn living(&self) -> impl Iterator<Item = (&String, &Known)> {
        self.documents.iter().filter(|(_, known)| known.expires.is_none_or(|expires| expires > self.now))
    }

    /// All duplicates of a text, the nearest first.
    fn matches(&self, text: &str, except: Option<&str>) -> Vec<Found> {
        let evidence = |text: &str| self.engine.evidence(text, Markup::None, &mut EngineScratch::default());
        let fingerprint = self.fingerprint(text);
        let mut found = vec![];
        for (id, known) in self.living().filter(|(id, _)| except != Some(id.as_str())) {
            let both = fingerprint.as_deref().zip(known.fingerprint.as_deref());
            let both = both.map(|(a, b)| (self.engine.read(a), self.engine.read(b)));
            let distance = both.as_ref().and_then(|(a, b)| a.distance(b));
            let near = match self.engine.radius() {
                Some(radius) => distance.is_some_and(|distance| distance <= radius),
                None => both.is_some_and(|(a, b)| self.engine.proposes(&a, &b)),
            };
            let verifier = self.engine.verifier();
            let verdict = match &known.text {
                Some(known) if near && known == text => Some(Verdict::new(verifier.rule(), Measured::EQUAL)),
                Some(known) if near => verifier.accept(&evidence(text), &evidence(known)),
                _ => None,
            };
            if verdict.is_some() || (near && known.text.is_none()) {
                let distance = distance.unwrap_or(0);
                let jaccard = verdict.map(|verdict| verdict.measured.scores().jaccard);
                let may_go = verdict.is_some_and(|verdict| verdict.may_go(Side::Left));
                found.push((known.order, Found { id: id.clone(), distance, jaccard, may_go }));
            }
        }
        found.sort_by_key(|(order, found)| (found.distance, *order));
        found.into_iter().map(|(_, found)| found).collect()
    }

    fn insert(&mut self, id: &str, text: Option<String>, fingerprint: Option<Vec<u8>>, expires: Option<u64>) {
        let order = self.order;
        self.order += 1;
        self.documents.insert(id.to_owned(), Known { order, text, fingerprint, expires });
    }
}

struct Both {
    folder: tempfile::TempDir,
    index: Option<Index>,
    model: Model,
}

impl Both {
    fn new(renew_on_sight: bool, method: MethodName, evidence: Evidence) -> Both {
        let recipe = Recipe { method, ..Recipe::preset("simhash").unwrap() };
        let ttl = Some(Seconds(TTL));
        let mut settings = Settings { ttl, evidence, renew_on_sight, ..Settings::new(recipe) };
        // Near enough that the texts of a family are, and far enough that the rule has something to
        // refuse.
        settings.recipe.simhash.radius = 8;
        settings.recipe.simhash.blocks = 10;
        settings.recipe.rule.threshold = 0.7;
        let folder = tempfile::tempdir().unwrap();
        Index::create(folder.path(), &settings).unwrap();
        let engine = Engine::new(&settings.recipe, Kernel::Scalar).unwrap();
        let model = Model { engine, documents: BTreeMap::new(), order: 0, now: START };
        let mut both = Both { folder, index: None, model };
        both.reopen();
        both
    }

    fn reopen(&mut self) {
        self.index = None;
        let options = OpenOptions { buffer: BUFFER, ..OpenOptions::default() };
        self.index = Some(Index::open(self.folder.path(), options).unwrap());
    }

    fn index(&self) -> &Index {
        self.index.as_ref().unwrap()
    }

    fn step(&mut self, step: &Step) {
        let now = Timestamp(self.model.now);
        match step {
            Step::Add(batch, only_unseen) => self.add(batch, *only_unseen),
            Step::Import(_) if self.model.engine.radius().is_none() => {
                let simhash = Imported { id: "0".to_owned(), fingerprint: Simhash(7), expires: None };
                assert!(self.index().import([simhash]).is_err());
            }
            Step::Import(batch) => {
                let fingerprint = |number: u8| {
                    let stored = self.model.fingerprint(&text(number));
                    let simhash = stored.and_then(|stored| self.model.engine.read(&stored).simhash());
                    simhash.unwrap_or(Simhash(7))
                };
                let imported: Vec<Imported> = batch
                    .iter()
                    .map(|&(id, number)| Imported {
                        id: id.to_string(),
                        fingerprint: fingerprint(number),
                        expires: None,
                    })
                    .collect();
                self.index().import(imported.clone()).unwrap();
                // The last of equal ids counts; the order of the others is that of their ids.
                let last: BTreeMap<String, Simhash> =
                    imported.into_iter().map(|it| (it.id, it.fingerprint)).collect();
                for (id, fingerprint) in last {
                    self.model.insert(&id, None, Some(fingerprint.0.to_le_bytes().to_vec()), None);
                }
            }
            Step::Remove(id) => {
                let id = id.to_string();
                assert_eq!(self.index().remove(&id).unwrap(), self.model.documents.remove(&id).is_some());
            }
            Step::Renew(id, span) => {
                let expires = span.map(|span| self.model.now + u64::from(span));
                let renewed = self.index().renew(&id.to_string(), expires.map(Timestamp), now).unwrap();
                let is_there = self.model.living().any(|(known, _)| *known == id.to_string());
                assert_eq!(renewed, is_there);
                if is_there {
                    self.model.documents.get_mut(&id.to_string()).unwrap().expires = expires;
                }
            }
            Step::Later(span) => self.model.now += u64::from(*span),
            Step::Expire => {
                let before = self.model.documents.len();
                let now_in_seconds = self.model.now;
                self.model.documents.retain(|_, known| known.expires.is_none_or(|it| it > now_in_seconds));
                let removed = (before - self.model.documents.len()) as u64;
                assert_eq!(self.index().expire(now).unwrap(), removed);
            }
            Step::Settle => self.index().settle().unwrap(),
            Step::Compact => self.index().compact().unwrap(),
            Step::Reopen => self.reopen(),
        }
    }

    fn add(&mut self, batch: &[(u8, u8)], only_unseen: bool) {
        let now = Timestamp(self.model.now);
        let documents: Vec<NewDocument> =
            batch.iter().map(|&(id, number)| NewDocument::new(id.to_string(), text(number))).collect();
        let options = AddOptions { only_unseen, matches: 1_000, ..AddOptions::default() };
        let verdicts = self.index().add(&documents, options, now).unwrap();
        let renew = self.index().settings().renew_on_sight;
        let later = self.model.now + TTL;
        for (document, verdict) in documents.iter().zip(verdicts) {
            let mut expected = self.model.matches(&document.text, Some(&document.id));
            let witness = expected.iter().position(|found| found.may_go);
            if verdict.outcome == Outcome::Seen {
                // It is named first.
                expected[..=witness.unwrap()].rotate_right(1);
            }
            let found: Vec<Found> = verdict.answer.matches.iter().map(Found::new).collect();
            assert_eq!(found, expected, "{}", document.id);
            if renew {
                let seen = expected.iter().map(|it| it.id.as_str());
                for id in seen.collect::<Vec<_>>() {
                    let known = self.model.documents.get_mut(id).unwrap();
                    known.expires = known.expires.map(|expires| expires.max(later));
                }
            }
            let living =
                self.model.living().find(|(id, _)| **id == document.id).map(|(_, known)| known.clone());
            let outcome = match &living {
                Some(known) if known.text.as_ref() == Some(&document.text) => Outcome::Unchanged,
                _ if only_unseen && witness.is_some() => Outcome::Seen,
                Some(_) => Outcome::Replaced,
                None => Outcome::Added,
            };
            assert_eq!(verdict.outcome, outcome, "{}", document.id);
            match outcome {
                Outcome::Unchanged if renew => {
                    let known = self.model.documents.get_mut(&document.id).unwrap();
                    known.expires = known.expires.map(|expires| expires.max(later));
                }
                Outcome::Added | Outcome::Replaced => {
                    let fingerprint = self.model.fingerprint(&document.text);
                    self.model.insert(&document.id, Some(document.text.clone()), fingerprint, Some(later));
                }
                _ => {}
            }
        }
    }

    /// Asks both about every text, and for every id.
    fn compare(&self) {
        let now = Timestamp(self.model.now);
        for number in 0..24 {
            let text = text(number);
            let answer = self.index().check(&Query { limit: 1_000, ..Query::new(&text) }, now).unwrap();
            let found: Vec<Found> = answer.matches.iter().map(Found::new).collect();
            assert_eq!(found, self.model.matches(&text, None), "{text}");
            assert!(!answer.more && answer.next.is_none());
            let seen = found.iter().any(|found| found.may_go);
            assert_eq!(answer.seen, Some(seen));
            self.compare_pages(&text, &found, seen);
        }
        for id in 0u8..40 {
            let found = self.index().get(&id.to_string(), now).unwrap();
            let expected = self.model.living().find(|(known, _)| **known == id.to_string());
            assert_eq!(found.is_some(), expected.is_some(), "{id}");
            if let (Some(found), Some((_, known))) = (found, expected) {
                let keeps_text = self.index().settings().evidence == Evidence::Text;
                assert_eq!(found.text, known.text.clone().filter(|_| keeps_text));
                assert_eq!(found.expires, known.expires.map(Timestamp));
            }
        }
    }
}

impl Both {
    /// Pages of two matches are the whole answer, and every page knows whether the text was seen.
    fn compare_pages(&self, text: &str, whole: &[Found], seen: bool) {
        let now = Timestamp(self.model.now);
        let mut query = Query { limit: 2, ..Query::new(text) };
        let mut found = vec![];
        loop {
            let page = self.index().check(&query, now).unwrap();
            assert!(page.matches.len() <= 2 && page.seen == Some(seen) && page.more == page.next.is_some());
            found.extend(page.matches.iter().map(Found::new));
            query.after = page.next;
            if page.next.is_none() {
                break;
            }
        }
        assert_eq!(found, whole);
    }
}

/// Few enough for every day, unless the environment says otherwise.
fn config() -> ProptestConfig {
    let cases =
        if std::env::var_os("PROPTEST_CASES").is_some() { ProptestConfig::default().cases } else { 20 };
    ProptestConfig { cases, max_shrink_iters: 200, ..ProptestConfig::default() }
}

fn methods() -> impl Strategy<Value = MethodName> {
    prop::sample::select(vec![MethodName::Simhash, MethodName::MinhashLsh, MethodName::BottomK])
}

proptest! {
    // Cases of about 40 steps, with 64 questions after each. PROPTEST_CASES asks for more.
    #![proptest_config(config())]

    #[test]
    fn an_index_and_a_list_give_the_same_answers(
        steps in steps(),
        renew_on_sight: bool,
        method in methods(),
        evidence in prop::sample::select(vec![Evidence::Text, Evidence::Features]),
    ) {
        let mut both = Both::new(renew_on_sight, method, evidence);
        for step in &steps {
            both.step(step);
            both.compare();
        }
        let verified = both.index().verify().unwrap();
        prop_assert!(verified.is_whole(), "{:?}", verified.damage);
        both.reopen();
        both.compare();
    }
}
