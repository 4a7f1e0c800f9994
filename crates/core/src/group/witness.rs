//! The witness rule: which documents are removed, and on account of which kept ones.
//!
//! Ranks are positions in keep order. *x may go for y* if the rule accepts the pair and enough of x
//! is in y; see [`Verdict::may_go`](crate::verify::Verdict::may_go).
//!
//! ```text
//! pass 1, x in keep order:
//!     x goes for the first kept candidate y before it for which it may go; else x is kept
//! pass 2, x among the kept, by number of features descending, then keep order:
//!     x gives way to the first y confirmed in this pass, among its candidates, for which it may go
//!         and for which every document may go whose witness is x; they all get the witness y
//!     else x is confirmed
//! ```
//!
//! Pass 1 alone would keep a part that happens to precede the whole. In pass 2 the contained gives
//! way to the container if no document that was removed on its account is lost by that. A stream
//! does pass 1 only.
//!
//! So A ~ B ~ C does not remove C on account of A unless C was compared with A itself; every
//! witness is kept; no removed document comes back. Documents that can only be witnesses have the
//! first ranks and never go, so that no other document displaces them in either pass.

use crate::search::Edge;

/// The documents that the rule decides about.
#[derive(Debug, Clone, Copy)]
pub struct Ranked<'a> {
    /// How many features the document of each rank has.
    pub features: &'a [u32],
    /// Ranks below this can only be witnesses.
    pub protected: u32,
    /// Whether there is a second pass.
    pub container_wins: bool,
}

/// The witness of every rank, `None` if it is kept, from candidates sorted ascending;
/// `may_go(x, y)` compares two documents.
///
/// This is the definition. The batch job verifies in parallel and is tested to give the same
/// result.
pub fn witnesses(
    ranked: Ranked<'_>,
    edges: &[Edge],
    mut may_go: impl FnMut(u32, u32) -> bool,
) -> Vec<Option<u32>> {
    let mut witness: Vec<Option<u32>> = vec![None; ranked.features.len()];
    for candidates in edges.chunk_by(|a, b| a.later == b.later) {
        let later = candidates[0].later;
        if later >= ranked.protected {
            let mut kept = candidates.iter().filter(|edge| witness[edge.earlier as usize].is_none());
            let found = kept.find(|edge| may_go(later, edge.earlier)).map(|edge| edge.earlier);
            witness[later as usize] = found;
        }
    }
    if ranked.container_wins {
        give_way(ranked, edges, may_go, &mut witness);
    }
    witness
}

/// The second pass.
fn give_way(
    ranked: Ranked<'_>,
    edges: &[Edge],
    mut may_go: impl FnMut(u32, u32) -> bool,
    witness: &mut [Option<u32>],
) {
    let mut candidates: Vec<Vec<u32>> = vec![vec![]; witness.len()];
    for &Edge { later, earlier } in edges {
        candidates[later as usize].push(earlier);
        candidates[earlier as usize].push(later);
    }
    let mut dependents: Vec<Vec<u32>> = vec![vec![]; witness.len()];
    for (rank, witness) in (0..).zip(&*witness) {
        witness.iter().for_each(|&witness| dependents[witness as usize].push(rank));
    }
    let order_of = |rank: u32| second_pass_order(ranked.features[rank as usize], rank);
    let mut order: Vec<u32> =
        (0..).zip(&*witness).filter(|(_, witness)| witness.is_none()).map(|(rank, _)| rank).collect();
    order.sort_by_key(|&rank| order_of(rank));
    let mut is_confirmed = vec![false; witness.len()];
    for x in order {
        let candidates = &mut candidates[x as usize];
        candidates.sort_by_key(|&rank| order_of(rank));
        let container = candidates.iter().copied().find(|&y| {
            x >= ranked.protected
                && is_confirmed[y as usize]
                && may_go(x, y)
                && dependents[x as usize].iter().all(|&dependent| may_go(dependent, y))
        });
        match container {
            Some(y) => {
                witness[x as usize] = Some(y);
                dependents[x as usize].iter().for_each(|&dependent| witness[dependent as usize] = Some(y));
            }
            None => is_confirmed[x as usize] = true,
        }
    }
}

