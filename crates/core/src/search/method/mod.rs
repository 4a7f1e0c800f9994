//! The methods of finding candidates: one type each behind one enum.
//!
//! | method | fingerprint | found under | loses |
//! |---|---|---|---|
//! | [`simhash`] | 64 bits | the leading blocks of permuted tables | nothing within the radius |
//! | [`bottom_k`] | the smallest shingle hashes | the rarest of them | nothing above its own threshold |
//! | [`minhash`] | a signature, or the list of a short document's shingles | bands; the rarest shingles | by chance, as the S-curve says; lists nothing |
//! | [`sampled`] | one shingle in `rate` | all of them; probes are the rarest | documents with few sampled shingles, by chance |
//!
//! Each answers the same questions; `README.md` in this folder states them and their laws.

pub(crate) mod bottom_k;
pub(crate) mod minhash;
pub(crate) mod sampled;
pub(crate) mod simhash;
#[cfg(test)]
mod tests;

use std::fmt;

use self::bottom_k::Sketches;
use self::minhash::{Marks, Record, Signatures};
use self::sampled::{Sample, Sampled};
use self::simhash::Simhashes;
use super::HashFrequencies;
use crate::feature::Weighed;
use crate::fingerprint::{BottomK, Minhash, Simhash, SimhashScratch};
use crate::kernel::Kernel;
use crate::recipe::{MethodName, Recipe};

/// A method, with everything that a recipe says about it.
#[derive(Debug, Clone)]
pub(crate) enum Method {
    Simhash(Simhashes),
    BottomK(Sketches),
    Minhash(Signatures),
    Sampled(Sampled),
}

/// The fingerprint of a document, parsed.
#[derive(Debug, Clone)]
pub enum Fingerprint<'a> {
    /// The signs of 64 weighted sums.
    Simhash(Simhash),
    /// The smallest shingle hashes.
    BottomK(BottomK),
    /// A signature, a list of shingles, or both.
    Minhash(Record<'a>),
    /// The sampled shingles.
    Sampled(Sample<'a>),
}

/// How many bytes fingerprints take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Width {
    /// The length of every fingerprint, if all have the same.
    pub fixed: Option<usize>,
    /// The length of a long document's fingerprint, for a forecast.
    pub typical: usize,
    /// No fingerprint is longer; `usize::MAX` if it grows with its document.
    pub most: usize,
}

/// The keys of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys {
    /// The document is stored under each of these.
    pub stored: Vec<u64>,
    /// A search must probe some of each group.
    pub probes: Vec<Probes>,
}

/// Keys to probe with. **Law**: of a stored document that can still pass, any `enough` of the keys
/// find it, so a caller takes those with the shortest posting lists. (Of samples, with high
/// probability.)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probes {
    /// The keys.
    pub keys: Vec<u64>,
    /// How many of them must be probed.
    pub enough: usize,
}

/// Buffers that a thread reuses from document to document.
#[derive(Debug, Default)]
pub(crate) struct MethodScratch {
    features: Vec<u64>,
    feature_ends: Vec<usize>,
    simhash: SimhashScratch,
    simhashes: Vec<Simhash>,
    smallest: Vec<u64>,
    signature: Minhash,
    slots: Vec<u8>,
    weighed: Weighed,
}

/// A buffer for comparing one fingerprint with several.
#[derive(Debug, Clone, Default)]
pub struct BesideScratch(Marks);

/// A fingerprint that others are compared with, one after another.
#[derive(Debug)]
pub struct Beside<'a> {
    method: &'a Method,
    fingerprint: &'a Fingerprint<'a>,
    /// The shingles of its list in a hash table, if it has a list and they fit.
    marks: Option<&'a Marks>,
}

