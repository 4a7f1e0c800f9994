//! The witness rule in rounds over columns of pairs, for drivers that decide in parallel.
//!
//! [`witness::witnesses`](super::witness::witnesses) is the definition, one document after another.
//! Here each round decides every document whose neighbours are decided, from the result of the
//! round before alone, so that the pairs may be spread over any number of tasks. A round without a
//! new decision never happens while something is open; a chain of n documents takes n rounds, after
//! some of which a driver gives what is left to the sequential definition.
//!
//! ```text
//! first round   x has no open or kept y before it for which it may go   -> kept
//!               the first y that is not gone is kept                     -> gone, witness y
//! second round  the same by number of features, among the kept; x gives way to y only if every
//!               document may go for y whose witness is x: what is not known yet is a question
//! ```

use super::witness::{Ranked, second_pass_order};

/// Document `x` may go for document `y`: both are ranks, and the rule has accepted the pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MayGo {
    /// The document that may be removed.
    pub x: u32,
    /// The document that would be its witness.
    pub y: u32,
}

/// What is known of a document in a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fate {
    /// Not decided yet.
    #[default]
    Open,
    /// It stays: kept by the first pass, confirmed by the second.
    Stays,
    /// It goes, on account of this document.
    Goes(u32),
}

/// One round of the first pass. `may_go` is sorted; pairs whose `y` comes after `x` do not matter
/// here.
///
/// ```
/// use twindex_core::group::rounds::{Fate, MayGo, first_round};
///
/// // 1 may go for 0, and 2 for 1.
/// let may_go = [MayGo { x: 1, y: 0 }, MayGo { x: 2, y: 1 }];
/// let mut fates = vec![Fate::Open; 3];
/// while fates.contains(&Fate::Open) {
///     fates = first_round(&may_go, 0, &fates);
/// }
/// assert_eq!(fates, [Fate::Stays, Fate::Goes(0), Fate::Stays]);
/// ```
pub fn first_round(may_go: &[MayGo], protected: u32, fates: &[Fate]) -> Vec<Fate> {
    let mut next: Vec<Fate> = fates.to_vec();
    let mut rest = may_go;
    for (x, fate) in (0u32..).zip(&mut next) {
        let own = rest.split_off(..rest.partition_point(|pair| pair.x <= x)).unwrap_or_default();
        if *fate == Fate::Open {
            let before = own.iter().map(|pair| pair.y).filter(|&y| y < x && x >= protected);
            *fate = decide(before, fates, |_| Some(true));
        }
    }
    next
}

/// One round of the second pass, over the documents that the first one kept. `dependents` are the
/// removals of the first pass as (witness, removed), sorted; `answer` tells whether a dependent may
/// go for another document, if that was asked and answered. Returns what is decided, and what must
/// be answered for the next round.
pub fn second_round(
    ranked: Ranked<'_>,
    may_go: &[MayGo],
    dependents: &[(u32, u32)],
    answer: impl Fn(MayGo) -> Option<bool>,
    fates: &[Fate],
) -> (Vec<Fate>, Vec<MayGo>) {
    let order = |rank: u32| second_pass_order(ranked.features[rank as usize], rank);
    let mut questions = vec![];
    let mut next: Vec<Fate> = fates.to_vec();
    let mut rest = may_go;
    for (x, fate) in (0u32..).zip(&mut next) {
        let own = rest.split_off(..rest.partition_point(|pair| pair.x <= x)).unwrap_or_default();
        if *fate != Fate::Open {
            continue;
        }
        let longer = |y: &u32| x >= ranked.protected && order(*y) < order(x);
        let mut longer: Vec<u32> = own.iter().map(|pair| pair.y).filter(longer).collect();
        longer.sort_by_key(|&y| order(y));
        let start = dependents.partition_point(|pair| pair.0 < x);
        let of_x = || dependents[start..].iter().take_while(|pair| pair.0 == x).map(|pair| pair.1);
        *fate = decide(longer, fates, |y| {
            let mut all = Some(true);
            for dependent in of_x() {
                let question = MayGo { x: dependent, y };
                match answer(question) {
                    Some(true) => {}
                    Some(false) => return Some(false),
                    None => {
                        questions.push(question);
                        all = None;
                    }
                }
            }
            all
        });
    }
    (next, questions)
}

