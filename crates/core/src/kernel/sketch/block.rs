//! Bitmaps that are screened together, and their folded form by nibbles.
//!
//! Folding combines both halves of a bitmap by OR. A bit of a folded query that a folded bitmap
//! lacks still proves a missing hash, and distinct bits prove distinct hashes. Half of the bits
//! thus rule out nearly every pair; the whole bitmaps decide on the others.
//!
//! What four bits of a query miss in four bits of a bitmap is one of sixteen values, and a byte
//! shuffle looks up 32 of them at once. So the folded bitmaps of a block are stored as one row of
//! bytes for each nibble:
//!
//! ```text
//! rows[nibble][bitmap] = those four bits of the folded bitmap
//! missing[bitmap]      = sum over nibbles of  table of the query's nibble [rows[nibble][bitmap]]
//! ```

use super::{BITMAP_WORDS, BitmapWords};

/// The words of a folded bitmap.
const FOLDED_WORDS: usize = BITMAP_WORDS / 2;

/// The nibbles of a folded bitmap.
pub(super) const NIBBLES: usize = FOLDED_WORDS * (u64::BITS / 4) as usize;

/// One byte for each bitmap of a block.
pub(super) type Row = [u8; ScreenBlock::LENGTH];

/// Bitmaps that are screened together.
#[derive(Debug, Clone)]
pub struct ScreenBlock {
    bitmaps: Vec<BitmapWords>,
    rows: Box<[Row; NIBBLES]>,
}

impl ScreenBlock {
    /// The most bitmaps of a block: their rows take 16 KiB, half of a small first-level cache.
    pub const LENGTH: usize = 256;

    /// A block of at most [`Self::LENGTH`] bitmaps.
    ///
    /// # Panics
    /// If there are more.
    pub fn new(bitmaps: &[BitmapWords]) -> Self {
        assert!(bitmaps.len() <= Self::LENGTH, "{} bitmaps are more than a block holds", bitmaps.len());
        let mut rows = Box::new([[0; Self::LENGTH]; NIBBLES]);
        for (position, bitmap) in bitmaps.iter().enumerate() {
            for (nibble, value) in nibbles(bitmap).into_iter().enumerate() {
                rows[nibble][position] = value;
            }
        }
        ScreenBlock { bitmaps: bitmaps.to_vec(), rows }
    }

    /// The bitmaps, in their order.
    pub fn bitmaps(&self) -> &[BitmapWords] {
        &self.bitmaps
    }

    /// The folded bitmaps; behind the last one, nothing is set.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "for kernels that shuffle bytes"))]
    pub(super) fn rows(&self) -> &[Row; NIBBLES] {
        &self.rows
    }
}

/// The nibbles of a bitmap's folded form.
#[inline]
pub(super) fn nibbles(bitmap: &BitmapWords) -> [u8; NIBBLES] {
    let folded: [u64; FOLDED_WORDS] = std::array::from_fn(|word| bitmap[word] | bitmap[word + FOLDED_WORDS]);
    std::array::from_fn(|nibble| (folded[nibble / 16] >> (4 * (nibble % 16)) & 0xF) as u8)
}
