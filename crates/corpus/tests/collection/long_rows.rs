//! Rows that are far longer than a batch.

use crate::common::{batches, sources, write};
use twindex_corpus::ReadOptions;

const LONG: usize = 100 << 20;

#[test]
fn a_line_of_100_megabytes_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = b"{\"text\":\"short\"}\n{\"text\":\"".to_vec();
    bytes.resize(bytes.len() + LONG, b'x');
    bytes.extend(b"\"}\n{\"text\":\"short\"}\n");
    let path = write(folder.path(), "long.jsonl", &bytes);
    let options = ReadOptions::default();
    let sources = sources(&[&path], &options).unwrap();
    let lengths: Vec<usize> = batches(&sources, &options, 1 << 16)
        .unwrap()
        .iter()
        .flat_map(|batch| batch.parse(&options))
        .map(|row| row.unwrap().text.len())
        .collect();
    assert_eq!(lengths, [5, LONG, 5]);
}
