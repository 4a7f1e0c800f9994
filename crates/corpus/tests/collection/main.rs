//! Collections on disk, from inputs to outputs: one module per format or promise.

mod common;
mod jsonl;
