//! Words by masks, for kernels that cannot compress vectors.
//!
//! A loop that tests byte by byte for the end of a word mispredicts once or twice a word, which
//! costs more than all the rest. So no branch depends on single bytes, and a piece of text that
//! stays in the L1 cache goes through loops that hardly branch:
//!
//! ```text
//! 1 classify 64 bytes -> the same, folded, and a mask with a one for each word byte
//! 2 list       where the mask changes, eight bits at a time: start, end, start, end, ...
//! 3 align      word -> lane: the eight bytes that end with it
//! 4 hash lane -> bytes before the word cleared -> hash, sixteen lanes at a time
//! 5 lengthen the few words of more than eight bytes continue from their hash, a lane at a time
//! 6 divide     the words up to a document's end = half of the changes up to there
//! ```
//!
//! A piece ends between words; a word longer than a piece is hashed by the definition. The text is
//! copied into the piece, behind a block of padding and before zeros, which separate: so nothing
//! outside the text is read, blocks are whole and the first words need no special case. Each thread
//! has one piece, because clearing a new one takes longer than the words of a short text.
//!
//! The caller provides steps 1 and 4 for its kind of vectors.
//!
//! Tried and dropped: taking starts and ends from masks word by word (twice the total time: the
//! number of words in a block is never predicted); hashing lanes of long words side by side too (4
//! %); larger pieces (no gain).

use std::cell::RefCell;

use super::WordRule;
use super::places;
use crate::hash::{SDBM_MULTIPLIER, mix};
use crate::kernel::memory;

/// Bytes that one mask describes.
pub(super) const BLOCK: usize = 64;
/// Bytes in a lane.
pub(super) const LANE: usize = size_of::<u64>();
/// Lanes that are hashed together.
pub(super) const GROUP: usize = 16;

/// Where a word starts, and the place behind it.
pub(super) type Span = [u16; 2];

/// Blocks of a piece. The used part takes, with the hashes, half of an L1 cache of 32 KiB.
const BLOCKS: usize = 65;

/// The most bytes of text in a piece; the last block is for the end of a word that ends with it.
const MOST_TEXT: usize = (BLOCKS - 1) * BLOCK;

/// There are no more edges than bytes; the last lanes are hashed as a whole group.
const MOST_EDGES: usize = BLOCKS * BLOCK + 2 * GROUP;

/// Groups between two checks for words longer than a lane: as many as a 64-bit mask has places for.
const GROUPS: usize = u64::BITS as usize / GROUP;

/// The weight in sdbm of the eight bytes before a lane.
const SDBM_LANE: u64 = SDBM_MULTIPLIER.wrapping_pow(LANE as u32);

/// A piece of text, and what is known of it.
#[repr(align(64))]
pub(super) struct Piece {
    /// A block of padding, the text, and zeros to the end of a block.
    bytes: [u8; BLOCK + BLOCKS * BLOCK],
    blocks: [Block; BLOCKS],
    /// Where words start and end, alternating.
    edges: [u16; MOST_EDGES],
}

thread_local! {
    /// Its previous contents do not matter.
    pub(super) static PIECE: RefCell<Piece> = const { RefCell::new(Piece::EMPTY) };
}

/// What is known of 64 bytes.
#[derive(Clone, Copy)]
struct Block {
    /// The first byte of each word and the byte behind each word.
    edges: u64,
    /// How many of them are in the blocks before.
    before: usize,
}

/// See [`super::Kernel::words`]. `classify` copies 64 bytes, folded, and returns their mask; `hash`
/// clears the bytes before the words in lanes, replaces them by hashes, and returns the mask of the
/// words that are longer.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "those of the operation, and what a kernel adds to it")]
pub(super) fn stream(
    piece: &mut Piece,
    rule: WordRule,
    text: &[u8],
    ends: &[usize],
    hashes: &mut Vec<u64>,
    word_ends: &mut Vec<usize>,
    classify: impl Fn(&[u8; BLOCK], &mut [u8; BLOCK]) -> u64,
    hash: impl Fn(&mut [u64; GROUP], &[Span; GROUP]) -> u64,
) {
    let mut ends = ends.iter().copied().peekable();
    let mut start = 0;
    while start < text.len() {
        let first = hashes.len();
        let length = piece_length(rule, &text[start..], MOST_TEXT);
        let end = start + length;
        if length > MOST_TEXT {
            hashes.push(huge_word(rule, &text[start..end]));
            // No document ends inside a word.
            word_ends.extend(std::iter::from_fn(|| ends.next_if(|&at| at < end)).map(|_| first));
        } else {
            let words = piece.read(&text[start..end], &classify);
            hashes.extend(piece.lanes(words));
            hashes.resize(first + words.next_multiple_of(GROUP), 0);
            piece.hash(rule, words, &mut hashes[first..], &hash);
            hashes.truncate(first + words);
            let words_before = |at| first + piece.words_before(at - start);
            word_ends.extend(std::iter::from_fn(|| ends.next_if(|&at| at < end)).map(words_before));
        }
        start = end;
    }
    word_ends.extend(ends.map(|_| hashes.len()));
}

/// The length of the next piece: the rest of the text, or as much as a piece holds up to its last
/// separator; if there is none, the length of the one word.
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

impl Piece {
    const EMPTY: Self = Piece {
        bytes: [0; BLOCK + BLOCKS * BLOCK],
        blocks: [Block { edges: 0, before: 0 }; BLOCKS],
        edges: [0; MOST_EDGES],
    };

