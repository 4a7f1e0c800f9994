//! Documents of the paper's three shapes: many words, fewer, a message.

use serde::Deserialize;
use twindex_core::Markup;
use twindex_core::text::{Analyzer, Scratch, StopList, TextOptions};

use crate::papers::definition::Size;
use crate::papers::experiment::Setting;
use crate::random::{Purpose, Random};
use crate::simhash::documents::{self, Documents};
use crate::vocabulary::{Script, Vocabulary};

/// A collection of the paper.
#[derive(Deserialize)]
pub(super) struct Shape {
    pub(super) name: String,
    /// Documents, from the paper's Table I.
    pub(super) documents: u64,
    /// Size after preprocessing.
    pub(super) gib: f64,
    /// The pack whose words are used.
    pub(super) pack: String,
}

/// Any number; the documents are the same in every run.
const SEED: u64 = 11;

impl Shape {
    /// Bytes of the whole collection.
    pub(super) fn bytes(&self) -> f64 {
        self.gib * (1u64 << 30) as f64
    }

    /// Bytes of a document.
    pub(super) fn document_bytes(&self) -> usize {
        (self.bytes() / self.documents as f64).round() as usize
    }

    /// About `bytes` of documents of this length, preprocessed as in the paper: without stop words
    /// and punctuation. Their words are real if the pack is there.
    pub(super) fn documents(&self, bytes: usize, setting: &Setting) -> anyhow::Result<Documents> {
        let length = self.document_bytes();
        let mut made = Documents::new(&self.name);
        let mut start = 0;
        let mut push = |word: &str| {
            made.text.extend(word.bytes());
            if made.text.len() + 1 - start >= length {
                made.end();
                start = made.text.len();
            } else {
                made.text.push(b' ');
            }
            made.text.len() < bytes
        };
        let real = match setting.size {
            Size::Tiny => None,
            _ => documents::texts(&setting.packs, &self.pack)?,
        };
        match real {
            Some(texts) => {
                let options = TextOptions { stop_words: vec![StopList::En], ..TextOptions::default() };
                let (analyzer, mut scratch) = (Analyzer::new(&options)?, Scratch::default());
                let mut wanted = true;
                while wanted {
                    for text in &texts {
                        analyzer.tokens(text, Markup::None, &mut scratch, &mut |word| {
                            wanted = wanted && push(word);
                        });
                        if !wanted {
                            break;
                        }
                    }
                }
            }
            None => {
                let vocabulary = Vocabulary::new(SEED, Script::Latin);
                let mut random = Random::new(SEED, Purpose::Body, length as u64);
                while push(vocabulary.general(&mut random)) {}
            }
        }
        if made.text.len() > start {
            made.end();
        }
        Ok(made)
    }
}
