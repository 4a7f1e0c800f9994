//! Collections on disk, from inputs to outputs: one module per format or promise.

mod batching;
mod common;
mod damaged;
mod files;
mod inputs;
mod jsonl;
mod long_rows;
mod outputs;
mod parquet;
mod tables;
mod text_tables;
mod warc;
