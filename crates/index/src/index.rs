//! The index: opening it, and asking it.

use std::path::Path;

use arc_swap::ArcSwap;
use rayon::prelude::*;
use serde::Serialize;
use twindex_core::verify::Scores;
use twindex_core::{Markup, Pipeline, PipelineScratch};

use crate::answer::{Answer, DecidedBy, Match, MatchScores, Query};
use crate::change::Changes;
use crate::document::{NewDocument, Stored};
use crate::error::{IndexError, Result};
use crate::evidence::{self, Kept};
use crate::folder::Folder;
use crate::question::Question;
use crate::settings::{Evidence, OpenOptions, Settings};
use crate::shelf::{Candidate, Shelf};
use crate::store::{Documents, Record, Store};
use crate::time::{Timestamp, is_over};

/// A batch of fewer documents is prepared by the thread that brought it.
const WORTH_SHARING: usize = 32;

/// An open index. Shared by all threads.
#[derive(Debug)]
pub struct Index {
    pub(crate) settings: Settings,
    pub(crate) pipeline: Pipeline,
    pub(crate) store: Store,
    pub(crate) shelf: ArcSwap<Shelf>,
    pub(crate) changes: Changes,
    folder: Folder,
}

/// The figures of an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Documents, expired ones that were not yet removed included.
    pub documents: u64,
    /// Removed documents whose fingerprints are still in memory.
    pub removed: u64,
    /// Fingerprints in memory.
    pub fingerprints: u64,
    /// Fresh fingerprints that are scanned.
    pub buffered: u64,
    /// Sealed segments.
    pub segments: u64,
    /// Bytes of memory that fingerprints take.
    pub memory_bytes: u64,
    /// Bytes of the files.
    pub disk_bytes: u64,
}

/// What a verification has seen; damage is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Verified {
    /// Documents whose records are right.
    pub documents: u64,
    /// Documents whose evidence is right.
    pub evidence: u64,
}

/// A document that is ready to be written.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) record: Record,
    pub(crate) evidence: Option<Vec<u8>>,
    text: String,
}

impl Index {
    /// Makes an index in a folder that is empty or does not exist.
    pub fn create(path: &Path, settings: &Settings) -> Result<()> {
        settings.validate()?;
        let folder = Folder::create(path)?;
        let partial = folder.partial_store();
        if partial.exists() {
            std::fs::remove_file(&partial).map_err(IndexError::io(&partial))?;
        }
        Store::create(&partial, settings)?;
        std::fs::rename(&partial, folder.store()).map_err(IndexError::io(&partial))?;
        folder.sync()
    }

    /// Opens an index. While it is open no other process can open it.
    pub fn open(path: &Path, options: OpenOptions) -> Result<Index> {
        let folder = Folder::open(path)?;
        let (store, settings) = Store::open(&folder.store(), &options)?;
        let pipeline = Pipeline::new(&settings.recipe, options.kernel)?;
        let mut shelf = Shelf::default();
        let reader = store.read()?;
        for row in reader.records(..)? {
            let (number, record) = row?;
            shelf.push(record.fingerprint, number);
        }
        let next = reader.next_number()?;
        drop(reader);
        let shelf = ArcSwap::from_pointee(shelf);
        Ok(Index { settings, pipeline, store, shelf, changes: Changes::new(next), folder })
    }

    /// What the index was told when it was created.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Where the index is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Which documents are like this text?
    pub fn check(&self, query: &Query<'_>, now: Timestamp) -> Result<Answer> {
        let question =
            Question::new(&self.pipeline, query.text, query.markup, &mut PipelineScratch::default());
        // First the shelf, then the store: whatever is on the shelf has been committed before.
        let shelf = self.shelf.load_full();
        let reader = self.store.read()?;
        self.answer(&question, &shelf, &reader, None, query.limit, now)
    }

    /// The document of that id.
    pub fn get(&self, id: &str, now: Timestamp) -> Result<Option<Stored>> {
        let reader = self.store.read()?;
        let Some(number) = reader.number(id)? else { return Ok(None) };
        let record = reader.record(number)?.ok_or_else(|| reader.damaged(number, "record"))?;
        if is_over(record.expires, now) {
            return Ok(None);
        }
        let kept = self.kept(&reader, number)?;
        Ok(Some(Stored {
            fingerprint: record.has_words.then(|| record.fingerprint.to_string()),
            evidence: match kept {
                None => Evidence::None,
                Some(Kept::Sketch(_)) => Evidence::Sketch,
                Some(Kept::Text(_)) => Evidence::Text,
            },
            expires: record.expires,
            html: record.html,
            text: match kept {
                Some(Kept::Text(text)) => Some(text),
                _ => None,
            },
            id: record.id,
        }))
    }

    /// The figures of the index.
    pub fn stats(&self) -> Result<Stats> {
        let shelf = self.shelf.load();
        let reader = self.store.read()?;
        let fingerprints = shelf.len() as u64;
        let disk_bytes =
            std::fs::metadata(self.store.path()).map_err(IndexError::io(self.store.path()))?.len();
        Ok(Stats {
            documents: reader.len()?,
            removed: reader.graves()?,
            fingerprints,
            buffered: shelf.buffered() as u64,
            segments: shelf.segments() as u64,
            memory_bytes: fingerprints * (size_of::<u64>() + size_of::<u32>()) as u64,
            disk_bytes,
        })
    }

