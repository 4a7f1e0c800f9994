//! The settings of an index, fixed when it is created, and how it is opened.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use twindex_core::Recipe;
use twindex_core::feature::DocumentFrequencies;
use twindex_core::kernel::Kernel;
use twindex_core::recipe::{Measure, MethodName, RecipeError};
use twindex_core::search::hamming::LARGEST_RADIUS;
use twindex_core::search::segment::{Accuracy, BUFFER, PROBABLE_RECALL};

use crate::error::{IndexError, Result};
use crate::time::Seconds;

/// What is kept of a document for the verification of candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// The text, compressed. Scores are exact, and equal those of `twindex pairs`.
    #[default]
    Text,
    /// The hash of every shingle. Decisions equal those of `twindex pairs`, and no text is kept;
    /// the cosine is not known.
    Features,
    /// The smallest shingle hashes. Scores are estimates, exact for documents of few shingles.
    Sketch,
    /// Nothing but a hash of the text: only equal texts are verified.
    None,
}

/// The settings of an index, fixed when it is created.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// What is kept for verification.
    #[serde(default)]
    pub evidence: Evidence,
    /// The default time to live of a document; `None`: documents never expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<Seconds>,
    /// If set, adding a document again, or adding a duplicate of it, extends its expiry to that of
    /// the new one.
    #[serde(default)]
    pub renew_on_sight: bool,
    /// Whether paragraphs are indexed too.
    #[serde(default)]
    pub paragraphs: bool,
    /// What counts as a duplicate, and how candidates are found: simhashes within a radius, or any
    /// other method by its keys.
    pub recipe: Recipe,
    /// The document frequencies for a recipe that weighs words by them; without them every word
    /// has the same weight. A table of its own in the store.
    #[serde(skip)]
    pub frequencies: Option<Arc<DocumentFrequencies>>,
}

impl Settings {
    /// An index of texts that never expire, for this recipe.
    pub fn new(recipe: Recipe) -> Settings {
        Settings {
            recipe,
            evidence: Evidence::Text,
            ttl: None,
            renew_on_sight: false,
            paragraphs: false,
            frequencies: None,
        }
    }

    /// Whether documents are found by the keys of the engine: unless the method is simhash.
    pub fn is_keyed(&self) -> bool {
        self.recipe.method != MethodName::Simhash
    }

    /// Whether an index can work like this.
    pub fn validate(&self) -> Result<()> {
        self.recipe.validate()?;
        if self.recipe.decides_by_frequencies() && self.frequencies.is_none() {
            return Err(RecipeError::NeedsFrequencies.into());
        }
        let has_simhashes = !self.is_keyed() || self.paragraphs;
        if has_simhashes && self.recipe.simhash.radius > LARGEST_RADIUS {
            return Err(IndexError::InvalidSettings(
                "the radius of the recipe is larger than 12: within it are documents that have nothing to do with each other",
            ));
        }
        let only_shingles = matches!(self.evidence, Evidence::Features | Evidence::Sketch);
        if only_shingles && self.recipe.rule.measure == Measure::Cosine {
            return Err(IndexError::InvalidSettings(
                "features and sketches are shingles and cannot tell the cosine of words, by which the recipe's rule \
                 decides; choose the evidence text, or a rule on jaccard",
            ));
        }
        if self.ttl == Some(Seconds(0)) {
            return Err(IndexError::InvalidSettings("a time to live of 0 seconds would keep nothing"));
        }
        Ok(())
    }
}

/// When an add is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// After it has reached the disk.
    #[default]
    Strict,
    /// At once; a crash of the machine or of the process may lose the last seconds.
    Relaxed,
}

/// How fingerprints are searched. Segments are derived, so an index can be opened with either.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Search {
    /// Every document within the radius is found. Memory per document: 27 bytes in a large index,
    /// 41 in a small one.
    #[default]
    Exact,
    /// Probabilistic simhash matching: 13 bytes, and one match in a hundred is missed. Answers have
    /// the expected recall.
    Psm,
}

impl Search {
    /// The share of what the recipe's search proposes that this search is expected to propose.
    pub fn share_of_candidates(self) -> f64 {
        match self {
            Search::Exact => 1.0,
            Search::Psm => PROBABLE_RECALL,
        }
    }
}

impl From<Search> for Accuracy {
    fn from(search: Search) -> Accuracy {
        match search {
            Search::Exact => Accuracy::Exact,
            Search::Psm => Accuracy::Probable,
        }
    }
}

/// How an index is opened; nothing here but `search` changes an answer.
#[derive(Debug, Clone, Copy)]
pub struct OpenOptions {
    /// When an add is acknowledged.
    pub durability: Durability,
    /// The most memory for cached pages of the store, in bytes.
    pub cache_bytes: usize,
    /// How many fresh fingerprints are scanned before they are sealed into a segment.
    pub buffer: usize,
    /// How fingerprints are searched.
    pub search: Search,
    /// The inner loops to use.
    pub kernel: Kernel,
}

impl Default for OpenOptions {
    fn default() -> Self {
        // The records of matches are read often, and they are small. The system caches the file
        // too.
        OpenOptions {
            durability: Durability::Strict,
            cache_bytes: 256 << 20,
            buffer: BUFFER,
            search: Search::Exact,
            kernel: Kernel::best(),
        }
    }
}
