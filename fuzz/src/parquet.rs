//! Parquet files: their rows are read, and some of them passed on. The library panics on some
//! damage, and none of these panics may leave the reader.

use std::path::Path;
use std::sync::Once;

use twindex_corpus::{CorpusError, ReadOptions, Reader, RowWriter, Source, is_guarded};

/// Bytes of a batch: few, so that a file has several.
const BATCH: usize = 64;

/// The bytes are a file.
pub fn parquet(data: &[u8]) {
    static HOOK: Once = Once::new();
    // A fuzzer ends its process in the panic hook, and what the reader catches is no finding.
    HOOK.call_once(|| {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !is_guarded() {
                hook(panic);
            }
        }));
    });
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.parquet");
    std::fs::write(&path, data).expect("a temporary file can be written");
    let Ok(source) = Source::of_file(&path, None) else { return };
    for whole_rows in [false, true] {
        read(&source, &ReadOptions { whole_rows, ..ReadOptions::default() });
    }
    let _ = pass_on(source, &folder.path().join("kept.parquet"));
}

fn read(source: &Source, options: &ReadOptions) {
    let Ok(mut reader) = Reader::open(std::slice::from_ref(source), options) else { return };
    while let Ok(Some(batch)) = reader.next_batch(BATCH) {
        assert_eq!(batch.parse(options).len(), batch.len(), "every row is a document or an error");
        for row in 0..batch.len().min(BATCH) {
            let _ = batch.row_json(row);
        }
    }
}

/// Passes on every second row. The output takes no name: that would wait for the disk.
fn pass_on(source: Source, output: &Path) -> Result<(), CorpusError> {
    let sources = [source];
    let mut writer = RowWriter::create(output, &sources)?;
    let mut reader = Reader::open(&sources, &ReadOptions::default())?;
    while let Some(batch) = reader.next_batch(BATCH)? {
        let keep: Vec<bool> = (0..batch.len()).map(|row| row % 2 == 0).collect();
        batch.write_selected(&keep, &mut writer)?;
    }
    writer.finish().map(drop)
}
