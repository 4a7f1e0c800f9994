//! The text of a query, with all that search and verification need of it.

use std::borrow::Cow;
use std::cell::OnceCell;

use twindex_core::fingerprint::{Margins, Simhash};
use twindex_core::search::Query;
use twindex_core::verify::Evidence;
use twindex_core::{Digests, Engine, EngineScratch, Markup};
use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::passage::passages;
use crate::document::Place;
use crate::engines::Engines;
use crate::postings::DocumentKeys;
use crate::store::Sketch;

/// A text to search for: that of a query, or of a document that is being added.
#[derive(Debug)]
pub(crate) struct QueryText<'t> {
    pub(crate) text: Cow<'t, str>,
    pub(crate) markup: Markup,
    /// The simhash to search for. Of a text without words, or in an index by keys: a part of its
    /// content hash.
    pub(crate) search: FingerprintQuery,
    /// The keys to search for, in an index by keys. Texts without words have none.
    pub(crate) keys: Option<DocumentKeys>,
    pub(crate) has_words: bool,
    pub(crate) content: u128,
    pub(crate) paragraphs: Vec<Paragraph>,
    facts: Facts,
}

/// A fingerprint to search for, with its margins if the search needs them.
#[derive(Debug, Clone)]
pub(crate) struct FingerprintQuery {
    pub(crate) fingerprint: Simhash,
    margins: Option<Box<Margins>>,
}

impl FingerprintQuery {
    pub(crate) fn query(&self) -> Query<'_> {
        Query { fingerprint: self.fingerprint, margins: self.margins.as_deref() }
    }
}

/// A paragraph of the text.
#[derive(Debug)]
pub(crate) struct Paragraph {
    pub(crate) place: Place,
    pub(crate) search: FingerprintQuery,
    facts: Facts,
}

/// What verification compares, computed on first use.
#[derive(Debug, Default)]
struct Facts {
    evidence: OnceCell<Evidence>,
    sketch: OnceCell<Sketch>,
}

