//! MurmurHash3, the x64 variant with 128 bits, of which the first 64 are kept.
//!
//! Written out because the maintained crates hash through a reader, which is slow for words. The
//! algorithm is in the public domain and frozen.

const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;

/// The first 64 bits of MurmurHash3_x64_128 of `bytes`, seed 0.
pub fn murmur3(bytes: &[u8]) -> u64 {
    let (mut h1, mut h2) = (0u64, 0u64);
    let mut blocks = bytes.chunks_exact(16);
    for block in &mut blocks {
        h1 ^= scramble1(little_endian(&block[..8]));
        h1 = h1.rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 ^= scramble2(little_endian(&block[8..]));
        h2 = h2.rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    let tail = blocks.remainder();
    let (low, high) = tail.split_at(tail.len().min(8));
    h2 ^= scramble2(little_endian(high));
    h1 ^= scramble1(little_endian(low));

    h1 ^= bytes.len() as u64;
    h2 ^= bytes.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    h1 = finish(h1);
    h2 = finish(h2);
    h1.wrapping_add(h2)
}

/// Up to eight bytes, least significant first; missing bytes are zero.
fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| (word << 8) | u64::from(byte))
}

fn scramble1(word: u64) -> u64 {
    word.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}

fn scramble2(word: u64) -> u64 {
    word.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}

fn finish(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors of the reference implementation (first 64 bits, seed 0).
    #[test]
    fn golden() {
        assert_eq!(murmur3(b""), 0);
        assert_eq!(murmur3(b"hello"), 0xcbd8_a7b3_41bd_9b02);
        assert_eq!(murmur3(b"hello, world"), 0x342f_ac62_3a5e_bc8e);
        assert_eq!(murmur3(b"The quick brown fox jumps over the lazy dog."), 0xcd99_481f_9ee9_02c9);
    }
}
