//! Pinned hash functions.
//!
//! Everything here may end up in a stored fingerprint, so none of it may ever change: each function
//! is fixed by golden vectors in its tests. In-memory maps that are never stored may use any other
//! hasher.
//!
//! ```
//! use twindex_core::hash::{WordHash, content, sdbm, shingle};
//!
//! assert_eq!(sdbm(b"ab"), u64::from(b'a') * 65_599 + u64::from(b'b'));
//! assert_eq!(WordHash::Xxh3.hash(b"school"), 0xd5ee_b69f_ec97_355a);
//! assert_eq!(content(b"school"), 0x36c7_db40_d793_89e6_0a20_403a_2cfa_875b);
//! // Words are hashed before they are joined: "ab c" is not "a bc".
//! let of = |words: [&[u8]; 2]| shingle(words.map(|word| WordHash::Chunks.hash(word)));
//! assert_ne!(of([b"ab", b"c"]), of([b"a", b"bc"]));
//! ```

mod chunks;
mod distinct;
mod fnv1a;
mod mix;
mod murmur;
mod sdbm;

pub use chunks::chunks;
pub use distinct::{counted, distinct};
pub use fnv1a::fnv1a;
pub use mix::{MIX_MULTIPLIERS, SHINGLE_MULTIPLIER, SHINGLE_ROTATION, mix, shingle};
pub use murmur::murmur3;
pub use sdbm::{SDBM_MULTIPLIER, sdbm};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// The hash that turns a word into 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WordHash {
    /// Eight bytes at a time through a bijection, in vector lanes; words of up to eight bytes never
    /// collide.
    #[default]
    Chunks,
    /// XXH3: specified, frozen, with implementations in every language.
    Xxh3,
    /// sdbm, `h = c + h * 65599`: the hash of the FPGA paper. A polynomial, weak in its high bits
    /// for short words.
    Sdbm,
    /// FNV-1a, 64 bits.
    Fnv1a,
    /// MurmurHash3 x64, the first 64 of its 128 bits.
    Murmur3,
}

impl WordHash {
    /// The 64-bit hash of `word`.
    #[inline]
    pub fn hash(self, word: &[u8]) -> u64 {
        match self {
            WordHash::Chunks => chunks(word),
            WordHash::Xxh3 => xxh3_64(word),
            WordHash::Sdbm => sdbm(word),
            WordHash::Fnv1a => fnv1a(word),
            WordHash::Murmur3 => murmur3(word),
        }
    }
}

/// The 128-bit hash of a text's exact content.
pub fn content(text: &[u8]) -> u128 {
    xxh3_128(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A change in any of these lines changes stored fingerprints.
    #[test]
    fn golden() {
        assert_eq!(WordHash::Xxh3.hash(b"school"), 0xd5ee_b69f_ec97_355a);
        assert_eq!(content(b"school"), 0x36c7_db40_d793_89e6_0a20_403a_2cfa_875b);
        assert_eq!(content(b""), 0x99aa_06d3_0147_98d8_6001_c324_468d_497f);
    }
}
