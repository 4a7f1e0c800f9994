//! Sampled shingles: how a document is found that is a part of another one.
//!
//! A part shares all of its shingles with the whole, and hardly any of the whole's with it:
//! signatures of the two, which estimate the shared share of *both*, do not meet. So every document
//! keeps those of its shingles whose hash falls below a bound, one in `rate`: the same shingles are
//! kept of every document, whatever its length, so what is kept of a part is kept of the whole.
//!
//! ```text
//! sample(document)  = the shingles with hash < 2^64 / rate, 32 other bits of each
//! stored under      = all of the sample
//! probed with       = the rarest n - (T - 4 deviations) n + 1 of its n
//! ```
//!
//! If at least T of x's shingles are in y, about T of its n sampled ones are, so one of any `n - T
//! n + 1` is: x probes with its rarest. Keys are stored by all and probed by few: a licence in a
//! thousand files makes a thousand candidates, where a join of all with all would make half a
//! million.
//!
//! A part of 100 words has 98 shingles of three, of which 12 are sampled at the usual rate of 8;
//! with chance 2 in a million it is none. Of 20 words, 9 in 100 have none: lower rates find shorter
//! parts and take more memory (4 bytes for each sampled shingle).
//!
//! Sampling below a bound is that of A. Broder, On the resemblance and containment of documents,
//! 1997 ("mod m"); genome search calls it FracMinHash.

use super::{Keys, MethodScratch, Probes, Stored, Width, documents};
use crate::feature::Shingler;
use crate::hash::mix;
use crate::recipe::{Measure, Recipe, Rule};
use crate::search::HashFrequencies;

/// A pair is screened out when its estimate lies this many standard deviations below the threshold.
const DEVIATIONS: f64 = 4.0;

const COUNT: usize = size_of::<u32>();
pub(super) const HASH: usize = size_of::<u32>();

/// The lowest bit of an entry's key: set where a document probes, clear where it is stored.
pub(crate) const PROBE: u64 = 1;

/// A sample grows with its document: two thousand words, one in eight sampled, are typical.
pub(super) const WIDTH: Width = Width { fixed: None, typical: 1024, most: usize::MAX };

/// Which shingles are sampled, and what two samples say.
#[derive(Debug, Clone)]
pub(crate) struct Sampled {
    shingler: Shingler,
    /// Hashes up to this one are sampled.
    limit: u64,
    rule: Rule,
}

/// The sampled hashes of a document, ascending.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a>(&'a [[u8; HASH]]);

impl Sampled {
    pub(super) fn new(recipe: &Recipe) -> Self {
        let feature = &recipe.feature;
        Sampled {
            shingler: Shingler::new(feature.unit, feature.size, feature.hash),
            limit: u64::MAX / u64::from(recipe.sampled.rate.max(1)),
            rule: recipe.rule,
        }
    }

    pub(super) fn write(
        &self,
        units: &[u64],
        ends: &[usize],
        scratch: &mut MethodScratch,
        out: &mut Stored<'_>,
    ) {
        for document in documents(units, ends) {
            let hashes = &mut scratch.smallest;
            hashes.clear();
            self.shingler.shingles(document, |hash| {
                if hash <= self.limit {
                    // The upper bits decide about sampling: the lower ones are as good as new.
                    hashes.push(hash & u64::from(u32::MAX));
                }
            });
            hashes.sort_unstable();
            hashes.dedup();
            out.bytes.extend((hashes.len() as u32).to_le_bytes());
            out.bytes.extend(hashes.iter().flat_map(|&hash| (hash as u32).to_le_bytes()));
            out.end();
        }
    }

    /// Appends the keys of a sample for a join: each hash as a stored key, the rarest as probes
    /// too. A hash that no other document has is no key.
    pub(super) fn entries(&self, sample: Sample<'_>, frequencies: &HashFrequencies, keys: &mut Vec<u64>) {
        const ALONE: u16 = 1;
        let mut shared: Vec<(u16, u32)> = sample
            .hashes()
            .map(|hash| (frequencies.of(u64::from(hash)), hash))
            .filter(|&(frequency, _)| frequency != ALONE)
            .collect();
        keys.extend(shared.iter().map(|&(_, hash)| key(hash)));
        let count = sample.hashes().len();
        // What no other document has is the rarest, and is probed in vain.
        let probes = self.probes(count).saturating_sub(count - shared.len());
        if probes < shared.len() {
            shared.select_nth_unstable(probes);
            shared.truncate(probes);
        }
        keys.extend(shared.iter().map(|&(_, hash)| key(hash) | PROBE));
    }

    /// See [`Method::keys`](super::Method::keys).
    pub(super) fn keys_of(&self, sample: Sample<'_>, frequencies: Option<&HashFrequencies>) -> Keys {
        let Some(frequencies) = frequencies else {
            let mut keys = Keys::default();
            let count = sample.hashes().len();
            keys.add_prefix(sample.hashes().map(key).collect(), self.probes(count));
            return keys;
        };
        let mut entries = vec![];
        self.entries(sample, frequencies, &mut entries);
        let (stored, probes): (Vec<u64>, Vec<u64>) = entries.into_iter().partition(|key| key & PROBE == 0);
        let keys: Vec<u64> = probes.into_iter().map(|key| key & !PROBE).collect();
        Keys { stored, probes: vec![Probes { enough: keys.len(), keys }] }
    }

    /// Any `probes` of a sample of `count` have one that every document has that passes the rule.
    fn probes(&self, count: usize) -> usize {
        let least = (self.least_share(count) * count as f64).floor().max(1.0) as usize;
        (count + 1).saturating_sub(least)
    }

