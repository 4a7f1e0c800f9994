//! The columns of the tables.

use twindex_corpus::{Column, ColumnKind};

/// The columns of a scored pair, after its two documents.
const SCORES: [(&str, ColumnKind); 6] = [
    ("jaccard", ColumnKind::Number),
    ("containment_left", ColumnKind::Number),
    ("containment_right", ColumnKind::Number),
    ("cosine", ColumnKind::Number),
    ("distance", ColumnKind::Integer),
    ("rule", ColumnKind::Text),
];

/// The columns of removed documents: `id`, `witness`, the scores of the two, and their places.
pub fn removed_columns() -> Vec<Column> {
    removed(false)
}

/// The same, with the original row if it is wanted.
pub(super) fn removed(with_row: bool) -> Vec<Column> {
    let row = with_row.then(|| Column::new("row", ColumnKind::Json));
    scored(["id", "witness"], ["place", "witness_place"]).chain(row).collect()
}

pub(super) fn pairs() -> Vec<Column> {
    scored(["left", "right"], ["left_place", "right_place"]).collect()
}

pub(super) fn clusters() -> Vec<Column> {
    vec![
        Column::new("id", ColumnKind::Text),
        Column::new("members", ColumnKind::TextList),
        Column::new("places", ColumnKind::TextList),
    ]
}

fn scored(documents: [&'static str; 2], places: [&'static str; 2]) -> impl Iterator<Item = Column> {
    let text = |name: &str| Column::new(name, ColumnKind::Text);
    let scores = SCORES.map(|(name, kind)| Column::new(name, kind));
    documents.map(text).into_iter().chain(scores).chain(places.map(text))
}
