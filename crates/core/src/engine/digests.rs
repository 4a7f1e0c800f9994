//! What is kept of documents: columns, and the stamp of the engine that made them.

use crate::hash;
use crate::recipe::Recipe;

/// The version of fingerprints and the hash of the recipe that they are made by. A table of
/// document frequencies is not part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp(u64);

/// Raised when the bytes of fingerprints or keys change for the same recipe.
const VERSION: u64 = 1;

/// Fingerprints of two recipes, or of two versions, cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "these fingerprints were made by another recipe or version (stamp {found:016x}, expected {expected:016x})"
)]
pub struct MixedRecipes {
    /// The stamp of the engine or the column.
    pub expected: u64,
    /// The stamp of what was added to it.
    pub found: u64,
}

impl Stamp {
    /// The stamp of a recipe. Its name does not matter.
    pub fn of(recipe: &Recipe) -> Self {
        let unnamed = Recipe { name: String::new(), ..recipe.clone() };
        Stamp(hash::content(unnamed.to_toml().as_bytes()) as u64 ^ VERSION)
    }

    /// As a number, to be stored.
    pub fn get(self) -> u64 {
        self.0
    }

    /// An error unless `stored` is this stamp.
    pub fn check(self, stored: u64) -> Result<(), MixedRecipes> {
        if stored == self.0 { Ok(()) } else { Err(MixedRecipes { expected: self.0, found: stored }) }
    }
}

/// What an engine makes of documents, as columns with one value a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Digests {
    /// The stamp of the engine that made them; none while there are no documents.
    pub stamp: Option<Stamp>,
    /// The hash of the text.
    pub contents: Vec<u128>,
    /// The number of features, repetitions included. A document without any is a duplicate of
    /// nothing.
    pub features: Vec<u32>,
    /// The fingerprints, one after another.
    pub fingerprints: Vec<u8>,
    /// Where each fingerprint ends.
    pub ends: Vec<usize>,
}

impl Digests {
    /// The stored fingerprint of a document; empty if there is no such document.
    pub fn fingerprint(&self, document: usize) -> &[u8] {
        let start = document.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.ends.get(document).and_then(|&end| self.fingerprints.get(start..end)).unwrap_or_default()
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Appends the digests of other documents.
    ///
    /// # Errors
    ///
    /// Digests of another recipe or version are refused, and nothing is appended.
    pub fn append(&mut self, other: &Digests) -> Result<(), MixedRecipes> {
        if let Some((stamp, other)) = self.stamp.zip(other.stamp) {
            stamp.check(other.get())?;
        }
        self.stamp = self.stamp.or(other.stamp);
        self.contents.extend_from_slice(&other.contents);
        self.features.extend_from_slice(&other.features);
        let base = self.fingerprints.len();
        self.fingerprints.extend_from_slice(&other.fingerprints);
        self.ends.extend(other.ends.iter().map(|end| base + end));
        Ok(())
    }

    /// Empties the columns and keeps their memory.
    pub fn clear(&mut self) {
        self.stamp = None;
        self.contents.clear();
        self.features.clear();
        self.fingerprints.clear();
        self.ends.clear();
    }
}
