//! The matches that a job over new documents needs of an index: numbers, oldest first.

use twindex_core::Markup;

use super::{Page, QueryText, SCRATCH};
use crate::error::{IndexError, Result};
use crate::postings::{Probed, Proposals};
use crate::state::State;
use crate::store::{Documents, Record};
use crate::time::{Timestamp, is_over};

/// Which matches of a new document a job needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needed {
    /// All of them: the job lists pairs.
    All,
    /// Those up to the first for which the document may go, as the first pass of the witness rule
    /// looks at them, and the first of equal text, which a job finds before that. Of each posting
    /// list the first `candidates.bucket_limit` that still exist, of simhashes as many of the
    /// nearest.
    UpToWitness,
}

/// Matches that are read at a time.
const PAGE: usize = 1_000;

impl State {
    /// The numbers of the matches.
    pub(crate) fn needed(
        &self,
        (text, markup): (&str, Markup),
        needed: Needed,
        now: Timestamp,
    ) -> Result<Vec<u32>> {
        let up_to_witness = needed == Needed::UpToWitness;
        let limit = match needed {
            Needed::All => PAGE,
            Needed::UpToWitness if self.engines.is_keyed => usize::MAX,
            Needed::UpToWitness => self.engines.bucket_limit,
        };
        let text = SCRATCH.with_borrow_mut(|scratch| {
            QueryText::new(&self.engines, text.into(), markup, false, false, scratch)
        });
        let mut page = Page { up_to_witness, ..Page::first(limit) };
        let mut numbers = vec![];
        loop {
            let (matches, _) = self.find(&text, None, page, now)?;
            let whole = matches.matches.iter().filter(|ranked| ranked.matched.whole);
            numbers.extend(whole.map(|ranked| ranked.number));
            let is_done = up_to_witness && (matches.has_witness() || !self.engines.is_keyed);
            match matches.next().filter(|_| !is_done) {
                Some(next) => page.after = Some(next),
                None => break,
            }
        }
        if up_to_witness {
            numbers.extend(self.first_equal(&text, now)?);
        }
        numbers.sort_unstable();
        numbers.dedup();
        Ok(numbers)
    }

    /// The oldest document of equal text, in an index by keys. Of simhashes it is the nearest.
    fn first_equal(&self, text: &QueryText<'_>, now: Timestamp) -> Result<Option<u32>> {
        let view = self.view.load();
        let Some((postings, keys)) = view.postings.as_ref().zip(text.keys.as_ref()) else { return Ok(None) };
        let list = [Probed { key: keys.of_content(), living: 0 }];
        let failed = IndexError::io(self.files.folder());
        let mut proposals = Proposals::new(postings, &list, 0).map_err(&failed)?;
        let reader = self.store.read()?;
        while let Some((number, _)) = proposals.next().map_err(&failed)? {
            let is_equal = |record: &Record| record.content == Some(text.content);
            let record = reader.record(number)?.filter(is_equal);
            if record.is_some_and(|record| !is_over(record.expires, now)) {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }
}
