//! What goes into an index, and what comes out by id.

use serde::Serialize;
use twindex_core::Markup;
use twindex_core::fingerprint::Simhash;

use crate::error::{IndexError, Result};
use crate::settings::Evidence;
use crate::time::{Seconds, Timestamp};

/// The longest id, in bytes: an id is a key that is looked up, not a place for data.
pub const LONGEST_ID: usize = 1024;

/// The longest text, in bytes.
pub const LONGEST_TEXT: usize = 1 << 30;

/// A document to be added.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewDocument {
    /// What it is called. Adding another text under the same id replaces the document.
    pub id: String,
    /// The text as it came, markup included.
    pub text: String,
    /// How the text is written.
    pub markup: Markup,
    /// How long it stays; `None`: as long as the index says.
    pub ttl: Option<Seconds>,
}

impl NewDocument {
    /// A plain text that stays as long as the index says.
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> NewDocument {
        NewDocument { id: id.into(), text: text.into(), ..NewDocument::default() }
    }

    /// Whether an index can take it; `position` is its place in the batch.
    pub fn validate(&self, position: usize) -> Result<()> {
        let invalid = |reason| Err(IndexError::InvalidDocument { position, reason });
        if self.text.len() > LONGEST_TEXT {
            return invalid("the text is longer than 1 GiB");
        }
        if self.markup == Markup::Features {
            return invalid("it has features instead of a text, and an index compares texts");
        }
        if self.ttl == Some(Seconds(0)) {
            return invalid("a time to live of 0 seconds would keep nothing");
        }
        validate_id(&self.id).or_else(invalid)
    }
}

/// A fingerprint that was made elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// What the document is called.
    pub id: String,
    /// Its simhash, made by the recipe of the index.
    pub fingerprint: Simhash,
    /// When it expires; `None`: never.
    pub expires: Option<Timestamp>,
}

pub(crate) fn validate_id(id: &str) -> std::result::Result<(), &'static str> {
    match id.len() {
        0 => Err("the id is empty"),
        1..=LONGEST_ID => Ok(()),
        _ => Err("the id is longer than 1024 bytes"),
    }
}

/// A part of a text, in bytes of what is visible of it (all of a plain text, no tags of HTML).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Place {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Place {
    /// This part of a visible text; empty if the text has no such part.
    pub fn of(self, visible: &str) -> &str {
        visible.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// What the index knows of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stored {
    /// What it is called.
    pub id: String,
    /// Its fingerprint, as 16 hexadecimal digits; `None` if it has no words.
    pub fingerprint: Option<String>,
    /// What is kept for verification.
    pub evidence: Evidence,
    /// When it expires, in seconds since 1970.
    pub expires: Option<Timestamp>,
    /// Whether the text is HTML.
    pub html: bool,
    /// The text, where it is kept.
    pub text: Option<String>,
}
