//! What the walk must know about a character, in one look-up.

use icu_normalizer::properties::{
    CanonicalCombiningClassMap, CanonicalCombiningClassMapBorrowed, CanonicalDecomposition, Decomposed,
};
use icu_properties::props::{ChangesWhenNfkcCasefolded, DefaultIgnorableCodePoint};
use icu_properties::{CodePointSetData, CodePointSetDataBorrowed};

use super::{CASE, NFKC, Stretch};
use crate::text::token::{Class, class_of};

/// Characters below this have an entry of their own: the Basic Multilingual Plane and the next one,
/// which holds emoji and the historic scripts. Beyond lie rare ideographs, tags and nothing else:
/// those take the slow way.
const COVERED: u32 = 0x2_0000;

/// The bits of an entry that hold the normal form.
const CHARACTER: u32 = 0x1F_FFFF;
/// Of these, the bits that count the characters of a form of several; the longest has 18.
const COUNT_BITS: u32 = 5;

/// How a character behaves in normalisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// Needs the normaliser, together with its neighbours.
    Slow = 0,
    /// Its normal form is one character that begins anew: it combines with nothing before it.
    Starter = 1,
    /// A combining mark that is normal, composes with nothing and so stays where it is when it is
    /// the only one.
    Mark = 2,
    /// Its normal form is several characters that begin anew: ß, ﬁ, ½. The entry has their number
    /// in the table.
    Several = 3,
}

/// The answers for one character, packed: bits 0-20 the normal form (or its place), then two bits
/// each for the class of the normal form, the class of the character itself, the kind; then whether
/// there is no entry, whether the normal form is white space, and whether the character separates
/// words and does nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry(u32);

impl Entry {
    /// No character.
    pub(super) const NOTHING: Entry = Entry(u32::MAX);
    /// A character that the table does not cover.
    const UNKNOWN: Entry = Entry(1 << 27);
    /// Set if the normal form is white space.
    const WHITE: u32 = 1 << 28;
    /// Set if every character of the normal form separates.
    const SEPARATES: u32 = 1 << 29;

    fn new(normal: char, normal_class: Class, raw_class: Class, kind: Kind) -> Entry {
        let white = if normal.is_whitespace() { Entry::WHITE } else { 0 };
        let separates = kind == Kind::Starter && normal_class == Class::Separator;
        Entry(Entry::packed(u32::from(normal), normal_class, raw_class, kind).0 | white)
            .if_separates(separates)
    }

    fn if_separates(self, separates: bool) -> Entry {
        Entry(self.0 | if separates { Entry::SEPARATES } else { 0 })
    }

    fn packed(normal: u32, normal_class: Class, raw_class: Class, kind: Kind) -> Entry {
        let bits = |value: u8, shift: u32| u32::from(value) << shift;
        Entry(normal | bits(normal_class as u8, 21) | bits(raw_class as u8, 23) | bits(kind as u8, 25))
    }

