//! Words by masks: the way of every kernel that cannot compress vectors.
//!
//! A loop that asks each byte whether its word goes on guesses wrong once or twice a word, which costs more than all the
//! rest. So nothing is asked of single bytes, and a piece of text that stays in the first-level cache goes through loops
//! whose branches are few:
//!
//! ```text
//! 1 classify   64 bytes -> a mask with a one for each byte of a word -> masks of starts and ends
//! 2 align      word -> lane: the eight bytes that end with it, those before its start cleared
//! 3 hash       lane -> hash, many lanes at a time
//! 4 lengthen   the few words of more than eight bytes go on from their lane, eight bytes at a time
//! 5 divide     the words up to a document's end = those up to its block + the ends in the block's mask up to there
//! ```
//!
//! A piece ends where no word is, so that no word lies in two pieces; a word longer than a piece is hashed by the definition.
//! Each piece is copied between zeros, which separate: so nothing outside of the text is read, blocks are whole and the first
//! words of a text are like any other. The copy costs two percent. A short text has a small piece, because setting up a large one
//! would take longer than its words.
//!
//! Steps 1 and 3 are the caller's, for its kind of vectors.
//!
//! Tried and dropped: all starts and ends written to a list first and lanes made from it (12 % slower), words in groups
//! of two or four without asking how many are left (10 % slower), lanes read from the text itself (slower by its checks).

use super::WordRule;
use crate::hash::{SDBM_MULTIPLIER, mix};

/// Bytes that one mask describes.
pub(super) const BLOCK: usize = 64;
/// Bytes in a lane.
const LANE: usize = size_of::<u64>();

/// The most bytes of text in a piece of so many blocks; the last block is for the end of a word that ends with the piece.
const fn most_text(blocks: usize) -> usize {
    (blocks - 1) * BLOCK
}

/// More words than this are not longer than a lane, and one place for the word that turns out to be short.
const fn most_long(blocks: usize) -> usize {
    most_text(blocks) / (LANE + 1) + 2
}

/// The bytes of a piece: eight zeros, the text, and a block of zeros.
const fn piece_bytes(blocks: usize) -> usize {
    LANE + blocks * BLOCK
}

/// Blocks of a large piece. With its hashes it takes a third of a first-level cache of 32 KiB.
const LARGE: usize = 65;
/// Blocks of a small piece, for texts of a few dozen words.
const SMALL: usize = 5;

/// The weight in sdbm of the eight bytes before a lane.
const SDBM_LANE: u64 = SDBM_MULTIPLIER.wrapping_pow(LANE as u32);

/// A piece of text, and what is known of it. The three sizes follow from the number of blocks.
struct Piece<const BLOCKS: usize, const BYTES: usize, const LONGS: usize> {
    /// Eight zeros, the text, and a block of zeros at least.
    bytes: [u8; BYTES],
    blocks: [Block; BLOCKS],
    /// The words that are longer than a lane.
    long: [Long; LONGS],
}

/// What is known of 64 bytes.
#[derive(Clone, Copy, Default)]
struct Block {
    /// The first byte of each word.
    starts: u64,
    /// The byte behind each word.
    ends: u64,
    /// Whether a word begun before goes on in this block or ends before it.
    is_open: bool,
    /// How many words ended before the block.
    words_before: usize,
}

/// A word that is longer than a lane.
#[derive(Clone, Copy, Default)]
struct Long {
    number: u16,
    start: u16,
    end: u16,
}

/// See [`super::Kernel::words`]. `classify` gives the mask of 64 bytes, `hash` folds lanes and turns them into hashes.
#[inline(always)]
pub(super) fn stream(
    rule: WordRule,
    text: &[u8],
    ends: &[usize],
    hashes: &mut Vec<u64>,
    word_ends: &mut Vec<usize>,
    classify: impl Fn(&[u8; BLOCK]) -> u64,
    hash: impl Fn(&mut [u64]),
) {
    if text.len() <= most_text(SMALL) {
        let piece = Piece::<SMALL, { piece_bytes(SMALL) }, { most_long(SMALL) }>::new();
        stream_through(piece, rule, text, ends, hashes, word_ends, classify, hash);
    } else {
        let piece = Piece::<LARGE, { piece_bytes(LARGE) }, { most_long(LARGE) }>::new();
        stream_through(piece, rule, text, ends, hashes, word_ends, classify, hash);
    }
}

