//! What the store holds of a document, byte by byte. FORMAT.md draws it.
//!
//! Every value ends with a checksum over its key and its bytes: redb checks pages only on request,
//! and a flipped bit must not become an answer.

use twindex_core::Markup;
use twindex_core::fingerprint::Simhash;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::time::Timestamp;

/// All that is known of a document without its evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) id: String,
    /// Of a document without words: a part of the hash of its text; it matches nothing.
    pub(crate) fingerprint: Simhash,
    pub(crate) has_words: bool,
    pub(crate) html: bool,
    pub(crate) expires: Option<Timestamp>,
    /// A hash of text and markup; imported fingerprints have none.
    pub(crate) content: Option<u128>,
    /// The number of the first paragraph and how many there are.
    pub(crate) paragraphs: Option<(u32, u32)>,
}

const HAS_WORDS: u8 = 1;
const HTML: u8 = 2;
const HAS_EXPIRY: u8 = 4;
const HAS_CONTENT: u8 = 8;
const HAS_PARAGRAPHS: u8 = 16;

impl Record {
    /// Flags, fingerprint, then the optional fields that the flags name, then the id.
    pub(crate) fn encode(&self, number: u32) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(48 + self.id.len());
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        bytes.push(
            flag(self.has_words, HAS_WORDS)
                | flag(self.html, HTML)
                | flag(self.expires.is_some(), HAS_EXPIRY)
                | flag(self.content.is_some(), HAS_CONTENT)
                | flag(self.paragraphs.is_some(), HAS_PARAGRAPHS),
        );
        bytes.extend(self.fingerprint.0.to_le_bytes());
        if let Some(expires) = self.expires {
            bytes.extend(expires.0.to_le_bytes());
        }
        if let Some(content) = self.content {
            bytes.extend(content.to_le_bytes());
        }
        if let Some((first, count)) = self.paragraphs {
            bytes.extend(first.to_le_bytes());
            bytes.extend(count.to_le_bytes());
        }
        bytes.extend(self.id.as_bytes());
        sealed(bytes, u64::from(number))
    }

    /// How the text is written.
    pub(crate) fn markup(&self) -> Markup {
        if self.html { Markup::Html } else { Markup::None }
    }

    /// `None` if the bytes are not what was written under this number.
    pub(crate) fn decode(sealed: &[u8], number: u32) -> Option<Record> {
        let mut bytes = opened(sealed, u64::from(number))?;
        let [flags] = take(&mut bytes)?;
        let fingerprint = Simhash(u64::from_le_bytes(take(&mut bytes)?));
        let expires = match flags & HAS_EXPIRY {
            0 => None,
            _ => Some(Timestamp(u64::from_le_bytes(take(&mut bytes)?))),
        };
        let content = match flags & HAS_CONTENT {
            0 => None,
            _ => Some(u128::from_le_bytes(take(&mut bytes)?)),
        };
        let paragraphs = match flags & HAS_PARAGRAPHS {
            0 => None,
            _ => Some((u32::from_le_bytes(take(&mut bytes)?), u32::from_le_bytes(take(&mut bytes)?))),
        };
        Some(Record {
            id: String::from_utf8(bytes.to_vec()).ok()?,
            fingerprint,
            has_words: flags & HAS_WORDS != 0,
            html: flags & HTML != 0,
            expires,
            content,
            paragraphs,
        })
    }
}

/// Takes the first bytes off a slice.
pub(super) fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

/// The bytes with their checksum.
pub(super) fn sealed(mut bytes: Vec<u8>, key: u64) -> Vec<u8> {
    let checksum = checksum(&bytes, key);
    bytes.extend(checksum);
    bytes
}

/// The bytes without their checksum, if it is right.
pub(super) fn opened(sealed: &[u8], key: u64) -> Option<&[u8]> {
    let (bytes, found) = sealed.split_last_chunk::<4>()?;
    (checksum(bytes, key) == *found).then_some(bytes)
}

fn checksum(bytes: &[u8], key: u64) -> [u8; 4] {
    let [a, b, c, d, ..] = xxh3_64_with_seed(bytes, key).to_le_bytes();
    [a, b, c, d]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn records() -> impl Strategy<Value = Record> {
        let flags = (any::<bool>(), any::<bool>());
        let options = (
            prop::option::of(any::<u64>().prop_map(Timestamp)),
            prop::option::of(any::<u128>()),
            prop::option::of(any::<(u32, u32)>()),
        );
        (".{1,40}", any::<u64>(), flags, options).prop_map(
            |(id, fingerprint, (has_words, html), (expires, content, paragraphs))| Record {
                id,
                fingerprint: Simhash(fingerprint),
                has_words,
                html,
                expires,
                content,
                paragraphs,
            },
        )
    }

    proptest! {
        #[test]
        fn a_record_survives(record in records(), number: u32) {
            prop_assert_eq!(Record::decode(&record.encode(number), number), Some(record));
        }

        #[test]
        fn a_flipped_bit_and_a_cut_are_noticed(record in records(), number: u32, place: prop::sample::Index) {
            let bytes = record.encode(number);
            let bit = place.index(8 * bytes.len());
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            prop_assert_eq!(Record::decode(&flipped, number), None);
            prop_assert_eq!(Record::decode(&bytes[..place.index(bytes.len())], number), None);
            prop_assert_eq!(Record::decode(&bytes, number.wrapping_add(1)), None, "a record under another number");
        }
    }
}
