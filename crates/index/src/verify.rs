//! Is everything as it was written?

use serde::Serialize;
use twindex_core::fingerprint::Simhash;

use crate::error::{IndexError, Result};
use crate::shelf::Name;
use crate::state::{State, kept};
use crate::store::{Documents, Reader};

/// So many damages are listed; the rest is counted.
const LISTED: usize = 100;

/// What a verification has seen.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Verified {
    /// Documents that are right.
    pub documents: u64,
    /// Documents whose evidence is right.
    pub evidence: u64,
    /// Files of segments that are right.
    pub segments: u64,
    /// How much is damaged.
    pub damaged: u64,
    /// The first damages, each with its file.
    pub damage: Vec<String>,
}

impl Verified {
    /// Whether everything is right.
    pub fn is_whole(&self) -> bool {
        self.damaged == 0
    }

    /// The first damage as an error.
    pub(crate) fn into_result(self) -> Result<Verified> {
        match self.damage.first() {
            None => Ok(self),
            Some(first) => Err(IndexError::Damages { count: self.damaged, first: first.clone() }),
        }
    }

    /// Notes damage; any other failure ends the verification.
    fn note<T>(&mut self, result: Result<T>) -> Result<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error @ IndexError::Damaged { .. }) => {
                self.damaged += 1;
                if self.damage.len() < LISTED {
                    let message = error.to_string();
                    self.damage.push(message.lines().next().unwrap_or_default().to_owned());
                }
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

impl State {
    pub(crate) fn verify(&self) -> Result<Verified> {
        let mut verified = Verified::default();
        let pages = self.store.check_pages();
        if verified.note(pages)?.is_none() {
            // Pages that do not fit together make everything that is read from them doubtful.
            return Ok(verified);
        }
        let reader = self.store.read()?;
        let next = reader.next()?;
        reader.for_each_record(0..next.document, |number, record| {
            let check = || -> Result<bool> {
                if reader.number(&record?.id)? != Some(number) {
                    return Err(reader.damaged(number, "id"));
                }
                Ok(kept(&reader, number)?.is_some())
            };
            let has_evidence = verified.note(check())?;
            verified.documents += u64::from(has_evidence.is_some());
            verified.evidence += u64::from(has_evidence == Some(true));
            Ok(())
        })?;
        if verified.is_whole() && reader.ids()? != verified.documents {
            let count = format!("it has {} ids for {} documents", reader.ids()?, verified.documents);
            verified.note::<()>(Err(self.damaged(count)))?;
        }
        for name in [Name::Documents, Name::Paragraphs] {
            for saved in self.files.list(name)? {
                let columns = self.files.columns(name, &saved);
                if let Some(columns) = verified.note(columns)? {
                    let path = self.files.path(name, &saved);
                    let entries = columns.numbers.iter().zip(&columns.fingerprints);
                    let wrong = entries
                        .filter(|&(&number, &fingerprint)| {
                            !is_right(&reader, name, number, Simhash(fingerprint))
                        })
                        .count();
                    if wrong == 0 {
                        verified.segments += 1;
                    } else {
                        let what = format!("{wrong} of its fingerprints are not those of the documents");
                        verified.note::<()>(Err(IndexError::Damaged { path, what }))?;
                    }
                }
            }
        }
        Ok(verified)
    }

    fn damaged(&self, what: String) -> IndexError {
        IndexError::Damaged { path: self.store.path().to_owned(), what }
    }
}

/// Whether an entry of a segment is that of a document, or of one that was removed.
fn is_right(reader: &Reader<'_>, name: Name, number: u32, fingerprint: Simhash) -> bool {
    match name {
        Name::Documents => match reader.record(number) {
            Ok(Some(record)) => record.fingerprint == fingerprint,
            Ok(None) => reader.is_buried(number).unwrap_or(false),
            Err(_) => true, // counted already
        },
        Name::Paragraphs => match reader.paragraphs_around(number) {
            Ok(Some((first, row))) => row.places[(number - first) as usize].1 == fingerprint,
            Ok(None) => reader.is_paragraph_buried(number).unwrap_or(false),
            Err(_) => true,
        },
    }
}