impl<'t> QueryText<'t> {
    /// `with_evidence` if it will be needed in any case: the text is then read once for both.
    pub(crate) fn new(
        engines: &Engines,
        text: Cow<'t, str>,
        markup: Markup,
        with_paragraphs: bool,
        with_evidence: bool,
        scratch: &mut EngineScratch,
    ) -> QueryText<'t> {
        let content = content_hash(&text, markup);
        let facts = Facts::default();
        let (mut search, mut keys) = (None, None);
        if engines.is_keyed {
            let engine = &engines.document;
            let mut digests = Digests::default();
            if with_evidence {
                let evidence = engine.digest_and_evidence(&text, markup, scratch, &mut digests);
                facts.evidence.get_or_init(|| evidence);
            } else {
                engine.digests([(&*text, markup)], scratch, &mut digests);
            }
            if digests.features.first().is_some_and(|&features| features > 0) {
                keys = Some(DocumentKeys::new(engine, digests.fingerprints, content));
            }
        } else if with_evidence {
            let (fingerprint, evidence) = fingerprint_and_evidence(&engines.document, &text, markup, scratch);
            facts.evidence.get_or_init(|| evidence);
            search = fingerprint.map(|fingerprint| FingerprintQuery { fingerprint, margins: None });
        }
        if !engines.is_keyed && (!with_evidence || engines.margins) {
            search = fingerprint_queries(&engines.document, [(&*text, markup)], engines.margins, scratch)
                .remove(0);
        }
        let mut paragraphs = vec![];
        if with_paragraphs {
            let visible = engines.document.analyzer().visible(&text, markup);
            let places = passages(&visible);
            let parts = places.iter().map(|place| (place.of(&visible), Markup::None));
            let queries = fingerprint_queries(&engines.visible, parts, engines.margins, scratch);
            let with_words = places.iter().zip(queries).filter_map(|(&place, search)| Some((place, search?)));
            paragraphs = with_words
                .map(|(place, search)| Paragraph { place, search, facts: Facts::default() })
                .collect();
        }
        QueryText {
            text,
            markup,
            has_words: search.is_some() || keys.is_some(),
            keys,
            search: search
                .unwrap_or(FingerprintQuery { fingerprint: Simhash(content as u64), margins: None }),
            content,
            paragraphs,
            facts,
        }
    }

    /// The evidence of the whole text, for verification by text.
    pub(crate) fn evidence(&self, engines: &Engines) -> &Evidence {
        let make = || engines.document.evidence(&self.text, self.markup, &mut EngineScratch::default());
        self.facts.evidence.get_or_init(make)
    }

    /// The sketch of the whole text, for verification by sketch.
    pub(crate) fn sketch(&self, engines: &Engines) -> &Sketch {
        let make = || Sketch::new(engines.sketch, self.evidence(engines).features.as_slice());
        self.facts.sketch.get_or_init(make)
    }

    /// The evidence of one of the paragraphs.
    pub(crate) fn paragraph_evidence(&self, number: usize, engines: &Engines) -> &Evidence {
        let paragraph = &self.paragraphs[number];
        paragraph.facts.evidence.get_or_init(|| {
            let visible = engines.document.analyzer().visible(&self.text, self.markup);
            let part = paragraph.place.of(&visible);
            engines.visible.evidence(part, Markup::None, &mut EngineScratch::default())
        })
    }

    /// The sketch of one of the paragraphs.
    pub(crate) fn paragraph_sketch(&self, number: usize, engines: &Engines) -> &Sketch {
        self.paragraphs[number].facts.sketch.get_or_init(|| {
            Sketch::new(engines.sketch, self.paragraph_evidence(number, engines).features.as_slice())
        })
    }

    /// Drops the evidence when the sketches are made: of a whole batch it would take much memory.
    pub(crate) fn forget_evidence(&mut self) {
        self.facts.evidence.take();
        self.paragraphs.iter_mut().for_each(|paragraph| drop(paragraph.facts.evidence.take()));
    }

    /// An owned copy, without the text unless it is still needed: a batch would hold every text.
    pub(crate) fn into_owned(self, with_text: bool) -> QueryText<'static> {
        let text = if with_text { self.text.into_owned() } else { String::new() };
        let QueryText { markup, search, keys, has_words, content, paragraphs, facts, .. } = self;
        QueryText { text: text.into(), markup, search, keys, has_words, content, paragraphs, facts }
    }

    /// The simhash in hexadecimal; `None` if the text has no words, or the method is another.
    pub(crate) fn printed(&self) -> Option<String> {
        (self.has_words && self.keys.is_none()).then(|| self.search.fingerprint.to_string())
    }
}

/// Fingerprint and evidence of a text, which is read once. No fingerprint if it has no words.
fn fingerprint_and_evidence(
    engine: &Engine,
    text: &str,
    markup: Markup,
    scratch: &mut EngineScratch,
) -> (Option<Simhash>, Evidence) {
    let mut digests = Digests::default();
    let evidence = engine.digest_and_evidence(text, markup, scratch, &mut digests);
    let has_words = !evidence.features.is_empty();
    (engine.read(&digests.fingerprints).simhash().filter(|_| has_words), evidence)
}

/// The fingerprint to search for of each text; `None` for texts without words.
fn fingerprint_queries<'t>(
    engine: &Engine,
    texts: impl IntoIterator<Item = (&'t str, Markup)>,
    with_margins: bool,
    scratch: &mut EngineScratch,
) -> Vec<Option<FingerprintQuery>> {
    if with_margins {
        let one = |(text, markup)| {
            let margins = engine.margins(text, markup, scratch)?;
            Some(FingerprintQuery { fingerprint: margins.simhash(), margins: Some(Box::new(margins)) })
        };
        return texts.into_iter().map(one).collect();
    }
    let mut digests = Digests::default();
    engine.digests(texts, scratch, &mut digests);
    let query = |number: usize| {
        let fingerprint = engine.read(digests.fingerprint(number)).simhash()?;
        (digests.features[number] > 0).then_some(FingerprintQuery { fingerprint, margins: None })
    };
    (0..digests.len()).map(query).collect()
}

/// A hash of text and markup.
fn content_hash(text: &str, markup: Markup) -> u128 {
    let seed = match markup {
        Markup::None => 0,
        Markup::Html => 1,
        Markup::Features => 2,
    };
    xxh3_128_with_seed(text.as_bytes(), seed)
}
