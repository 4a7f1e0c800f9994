//! Segment files of an index.

use twindex_index::parse_snapshot;
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of a header without its checksum, and with it.
const SUMMED: usize = 40;
const HEADER: usize = 48;

/// Parses the bytes as a segment of ten numbers: as they are, and with valid checksums, which a
/// fuzzer cannot guess.
pub fn segment(data: &[u8]) {
    let covers = 0..10;
    let parse = |bytes: &[u8]| parse_snapshot(&mut &*bytes, bytes.len() as u64, 0, &covers);
    let _ = parse(data);
    if data.len() < HEADER {
        return;
    }
    let mut fitting = data.to_vec();
    fitting[..8].copy_from_slice(b"twindexS");
    fitting[8..16].copy_from_slice(&1u64.to_le_bytes());
    fitting[16..32].copy_from_slice(&[[0; 8], 10u64.to_le_bytes()].concat());
    let sum = xxh3_64(&fitting[..SUMMED]);
    fitting[SUMMED..HEADER].copy_from_slice(&sum.to_le_bytes());
    let sum = xxh3_64(&fitting[HEADER..]);
    fitting.extend(sum.to_le_bytes());
    if let Ok(columns) = parse(&fitting) {
        assert_eq!(columns.fingerprints.len(), columns.numbers.len());
        assert!(columns.numbers.is_sorted() && columns.numbers.iter().all(|number| *number < 10));
    }
}
