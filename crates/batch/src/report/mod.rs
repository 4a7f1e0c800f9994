//! The HTML report of a run: one file that explains itself, works from `file://` and needs no network.

mod data;
pub mod difference;

pub use data::{FamilyRow, Histogram, Mode, PairRow, Report, Scores, Side, StageTime, Totals};
