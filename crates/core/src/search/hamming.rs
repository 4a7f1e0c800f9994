//! The interface of all Hamming searches.
//!
//! Which stored fingerprints are within `radius` bits of a query? [`Scan`](super::Scan) compares
//! all of them and is the oracle; the other searches compare few. They share one small trait, so
//! that an index, a benchmark or a test can use any of them.

use crate::fingerprint::{Margins, Simhash};

/// The largest radius of any search. Beyond it, random fingerprints of a large collection are
/// within the radius too (at 2^27 fingerprints some thirty are within 12 bits of any query), and no
/// search is worthwhile.
pub const LARGEST_RADIUS: u32 = 12;

/// A query.
#[derive(Debug, Clone, Copy)]
pub struct Query<'m> {
    /// The fingerprint.
    pub fingerprint: Simhash,
    /// The margins, if they are known: a search that may stop at the first match tries the bits
    /// that flip most easily first, and probabilistic matching needs them.
    pub margins: Option<&'m Margins>,
}

impl From<Simhash> for Query<'_> {
    fn from(fingerprint: Simhash) -> Self {
        Query { fingerprint, margins: None }
    }
}

/// Which matches are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// Any one match: is there a duplicate at all?
    First,
    /// Every match.
    All,
}

/// A stored fingerprint within the radius.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Match {
    /// Its position in the searched collection, in insertion order.
    pub position: u32,
    /// In how many bits it differs from the query.
    pub distance: u32,
}

/// Receives the matches: the number of the query in its batch, and the match. Returns whether the
/// match counts: one that is refused, because its document was deleted, does not end a search for
/// [`Want::First`].
pub type Sink<'s> = dyn FnMut(usize, Match) -> bool + 's;

/// A collection of fingerprints that can be searched.
pub trait HammingSearch {
    /// How many fingerprints there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The largest radius that is supported.
    fn largest_radius(&self) -> u32 {
        LARGEST_RADIUS
    }

    /// Calls `sink` with the fingerprints within `radius` bits of each query, every match once, in
    /// an order that depends only on the arguments. With [`Want::First`], at most one counted match
    /// for each query.
    ///
    /// A batch is faster than single queries, because their memory accesses overlap. Panics if
    /// `radius` is larger than [`HammingSearch::largest_radius`].
    fn search_batch(&self, queries: &[Query<'_>], radius: u32, want: Want, sink: &mut Sink<'_>);

    /// The same for one query.
    fn search(&self, query: Query<'_>, radius: u32, want: Want, sink: &mut dyn FnMut(Match) -> bool) {
        self.search_batch(&[query], radius, want, &mut |_, found| sink(found));
    }
}

/// Panics if a search does not support the radius.
pub(super) fn check_radius(radius: u32, largest: u32) {
    assert!(radius <= largest, "a radius of {radius} was asked for; this search serves up to {largest}");
}
