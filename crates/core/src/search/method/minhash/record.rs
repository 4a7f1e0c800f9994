//! A MinHash fingerprint as it is stored.
//!
//! ```text
//! shingles (u32)   how many the document has, repetitions included
//! parts (u8)       which of these follow:
//! list             32 bits of each shingle, where they are few and lists are wanted (list.rs)
//! signature        unless the list is enough (signature.rs)
//! ```

use super::bands::Bands;
use super::list::{self, List};
use super::signature::{self, StoredSignature};
use crate::kernel::Kernel;

/// The parts of a stored fingerprint.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    pub(crate) list: Option<List<'a>>,
    pub(crate) signature: Option<StoredSignature<'a>>,
}

/// Which parts a fingerprint has, a bit each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts(u8);

const COUNT: usize = size_of::<u32>();
const HEAD: usize = COUNT + 1;

impl Parts {
    pub(super) const LIST: Parts = Parts(1);
    pub(super) const SIGNATURE: Parts = Parts(2);
    /// No part: the shingles of the list are distinct and ascend.
    pub(super) const SORTED: Parts = Parts(8);

    /// Those that are wanted.
    pub(super) fn of(wanted: [(Parts, bool); 3]) -> Parts {
        Parts(wanted.into_iter().filter(|(_, wanted)| *wanted).map(|(part, _)| part.0).sum())
    }

    #[inline]
    pub(super) fn has(self, part: Parts) -> bool {
        self.0 & part.0 != 0
    }
}

/// The most bytes of a fingerprint; `lists` says whether documents may have them.
pub(super) fn width(bands: Bands, lists: bool) -> usize {
    HEAD + if lists { list::WIDTH } else { 0 } + signature::width(bands.bins())
}

/// Appends what stands before the parts.
#[inline(always)]
pub(super) fn store_head(shingles: usize, parts: Parts, out: &mut Vec<u8>) {
    let shingles = u32::try_from(shingles).unwrap_or(u32::MAX);
    out.extend_from_slice(&shingles.to_le_bytes());
    out.push(parts.0);
}

#[inline(always)]
fn head(stored: &[u8]) -> (u32, Parts) {
    let head = stored.first_chunk::<HEAD>().copied().unwrap_or_default();
    let [a, b, c, d, parts] = head;
    (u32::from_le_bytes([a, b, c, d]), Parts(parts))
}

impl<'a> Record<'a> {
    /// Reads a fingerprint. What is missing of a damaged one is empty.
    #[inline(always)]
    pub(super) fn read(stored: &'a [u8], bands: Bands) -> Self {
        let (shingles, parts) = head(stored);
        let mut rest = stored.get(HEAD..).unwrap_or_default();
        let mut take = |part, bytes: usize| {
            parts.has(part).then(|| rest.split_off(..bytes.min(rest.len())).unwrap_or_default())
        };
        let list = take(Parts::LIST, list::length(stored.get(HEAD..).unwrap_or_default()));
        let signature = take(Parts::SIGNATURE, signature::width(bands.bins()));
        let list = list.map(|stored| List::new(stored, parts.has(Parts::SORTED)));
        let signature = signature.map(|stored| StoredSignature::new(stored, bands.bins(), shingles));
        Record { list, signature }
    }

    /// The Jaccard similarity that two fingerprints estimate; exact, or a little more, for two
    /// lists.
    pub(crate) fn estimate(&self, other: &Record<'_>) -> Option<f64> {
        if let (Some(left), Some(right)) = (self.list, other.list) {
            return Some(left.most_jaccard(right, Kernel::Scalar));
        }
        let (a, b) = self.signature.zip(other.signature)?;
        // Documents without shingles agree in every bin, and estimate nothing.
        let agreements = if a.occupied().min(b.occupied()) == 0 { 0 } else { a.agreements(b) };
        Some(f64::from(agreements) / a.stored_bins().len().max(1) as f64)
    }
}
