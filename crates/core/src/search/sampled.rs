//! Sampled shingles: how a document is found that is a part of another one.
//!
//! A part shares all of its shingles with the whole, and hardly any of the whole's with it: signatures of the two, which estimate
//! the shared share of *both*, do not meet. So every document keeps those of its shingles whose hash falls below a bound, one in
//! `rate`: the same shingles are kept of every document, whatever its length, so what is kept of a part is kept of the whole.
//!
//! ```text
//! sample(document)  = the shingles with hash < 2^64 / rate, 32 other bits of each
//! stored under      = all of the sample
//! probed with       = the rarest n - (T - 4 deviations) n + 1 of its n
//! ```
//!
//! If at least T of x's shingles are in y, about T of its n sampled ones are, so one of any n - T n + 1 is: x probes with its
//! rarest. Keys are stored by all and probed by few: a licence in a thousand files makes a thousand candidates, where a join of
//! all with all would make half a million.
//!
//! A part of 100 words has 98 shingles of three, of which 12 are sampled at the usual rate of 8; with chance 2 in a million it is
//! none. Of 20 words, 9 in 100 have none: lower rates find shorter parts and take more memory (4 bytes for each sampled shingle).
//!
//! Sampling below a bound is that of A. Broder, On the resemblance and containment of documents, 1997 ("mod m"); genome
//! search calls it FracMinHash.

use super::sketch_join::HashFrequencies;
use crate::hash::mix;
use crate::recipe::{Measure, Rule};

/// A pair is screened out when its estimate lies this many standard deviations below the threshold.
const DEVIATIONS: f64 = 4.0;

const COUNT: usize = size_of::<u32>();
const HASH: usize = size_of::<u32>();

/// The lowest bit of a key: set where a document probes, clear where it is stored.
pub(super) const PROBE: u64 = 1;

/// Which shingles are sampled, and what two samples say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sampled {
    /// Sampled are hashes up to this one.
    limit: u64,
    rule: Rule,
}

impl Sampled {
    /// One shingle in `rate`.
    pub(super) fn new(rate: u32, rule: Rule) -> Self {
        Sampled { limit: u64::MAX / u64::from(rate.max(1)), rule }
    }

    /// Appends the sample of a document's shingles: their number, and the sampled ones ascending.
    pub(super) fn store(
        self,
        shingles: impl FnOnce(&mut dyn FnMut(u64)),
        buffer: &mut Vec<u64>,
        out: &mut Vec<u8>,
    ) {
        buffer.clear();
        shingles(&mut |hash| {
            if hash <= self.limit {
                // The upper bits decide about sampling: the lower ones are as good as new.
                buffer.push(hash & u64::from(u32::MAX));
            }
        });
        buffer.sort_unstable();
        buffer.dedup();
        out.extend((buffer.len() as u32).to_le_bytes());
        out.extend(buffer.iter().flat_map(|&hash| (hash as u32).to_le_bytes()));
    }

    /// Appends the keys of a stored sample: each hash as a stored key, the rarest as probes too. A hash that no other document
    /// has is no key.
    pub(super) fn keys(self, stored: &[u8], frequencies: &HashFrequencies, keys: &mut Vec<u64>) {
        const ALONE: u16 = 1;
        let mut shared: Vec<(u16, u32)> = hashes(stored)
            .map(|hash| (frequencies.of(u64::from(hash)), hash))
            .filter(|&(frequency, _)| frequency != ALONE)
            .collect();
        keys.extend(shared.iter().map(|&(_, hash)| key(hash)));
        let count = hashes(stored).len();
        // What no other document has is the rarest, and is probed in vain.
        let probes = self.probes(count).saturating_sub(count - shared.len());
        if probes < shared.len() {
            shared.select_nth_unstable(probes);
            shared.truncate(probes);
        }
        keys.extend(shared.iter().map(|&(_, hash)| key(hash) | PROBE));
    }

    /// Any `probes` of a sample of `count` have one that every document has that passes the rule.
    fn probes(self, count: usize) -> usize {
        let least = (self.least_share(count) * count as f64).floor().max(1.0) as usize;
        (count + 1).saturating_sub(least)
    }

    /// The least share of `count` sampled shingles that a pair which passes the rule has in common.
    fn least_share(self, count: usize) -> f64 {
        // A cosine of words says nothing about a share of shingles.
        let threshold = if self.rule.measure == Measure::Cosine { 0.0 } else { self.rule.threshold };
        threshold - DEVIATIONS * (threshold * (1.0 - threshold) / count.max(1) as f64).sqrt()
    }