    /// The normal form of a starter or mark.
    #[inline]
    fn normal(self) -> char {
        char::from_u32(self.0 & CHARACTER).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// Where the normal form of several characters is, and how many there are.
    fn place(self) -> (usize, usize) {
        let place = (self.0 & CHARACTER) as usize;
        (place >> COUNT_BITS, place & ((1 << COUNT_BITS) - 1))
    }

    /// The class of the normal form.
    #[inline]
    fn normal_class(self) -> Class {
        Self::class(self.0 >> 21)
    }

    /// The class of the character itself, which the caller repeats in case that the table does not
    /// cover it.
    #[inline]
    pub(super) fn raw_class(self, character: char) -> Class {
        if self == Entry::UNKNOWN { class_of(character) } else { Self::class(self.0 >> 23) }
    }

    /// The normal form, if it is one character whatever stands before it and not white space.
    #[inline]
    pub(super) fn starter(self) -> Option<char> {
        (self.kind() == Kind::Starter && self.0 & Entry::WHITE == 0).then(|| self.normal())
    }

    /// Whether a blank in place of the character, whatever begins anew on both sides of it, leaves
    /// the same words.
    #[inline]
    pub(super) fn separates(self) -> bool {
        self.0 & Entry::SEPARATES != 0
    }

    /// How the character behaves in normalisation.
    #[inline]
    pub(super) fn kind(self) -> Kind {
        match self.0 >> 25 & 3 {
            1 => Kind::Starter,
            2 => Kind::Mark,
            3 => Kind::Several,
            _ => Kind::Slow,
        }
    }

    /// Whether nothing before the character can combine with it.
    #[inline]
    pub(super) fn begins_anew(self) -> bool {
        matches!(self.kind(), Kind::Starter | Kind::Several)
    }

    #[inline]
    fn class(bits: u32) -> Class {
        match bits & 3 {
            1 => Class::Word,
            2 => Class::Single,
            3 => Class::Mark,
            _ => Class::Separator,
        }
    }
}

/// An entry for each covered character: half a megabyte, of which a text touches a few cache lines.
#[derive(Debug)]
pub(super) struct Table {
    entries: Vec<Entry>,
    /// The normal forms of several characters, one after the other, each character with its class.
    several: Vec<(char, Class)>,
}

impl Table {
    /// Computes every entry from the Unicode data of the icu crates.
    pub(super) fn new() -> Table {
        let facts = Facts::new();
        let mut table = Table { entries: Vec::with_capacity(COVERED as usize), several: Vec::new() };
        for code in 0..COVERED {
            // Surrogates are no characters; their entries are never read.
            let entry = char::from_u32(code)
                .map_or(Entry::UNKNOWN, |character| facts.entry(character, &mut table.several));
            table.entries.push(entry);
        }
        table
    }

    /// The entry of a character.
    #[inline]
    pub(super) fn entry(&self, character: char) -> Entry {
        self.entries.get(character as usize).copied().unwrap_or(Entry::UNKNOWN)
    }

    /// Calls `emit` with each character of the normal form, and its class.
    #[inline]
    pub(super) fn normal(&self, entry: Entry, emit: &mut impl FnMut(char, Class)) {
        if entry.kind() != Kind::Several {
            return emit(entry.normal(), entry.normal_class());
        }
        let (start, count) = entry.place();
        for &(character, class) in self.several.iter().skip(start).take(count) {
            emit(character, class);
        }
    }
}

/// The Unicode data behind the table.
struct Facts {
    combining_classes: CanonicalCombiningClassMapBorrowed<'static>,
    /// By code, whether a character is or begins with the second half of a composition, ..
    combines_backwards: Vec<bool>,
    /// .. whether its normal form is another one, ..
    changes: Vec<bool>,
    /// .. and whether it is left out of every normal form. Sets are searched for each question, and
    /// tables are not: half of the instructions of [`Table::new`].
    ignorable: Vec<bool>,
}

impl Facts {
    fn new() -> Facts {
        let decomposition = CanonicalDecomposition::new();
        let mut combines_backwards = vec![false; COVERED as usize];
        let mut firsts = vec![];
        for character in (0..COVERED).filter_map(char::from_u32) {
            // Some of these pairs are excluded from composition. Counting them costs speed, not
            // correctness.
            if let Decomposed::Expansion(first, second) = decomposition.decompose(character) {
                firsts.push((character as usize, first as usize));
                if let Some(combines) = combines_backwards.get_mut(second as usize) {
                    *combines = true;
                }
            }
        }
        // A character that begins with such a half comes apart when something before it takes that
        // half: U+113C5 is U+113C2 twice, and U+1138B takes the first of them. Where decompositions
        // nest, the inner one may come later.
        let mut found = true;
        while std::mem::take(&mut found) {
            for &(character, first) in &firsts {
                if !combines_backwards[character] && combines_backwards.get(first) == Some(&true) {
                    combines_backwards[character] = true;
                    found = true;
                }
            }
        }
        Facts {
            combining_classes: CanonicalCombiningClassMap::new(),
            combines_backwards,
            changes: table_of(CodePointSetData::new::<ChangesWhenNfkcCasefolded>()),
            ignorable: table_of(CodePointSetData::new::<DefaultIgnorableCodePoint>()),
        }
    }

