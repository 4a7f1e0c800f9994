//! What travels: the bodies of requests and responses, and nothing else. These types are the
//! contract; the index may change behind them.

mod answer;
mod comparison;
mod document;
mod stats;

pub(crate) use answer::{Answer, Check, MOST_MATCHES, Outcome, Verdict};
pub(crate) use comparison::{Compare, ComparisonSchema, Named};
pub(crate) use document::{Add, AddBatch, BatchRow, BatchVerdicts, Refused, Stored};
pub(crate) use stats::{IndexFigures, Latency, Rules, Stats};