    /// Whether two documents may pass the rule.
    pub(super) fn is_plausible(self, a: &[u8], b: &[u8]) -> bool {
        let (left, right) = (hashes(a).len(), hashes(b).len());
        let common = common(a, b);
        let whole = match self.rule.measure {
            Measure::Cosine => return common > 0,
            Measure::Containment => left.min(right),
            Measure::Jaccard => left + right - common,
        };
        common > 0 && common as f64 >= self.least_share(whole) * whole as f64
    }

    /// The Jaccard that two samples estimate.
    pub(super) fn estimate(a: &[u8], b: &[u8]) -> f64 {
        let common = common(a, b);
        common as f64 / (hashes(a).len() + hashes(b).len() - common).max(1) as f64
    }
}

/// The key of a sampled hash. Its lowest bit is clear.
fn key(hash: u32) -> u64 {
    mix(u64::from(hash)) & !PROBE
}

/// How many bytes the sample takes that `stored` begins with.
pub(super) fn length(stored: &[u8]) -> usize {
    let count = stored.first_chunk().map_or(0, |&count| u32::from_le_bytes(count) as usize);
    COUNT.saturating_add(count.saturating_mul(HASH))
}

/// The sampled hashes, ascending.
pub(super) fn hashes(stored: &[u8]) -> impl ExactSizeIterator<Item = u32> + use<'_> {
    let hashes = stored.get(COUNT..).unwrap_or_default().as_chunks().0;
    hashes.iter().map(|&hash| u32::from_le_bytes(hash))
}

fn common(a: &[u8], b: &[u8]) -> usize {
    let mut right = hashes(b).peekable();
    let is_common = |hash: &u32| {
        while right.next_if(|other| other < hash).is_some() {}
        right.peek() == Some(hash)
    };
    hashes(a).filter(is_common).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::bucket::{Edge, bucket_edges};

    const RATE: u32 = 8;

    fn sampled(threshold: f64) -> Sampled {
        Sampled::new(RATE, Rule { measure: Measure::Containment, threshold, ..Rule::default() })
    }

    fn stored(sampled: Sampled, shingles: impl Iterator<Item = u64>) -> Vec<u8> {
        let mut out = vec![];
        sampled.store(|sink| shingles.for_each(|shingle| sink(mix(shingle))), &mut vec![], &mut out);
        assert_eq!(length(&out), out.len());
        out
    }

    /// Two thousand documents that share a frame, and a part of every tenth: the part probes and is found, and no other two meet
    /// by the frame.
    #[test]
    fn parts_find_their_wholes_and_the_frame_makes_no_candidates() {
        const DOCUMENTS: u64 = 2_000;
        let sampled = sampled(0.9);
        let whole = |document: u64| (0..200).chain(document * 10_000..document * 10_000 + 2_000);
        let part = |document: u64| document * 10_000 + 700..document * 10_000 + 800;
        let wholes = (1..=DOCUMENTS).map(|document| stored(sampled, whole(document)));
        let parts = (1..=DOCUMENTS).step_by(10).map(|document| stored(sampled, part(document)));
        let samples: Vec<Vec<u8>> = wholes.chain(parts).collect();
        let mut frequencies = HashFrequencies::with_slots(1 << 20);
        samples.iter().for_each(|sample| frequencies.add(hashes(sample).map(u64::from)));
        let mut entries = vec![];
        for (sample, rank) in samples.iter().zip(0..) {
            let mut keys = vec![];
            sampled.keys(sample, &frequencies, &mut keys);
            entries.extend(keys.into_iter().map(|key| (key, rank)));
        }
        entries.sort_unstable();
        let mut edges: Vec<Edge> = vec![];
        bucket_edges(&entries, None, true, &mut |edge| edges.push(edge));
        edges.sort_unstable();
        edges.dedup();
        edges.retain(|edge| {
            sampled.is_plausible(&samples[edge.later as usize], &samples[edge.earlier as usize])
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
        assert_eq!((hashes(&[]).len(), hashes(&[9, 0, 0, 0, 1, 0, 0, 0]).len()), (0, 1));
        assert!(length(&[255; 4]) > 1 << 30);
    }
}
