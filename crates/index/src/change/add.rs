//! Adding documents.

use std::sync::{Arc, Mutex};

use super::Commit;
use super::prepare::PreparedDocument;
use super::verdict::{AddOptions, Outcome, TakenId, Verdict, renamed};
use crate::document::NewDocument;
use crate::error::{IndexError, Result};
use crate::query::{Matches, Page};
use crate::state::{State, lock};
use crate::store::{Documents, Record};
use crate::time::{Timestamp, is_over};

/// The batches to be committed.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    batches: Mutex<Vec<Arc<Batch>>>,
}

/// The documents of one caller.
#[derive(Debug)]
struct Batch {
    documents: Mutex<Vec<PreparedDocument>>,
    options: AddOptions,
    now: Timestamp,
    verdicts: Mutex<Option<Result<Vec<Verdict>>>>,
}

impl Queue {
    /// Adds documents and reports the matches of each. When this returns they are durable.
    pub(crate) fn add(
        &self,
        state: &State,
        documents: &[NewDocument],
        options: AddOptions,
        now: Timestamp,
    ) -> Result<Vec<Verdict>> {
        for (position, document) in documents.iter().enumerate() {
            document.validate(position)?;
        }
        let batch = Arc::new(Batch {
            documents: Mutex::new(state.prepare(documents, options, now)?),
            options,
            now,
            verdicts: Mutex::default(),
        });
        lock(&self.batches).push(Arc::clone(&batch));
        let _lock = state.lock();
        if lock(&batch.verdicts).is_none() {
            let queued = std::mem::take(&mut *lock(&self.batches));
            state.commit_batches(&queued);
        }
        // A batch leaves the queue only with verdicts, unless the thread that took it panicked.
        lock(&batch.verdicts).take().unwrap_or(Err(IndexError::NoVerdict))
    }
}

impl State {
    /// Commits batches; a failure is reported to the callers of all of them.
    fn commit_batches(&self, queued: &[Arc<Batch>]) {
        let result = self.commit(|commit| {
            let mut all = vec![];
            for batch in queued {
                let documents = std::mem::take(&mut *lock(&batch.documents)).into_iter();
                let verdicts = documents.map(|document| commit.add(document, batch.options, batch.now));
                all.push(verdicts.collect::<Result<Vec<_>>>()?);
            }
            Ok(all)
        });
        match result {
            Ok(all) => queued
                .iter()
                .zip(all)
                .for_each(|(batch, verdicts)| *lock(&batch.verdicts) = Some(Ok(verdicts))),
            Err(error) => queued.iter().for_each(|batch| *lock(&batch.verdicts) = Some(Err(error.clone()))),
        }
    }
}

impl Commit<'_, '_> {
    fn add(&mut self, new: PreparedDocument, options: AddOptions, now: Timestamp) -> Result<Verdict> {
        let PreparedDocument { mut record, evidence, row, has_own_ttl, text, matches, since } = new;
        let mut id = record.id.clone();
        let expires = record.expires;
        let settings = &self.state.settings;
        let limit = self.state.match_limit(options);
        let mut current = Matches::default();
        if limit > 0 {
            current = self.still_there(matches, now)?;
            let probed = std::mem::take(&mut current.probed);
            let except = options.left_out(&id);
            let page = Page::first(limit);
            let matcher = self.state.matcher(&self.view, except, since, page, &probed, now);
            current.join(matcher.find(&text, &*self.tables)?, limit);
        }
        if settings.renew_on_sight {
            for ranked in current.matches.iter().filter(|ranked| ranked.matched.whole) {
                self.renew_on_sight(&ranked.matched.id, expires)?;
            }
        }
        let mut before = self.tables.find(&id)?;
        let is_there = |before: &&(u32, Record)| !is_over(before.1.expires, now);
        let is_other = |other: &(u32, Record)| other.1.content != record.content;
        if options.taken_id == TakenId::Rename && before.as_ref().filter(is_there).is_some_and(is_other) {
            id = renamed(&id, text.content);
            record.id.clone_from(&id);
            before = self.tables.find(&id)?;
        }
        let living = before.as_ref().filter(is_there);
        let outcome = if living.is_some_and(|(_, living)| living.content == record.content) {
            if has_own_ttl {
                self.set_expiry(&id, expires)?;
            } else if settings.renew_on_sight {
                self.renew_on_sight(&id, expires)?;
            }
            Outcome::Unchanged
        } else if options.only_unseen
            && let Some(witness) = current.witness()
        {
            // The witness is listed first.
            current.matches[..=witness].rotate_right(1);
            Outcome::Seen
        } else {
            let outcome = if living.is_some() { Outcome::Replaced } else { Outcome::Added };
            if let Some((number, before)) = &before {
                self.tables.remove(*number, before)?;
            }
            self.insert(record, evidence, text.keys.as_ref(), row)?;
            outcome
        };
        // Pages are those of a check.
        current.be_the_only_page();
        let mut answer = current.answer(&text, self.state.search, options.matches);
        if limit == 0 {
            answer.seen = None;
        }
        answer.next = None;
        Ok(Verdict { id, outcome, answer })
    }

    /// The matches found before the lock was taken, without documents removed since.
    fn still_there(&self, mut found: Matches, now: Timestamp) -> Result<Matches> {
        let mut matches = vec![];
        for mut ranked in found.matches {
            if let Some(record) = self.tables.record(ranked.number)?.filter(|it| !is_over(it.expires, now)) {
                ranked.matched.expires = record.expires;
                matches.push(ranked);
            }
        }
        found.matches = matches;
        Ok(found)
    }

    /// Extends the document's expiry to `expires`; never shortens it. A duplicate without an expiry
    /// changes nothing.
    fn renew_on_sight(&mut self, id: &str, expires: Option<Timestamp>) -> Result<()> {
        let Some((_, record)) = self.tables.find(id)? else { return Ok(()) };
        if record.expires.zip(expires).is_some_and(|(now, later)| now < later) {
            self.set_expiry(id, expires)?;
        }
        Ok(())
    }

    fn set_expiry(&mut self, id: &str, expires: Option<Timestamp>) -> Result<()> {
        if let Some((number, mut record)) = self.tables.find(id)? {
            self.tables.set_expiry(number, &mut record, expires)?;
        }
        Ok(())
    }
}
