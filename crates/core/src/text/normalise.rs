//! When do two spellings count as one?
//!
//! The normal form is Unicode's `NFKC_Casefold`, by its parts:
//!
//! ```text
//! normal(text) = nfkc(visible(fold(nfkc(text))))
//!     nfkc     compatibility composition: ﬁ = fi, Ａ = A, e + ´ = é, ½ = 1⁄2
//!     fold     full case folding: A = a, ß = ss, Σ = σ = ς
//!     visible  without default-ignorable characters: soft hyphens, joiners, variation selectors
//! ```
//!
//! The second `nfkc` is not a luxury: folding ΐ gives three characters that compose again, and
//! without it the normal form of a normal form would differ from it.
//!
//! # The fast walk
//!
//! Normalising a whole text and then reading it again would cost three passes for texts that are
//! normal already, as nearly all are. So [`walk`] reads characters once and looks each up in a
//! precomputed [`Table`]:
//!
//! ```text
//! starter   its normal form is one character, and it combines with nothing before it: pass it on
//! several   the same, but its normal form is several characters: ß, ﬁ, ½
//! mark      combines with nothing and is normal, but two in a row may swap: pass on a single one
//! slow      anything else: normalise from the last starter to the next one by the definition
//! ```
//!
//! A starter is held back by one step, because a slow character after it may combine with it. Text
//! without slow characters bypasses the normaliser; with them, stretches are a few bytes long and
//! cover each byte once.

mod blank;
mod table;

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use icu_casemap::{CaseMapper, CaseMapperBorrowed};
use icu_normalizer::{ComposingNormalizer, ComposingNormalizerBorrowed};
use icu_properties::CodePointSetData;
use icu_properties::props::DefaultIgnorableCodePoint;

use super::token::Class;
use table::{Entry, Kind, Table};

pub(super) use blank::blank_separators;

const NFKC: ComposingNormalizerBorrowed<'static> = ComposingNormalizer::new_nfkc();
const CASE: CaseMapperBorrowed<'static> = CaseMapper::new();

/// The tables take a few milliseconds to compute: once, at the first use.
static TABLE: LazyLock<Table> = LazyLock::new(Table::new);

/// Buffers for stretches that need the normaliser.
#[derive(Debug, Default)]
pub(super) struct Stretch {
    composed: String,
    normal: String,
}

impl Stretch {
    /// The normal form of `text`: the definition, applied to all of it.
    pub(super) fn normal(&mut self, text: &str) -> &str {
        self.composed.clear();
        self.normal.clear();
        // Writing to a string cannot fail.
        let _ = NFKC.normalize_to(text, &mut self.composed);
        let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
        let mut folded = CASE.fold_string(&self.composed);
        if folded.contains(|character| ignorable.contains(character)) {
            folded.to_mut().retain(|character| !ignorable.contains(character));
        }
        let _ = NFKC.normalize_to(&folded, &mut self.normal);
        &self.normal
    }
}

/// Calls `emit` with every character of the normal form of `text`, in order, and its class.
pub(super) fn walk(text: &str, stretch: &mut Stretch, emit: &mut impl FnMut(char, Class)) {
    let table = &*TABLE;
    let mut rest = text.chars();
    let mut held = Entry::NOTHING;
    let mut held_at = 0;
    loop {
        let here = text.len() - rest.as_str().len();
        let Some(character) = rest.next() else { break };
        let entry = table.entry(character);
        match entry.kind() {
            Kind::Starter | Kind::Several => {
                if held != Entry::NOTHING {
                    table.normal(held, emit);
                }
                held = entry;
                held_at = here;
                continue;
            }
            Kind::Mark if held != Entry::NOTHING && begins_anew(table, rest.as_str()) => {
                table.normal(held, emit);
                table.normal(entry, emit);
                held = Entry::NOTHING;
                continue;
            }
            Kind::Mark | Kind::Slow => {}
        }
        let start = if held == Entry::NOTHING { here } else { held_at };
        held = Entry::NOTHING;
        while !begins_anew(table, rest.as_str()) {
            rest.next();
        }
        let end = text.len() - rest.as_str().len();
        for character in stretch.normal(&text[start..end]).chars() {
            emit(character, table.entry(character).raw_class(character));
        }
    }
    if held != Entry::NOTHING {
        table.normal(held, emit);
    }
}

/// First bytes of ideographs, U+4000 to U+9FFF: each has three bytes and is normal, whatever stands
/// around it. So six in seven characters of Chinese news are neither decoded nor looked up.
const IDEOGRAPHS: RangeInclusive<u8> = 0xE4..=0xE9;

/// Appends the normal form of what `text` begins with to `normal`, as far as it is
/// [starters](Entry::starter). Returns the length of that beginning.
///
/// What is normal already, as nearly all is, is copied in stretches.
pub(super) fn push_starters(text: &str, normal: &mut String) -> usize {
    let table = &*TABLE;
    let (mut copied, mut last, mut here) = (0, 0, 0);
    while let Some(first) = text.as_bytes().get(here) {
        if IDEOGRAPHS.contains(first) {
            last = here;
            here += 3;
            continue;
        }
        let Some(character) = text[here..].chars().next() else { break };
        let entry = table.entry(character);
        let Some(starter) = entry.starter() else {
            if entry.begins_anew() || here == 0 {
                normal.push_str(&text[copied..here]);
                return here;
            }
            // It may combine with the last one.
            if last < copied {
                normal.pop();
            } else {
                normal.push_str(&text[copied..last]);
            }
            return last;
        };
        last = here;
        here += character.len_utf8();
        if starter != character {
            normal.push_str(&text[copied..last]);
            normal.push(starter);
            copied = here;
        }
    }
    normal.push_str(&text[copied..]);
    text.len()
}

/// Behind a beginning of starters: the length of what has to be [walked](walk) until starters go
/// on.
pub(super) fn others_length(text: &str) -> usize {
    let table = &*TABLE;
    let mut others = text.char_indices().skip(1);
    let starter = others.find(|&(_, character)| table.entry(character).starter().is_some());
    starter.map_or(text.len(), |(at, _)| at)
}

/// Calls `emit` with every character of `text` as it is, and its class.
pub(super) fn walk_raw(text: &str, emit: &mut impl FnMut(char, Class)) {
    let table = &*TABLE;
    for character in text.chars() {
        emit(character, table.entry(character).raw_class(character));
    }
}

/// Whether nothing before `rest` can combine with its first character.
fn begins_anew(table: &Table, rest: &str) -> bool {
    rest.chars().next().is_none_or(|character| table.entry(character).begins_anew())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ideographs_are_normal() {
        for code in 0..0x11_0000 {
            let Some(character) = char::from_u32(code) else { continue };
            if IDEOGRAPHS.contains(&character.encode_utf8(&mut [0; 4]).as_bytes()[0]) {
                assert_eq!(character.len_utf8(), 3);
                assert_eq!(TABLE.entry(character).starter(), Some(character));
            }
        }
    }
}
