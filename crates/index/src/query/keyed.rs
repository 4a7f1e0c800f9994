//! The candidates of posting lists: oldest first, compared until the answer is full.
//!
//! ```text
//! number -> stored fingerprint: does the engine propose both? -> record: does it live? -> decide
//! ```
//!
//! When the answer is full, the walk goes on for a witness, as long as a list has fewer than
//! `candidates.bucket_limit` living documents behind it: as in a job, a template costs a bounded
//! number of comparisons.
//!
//! A page also ends after [`MOST_COMPARED`] comparisons: three words that every post has may be one
//! of the rarest keys of a short one. Behind that place a witness is looked for in the shortest
//! lists only, so that a copy of a text is found however common its parts are.

use std::collections::HashSet;

use twindex_core::search::BesideScratch;

use super::candidates::{KeyedCandidates, ParagraphCandidate};
use super::matches::{Cursor, MatchBuilder};
use crate::error::{IndexError, Result};
use crate::postings::{Key, Probed, Proposals};
use crate::store::Documents;

/// The rank of all matches by keys: they are in the order of their numbers.
const RANK: u32 = 0;

/// The most fingerprints that are compared for one page, and then for a witness in the shortest
/// lists: some 50 ms. If more are proposed, the page ends there.
const MOST_COMPARED: usize = 4_096;

/// How a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Walk {
    /// At the end of the lists.
    Done,
    /// Because the answer is full.
    Stopped,
}

/// What a walk looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// Matches, and a witness.
    Matches,
    /// A witness among the matches of earlier pages.
    EarlierWitness,
}

impl<D: Documents> MatchBuilder<'_, D> {
    /// Adds the matches of posting lists. `seen` gets the numbers of documents that need not be
    /// looked at again for their paragraphs.
    pub(super) fn keyed(
        &mut self,
        keyed: KeyedCandidates<'_>,
        paragraphs: &[ParagraphCandidate],
        seen: &mut HashSet<u32>,
    ) -> Result<Walk> {
        let since = self.matcher.since.document;
        let Some(after) = self.matcher.page.after else {
            let walk = self.walk(&keyed, since, Aim::Matches, paragraphs, seen);
            return walk.map(|(walk, probed)| {
                self.found.probed = probed;
                walk
            });
        };
        self.walk(&keyed, since, Aim::EarlierWitness, paragraphs, seen)?;
        match after.in_keys(RANK) {
            Some(number) => {
                let since = since.max(u64::from(number) + 1);
                Ok(self.walk(&keyed, since, Aim::Matches, paragraphs, seen)?.0)
            }
            None => Ok(Walk::Done),
        }
    }

    fn walk(
        &mut self,
        keyed: &KeyedCandidates<'_>,
        since: u64,
        aim: Aim,
        paragraphs: &[ParagraphCandidate],
        seen: &mut HashSet<u32>,
    ) -> Result<(Walk, Vec<Probed>)> {
        let KeyedCandidates { postings, keys, lists } = keyed;
        let mut probed = lists.clone();
        let (segments, engine) = (self.matcher.segments, &self.matcher.engines.document);
        let most = self.matcher.engines.bucket_limit;
        let mut proposals = Proposals::new(postings, lists, since).map_err(IndexError::io(segments))?;
        let mut scratch = BesideScratch::default();
        let mut compared = 0;
        loop {
            let next = proposals.next().map_err(IndexError::io(segments))?;
            let Some((number, of)) = next else { return Ok((Walk::Done, probed)) };
            let of: Vec<usize> = of.collect();
            let Some(fingerprint) = self.fingerprint(number)? else { continue };
            compared += 1;
            if compared > MOST_COMPARED {
                // Where the matches of this page end, not where those of earlier pages are searched
                // for a witness.
                if aim == Aim::Matches {
                    self.found.stop_before(Cursor::new(RANK, number));
                }
                // A job goes on to the next page.
                if self.lacks_witness() && !self.matcher.page.up_to_witness {
                    self.witness_of_the_shortest(keyed, number, aim)?;
                }
                return Ok((Walk::Stopped, probed));
            }
            if !keys.proposes(engine, &fingerprint, &mut scratch) {
                continue;
            }
            if !paragraphs.is_empty() {
                seen.insert(number);
            }
            let Some(record) = self.living(number)? else { continue };
            let can_be_witness = of.iter().any(|&list| probed[list].living < most);
            of.iter().for_each(|&list| probed[list].living += 1);
            if aim == Aim::EarlierWitness || self.matcher.page.up_to_witness || self.is_full() {
                let has_more = probed.iter().any(|list| list.living < most);
                if !self.lacks_witness() || !(can_be_witness || has_more) {
                    return Ok((Walk::Stopped, probed));
                }
                if !can_be_witness {
                    continue;
                }
            }
            let pairs = self.shared_paragraphs(number, &record, paragraphs)?;
            match aim {
                Aim::Matches => self.decide(number, Some(RANK), &pairs, record)?,
                Aim::EarlierWitness => self.note_witness(number, RANK, record)?,
            }
        }
    }

    /// The stored fingerprint of a document; `None` if it was removed.
    fn fingerprint(&self, number: u32) -> Result<Option<Vec<u8>>> {
        let fingerprint = self.documents.fingerprint(number)?;
        if fingerprint.is_none() && !self.documents.is_removed(number)? {
            return Err(self.documents.damaged(number, "fingerprint"));
        }
        Ok(fingerprint)
    }

    /// Looks for a witness from `since` on in the shortest lists, as many as have
    /// [`MOST_COMPARED`] documents together.
    fn witness_of_the_shortest(&mut self, keyed: &KeyedCandidates<'_>, since: u32, aim: Aim) -> Result<()> {
        let (segments, engine) = (self.matcher.segments, &self.matcher.engines.document);
        let keys: Vec<Key> = keyed.lists.iter().map(|list| list.key).collect();
        let lengths = keyed.postings.lengths(&keys, 0);
        let mut lists: Vec<(usize, Probed)> = lengths.into_iter().zip(keyed.lists.iter().copied()).collect();
        lists.sort_unstable_by_key(|&(length, list)| (length, list.key));
        let mut all = 0;
        let shortest = lists.into_iter().take_while(|(length, _)| {
            all += length;
            all <= MOST_COMPARED
        });
        let shortest: Vec<Probed> = shortest.map(|(_, list)| list).collect();
        let proposals = Proposals::new(keyed.postings, &shortest, since.into());
        let mut proposals = proposals.map_err(IndexError::io(segments))?;
        let mut scratch = BesideScratch::default();
        while self.lacks_witness() {
            let number = proposals.next().map_err(IndexError::io(segments))?.map(|(number, _)| number);
            let Some(number) = number else { break };
            let Some(fingerprint) = self.fingerprint(number)? else { continue };
            if keyed.keys.proposes(engine, &fingerprint, &mut scratch)
                && let Some(record) = self.living(number)?
            {
                match aim {
                    Aim::Matches => self.add_witness(number, RANK, record)?,
                    Aim::EarlierWitness => self.note_witness(number, RANK, record)?,
                }
            }
        }
        Ok(())
    }
}
