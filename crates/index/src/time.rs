//! Time as a value: nothing in this crate asks a clock when a document expires.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// A moment: seconds since 1970-01-01 00:00 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

/// A length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seconds(pub u64);

impl Timestamp {
    /// What the clock of the machine says.
    pub fn now() -> Timestamp {
        Timestamp(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
    }

    /// The moment `seconds` later.
    pub fn after(self, seconds: Seconds) -> Timestamp {
        Timestamp(self.0.saturating_add(seconds.0))
    }
}

/// Whether something that lasts until `expires` is over at `now`; what has no end never is.
pub(crate) fn is_over(expires: Option<Timestamp>, now: Timestamp) -> bool {
    expires.is_some_and(|expires| expires <= now)
}
