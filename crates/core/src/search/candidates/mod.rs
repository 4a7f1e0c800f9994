//! From fingerprints to candidate pairs: the join, for every method and every driver.
//!
//! A driver says where fingerprints come from ([`Collection`]) and takes the pairs; in memory or
//! from disk, the pairs are the same. The join keeps no inverted index: keys are recomputed from
//! the fingerprints in passes over key ranges, as many as the memory demands.
//!
//! ```text
//! survey   frequencies of keys, where the method wants them; about how many entries there are
//! lists    short documents meet by their rarest shingles      rarest/
//! entries  (key, document) by key range                       entries.rs
//! meet     who meets whom under one key, hot keys bounded     meet.rs
//! ```
//!
//! An index could keep postings of [`Engine::keys`](crate::Engine::keys) instead, and a distributed
//! engine shuffle entries by key and call [`meet`].

mod entries;
mod meet;
mod rarest;

pub use entries::Buckets;
pub use meet::{Edge, Entry, meet};
pub(crate) use rarest::DOCUMENT_BYTES as LISTED_BYTES;

use super::method::{Fingerprint, Method};
use super::workers::Workers;

/// The documents that take part in a search, numbered by rank.
#[expect(clippy::len_without_is_empty, reason = "a join of nothing needs no special case")]
pub trait Collection {
    /// Why they cannot be read.
    type Error;

    /// How many there are.
    fn len(&self) -> usize;

    /// Calls `each` with the rank and the stored fingerprint of each of them, in the same order
    /// every time.
    fn for_each(&self, each: &mut dyn FnMut(u32, &[u8])) -> Result<(), Self::Error>;

    /// Calls `each` with the fingerprints of at most `count` of them, evenly spread; of all, if
    /// there are no more.
    fn sample(&self, count: usize, each: &mut dyn FnMut(&[u8])) -> Result<(), Self::Error>;
}

/// Documents whose keys are counted to foresee the number of all.
const SAMPLE: usize = 1024;

/// How a join is done. Results depend on the limit alone.
pub struct JoinOptions<'a> {
    /// A document is paired with only the first `limit` documents of a bucket; see [`meet`].
    pub limit: Option<usize>,
    /// Memory for entries, in bytes. A single key that more documents share than fit is not split.
    pub memory: usize,
    /// Where sorting runs.
    pub workers: &'a dyn Workers,
}

/// The mean number of documents within the radius of simhash above which `dedup` bounds its buckets
/// instead of taking every pair within the radius: below 16 in each of 10 tables, which is what the
/// usual limit and radius allow.
pub const MOST_NEIGHBOURS: u64 = 64;

/// Ranges of keys are never quite equal: a pass gets a quarter more room than the mean.
fn with_slack(mean: usize) -> usize {
    mean + mean / 4
}

impl Method {
    /// Calls `sink` with the candidate pairs of a collection, some of them several times, and
    /// `progress` with how many passes of how many are done. Returns how many pairs the limit left
    /// out.
    pub(crate) fn join<C: Collection>(
        &self,
        collection: &C,
        options: &JoinOptions<'_>,
        sink: &mut dyn FnMut(Edge) -> Result<(), C::Error>,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<u64, C::Error> {
        let mut frequencies = self.frequencies(collection.len());
        if frequencies.bytes() > 0 {
            collection.for_each(&mut |_, stored| self.count(&self.read(stored), &mut frequencies))?;
        }
        let (mut entries, mut shingles) = (0, 0);
        collection.sample(SAMPLE, &mut |stored| {
            let fingerprint = self.read(stored);
            entries += self.most_entries(&fingerprint);
            shingles += self.list(&fingerprint).map_or(0, |list| list.len());
        })?;
        let of_all = |sampled: usize| {
            with_slack((sampled * collection.len()).div_ceil(collection.len().clamp(1, SAMPLE)))
        };
        let (entries, shingles) = (of_all(entries), of_all(shingles));
        let memory = options.memory.max(1);
        let entry_passes = (entries * size_of::<Entry>()).div_ceil(memory).max(1) as u64;
        let passes = u64::from(self.list_prefix().is_some()) + entry_passes;
        let mut done = 0;
        let mut left_out = 0;
        let mut pass_on = |entries: &[Entry]| {
            let mut passed_on = Ok(());
            left_out += meet(entries, options.limit, self.probes(), &mut |edge| {
                if passed_on.is_ok() {
                    passed_on = sink(edge);
                }
            });
            passed_on
        };
        progress(done, passes);
        if let Some(prefix) = self.list_prefix() {
            let lists = |gathered: &mut rarest::Gathered| {
                collection.for_each(&mut |rank, stored| {
                    if let Some(list) = self.list(&self.read(stored)) {
                        gathered.push(rank, list.shingles());
                    }
                })
            };
            rarest::join((collection.len(), shingles), memory, lists, prefix, &mut pass_on)?;
            done += 1;
            progress(done, passes);
        }
        let mut buckets = Buckets::new(entry_passes, entries.div_ceil(entry_passes as usize));
        let mut keys = vec![];
        for pass in 0..entry_passes {
            buckets.begin(pass);
            collection.for_each(&mut |rank, stored| {
                keys.clear();
                self.entries(&self.read(stored), &frequencies, &mut keys);
                keys.iter().for_each(|&key| buckets.push(key, rank));
            })?;
            buckets.close(options.workers).try_for_each(&mut pass_on)?;
            done += 1;
            progress(done, passes);
        }
        Ok(left_out)
    }

    fn list<'a>(&self, fingerprint: &Fingerprint<'a>) -> Option<super::method::minhash::list::List<'a>> {
        match (self, fingerprint) {
            (Method::Minhash(signatures), Fingerprint::Minhash(record)) => signatures.compared_list(record),
            _ => None,
        }
    }

    /// How long the prefix of a list of shingles is, if there are lists.
    fn list_prefix(&self) -> Option<impl Fn(usize) -> usize + use<>> {
        match self {
            Method::Minhash(signatures) => {
                signatures.lists().map(|lists| move |shingles| lists.prefix(shingles))
            }
            _ => None,
        }
    }
}
