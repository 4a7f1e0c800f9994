//! Block-permuted Hamming search (BPHS): sorted copies of the collection, each with different
//! leading bits.
//!
//! Divide the 64 bits into G blocks. If two fingerprints differ in at most h bits, at least G - h
//! blocks are equal, so some choice of g <= G - h blocks is equal in both. There is one table for
//! each of the C(G, g) choices, sorted with the chosen blocks in front; a query looks up its own
//! chosen bits in each table and compares the entries there:
//!
//! ```text
//! for each table:  run = entries whose chosen blocks equal the query's; report those within h bits
//! ```
//!
//! The trade-off is few tables with long runs or many with short ones: for h = 3, G = 4, 5, 6 give
//! 4, 10, 20 tables whose runs share 16, 25, 32 bits; the nested design has 16 tables of 28 bits.
//! [`planner`] compares them. Complete by the pigeonhole principle; the tests compare with a scan
//! for every (G, g).
//!
//! | file | what is in it |
//! |---|---|
//! | `tables` | the choices of blocks: [`BlockTables`] |
//! | `index` | the sorted copies: [`BlockIndex`], by binary search or by direct address |
//! | `batch` | the reverse, for a collection on disk: tables of the queries, collection streamed |
//! | `planner` | which G and g, by the paper's cost model |
//!
//! Sources: G. S. Manku, A. Jain, A. Das Sarma, Detecting near-duplicates for web crawling, 2007;
//! the name, the model and the batch mode are from S. Sood, D. Loguinov, Probabilistic
//! near-duplicate detection using simhash, 2011.

mod batch;
mod index;
pub mod planner;
mod tables;

pub use batch::BlockBatch;
pub use index::{BlockIndex, Find};
pub use tables::BlockTables;
