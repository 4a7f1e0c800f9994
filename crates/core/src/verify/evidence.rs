//! The data that verification compares.

use super::symbols;
use crate::document::Markup;
use crate::feature::{FeatureSet, Shingler, TermCounts};
use crate::text::Analyzer;

/// The data of a document that verification compares. Made once, compared often.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// The distinct shingles.
    pub features: FeatureSet,
    /// The units with their counts, for the cosine.
    pub counts: TermCounts,
    /// The hash of the symbols in their order, if the document is short enough for them to matter.
    pub symbols: Option<u64>,
}

impl Evidence {
    /// The evidence of a document with these unit hashes, in order. Symbols matter up to
    /// `symbols_up_to` units.
    pub(crate) fn new(
        analyzer: &Analyzer,
        shingler: &Shingler,
        symbols_up_to: usize,
        (text, markup): (&str, Markup),
        units: &[u64],
    ) -> Self {
        let is_short = !units.is_empty() && units.len() <= symbols_up_to;
        Evidence {
            features: FeatureSet::of(shingler, units),
            counts: TermCounts::new(units),
            symbols: is_short.then(|| symbols::hash(&analyzer.visible(text, markup))),
        }
    }

    /// How many bytes this takes on the heap.
    pub fn bytes(&self) -> usize {
        self.features.bytes() + self.counts.bytes()
    }
}
