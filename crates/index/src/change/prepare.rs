//! Everything about a new document that needs no lock.

use rayon::prelude::*;
use twindex_core::{EngineScratch, Markup};

use super::verdict::AddOptions;
use crate::document::NewDocument;
use crate::error::Result;
use crate::query::{Matches, Page, QueryText};
use crate::settings::Evidence;
use crate::state::State;
use crate::store::{EncodedEvidence, NextNumbers, Record, Row};
use crate::time::Timestamp;

/// The fewest documents of a batch that is prepared by several threads.
const FEWEST_FOR_THREADS: usize = 32;

/// A document that is ready to be written.
#[derive(Debug)]
pub(super) struct PreparedDocument {
    pub(super) record: Record,
    pub(super) evidence: Option<EncodedEvidence>,
    pub(super) row: Option<Row>,
    /// Whether the document has a time to live of its own.
    pub(super) has_own_ttl: bool,
    pub(super) text: QueryText<'static>,
    /// The matches among the documents before `since`.
    pub(super) matches: Matches,
    pub(super) since: NextNumbers,
}

impl State {
    /// Makes documents ready to be written, on all cores if there are many.
    pub(super) fn prepare(
        &self,
        documents: &[NewDocument],
        options: AddOptions,
        now: Timestamp,
    ) -> Result<Vec<PreparedDocument>> {
        let one = |scratch: &mut EngineScratch, document: &NewDocument| {
            self.prepare_one(document, options, now, scratch)
        };
        if documents.len() < FEWEST_FOR_THREADS {
            let mut scratch = EngineScratch::default();
            return documents.iter().map(|document| one(&mut scratch, document)).collect();
        }
        documents.par_iter().map_init(EngineScratch::default, one).collect()
    }

    fn prepare_one(
        &self,
        document: &NewDocument,
        options: AddOptions,
        now: Timestamp,
        scratch: &mut EngineScratch,
    ) -> Result<PreparedDocument> {
        let (text, markup) = (document.text.as_str().into(), document.markup);
        let with_paragraphs = self.settings.paragraphs;
        // Features and sketches are made of the evidence.
        let keeps = self.settings.evidence;
        let with_evidence = matches!(keeps, Evidence::Features | Evidence::Sketch);
        let mut text = QueryText::new(&self.engines, text, markup, with_paragraphs, with_evidence, scratch);
        let limit = self.match_limit(options);
        let (matches, since) = if limit > 0 {
            self.find(&text, options.left_out(&document.id), Page::first(limit), now)?
        } else {
            (Matches::default(), NextNumbers::default())
        };
        let evidence = self.encode_evidence(&text)?;
        let by_text = keeps == Evidence::Text;
        if !(by_text || keeps == Evidence::Features && limit > 0) {
            text.forget_evidence();
        }
        let places: Vec<_> =
            text.paragraphs.iter().map(|paragraph| (paragraph.place, paragraph.search.fingerprint)).collect();
        let ttl = document.ttl.or(self.settings.ttl);
        Ok(PreparedDocument {
            record: Record {
                id: document.id.clone(),
                fingerprint: text.search.fingerprint,
                has_words: text.has_words,
                html: document.markup == Markup::Html,
                expires: ttl.map(|ttl| now.after(ttl)),
                content: Some(text.content),
                paragraphs: None,
            },
            evidence,
            has_own_ttl: document.ttl.is_some(),
            // The number of the document is given later.
            row: (!places.is_empty()).then_some(Row { document: 0, places }),
            // Documents that are committed before this one are compared with it: by its text, its
            // features or its sketches.
            text: text.into_owned(by_text && limit > 0),
            matches,
            since,
        })
    }

    /// The evidence that the settings keep of a text; `None` if they keep none.
    fn encode_evidence(&self, text: &QueryText<'_>) -> Result<Option<EncodedEvidence>> {
        let engines = &self.engines;
        Ok(match self.settings.evidence {
            Evidence::None => None,
            Evidence::Text => Some(EncodedEvidence::text(&text.text)?),
            Evidence::Features => {
                let paragraphs = 0..text.paragraphs.len();
                let paragraphs = paragraphs.map(|number| text.paragraph_evidence(number, engines));
                Some(EncodedEvidence::features(text.evidence(engines), paragraphs))
            }
            Evidence::Sketch => {
                let paragraphs = 0..text.paragraphs.len();
                let paragraphs = paragraphs.map(|number| text.paragraph_sketch(number, engines));
                Some(EncodedEvidence::sketches(text.sketch(engines), paragraphs))
            }
        })
    }

    /// The most matches to search for of a new document.
    pub(super) fn match_limit(&self, options: AddOptions) -> usize {
        if options.only_unseen || self.settings.renew_on_sight {
            options.matches.max(1)
        } else {
            options.matches
        }
    }
}
