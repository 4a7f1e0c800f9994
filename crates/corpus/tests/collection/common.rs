//! What the integration tests share.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use twindex_corpus::{Batch, CorpusError, ReadOptions, Reader, Row, RowError, RowWriter, Source, resolve};

/// Enough for any test file to be one batch.
pub(crate) const ONE_BATCH: usize = 1 << 20;

/// Writes a file into a folder, packed as its name says.
pub(crate) fn write(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let packed = match path.extension().and_then(|extension| extension.to_str()) {
        Some("gz") => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        Some("zst") => {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
            encoder.include_checksum(true).unwrap();
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        _ => bytes.to_owned(),
    };
    std::fs::write(&path, packed).unwrap();
    path
}

/// Reads a file, unpacked as its name says.
pub(crate) fn read(path: &Path) -> Vec<u8> {
    let packed = std::fs::read(path).unwrap();
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("gz") => {
            let mut bytes = Vec::new();
            flate2::read::MultiGzDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
            bytes
        }
        Some("zst") => zstd::decode_all(&packed[..]).unwrap(),
        _ => packed,
    }
}

pub(crate) fn sources(paths: &[&Path], options: &ReadOptions) -> Result<Vec<Source>, CorpusError> {
    let inputs: Vec<String> = paths.iter().map(|path| path.to_str().unwrap().to_owned()).collect();
    resolve(&inputs, options)
}

pub(crate) fn batches(
    sources: &[Source],
    options: &ReadOptions,
    target_bytes: usize,
) -> Result<Vec<Batch>, CorpusError> {
    let mut reader = Reader::open(sources, options)?;
    let mut batches = Vec::new();
    while let Some(batch) = reader.next_batch(target_bytes)? {
        batches.push(batch);
    }
    Ok(batches)
}

pub(crate) fn rows(
    path: &Path,
    options: &ReadOptions,
) -> Result<Vec<Result<Row<'static>, RowError>>, CorpusError> {
    let batches = batches(&sources(&[path], options)?, options, ONE_BATCH)?;
    Ok(batches.iter().flat_map(|batch| batch.parse(options)).map(|row| row.map(Row::into_owned)).collect())
}

pub(crate) fn texts(path: &Path) -> Vec<String> {
    rows(path, &ReadOptions::default())
        .unwrap()
        .into_iter()
        .map(|row| row.unwrap().text.into_owned())
        .collect()
}

/// Copies the rows that `keep` (by running number) wants.
pub(crate) fn copy(
    inputs: &[&Path],
    output: &Path,
    options: &ReadOptions,
    target_bytes: usize,
    keep: impl Fn(usize) -> bool,
) -> Result<(), CorpusError> {
    let sources = sources(inputs, options)?;
    let mut writer = RowWriter::create(output, &sources)?;
    let mut number = 0;
    for batch in batches(&sources, options, target_bytes)? {
        let decisions: Vec<bool> = (number..number + batch.len()).map(&keep).collect();
        number += batch.len();
        batch.write_selected(&decisions, &mut writer)?;
    }
    writer.finish()?.commit()
}

/// The message of an error that must have come.
pub(crate) fn message<T>(result: Result<T, impl std::fmt::Display>) -> String {
    match result {
        Ok(_) => panic!("expected an error"),
        Err(error) => error.to_string(),
    }
}
