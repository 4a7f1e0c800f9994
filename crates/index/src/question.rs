//! A text made ready to be looked for.

use std::borrow::Cow;
use std::cell::OnceCell;

use twindex_core::fingerprint::{Margins, Simhash};
use twindex_core::search;
use twindex_core::verify::Evidence;
use twindex_core::{Markup, Pipeline, PipelineScratch};
use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::answer::Place;
use crate::passage::passages;
use crate::sketch::Sketch;

/// The recipe made ready: for documents, and for parts of what is visible of them.
#[derive(Debug)]
pub(crate) struct Pipelines {
    pub(crate) document: Pipeline,
    /// The same without markup: visible text has none, whatever the recipe says about documents.
    pub(crate) visible: Pipeline,
    /// How many hashes a sketch has.
    pub(crate) sketch: usize,
    /// Whether the search wants margins.
    pub(crate) margins: bool,
}

/// A text, its fingerprint, and what verification may need of it.
#[derive(Debug)]
pub(crate) struct Question<'t> {
    pub(crate) text: Cow<'t, str>,
    pub(crate) markup: Markup,
    /// What is searched for. Of a text without words: a part of its content hash.
    pub(crate) probe: Probe,
    pub(crate) has_words: bool,
    pub(crate) content: u128,
    pub(crate) paragraphs: Vec<Paragraph>,
    facts: Facts,
}

/// A fingerprint, and the sums behind it if the search wants them.
#[derive(Debug, Clone)]
pub(crate) struct Probe {
    pub(crate) fingerprint: Simhash,
    margins: Option<Box<Margins>>,
}

impl Probe {
    pub(crate) fn query(&self) -> search::Query<'_> {
        search::Query { fingerprint: self.fingerprint, margins: self.margins.as_deref() }
    }
}

/// A paragraph of the text.
#[derive(Debug)]
pub(crate) struct Paragraph {
    pub(crate) place: Place,
    pub(crate) probe: Probe,
    facts: Facts,
}

/// What verification compares, made when it is needed.
#[derive(Debug, Default)]
struct Facts {
    evidence: OnceCell<Evidence>,
    sketch: OnceCell<Sketch>,
}