    /// Steps 1 and 2. Returns the number of words.
    #[inline(always)]
    fn read(&mut self, text: &[u8], classify: impl Fn(&[u8; BLOCK], &mut [u8; BLOCK]) -> u64) -> usize {
        let (whole, rest) = text.as_chunks::<BLOCK>();
        let mut last = [0; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        let (copies, _) = self.bytes[BLOCK..].as_chunks_mut::<BLOCK>();
        let (mut carry, mut count) = (0, 0);
        let mut read = |number: usize, bytes| {
            let mask = classify(bytes, &mut copies[number]);
            let edges = mask ^ (mask << 1 | carry);
            carry = mask >> (BLOCK - 1);
            self.blocks[number] = Block { edges, before: count };
            count = places::list(edges, (number * BLOCK) as u16, &mut self.edges, count);
        };
        for (number, bytes) in whole.iter().enumerate() {
            // Prefetches the next piece.
            memory::prefetch(text, number * BLOCK + MOST_TEXT);
            read(number, bytes);
        }
        read(whole.len(), &last);
        count / 2
    }

    /// Step 3.
    #[inline(always)]
    fn lanes(&self, words: usize) -> impl Iterator<Item = u64> {
        let (spans, _) = self.edges.as_chunks();
        spans[..words].iter().map(|&[_, end]| eight_before(&self.bytes, usize::from(end)))
    }

    /// Steps 4 and 5. There are lanes for a whole number of groups.
    #[inline(always)]
    fn hash(
        &self,
        rule: WordRule,
        words: usize,
        lanes: &mut [u64],
        hash: impl Fn(&mut [u64; GROUP], &[Span; GROUP]) -> u64,
    ) {
        let (spans, _) = self.edges.as_chunks();
        let together = GROUPS * GROUP;
        for (first, (lanes, spans)) in
            (0..).step_by(together).zip(lanes.chunks_mut(together).zip(spans.chunks(together)))
        {
            let mut long = 0;
            let groups = lanes.as_chunks_mut().0.iter_mut().zip(spans.as_chunks().0);
            for (place, (lanes, spans)) in (0..).step_by(GROUP).zip(groups) {
                long |= hash(lanes, spans) << place;
            }
            // Ignores the lanes behind the last word.
            let mut long = long & u64::MAX >> together.saturating_sub(words - first);
            while long != 0 {
                let word = take_lowest(&mut long);
                self.lengthen(rule, spans[word], &mut lanes[word]);
            }
        }
    }

    #[inline(always)]
    fn lengthen(&self, rule: WordRule, [start, end]: Span, hash: &mut u64) {
        let start = usize::from(start);
        // Nearly always the second lane is the first of the word.
        let mut end = usize::from(end) - LANE;
        let mut power = SDBM_LANE;
        while end - start > LANE {
            *hash = lengthened(rule, *hash, power, eight_before(&self.bytes, end));
            power = power.wrapping_mul(SDBM_LANE);
            end -= LANE;
        }
        let lane = clear_before(eight_before(&self.bytes, end), end - start);
        *hash = lengthened(rule, *hash, power, lane);
    }

    /// Step 6: how many words end at or before `at`, which is less than the piece's length.
    #[inline(always)]
    fn words_before(&self, at: usize) -> usize {
        let block = &self.blocks[at / BLOCK];
        let up_to_here = u64::MAX >> (BLOCK - 1 - at % BLOCK);
        (block.before + (block.edges & up_to_here).count_ones() as usize) / 2
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
fn eight_before(bytes: &[u8; BLOCK + BLOCKS * BLOCK], end: usize) -> u64 {
    debug_assert!(end <= BLOCKS * BLOCK);
    let start = bytes.as_ptr().wrapping_add(BLOCK - LANE + end).cast::<[u8; LANE]>();
    // SAFETY: a block precedes the text, so that these eight bytes end behind it. `end` is at most
    // the end of the last block: a position in a block's mask, or less by whole lanes.
    u64::from_le_bytes(unsafe { start.read() })
}

/// Clears all but the last `length` bytes of a lane; `length` is from 1 to 8.
#[inline(always)]
fn clear_before(lane: u64, length: usize) -> u64 {
    let clear = LANE.wrapping_sub(length).wrapping_mul(8) % 64;
    lane >> clear << clear
}

/// Step 4, lane by lane. The value of a lane without a word does not matter.
#[inline(always)]
pub(super) fn hash_one_by_one(
    lanes: &mut [u64; GROUP],
    spans: &[Span; GROUP],
    hash: impl Fn(u64) -> u64,
) -> u64 {
    let mut long = 0;
    for (place, (lane, [start, end])) in (0..).zip(lanes.iter_mut().zip(spans)) {
        let length = usize::from(end.wrapping_sub(*start));
        *lane = hash(clear_before(*lane, length.min(LANE)));
        long |= u64::from(length > LANE) << place;
    }
    long
}

/// The hash of a word that has `lane` in front, from the hash of the rest; `power` is the lane's
/// weight in sdbm.
#[inline(always)]
fn lengthened(rule: WordRule, rest: u64, power: u64, lane: u64) -> u64 {
    match rule {
        WordRule::Printable | WordRule::AlphanumericSdbm => {
            rest.wrapping_add(power.wrapping_mul(sdbm_lane(lane)))
        }
        WordRule::Alphanumeric => mix(rest ^ lane),
    }
}

/// sdbm of the eight bytes of a lane, by pairs and pairs of pairs:
/// `h(xy) = h(x) * 65599^length(y) + h(y)`.
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
