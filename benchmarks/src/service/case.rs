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
    /// Documents by the keys of the default recipe, with this evidence.
    Default(Evidence),
}

/// Cases of one kind share a growing index: the smaller comes first.
pub(super) const CASES: [Case; 9] = [
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
    default("default-1M", 1_000_000, Evidence::Text),
    default("default-1M-sketch", 1_000_000, Evidence::Sketch),
    default("default-10M", 10_000_000, Evidence::Text),
    default("default-10M-sketch", 10_000_000, Evidence::Sketch),
    imported("imported-50M", 50_000_000, Search::Exact),
    imported("imported-100M", 100_000_000, Search::Exact),
    imported("imported-100M-psm", 100_000_000, Search::Psm),
];

const fn default(name: &'static str, documents: u64, evidence: Evidence) -> Case {
    Case { name, documents, kind: Kind::Default(evidence), search: Search::Exact, rates: &[2_000] }
}

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
            Kind::Default(Evidence::Text) => "default",
            Kind::Default(Evidence::Features) => "default-features",
            Kind::Default(Evidence::Sketch) => "default-sketch",
            Kind::Default(Evidence::None) => "default-none",
        }
    }

    /// The settings of the index.
    pub(super) fn settings(self) -> anyhow::Result<Settings> {
        let evidence = match self {
            Kind::Imported => Evidence::None,
            Kind::Sketch | Kind::Paragraphs => Evidence::Sketch,
            Kind::Default(evidence) => evidence,
        };
        let recipe = match self {
            Kind::Default(_) => Recipe::default(),
            _ => Recipe::preset("simhash")?,
        };
        Ok(Settings { evidence, paragraphs: self == Kind::Paragraphs, ..Settings::new(recipe) })
    }
}
