//! How do raw bytes become rows? The costly step, done on worker threads.

pub(crate) mod cell;
pub(crate) mod charset;
pub(crate) mod columns;
pub(crate) mod csv_record;
mod declaration;
pub(crate) mod delimited;
pub(crate) mod features;
pub(crate) mod file;
pub(crate) mod head;
pub(crate) mod http;
pub(crate) mod json_line;
pub(crate) mod json_string;
pub(crate) mod jsonl;
pub(crate) mod lines;
pub(crate) mod warc;
