//! Arbitrary bytes as stored values, for the fuzz targets.

use super::evidence::StoredEvidence;
use super::paragraphs::Row;
use super::record::{Record, sealed};

/// Decodes the bytes as every kind of stored value: as they are, and with a matching checksum,
/// which a fuzzer would not guess. Nothing panics, and decoded records and rows are encoded to
/// the same values.
pub fn parse_stored(bytes: &[u8]) {
    const NUMBER: u32 = 7;
    for stored in [bytes.to_vec(), sealed(bytes.to_vec(), u64::from(NUMBER))] {
        if let Some(record) = Record::decode(&stored, NUMBER) {
            assert_eq!(Record::decode(&record.encode(NUMBER), NUMBER), Some(record));
        }
        if let Some(row) = Row::decode(&stored, NUMBER) {
            assert_eq!(row.encode(NUMBER), stored);
        }
        drop(StoredEvidence::decode(&stored, NUMBER));
    }
}
