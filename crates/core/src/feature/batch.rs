//! The units of a batch of documents.
//!
//! Plain documents (no markup, ASCII except for separators) go to the
//! [kernel](crate::kernel::words) many at a time: short ones are copied into one text, a line each,
//! so that a document of a few words costs no call of its own. All others are read one by one.

use super::{Shingler, Unit};
use crate::document::Markup;
use crate::kernel::words::WordRule;
use crate::text::{Analyzer, Scratch};

/// From this size on a document is worth a call of its own and is not copied.
const LARGE: usize = 4 << 10;

/// Buffers that a thread reuses from batch to batch.
#[derive(Debug, Default)]
pub struct UnitScratch {
    text: Scratch,
    /// Plain documents buffered for the kernel, each followed by a separator.
    lines: Vec<u8>,
    line_ends: Vec<usize>,
}

impl Shingler {
    /// Appends the hash of every unit of every document to `units`, and for each document the
    /// number of units up to its end to `ends`.
    pub fn units_of_batch<'t>(
        &self,
        analyzer: &Analyzer,
        documents: impl IntoIterator<Item = (&'t str, Markup)>,
        scratch: &mut UnitScratch,
        units: &mut Vec<u64>,
        ends: &mut Vec<usize>,
    ) {
        let rule = analyzer.word_rule(self.hash).filter(|_| self.unit == Unit::Word);
        scratch.lines.clear();
        scratch.line_ends.clear();
        for (text, markup) in documents {
            if let Some(rule) = rule {
                if text.len() < LARGE && analyzer.push_plain(text, markup, &mut scratch.lines) {
                    scratch.lines.push(b'\n');
                    scratch.line_ends.push(scratch.lines.len());
                    continue;
                }
                self.units_of_lines(analyzer, rule, scratch, units, ends);
            }
            self.units(analyzer, text, markup, &mut scratch.text, units);
            ends.push(units.len());
        }
        if let Some(rule) = rule {
            self.units_of_lines(analyzer, rule, scratch, units, ends);
        }
    }

    /// Appends the units of the buffered documents.
    fn units_of_lines(
        &self,
        analyzer: &Analyzer,
        rule: WordRule,
        scratch: &mut UnitScratch,
        units: &mut Vec<u64>,
        ends: &mut Vec<usize>,
    ) {
        let UnitScratch { lines, line_ends, .. } = scratch;
        let (first_unit, first_end) = (units.len(), ends.len());
        self.kernel.words(rule, lines, line_ends, units, ends);
        analyzer.remove_stop_words(units, first_unit, &mut ends[first_end..]);
        lines.clear();
        line_ends.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::WordHash;
    use crate::text::{StopList, TextOptions};

    /// A batch gives the units of its documents, plain and other ones mixed.
    #[test]
    fn a_batch_equals_its_documents() {
        let large = "Words and more words. ".repeat(400);
        let mixed = format!("{large}é{large}");
        let documents = [
            "A short one",
            "",
            "and the next",
            "naïve café",
            "it’s — “curved” … 👩\u{200d}💻 ⬇\u{fe0f}down",
            "1\u{fe0f}⃣ a\u{200d}b •\u{301}c",
            &large,
            "<p>the markup</p>",
            "ends with a word",
            &mixed,
            "begins",
            "\n",
            "中文 and ASCII",
        ];
        let options = [
            TextOptions::default(),
            TextOptions { stop_words: vec![StopList::En], ..TextOptions::default() },
            #[cfg(feature = "stem")]
            TextOptions { stem: crate::text::Stem::English, ..TextOptions::default() },
            TextOptions { normalise: false, ..TextOptions::default() },
            #[cfg(feature = "html")]
            TextOptions { markup: crate::text::MarkupPolicy::Html, ..TextOptions::default() },
        ];
        for options in options {
            let analyzer = Analyzer::new(&options).unwrap();
            for unit in [Unit::Word, Unit::Character] {
                for hash in [WordHash::Chunks, WordHash::Sdbm, WordHash::Xxh3] {
                    let shingler = Shingler::new(unit, 1, hash);
                    let is_page = |text: &str| cfg!(feature = "html") && text.starts_with('<');
                    let marked = |text: &str| if is_page(text) { Markup::Html } else { Markup::None };
                    let (mut expected, mut expected_ends) = (vec![], vec![]);
                    for text in documents {
                        analyzer.tokens_or_characters(unit, text, marked(text), hash, &mut expected);
                        expected_ends.push(expected.len());
                    }
                    let (mut found, mut ends) = (vec![], vec![]);
                    let batch = documents.map(|text| (text, marked(text)));
                    shingler.units_of_batch(
                        &analyzer,
                        batch,
                        &mut UnitScratch::default(),
                        &mut found,
                        &mut ends,
                    );
                    assert_eq!((ends, found), (expected_ends, expected), "{options:?} {unit:?} {hash:?}");
                }
            }
        }
    }

    impl Analyzer {
        /// The definition: each token or character, hashed.
        fn tokens_or_characters(
            &self,
            unit: Unit,
            text: &str,
            markup: Markup,
            hash: WordHash,
            units: &mut Vec<u64>,
        ) {
            let mut scratch = Scratch::default();
            match unit {
                Unit::Word => {
                    self.tokens(text, markup, &mut scratch, &mut |token| {
                        units.push(hash.hash(token.as_bytes()))
                    });
                }
                Unit::Character => {
                    let characters = self.characters(text, markup, &mut scratch);
                    units.extend(characters.chars().map(|c| hash.hash(c.to_string().as_bytes())));
                }
            }
        }
    }
}
