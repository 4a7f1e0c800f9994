//! The sections of a recipe.

use serde::{Deserialize, Serialize};

use crate::feature::{Unit, Weight};
use crate::hash::WordHash;

/// How candidates are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MethodName {
    /// Bands of a MinHash signature: finds similar documents of any length.
    #[default]
    MinhashLsh,
    /// An exact join of bottom-k sketches, the smallest shingle hashes of each document: finds
    /// every pair whose sketches are similar.
    BottomK,
    /// Fingerprints of 64 bits that differ in few bits: eight bytes a document, for very similar
    /// documents.
    Simhash,
    /// One shingle in a few is a key: finds documents that are contained in others, however long
    /// these are.
    Sampled,
}

impl MethodName {
    /// The name in recipes and results.
    pub fn name(self) -> &'static str {
        match self {
            MethodName::MinhashLsh => "minhash-lsh",
            MethodName::BottomK => "bottom-k",
            MethodName::Simhash => "simhash",
            MethodName::Sampled => "sampled",
        }
    }
}

/// What is compared: shingles of units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FeatureOptions {
    /// What a shingle is made of.
    pub unit: Unit,
    /// How many consecutive units make a shingle. An edit changes more of longer shingles, and
    /// unrelated documents share fewer of them.
    pub size: usize,
    /// The hash of a unit. It changes fingerprints, not similarities: choose another one to compare
    /// with the fingerprints of another program.
    pub hash: WordHash,
    /// How much a unit counts in the measure `cosine`; the other measures do not weigh.
    pub weight: Weight,
}

impl Default for FeatureOptions {
    fn default() -> Self {
        // Three words: the best single choice over labelled collections of news, posts, licences,
        // revisions and Chinese (see benchmarks/quality.md).
        FeatureOptions { unit: Unit::Word, size: 3, hash: WordHash::Chunks, weight: Weight::Count }
    }
}

/// A measure of similarity, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Of all shingles of both documents, the share in both.
    #[default]
    Jaccard,
    /// Of the shingles of the document that is contained more, the share in the other. Needs
    /// `method = "sampled"`.
    Containment,
    /// The cosine of the weights of the units (`feature.weight`): their order does not matter.
    Cosine,
}

impl Measure {
    /// The name in recipes and results.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Jaccard => "jaccard",
            Measure::Containment => "containment",
            Measure::Cosine => "cosine",
        }
    }
}

/// Which pairs count as duplicates, and which duplicates may be removed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rule {
    /// How the similarity of two documents is measured.
    pub measure: Measure,
    /// A pair counts as duplicates if its similarity is at least this.
    pub threshold: f64,
    /// A document may be removed if at least this share of its features is in the one that stays; 0
    /// = no bound.
    pub coverage: f64,
    /// A document may be removed if also at most this many of its features are missing from the one
    /// that stays: a tenth of a long document may be pages; 0 = no bound.
    pub most_lost: u32,
    /// Whether a longer document that contains a kept one is kept instead of it, whatever the keep
    /// policy (`--keep`).
    pub container_wins: bool,
    /// Two documents of at most this many units that differ in symbols alone (`C++` and `C#`) both
    /// stay; 0 = symbols never matter.
    pub symbols_up_to: u32,
}

impl Default for Rule {
    fn default() -> Self {
        Rule {
            measure: Measure::Jaccard,
            threshold: 0.5,
            // By labels and by reading what is removed of texts without labels:
            // benchmarks/removals.md.
            coverage: 0.9,
            most_lost: 150,
            container_wins: true,
            symbols_up_to: 64,
        }
    }
}

/// How much work the search may cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CandidateOptions {
    /// `dedup` compares a document with at most this many documents of each of its buckets, the
    /// first in keep order. More takes longer where thousands share a template; `pairs` has no
    /// limit.
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
    /// How many bands. A pair is a candidate if one band is equal in both: more bands find more
    /// pairs, and take time and memory.
    pub bands: u16,
    /// How many rows in a band. More rows find fewer pairs, and far fewer of dissimilar documents.
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
    /// How many hashes a sketch holds. Larger sketches are better samples, and take time and
    /// memory.
    pub size: usize,
    /// The least sketch Jaccard of a candidate. The sketch is a sample: leave room below the rule's
    /// threshold.
    pub threshold: f64,
}

impl Default for BottomKOptions {
    fn default() -> Self {
        // At a Jaccard of 0.5 a sketch of 128 has a standard error of 0.044; 0.35 is more than
        // three of them below.
        BottomKOptions { size: 128, threshold: 0.35 }
    }
}

/// Parameters of the method `simhash`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SimhashOptions {
    /// How many consecutive units make a feature of the fingerprint.
    pub size: usize,
    /// How much a feature counts in the fingerprint.
    pub weight: Weight,
    /// How many average occurrences a long word, or a noun, is worth more: for `length-noun`, also
    /// in `feature.weight`.
    pub lambda: f64,
    /// Candidates differ in at most this many of 64 bits. A larger radius finds more pairs and
    /// takes longer.
    pub radius: u32,
    /// Into how many blocks the fingerprint is cut, for binomial(blocks, radius) tables. It changes
    /// the time of the search, not which pairs are within the radius.
    pub blocks: u32,
}

impl Default for SimhashOptions {
    fn default() -> Self {
        SimhashOptions { size: 1, weight: Weight::Count, lambda: 1.0, radius: 3, blocks: 5 }
    }
}

/// Parameters of the method `sampled`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SampledOptions {
    /// One shingle in this many is sampled, and takes four bytes. A larger rate takes less memory
    /// and misses more short parts.
    pub rate: u32,
}

impl Default for SampledOptions {
    fn default() -> Self {
        // Of a part of 100 words 12 shingles are sampled, and with chance 2 in a million none.
        SampledOptions { rate: 8 }
    }
}
