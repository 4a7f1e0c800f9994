//! Documents of about 2 KB, each a function of its number, and queries for them.

use std::ops::Range;

use rayon::prelude::*;
use serde_json::json;
use twindex_core::fingerprint::Simhash;
use twindex_core::kernel::Kernel;
use twindex_core::{Engine, EngineScratch, Markup, Recipe};

use super::load::Query;
use crate::prose::{self, Subject};
use crate::random::{Purpose, Random};
use crate::vocabulary::{Script, Vocabulary};

const SEED: u64 = 4;
const BYTES: usize = 2_000;

/// One query in `NEAR_DUPLICATES` is for an existing document.
const NEAR_DUPLICATES: u64 = 10;

/// Numbers of texts that are in no index.
const NEW: u64 = 1 << 40;

/// One text in `TEMPLATED` ends with a paragraph that other texts share, like the pages of a site;
/// and the number of such paragraphs.
const TEMPLATED: u64 = 5;
const TEMPLATES: u64 = 50;
const TEMPLATE_BYTES: usize = 200;

/// Numbers of the templates.
const TEMPLATE: u64 = 1 << 41;

pub(super) struct Texts {
    pub(super) documents: u64,
    /// Whether some texts share their last paragraph.
    templates: bool,
    vocabulary: Vocabulary,
}

pub(super) fn id(number: u64) -> String {
    // Ids in hash order, like those of pages.
    format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

pub(super) fn random_fingerprint(number: u64) -> Simhash {
    Simhash(Random::new(SEED, Purpose::Plan, number).bits())
}

impl Texts {
    pub(super) fn new(documents: u64, templates: bool) -> Texts {
        Texts { documents, templates, vocabulary: Vocabulary::new(SEED, Script::Latin) }
    }

    fn text(&self, number: u64) -> String {
        let mut text = String::with_capacity(BYTES + 200);
        self.write(number, BYTES, &mut text);
        if self.templates && number.is_multiple_of(TEMPLATED) {
            text.push_str(prose::PARAGRAPH);
            self.write(TEMPLATE + number / TEMPLATED % TEMPLATES, TEMPLATE_BYTES, &mut text);
        }
        text
    }

    fn write(&self, number: u64, bytes: usize, text: &mut String) {
        let mut random = Random::new(SEED, Purpose::Body, number);
        let subject = Subject::draw(&mut random);
        prose::write(&self.vocabulary, subject, bytes, &mut random, text);
    }

    /// Ids and texts, made on all cores.
    pub(super) fn many(&self, numbers: Range<u64>) -> Vec<(String, String)> {
        numbers.into_par_iter().map(|number| (id(number), self.text(number))).collect()
    }

    pub(super) fn fingerprints(&self, recipe: &Recipe, numbers: Range<u64>) -> anyhow::Result<Vec<Simhash>> {
        let engine = Engine::new(recipe, Kernel::best())?;
        let one = |scratch: &mut EngineScratch, number| fingerprint(&engine, &self.text(number), scratch);
        Ok(numbers.into_par_iter().map_init(EngineScratch::default, one).collect())
    }

    /// An encoded query, and the id that its response must name.
    pub(super) fn query(&self, number: u64, engine: &Engine, recipe: &Recipe) -> Query {
        let mut expected = None;
        let text = if number.is_multiple_of(NEAR_DUPLICATES) {
            let original = number / NEAR_DUPLICATES % self.documents;
            let text = self.text(original);
            let edited = edit(&text);
            let scratch = &mut EngineScratch::default();
            let distance =
                fingerprint(engine, &text, scratch).distance(fingerprint(engine, &edited, scratch));
            // The search only guarantees matches within the radius; an edit may exceed it.
            if distance <= recipe.simhash.radius {
                expected = Some(id(original));
            }
            edited
        } else {
            self.text(NEW + number)
        };
        Query::new(&json!({"text": text}), expected)
    }
}

fn fingerprint(engine: &Engine, text: &str, scratch: &mut EngineScratch) -> Simhash {
    engine.margins(text, Markup::None, scratch).map_or(Simhash(0), |margins| margins.simhash())
}

/// The same text with another word in the middle.
fn edit(text: &str) -> String {
    let middle = text[..text.len() / 2].rfind(' ').unwrap_or(0);
    format!("{} edited{}", &text[..middle], &text[middle..])
}
