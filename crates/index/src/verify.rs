//! Is everything as it was written?

use serde::Serialize;
use twindex_core::fingerprint::Simhash;
use twindex_core::hash::mix;

use crate::error::{IndexError, Result};
use crate::postings::{DocumentKeys, Segment};
use crate::segments::{Kind, POSTINGS};
use crate::state::State;
use crate::store::{Documents, Reader};

/// The most damages that are listed; the rest is counted.
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
            // With damaged pages, nothing that is read can be trusted.
            return Ok(verified);
        }
        let reader = self.store.read()?;
        let next = reader.next()?;
        reader.for_each_record(0..next.document, |number, record| {
            let check = || -> Result<bool> {
                if reader.number(&record?.id)? != Some(number) {
                    return Err(reader.damaged(number, "id"));
                }
                if self.settings.is_keyed() {
                    reader.fingerprint(number)?;
                }
                Ok(reader.evidence(number)?.is_some())
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
        for kind in [Kind::Documents, Kind::Paragraphs] {
            for file in self.files.list(kind)? {
                let columns = self.files.columns(kind, &file);
                if let Some(columns) = verified.note(columns)? {
                    let path = self.files.path(kind, &file);
                    let entries = columns.numbers.iter().zip(&columns.fingerprints);
                    let mut wrong = 0u64;
                    for (&number, &fingerprint) in entries {
                        let is_right = is_right(&reader, kind, number, Simhash(fingerprint))?;
                        wrong += u64::from(!is_right);
                    }
                    if wrong == 0 {
                        verified.segments += 1;
                    } else {
                        let what = format!("{wrong} of its fingerprints are not those of the documents");
                        verified.note::<()>(Err(IndexError::Damaged { path, what }))?;
                    }
                }
            }
        }
        self.verify_postings(&reader, &mut verified)?;
        Ok(verified)
    }

    /// Compares the entries of every file with the keys of the stored fingerprints.
    fn verify_postings(&self, reader: &Reader<'_>, verified: &mut Verified) -> Result<()> {
        if !self.settings.is_keyed() {
            return Ok(());
        }
        for file in self.files.list(POSTINGS)? {
            let path = self.files.path(POSTINGS, &file);
            let covers = file.covers();
            let opened = Segment::open(&path, &covers, file.count()).map_err(IndexError::io(&path))?;
            let opened = opened.map_err(|what| IndexError::Damaged { path: path.clone(), what });
            let Some(segment) = verified.note(opened)? else { continue };
            // The sum of a document's hashed keys: whatever their order, it is that of its keys.
            let mut sums = vec![0u64; segment.documents().len()];
            let numbers: Vec<u32> = segment.documents().iter().collect();
            for entry in segment.stream() {
                let (key, number) = entry.map_err(IndexError::io(&path))?;
                if let Ok(at) = numbers.binary_search(&number) {
                    sums[at] = sums[at].wrapping_add(mix(key));
                }
            }
            let mut wrong = 0u64;
            for (&number, sum) in numbers.iter().zip(sums) {
                wrong += u64::from(!self.has_keys(reader, number, sum)?);
            }
            if wrong == 0 {
                verified.segments += 1;
            } else {
                let what = format!("{wrong} of its documents have other keys");
                verified.note::<()>(Err(IndexError::Damaged { path, what }))?;
            }
        }
        Ok(())
    }

    /// Whether the keys of a document have this sum, or the document was removed. Damaged documents
    /// are counted already.
    fn has_keys(&self, reader: &Reader<'_>, number: u32, sum: u64) -> Result<bool> {
        let record = match reader.record(number) {
            Ok(Some(record)) => record,
            Ok(None) => return reader.is_removed(number),
            Err(IndexError::Damaged { .. }) => return Ok(true),
            Err(error) => return Err(error),
        };
        let fingerprint = match reader.fingerprint(number) {
            Ok(fingerprint) => fingerprint,
            Err(IndexError::Damaged { .. }) => return Ok(true),
            Err(error) => return Err(error),
        };
        let Some((fingerprint, content)) = fingerprint.zip(record.content) else { return Ok(false) };
        let keys = DocumentKeys::new(&self.engines.document, fingerprint, content);
        Ok(keys.stored.iter().fold(0u64, |sum, &key| sum.wrapping_add(mix(key))) == sum)
    }

    fn damaged(&self, what: String) -> IndexError {
        IndexError::Damaged { path: self.store.path().to_owned(), what }
    }
}

/// Whether an entry of a segment is that of a stored document or of a removed one. Entries of
/// damaged records, which are counted already, count as right.
fn is_right(reader: &Reader<'_>, kind: Kind, number: u32, fingerprint: Simhash) -> Result<bool> {
    let stored = match kind {
        Kind::Documents => reader.record(number).map(|record| record.map(|record| record.fingerprint)),
        Kind::Paragraphs => reader
            .paragraphs_around(number)
            .map(|found| found.map(|(first, row)| row.places[(number - first) as usize].1)),
    };
    match (stored, kind) {
        (Ok(Some(stored)), _) => Ok(stored == fingerprint),
        (Ok(None), Kind::Documents) => reader.is_removed(number),
        (Ok(None), Kind::Paragraphs) => reader.is_paragraph_removed(number),
        (Err(IndexError::Damaged { .. }), _) => Ok(true),
        (Err(error), _) => Err(error),
    }
}
