//! Everything about a new document that needs no lock.

use rayon::prelude::*;
use twindex_core::{Markup, PipelineScratch};

use crate::answer::AddOptions;
use crate::ask::Found;
use crate::document::NewDocument;
use crate::error::Result;
use crate::evidence;
use crate::question::Question;
use crate::settings::Evidence;
use crate::state::State;
use crate::store::{Record, Row};
use crate::time::Timestamp;
use crate::view::Next;

/// A batch of fewer documents is prepared by the thread that brought it.
const WORTH_SHARING: usize = 32;

/// A document that is ready to be written.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) record: Record,
    pub(super) evidence: Option<Vec<u8>>,
    pub(super) row: Option<Row>,
    /// Whether somebody said how long it lives.
    pub(super) has_own_ttl: bool,
    pub(super) question: Question<'static>,
    /// What matched among the documents before `since`.
    pub(super) found: Found,
    pub(super) since: Next,
}

impl State {
    /// Makes documents ready to be written, on all cores if there are many.
    pub(super) fn prepare(
        &self,
        documents: &[NewDocument],
        options: AddOptions,
        now: Timestamp,
    ) -> Result<Vec<Prepared>> {
        let one = |scratch: &mut PipelineScratch, document: &NewDocument| {
            self.prepare_one(document, options, now, scratch)
        };
        if documents.len() < WORTH_SHARING {
            let mut scratch = PipelineScratch::default();
            return documents.iter().map(|document| one(&mut scratch, document)).collect();
        }
        documents.par_iter().map_init(PipelineScratch::default, one).collect()
    }

    fn prepare_one(
        &self,
        document: &NewDocument,
        options: AddOptions,
        now: Timestamp,
        scratch: &mut PipelineScratch,
    ) -> Result<Prepared> {
        let text = document.text.as_str().into();
        let with_paragraphs = self.settings.paragraphs;
        // A sketch is made of the evidence.
        let with_evidence = self.settings.evidence == Evidence::Sketch;
        let markup = document.markup;
        let mut question =
            Question::new(&self.pipelines, text, markup, with_paragraphs, with_evidence, scratch);
        let limit = self.matches_to_look_for(options);
        let (found, since) = if limit > 0 {
            self.find(&question, Some(&document.id), limit, options.only_unseen, now)?
        } else {
            (Found::default(), Next::default())
        };
        let evidence = evidence::keep(self.settings.evidence, &question, &self.pipelines);
        let by_text = self.settings.evidence == Evidence::Text;
        if !by_text {
            question.forget_evidence();
        }
        let places: Vec<_> = question
            .paragraphs
            .iter()
            .map(|paragraph| (paragraph.place, paragraph.probe.fingerprint))
            .collect();
        let ttl = document.ttl.or(self.settings.ttl);
        Ok(Prepared {
            record: Record {
                id: document.id.clone(),
                fingerprint: question.probe.fingerprint,
                has_words: question.has_words,
                html: document.markup == Markup::Html,
                expires: ttl.map(|ttl| now.after(ttl)),
                content: Some(question.content),
                paragraphs: None,
            },
            evidence,
            has_own_ttl: document.ttl.is_some(),
            // The number of the document is given later.
            row: (!places.is_empty()).then_some(Row { document: 0, places }),
            // Documents that come before the commit are compared with it, by their texts or by what has been made of it.
            question: question.kept(by_text && limit > 0),
            found,
            since,
        })
    }

    /// How many matches of a new document somebody wants to know.
    pub(super) fn matches_to_look_for(&self, options: AddOptions) -> usize {
        if options.only_unseen || self.settings.renew_on_sight {
            options.matches.max(1)
        } else {
            options.matches
        }
    }
}
