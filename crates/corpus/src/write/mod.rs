//! How do results reach the disk whole or not at all?

mod atomic;
mod bytes;
mod compressed;
mod pending;
mod rows;

pub use atomic::AtomicFile;
pub use compressed::{CompressedWriter, create_compressed};
pub use pending::Pending;
pub use rows::RowWriter;
