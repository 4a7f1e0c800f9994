//! What the host does before the engine: a document as recipe `fpga` reads it, in UTF-8, its
//! separators still in it.
//!
//! Tags are removed and characters normalised and folded to lower case by `twindex-core`. ASCII
//! keeps its separators, because the engine splits words at them. Characters outside ASCII need a
//! table of all of Unicode: the host writes a blank for those that separate, and between characters
//! of scripts without spaces, which are words of their own.

use anyhow::{Context, ensure};
use twindex_core::text::{Analyzer, Scratch};
use twindex_core::{Markup, Recipe};

/// Prepares documents for the engine.
pub struct Host {
    analyzer: Analyzer,
    scratch: Scratch,
}

impl Host {
    /// The host of recipe `fpga`.
    pub fn new() -> anyhow::Result<Host> {
        let recipe = Recipe::preset("fpga").context("twindex-core has a recipe `fpga`")?;
        ensure!(
            recipe.text.stop_words.is_empty(),
            "recipe `fpga` removes stop words, which the engine does not do"
        );
        Ok(Host { analyzer: Analyzer::new(&recipe.text)?, scratch: Scratch::default() })
    }

    /// The bytes for the engine.
    pub fn prepare(&mut self, text: &str, markup: Markup) -> Vec<u8> {
        let visible = self.analyzer.visible(text, markup);
        let mut bytes = Vec::with_capacity(visible.len());
        // White space in ASCII combines with nothing, so the pieces between can be normalised
        // alone.
        for piece in visible.split_inclusive(|character: char| character.is_ascii_whitespace()) {
            if piece.is_ascii() {
                bytes.extend(piece.bytes().map(|byte| byte.to_ascii_lowercase()));
                continue;
            }
            self.analyzer.tokens(piece, Markup::None, &mut self.scratch, &mut |token| {
                bytes.extend_from_slice(token.as_bytes());
                bytes.push(b' ');
            });
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::is_separator;
    use proptest::prelude::*;

    fn words(text: &str) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
        let mut host = Host::new().unwrap();
        let bytes = host.prepare(text, Markup::None);
        let split = bytes.split(|&byte| is_separator(byte));
        let engine = split.filter(|word| !word.is_empty()).map(<[u8]>::to_vec).collect();
        let mut software = vec![];
        host.analyzer.tokens(text, Markup::None, &mut Scratch::default(), &mut |token| {
            software.push(token.as_bytes().to_vec());
        });
        (engine, software)
    }

    #[test]
    fn every_character_splits_words_as_in_the_software() {
        for character in (0..=0x3_ffff).filter_map(char::from_u32) {
            let (engine, software) = words(&format!("a{character}b {character}c, d{character} \u{301}e"));
            assert_eq!(engine, software, "U+{:04X}", u32::from(character));
        }
    }

    proptest! {
        #[test]
        fn any_text_splits_into_the_words_of_the_software(text in any::<String>(), ascii in "[ -~\n]*") {
            for text in [text.clone(), format!("{ascii}{text}{ascii}")] {
                let (engine, software) = words(&text);
                prop_assert_eq!(engine, software);
            }
        }
    }
}