    /// The least share of `count` sampled shingles that a pair which passes the rule has in common.
    fn least_share(&self, count: usize) -> f64 {
        // A cosine of words says nothing about a share of shingles.
        let threshold = if self.rule.measure == Measure::Cosine { 0.0 } else { self.rule.threshold };
        threshold - DEVIATIONS * (threshold * (1.0 - threshold) / count.max(1) as f64).sqrt()
    }

    /// Whether two documents may pass the rule.
    pub(super) fn is_plausible(&self, a: Sample<'_>, b: Sample<'_>) -> bool {
        let (left, right) = (a.hashes().len(), b.hashes().len());
        let common = a.common(b);
        let whole = match self.rule.measure {
            Measure::Cosine => return common > 0,
            Measure::Containment => left.min(right),
            Measure::Jaccard => left + right - common,
        };
        common > 0 && common as f64 >= self.least_share(whole) * whole as f64
    }
}

impl<'a> Sample<'a> {
    /// Parses a stored sample; a damaged one has the hashes that are there.
    pub(super) fn read(stored: &'a [u8]) -> Self {
        let count = stored.first_chunk().map_or(0, |&count| u32::from_le_bytes(count) as usize);
        let hashes = stored.get(COUNT..).unwrap_or_default().as_chunks().0;
        Sample(&hashes[..hashes.len().min(count)])
    }

    /// The hashes, ascending.
    pub(super) fn hashes(self) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        self.0.iter().map(|&hash| u32::from_le_bytes(hash))
    }

    fn common(self, other: Sample<'_>) -> usize {
        let mut right = other.hashes().peekable();
        let is_common = |hash: &u32| {
            while right.next_if(|other| other < hash).is_some() {}
            right.peek() == Some(hash)
        };
        self.hashes().filter(is_common).count()
    }

    /// The Jaccard that two samples estimate.
    pub(super) fn estimate(self, other: Sample<'_>) -> f64 {
        let common = self.common(other);
        common as f64 / (self.0.len() + other.0.len() - common).max(1) as f64
    }
}

/// The key of a sampled hash. Its lowest bit is clear.
fn key(hash: u32) -> u64 {
    mix(u64::from(hash)) & !PROBE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::{MethodName, SampledOptions};
    use crate::search::candidates::{Edge, meet};

    const RATE: u32 = 8;

    fn sampled(threshold: f64) -> Sampled {
        let rule = Rule { measure: Measure::Containment, threshold, ..Rule::default() };
        let mut recipe = Recipe { method: MethodName::Sampled, rule, ..Recipe::default() };
        recipe.sampled = SampledOptions { rate: RATE };
        recipe.feature.size = 1;
        Sampled::new(&recipe)
    }

    fn stored(sampled: &Sampled, shingles: impl Iterator<Item = u64>) -> Vec<u8> {
        let (mut bytes, mut ends) = (vec![], vec![]);
        let units: Vec<u64> = shingles.map(mix).collect();
        let mut out = Stored { bytes: &mut bytes, ends: &mut ends };
        sampled.write(&units, &[units.len()], &mut MethodScratch::default(), &mut out);
        bytes
    }

    /// Two thousand documents that share a frame, and a part of every tenth: the part probes and is
    /// found, and no other two meet by the frame.
    #[test]
    fn parts_find_their_wholes_and_the_frame_makes_no_candidates() {
        const DOCUMENTS: u64 = 2_000;
        let sampled = sampled(0.9);
        let whole = |document: u64| (0..200).chain(document * 10_000..document * 10_000 + 2_000);
        let part = |document: u64| document * 10_000 + 700..document * 10_000 + 800;
        let wholes = (1..=DOCUMENTS).map(|document| stored(&sampled, whole(document)));
        let parts = (1..=DOCUMENTS).step_by(10).map(|document| stored(&sampled, part(document)));
        let bytes: Vec<Vec<u8>> = wholes.chain(parts).collect();
        let samples: Vec<Sample<'_>> = bytes.iter().map(|bytes| Sample::read(bytes)).collect();
        let mut frequencies = HashFrequencies::with_slots(1 << 20);
        samples.iter().for_each(|sample| frequencies.add(sample.hashes().map(u64::from)));
        let mut entries = vec![];
        for (&sample, rank) in samples.iter().zip(0..) {
            let mut keys = vec![];
            sampled.entries(sample, &frequencies, &mut keys);
            entries.extend(keys.into_iter().map(|key| (key, rank)));
        }
        entries.sort_unstable();
        let mut edges: Vec<Edge> = vec![];
        meet(&entries, None, true, &mut |edge| edges.push(edge));
        edges.sort_unstable();
        edges.dedup();
        edges.retain(|edge| {
            sampled.is_plausible(samples[edge.later as usize], samples[edge.earlier as usize])
        });
        let expected: Vec<Edge> = (0..DOCUMENTS as u32)
            .step_by(10)
            .zip(DOCUMENTS as u32..)
            .map(|(earlier, later)| Edge { later, earlier })
            .collect();
        assert_eq!(edges, expected);
    }

    #[test]
    fn probes_are_fewer_the_more_must_be_shared() {
        assert_eq!(sampled(1.0).probes(100), 1);
        assert!((20..50).contains(&sampled(0.9).probes(100)));
        assert_eq!(sampled(0.1).probes(20), 20, "so little may be shared that any may be missing");
        assert_eq!(sampled(0.9).probes(0), 0);
    }

    #[test]
    fn damaged_samples_have_what_is_there() {
        let hashes = |stored: &[u8]| Sample::read(stored).hashes().len();
        assert_eq!((hashes(&[]), hashes(&[9, 0, 0, 0, 1, 0, 0, 0])), (0, 1));
    }
}
