//! The question of Hamming search, and what every answer to it looks like.
//!
//! Which stored fingerprints are within `radius` bits of this one? [`Scan`](super::Scan) answers by looking at all of them and is
//! the oracle; the other searches look at few. They share one small trait, so that an index, a benchmark or a test can
//! hold any of them.

use crate::fingerprint::{Margins, Simhash};

/// The largest radius that any search is asked for. Beyond it, random fingerprints of a large collection are within the
/// radius too (at 2^27 fingerprints some thirty are within 12 bits of any query), and nothing is worth searching.
pub const LARGEST_RADIUS: u32 = 12;

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub struct Query<'m> {
    /// The fingerprint.
    pub fingerprint: Simhash,
    /// The sums behind it, if they are known: a search that may stop at the first match looks first where bits are most
    /// likely to have flipped, and probabilistic matching needs them.
    pub margins: Option<&'m Margins>,
}

impl From<Simhash> for Query<'_> {
    fn from(fingerprint: Simhash) -> Self {
        Query { fingerprint, margins: None }
    }
}

/// How much is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// Any one match: is there a duplicate at all?
    First,
    /// Every match.
    All,
}

/// A stored fingerprint that is near enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Match {
    /// Its place in the collection that was searched, in the order in which fingerprints were given.
    pub position: u32,
    /// In how many bits it differs from the query.
    pub distance: u32,
}

/// Receives the matches: the number of the query in its batch, and what was found. Returns whether the match counts: one
/// that is refused, because its document was deleted, does not end the search for the [`Want::First`].
pub type Sink<'s> = dyn FnMut(usize, Match) -> bool + 's;

/// A collection of fingerprints that can be searched.
pub trait HammingSearch {
    /// How many fingerprints there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The largest radius that can be asked for.
    fn largest_radius(&self) -> u32 {
        LARGEST_RADIUS
    }

    /// Calls `sink` with the fingerprints within `radius` bits of each query, every match once, in an order that depends on
    /// nothing but the arguments. With [`Want::First`], at most one match that counts for each query.
    ///
    /// Many queries at once are faster than one after another: their memory accesses overlap. Panics if `radius` is larger
    /// than [`HammingSearch::largest_radius`].
    fn search_batch(&self, queries: &[Query<'_>], radius: u32, want: Want, sink: &mut Sink<'_>);

    /// The same for one query.
    fn search(&self, query: Query<'_>, radius: u32, want: Want, sink: &mut dyn FnMut(Match) -> bool) {
        self.search_batch(&[query], radius, want, &mut |_, found| sink(found));
    }
}

/// Refuses a radius that a search cannot serve.
pub(super) fn check_radius(radius: u32, largest: u32) {
    assert!(radius <= largest, "a radius of {radius} was asked for; this search serves up to {largest}");
}
