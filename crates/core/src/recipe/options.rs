//! The sections of a recipe.

use serde::{Deserialize, Serialize};

use crate::feature::{Unit, Weight};
use crate::hash::WordHash;

/// How candidates are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MethodName {
    /// Bands of a many-bin MinHash signature. Finds similar documents of any length.
    #[default]
    MinhashLsh,
    /// An exact join of bottom-k sketches.
    BottomK,
    /// Block-permuted search over 64-bit SimHash: eight bytes a document, for very similar documents.
    Simhash,
}

/// What is compared: shingles of units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FeatureOptions {
    /// `word` or `character`.
    pub unit: Unit,
    /// How many consecutive units make a shingle.
    pub size: usize,
    /// The hash of a unit.
    pub hash: WordHash,
    /// How much a unit counts in the cosine: as `simhash.weight`. The judgement compares counts.
    pub weight: Weight,
}

impl Default for FeatureOptions {
    fn default() -> Self {
        // Three words: the best single choice over labelled collections of news, posts, licences, revisions and Chinese
        // (see benchmarks/quality.md).
        FeatureOptions { unit: Unit::Word, size: 3, hash: WordHash::Chunks, weight: Weight::Count }
    }
}

/// A measure of similarity, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// The best term of a small formula: shared shingles, the same text under noise, reuse of a part.
    #[default]
    Judgement,
    /// The shared part of all shingles.
    Jaccard,
    /// The shared part of the document that is contained more.
    Containment,
    /// The cosine of the unit counts.
    Cosine,
}

impl Measure {
    /// Whether the threshold is one of the Jaccard of the shingles, which fingerprints estimate.
    pub fn is_of_shingles(self) -> bool {
        matches!(self, Measure::Judgement | Measure::Jaccard)
    }

    /// The name in recipes and results.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Judgement => "judgement",
            Measure::Jaccard => "jaccard",
            Measure::Containment => "containment",
            Measure::Cosine => "cosine",
        }
    }
}

/// Which pairs count: those whose measure is at least the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rule {
    /// What is measured.
    pub measure: Measure,
    /// The least value of a pair that counts.
    pub threshold: f64,
}

impl Default for Rule {
    fn default() -> Self {
        Rule { measure: Measure::Judgement, threshold: 0.5 }
    }
}

/// How much work the search may cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CandidateOptions {
    /// `dedup` compares a document with at most so many documents of each of its buckets, the first in keep order.
    pub bucket_limit: usize,
}

impl Default for CandidateOptions {
    fn default() -> Self {
        CandidateOptions { bucket_limit: 16 }
    }
}

/// Parameters of the method `minhash-lsh`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MinhashOptions {
    /// How many bands.
    pub bands: u16,
    /// How many rows in a band.
    pub rows: u16,
}

impl Default for MinhashOptions {
    fn default() -> Self {
        // Finds 99.6 % of the pairs at the default threshold of 0.5, and 4 % of those at 0.1.
        MinhashOptions { bands: 42, rows: 3 }
    }
}

/// Parameters of the method `bottom-k`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BottomKOptions {
    /// How many hashes a sketch holds.
    pub size: usize,
    /// The least sketch Jaccard of a candidate. The sketch is a sample: leave room below the rule's threshold.
    pub threshold: f64,
}

impl Default for BottomKOptions {
    fn default() -> Self {
        // At a Jaccard of 0.5 a sketch of 128 has a standard error of 0.044; 0.35 is more than three of them below.
        BottomKOptions { size: 128, threshold: 0.35 }
    }
}

/// Parameters of the method `simhash`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SimhashOptions {
    /// How many consecutive units make a feature of the fingerprint.
    pub size: usize,
    /// How much a feature counts: `count`, `one`, `normalised`, `tf-idf` or `length-noun`.
    pub weight: Weight,
    /// How many average occurrences a long word, or a noun, is worth more: for the weight `length-noun`.
    pub lambda: f64,
    /// Candidates differ in at most so many of 64 bits.
    pub radius: u32,
    /// Into how many blocks the fingerprint is cut; blocks over radius give binomial(blocks, radius) tables.
    pub blocks: u32,
}

impl Default for SimhashOptions {
    fn default() -> Self {
        SimhashOptions { size: 1, weight: Weight::Count, lambda: 1.0, radius: 3, blocks: 5 }
    }
}
