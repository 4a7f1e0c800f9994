//! What changed between two texts, for people to look at.
//!
//! The units are the words of Unicode's UAX #29: whole words where a script writes spaces, single
//! characters in Han, Hiragana and Thai, and never half a grapheme. Myers' algorithm finds the
//! common ones:
//!
//! ```text
//! words of both texts, without their common beginning and end
//! if few:  compare words
//! if many: compare passages (about 16 words each), then the words inside each replaced region
//! tidy: a comma that happens to survive between two rewritten clauses is not shown as common
//! ```
//!
//! The cost is bounded by counts, never by a clock, so that the same texts always give the same
//! pieces. A passage ends after a word whose hash says so: unlike lines, sentences or blocks of
//! fixed length, such ends exist in every script and resynchronise after an insertion.

use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffOp, DiffableStr, capture_diff_slices};

/// A stretch of the two texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Piece {
    /// Both texts have it.
    Same(String),
    /// Only the left text has it.
    Removed(String),
    /// Only the right text has it.
    Added(String),
}

/// Words of both sides together that are compared at once. Random words, the worst case, take 0.2 s
/// at this size and grow with the power 1.5 (similar 3.2, whose Myers gives up on the minimum when
/// it becomes expensive).
const WORD_LIMIT: usize = 80_000;

/// Words that may be compared inside replaced regions, all regions together; later regions stay
/// whole.
const REFINED_WORD_LIMIT: usize = 400_000;

/// Passages of both sides together, about 20 MB of prose; beyond that, texts are shown as replaced.
const PASSAGE_LIMIT: usize = 200_000;

/// A passage ends after a word whose hash is a multiple of this: its mean length in words, spaces
/// included.
const PASSAGE_WORDS: u32 = 16;

/// Splits two texts into what is common and what is not.
///
/// The same and removed pieces in order are the left text, the same and added pieces are the right
/// text, exactly. No piece is empty, no two neighbours are of one kind, and what was removed comes
/// before what replaced it.
///
/// ```
/// use twindex_core::compare::{Piece, difference};
///
/// let pieces = difference("red wine", "white wine");
/// let [removed, added, same] = ["red", "white", " wine"].map(String::from);
/// assert_eq!(pieces, [Piece::Removed(removed), Piece::Added(added), Piece::Same(same)]);
/// ```
pub fn difference(left: &str, right: &str) -> Vec<Piece> {
    let (left, right) = (left.tokenize_unicode_words(), right.tokenize_unicode_words());
    let start = left.iter().zip(&right).take_while(|(a, b)| a == b).count();
    let (left_rest, right_rest) = (&left[start..], &right[start..]);
    let end = left_rest.iter().rev().zip(right_rest.iter().rev()).take_while(|(a, b)| a == b).count();

    let mut script = Script::default();
    script.same(&left[..start]);
    let (left_middle, common_end) = left_rest.split_at(left_rest.len() - end);
    let right_middle = &right_rest[..right_rest.len() - end];
    if left_middle.len() + right_middle.len() <= WORD_LIMIT {
        compare_words(left_middle, right_middle, &mut script);
    } else {
        compare_passages(left_middle, right_middle, &mut script);
    }
    script.same(common_end);
    script.tidy().into_pieces()
}

fn compare_words(left: &[&str], right: &[&str], script: &mut Script) {
    for operation in capture_diff_slices(Algorithm::Myers, left, right) {
        match operation {
            DiffOp::Equal { old_index, len, .. } => script.same(&left[old_index..old_index + len]),
            _ => script.change(&left[operation.old_range()], &right[operation.new_range()]),
        }
    }
}

fn compare_passages(left: &[&str], right: &[&str], script: &mut Script) {
    let (left_passages, right_passages) = (passages(left), passages(right));
    if left_passages.len() + right_passages.len() > PASSAGE_LIMIT {
        return script.change(left, right);
    }
    let mut refinable = REFINED_WORD_LIMIT;
    for operation in capture_diff_slices(Algorithm::Myers, &left_passages, &right_passages) {
        let removed = left_passages[operation.old_range()].concat();
        if let DiffOp::Equal { .. } = operation {
            script.same(&removed);
            continue;
        }
        let added = right_passages[operation.new_range()].concat();
        let words = removed.len() + added.len();
        if words <= refinable.min(WORD_LIMIT) {
            refinable -= words;
            compare_words(&removed, &added, script);
        } else {
            script.change(&removed, &added);
        }
    }
}

