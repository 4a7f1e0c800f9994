//! The data of the page: the report with its differences computed and everything within bounds.

use serde::{Deserialize, Serialize};

use super::budget::{self, Shown};
use super::data::{ClusterRow, Histogram, Mode, PairRow, Report, Scores, Side, StageTime, Totals};
use super::embed::script_json;
use twindex_core::compare::difference;

/// Characters of each text that are compared. More would rarely be read, and 300 pairs must not
/// take minutes.
const COMPARED_CHARACTERS: usize = 40_000;

/// Bounds of everything that is not a pair. Their worst case together, all of it escaped, is half
/// the file.
const ID_CHARACTERS: usize = 200;
const LINE_CHARACTERS: usize = 2_000;
const RECIPE_CHARACTERS: usize = 20_000;
const EXAMPLE_CHARACTERS: usize = 600;
const NOTE_ROWS: usize = 50;
const STAGE_ROWS: usize = 50;
const CLUSTER_ROWS: usize = 50;
const MEMBER_ROWS: usize = 20;

/// Up to this size each cluster size has its own bar; beyond, sizes are grouped by doubling.
const SINGLE_SIZES: u64 = 12;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Page {
    title: String,
    command: String,
    version: String,
    recipe: String,
    totals: Totals,
    mode: Mode,
    measure: String,
    threshold: f64,
    histogram: Histogram,
    cluster_bars: Vec<ClusterBar>,
    largest_clusters: Vec<ClusterRow>,
    stages: Vec<StageTime>,
    notes: Vec<String>,
    pub(super) pairs: Vec<PagePair>,
}

/// One bar of the distribution of cluster sizes.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ClusterBar {
    from: u64,
    to: u64,
    clusters: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PagePair {
    left: PageSide,
    right: PageSide,
    /// The deciding measure's value.
    score: f64,
    scores: Scores,
    accepted: bool,
    exact: bool,
    why: String,
    pub(super) pieces: Vec<Shown>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PageSide {
    id: String,
    cut: u64,
}

impl Page {
    /// Bounds `report` so that its JSON takes at most about `budget` bytes.
    pub(super) fn new(report: &Report, budget: usize) -> Page {
        let mut page = Page {
            title: shortened(&report.title, ID_CHARACTERS),
            command: shortened(&report.command, LINE_CHARACTERS),
            version: shortened(&report.version, ID_CHARACTERS),
            recipe: shortened(&report.recipe, RECIPE_CHARACTERS),
            totals: report.totals.clone(),
            mode: report.mode,
            measure: shortened(&report.measure, ID_CHARACTERS),
            threshold: report.threshold,
            histogram: report.histogram.clone(),
            cluster_bars: cluster_bars(&report.cluster_sizes),
            largest_clusters: report
                .largest_clusters
                .iter()
                .take(CLUSTER_ROWS)
                .map(bounded_cluster)
                .collect(),
            stages: report.stages.iter().take(STAGE_ROWS).map(bounded_stage).collect(),
            notes: report.notes.iter().take(NOTE_ROWS).map(|note| shortened(note, LINE_CHARACTERS)).collect(),
            pairs: Vec::new(),
        };
        let rest = budget.saturating_sub(script_json(&page).len());
        page.pairs = bounded_pairs(report, rest);
        page
    }
}

/// As many rows as fit into half of `budget`, with their texts in the other half.
fn bounded_pairs(report: &Report, budget: usize) -> Vec<PagePair> {
    let mut pairs = Vec::new();
    let mut rest = budget;
    for row in &report.pairs {
        let mut pair = page_pair(row, &report.measure);
        let row_bytes = script_json(&pair).len() + 1;
        if row_bytes > rest.saturating_sub(budget / 2) {
            break;
        }
        rest -= row_bytes;
        compare(row, &mut pair);
        pairs.push(pair);
    }
    let demands: Vec<usize> = pairs.iter().map(|pair| budget::bytes(&pair.pieces)).collect();
    let share = budget::share(&demands, rest.saturating_sub(pairs.len() * CUT_DIGITS));
    for pair in &mut pairs {
        let (pieces, left, right) = budget::fit(std::mem::take(&mut pair.pieces), share);
        pair.pieces = pieces;
        pair.left.cut += left;
        pair.right.cut += right;
    }
    pairs
}

/// Room for the two counts of cut characters to grow.
const CUT_DIGITS: usize = 40;

/// A row without its texts.
fn page_pair(row: &PairRow, measure: &str) -> PagePair {
    let side = |side: &Side| PageSide { id: shortened(&side.id, ID_CHARACTERS), cut: side.cut };
    PagePair {
        left: side(&row.left),
        right: side(&row.right),
        score: row.scores.of(measure),
        scores: row.scores.clone(),
        accepted: row.accepted,
        exact: row.exact,
        why: shortened(&row.why, LINE_CHARACTERS),
        pieces: Vec::new(),
    }
}

fn compare(row: &PairRow, pair: &mut PagePair) {
    let left = Side::new("", &row.left.text, COMPARED_CHARACTERS);
    let right = Side::new("", &row.right.text, COMPARED_CHARACTERS);
    pair.left.cut += left.cut;
    pair.right.cut += right.cut;
    pair.pieces = difference(&left.text, &right.text).into_iter().map(Shown::from).collect();
    drop_false_end(pair);
}

/// Removes the difference at the end that is only there because the other text was cut.
///
/// A passage inserted into one of two long texts pushes its end beyond the cut, so the last words
/// of the other seem to have no counterpart. It may be in the part that was cut, so they are not
/// shown as different.
fn drop_false_end(pair: &mut PagePair) {
    let ends_in_common = pair.pieces.iter().rposition(|piece| matches!(piece, Shown::Same(_)));
    let Some(last_common) = ends_in_common else { return };
    let is_false = |piece: &Shown| match piece {
        Shown::Removed(_) => pair.right.cut > 0,
        Shown::Added(_) => pair.left.cut > 0,
        Shown::Same(_) | Shown::Skipped(_) => false,
    };
    let sum = |pieces: &[Shown], counts: fn(&Shown) -> bool| {
        let counted = pieces.iter().filter(|piece| counts(piece)).map(Shown::characters);
        counted.fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1))
    };
    let common = sum(&pair.pieces, |piece| matches!(piece, Shown::Same(_))).0;
    let (end, dropped): (Vec<Shown>, Vec<Shown>) =
        pair.pieces[last_common + 1..].iter().cloned().partition(|piece| !is_false(piece));
    let (left, right) = sum(&dropped, |_| true);
    // A long difference at the end of texts with little in common is real.
    if left.max(right) < common {
        pair.pieces.truncate(last_common + 1);
        pair.pieces.extend(end);
        pair.left.cut += left;
        pair.right.cut += right;
    }
}