    /// Reads every document and its evidence, and says what is damaged.
    pub fn verify(&self) -> Result<Verified> {
        let reader = self.store.read()?;
        let mut verified = Verified::default();
        for row in reader.records(..)? {
            let (number, record) = row?;
            if reader.number(&record.id)? != Some(number) {
                return Err(reader.damaged(number, "id"));
            }
            verified.documents += 1;
            verified.evidence += u64::from(self.kept(&reader, number)?.is_some());
        }
        Ok(verified)
    }

    /// Makes documents ready to be written, on all cores if there are many.
    pub(crate) fn prepare(&self, documents: &[NewDocument], now: Timestamp) -> Vec<Prepared> {
        let one = |scratch: &mut PipelineScratch, document: &NewDocument| {
            let question = Question::new(&self.pipeline, &document.text, document.markup, scratch);
            let ttl = document.ttl.or(self.settings.ttl);
            Prepared {
                record: Record {
                    id: document.id.clone(),
                    fingerprint: question.probe,
                    has_words: question.has_words,
                    html: document.markup == Markup::Html,
                    expires: ttl.map(|ttl| now.after(ttl)),
                    content: Some(question.content),
                    paragraphs: None,
                },
                evidence: evidence::keep(
                    &self.settings,
                    &self.pipeline,
                    &document.text,
                    document.markup,
                    scratch,
                ),
                text: document.text.clone(),
            }
        };
        if documents.len() < WORTH_SHARING {
            let mut scratch = PipelineScratch::default();
            return documents.iter().map(|document| one(&mut scratch, document)).collect();
        }
        documents.par_iter().map_init(PipelineScratch::default, one).collect()
    }

    /// What matches the question among the documents of a shelf, without the document `except`.
    pub(crate) fn answer(
        &self,
        question: &Question<'_>,
        shelf: &Shelf,
        documents: &impl Documents,
        except: Option<&str>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Answer> {
        let mut found = vec![];
        shelf.search(question.probe, question.radius(self.settings.recipe.simhash.radius), &mut found);
        found.sort_unstable();
        let mut answer = Answer { fingerprint: question.printed(), ..Answer::default() };
        for candidate in found {
            let Some(record) = documents.record(candidate.number)? else {
                if documents.is_buried(candidate.number)? {
                    continue;
                }
                return Err(documents.damaged(candidate.number, "record"));
            };
            if is_over(record.expires, now) || except == Some(record.id.as_str()) {
                continue;
            }
            if answer.matches.len() == limit {
                answer.more = true;
                break;
            }
            answer.matches.extend(self.decide(question, candidate, record, documents)?);
        }
        Ok(answer)
    }

    /// Whether a candidate is a match.
    fn decide(
        &self,
        question: &Question<'_>,
        candidate: Candidate,
        record: Record,
        documents: &impl Documents,
    ) -> Result<Option<Match>> {
        let equal = record.content == Some(question.content);
        let (evidence, scores) = match self.kept(documents, candidate.number)? {
            Some(Kept::Text(text)) => {
                let markup = if record.html { Markup::Html } else { Markup::None };
                let scores = if equal && text == question.text {
                    Scores::EQUAL
                } else {
                    let right = self.pipeline.evidence(&text, markup, &mut PipelineScratch::default());
                    match self.pipeline.verifier().verify(question.evidence(&self.pipeline), &right) {
                        Some(scores) => scores,
                        None => return Ok(None),
                    }
                };
                (DecidedBy::Text, Some(scores.into()))
            }
            _ if equal => (DecidedBy::ContentHash, Some(Scores::EQUAL.into())),
            Some(Kept::Sketch(right)) => {
                let k = self.settings.recipe.bottom_k.size;
                let scores = question.sketch(&self.pipeline, k).scores(&right);
                if !self.pipeline.verifier().passes(&scores) {
                    return Ok(None);
                }
                (DecidedBy::Sketch, Some(MatchScores { cosine: None, ..scores.into() }))
            }
            // Fingerprints that stand for texts without words say nothing about other texts.
            None if !record.has_words || !question.has_words => return Ok(None),
            None => (DecidedBy::Fingerprint, None),
        };
        Ok(Some(Match {
            id: record.id,
            distance: Some(candidate.distance),
            verified: evidence != DecidedBy::Fingerprint,
            evidence,
            whole: true,
            scores,
            paragraphs: vec![],
            expires: record.expires,
        }))
    }

    fn kept(&self, documents: &impl Documents, number: u32) -> Result<Option<Kept>> {
        let Some(stored) = documents.evidence(number)? else { return Ok(None) };
        let kept = Kept::decode(&stored, number);
        kept.ok_or_else(|| documents.damaged(number, "evidence")).map(Some)
    }
}

impl Prepared {
    /// The document as a question.
    pub(crate) fn question(&self) -> Question<'_> {
        let markup = if self.record.html { Markup::Html } else { Markup::None };
        let content = self.record.content.unwrap_or_default();
        Question::known(&self.text, markup, self.record.fingerprint, self.record.has_words, content)
    }
}
