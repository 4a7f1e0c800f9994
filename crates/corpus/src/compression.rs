//! How are bytes packed, and how are they unpacked?

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::CorpusError;
use crate::json_array;

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip, any number of members.
    Gzip,
    /// Zstandard, any number of frames.
    Zstd,
    /// Not compressed, but one JSON array, whose elements are unpacked into lines.
    JsonArray,
}

/// What a gzip member begins with.
pub(crate) const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
/// What a Zstandard frame begins with.
pub(crate) const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The largest window of a 64-bit Zstandard (`--long=31`): files made with `--ultra --long` must
/// open.
const ZSTD_WINDOW_LOG_MAX: u32 = 31;

/// Big enough that system calls do not count, small enough to stay in the second-level cache.
const FILE_BUFFER: usize = 256 * 1024;

impl Compression {
    /// Splits `docs.jsonl.gz` into `docs.jsonl` and what `.gz` stands for.
    pub(crate) fn split_extension(name: &str) -> (&str, Compression) {
        let endings = [(".gz", Compression::Gzip), (".zst", Compression::Zstd), (".zstd", Compression::Zstd)];
        for (ending, compression) in endings {
            if let Some(stem) = name.strip_suffix(ending) {
                return (stem, compression);
            }
        }
        (name, Compression::None)
    }

    /// What the first bytes of a file say.
    pub fn of_magic(start: &[u8]) -> Compression {
        // Programs write notes of their own before the first frame: 0x184D2A50 to 0x184D2A5F.
        let is_skippable = start.len() > 3 && start[0] & 0xf0 == 0x50 && start[1..4] == [0x2a, 0x4d, 0x18];
        if start.starts_with(GZIP_MAGIC) {
            Compression::Gzip
        } else if start.starts_with(ZSTD_MAGIC) || is_skippable {
            Compression::Zstd
        } else {
            Compression::None
        }
    }
}

/// Opens a file for reading, unpacked; the packed bytes that were read are added to `counter`.
pub(crate) fn open(
    path: &Path,
    compression: Compression,
    counter: &Arc<AtomicU64>,
) -> Result<Box<dyn Read + Send>, CorpusError> {
    let file = File::open(path).map_err(|source| CorpusError::open(path, source))?;
    // The decompressors take nothing for the end of a file, but no compressor writes nothing.
    let is_empty = file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0);
    if compression != Compression::None && is_empty {
        return Err(CorpusError::Truncated { path: path.to_owned(), detail: "it is empty".to_owned() });
    }
    decode(file, compression, counter).map_err(|source| CorpusError::read(path, source))
}

/// Unpacks a stream; the packed bytes that were read are added to `counter`.
pub(crate) fn decode(
    packed: impl Read + Send + 'static,
    compression: Compression,
    counter: &Arc<AtomicU64>,
) -> io::Result<Box<dyn Read + Send>> {
    let counted = Counted { inner: packed, counter: Arc::clone(counter) };
    Ok(match compression {
        Compression::None => Box::new(counted),
        Compression::JsonArray => {
            json_array::lines(Box::new(BufReader::with_capacity(FILE_BUFFER, counted)))?
        }
        Compression::Gzip => Box::new(GzipMembers::new(BufReader::with_capacity(FILE_BUFFER, counted))),
        Compression::Zstd => {
            let mut decoder =
                zstd::stream::read::Decoder::with_buffer(BufReader::with_capacity(FILE_BUFFER, counted))?;
            decoder.window_log_max(ZSTD_WINDOW_LOG_MAX)?;
            Box::new(decoder)
        }
    })
}

/// Unpacks a stream whose first bytes say that it is packed, and any other as it is.
pub fn unpack(mut stream: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    let mut start = Vec::new();
    stream.by_ref().take(ZSTD_MAGIC.len() as u64).read_to_end(&mut start)?;
    let compression = Compression::of_magic(&start);
    decode(io::Cursor::new(start).chain(stream), compression, &Arc::default())
}

/// The members of a gzip file, one after another. Zeros behind the last one are padding: tapes and
/// block devices add them, and gzip itself ignores them.
struct GzipMembers<R> {
    member: Option<flate2::bufread::GzDecoder<R>>,
}

impl<R: BufRead> GzipMembers<R> {
    fn new(packed: R) -> Self {
        GzipMembers { member: Some(flate2::bufread::GzDecoder::new(packed)) }
    }
}

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(mut member) = self.member.take() {
            let count = member.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                self.member = Some(member);
                return Ok(count);
            }
            let mut packed = member.into_inner();
            loop {
                let ahead = packed.fill_buf()?;
                let zeros = ahead.iter().take_while(|byte| **byte == 0).count();
                if zeros == 0 {
                    break;
                }
                packed.consume(zeros);
            }
            if !packed.fill_buf()?.is_empty() {
                self.member = Some(flate2::bufread::GzDecoder::new(packed));
            }
        }
        Ok(0)
    }
}

/// Counts the bytes that pass.
struct Counted<R> {
    inner: R,
    counter: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.counter.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
