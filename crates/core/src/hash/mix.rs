//! Mixing: from word hashes to shingle hashes.

/// The multipliers of [`mix`](mix()).
pub const MIX_MULTIPLIERS: [u64; 2] = [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb];

/// A bijection of 64 bits in which every input bit affects every output bit (the finaliser of
/// splitmix64).
#[inline(always)]
pub const fn mix(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(MIX_MULTIPLIERS[0]);
    value = (value ^ (value >> 27)).wrapping_mul(MIX_MULTIPLIERS[1]);
    value ^ (value >> 31)
}

/// The multiplier of [`shingle`].
pub const SHINGLE_MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// By how many bits [`shingle`] rotates its state before each word.
pub const SHINGLE_ROTATION: u32 = 29;

/// The hash of a shingle, from the hashes of its words in order.
///
/// Words are hashed before they are joined, so that "ab c" and "a bc" differ and a shingle costs
/// one multiplication per word. The length is included, so that a short text never equals a shingle
/// that begins with it.
#[inline(always)]
pub fn shingle(words: impl IntoIterator<Item = u64>) -> u64 {
    let mut state = 0u64;
    let mut length = 0u64;
    for word in words {
        state = (state.rotate_left(SHINGLE_ROTATION) ^ word).wrapping_mul(SHINGLE_MULTIPLIER);
        length += 1;
    }
    mix(state ^ length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden() {
        assert_eq!(mix(0), 0);
        assert_eq!(mix(0x9e37_79b9_7f4a_7c15), 0xe220_a839_7b1d_cdaf); // splitmix64's first output for seed 0
        assert_eq!(shingle([1, 2, 3]), 0xa328_b13b_e202_75c1);
    }

    #[test]
    fn order_and_length_count() {
        assert_ne!(shingle([1, 2]), shingle([2, 1]));
        assert_ne!(shingle([1]), shingle([1, 0]));
        assert_ne!(shingle([0]), shingle([0, 0]));
    }
}