/// What the second pass sorts by: the number of features descending, then keep order.
pub fn second_pass_order(features: u32, rank: u32) -> impl Ord {
    (std::cmp::Reverse(features), rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(pairs: &[(u32, u32)]) -> Vec<Edge> {
        let mut edges: Vec<Edge> = pairs.iter().map(|&(earlier, later)| Edge { later, earlier }).collect();
        edges.sort_unstable();
        edges
    }

    fn first_pass(count: usize, edges: &[Edge], may_go: impl FnMut(u32, u32) -> bool) -> Vec<Option<u32>> {
        let ranked = Ranked { features: &vec![1; count], protected: 0, container_wins: false };
        witnesses(ranked, edges, may_go)
    }

    /// With documents that are sets of features, of which nine tenths must be in the witness.
    fn of_sets(documents: &[std::ops::Range<u32>], protected: u32) -> Vec<Option<u32>> {
        let features: Vec<u32> =
            documents.iter().map(ExactSizeIterator::len).map(|count| count as u32).collect();
        let count = documents.len() as u32;
        let all: Vec<(u32, u32)> =
            (0..count).flat_map(|later| (0..later).map(move |earlier| (earlier, later))).collect();
        witnesses(Ranked { features: &features, protected, container_wins: true }, &edges(&all), |x, y| {
            let [x, y] = [x, y].map(|rank| documents[rank as usize].clone());
            let common = x.clone().filter(|feature| y.contains(feature)).count();
            10 * common >= 9 * x.len()
        })
    }

    #[test]
    fn a_chain_removes_every_second() {
        let chain = edges(&[(0, 1), (1, 2), (2, 3)]);
        assert_eq!(first_pass(4, &chain, |_, _| true), [None, Some(0), None, Some(2)]);
    }

    #[test]
    fn the_first_kept_document_is_the_witness() {
        let all = edges(&[(0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]);
        assert_eq!(first_pass(4, &all, |_, y| y != 0), [None, None, Some(1), Some(1)]);
    }

    #[test]
    fn removed_documents_are_not_verified_against() {
        let mut compared = vec![];
        first_pass(3, &edges(&[(0, 1), (1, 2)]), |x, y| {
            compared.push((x, y));
            true
        });
        assert_eq!(compared, [(1, 0)]);
    }

    #[test]
    fn a_part_gives_way_to_the_whole_that_comes_later() {
        assert_eq!(of_sets(&[0..10, 0..20], 0), [Some(1), None]);
        // The copy of the part goes with it.
        assert_eq!(of_sets(&[0..10, 0..10, 0..20], 0), [Some(2), Some(2), None]);
    }

    #[test]
    fn a_document_stays_if_something_depends_on_it_that_is_not_in_the_container() {
        // 0..10 may go for 1..20, but 0..9, which went for it, may not.
        assert_eq!(of_sets(&[0..10, 0..9, 1..20], 0), [None, Some(0), None]);
        assert_eq!(of_sets(&[0..10, 1..20], 0), [Some(1), None]);
    }

    #[test]
    fn the_longest_container_is_the_witness_of_all() {
        assert_eq!(of_sets(&[0..10, 0..20, 0..30], 0), [Some(2), Some(2), None]);
        // No chain: 0..10 goes for 0..20, which stays, because most of it is not in 0..15.
        assert_eq!(of_sets(&[0..10, 0..20, 0..15], 0), [Some(1), None, Some(1)]);
    }

    #[test]
    fn protected_documents_stay() {
        assert_eq!(of_sets(&[0..10, 0..20], 2), [None, None]);
        assert_eq!(of_sets(&[0..10, 0..20], 1), [None, None]);
        assert_eq!(of_sets(&[0..20, 0..10], 1), [None, Some(0)]);
    }
}
