//! How well does a recipe fit a collection, and which one would fit better?
//!
//! A sample of the collection is compared exactly, every document with every other, so that nothing that the search would
//! have missed is missing. What the recipe does is then held against what is right: pairs that a person labelled, or,
//! without labels, pairs whose word counts have a cosine of at least 0.9, the reference of the probabilistic-matching paper.
//!
//! ```text
//! collection -> sample -> every pair with its scores --+-> curves: precision and recall by threshold, by Hamming distance
//!                                  truth or reference -+-> doubtful: least similar accepted, most similar rejected
//!                         sample -> injected copies -----> recall by strength of edit
//!                                                          S-curve of the candidate stage, measured and foretold
//! all of it -> recommendation (a recipe) -> page (one HTML file)
//! ```
//!
//! | file | the question it answers |
//! |---|---|
//! | `sample` | which documents stand for a collection of millions, so that twins stay together? |
//! | `truth` | which pairs are right? |
//! | `pairs` | how similar is every pair of the sample? |
//! | `curve` | what precision and recall does each threshold have, and where do they cross? |
//! | `candidate` | which share of the pairs at a similarity does the search propose? |
//! | `edit`, `injection` | how strongly may a copy be edited and still be found? |
//! | `doubtful` | which pairs should a person look at? |
//! | `recommend` | which recipe follows from all this? |
//! | `page/` | how does it look? |

mod candidate;
mod curve;
mod doubtful;
mod edit;
mod findings;
mod injection;
mod page;
mod pairs;
mod recommend;
mod sample;
mod truth;

pub use candidate::CandidatePoint;
pub use curve::{Curve, Point};
pub use doubtful::Doubtful;
pub use findings::{Findings, Sampled, tune};
pub use injection::Injected;
pub use page::page;
pub use recommend::Recommendation;
pub use sample::{Sample, Sampler};
pub use truth::{Reference, Truth, TruthError};
