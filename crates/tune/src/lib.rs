//! How well does a recipe fit a collection, and which one would fit better?
//!
//! A sample of the collection is compared exactly, every document with every other, so that nothing
//! that the search would have missed is missing. With labels, the recipe's verdicts are compared
//! with them, and another recipe is recommended if it is shown to be better. Without labels nothing
//! is right or wrong: what is shown is what each threshold and coverage would do, which pairs are
//! doubtful, and which copies with planted edits are found.
//!
//! ```text
//! collection -> sample -> every pair, measured
//!   -> decisions: pairs and removals by threshold and coverage
//!   -> doubtful: the least similar accepted and the most similar rejected pairs
//!   -> curves (with labels): precision and recall by threshold and by Hamming distance
//! sample -> injected copies
//!   -> recall by strength of edit
//!   -> S-curve of the candidate stage, measured and expected
//! labels -> recommendation (a recipe) -> page (one HTML file)
//! ```
//!
//! ```
//! use twindex_core::kernel::Kernel;
//! use twindex_core::progress::Silent;
//! use twindex_core::{Document, Recipe};
//! use twindex_tune::{Sampler, Truth, tune};
//!
//! let mut sampler = Sampler::new(2_000);
//! let texts = [
//!     ("a", "The council approved the new bridge on Monday."),
//!     ("b", "The council approved the new bridge on Monday evening."),
//!     ("c", "Rain is expected in the north for the rest of the week."),
//! ];
//! for (id, text) in texts {
//!     let document = Document { id: id.into(), text: text.into(), ..Document::default() };
//!     sampler.offer(document, None, false);
//! }
//! let truth = Truth::from_tsv("a\tb\n")?;
//! let recipe = Recipe::default();
//! let findings = tune(&sampler.finish(), Some(&truth), &recipe, Kernel::best(), &Silent)?;
//! let labels = findings.labels.expect("there were labels");
//! assert_eq!((labels.precision, labels.recall), (Some(1.0), Some(1.0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | the question it answers |
//! |---|---|
//! | `sample` | which documents stand for a collection of millions, so that duplicates stay together? |
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

/// Its example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
