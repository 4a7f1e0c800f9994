//! How do results reach the disk whole or not at all?

mod atomic;
mod bytes;
mod compressed;
mod folder;
mod parquet;
mod pending;
mod rows;
mod table;

#[cfg(test)]
mod power_cut;

pub use atomic::AtomicFile;
pub(crate) use atomic::PARTIAL_SUFFIX;
pub use compressed::{CompressedWriter, create_compressed};
pub use pending::Pending;
pub use rows::RowWriter;
pub(crate) use table::push_json_string;
pub use table::{Cell, Column, ColumnKind, TableWriter};
