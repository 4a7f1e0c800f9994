//! Files of documents: every format, plain and compressed.

use std::path::Path;

use twindex_corpus::{ReadOptions, Reader, Source};

/// Bytes per read: few, so that rows span reads.
const PIECE: usize = 64;

/// The first byte chooses the format; the rest is the file. Rows and errors have a position, and
/// reading ends.
pub fn rows(data: &[u8]) {
    const NAMES: [&str; 12] = [
        "a.jsonl", "a.csv", "a.tsv", "a.txt", "a.html", "a.warc", "a.parquet", "a.jsonl.gz", "a.jsonl.zst", "a.csv.gz",
        "a.warc.gz", "a.warc.zst",
    ];
    let Some((&choice, contents)) = data.split_first() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(NAMES[usize::from(choice) % NAMES.len()]);
    std::fs::write(&path, contents).expect("a temporary file can be written");
    for whole_rows in [false, true] {
        read(&path, &ReadOptions { whole_rows, ..ReadOptions::default() });
    }
}

fn read(path: &Path, options: &ReadOptions) {
    let Ok(source) = Source::of_file(path, None) else { return };
    let Ok(mut reader) = Reader::open(&[source], options) else { return };
    while let Ok(Some(batch)) = reader.next_batch(PIECE) {
        let parsed = batch.parse(options);
        assert_eq!(parsed.len(), batch.len(), "every row is a document or an error");
        for row in 0..batch.len() {
            assert!(!batch.position(row).to_string().is_empty());
        }
    }
}
