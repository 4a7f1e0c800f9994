//! redb on a disk that a test may cut off.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use redb::backends::FileBackend;
use redb::{Database, StorageBackend};
use twindex_disk::Disk;

use super::StoreResult;
use crate::settings::OpenOptions;

/// Opens the file of a store, or creates it.
///
/// Without a `disk` redb uses the file by itself: it syncs data only (`fdatasync`), which is faster
/// than [`Disk::sync`].
pub(super) fn open(
    path: &Path,
    options: &OpenOptions,
    disk: Option<&Arc<dyn Disk>>,
    create: bool,
) -> StoreResult<Database> {
    let mut builder = Database::builder();
    builder.set_cache_size(options.cache_bytes);
    let Some(disk) = disk else {
        return Ok(if create { builder.create(path)? } else { builder.open(path)? });
    };
    let file = File::options().read(true).write(true).create(create).truncate(false).open(path)?;
    let inner = FileBackend::new(file.try_clone()?)?;
    let backend = DiskBackend { inner, file, path: path.to_owned(), disk: Arc::clone(disk) };
    Ok(builder.create_with_backend(backend)?)
}

/// A file that is synced by a [`Disk`].
#[derive(Debug)]
struct DiskBackend {
    inner: FileBackend,
    file: File,
    path: PathBuf,
    disk: Arc<dyn Disk>,
}

impl StorageBackend for DiskBackend {
    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.inner.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.inner.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.disk.sync(&self.file, &self.path)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.inner.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.inner.close()
    }
}
