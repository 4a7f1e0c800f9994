//! What is a document's short name?
//!
//! Three kinds of fingerprint, each with its own notion of closeness:
//!
//! | fingerprint | made of | close when |
//! |---|---|---|
//! | [`Simhash`] | signs of 64 weighted sums over hashed words | few bits differ |
//! | [`BottomK`] | the smallest shingle hashes | many hashes in common |
//! | [`Minhash`] | the smallest shingle hash of each of many bins | many bins agree |
//!
//! A fingerprint proposes, it never decides.

mod bottom_k;
mod minhash;
mod simhash;

pub use bottom_k::{
    Bitmap, BottomK, JaccardThreshold, MOST_HASHES, Sketcher, Sketches, article, common_hashes,
};
pub use minhash::{Minhash, Minhasher};
pub use simhash::{Margins, Simhash, SimhashScratch, Simhasher, signs};
