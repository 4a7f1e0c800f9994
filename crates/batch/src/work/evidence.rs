//! A cache of evidence, made from texts on demand.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use twindex_core::verify::Evidence;
use twindex_core::{Engine, EngineScratch};

use super::{Documents, TextScratch};
use crate::error::Result;

/// A larger cache gains nothing: candidates are sorted, so a document is needed again soon.
pub(crate) const MOST_BYTES: usize = 256 << 20;

/// What the cache itself needs for an entry.
const ENTRY_BYTES: usize = 64 + size_of::<Evidence>();

/// Makes and caches evidence. Shared by all threads.
pub(crate) struct EvidenceStore<'a> {
    documents: &'a Documents,
    engine: &'a Engine,
    cache: Mutex<Generations>,
}

/// Buffers that a thread reuses.
#[derive(Default)]
pub(crate) struct EvidenceScratch {
    text: TextScratch,
    engine: EngineScratch,
}

impl<'a> EvidenceStore<'a> {
    /// A store that keeps at most `memory` bytes of evidence, and never more than [`MOST_BYTES`].
    pub(crate) fn new(documents: &'a Documents, engine: &'a Engine, memory: usize) -> Self {
        EvidenceStore { documents, engine, cache: Mutex::new(Generations::new(memory.min(MOST_BYTES))) }
    }

    /// The evidence of a document.
    pub(crate) fn of(&self, document: u32, scratch: &mut EvidenceScratch) -> Result<Arc<Evidence>> {
        if let Some(evidence) = self.lock().get(document) {
            return Ok(evidence);
        }
        let (text, markup) = self.documents.text(document, &mut scratch.text)?;
        let evidence = Arc::new(self.engine.evidence(text, markup, &mut scratch.engine));
        self.lock().insert(document, Arc::clone(&evidence));
        Ok(evidence)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Generations> {
        // A panicking thread leaves only valid entries in the cache.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A cache of two generations: when the young one is full it becomes the old one, and the old one
/// is dropped, except entries that were used since. Almost as good as LRU, for the price of a hash
/// map.
struct Generations {
    young: HashMap<u32, Arc<Evidence>>,
    old: HashMap<u32, Arc<Evidence>>,
    young_bytes: usize,
    limit: usize,
}

impl Generations {
    fn new(memory: usize) -> Self {
        Generations { young: HashMap::new(), old: HashMap::new(), young_bytes: 0, limit: memory / 2 }
    }

    fn get(&mut self, document: u32) -> Option<Arc<Evidence>> {
        if let Some(evidence) = self.young.get(&document) {
            return Some(Arc::clone(evidence));
        }
        let evidence = self.old.remove(&document)?;
        self.insert(document, Arc::clone(&evidence));
        Some(evidence)
    }

    fn insert(&mut self, document: u32, evidence: Arc<Evidence>) {
        self.young_bytes += evidence.bytes() + ENTRY_BYTES;
        self.young.insert(document, evidence);
        if self.young_bytes > self.limit {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use twindex_core::feature::FeatureSet;

    use super::*;

    #[test]
    fn what_is_used_stays_and_the_rest_is_dropped() {
        let evidence =
            || Arc::new(Evidence { features: FeatureSet::new((0..100).collect()), ..Evidence::default() });
        let mut cache = Generations::new(20_000);
        for document in 0..1_000 {
            cache.insert(document, evidence());
            assert!(cache.get(0).is_some(), "used all the time");
        }
        assert!(cache.get(999).is_some(), "fresh");
        assert!(cache.get(3).is_none(), "long unused");
        assert!(cache.young.len() + cache.old.len() < 40);
    }
}