fn passages<'words, 'text>(words: &'words [&'text str]) -> Vec<&'words [&'text str]> {
    words.split_inclusive(|word| ends_passage(word)).collect()
}

/// Whether the FNV-1a hash of a word is a multiple of [`PASSAGE_WORDS`]. A space never ends a
/// passage: every other unit of most texts is one, and all of them have the same hash.
fn ends_passage(word: &str) -> bool {
    const OFFSET_BASIS: u32 = 0x811c_9dc5;
    const PRIME: u32 = 0x0100_0193;
    let hash = word.bytes().fold(OFFSET_BASIS, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(PRIME));
    // The low bits of FNV depend only on the low bits of each byte; the high half depends on all of
    // them.
    (hash >> 16).is_multiple_of(PASSAGE_WORDS) && !word.trim().is_empty()
}

/// The difference as alternating common text and change.
#[derive(Default)]
struct Script {
    stretches: Vec<Stretch>,
}

/// Common text, then what follows it on the left and on the right.
#[derive(Default)]
struct Stretch {
    same: String,
    removed: String,
    added: String,
}

impl Stretch {
    fn is_changed(&self) -> bool {
        !self.removed.is_empty() || !self.added.is_empty()
    }

    fn change_bytes(&self) -> usize {
        self.removed.len().max(self.added.len())
    }
}

impl Script {
    fn same(&mut self, words: &[&str]) {
        if words.is_empty() {
            return;
        }
        if self.stretches.last().is_none_or(Stretch::is_changed) {
            self.stretches.push(Stretch::default());
        }
        if let Some(last) = self.stretches.last_mut() {
            last.same.extend(words.iter().copied());
        }
    }

    fn change(&mut self, removed: &[&str], added: &[&str]) {
        if self.stretches.is_empty() {
            self.stretches.push(Stretch::default());
        }
        if let Some(last) = self.stretches.last_mut() {
            last.removed.extend(removed.iter().copied());
            last.added.extend(added.iter().copied());
        }
    }

    /// Joins two changes if the common text between them is noise.
    fn tidy(self) -> Script {
        let mut tidied: Vec<Stretch> = Vec::with_capacity(self.stretches.len());
        for stretch in self.stretches {
            match tidied.last_mut() {
                Some(before) if before.is_changed() && distracts(&stretch, before) => {
                    before.removed.push_str(&stretch.same);
                    before.removed.push_str(&stretch.removed);
                    before.added.push_str(&stretch.same);
                    before.added.push_str(&stretch.added);
                }
                _ => tidied.push(stretch),
            }
        }
        Script { stretches: tidied }
    }

    fn into_pieces(self) -> Vec<Piece> {
        let mut pieces = Vec::with_capacity(3 * self.stretches.len());
        for Stretch { same, removed, added } in self.stretches {
            let all = [Piece::Same(same), Piece::Removed(removed), Piece::Added(added)];
            pieces.extend(all.into_iter().filter(|piece| !piece.text().is_empty()));
        }
        pieces
    }
}

/// Whether the common text between two changes is noise: no word in it, or short compared with both
/// changes, like the "of" between two rewritten clauses. Line ends stay, because the page aligns
/// both sides at them.
fn distracts(stretch: &Stretch, before: &Stretch) -> bool {
    const SHORT: usize = 3; // times shorter than either change
    if !stretch.is_changed() || stretch.same.contains('\n') {
        return false;
    }
    let least_change = before.change_bytes().min(stretch.change_bytes());
    !stretch.same.contains(char::is_alphanumeric) || SHORT * stretch.same.len() <= least_change
}

