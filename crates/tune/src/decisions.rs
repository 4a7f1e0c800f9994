//! What each threshold and coverage would do to the sample, labels or not.

use std::collections::HashMap;

use serde::Serialize;
use twindex_core::group::witness::{Ranked, witnesses};
use twindex_core::recipe::Rule;
use twindex_core::search::Edge;
use twindex_core::verify::{Side, Verdict};

use crate::pairs::{Compared, Prepared};

/// One setting of the rule and what it does.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Decided {
    /// The threshold.
    pub threshold: f64,
    /// Pairs of the sample that it accepts, if the search proposes all.
    pub pairs: u64,
    /// Documents that are removed at each of [`COVERAGES`].
    pub removed: [u64; COVERAGES.len()],
}

/// The bounds that are tried. 0 is none.
pub const COVERAGES: [f64; 5] = [0.0, 0.7, 0.8, 0.9, 0.95];

const THRESHOLDS: [f64; 9] = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1];

/// What the settings do, the strictest first.
pub(crate) fn decisions(rule: Rule, prepared: &[Prepared], pairs: &[Compared]) -> Vec<Decided> {
    let features: Vec<u32> =
        prepared.iter().map(|document| document.evidence.features.len() as u32).collect();
    let decided = |threshold: f64| {
        let accepted = |coverage: f64| {
            let rule = Rule { threshold, coverage, ..rule };
            let verdicts = pairs.iter().map(|pair| (pair, Verdict::new(rule, pair.measured)));
            verdicts.filter(|(_, verdict)| verdict.is_accepted()).collect::<Vec<_>>()
        };
        let removed = |coverage: f64| {
            let ranked = Ranked { features: &features, protected: 0, container_wins: rule.container_wins };
            let verdicts: HashMap<Edge, Verdict> = accepted(coverage)
                .into_iter()
                .map(|(pair, verdict)| (edge(pair.left, pair.right).0, verdict))
                .collect();
            let mut edges: Vec<Edge> = verdicts.keys().copied().collect();
            edges.sort_unstable();
            let may_go = |x, y| {
                let (edge, side) = edge(x, y);
                verdicts.get(&edge).is_some_and(|verdict| verdict.may_go(side))
            };
            witnesses(ranked, &edges, may_go).iter().flatten().count() as u64
        };
        Decided { threshold, pairs: accepted(0.0).len() as u64, removed: COVERAGES.map(removed) }
    };
    THRESHOLDS.map(decided).to_vec()
}

/// The edge of two documents of the sample, and the side of `x` in what was measured: the earlier
/// document is the left one.
fn edge(x: u32, y: u32) -> (Edge, Side) {
    (Edge { later: x.max(y), earlier: x.min(y) }, if x < y { Side::Left } else { Side::Right })
}