#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "the function above, and the piece that it chose")]
fn stream_through<const BLOCKS: usize, const BYTES: usize, const LONGS: usize>(
    mut piece: Piece<BLOCKS, BYTES, LONGS>,
    rule: WordRule,
    text: &[u8],
    ends: &[usize],
    hashes: &mut Vec<u64>,
    word_ends: &mut Vec<usize>,
    classify: impl Fn(&[u8; BLOCK]) -> u64,
    hash: impl Fn(&mut [u64]),
) {
    let mut ends = ends.iter().copied().peekable();
    let mut start = 0;
    while start < text.len() {
        let first = hashes.len();
        let length = piece_length(rule, &text[start..], most_text(BLOCKS));
        let end = start + length;
        if length > most_text(BLOCKS) {
            hashes.push(huge_word(rule, &text[start..end]));
            // No document ends inside of a word.
            word_ends.extend(std::iter::from_fn(|| ends.next_if(|&at| at < end)).map(|_| first));
        } else {
            piece.copy(&text[start..end]);
            let words = piece.classify(length, &classify);
            hashes.resize(first + words, 0);
            let lanes = &mut hashes[first..];
            let longs = piece.align(length, lanes);
            hash(lanes);
            piece.lengthen(rule, longs, lanes);
            let words_before = |at| first + piece.words_before(at - start);
            word_ends.extend(std::iter::from_fn(|| ends.next_if(|&at| at < end)).map(words_before));
        }
        start = end;
    }
    word_ends.extend(ends.map(|_| hashes.len()));
}

/// The length of the next piece: all that is left, or as much as a piece holds without its last word; if that is nothing,
/// the length of the one word.
fn piece_length(rule: WordRule, text: &[u8], most: usize) -> usize {
    let separates = |byte: &u8| !rule.is_word(*byte);
    let Some((piece, rest)) = text.split_at_checked(most) else { return text.len() };
    match piece.iter().rposition(separates) {
        _ if rest.is_empty() => text.len(),
        Some(separator) => separator + 1,
        None => most + rest.iter().position(separates).unwrap_or(rest.len()),
    }
}

/// The hash of a word that is longer than a piece.
#[cold]
fn huge_word(rule: WordRule, word: &[u8]) -> u64 {
    let word: Vec<u8> = word.iter().map(|&byte| rule.fold(byte)).collect();
    rule.hash().hash(&word)
}

impl<const BLOCKS: usize, const BYTES: usize, const LONGS: usize> Piece<BLOCKS, BYTES, LONGS> {
    #[inline(always)]
    fn new() -> Self {
        const { assert!(BYTES == piece_bytes(BLOCKS) && LONGS == most_long(BLOCKS)) };
        Piece { bytes: [0; BYTES], blocks: [Block::default(); BLOCKS], long: [Long::default(); LONGS] }
    }

    #[inline(always)]
    fn copy(&mut self, text: &[u8]) {
        let (bytes, behind) = self.bytes[LANE..].split_at_mut(text.len());
        bytes.copy_from_slice(text);
        behind[..BLOCK].fill(0);
    }

    /// Step 1. Returns the number of words.
    #[inline(always)]
    fn classify(&mut self, length: usize, classify: impl Fn(&[u8; BLOCK]) -> u64) -> usize {
        let (bytes, _) = self.bytes[LANE..].as_chunks::<BLOCK>();
        let mut carry = 0;
        let mut words = 0;
        for (block, bytes) in self.blocks.iter_mut().zip(bytes).take(length / BLOCK + 1) {
            let mask = classify(bytes);
            let byte_before = mask << 1 | carry;
            let (starts, ends) = (mask & !byte_before, byte_before & !mask);
            *block = Block { starts, ends, is_open: carry == 1, words_before: words };
            words += ends.count_ones() as usize;
            carry = mask >> (BLOCK - 1);
        }
        words
    }

    /// Step 2. Returns how many words are longer than a lane.
    #[inline(always)]
    fn align(&mut self, length: usize, lanes: &mut [u64]) -> usize {
        let mut longs = 0;
        let mut number = 0;
        // Where the next word starts, from the beginning of the block.
        let mut start = 0;
        for (at, block) in (0..).step_by(BLOCK).zip(&self.blocks).take(length / BLOCK + 1) {
            let Block { mut starts, mut ends, is_open, .. } = *block;
            if !is_open {
                start = take_lowest(&mut starts);
            }
            let words = ends.count_ones() as usize;
            for lane in &mut lanes[number..number + words] {
                let end = take_lowest(&mut ends);
                let length = end.wrapping_sub(start);
                *lane = clear_before(eight_before(&self.bytes, at + end), length);
                // Kept only if it is long, which nobody could guess.
                let (start_of_word, end) = (at.wrapping_add(start) as u16, (at + end) as u16);
                self.long[longs] = Long { number: number as u16, start: start_of_word, end };
                longs += usize::from(length > LANE);
                number += 1;
                start = take_lowest(&mut starts);
            }
            start = start.wrapping_sub(BLOCK);
        }
        for long in &self.long[..longs] {
            lanes[usize::from(long.number)] = eight_before(&self.bytes, usize::from(long.end));
        }
        longs
    }

