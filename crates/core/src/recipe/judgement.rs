//! The numbers of the judgement: what each of its terms asks for.
//!
//! They stand apart from the terms themselves (`verify::judgement`), because the search must know which pairs can pass. How
//! they were chosen is in `benchmarks/quality/`.

/// How much more alike in spelling than in words copies under noise are.
pub const NOISE_CUT: f64 = 0.1;
/// The same where nothing is known of the collection: templates with other names in them reach 0.12.
pub const NOISE_CUT_ALONE: f64 = 0.13;
/// Copies under noise have the same number of words, but for words that were torn apart or joined.
pub const NOISE_LEAST_RATIO: f64 = 0.9;
/// With fewer words the shares are too coarse to be compared with each other.
pub const NOISE_LEAST_WORDS: u64 = 64;
/// The least share of rare shingles among those that copies under noise have in common.
pub const NOISE_LEAST_RARE: f64 = 0.5;
/// Copies with less in common than this are not told from strangers (nineteen of twenty scans have twice as much): such
/// candidates need not be read.
pub const NOISE_LEAST_JACCARD: f64 = 0.05;
/// The least Jaccard that rare shingles alone give.
pub const REUSE_CUT: f64 = 0.15;
/// The least part of the smaller document's single words that the other has in the same order.
pub const REUSE_LEAST_CHAIN: f64 = 0.65;
/// In a shorter document a phrase or two make a chain.
pub const REUSE_LEAST_WORDS: u64 = 100;
/// In documents with fewer words only shared shingles count.
pub const LEAST_WORDS: u64 = NOISE_LEAST_WORDS;
