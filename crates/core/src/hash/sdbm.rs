//! sdbm: the word hash of the FPGA paper.

/// The paper's multiplier, a prime found by trial.
pub const SDBM_MULTIPLIER: u64 = 65_599;

/// `h = c + h * 65599` over the bytes, modulo 2^64, starting from 0.
///
/// A polynomial in 65599: prefix sums, dot products with powers and leading zero bytes are
/// bit-exact, which makes it fit vector lanes.
#[inline]
pub fn sdbm(word: &[u8]) -> u64 {
    word.iter().fold(0, |hash: u64, &byte| hash.wrapping_mul(SDBM_MULTIPLIER).wrapping_add(u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The signatures printed in the paper's Figure 3, most significant bit first.
    #[test]
    fn the_papers_example() {
        let signature = |bits: &str| u64::from_str_radix(bits, 2).unwrap();
        assert_eq!(
            sdbm(b"school"),
            signature("0001100010100100001000101000010101011000001101010000111011110100")
        );
        assert_eq!(
            sdbm(b"students"),
            signature("0110001001010100000110011101001010001000110100111001101100111000")
        );
        assert_eq!(
            sdbm(b"teachers"),
            signature("1010011000101110111000111100110100100111001000010100000110110001")
        );
    }
}
