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
//!
//! ```
//! use twindex_core::fingerprint::{Minhasher, Simhasher};
//! use twindex_core::hash::mix;
//! use twindex_core::kernel::Kernel;
//!
//! // Two documents that share 95 of 100 features.
//! let a: Vec<u64> = (0..100).map(mix).collect();
//! let b: Vec<u64> = (5..105).map(mix).collect();
//! let other: Vec<u64> = (1000..1100).map(mix).collect();
//!
//! let simhash = |features: &[u64]| Simhasher::new(Kernel::best()).margins(features).simhash();
//! assert!(simhash(&a).distance(simhash(&b)) < simhash(&a).distance(simhash(&other)));
//!
//! let minhasher = Minhasher::new(128);
//! let signature = |features: Vec<u64>| minhasher.signature_of(&features, &mut vec![]);
//! let [a, b, other] = [a, b, other].map(signature);
//! assert!(a.agreements(&b) > 96 && a.agreements(&other) < 16);
//! ```

mod bottom_k;
mod minhash;
mod simhash;

pub use bottom_k::{
    Bitmap, BottomK, JaccardThreshold, MOST_HASHES, Sketcher, Sketches, article, common_hashes,
};
pub use minhash::{Minhash, Minhasher};
pub use simhash::{Margins, Simhash, SimhashScratch, Simhasher, signs};
