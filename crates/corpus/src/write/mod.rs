//! How do results reach the disk whole or not at all?

mod atomic;
mod bytes;
mod compressed;
mod copy;
mod folder;
mod parquet;
mod parquet_copy;
mod pending;
mod provisional;
mod rows;
mod table;

#[cfg(test)]
mod power_cut;

pub use atomic::AtomicFile;
pub use compressed::{CompressedWriter, create_compressed};
pub use copy::RangeCopy;
pub use pending::Pending;
pub(crate) use provisional::PARTIAL_SUFFIX;
pub use rows::RowWriter;
pub(crate) use table::push_json_string;
pub use table::{Cell, Column, ColumnKind, TableWriter};
