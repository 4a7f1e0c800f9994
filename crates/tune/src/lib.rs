//! How well does a recipe fit a collection, and which one would fit better?
//!
//! A sample of the collection is compared exactly, every document with every other, so that nothing that the search would
//! have missed is missing. With labels, what the recipe does is held against them, and a better recipe is recommended if it is shown
//! to be one. Without labels nothing is right or wrong: what is shown is what each threshold and coverage would do, which pairs
//! are doubtful, and which copies with planted edits are found.
//!
//! ```text
//! collection -> sample -> every pair, measured --+-> decisions: pairs and removals by threshold and coverage
//!                                               +-> doubtful: least similar accepted, most similar rejected
//!                                        labels -+-> curves: precision and recall by threshold, by Hamming distance
//!                         sample -> injected copies -> recall by strength of edit
//!                                                      S-curve of the candidate stage, measured and foretold
//! labels -> recommendation (a recipe) -> page (one HTML file)
//! ```
//!
//! | file | the question it answers |
//! |---|---|
//! | `sample` | which documents stand for a collection of millions, so that twins stay together? |
//! | `truth` | which pairs are right? |
//! | `pairs` | how similar is every pair of the sample? |
//! | `decisions` | what would each threshold and coverage do? |
//! | `curve` | what precision and recall does each threshold have, and where do they cross? |
//! | `candidate` | which share of the pairs at a similarity does the search propose? |
//! | `edit`, `injection` | how strongly may a copy be edited and still be found? |
//! | `doubtful` | which pairs should a person look at? |
//! | `recommend` | is a recipe shown to be better? |
//! | `page/` | how does it look? |

mod candidate;
mod curve;
mod decisions;
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
pub use decisions::{COVERAGES, Decided};
pub use doubtful::Doubtful;
pub use findings::{Findings, Labelled, Sampled, tune};
pub use injection::Injected;
pub use page::page;
pub use recommend::Recommendation;
pub use sample::{Sample, Sampler};
pub use truth::{Truth, TruthError};
