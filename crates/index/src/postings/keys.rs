//! The keys of a document.

use twindex_core::Engine;
use twindex_core::search::{BesideScratch, Keys};

use super::{Group, Key, key};

/// The keys under which a document is stored, and those that a search for it probes.
#[derive(Debug, Clone)]
pub(crate) struct DocumentKeys {
    /// Ascending, each once.
    pub(crate) stored: Vec<Key>,
    pub(crate) groups: Vec<Group>,
    of_content: Key,
    of_engine: Keys,
    fingerprint: Vec<u8>,
}

impl DocumentKeys {
    /// The keys of a document with this fingerprint. Equal texts have one key in common, whatever
    /// else is common: that of their content hash.
    pub(crate) fn new(engine: &Engine, fingerprint: Vec<u8>, content: u128) -> DocumentKeys {
        let of_engine = engine.keys(&engine.read(&fingerprint), None);
        let of_content = key((content >> 64) as u64 ^ content as u64);
        let mut groups: Vec<Group> = of_engine
            .probes
            .iter()
            .map(|probes| Group {
                keys: probes.keys.iter().map(|&of| key(of)).collect(),
                enough: probes.enough,
            })
            .collect();
        groups.push(Group { keys: vec![of_content], enough: 1 });
        let mut stored: Vec<Key> = of_engine.stored.iter().map(|&of| key(of)).chain([of_content]).collect();
        stored.sort_unstable();
        stored.dedup();
        DocumentKeys { stored, groups, of_content, of_engine, fingerprint }
    }

    /// The key of the content hash.
    pub(crate) fn of_content(&self) -> Key {
        self.of_content
    }

    /// The fingerprint that they are made of.
    pub(crate) fn fingerprint(&self) -> &[u8] {
        &self.fingerprint
    }

    /// Whether the engine proposes this document and that of another fingerprint. A posting list
    /// says less: it holds a part of each key.
    pub(crate) fn proposes(&self, engine: &Engine, other: &[u8], scratch: &mut BesideScratch) -> bool {
        let (own, other) = (engine.read(&self.fingerprint), engine.read(other));
        engine.beside(&own, scratch).is_plausible(&other) && self.of_engine.meet(&engine.keys(&other, None))
    }
}