/// The fate of a document that may go for `witnesses`, in their order, if `may_take` agrees.
fn decide(
    witnesses: impl IntoIterator<Item = u32>,
    fates: &[Fate],
    mut may_take: impl FnMut(u32) -> Option<bool>,
) -> Fate {
    for y in witnesses {
        match fates[y as usize] {
            Fate::Goes(_) => {}
            Fate::Open => return Fate::Open,
            Fate::Stays => match may_take(y) {
                Some(true) => return Fate::Goes(y),
                Some(false) => {}
                None => return Fate::Open,
            },
        }
    }
    Fate::Stays
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::group::witness::witnesses;
    use crate::search::Edge;

    /// Both passes in rounds; returns the witness of every document.
    fn in_rounds(ranked: Ranked<'_>, pairs: &[MayGo], may_go: impl Fn(MayGo) -> bool) -> Vec<Option<u32>> {
        let count = ranked.features.len();
        let mut first = vec![Fate::Open; count];
        for _ in 0..count {
            first = first_round(pairs, ranked.protected, &first);
        }
        let witness = |fate: &Fate| if let Fate::Goes(y) = fate { Some(*y) } else { None };
        let mut found: Vec<Option<u32>> = first.iter().map(witness).collect();
        if !ranked.container_wins {
            return found;
        }
        let removals = (0u32..).zip(&found).filter_map(|(x, witness)| Some(((*witness)?, x)));
        let mut dependents: Vec<(u32, u32)> = removals.collect();
        dependents.sort_unstable();
        let mut second: Vec<Fate> =
            first.iter().map(|&fate| if fate == Fate::Stays { Fate::Open } else { fate }).collect();
        let mut answers: BTreeMap<MayGo, bool> = BTreeMap::new();
        while second.contains(&Fate::Open) {
            let answer = |question: MayGo| answers.get(&question).copied();
            let (next, questions) = second_round(ranked, pairs, &dependents, answer, &second);
            assert!(next != second || !questions.is_empty(), "a round decides something");
            answers.extend(questions.into_iter().map(|question| (question, may_go(question))));
            second = next;
        }
        for (x, fate) in (0u32..).zip(&second) {
            if let (Fate::Goes(y), Fate::Stays) = (fate, first[x as usize]) {
                found[x as usize] = Some(*y);
                for &(_, dependent) in dependents.iter().filter(|pair| pair.0 == x) {
                    found[dependent as usize] = Some(*y);
                }
            }
        }
        found
    }

    proptest! {
        /// Whatever may go for whatever, rounds give what the definition gives.
        #[test]
        fn rounds_equal_the_definition(
            features in prop::collection::vec(1u32..6, 1..14),
            candidates in prop::collection::vec((0u32..14, 0u32..14), 0..60),
            allowed in prop::collection::vec(any::<bool>(), 14 * 14),
            protected in 0u32..3,
            container_wins in any::<bool>(),
        ) {
            let count = features.len() as u32;
            let may_go = |MayGo { x, y }: MayGo| allowed[(x * 14 + y) as usize];
            let mut edges: Vec<Edge> = candidates
                .into_iter()
                .filter(|&(a, b)| a != b && a < count && b < count)
                .map(|(a, b)| Edge { later: a.max(b), earlier: a.min(b) })
                .collect();
            edges.sort_unstable();
            edges.dedup();
            let both = edges.iter().flat_map(|edge| {
                [MayGo { x: edge.later, y: edge.earlier }, MayGo { x: edge.earlier, y: edge.later }]
            });
            let mut pairs: Vec<MayGo> = both.filter(|&pair| may_go(pair)).collect();
            pairs.sort_unstable();
            let ranked = Ranked { features: &features, protected, container_wins };
            let expected = witnesses(ranked, &edges, |x, y| may_go(MayGo { x, y }));
            prop_assert_eq!(in_rounds(ranked, &pairs, may_go), expected);
        }
    }
}
