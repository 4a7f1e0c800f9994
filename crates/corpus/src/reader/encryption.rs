//! Is a Parquet file encrypted whose footer can be read?
//!
//! Writers may encrypt columns and leave the footer as it is for readers of the other columns. The
//! library knows no such files and calls them damaged, so a file that cannot be read is looked at
//! here: its footer, a struct of Thrift's compact protocol, names the algorithm then.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

/// The field of the footer (`FileMetaData`) that names the algorithm.
const ENCRYPTION_ALGORITHM: i64 = 8;

/// The length of the footer in four bytes, and `PAR1`.
const TAIL: usize = 8;

/// More structs inside of each other than the format has.
const DEEPEST: usize = 32;

/// Whether the footer of a file says that something is encrypted.
pub(super) fn is_encrypted(path: &Path) -> bool {
    footer(path).is_ok_and(|footer| names_algorithm(&footer).unwrap_or(false))
}

fn footer(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let tail = file.seek(SeekFrom::End(-(TAIL as i64)))?;
    let mut length = [0; 4];
    file.read_exact(&mut length)?;
    let length = u64::from(u32::from_le_bytes(length));
    let start = tail.checked_sub(length).ok_or(ErrorKind::InvalidData)?;
    file.seek(SeekFrom::Start(start))?;
    let mut footer = Vec::new();
    file.take(length).read_to_end(&mut footer)?;
    Ok(footer)
}

/// `None` if the bytes are no struct.
fn names_algorithm(footer: &[u8]) -> Option<bool> {
    let mut rest = footer;
    let mut field = 0;
    while let Some(kind) = next_field(&mut rest, &mut field)? {
        if field == ENCRYPTION_ALGORITHM {
            return Some(true);
        }
        skip(&mut rest, kind, 0)?;
    }
    Some(false)
}

/// Kinds of values, by the numbers of the compact protocol.
mod kind {
    pub(super) const TRUE: u8 = 1;
    pub(super) const FALSE: u8 = 2;
    pub(super) const BYTE: u8 = 3;
    pub(super) const I16: u8 = 4;
    pub(super) const I64: u8 = 6;
    pub(super) const DOUBLE: u8 = 7;
    pub(super) const BINARY: u8 = 8;
    pub(super) const LIST: u8 = 9;
    pub(super) const SET: u8 = 10;
    pub(super) const STRUCT: u8 = 12;
}

/// Reads the header of a field: its kind, and into `field` its number. `Some(None)` at the end of
/// the struct.
fn next_field(rest: &mut &[u8], field: &mut i64) -> Option<Option<u8>> {
    let header = take(rest, 1)?[0];
    if header == 0 {
        return Some(None);
    }
    *field = match header >> 4 {
        0 => {
            let number = varint(rest)?;
            (number >> 1) as i64 ^ -((number & 1) as i64)
        }
        step => field.checked_add(i64::from(step))?,
    };
    Some(Some(header & 0xf))
}

fn skip(rest: &mut &[u8], kind: u8, depth: usize) -> Option<()> {
    match kind {
        kind::TRUE | kind::FALSE => {}
        kind::BYTE => drop(take(rest, 1)?),
        kind::I16..=kind::I64 => drop(varint(rest)?),
        kind::DOUBLE => drop(take(rest, size_of::<f64>())?),
        kind::BINARY => {
            let length = usize::try_from(varint(rest)?).ok()?;
            take(rest, length)?;
        }
        kind::LIST | kind::SET if depth < DEEPEST => {
            let header = take(rest, 1)?[0];
            let count = if header >> 4 == 0xf { varint(rest)? } else { u64::from(header >> 4) };
            for _ in 0..count {
                match header & 0xf {
                    // In a list a truth value has a byte of its own.
                    kind::TRUE | kind::FALSE => drop(take(rest, 1)?),
                    kind => skip(rest, kind, depth + 1)?,
                }
            }
        }
        kind::STRUCT if depth < DEEPEST => {
            let mut field = 0;
            while let Some(kind) = next_field(rest, &mut field)? {
                skip(rest, kind, depth + 1)?;
            }
        }
        // The footer has no maps.
        _ => return None,
    }
    Some(())
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(taken)
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let byte = take(rest, 1)?[0];
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A version, a list of two structs (a name each), a number, a list of truth values.
    const PLAIN: &[u8] = b"\x15\x04\x19\x2c\x18\x01a\x00\x18\x02bc\x00\x16\xc8\x01\x19\x21\x01\x02";

    #[test]
    fn the_field_of_the_algorithm_is_found_behind_others() {
        let with = |end: &[u8]| names_algorithm(&[PLAIN, end].concat());
        assert_eq!(with(b"\x00"), Some(false));
        // Field 8, by its distance from field 4 and by its number.
        assert_eq!(with(b"\x4c\x00\x00"), Some(true));
        assert_eq!(with(b"\x0c\x10\x00\x00"), Some(true));
        assert_eq!(with(b"\x3c\x00\x00"), Some(false));
        for length in 0..PLAIN.len() {
            assert_eq!(names_algorithm(&PLAIN[..length]), None, "{length}");
        }
    }

    #[test]
    fn nesting_without_end_ends() {
        assert_eq!(names_algorithm(&b"\x1c".repeat(100_000)), None);
        assert_eq!(names_algorithm(&[&b"\x19"[..], &b"\x19".repeat(100_000)].concat()), None);
    }
}