impl<'t> Question<'t> {
    /// `with_evidence` when it will be needed in any case: the text is then read once for all.
    pub(crate) fn new(
        pipelines: &Pipelines,
        text: Cow<'t, str>,
        markup: Markup,
        with_paragraphs: bool,
        with_evidence: bool,
        scratch: &mut PipelineScratch,
    ) -> Question<'t> {
        let content = content_hash(&text, markup);
        let facts = Facts::default();
        let mut probe = None;
        if with_evidence {
            let (evidence, fingerprint) = both(&pipelines.document, &text, markup, scratch);
            facts.evidence.get_or_init(|| evidence);
            probe = fingerprint.map(|fingerprint| Probe { fingerprint, margins: None });
        }
        if !with_evidence || pipelines.margins {
            probe = probes(&pipelines.document, [(&*text, markup)], pipelines.margins, scratch).remove(0);
        }
        let mut paragraphs = vec![];
        if with_paragraphs {
            let visible = pipelines.document.analyzer().visible(&text, markup);
            let places = passages(&visible);
            let parts = places.iter().map(|place| (place.of(&visible), Markup::None));
            let probes = probes(&pipelines.visible, parts, pipelines.margins, scratch);
            let with_words = places.iter().zip(probes).filter_map(|(&place, probe)| Some((place, probe?)));
            paragraphs = with_words
                .map(|(place, probe)| Paragraph { place, probe, facts: Facts::default() })
                .collect();
        }
        Question {
            text,
            markup,
            has_words: probe.is_some(),
            probe: probe.unwrap_or(Probe { fingerprint: Simhash(content as u64), margins: None }),
            content,
            paragraphs,
            facts,
        }
    }

    /// What verification by text needs.
    pub(crate) fn evidence(&self, pipelines: &Pipelines) -> &Evidence {
        let make = || pipelines.document.evidence(&self.text, self.markup, &mut PipelineScratch::default());
        self.facts.evidence.get_or_init(make)
    }

    /// What verification by sketch needs.
    pub(crate) fn sketch(&self, pipelines: &Pipelines) -> &Sketch {
        let make = || Sketch::new(pipelines.sketch, self.evidence(pipelines).features.as_slice());
        self.facts.sketch.get_or_init(make)
    }

    /// The evidence of one of the paragraphs.
    pub(crate) fn paragraph_evidence(&self, number: usize, pipelines: &Pipelines) -> &Evidence {
        let paragraph = &self.paragraphs[number];
        paragraph.facts.evidence.get_or_init(|| {
            let visible = pipelines.document.analyzer().visible(&self.text, self.markup);
            let part = paragraph.place.of(&visible);
            pipelines.visible.evidence(part, Markup::None, &mut PipelineScratch::default())
        })
    }

    /// The sketch of one of the paragraphs.
    pub(crate) fn paragraph_sketch(&self, number: usize, pipelines: &Pipelines) -> &Sketch {
        self.paragraphs[number].facts.sketch.get_or_init(|| {
            Sketch::new(pipelines.sketch, self.paragraph_evidence(number, pipelines).features.as_slice())
        })
    }

    /// Drops the evidence of a document whose sketches were made: a batch would hold too much of it.
    pub(crate) fn forget_evidence(&mut self) {
        self.facts.evidence.take();
        self.paragraphs.iter_mut().for_each(|paragraph| drop(paragraph.facts.evidence.take()));
    }

    /// The question for later, without its text unless that is still needed: a batch would hold a copy of every text.
    pub(crate) fn kept(self, with_text: bool) -> Question<'static> {
        let text = if with_text { self.text.into_owned() } else { String::new() };
        let Question { markup, probe, has_words, content, paragraphs, facts, .. } = self;
        Question { text: text.into(), markup, probe, has_words, content, paragraphs, facts }
    }

    /// The fingerprint as people read it.
    pub(crate) fn printed(&self) -> Option<String> {
        self.has_words.then(|| self.probe.fingerprint.to_string())
    }
}

/// Evidence and fingerprint of a text, which is read once.
fn both(
    pipeline: &Pipeline,
    text: &str,
    markup: Markup,
    scratch: &mut PipelineScratch,
) -> (Evidence, Option<Simhash>) {
    let mut bytes = vec![];
    let evidence = pipeline.fingerprint_and_evidence(text, markup, scratch, &mut bytes);
    let has_words = !evidence.features.is_empty();
    (evidence, pipeline.method().stored_simhash(&bytes).filter(|_| has_words))
}

/// What is searched for, for each text; `None` for those without words.
fn probes<'t>(
    pipeline: &Pipeline,
    texts: impl IntoIterator<Item = (&'t str, Markup)>,
    with_margins: bool,
    scratch: &mut PipelineScratch,
) -> Vec<Option<Probe>> {
    if with_margins {
        let one = |(text, markup)| {
            let margins = pipeline.margins(text, markup, scratch)?;
            Some(Probe { fingerprint: margins.simhash(), margins: Some(Box::new(margins)) })
        };
        return texts.into_iter().map(one).collect();
    }
    let (mut bytes, mut has_features) = (vec![], vec![]);
    pipeline.fingerprints(texts, scratch, &mut bytes, &mut has_features);
    let method = pipeline.method();
    let stored = method.split(&bytes).zip(has_features);
    let simhash = |(bytes, has_words)| method.stored_simhash(bytes).filter(|_| has_words);
    let probe = |fingerprint| Probe { fingerprint, margins: None };
    stored.map(|stored| simhash(stored).map(probe)).collect()
}

/// Equal for equal texts that are written alike.
fn content_hash(text: &str, markup: Markup) -> u128 {
    let seed = match markup {
        Markup::None => 0,
        Markup::Html => 1,
        Markup::Features => 2,
    };
    xxh3_128_with_seed(text.as_bytes(), seed)
}
