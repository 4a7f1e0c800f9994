//! Documents that come in, and what is known of them.

use serde::{Deserialize, Serialize};
use twindex_index as index;
use utoipa::ToSchema;

use super::answer::{Verdict, usual_matches};
use crate::problem::Problem;

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Markup {
    /// Every character counts.
    #[default]
    None,
    /// Only what a reader of the page sees counts.
    // Without the feature, a request with HTML is invalid.
    #[cfg_attr(not(feature = "html"), serde(skip_deserializing))]
    Html,
}

impl From<Markup> for twindex_core::Markup {
    fn from(markup: Markup) -> twindex_core::Markup {
        match markup {
            Markup::None => twindex_core::Markup::None,
            Markup::Html => twindex_core::Markup::Html,
        }
    }
}

/// A document to be added.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"id": "news-1", "text": "The council approved the new bridge on Monday."}))]
pub(crate) struct Add {
    /// What it is called: 1 to 1024 bytes. Adding the same document again changes nothing but its
    /// expiry; another text under the same id takes the place of the first.
    id: String,
    /// The text as it is, markup included.
    text: String,
    /// How the text is written.
    #[serde(default)]
    markup: Markup,
    /// The time to live in seconds; by default that of the index.
    #[serde(default)]
    ttl: Option<u64>,
    /// Leave it out if something like it is there; a paragraph that both have is not enough.
    #[serde(default)]
    pub(crate) only_unseen: bool,
    /// The largest number of matches listed, the nearest first.
    #[serde(default = "usual_matches")]
    #[schema(default = 10, maximum = 1000)]
    pub(crate) limit: usize,
}

/// Documents to be added together.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddBatch {
    /// The documents, in order: an earlier one may be a match of a later one.
    pub(crate) documents: Vec<BatchDocument>,
    /// Leave out what is like something that is there, or that comes earlier in the batch, as a
    /// whole.
    #[serde(default)]
    pub(crate) only_unseen: bool,
    /// The largest number of matches listed for each document, and 10,000 for all together; 0:
    /// nothing is looked for.
    #[serde(default = "usual_matches")]
    #[schema(default = 10, maximum = 1000)]
    pub(crate) limit: usize,
}

/// A document of a batch.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatchDocument {
    /// What it is called: 1 to 1024 bytes.
    id: String,
    /// The text as it is, markup included.
    text: String,
    /// How the text is written.
    #[serde(default)]
    markup: Markup,
    /// The time to live in seconds; by default that of the index.
    #[serde(default)]
    ttl: Option<u64>,
}

impl From<BatchDocument> for index::NewDocument {
    fn from(document: BatchDocument) -> index::NewDocument {
        index::NewDocument {
            id: document.id,
            text: document.text,
            markup: document.markup.into(),
            ttl: document.ttl.map(index::Seconds),
        }
    }
}

impl From<Add> for index::NewDocument {
    fn from(Add { id, text, markup, ttl, .. }: Add) -> index::NewDocument {
        BatchDocument { id, text, markup, ttl }.into()
    }
}

/// What became of the documents of a batch, in their order.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BatchVerdicts {
    /// One for each document.
    pub(crate) results: Vec<BatchRow>,
}

/// What became of one document of a batch.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum BatchRow {
    /// It was looked at.
    Verdict(Verdict),
    /// It could not be taken; the others were.
    Refused(Refused),
}

/// A document that could not be taken.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Refused {
    /// What the document is called.
    pub(crate) id: String,
    /// Why it was refused.
    pub(crate) problem: Problem,
}

/// What the index knows of a document.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Stored {
    /// What it is called.
    id: String,
    /// Its simhash, 16 hexadecimal digits; null if it has no words.
    fingerprint: Option<String>,
    /// When it expires, in seconds since 1970; null: never.
    expires: Option<u64>,
    /// How the text is written.
    markup: Markup,
    /// The text, if the index keeps texts.
    text: Option<String>,
}

impl From<index::Stored> for Stored {
    fn from(stored: index::Stored) -> Stored {
        Stored {
            id: stored.id,
            fingerprint: stored.fingerprint,
            expires: stored.expires.map(|time| time.0),
            markup: if stored.html { Markup::Html } else { Markup::None },
            text: stored.text,
        }
    }
}

#[cfg(all(test, not(feature = "html")))]
mod tests {
    use super::*;

    #[test]
    fn html_is_invalid_without_its_cargo_feature() {
        let parse = serde_json::from_str::<Markup>;
        assert_eq!(parse("\"none\"").unwrap(), Markup::None);
        let message = parse("\"html\"").unwrap_err().to_string();
        assert!(message.contains("unknown variant `html`"), "{message}");
    }
}
