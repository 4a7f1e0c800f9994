//! The near-duplicates of a whole collection, on one machine, in bounded memory.
//!
//! [`plan`] says what a [`Job`] will cost; [`run`] runs it, stage by stage, over a work folder that
//! survives a kill:
//!
//! ```text
//! inputs -> read -> exact -> candidates -> verify -> list -> write -> outputs
//! ```
//!
//! ```
//! use twindex_batch::{Job, Mode, Outputs, Silent, run};
//! use twindex_core::group::KeepPolicy;
//!
//! let folder = tempfile::tempdir()?;
//! let [input, kept] = ["rows.jsonl", "kept.jsonl"].map(|name| folder.path().join(name));
//! std::fs::write(&input, "{\"text\": \"one two three\"}\n{\"text\": \"one two three\"}\n")?;
//! let outputs = Outputs { kept: Some(kept), ..Outputs::default() };
//! let job = Job::new(vec![input.display().to_string()], Mode::Dedup(KeepPolicy::First), outputs)?;
//! assert_eq!(run(&job, &Silent)?.kept, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | the question it answers |
//! |---|---|
//! | `job`, `defaults` | what is to be done? |
//! | `plan`, `memory` | what will it cost; how much memory may it use? |
//! | `sources`, `indexes`, `outputs` | which files and indexes are read; which files are written? |
//! | `run` | what happens in which order? |
//! | `stage/` | what does each stage do? |
//! | `join/` | how are joins done that do not fit into memory? |
//! | [`hamming`] | fingerprints of any origin: which are near each other, which are near a query? |
//! | [`sketch`] | bottom-k sketches of any origin: which are alike, which are like a query? |
//! | `work/` | what is kept of documents and pairs, and how does it survive a kill? |
//! | [`report`], `summary` | what do people get to see? |
//! | [`parallel`], `progress` | how is order kept with many threads; how far is a job? |
//! | `error` | what can go wrong? |
//!
//! Texts are never all in memory: verification reads them again, from plain inputs or from copies
//! in the work folder. Memory grows by a few dozen bytes for each document; `plan` says how much.

mod defaults;
mod error;
pub mod hamming;
mod indexes;
mod job;
mod join;
mod memory;
mod outputs;
pub mod parallel;
mod plan;
mod progress;
pub mod report;
mod run;
pub mod sketch;
mod sources;
mod stage;
mod summary;
mod work;

pub use error::{BatchError, Result};
pub use job::{Job, Mode, OnError, Outputs, Pace};
pub use outputs::removed_columns;
pub use plan::Plan;
pub use progress::{Progress, Silent, Unit};
pub use run::{plan, run};
pub use summary::{Coverage, Stage, Summary};
pub use work::Existing;
