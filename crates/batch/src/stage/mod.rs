//! The stages of a job, in their order.
//!
//! | stage | reads | writes |
//! |---|---|---|
//! | [`count`] | the inputs | document frequencies, where the recipe weighs by them |
//! | [`known`] | the inputs, indexes of witnesses | the documents of these that match |
//! | [`read`] | the inputs | facts, ids, fingerprints, places of texts or copies |
//! | [`exact`] | facts | for every document the first one of equal text |
//! | [`candidates`] | fingerprints | pairs that share a bucket, or pairs within the radius |
//! | [`verify`] | candidates, texts | pairs with scores |
//! | [`containers`] | pairs with scores, texts | removals, also of documents that a longer one contains |
//! | [`list`] | pairs with scores, removals | removed documents with witnesses; every pair, equal texts expanded, sorted |
//! | [`write`] | all of it | the outputs |
//! | [`remember`] | the kept rows | an index, where one is named |

pub(crate) mod candidates;
pub(crate) mod containers;
pub(crate) mod count;
pub(crate) mod exact;
pub(crate) mod known;
pub(crate) mod list;
pub(crate) mod read;
pub(crate) mod remember;
pub(crate) mod verify;
pub(crate) mod write;
