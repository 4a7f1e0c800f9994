//! A sealed segment as a file.
//!
//! ```text
//! header   8  "twindexS"        4  format       4  0 documents, 1 paragraphs
//!          8  first number      8  end number   8  count      8  checksum of the header
//! columns  8 * count  fingerprints    4 * count  numbers, ascending    8  checksum of the columns
//! ```
//!
//! All numbers are little-endian, all checksums XXH3. Only the columns are kept: building the
//! tables of a segment takes less time than reading them would.

use std::io::{self, Read, Write};
use std::ops::Range;

use twindex_core::search::segment::Numbers;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::store::FORMAT;

const MAGIC: [u8; 8] = *b"twindexS";
const HEADER: usize = 48;

/// Bytes that are read or written at a time; a multiple of every column's width.
const PIECE: usize = 1 << 20;

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// The fingerprints.
    pub fingerprints: Vec<u64>,
    /// The number of each.
    pub numbers: Vec<u32>,
}

/// Writes a segment of one kind that covers a range of numbers.
pub(crate) fn write(
    out: &mut impl Write,
    kind: u32,
    covers: &Range<u64>,
    fingerprints: &[u64],
    numbers: &Numbers,
) -> io::Result<()> {
    let mut header = Vec::with_capacity(HEADER);
    header.extend(MAGIC);
    header.extend(FORMAT.to_le_bytes());
    header.extend(kind.to_le_bytes());
    for value in [covers.start, covers.end, numbers.len() as u64] {
        header.extend(value.to_le_bytes());
    }
    header.extend(xxh3_64(&header).to_le_bytes());
    out.write_all(&header)?;
    let mut checksum = Xxh3::new();
    let mut bytes = Vec::with_capacity(PIECE);
    let mut put = |bytes: &mut Vec<u8>| {
        checksum.update(bytes);
        let written = out.write_all(bytes);
        bytes.clear();
        written
    };
    for piece in fingerprints.chunks(PIECE / size_of::<u64>()) {
        bytes.extend(piece.iter().flat_map(|fingerprint| fingerprint.to_le_bytes()));
        put(&mut bytes)?;
    }
    for number in numbers.iter() {
        bytes.extend(number.to_le_bytes());
        if bytes.len() == PIECE {
            put(&mut bytes)?;
        }
    }
    put(&mut bytes)?;
    out.write_all(&checksum.digest().to_le_bytes())
}

/// Reads a segment; the error says what is wrong with it. `length` is the size of the file.
pub fn parse(input: &mut impl Read, length: u64, kind: u32, covers: &Range<u64>) -> Result<Columns, String> {
    let unreadable = |error: io::Error| format!("it cannot be read: {error}");
    let mut header = [0; HEADER];
    input.read_exact(&mut header).map_err(unreadable)?;
    let word = |at: usize| header[at..at + 8].try_into().map_or(0, u64::from_le_bytes);
    let half = |at: usize| header[at..at + 4].try_into().map_or(0, u32::from_le_bytes);
    if header[..8] != MAGIC {
        return Err("it does not begin like a segment".to_owned());
    }
    if half(8) != FORMAT {
        return Err(format!("it has the format {}, not {FORMAT}", half(8)));
    }
    if xxh3_64(&header[..HEADER - 8]) != word(HEADER - 8) {
        return Err("the checksum of its header is wrong".to_owned());
    }
    if half(12) != kind || (word(16)..word(24)) != *covers {
        return Err("it is the segment of another range".to_owned());
    }
    // A forged header may have any count: memory is reserved only for what the file holds.
    let count = word(32);
    let expected = count.checked_mul(12).and_then(|columns| columns.checked_add(HEADER as u64 + 8));
    if expected != Some(length) {
        return Err(format!("it has {length} bytes, which does not fit {count} fingerprints"));
    }
    let count = usize::try_from(count).map_err(|_| "it does not fit into memory".to_owned())?;
    let mut checksum = Xxh3::new();
    let mut fingerprints = Vec::with_capacity(count);
    read_column::<8>(input, count, &mut checksum, |bytes| fingerprints.push(u64::from_le_bytes(bytes)))
        .map_err(unreadable)?;
    let mut numbers = Vec::with_capacity(count);
    read_column::<4>(input, count, &mut checksum, |bytes| numbers.push(u32::from_le_bytes(bytes)))
        .map_err(unreadable)?;
    let mut found = [0; 8];
    input.read_exact(&mut found).map_err(unreadable)?;
    if checksum.digest().to_le_bytes() != found {
        return Err("the checksum of its columns is wrong".to_owned());
    }
    let within = |number: &u32| covers.contains(&u64::from(*number));
    if !numbers.is_sorted_by(|a, b| a < b)
        || !numbers.first().is_none_or(within)
        || !numbers.last().is_none_or(within)
    {
        return Err("its numbers are out of order".to_owned());
    }
    Ok(Columns { fingerprints, numbers })
}

