//! The near-duplicates of a whole collection, on one machine, in bounded memory.
//!
//! [`plan`] says what a [`Job`] will cost; [`run`] runs it, stage by stage, over a work folder that survives a kill:
//!
//! ```text
//! inputs -> read -> exact -> candidates -> verify -> list -> write -> outputs
//! ```
//!
//! | module | the question it answers |
//! |---|---|
//! | `job` | what did the user ask for? |
//! | `plan` | what will it cost? |
//! | `outputs` | can every output be written? |
//! | `run` | what happens in which order? |
//! | `stage/` | what does each stage do? |
//! | `work/` | what is in the work folder, and how does it survive a kill? |
//! | `record`, `documents`, `place` | what is kept of a document, and of a pair? where does its row stand? |
//! | `spill`, [`parallel`], `evidence` | how is memory bounded, and order kept with many threads? |
//! | `chunk_folder` | how is a collection of fingerprints on disk searched by probabilistic matching? |
//! | `clusters`, `selection`, `skipped`, `gather`, [`report`] | what do people get to see? |
//!
//! Texts are never all in memory: they are read again for verification, from plain inputs or from copies in the work folder. What grows
//! with the number of documents is a few dozen bytes each; `plan` says how much.

mod buckets;
mod chunk_folder;
mod clusters;
mod documents;
mod error;
mod evidence;
mod gather;
mod job;
mod key_columns;
mod outputs;
pub mod parallel;
mod place;
mod plan;
mod progress;
mod rarest;
mod record;
pub mod report;
mod run;
mod selection;
mod sieve;
mod skipped;
mod sources;
mod spill;
mod stage;
mod summary;
mod work;

pub use chunk_folder::ChunkFolder;
pub use error::{BatchError, Result};
pub use job::{Existing, Job, Mode, OnError, Outputs, Pace};
pub use plan::Plan;
pub use progress::{Progress, Silent, Unit};
pub use run::{plan, run};
pub use stage::write::removed_columns;
pub use summary::{Coverage, Stage, Summary};
