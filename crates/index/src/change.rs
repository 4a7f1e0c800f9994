//! Changing an index: one writer at a time, many callers in one commit.
//!
//! A caller puts its documents into the queue and then waits for the writer's lock. Whoever gets the lock first commits
//! everything that is queued, so the price of reaching the disk is shared; the others find their verdicts ready.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::answer::{AddOptions, Answer, Outcome, Verdict};
use crate::document::{Imported, NewDocument, validate_id};
use crate::error::{IndexError, Result};
use crate::evidence;
use crate::index::{Index, Prepared};
use crate::shelf::Shelf;
use crate::store::{Documents, Record, Writer};
use crate::time::{Timestamp, is_over};

/// The queue of documents, and what only the holder of the lock may touch.
#[derive(Debug)]
pub(crate) struct Changes {
    queue: Mutex<Vec<Arc<Batch>>>,
    next: Mutex<u64>,
}

/// The documents of one caller.
#[derive(Debug)]
struct Batch {
    documents: Mutex<Vec<Prepared>>,
    options: AddOptions,
    now: Timestamp,
    verdicts: Mutex<Option<Result<Vec<Verdict>>>>,
}

/// Imports are committed in pieces of this many: enough to share the price, few enough to hold in memory.
const IMPORT_BATCH: usize = 100_000;

/// Expired documents are removed so many at a time, so that adds need not wait long.
const EXPIRE_BATCH: usize = 10_000;

impl Changes {
    pub(crate) fn new(next: u64) -> Changes {
        Changes { queue: Mutex::default(), next: Mutex::new(next) }
    }
}

impl Index {
    /// Adds documents and says of each what it duplicates. When this returns they are durable.
    ///
    /// Adding a document again changes nothing but its expiry; another text under the same id replaces the first.
    pub fn add(
        &self,
        documents: &[NewDocument],
        options: AddOptions,
        now: Timestamp,
    ) -> Result<Vec<Verdict>> {
        for (position, document) in documents.iter().enumerate() {
            document.validate(position)?;
        }
        let batch = Arc::new(Batch {
            documents: Mutex::new(self.prepare(documents, now)),
            options,
            now,
            verdicts: Mutex::default(),
        });
        lock(&self.changes.queue).push(Arc::clone(&batch));
        let mut next = lock(&self.changes.next);
        if lock(&batch.verdicts).is_none() {
            let queued = std::mem::take(&mut *lock(&self.changes.queue));
            self.commit(&queued, &mut next);
        }
        let verdicts = lock(&batch.verdicts).take();
        // The batch was in the queue, so whoever emptied it gave verdicts.
        verdicts.unwrap_or(Ok(vec![]))
    }

    /// Commits what is queued; on failure every caller hears of it.
    fn commit(&self, queued: &[Arc<Batch>], next: &mut u64) {
        match self.try_commit(queued, *next) {
            Ok((shelf, verdicts, after)) => {
                *next = after;
                self.shelf.store(Arc::new(shelf));
                for (batch, verdicts) in queued.iter().zip(verdicts) {
                    *lock(&batch.verdicts) = Some(Ok(verdicts));
                }
            }
            Err(error) => {
                queued.iter().for_each(|batch| *lock(&batch.verdicts) = Some(Err(error.clone())));
            }
        }
    }

    fn try_commit(&self, queued: &[Arc<Batch>], next: u64) -> Result<(Shelf, Vec<Vec<Verdict>>, u64)> {
        let mut group =
            Group { index: self, writer: self.store.write()?, shelf: Shelf::clone(&self.shelf.load()), next };
        let mut all = vec![];
        for batch in queued {
            let documents = std::mem::take(&mut *lock(&batch.documents));
            let verdicts =
                documents.into_iter().map(|document| group.add(document, batch.options, batch.now));
            all.push(verdicts.collect::<Result<Vec<_>>>()?);
        }
        let Group { writer, shelf, next, .. } = group;
        writer.set_next_number(next)?;
        writer.commit()?;
        Ok((shelf, all, next))
    }

    /// Removes a document; whether it was there.
    pub fn remove(&self, id: &str) -> Result<bool> {
        let _lock = lock(&self.changes.next);
        let writer = self.store.write()?;
        let Some(number) = writer.number(id)? else { return Ok(false) };
        let Some(record) = writer.record(number)? else { return Ok(false) };
        writer.bury(number, &record)?;
        writer.commit()?;
        Ok(true)
    }

    /// Gives a document another time to live, counted from `now`; whether it was there.
    pub fn renew(&self, id: &str, expires: Option<Timestamp>, now: Timestamp) -> Result<bool> {
        let _lock = lock(&self.changes.next);
        let writer = self.store.write()?;
        let Some(number) = writer.number(id)? else { return Ok(false) };
        let Some(mut record) = writer.record(number)? else { return Ok(false) };
        if is_over(record.expires, now) {
            return Ok(false);
        }
        writer.set_expiry(number, &mut record, expires)?;
        writer.commit()?;
        Ok(true)
    }