impl Piece {
    /// The text of the piece, whatever its kind.
    pub fn text(&self) -> &str {
        let (Piece::Same(text) | Piece::Removed(text) | Piece::Added(text)) = self;
        text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn left_of(pieces: &[Piece]) -> String {
        pieces.iter().filter(|piece| !matches!(piece, Piece::Added(_))).map(Piece::text).collect()
    }

    fn right_of(pieces: &[Piece]) -> String {
        pieces.iter().filter(|piece| !matches!(piece, Piece::Removed(_))).map(Piece::text).collect()
    }

    fn assert_sound(left: &str, right: &str) -> Vec<Piece> {
        let pieces = difference(left, right);
        assert_eq!(left_of(&pieces), left);
        assert_eq!(right_of(&pieces), right);
        assert!(pieces.iter().all(|piece| !piece.text().is_empty()));
        for neighbours in pieces.windows(2) {
            assert_ne!(std::mem::discriminant(&neighbours[0]), std::mem::discriminant(&neighbours[1]));
            assert!(!matches!(neighbours, [Piece::Added(_), Piece::Removed(_)]));
        }
        pieces
    }

    fn written(pieces: &[Piece]) -> String {
        let write = |piece: &Piece| match piece {
            Piece::Same(text) => text.clone(),
            Piece::Removed(text) => format!("[-{text}]"),
            Piece::Added(text) => format!("[+{text}]"),
        };
        pieces.iter().map(write).collect()
    }

    #[test]
    fn words_are_replaced_whole() {
        let pieces = assert_sound("the quick brown fox", "the quicker brown fox");
        assert_eq!(written(&pieces), "the [-quick][+quicker] brown fox");
    }

    #[test]
    fn han_is_compared_by_character() {
        assert_eq!(written(&assert_sound("今天天气很好", "今天天气不好")), "今天天气[-很][+不]好");
    }

    #[test]
    fn a_space_between_changed_words_is_not_common_text() {
        let pieces = assert_sound("see red cats run", "see blue dogs run");
        assert_eq!(written(&pieces), "see [-red cats][+blue dogs] run");
    }

    #[test]
    fn line_ends_stay_common() {
        assert_eq!(written(&assert_sound("one\ntwo", "three\nfour")), "[-one][+three]\n[-two][+four]");
    }

    #[test]
    fn equal_and_empty_texts() {
        assert_eq!(assert_sound("", ""), []);
        assert_eq!(assert_sound("a b", "a b"), [Piece::Same("a b".to_owned())]);
        assert_eq!(assert_sound("", "a b"), [Piece::Added("a b".to_owned())]);
    }

    /// Xorshift: a test needs many words, not good ones.
    fn random_words(count: usize, vocabulary: u64, mut state: u64) -> Vec<String> {
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            format!("w{}", state % vocabulary)
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn a_megabyte_is_compared_by_passage_and_then_by_word() {
        let mut words = random_words(150_000, 50_000, 1);
        let left = words.join(" ");
        assert!(left.len() > 900_000);
        words[3] = "early".to_owned();
        words.insert(70_000, "middle".to_owned());
        words[149_990] = "late".to_owned();
        let pieces = assert_sound(&left, &words.join(" "));
        let added: Vec<&Piece> = pieces.iter().filter(|piece| matches!(piece, Piece::Added(_))).collect();
        assert_eq!(added.len(), 3, "three single words changed, found {added:?}");
    }

    #[test]
    fn megabytes_without_anything_in_common_still_end() {
        // Few distinct words are the hard case: matches everywhere, none of them meaningful.
        let (left, right) = (random_words(200_000, 40, 1).join(" "), random_words(200_000, 40, 2).join(" "));
        assert_sound(&left, &right);
        assert_sound(&"a ".repeat(500_000), &"b ".repeat(500_000));
    }

    proptest! {
        #[test]
        fn both_sides_can_be_put_together_again(left in "\\PC{0,60}", right in "\\PC{0,60}") {
            assert_sound(&left, &right);
        }

        #[test]
        fn edited_texts_too(left in "[ab,.\n 天地é]{0,80}", at in 0usize..80, inserted in "[ab \n天]{0,9}") {
            let mut characters: Vec<char> = left.chars().collect();
            let at = at.min(characters.len());
            characters.splice(at..at, inserted.chars());
            let right: String = characters.into_iter().collect();
            assert_sound(&left, &right);
        }

        #[test]
        fn comparing_by_passages_loses_nothing(left in "[ab ,天]{0,200}", right in "[ab ,天]{0,200}") {
            let mut script = Script::default();
            let (left_words, right_words) = (left.tokenize_unicode_words(), right.tokenize_unicode_words());
            compare_passages(&left_words, &right_words, &mut script);
            let pieces = script.tidy().into_pieces();
            prop_assert_eq!(left_of(&pieces), left);
            prop_assert_eq!(right_of(&pieces), right);
        }
    }
}
