//! The algorithms of twindex, pure: this crate opens no file, reads no environment and prints
//! nothing.
//!
//! Each module is one station of the flow and uses only the stations before it (and `hash`,
//! `kernel` and `recipe`, which serve them all):
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
//! | [`engine`] | the whole flow of one recipe: what every driver calls |
//! | [`mod@compare`] | how alike are two documents, and where do they differ? |
//! | [`recipe`] | every parameter, its default, and what makes it valid |
//! | [`progress`] | how does long work report how far it is? |
//! | [`hash`] | the hash functions, pinned for ever |
//! | `kernel` | the inner loops for each kind of CPU, and the only `unsafe` |
//!
//! # Cargo features
//!
//! All are on by default. No feature changes a result: what is not compiled in is refused. A recipe
//! that needs a missing feature is refused by [`Recipe::validate`] and by [`text::Analyzer::new`].
//! The default recipe needs none.
//!
//! | feature | what needs it |
//! |---|---|
//! | `html` | [`Markup::Html`], `text.markup = "html"`, `text.boilerplate = "remove"` |
//! | `languages` | `auto` in `text.stop_words` and `text.stem`, stop lists of Stopwords ISO |
//! | `stem` | `text.stem` |
//! | `zh` | `text.han = "word"`: Chinese in words instead of characters |
//!
//! Whether a document is HTML is known when it is read: [`text::Analyzer::check`] tells whether it
//! can be, and reading it without the feature panics.

pub mod compare;
pub mod document;
pub mod engine;
pub mod feature;
pub mod fingerprint;
pub mod group;
pub mod hash;
// No promise: inner loops change with every version.
#[doc(hidden)]
pub mod kernel;
pub mod progress;
pub mod recipe;
pub mod search;
pub mod text;
pub mod verify;

pub use document::{Document, Markup};
pub use engine::{Digests, Engine, EngineScratch, MixedRecipes, Stamp};
pub use kernel::Kernel;
pub use recipe::Recipe;

/// Its example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
