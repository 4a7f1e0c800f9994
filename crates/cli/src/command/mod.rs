//! What each command does.

pub(crate) mod dedup;
pub(crate) mod pairs;
pub(crate) mod recipe;

mod job;
