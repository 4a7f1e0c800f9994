//! Writing with the compression that the extension names.

use std::fs::File;
use std::io::{self, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};

use crate::STANDARD_STREAM;
use crate::compression::Compression;
use crate::error::CorpusError;
use crate::write::atomic::AtomicFile;
use crate::write::pending::{Finished, Pending};

/// Few system calls, little memory.
const WRITE_BUFFER: usize = 256 * 1024;

/// The default levels of gzip and zstd.
const GZIP_LEVEL: u32 = 6;
const ZSTD_LEVEL: i32 = 3;

/// A file that is compressed as its name says, or standard output. It appears when
/// [`Pending::commit`] is called on what [`CompressedWriter::finish`] returns.
pub struct CompressedWriter {
    path: PathBuf,
    encoder: Encoder,
}

/// Where bytes finally go.
enum Target {
    File(AtomicFile),
    Standard(Stdout),
}

enum Encoder {
    Plain(BufWriter<Target>),
    /// The member that is being written. `None` only while one member follows another.
    Gzip(Option<flate2::write::GzEncoder<BufWriter<Target>>>),
    Zstd(Option<zstd::stream::write::Encoder<'static, BufWriter<Target>>>),
}

/// Begins a file that is compressed if `path` ends with `.gz` or `.zst`; `-` is standard output.
pub fn create_compressed(path: &Path) -> Result<CompressedWriter, CorpusError> {
    let name = path.to_string_lossy();
    let target = if name == STANDARD_STREAM {
        Target::Standard(io::stdout())
    } else {
        Target::File(AtomicFile::create(path)?)
    };
    let compression = Compression::split_extension(&name.to_lowercase()).1;
    let encoder = Encoder::new(compression, BufWriter::with_capacity(WRITE_BUFFER, target))
        .map_err(|source| CorpusError::write(path, source))?;
    Ok(CompressedWriter { path: path.to_owned(), encoder })
}

impl Encoder {
    fn new(compression: Compression, out: BufWriter<Target>) -> io::Result<Encoder> {
        Ok(match compression {
            Compression::None | Compression::JsonArray => Encoder::Plain(out),
            Compression::Gzip => Encoder::Gzip(Some(gzip(out))),
            Compression::Zstd => Encoder::Zstd(Some(zstd(out)?)),
        })
    }
}

fn gzip(out: BufWriter<Target>) -> flate2::write::GzEncoder<BufWriter<Target>> {
    flate2::write::GzEncoder::new(out, flate2::Compression::new(GZIP_LEVEL))
}

fn zstd(out: BufWriter<Target>) -> io::Result<zstd::stream::write::Encoder<'static, BufWriter<Target>>> {
    let mut encoder = zstd::stream::write::Encoder::new(out, ZSTD_LEVEL)?;
    encoder.include_checksum(true)?;
    Ok(encoder)
}

impl CompressedWriter {
    /// The output's name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes all of `bytes`; the error names the file.
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), CorpusError> {
        self.write_all(bytes).map_err(|source| CorpusError::write(&self.path, source))
    }

    /// Lets the system copy `length` bytes of `file` from `offset` on; returns how many it copied.
    /// That are none where it cannot: into a compressed file, a pipe, on some file systems.
    pub(crate) fn copy_range(&mut self, file: &File, offset: u64, length: u64) -> Result<u64, CorpusError> {
        let copied = match &mut self.encoder {
            Encoder::Plain(out) => out.flush().and_then(|()| match out.get_mut() {
                Target::File(target) => target.copy_range(file, offset, length),
                Target::Standard(_) => Ok(0),
            }),
            Encoder::Gzip(_) | Encoder::Zstd(_) => Ok(0),
        };
        copied.map_err(|source| CorpusError::write(&self.path, source))
    }

    /// Ends a gzip member or Zstandard frame and begins another: readers can start at each.
    pub fn end_member(&mut self) -> Result<(), CorpusError> {
        let result = match &mut self.encoder {
            Encoder::Plain(_) => Ok(()),
            Encoder::Gzip(member) => restart(member, |member| member.finish(), |out| Ok(gzip(out))),
            Encoder::Zstd(frame) => restart(frame, |frame| frame.finish(), zstd),
        };
        result.map_err(|source| CorpusError::write(&self.path, source))
    }

    /// Flushes all buffers, for a reader at the other end of a pipe.
    pub fn flush_all(&mut self) -> Result<(), CorpusError> {
        self.flush().map_err(|source| CorpusError::write(&self.path, source))
    }

    /// Writes what is left. The file still waits for its commit.
    pub fn finish(self) -> Result<Pending, CorpusError> {
        let path = self.path;
        let finish = || {
            let out = match self.encoder {
                Encoder::Plain(out) => out,
                Encoder::Gzip(member) => member.ok_or_else(lost)?.finish()?,
                Encoder::Zstd(frame) => frame.ok_or_else(lost)?.finish()?,
            };
            Ok(match out.into_inner().map_err(io::IntoInnerError::into_error)? {
                Target::File(file) => Pending(Finished::File(file)),
                Target::Standard(mut standard) => {
                    standard.flush()?;
                    Pending(Finished::Standard)
                }
            })
        };
        finish().map_err(|source| CorpusError::write(&path, source))
    }
}

/// Ends what is in `slot` and puts its successor there.
fn restart<T>(
    slot: &mut Option<T>,
    end: impl FnOnce(T) -> io::Result<BufWriter<Target>>,
    begin: impl FnOnce(BufWriter<Target>) -> io::Result<T>,
) -> io::Result<()> {
    let ended = end(slot.take().ok_or_else(lost)?)?;
    *slot = Some(begin(ended)?);
    Ok(())
}

/// An encoder is missing only after a failed write was ignored.
fn lost() -> io::Error {
    io::Error::other("an earlier write failed")
}

impl Write for CompressedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.encoder {
            Encoder::Plain(out) => out.write(bytes),
            Encoder::Gzip(member) => member.as_mut().ok_or_else(lost)?.write(bytes),
            Encoder::Zstd(frame) => frame.as_mut().ok_or_else(lost)?.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.encoder {
            Encoder::Plain(out) => out.flush(),
            Encoder::Gzip(member) => member.as_mut().ok_or_else(lost)?.flush(),
            Encoder::Zstd(frame) => frame.as_mut().ok_or_else(lost)?.flush(),
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::File(file) => file.write(bytes),
            Target::Standard(standard) => standard.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::File(file) => file.flush(),
            Target::Standard(standard) => standard.flush(),
        }
    }
}
