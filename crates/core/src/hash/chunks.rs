//! The default word hash: eight bytes at a time through a bijection.
//!
//! ```text
//! hash = 0
//! for each chunk of eight bytes, from the end of the word to its beginning:
//!     hash = mix(hash ^ chunk)            # little-endian; a shorter chunk is preceded by zeros
//! ```
//!
//! Made for vector lanes. Most words have at most eight bytes and are one lane: the eight bytes
//! that end with the word, with those before it cleared. A lane takes two multiplications, and a
//! longer word continues from the hash of its last lane. [`mix`](mix()) is a bijection, so that
//! words of up to eight bytes never collide.
//!
//! Leading zero bytes do not count; the words of a text have none.

use super::mix;

/// Bytes in a chunk.
const CHUNK: usize = size_of::<u64>();

/// The hash of `word`.
#[inline]
pub fn chunks(word: &[u8]) -> u64 {
    word.rchunks(CHUNK).fold(0, |hash, chunk| mix(hash ^ right_aligned(chunk)))
}

/// Up to eight bytes as a little-endian number, preceded by zero bytes.
///
/// By overlapping reads: copying a variable number of bytes would take longer than all the rest.
#[inline]
fn right_aligned(chunk: &[u8]) -> u64 {
    /// Bytes in half of a chunk.
    const HALF: usize = CHUNK / 2;
    if let Some(bytes) = chunk.first_chunk() {
        return u64::from_le_bytes(*bytes);
    }
    let before = 8 * (CHUNK - chunk.len());
    if let (Some(first), Some(last)) = (chunk.first_chunk::<HALF>(), chunk.last_chunk::<HALF>()) {
        let [first, last] = [first, last].map(|bytes| u64::from(u32::from_le_bytes(*bytes)));
        return first << before | last << 32;
    }
    // Fewer than four bytes: the first, the middle and the last are all.
    let byte = |place: usize| u64::from(chunk[place]) << (before + 8 * place);
    if chunk.is_empty() { 0 } else { byte(0) | byte(chunk.len() / 2) | byte(chunk.len() - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A change in any of these lines changes stored fingerprints.
    #[test]
    fn golden() {
        assert_eq!(chunks(b""), 0);
        assert_eq!(chunks(b"a"), 0xe133_88fa_fce4_f272);
        assert_eq!(chunks(b"school"), 0x448c_53b8_b13f_23bb);
        assert_eq!(chunks(b"students"), 0x7f04_3008_168a_677c);
        assert_eq!(chunks(b"education"), 0xf05e_4eda_4db4_b21b);
        assert_eq!(chunks("internationalisierungsbüro".as_bytes()), 0x73ee_8da2_e1ff_ee86);
    }

    #[test]
    fn zeros_stand_before_a_short_chunk() {
        for length in 0..=CHUNK {
            let mut bytes = [0; CHUNK];
            (CHUNK - length..CHUNK).for_each(|place| bytes[place] = 0xA0 + place as u8);
            assert_eq!(right_aligned(&bytes[CHUNK - length..]), u64::from_le_bytes(bytes), "{length} bytes");
        }
    }

    #[test]
    fn every_byte_and_its_place_count() {
        let word = b"abcdefghijklmnopqrstuvwxyz";
        for length in 1..=word.len() {
            for place in 0..length {
                let mut other = word[..length].to_vec();
                other[place] ^= 1;
                assert_ne!(chunks(&other), chunks(&word[..length]), "{length} bytes, byte {place}");
            }
        }
        // Chunks are not interchangeable.
        assert_ne!(chunks(b"abcdefghABCDEFGH"), chunks(b"ABCDEFGHabcdefgh"));
    }
}
