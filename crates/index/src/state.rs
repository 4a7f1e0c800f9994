//! What an open index holds, shared by its callers and the thread that maintains it.

use std::cell::RefCell;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use twindex_core::search::segment::Plan;
use twindex_core::text::MarkupPolicy;
use twindex_core::{Pipeline, PipelineScratch, Recipe};

use crate::answer::{Answer, Query};
use crate::ask::{Asked, Found};
use crate::change::Queue;
use crate::document::Stored;
use crate::error::{IndexError, Result};
use crate::evidence::Kept;
use crate::folder::Folder;
use crate::question::{Pipelines, Question};
use crate::settings::{Evidence, OpenOptions, Search, Settings};
use crate::shelf::{Files, Layout};
use crate::stats::Work;
use crate::store::{Documents, Reader, Store};
use crate::time::{Timestamp, is_over};
use crate::view::{Next, View};

thread_local! {
    /// Buffers that a thread reuses from question to question.
    static SCRATCH: RefCell<PipelineScratch> = RefCell::default();
}

/// An open index.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) settings: Settings,
    pub(crate) pipelines: Pipelines,
    pub(crate) search: Search,
    pub(crate) store: Store,
    pub(crate) files: Files,
    pub(crate) view: ArcSwap<View>,
    /// Held by whoever changes store or view.
    pub(crate) writer: Mutex<()>,
    pub(crate) queue: Queue,
    pub(crate) work: Work,
    pub(crate) folder: Folder,
}

impl State {
    /// Opens the index in a folder: the store, then the shelves from their files or from the store.
    pub(crate) fn open(path: &Path, options: OpenOptions) -> Result<State> {
        let folder = Folder::open(path)?;
        let (store, settings) = Store::open(&folder.store(), &options)?;
        let pipelines = Pipelines::new(&settings, options)?;
        let files = Files::new(&folder.segments()?);
        let radius = settings.recipe.simhash.radius;
        let plan = Plan { radius, accuracy: options.search.into(), kernel: options.kernel };
        let layout = Layout { plan, buffer: options.buffer };
        let view = View::load(&store.read()?, &files, layout)?;
        Ok(State {
            settings,
            pipelines,
            search: options.search,
            store,
            files,
            view: ArcSwap::from_pointee(view),
            writer: Mutex::default(),
            queue: Queue::default(),
            work: Work::default(),
            folder,
        })
    }

    /// Which documents are like this text?
    pub(crate) fn check(&self, query: &Query<'_>, now: Timestamp) -> Result<Answer> {
        let (text, markup, with_paragraphs) = (query.text.into(), query.markup, self.settings.paragraphs);
        let question = SCRATCH.with_borrow_mut(|scratch| {
            Question::new(&self.pipelines, text, markup, with_paragraphs, false, scratch)
        });
        let (found, _) = self.find(&question, None, query.limit, false, now)?;
        Ok(found.answer(&question, self.search))
    }

    /// The matches of a question now, and the numbers that came next then.
    pub(crate) fn find(
        &self,
        question: &Question<'_>,
        except: Option<&str>,
        limit: usize,
        wants_witness: bool,
        now: Timestamp,
    ) -> Result<(Found, Next)> {
        let mut view = self.view.load_full();
        loop {
            let asked = self.asked(&view, except, Next::default(), limit, wants_witness, now);
            let near = asked.near(question);
            if near.is_empty() {
                return Ok((Found::default(), view.next));
            }
            // First the view, then the store: whatever is in the view has been committed before.
            let found = asked.choose(near, question, &self.store.read()?);
            let current = self.view.load_full();
            match found {
                // A document that was removed and forgotten since the view was taken looks like damage.
                Err(IndexError::Damaged { .. }) if !Arc::ptr_eq(&view, &current) => view = current,
                found => return Ok((found?, view.next)),
            }
        }
    }

    /// A question to the documents of a view.
    pub(crate) fn asked<'a>(
        &'a self,
        view: &'a View,
        except: Option<&'a str>,
        since: Next,
        limit: usize,
        wants_witness: bool,
        now: Timestamp,
    ) -> Asked<'a> {
        let radius = self.settings.recipe.simhash.radius;
        Asked { view, pipelines: &self.pipelines, radius, except, since, limit, wants_witness, now }
    }

    /// The document of that id.
    pub(crate) fn get(&self, id: &str, now: Timestamp) -> Result<Option<Stored>> {
        let reader = self.store.read()?;
        let Some(number) = reader.number(id)? else { return Ok(None) };
        let record = reader.record(number)?.ok_or_else(|| reader.damaged(number, "record"))?;
        if is_over(record.expires, now) {
            return Ok(None);
        }
        let (evidence, text) = match kept(&reader, number)? {
            None => (Evidence::None, None),
            Some(Kept::Sketch(..)) => (Evidence::Sketch, None),
            Some(Kept::Text(text)) => (Evidence::Text, Some(text)),
        };
        Ok(Some(Stored {
            fingerprint: record.has_words.then(|| record.fingerprint.to_string()),
            evidence,
            expires: record.expires,
            html: record.html,
            text,
            id: record.id,
        }))
    }

    /// The lock of whoever changes something.
    pub(crate) fn lock(&self) -> MutexGuard<'_, ()> {
        lock(&self.writer)
    }
}

impl Pipelines {
    fn new(settings: &Settings, options: OpenOptions) -> Result<Pipelines> {
        let recipe = &settings.recipe;
        let mut visible = recipe.clone();
        visible.text.markup = MarkupPolicy::None;
        let pipeline = |recipe: &Recipe| -> Result<Pipeline> {
            let mut pipeline = Pipeline::new(recipe, options.kernel)?;
            if let Some(frequencies) = &settings.frequencies {
                pipeline.set_frequencies(Arc::clone(frequencies));
            }
            Ok(pipeline)
        };
        Ok(Pipelines {
            document: pipeline(recipe)?,
            visible: pipeline(&visible)?,
            sketch: recipe.bottom_k.size,
            margins: options.search == Search::Psm,
        })
    }
}

/// What is kept of a document.
pub(crate) fn kept(reader: &Reader<'_>, number: u32) -> Result<Option<Kept>> {
    let Some(stored) = reader.evidence(number)? else { return Ok(None) };
    Kept::decode(&stored, number).ok_or_else(|| reader.damaged(number, "evidence")).map(Some)
}

/// What a panicking thread left behind is either committed or forgotten: the data is whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
