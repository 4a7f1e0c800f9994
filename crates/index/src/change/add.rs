//! Adding documents.

use std::sync::{Arc, Mutex};

use super::prepare::Prepared;
use super::{Commit, document};
use crate::answer::{AddOptions, Outcome, Verdict};
use crate::ask::Found;
use crate::document::NewDocument;
use crate::error::Result;
use crate::state::{State, lock};
use crate::store::{Documents, Record};
use crate::time::{Timestamp, is_over};

/// The batches that wait to be committed.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    batches: Mutex<Vec<Arc<Batch>>>,
}

/// The documents of one caller.
#[derive(Debug)]
struct Batch {
    documents: Mutex<Vec<Prepared>>,
    options: AddOptions,
    now: Timestamp,
    verdicts: Mutex<Option<Result<Vec<Verdict>>>>,
}

impl State {
    /// Adds documents and says of each what it duplicates. When this returns they are durable.
    pub(crate) fn add(
        &self,
        documents: &[NewDocument],
        options: AddOptions,
        now: Timestamp,
    ) -> Result<Vec<Verdict>> {
        for (position, document) in documents.iter().enumerate() {
            document.validate(position)?;
        }
        let batch = Arc::new(Batch {
            documents: Mutex::new(self.prepare(documents, options, now)?),
            options,
            now,
            verdicts: Mutex::default(),
        });
        lock(&self.queue.batches).push(Arc::clone(&batch));
        let _lock = self.lock();
        if lock(&batch.verdicts).is_none() {
            let queued = std::mem::take(&mut *lock(&self.queue.batches));
            self.commit_batches(&queued);
        }
        let verdicts = lock(&batch.verdicts).take();
        // The batch was in the queue, so whoever emptied it gave verdicts.
        verdicts.unwrap_or(Ok(vec![]))
    }

    /// Commits what is queued; on failure every caller hears of it.
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
    fn add(&mut self, new: Prepared, options: AddOptions, now: Timestamp) -> Result<Verdict> {
        let Prepared { record, evidence, row, has_own_ttl, question, found, since } = new;
        let id = record.id.clone();
        let expires = record.expires;
        let settings = &self.state.settings;
        let limit = self.state.matches_to_look_for(options);
        let mut current = Found::default();
        if limit > 0 {
            current = self.still_there(found, now)?;
            let asked = self.state.asked(&self.view, Some(&id), since, limit, options.only_unseen, now);
            current.join(asked.find(&question, &*self.tables)?, limit);
        }
        if settings.renew_on_sight {
            for ranked in current.matches.iter().filter(|ranked| ranked.found.whole) {
                self.renew_on_sight(&ranked.found.id, expires)?;
            }
        }
        let before = document(&*self.tables, &id)?;
        let is_there = |before: &&(u32, Record)| !is_over(before.1.expires, now);
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
            // Named first. A paragraph that both have makes no witness: pages of one template share some.
            current.matches[..=witness].rotate_right(1);
            Outcome::Seen
        } else {
            let outcome = if living.is_some() { Outcome::Replaced } else { Outcome::Added };
            if let Some((number, before)) = &before {
                self.tables.bury(*number, before)?;
            }
            self.insert(record, evidence, row)?;
            outcome
        };
        let mut answer = current.answer(&question, self.state.search);
        answer.more |= answer.matches.len() > options.matches;
        answer.matches.truncate(options.matches);
        Ok(Verdict { id, outcome, answer })
    }

    /// What was found before the lock was taken, without what was removed since.
    fn still_there(&self, mut found: Found, now: Timestamp) -> Result<Found> {
        let mut matches = vec![];
        for mut ranked in found.matches {
            if let Some(record) = self.tables.record(ranked.number)?.filter(|it| !is_over(it.expires, now)) {
                ranked.found.expires = record.expires;
                matches.push(ranked);
            }
        }
        found.matches = matches;
        Ok(found)
    }

    /// Lets a document live until `expires`, when the one by which it was seen again does, unless that would shorten it. What is
    /// seen by something that stays for ever keeps its time.
    fn renew_on_sight(&mut self, id: &str, expires: Option<Timestamp>) -> Result<()> {
        let Some((_, record)) = document(&*self.tables, id)? else { return Ok(()) };
        if record.expires.zip(expires).is_some_and(|(now, later)| now < later) {
            self.set_expiry(id, expires)?;
        }
        Ok(())
    }

    fn set_expiry(&mut self, id: &str, expires: Option<Timestamp>) -> Result<()> {
        if let Some((number, mut record)) = document(&*self.tables, id)? {
            self.tables.set_expiry(number, &mut record, expires)?;
        }
        Ok(())
    }
}