impl Method {
    /// The method of a valid recipe.
    pub(crate) fn new(recipe: &Recipe, kernel: Kernel) -> Self {
        match recipe.method {
            MethodName::Simhash => Method::Simhash(Simhashes::new(recipe, kernel)),
            MethodName::BottomK => Method::BottomK(Sketches::new(recipe, kernel)),
            MethodName::MinhashLsh => Method::Minhash(Signatures::new(recipe, kernel)),
            MethodName::Sampled => Method::Sampled(Sampled::new(recipe)),
        }
    }

    /// How many bytes fingerprints take.
    pub(crate) fn width(&self) -> Width {
        match self {
            Method::Simhash(_) => simhash::WIDTH,
            Method::BottomK(sketches) => sketches.width(),
            Method::Minhash(signatures) => signatures.width(),
            Method::Sampled(_) => sampled::WIDTH,
        }
    }

    /// Appends the fingerprints of a batch of documents, and where each of them ends: document `i`
    /// has the unit hashes `units[ends[i - 1]..ends[i]]`. One call for a batch, so that a kernel is
    /// entered once.
    pub(crate) fn write(
        &self,
        units: &[u64],
        ends: &[usize],
        scratch: &mut MethodScratch,
        out: &mut Stored<'_>,
    ) {
        match self {
            Method::Simhash(simhashes) => simhashes.write(units, ends, scratch, out),
            Method::BottomK(sketches) => sketches.write(units, ends, scratch, out),
            Method::Minhash(signatures) => signatures.write(units, ends, scratch, out),
            Method::Sampled(sampled) => sampled.write(units, ends, scratch, out),
        }
    }

