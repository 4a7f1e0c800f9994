//! Bottom-k sketches above a threshold, by a prefix filter.
//!
//! ```text
//! count (u16)         of the hashes
//! hashes (u64 each)   ascending
//! ```

use super::{Keys, MethodScratch, Stored, Width, documents};
use crate::fingerprint::{BottomK, Sketcher};
use crate::kernel::Kernel;
use crate::recipe::Recipe;
use crate::search::{HashFrequencies, SketchPrefix};

const COUNT: usize = size_of::<u16>();
const HASH: usize = size_of::<u64>();

/// The method.
#[derive(Debug, Clone)]
pub(crate) struct Sketches {
    k: usize,
    sketcher: Sketcher,
    prefix: SketchPrefix,
}

impl Sketches {
    pub(super) fn new(recipe: &Recipe, kernel: Kernel) -> Self {
        let options = &recipe.bottom_k;
        Sketches {
            k: options.size,
            sketcher: Sketcher::new(options.size, recipe.feature.size, kernel),
            prefix: SketchPrefix::new(options.threshold),
        }
    }

    pub(super) fn width(&self) -> Width {
        let most = COUNT + HASH * self.k;
        Width { fixed: None, typical: most, most }
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
            self.sketcher.sketch_into(document, hashes);
            out.bytes.extend((hashes.len() as u16).to_le_bytes());
            out.bytes.extend(hashes.iter().flat_map(|hash| hash.to_le_bytes()));
            out.end();
        }
    }

    pub(super) fn read(&self, stored: &[u8]) -> BottomK {
        let count = stored.first_chunk().map_or(0, |&count| usize::from(u16::from_le_bytes(count)));
        let hashes = stored.get(COUNT..).unwrap_or_default().as_chunks().0;
        let hashes = hashes.iter().take(count.min(self.k)).map(|&hash| u64::from_le_bytes(hash));
        BottomK::from_sorted(self.k, hashes.collect())
    }

    /// The most hashes of a sketch.
    pub(super) fn size(&self) -> usize {
        self.k
    }

    pub(super) fn prefix(&self) -> SketchPrefix {
        self.prefix
    }

    /// See [`Method::keys`](super::Method::keys).
    pub(super) fn keys_of(&self, sketch: &BottomK, frequencies: Option<&HashFrequencies>) -> Keys {
        let Some(frequencies) = frequencies else {
            let mut keys = Keys::default();
            keys.add_prefix(sketch.hashes().to_vec(), self.prefix.length(sketch.hashes().len()));
            return keys;
        };
        let mut stored = vec![];
        self.prefix.keys(sketch.hashes(), frequencies, &mut stored);
        Keys::all_of(stored)
    }
}
