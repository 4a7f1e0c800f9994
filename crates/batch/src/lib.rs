//! (to be written)
pub mod report;
