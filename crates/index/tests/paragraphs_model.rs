//! Answers of an index with paragraphs equal a comparison of every paragraph with every paragraph.
//!
//! Documents are put together from a few paragraphs, so that many share one, and some are equal or
//! nearly equal as a whole. Some are removed, segments are sealed at random moments, and questions
//! ask for few matches or for all.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use proptest::prelude::*;
use twindex_core::fingerprint::Simhash;
use twindex_core::hash::mix;
use twindex_core::kernel::Kernel;
use twindex_core::{Engine, EngineScratch, Markup, Recipe};
use twindex_index::{
    AddOptions, Index, Match, NewDocument, OpenOptions, ParagraphMatch, Place, Query, Settings, Timestamp,
};

const NOW: Timestamp = Timestamp(1_000);

/// Documents that are near only in paragraphs come after all that are near as a whole.
const FAR: u32 = u32::MAX;

/// What the index says of a match, and what the comparison says.
type Row = (String, bool, Vec<(u32, u32, u32)>);

/// One of six paragraphs, each in three variants that differ in a word.
fn paragraph(number: u8) -> String {
    let (seed, variant) = (u64::from(number % 6), number / 6 % 3);
    let mut words: Vec<String> =
        (0..40).map(|place| format!("{:06x}", mix(seed * 100 + place) as u32 >> 8)).collect();
    words[usize::from(variant) * 9] = format!("variant{variant}");
    words.join(" ")
}

fn text(parts: &[u8]) -> String {
    parts.iter().map(|&part| paragraph(part)).collect::<Vec<_>>().join("\n\n")
}

/// Where the paragraphs are.
fn places(parts: &[u8]) -> Vec<Place> {
    let mut start = 0;
    let place = |&part: &u8| {
        let end = start + paragraph(part).len() as u32;
        let place = Place { start, end };
        start = end + 2;
        place
    };
    parts.iter().map(place).collect()
}

struct Model {
    engine: Engine,
    radius: u32,
    /// In the order in which they were added; removed ones are `None`.
    documents: Vec<Option<Vec<u8>>>,
}

impl Model {
    fn fingerprint(&self, text: &str) -> Simhash {
        self.engine.margins(text, Markup::None, &mut EngineScratch::default()).unwrap().simhash()
    }

    /// The distance of two texts, if they are within the radius, and whether the rule accepts them
    /// besides.
    fn compare(&self, left: &str, right: &str) -> (Option<u32>, bool) {
        let distance = self.fingerprint(left).distance(self.fingerprint(right));
        if distance > self.radius {
            return (None, false);
        }
        let evidence = |text: &str| self.engine.evidence(text, Markup::None, &mut EngineScratch::default());
        (Some(distance), self.engine.verifier().accept(&evidence(left), &evidence(right)).is_some())
    }

    fn matches(&self, question: &[u8]) -> Vec<Row> {
        let mut found = vec![];
        for (order, document) in self.documents.iter().enumerate() {
            let Some(document) = document else { continue };
            let mut paragraphs = vec![];
            for (left, at) in question.iter().zip(places(question)) {
                for (right, there) in document.iter().zip(places(document)) {
                    if let (Some(distance), true) = self.compare(&paragraph(*left), &paragraph(*right)) {
                        paragraphs.push((at.start, distance, there.start));
                    }
                }
            }
            paragraphs.sort_unstable();
            let (distance, passes) = self.compare(&text(question), &text(document));
            if passes || !paragraphs.is_empty() {
                found.push(((distance.unwrap_or(FAR), order), (order.to_string(), passes, paragraphs)));
            }
        }
        found.sort_unstable();
        found.into_iter().map(|(_, row)| row).collect()
    }
}

fn row(found: Match) -> Row {
    let place = |it: &ParagraphMatch| (it.left.start, it.distance, it.right.start);
    (found.id, found.whole, found.paragraphs.iter().map(place).collect())
}

fn parts() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(0u8..18, 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn an_index_finds_what_comparing_all_paragraphs_finds(
        documents in prop::collection::vec((parts(), 0u8..4), 1..30),
        questions in prop::collection::vec((parts(), 1usize..40), 1..6),
    ) {
        let mut settings = Settings { paragraphs: true, ..Settings::new(Recipe::preset("simhash").unwrap()) };
        // Variants are near, and the rule accepts some of them.
        settings.recipe.simhash.radius = 8;
        settings.recipe.simhash.blocks = 10;
        settings.recipe.rule.threshold = 0.8;
        let engine = Engine::new(&settings.recipe, Kernel::Scalar).unwrap();
        let mut model = Model { engine, radius: 8, documents: vec![] };
        let folder = tempfile::tempdir().unwrap();
        Index::create(folder.path(), &settings).unwrap();
        let index = Index::open(folder.path(), OpenOptions { buffer: 4, ..OpenOptions::default() }).unwrap();
        for (order, (parts, then)) in documents.iter().enumerate() {
            let document = NewDocument::new(order.to_string(), text(parts));
            index.add(&[document], AddOptions::default(), NOW).unwrap();
            model.documents.push(Some(parts.clone()));
            match then {
                0 => index.settle().unwrap(),
                1 => {
                    let other = order / 2;
                    index.remove(&other.to_string()).unwrap();
                    model.documents[other] = None;
                }
                _ => {}
            }
        }
        for (question, limit) in &questions {
            let expected = model.matches(question);
            let answer = index.check(&Query { limit: *limit, ..Query::new(&text(question)) }, NOW).unwrap();
            prop_assert!(answer.more || expected.len() <= *limit);
            let found: Vec<Row> = answer.matches.into_iter().map(row).collect();
            prop_assert_eq!(&found[..], &expected[..expected.len().min(*limit)]);
        }
        prop_assert!(index.verify().unwrap().is_whole());
    }
}
