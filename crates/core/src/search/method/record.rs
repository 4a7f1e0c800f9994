//! A MinHash fingerprint as it is stored.
//!
//! ```text
//! shingles (u32)   how many the document has, repetitions included
//! parts (u8)       which of these follow:
//! list             32 bits of each shingle, where they are few and lists are wanted        search/listed.rs
//! signature        unless the list is enough                                               search/signature.rs
//! ```

use crate::search::Bands;
use crate::search::listed::{self, List};
use crate::search::signature::{self, StoredSignature};

/// The parts of a stored fingerprint.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) list: Option<List<'a>>,
    pub(super) signature: Option<StoredSignature<'a>>,
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
    HEAD + if lists { listed::WIDTH } else { 0 } + signature::width(bands.bins())
}

/// Appends what stands before the parts.
#[inline(always)]
pub(super) fn store_head(shingles: usize, parts: Parts, out: &mut Vec<u8>) {
    let shingles = u32::try_from(shingles).unwrap_or(u32::MAX);
    out.extend_from_slice(&shingles.to_le_bytes());
    out.push(parts.0);
}

fn head(stored: &[u8]) -> (u32, Parts) {
    let head = stored.first_chunk::<HEAD>().copied().unwrap_or_default();
    let [a, b, c, d, parts] = head;
    (u32::from_le_bytes([a, b, c, d]), Parts(parts))
}

impl<'a> Record<'a> {
    /// Reads a fingerprint. What is missing of a damaged one is empty.
    #[inline]
    pub(super) fn read(stored: &'a [u8], bands: Bands) -> Self {
        let (shingles, parts) = head(stored);
        let mut rest = stored.get(HEAD..).unwrap_or_default();
        let mut take = |part, bytes: usize| {
            parts.has(part).then(|| rest.split_off(..bytes.min(rest.len())).unwrap_or_default())
        };
        let list = take(Parts::LIST, listed::length(stored.get(HEAD..).unwrap_or_default()));
        let signature = take(Parts::SIGNATURE, signature::width(bands.bins()));
        let list = list.map(|stored| List::new(stored, parts.has(Parts::SORTED)));
        let signature = signature.map(|stored| StoredSignature::new(stored, bands.bins(), shingles));
        Record { list, signature }
    }

    /// How many bytes the fingerprint takes that `stored` begins with.
    pub(super) fn length(stored: &[u8], bands: Bands) -> usize {
        let parts = head(stored).1;
        let of = |part, bytes: usize| if parts.has(part) { bytes } else { 0 };
        let list = of(Parts::LIST, listed::length(stored.get(HEAD..).unwrap_or_default()));
        HEAD + list + of(Parts::SIGNATURE, signature::width(bands.bins()))
    }
}
