//! The witness rule: who is removed, and on whose account.
//!
//! Documents are visited in keep order (rank). A document is removed if a verified pair joins it to a document that is
//! kept; the first such document in keep order is its witness. Otherwise it is kept.
//!
//! ```text
//! for later in 0..n:
//!     witness[later] = first earlier in candidates(later) with kept(earlier) and verified(later, earlier)
//! ```
//!
//! So A ~ B ~ C does not remove C on account of A: with B removed, C stays unless it was verified against A itself.

use crate::search::Edge;

/// The witness of every rank in `0..n`, `None` for kept ones, from edges sorted ascending.
///
/// This is the definition; the batch job verifies blocks of documents in parallel and is tested to give the same.
pub fn witnesses(n: u32, edges: &[Edge], mut verify: impl FnMut(Edge) -> bool) -> Vec<Option<u32>> {
    let mut witness: Vec<Option<u32>> = vec![None; n as usize];
    for candidates in edges.chunk_by(|a, b| a.later == b.later) {
        let found = candidates
            .iter()
            .find(|edge| witness[edge.earlier as usize].is_none() && verify(**edge))
            .map(|edge| edge.earlier);
        witness[candidates[0].later as usize] = found;
    }
    witness
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(pairs: &[(u32, u32)]) -> Vec<Edge> {
        let mut edges: Vec<Edge> = pairs.iter().map(|&(earlier, later)| Edge { later, earlier }).collect();
        edges.sort_unstable();
        edges
    }

    #[test]
    fn a_chain_removes_every_second() {
        let chain = edges(&[(0, 1), (1, 2), (2, 3)]);
        assert_eq!(witnesses(4, &chain, |_| true), [None, Some(0), None, Some(2)]);
    }

    #[test]
    fn the_first_kept_document_is_the_witness() {
        let all = edges(&[(0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]);
        assert_eq!(witnesses(4, &all, |edge| edge.earlier != 0), [None, None, Some(1), Some(1)]);
    }

    #[test]
    fn removed_documents_are_not_verified_against() {
        let mut asked = vec![];
        witnesses(3, &edges(&[(0, 1), (1, 2)]), |edge| {
            asked.push((edge.earlier, edge.later));
            true
        });
        assert_eq!(asked, [(0, 1)]);
    }
}
