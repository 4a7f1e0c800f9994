//! The algorithms of twindex, pure: this crate opens no file, reads no environment and prints nothing.
//!
//! Each module is one station of the flow, and uses only the stations before it:
//!
//! | module | the question it answers |
//! |---|---|
//! | [`text`] | how does a document become words? |

pub mod document;
pub mod text;

pub use document::{Document, Markup};