    fn entry(&self, character: char, several: &mut Vec<(char, Class)>) -> Entry {
        let raw_class = class_of(character);
        let slow = Entry::new(character, raw_class, raw_class, Kind::Slow);
        let Some((composed, normal)) = self.forms(character) else {
            return self.place_several(character, several).unwrap_or(slow);
        };
        let kind = if self.begins_anew(composed)
            && (normal == composed || self.begins_anew(normal) && is_normal(normal))
        {
            Kind::Starter
        } else if composed == character && normal == character && self.is_lone_mark(character) {
            Kind::Mark
        } else {
            return slow;
        };
        let class = if normal == character { raw_class } else { class_of(normal) };
        Entry::new(normal, class, raw_class, kind)
    }

    /// The entry of a character whose normal form is several that begin anew.
    fn place_several(&self, character: char, several: &mut Vec<(char, Class)>) -> Option<Entry> {
        let mut bytes = [0; 4];
        let text = &*character.encode_utf8(&mut bytes);
        let mut stretch = Stretch::default();
        let normal = stretch.normal(text);
        let count = u32::try_from(normal.chars().count())
            .ok()
            .filter(|&count| count > 0 && count < 1 << COUNT_BITS)?;
        let start = u32::try_from(several.len()).ok().filter(|&start| start < CHARACTER >> COUNT_BITS)?;
        if !NFKC.normalize(text).chars().chain(normal.chars()).all(|part| self.begins_anew(part)) {
            return None;
        }
        several.extend(normal.chars().map(|part| (part, class_of(part))));
        let separates = normal.chars().all(|part| class_of(part) == Class::Separator);
        let entry =
            Entry::packed(start << COUNT_BITS | count, Class::Separator, class_of(character), Kind::Several);
        Some(entry.if_separates(separates))
    }

    fn begins_anew(&self, character: char) -> bool {
        self.combining_classes.get_u8(character) == 0
            && !self.combines(character)
            && !self.is_ignorable(character)
    }

    fn is_lone_mark(&self, character: char) -> bool {
        !self.combines(character) && !self.is_ignorable(character)
    }

    fn combines(&self, character: char) -> bool {
        self.combines_backwards.get(character as usize).copied().unwrap_or(true)
    }

    fn is_ignorable(&self, character: char) -> bool {
        // Normal forms may lie beyond the table.
        let unknown = || CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(character);
        self.ignorable.get(character as usize).copied().unwrap_or_else(unknown)
    }

    /// The composed form of a covered character and its folding, if each is one character. A
    /// character whose compatibility form is one character is that character in every context.
    fn forms(&self, character: char) -> Option<(char, char)> {
        // The property answers for nine in ten characters, and much faster than the normaliser.
        if !self.changes[character as usize] {
            return Some((character, character));
        }
        let composed = only(NFKC.normalize(character.encode_utf8(&mut [0; 4])))?;
        let normal = only(CASE.fold_string(composed.encode_utf8(&mut [0; 4])))?;
        Some((composed, normal))
    }
}

/// Which of the covered characters are in a set.
fn table_of(set: CodePointSetDataBorrowed<'_>) -> Vec<bool> {
    let mut table = vec![false; COVERED as usize];
    for range in set.iter_ranges() {
        let (start, end) = ((*range.start()).min(COVERED), range.end().saturating_add(1).min(COVERED));
        table[start as usize..end as usize].fill(true);
    }
    table
}

fn is_normal(character: char) -> bool {
    NFKC.is_normalized(character.encode_utf8(&mut [0; 4]))
}

/// The character of a text that has only one.
fn only(text: impl AsRef<str>) -> Option<char> {
    let mut characters = text.as_ref().chars();
    characters.next().filter(|_| characters.next().is_none())
}