    /// Removes what has expired; how many documents that were. They stopped matching when they expired.
    pub fn expire(&self, now: Timestamp) -> Result<u64> {
        let mut removed = 0;
        loop {
            let _lock = lock(&self.changes.next);
            let expired = self.store.read()?.expired(now, EXPIRE_BATCH)?;
            if expired.is_empty() {
                return Ok(removed);
            }
            let writer = self.store.write()?;
            for number in expired {
                let record = writer.record(number)?.ok_or_else(|| IndexError::Damaged {
                    path: self.store.path().to_owned(),
                    what: format!("document number {number} expires, and is not there"),
                })?;
                writer.bury(number, &record)?;
                removed += 1;
            }
            writer.commit()?;
        }
    }

    /// Adds fingerprints that were made elsewhere; how many. There is no evidence for them, so their matches are not
    /// verified. An id that is there is replaced.
    pub fn import(&self, documents: impl IntoIterator<Item = Imported>) -> Result<u64> {
        let mut documents = documents.into_iter().peekable();
        let mut imported = 0;
        while documents.peek().is_some() {
            let mut next = lock(&self.changes.next);
            let mut group = Group {
                index: self,
                writer: self.store.write()?,
                shelf: Shelf::clone(&self.shelf.load()),
                next: *next,
            };
            for document in documents.by_ref().take(IMPORT_BATCH) {
                let position = usize::try_from(imported).unwrap_or(usize::MAX);
                validate_id(&document.id)
                    .map_err(|reason| IndexError::InvalidDocument { position, reason })?;
                group.import(document)?;
                imported += 1;
            }
            let Group { writer, shelf, next: after, .. } = group;
            writer.set_next_number(after)?;
            writer.commit()?;
            *next = after;
            self.shelf.store(Arc::new(shelf));
        }
        Ok(imported)
    }
}

/// A commit that is being made.
struct Group<'a> {
    index: &'a Index,
    writer: Writer<'a>,
    shelf: Shelf,
    next: u64,
}

impl Group<'_> {
    fn add(&mut self, document: Prepared, options: AddOptions, now: Timestamp) -> Result<Verdict> {
        let id = document.record.id.clone();
        let question = document.question();
        let settings = &self.index.settings;
        let needs_search = options.matches > 0 || options.only_unseen || settings.renew_on_sight;
        let limit = if options.only_unseen || settings.renew_on_sight {
            options.matches.max(1)
        } else {
            options.matches
        };
        let mut answer = Answer { fingerprint: question.printed(), ..Answer::default() };
        if needs_search {
            answer = self.index.answer(&question, &self.shelf, &self.writer, Some(&id), limit, now)?;
        }
        if settings.renew_on_sight {
            for found in &answer.matches {
                self.renew(&found.id, now)?;
            }
        }
        let before = match self.writer.number(&id)? {
            Some(number) => self.writer.record(number)?.map(|record| (number, record)),
            None => None,
        };
        let unchanged = before.as_ref().is_some_and(|(_, before)| {
            before.content == document.record.content && !is_over(before.expires, now)
        });
        let outcome = if unchanged {
            if settings.renew_on_sight {
                self.renew(&id, now)?;
            }
            Outcome::Unchanged
        } else if options.only_unseen && !answer.matches.is_empty() {
            Outcome::Seen
        } else {
            let was_there = before.as_ref().is_some_and(|(_, before)| !is_over(before.expires, now));
            if let Some((number, before)) = before {
                self.writer.bury(number, &before)?;
            }
            self.insert(&document.record, document.evidence)?;
            if was_there { Outcome::Replaced } else { Outcome::Added }
        };
        answer.matches.truncate(options.matches);
        Ok(Verdict { id, outcome, answer })
    }

    fn import(&mut self, document: Imported) -> Result<()> {
        if let Some(number) = self.writer.number(&document.id)?
            && let Some(before) = self.writer.record(number)?
        {
            self.writer.bury(number, &before)?;
        }
        let record = Record {
            id: document.id,
            fingerprint: document.fingerprint,
            has_words: true,
            html: false,
            expires: document.expires,
            content: None,
            paragraphs: None,
        };
        self.insert(&record, None)
    }

    fn insert(&mut self, record: &Record, evidence: Option<Vec<u8>>) -> Result<()> {
        let number = u32::try_from(self.next).map_err(|_| IndexError::Exhausted)?;
        self.next += 1;
        let evidence = evidence.map(|bytes| evidence::sealed_for(number, bytes));
        self.writer.insert(number, record, evidence.as_deref())?;
        self.shelf.push(record.fingerprint, number);
        Ok(())
    }

    /// Gives a document the index's time to live from `now` on, unless that would shorten it.
    fn renew(&self, id: &str, now: Timestamp) -> Result<()> {
        let Some(ttl) = self.index.settings.ttl else { return Ok(()) };
        let Some(number) = self.writer.number(id)? else { return Ok(()) };
        let Some(mut record) = self.writer.record(number)? else { return Ok(()) };
        let later = now.after(ttl);
        if record.expires.is_some_and(|expires| expires < later) {
            self.writer.set_expiry(number, &mut record, Some(later))?;
        }
        Ok(())
    }
}

/// What a panicking thread left behind is either committed or forgotten: the data is whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
