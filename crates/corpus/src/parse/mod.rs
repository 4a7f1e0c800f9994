//! How do raw bytes become rows? The costly step, done on worker threads.

pub(crate) mod delimited;
pub(crate) mod json_fields;
pub(crate) mod jsonl;
