//! What tests of several crates share. No part of the product.

mod skip;
mod small_disk;

pub use skip::{ALLOW_SKIPS, CI, Need, SKIP_LOG, skip};
pub use small_disk::SmallDisk;