    /// Parses a stored fingerprint. A damaged one has what is left of it.
    #[inline(always)]
    pub(crate) fn read<'a>(&self, stored: &'a [u8]) -> Fingerprint<'a> {
        match self {
            Method::Simhash(_) => Fingerprint::Simhash(simhash::read(stored)),
            Method::BottomK(sketches) => Fingerprint::BottomK(sketches.read(stored)),
            Method::Minhash(signatures) => Fingerprint::Minhash(signatures.read(stored)),
            Method::Sampled(_) => Fingerprint::Sampled(Sample::read(stored)),
        }
    }

    /// An empty table of key frequencies for a collection of `documents` documents; without slots
    /// if the keys of the method do not depend on frequencies.
    pub(crate) fn frequencies(&self, documents: usize) -> HashFrequencies {
        match self {
            Method::BottomK(_) | Method::Sampled(_) => HashFrequencies::for_documents(documents),
            Method::Simhash(_) | Method::Minhash(_) => HashFrequencies::default(),
        }
    }

    /// The size of [`Method::frequencies`] in bytes.
    pub(crate) fn frequency_bytes(&self, documents: usize) -> usize {
        match self {
            Method::BottomK(_) | Method::Sampled(_) => HashFrequencies::bytes_for_documents(documents),
            Method::Simhash(_) | Method::Minhash(_) => 0,
        }
    }

    /// Counts the keys of a fingerprint.
    pub(crate) fn count(&self, fingerprint: &Fingerprint<'_>, frequencies: &mut HashFrequencies) {
        match fingerprint {
            Fingerprint::BottomK(sketch) => frequencies.add(sketch.hashes().iter().copied()),
            Fingerprint::Sampled(sample) => frequencies.add(sample.hashes().map(u64::from)),
            Fingerprint::Simhash(_) | Fingerprint::Minhash(_) => {}
        }
    }

    /// Appends the keys of a fingerprint for the join by [entries](crate::search::candidates):
    /// stored and probing ones. Lists of shingles are joined apart.
    #[inline]
    pub(crate) fn entries(
        &self,
        fingerprint: &Fingerprint<'_>,
        frequencies: &HashFrequencies,
        keys: &mut Vec<u64>,
    ) {
        match (self, fingerprint) {
            (Method::Simhash(simhashes), Fingerprint::Simhash(simhash)) => simhashes.keys(*simhash, keys),
            (Method::BottomK(sketches), Fingerprint::BottomK(sketch)) => {
                sketches.prefix().keys(sketch.hashes(), frequencies, keys);
            }
            (Method::Minhash(signatures), Fingerprint::Minhash(record)) => signatures.keys(record, keys),
            (Method::Sampled(sampled), Fingerprint::Sampled(sample)) => {
                sampled.entries(*sample, frequencies, keys);
            }
            _ => {}
        }
    }

    /// About how many keys the fingerprint of a long document has, for a forecast.
    pub(crate) fn typical_keys(&self) -> usize {
        match self {
            Method::Simhash(simhashes) => simhashes.tables().len(),
            Method::BottomK(sketches) => sketches.prefix().length(sketches.size()),
            Method::Minhash(signatures) => signatures.band_count(),
            Method::Sampled(_) => sampled::WIDTH.typical / sampled::HASH,
        }
    }

    /// At least as many as [`Method::entries`] appends.
    pub(crate) fn most_entries(&self, fingerprint: &Fingerprint<'_>) -> usize {
        match (self, fingerprint) {
            (Method::Simhash(simhashes), _) => simhashes.tables().len(),
            (Method::BottomK(sketches), Fingerprint::BottomK(sketch)) => {
                sketches.prefix().length(sketch.hashes().len())
            }
            (Method::Minhash(signatures), Fingerprint::Minhash(record)) => signatures.key_count(record),
            (_, Fingerprint::Sampled(sample)) => 2 * sample.hashes().len(),
            _ => 0,
        }
    }

    /// The keys of a fingerprint. With `frequencies` of the whole collection those that a join
    /// uses: the rarest, stored and probed alike where the method allows it. Without, those of an
    /// index that grows: everything is stored, and a search chooses what it probes.
    pub(crate) fn keys(&self, fingerprint: &Fingerprint<'_>, frequencies: Option<&HashFrequencies>) -> Keys {
        match (self, fingerprint) {
            (Method::BottomK(sketches), Fingerprint::BottomK(sketch)) => {
                sketches.keys_of(sketch, frequencies)
            }
            (Method::Minhash(signatures), Fingerprint::Minhash(record)) => signatures.keys_of(record),
            (Method::Sampled(sampled), Fingerprint::Sampled(sample)) => sampled.keys_of(*sample, frequencies),
            _ => {
                let mut stored = vec![];
                self.entries(fingerprint, &HashFrequencies::default(), &mut stored);
                Keys::all_of(stored)
            }
        }
    }

    /// Whether only a probing entry meets the stored ones of its key; see [`sampled::PROBE`].
    pub(crate) fn probes(&self) -> bool {
        matches!(self, Method::Sampled(_))
    }

    /// A fingerprint that several others are compared with.
    pub(crate) fn beside<'a>(
        &'a self,
        fingerprint: &'a Fingerprint<'a>,
        scratch: &'a mut BesideScratch,
    ) -> Beside<'a> {
        let mut marks = None;
        if let (Method::Minhash(signatures), Fingerprint::Minhash(record)) = (self, fingerprint)
            && let Some(list) = signatures.compared_list(record)
        {
            marks = scratch.0.set(list).then_some(&scratch.0);
        }
        Beside { method: self, fingerprint, marks }
    }
}

impl Keys {
    /// Keys that are all stored and must all be probed.
    fn all_of(stored: Vec<u64>) -> Keys {
        let probes = vec![Probes { keys: stored.clone(), enough: stored.len() }];
        Keys { stored, probes }
    }

    /// Whether a search with these keys finds a document that is stored under `other`, or the other
    /// way round.
    pub fn meet(&self, other: &Keys) -> bool {
        let finds = |keys: &Keys, stored: &[u64]| {
            keys.probes.iter().any(|probes| probes.keys.iter().any(|key| stored.contains(key)))
        };
        finds(self, &other.stored) || finds(other, &self.stored)
    }

    /// Adds a prefix filter: every key is stored, and any `enough` of them are probed.
    fn add_prefix(&mut self, keys: Vec<u64>, enough: usize) {
        self.stored.extend_from_slice(&keys);
        self.probes.push(Probes { enough: enough.min(keys.len()), keys });
    }
}

