//! The program from outside: what goes in, what comes out, what is said, and what is left behind.
//!
//! | module | the question it answers |
//! |---|---|
//! | `folder` | where does a test run the program? |
//! | `random`, `prose`, `planted`, `packs` | where do collections come from? |
//! | `serving` | how is the service started and asked? |
//! | `jaccard`, `table` | how are results judged without the program's own code? |
//!
//! Every other module is one promise.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

mod folder;
mod jaccard;
mod packs;
mod planted;
mod prose;
mod random;
mod serving;
mod table;

mod accounted;
mod against;
mod against_index;
mod announced;
mod bad_input;
mod bad_usage;
mod documents;
mod filter;
mod formats;
mod full_disk;
mod groups;
mod hamming;
mod hard_documents;
mod index;
mod keep;
mod killed;
mod killed_service;
mod news;
mod own_features;
mod removal;
mod report;
mod rivals;
mod same_answers;
mod same_bytes;
mod serve;
mod sketch;
mod special_outputs;
mod streams;
mod threshold;
mod tune;
mod verdicts;
mod weights;
