//! The measured indexes and their loads.

use twindex_core::Recipe;
use twindex_index::{Evidence, Search, Settings};

/// One index and its loads.
pub(super) struct Case {
    /// Its name for `--case`.
    pub(super) name: &'static str,
    pub(super) documents: u64,
    pub(super) kind: Kind,
    pub(super) search: Search,
    pub(super) rates: &'static [u32],
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// Documents with sketches, whole texts only.
    Sketch,
    /// Documents with sketches, paragraphs too, some of which many documents share.
    Paragraphs,
    /// Fingerprints alone.
    Imported,
}

/// Cases of one kind share a growing index: the smaller comes first.
pub(super) const CASES: [Case; 5] = [
    Case {
        name: "sketch",
        documents: 10_000_000,
        kind: Kind::Sketch,
        search: Search::Exact,
        rates: &[2_000, 6_000, 10_000, 15_000, 20_000],
    },
    Case {
        name: "paragraphs",
        documents: 1_000_000,
        kind: Kind::Paragraphs,
        search: Search::Exact,
        rates: &[2_000],
    },
    imported("imported-50M", 50_000_000, Search::Exact),
    imported("imported-100M", 100_000_000, Search::Exact),
    imported("imported-100M-psm", 100_000_000, Search::Psm),
];

const fn imported(name: &'static str, documents: u64, search: Search) -> Case {
    Case { name, documents, kind: Kind::Imported, search, rates: &[4_000] }
}

impl Kind {
    /// The folder of its index.
    pub(super) fn folder(self) -> &'static str {
        match self {
            Kind::Sketch => "sketch",
            Kind::Paragraphs => "paragraphs",
            Kind::Imported => "imported",
        }
    }

    /// The settings of the index.
    pub(super) fn settings(self) -> anyhow::Result<Settings> {
        Ok(Settings {
            evidence: if self == Kind::Imported { Evidence::None } else { Evidence::Sketch },
            paragraphs: self == Kind::Paragraphs,
            ..Settings::new(Recipe::preset("simhash")?)
        })
    }
}
