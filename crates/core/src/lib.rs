//! The algorithms of twindex, pure: this crate opens no file, reads no environment and prints nothing.
//!
//! Each module is one station of the flow and uses only the stations before it (and `hash`, `kernel` and `recipe`, which
//! serve them all):
//!
//! ```text
//! Document -> text -> feature -> fingerprint -> search -> verify -> group
//! ```
//!
//! | module | the question it answers |
//! |---|---|
//! | [`text`] | how does a document become words? |
//! | [`feature`] | which parts are compared, and how much does each count? |
//! | [`fingerprint`] | what is a document's short name? |
//! | [`search`] | who might be a duplicate of whom? |
//! | [`verify`] | are they really? |
//! | [`group`] | what belongs together, what stays? |
//! | [`pipeline`] | the whole flow of one recipe |
//! | [`mod@compare`] | how alike are two documents, and where do they differ? |
//! | [`recipe`] | every parameter, its default, and what makes it valid |
//! | [`hash`] | the hash functions, pinned for ever |
//! | [`kernel`] | the inner loops for each kind of CPU, and the only `unsafe` |

pub mod compare;
pub mod document;
pub mod feature;
pub mod fingerprint;
pub mod group;
pub mod hash;
pub mod kernel;
pub mod pipeline;
pub mod recipe;
pub mod search;
pub mod text;
pub mod verify;

pub use document::{Document, Markup};
pub use pipeline::{Pipeline, PipelineScratch};
pub use recipe::Recipe;
