//! The fuzz targets as plain functions: `cargo test` runs them without a fuzzer.
//!
//! | target | bytes of |
//! |---|---|
//! | `words` | a text, for every kernel |
//! | `rows` | a file of any format, compressed or not |
//! | `parquet` | a Parquet file, read and passed on |
//! | `html` | a page |
//! | `recipe` | a recipe, the settings of a service, its tokens |
//! | `requests` | a request to the service |
//! | `stored` | a value of an index's store |
//! | `segment` | a segment file of an index |

mod html;
mod parquet;
mod recipe;
mod requests;
mod rows;
mod segment;
mod words;

pub use html::html;
pub use parquet::parquet;
pub use recipe::recipe;
pub use requests::requests;
pub use rows::rows;
pub use segment::segment;
pub use twindex_index::parse_stored as stored;
pub use words::words;

#[cfg(test)]
mod tests;
