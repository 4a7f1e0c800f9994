//! What each command does.

pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod dedup;
pub(crate) mod filter;
pub(crate) mod fingerprint;
pub(crate) mod hamming;
pub(crate) mod idf;
pub(crate) mod index;
pub(crate) mod man;
pub(crate) mod manage;
pub(crate) mod pairs;
pub(crate) mod recipe;
pub(crate) mod serve;
pub(crate) mod sketch;
pub(crate) mod tune;

pub(crate) mod choice;
mod input;
mod job;
mod outputs;
mod until_signal;