fn read_column<const WIDTH: usize>(
    input: &mut impl Read,
    count: usize,
    checksum: &mut Xxh3,
    mut each: impl FnMut([u8; WIDTH]),
) -> io::Result<()> {
    let mut piece = vec![0; PIECE.min(count * WIDTH)];
    let mut left = count * WIDTH;
    while left > 0 {
        let bytes = &mut piece[..PIECE.min(left)];
        input.read_exact(bytes)?;
        checksum.update(bytes);
        bytes.as_chunks::<WIDTH>().0.iter().for_each(|value| each(*value));
        left -= bytes.len();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(entries: &[(u64, u32)], covers: &Range<u64>) -> Vec<u8> {
        let (fingerprints, numbers): (Vec<u64>, Vec<u32>) = entries.iter().copied().unzip();
        let mut bytes = vec![];
        write(&mut bytes, 0, covers, &fingerprints, &Numbers::new(numbers)).unwrap();
        bytes
    }

    fn read(bytes: &[u8], covers: &Range<u64>) -> Result<Columns, String> {
        parse(&mut &*bytes, bytes.len() as u64, 0, covers)
    }

    fn entries() -> impl Strategy<Value = Vec<(u64, u32)>> {
        prop::collection::btree_set(0u32..10_000, 0..300)
            .prop_flat_map(|numbers| {
                let fingerprints = prop::collection::vec(any::<u64>(), numbers.len());
                (fingerprints, Just(numbers))
            })
            .prop_map(|(fingerprints, numbers)| fingerprints.into_iter().zip(numbers).collect())
    }

    proptest! {
        #[test]
        fn a_segment_survives_and_any_flipped_bit_or_cut_is_noticed(entries in entries(), place: prop::sample::Index) {
            let covers = 0..10_000;
            let bytes = written(&entries, &covers);
            let columns = read(&bytes, &covers).unwrap();
            let back: Vec<(u64, u32)> = columns.fingerprints.into_iter().zip(columns.numbers).collect();
            prop_assert_eq!(back, entries);

            let mut flipped = bytes.clone();
            let bit = place.index(8 * bytes.len());
            flipped[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(read(&flipped, &covers).is_err());
            prop_assert!(read(&bytes[..place.index(bytes.len())], &covers).is_err());
            prop_assert!(read(&bytes, &(0..9_999)).is_err());
        }

        #[test]
        fn arbitrary_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..200), magic: bool) {
            let mut bytes = bytes;
            if magic && bytes.len() >= 8 {
                bytes[..8].copy_from_slice(&MAGIC);
            }
            prop_assert!(read(&bytes, &(0..10)).is_err());
        }
    }

    #[test]
    fn pieces_of_large_columns_fit_together() {
        let entries: Vec<(u64, u32)> =
            (0..300_000u32).map(|number| (u64::from(number) << 7, number)).collect();
        let columns = read(&written(&entries, &(0..300_000)), &(0..300_000)).unwrap();
        assert!(
            columns.fingerprints.iter().zip(&columns.numbers).zip(&entries).all(|((a, b), c)| (*a, *b) == *c)
        );
    }
}
