//! What belongs together, and what stays?
//!
//! *Clusters* are the connected components of verified pairs, for people to look at. Removal does
//! not follow clusters: the [witness rule](witness) removes a document only on account of a kept
//! document that it was verified against.
//!
//! ```
//! use twindex_core::group::UnionFind;
//! use twindex_core::group::witness::{Ranked, witnesses};
//! use twindex_core::search::Edge;
//!
//! // 0 and 1 are duplicates, and so are 1 and 2, but not 0 and 2.
//! let edges = [Edge { later: 1, earlier: 0 }, Edge { later: 2, earlier: 1 }];
//! let mut clusters = UnionFind::new(3);
//! edges.iter().for_each(|edge| clusters.union(edge.later, edge.earlier));
//! assert_eq!([0, 1, 2].map(|document| clusters.root(document)), [0, 0, 0], "one cluster");
//!
//! let ranked = Ranked { features: &[9, 9, 9], protected: 0, container_wins: false };
//! let may_go = |later: u32, earlier: u32| later.abs_diff(earlier) == 1;
//! // 1 goes for 0. Then 2 stays: nothing that was compared with it is kept.
//! assert_eq!(witnesses(ranked, &edges, may_go), [None, Some(0), None]);
//! ```

mod keep;
pub mod rounds;
mod union_find;
pub mod witness;

pub use keep::{KeepError, KeepKey, KeepPolicy, KeepValue};
pub use union_find::UnionFind;
