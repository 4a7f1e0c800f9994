//! What the engine knows of fingerprints: keys, candidate pairs, plausible pairs.

use super::Engine;
use crate::search::candidates::{Collection, JoinOptions, LISTED_BYTES};
use crate::search::method::Method;
use crate::search::{Beside, BesideScratch, Edge, Fingerprint, HashFrequencies, Keys, Width};

impl Engine {
    /// How many bytes fingerprints take.
    pub fn width(&self) -> Width {
        self.method.width()
    }

    /// Parses a stored fingerprint of this engine.
    #[inline]
    pub fn read<'a>(&self, stored: &'a [u8]) -> Fingerprint<'a> {
        self.method.read(stored)
    }

    /// The frequencies of the keys of some fingerprints, in a table for a collection of `documents`
    /// documents. Tables of the same size are added by [`HashFrequencies::merge`]. Without slots if
    /// keys do not depend on frequencies.
    pub fn frequencies<'a>(
        &self,
        documents: usize,
        fingerprints: impl IntoIterator<Item = &'a [u8]>,
    ) -> HashFrequencies {
        let mut frequencies = self.method.frequencies(documents);
        for stored in fingerprints {
            self.method.count(&self.method.read(stored), &mut frequencies);
        }
        frequencies
    }

    /// The keys of a fingerprint. With `frequencies` of the whole collection, sketches and samples
    /// use their rarest keys; the keys of other methods do not depend on them. Without, as in an
    /// index that grows, everything is stored, and a search chooses what it probes.
    pub fn keys(&self, fingerprint: &Fingerprint<'_>, frequencies: Option<&HashFrequencies>) -> Keys {
        self.method.keys(fingerprint, frequencies)
    }

    /// Calls `sink` with the candidate pairs of a collection, some of them several times, and
    /// `progress` with how many passes of how many are done. Returns how many pairs the limit left
    /// out.
    pub fn candidates<C: Collection>(
        &self,
        collection: &C,
        options: &JoinOptions<'_>,
        sink: &mut dyn FnMut(Edge) -> Result<(), C::Error>,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<u64, C::Error> {
        self.method.join(collection, options, sink, progress)
    }

    /// The radius, if the method is simhash: then every pair within it is a candidate, and there
    /// are joins and indexes for that alone.
    pub fn radius(&self) -> Option<u32> {
        match &self.method {
            Method::Simhash(simhashes) => Some(simhashes.radius()),
            _ => None,
        }
    }

    /// About how many keys a long document has, for a forecast.
    pub fn typical_keys(&self) -> usize {
        self.method.typical_keys()
    }

    /// Memory that [`Engine::candidates`] takes for a collection of `documents` documents, besides
    /// what its options say.
    pub fn join_bytes(&self, documents: usize) -> usize {
        let listed = match &self.method {
            Method::Minhash(signatures) if signatures.lists().is_some() => documents * LISTED_BYTES,
            _ => 0,
        };
        self.method.frequency_bytes(documents) + listed
    }

    /// A fingerprint that is compared with several others, to see which of them can still pass the
    /// rule.
    pub fn beside<'a>(
        &'a self,
        fingerprint: &'a Fingerprint<'a>,
        scratch: &'a mut BesideScratch,
    ) -> Beside<'a> {
        self.method.beside(fingerprint, scratch)
    }

    /// Whether the search proposes two documents: they share a key, and can still pass.
    pub fn proposes(&self, a: &Fingerprint<'_>, b: &Fingerprint<'_>) -> bool {
        // Either choice of keys finds every plausible pair (of samples, with high probability).
        self.keys(a, None).meet(&self.keys(b, None))
            && self.beside(a, &mut BesideScratch::default()).is_plausible(b)
    }
}
