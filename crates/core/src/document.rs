//! What twindex compares.

/// How the text of a document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Markup {
    /// Plain text: every character counts.
    #[default]
    None,
    /// HTML: tags, scripts, styles and comments do not count, entities are decoded.
    Html,
    /// No text but a list of features with weights, in the form of [`NamedFeatures`](crate::feature::NamedFeatures).
    Features,
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
