//! Packs 64 flags, one byte each, into the bits of one word.
//!
//! The compiler vectorises a loop that writes bytes, but not one that sets bits.

/// Flags in a word.
pub const FLAGS: usize = u64::BITS as usize;

/// The product of eight flags (0 or 1) and this constant has them in its highest byte, the first
/// one lowest.
const GATHER: u64 = 0x0102_0408_1020_4080;

/// Bit i of the result is flag i; each flag is 0 or 1.
#[inline(always)]
pub fn pack(flags: &[u8; FLAGS]) -> u64 {
    let eights = flags.as_chunks::<8>().0.iter().zip((0..).step_by(8));
    eights.fold(0, |word, (&eight, place)| {
        word | (u64::from_le_bytes(eight).wrapping_mul(GATHER) >> (u64::BITS - 8)) << place
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn bit_i_is_flag_i() {
        for word in (0..100).map(mix).chain([0, 1, 1 << 63, u64::MAX]) {
            assert_eq!(pack(&std::array::from_fn(|bit| (word >> bit & 1) as u8)), word);
        }
    }
}