impl Beside<'_> {
    /// Whether two documents can still pass the rule, by their fingerprints alone. Wrong about a
    /// pair that passes at most as often as the method itself loses one.
    #[inline]
    pub fn is_plausible(&self, other: &Fingerprint<'_>) -> bool {
        match (self.method, self.fingerprint, other) {
            (Method::Simhash(simhashes), Fingerprint::Simhash(a), Fingerprint::Simhash(b)) => {
                a.distance(*b) <= simhashes.tables().radius()
            }
            (Method::BottomK(sketches), Fingerprint::BottomK(a), Fingerprint::BottomK(b)) => {
                sketches.prefix().is_candidate(a, b)
            }
            (Method::Minhash(signatures), Fingerprint::Minhash(a), Fingerprint::Minhash(b)) => {
                signatures.is_plausible(a, self.marks, b)
            }
            (Method::Sampled(sampled), Fingerprint::Sampled(a), Fingerprint::Sampled(b)) => {
                sampled.is_plausible(*a, *b)
            }
            _ => false,
        }
    }
}

impl Fingerprint<'_> {
    /// The simhash, if the method makes one.
    pub fn simhash(&self) -> Option<Simhash> {
        match self {
            Fingerprint::Simhash(simhash) => Some(*simhash),
            _ => None,
        }
    }

    /// The Hamming distance of two simhashes.
    pub fn distance(&self, other: &Fingerprint<'_>) -> Option<u32> {
        Some(self.simhash()?.distance(other.simhash()?))
    }

    /// The Jaccard similarity that two fingerprints of one method estimate; simhashes estimate
    /// none.
    pub fn estimate(&self, other: &Fingerprint<'_>) -> Option<f64> {
        match (self, other) {
            (Fingerprint::BottomK(a), Fingerprint::BottomK(b)) => Some(a.union_estimate(b)),
            (Fingerprint::Minhash(a), Fingerprint::Minhash(b)) => a.estimate(b),
            (Fingerprint::Sampled(a), Fingerprint::Sampled(b)) => Some(a.estimate(*b)),
            _ => None,
        }
    }
}

/// Hexadecimal digits: 16 for a simhash, 4 for each bin of a signature (none if there is only a
/// list), and separated by commas 16 for each hash of a sketch, 8 for each sampled one.
impl fmt::Display for Fingerprint<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fingerprint::Simhash(simhash) => write!(formatter, "{:016x}", simhash.0),
            Fingerprint::BottomK(sketch) => list(formatter, sketch.hashes().iter().copied(), 16),
            Fingerprint::Sampled(sample) => list(formatter, sample.hashes().map(u64::from), 8),
            Fingerprint::Minhash(record) => {
                let mut bins = record.signature.into_iter().flat_map(|signature| signature.bins());
                bins.try_for_each(|bin| write!(formatter, "{bin:04x}"))
            }
        }
    }
}

fn list(formatter: &mut fmt::Formatter<'_>, values: impl Iterator<Item = u64>, digits: usize) -> fmt::Result {
    for (number, value) in values.enumerate() {
        let comma = if number > 0 { "," } else { "" };
        write!(formatter, "{comma}{value:0digits$x}")?;
    }
    Ok(())
}

/// Where fingerprints are appended: their bytes, and where each ends.
pub(crate) struct Stored<'a> {
    pub(crate) bytes: &'a mut Vec<u8>,
    pub(crate) ends: &'a mut Vec<usize>,
}

impl Stored<'_> {
    /// The fingerprint that was appended is complete.
    #[inline(always)]
    pub(crate) fn end(&mut self) {
        self.ends.push(self.bytes.len());
    }
}

/// The units of each document of a batch.
fn documents<'u>(units: &'u [u64], ends: &'u [usize]) -> impl Iterator<Item = &'u [u64]> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends).map(|(start, &end)| &units[start..end])
}