fn bounded_cluster(cluster: &ClusterRow) -> ClusterRow {
    let hidden = cluster.members.len().saturating_sub(MEMBER_ROWS) as u64;
    ClusterRow {
        size: cluster.size,
        members: cluster.members.iter().take(MEMBER_ROWS).map(|id| shortened(id, ID_CHARACTERS)).collect(),
        more: cluster.more + hidden,
        example_text: shortened(&cluster.example_text, EXAMPLE_CHARACTERS),
    }
}

fn bounded_stage(stage: &StageTime) -> StageTime {
    StageTime { name: shortened(&stage.name, ID_CHARACTERS), seconds: stage.seconds }
}

/// Long text with its middle replaced by an ellipsis: paths and URLs differ at both ends.
fn shortened(text: &str, limit: usize) -> String {
    let characters = text.chars().count();
    if characters <= limit {
        return text.to_owned();
    }
    let head = limit / 2;
    let tail = limit - head - 1;
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(characters - tail).collect();
    format!("{start}…{end}")
}

/// One bar per size for small clusters, else 2, 3–4, 5–8, ...
fn cluster_bars(sizes: &[(u64, u64)]) -> Vec<ClusterBar> {
    let largest = sizes.iter().map(|&(size, _)| size).max().unwrap_or(0);
    let mut bars = Vec::new();
    let mut from = 2;
    while from <= largest {
        let to =
            if largest <= SINGLE_SIZES { from } else { from.checked_next_power_of_two().unwrap_or(u64::MAX) };
        let clusters =
            sizes.iter().filter(|(size, _)| (from..=to).contains(size)).map(|&(_, count)| count).sum();
        bars.push(ClusterBar { from, to, clusters });
        let Some(next) = to.checked_add(1) else { break };
        from = next;
    }
    bars
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cluster_sizes_are_grouped_by_doubling_when_they_spread() {
        let bar = |from, to, clusters| ClusterBar { from, to, clusters };
        assert_eq!(cluster_bars(&[]), []);
        assert_eq!(cluster_bars(&[(2, 7), (4, 1)]), [bar(2, 2, 7), bar(3, 3, 0), bar(4, 4, 1)]);
        let spread = cluster_bars(&[(2, 7), (3, 1), (4, 2), (20, 1)]);
        assert_eq!(spread, [bar(2, 2, 7), bar(3, 4, 3), bar(5, 8, 0), bar(9, 16, 0), bar(17, 32, 1)]);
        assert_eq!(cluster_bars(&[(u64::MAX, 1)]).last().map(|bar| bar.clusters), Some(1));
    }

    #[test]
    fn shortening_keeps_both_ends() {
        assert_eq!(shortened("天地玄黄", 4), "天地玄黄");
        assert_eq!(shortened("abcdefgh", 5), "ab…gh");
    }
}
