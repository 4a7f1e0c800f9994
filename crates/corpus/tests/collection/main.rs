//! Collections on disk, from inputs to outputs: one module per format or promise.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

mod batching;
mod common;
mod damaged;
mod files;
mod inputs;
mod jsonl;
mod long_rows;
mod outputs;
mod parquet;
mod parquet_copy;
mod ranges;
mod row_again;
mod table_json;
mod tables;
mod text_tables;
mod unusual;
mod warc;
