//! Bytes of a store that another program may have changed, for the fuzz targets.

use crate::evidence::Kept;
use crate::store::{Record, Row, sealed};

/// Decodes the bytes as every kind of value that a store holds: as they are, and with a checksum that fits, because nobody
/// guesses one. Whatever they are, nothing panics, and a record that is read is written as it was.
pub fn parse_stored(bytes: &[u8]) {
    const NUMBER: u32 = 7;
    for stored in [bytes.to_vec(), sealed(bytes.to_vec(), u64::from(NUMBER))] {
        if let Some(record) = Record::decode(&stored, NUMBER) {
            assert_eq!(Record::decode(&record.encode(NUMBER), NUMBER), Some(record));
        }
        if let Some(row) = Row::decode(&stored, NUMBER) {
            assert_eq!(row.encode(NUMBER), stored);
        }
        drop(Kept::decode(&stored, NUMBER));
    }
}
