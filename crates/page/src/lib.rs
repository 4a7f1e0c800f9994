//! What the pages of twindex share: the look, and two texts side by side.
//!
//! A crate of its own, because the report of a batch job and the service both show pairs and
//! neither should depend on the other. It holds two files and no code.

/// The style sheet that comes first: colours, light and dark, and how a pair of texts looks.
pub const STYLE: &str = include_str!("shared.css");

/// The script that comes first: making elements out of untrusted text, and two texts side by side
/// with their differences.
pub const SCRIPT: &str = include_str!("shared.js");
