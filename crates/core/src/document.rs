//! What twindex compares.
//!
//! ```
//! use twindex_core::{Document, Markup};
//!
//! let plain = Document { id: "a".into(), text: "<b>".into(), ..Document::default() };
//! assert_eq!(plain.markup, Markup::None);
//! let page = Document { markup: Markup::Html, ..plain };
//! assert!(page.markup.is_supported(), "the cargo feature `html` is on");
//! ```

/// How the text of a document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Markup {
    /// Plain text: every character counts.
    #[default]
    None,
    /// HTML: tags, scripts, styles and comments do not count, entities are decoded. Needs the cargo
    /// feature `html`.
    Html,
    /// No text but a list of features with weights, in the form of
    /// [`NamedFeatures`](crate::feature::NamedFeatures).
    Features,
}

impl Markup {
    /// Whether documents that are written so can be read: HTML needs the cargo feature `html`.
    pub const fn is_supported(self) -> bool {
        cfg!(feature = "html") || !matches!(self, Markup::Html)
    }
}

/// One document: a name and a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    /// What the user calls it; unique in a run.
    pub id: String,
    /// The text as it came, markup included.
    pub text: String,
    /// How `text` is written.
    pub markup: Markup,
}
