//! Fingerprints of any origin: which are near each other, which are near a query?
//!
//! The searches of [`twindex_core::search`] over files: simhashes that `twindex fingerprint` made,
//! perceptual hashes of images, simhashes of other programs. What is near is listed; nothing is
//! compared but the 64 bits.
//!
//! | module | the question it answers |
//! |---|---|
//! | `notation`, `input` | how is a fingerprint written; which rows does a file have? |
//! | `ids` | what is row number n called? |
//! | `resources` | how much memory, how many threads, where? |
//! | `forecast`, `pairs` | what will all pairs cost; which are they? |
//! | `collection`, `method`, `recall` | what was read; which index; does it find enough? |
//! | `matches` | which stored fingerprints are near a query? |
//! | `plan` | which search fits into memory? |
//! | `store`, `chunked` | where is a collection that does not fit; how is it searched? |

mod chunked;
mod collection;
mod forecast;
mod ids;
mod input;
mod matches;
mod method;
mod notation;
mod pairs;
mod plan;
mod recall;
mod resources;
mod store;

use twindex_core::search::join::LARGEST_JOIN_RADIUS;

pub use forecast::Forecast;
pub(crate) use ids::{IdWriter, Ids};
pub(crate) use input::{Counted, Reading, Rows, Value, read};
pub use input::{FingerprintInput, RAW_EXTENSION, RowFormat};
pub use matches::{MatchJob, MatchSummary, Stored};
pub use method::SearchMethod;
pub use notation::Notation;
pub use pairs::{PairsJob, PairsSummary};
pub use plan::{SearchPlan, plan};
pub use recall::Recall;
pub use resources::Resources;
pub(crate) use resources::check_output;
pub use store::{FingerprintStore, StoreSummary};

/// The largest radius of a search for matches. Beyond 12 bits the exact search is a scan.
pub const LARGEST_MATCH_RADIUS: u32 = LARGEST_JOIN_RADIUS;