    /// Step 4.
    #[inline(always)]
    fn lengthen(&self, rule: WordRule, longs: usize, hashes: &mut [u64]) {
        for long in &self.long[..longs] {
            let hash = &mut hashes[usize::from(long.number)];
            let start = usize::from(long.start);
            // Nearly always the second lane is the first of the word.
            let mut end = usize::from(long.end) - LANE;
            let mut power = SDBM_LANE;
            while end - start > LANE {
                *hash = lengthened(rule, *hash, power, eight_before(&self.bytes, end));
                power = power.wrapping_mul(SDBM_LANE);
                end -= LANE;
            }
            let lane = clear_before(eight_before(&self.bytes, end), end - start);
            *hash = lengthened(rule, *hash, power, lane);
        }
    }

    /// Step 5: how many words end at or before `at`, which is less than the piece's length.
    #[inline(always)]
    fn words_before(&self, at: usize) -> usize {
        let block = &self.blocks[at / BLOCK];
        let up_to_here = u64::MAX >> (BLOCK - 1 - at % BLOCK);
        block.words_before + (block.ends & up_to_here).count_ones() as usize
    }
}

/// The place of the lowest one, which is removed; 64 if there is none.
#[inline(always)]
fn take_lowest(mask: &mut u64) -> usize {
    let place = mask.trailing_zeros();
    *mask &= mask.wrapping_sub(1);
    place as usize
}

/// The eight bytes before `end` in the text of a piece.
#[inline(always)]
fn eight_before<const BYTES: usize>(bytes: &[u8; BYTES], end: usize) -> u64 {
    debug_assert!(end + LANE <= BYTES);
    let start = bytes.as_ptr().wrapping_add(end).cast::<[u8; LANE]>();
    // SAFETY: the text begins after eight bytes, so these eight begin at `end`. It is the end of a block at most (a place in
    // a mask, or less by whole lanes), and `Piece::new` checks that all blocks and eight bytes are in the array.
    u64::from_le_bytes(unsafe { start.read() })
}

/// Clears all but the last `length` bytes of a lane; `length` is from 1 to 8, and of a longer word the result is worthless.
#[inline(always)]
fn clear_before(lane: u64, length: usize) -> u64 {
    let clear = LANE.wrapping_sub(length).wrapping_mul(8) % 64;
    lane >> clear << clear
}

/// The hash of a word that has `lane` in front, from that of the rest; `power` is the lane's weight in sdbm.
#[inline(always)]
fn lengthened(rule: WordRule, rest: u64, power: u64, lane: u64) -> u64 {
    match rule {
        WordRule::Printable => rest.wrapping_add(power.wrapping_mul(sdbm_lane(lane))),
        WordRule::Alphanumeric => chunk_lane(rest, lane),
    }
}

/// One step of [`chunks`](crate::hash::chunks()), with the lane folded: in words, ASCII bytes with the bit 0x40 are letters.
#[inline(always)]
pub(super) fn chunk_lane(rest: u64, lane: u64) -> u64 {
    const LETTER: u64 = 0x4040_4040_4040_4040;
    let is_letter = lane & !(lane >> 1) & LETTER;
    mix(rest ^ lane ^ (is_letter >> 1 & !lane))
}

/// sdbm of the eight bytes of a lane, by pairs and pairs of pairs: `h(xy) = h(x) * 65599^length(y) + h(y)`.
#[inline(always)]
pub(super) fn sdbm_lane(lane: u64) -> u64 {
    /// The first of each four bytes.
    const FIRST: u64 = 0x0000_00FF_0000_00FF;
    const LOW: u64 = u32::MAX as u64;
    const SQUARE: u64 = SDBM_MULTIPLIER * SDBM_MULTIPLIER;
    // Two pairs in each word; a pair has at most 25 bits.
    let even = (lane & FIRST) * SDBM_MULTIPLIER + (lane >> 8 & FIRST);
    let odd = (lane >> 16 & FIRST) * SDBM_MULTIPLIER + (lane >> 24 & FIRST);
    let front = (even & LOW) * SQUARE + (odd & LOW);
    let back = (even >> 32) * SQUARE + (odd >> 32);
    front.wrapping_mul(SQUARE.wrapping_mul(SQUARE)).wrapping_add(back)
}
