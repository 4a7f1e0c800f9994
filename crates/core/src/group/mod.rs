//! What belongs together, and what stays?
//!
//! *Clusters* are the connected components of verified pairs, for people to look at. Removal does not follow clusters: the
//! [witness rule](witness) removes a document only on account of a kept document that it was verified against.

mod keep;
mod union_find;
pub mod witness;

pub use keep::{KeepError, KeepKey, KeepPolicy, KeepValue};
pub use union_find::UnionFind;
