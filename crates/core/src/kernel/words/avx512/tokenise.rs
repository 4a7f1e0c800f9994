//! Splits windows of text into words, side by side.
//!
//! A window is 61 bytes, seen through loads of 64:
//!
//! ```text
//! word   = mask(a byte belongs to a word)
//! ends   = word & ~(word >> 1)           the last byte of each word
//! starts = word & ~(word << 1) the first byte of each word here, and byte 0 inside a word
//! E, S   = compress(ends, 0 1 2 ...), compress(starts, 0 1 2 ...)
//! ```
//!
//! E and S correspond lane by lane, also for a word that began in an earlier window: byte 0 then
//! counts as a start, and lane 0 of the offsets from which S is compressed is replaced by that
//! word's real start.
//!
//! One permutation fetches the last four bytes of sixteen words, `E + 0..4` of the load three bytes
//! before the window; the same indices of the load seven bytes before fetch the previous four. The
//! largest index, 60 + 3, is the last byte of a load: hence 61 bytes.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// Bytes in a window.
const WINDOW: usize = 61;

/// Bytes before a window that the last four, and the last eight, bytes of its words may reach.
const HALF: usize = 3;
const BEFORE: usize = 7;

/// Words after which a batch is full: its columns, text and hashes fit the 48 KB of an L1 cache.
const FULL: usize = 1024;

/// Windows after which a batch is full even with few words, so that positions in it fit 16 bits.
const WINDOWS: usize = 1024;
const _: () = assert!(WINDOWS * WINDOW <= u16::MAX as usize);

/// A window writes the lanes of up to 32 words; it holds at most 31, whatever its text.
const LANES: usize = 32;
const _: () = assert!(WINDOW.div_ceil(2) < LANES);

/// Words that are fetched and hashed together.
pub(super) const GROUP: usize = 16;

/// The words of some windows, with a column for each property that later loops need.
pub(super) struct Batch {
    /// Where its first window begins in the text.
    start: usize,
    /// The last four bytes of each word; of a shorter one, preceded by arbitrary bytes.
    pub(super) near: Column<u32>,
    /// The four bytes before those.
    pub(super) far: Column<u32>,
    /// The length of each word; for a word longer than a window, any length greater than a window.
    pub(super) lengths: Column<u8>,
    /// The offset of its last byte in its window.
    lasts: Column<u8>,
    /// The offset of its window in the batch.
    bases: Column<u16>,
    /// How many words there are.
    pub(super) words: usize,
    /// For each window the ends of its words and how many words are before it; then the total.
    windows: [MaybeUninit<(u64, usize)>; WINDOWS + 1],
    /// How many windows there are.
    window_count: usize,
}

/// A property of each word. Uninitialised: for a short text, clearing would cost as much as reading
/// it.
pub(super) type Column<T> = [MaybeUninit<T>; FULL + LANES + GROUP];

impl Batch {
    /// An empty batch. (`const`, because the compiler would fill an array of a plain value with
    /// zeros, even of this one.)
    #[inline]
    pub(super) fn new() -> Self {
        Self {
            start: 0,
            near: [const { MaybeUninit::uninit() }; _],
            far: [const { MaybeUninit::uninit() }; _],
            lengths: [const { MaybeUninit::uninit() }; _],
            lasts: [const { MaybeUninit::uninit() }; _],
            bases: [const { MaybeUninit::uninit() }; _],
            words: 0,
            windows: [const { MaybeUninit::uninit() }; _],
            window_count: 0,
        }
    }

    /// The lengths of the words.
    #[inline]
    pub(super) fn lengths(&self) -> &[u8] {
        self.of_words(&self.lengths)
    }

    /// Where in the text a word's last byte is.
    #[inline]
    pub(super) fn last_byte(&self, word: usize) -> usize {
        self.start
            + usize::from(self.of_words(&self.bases)[word])
            + usize::from(self.of_words(&self.lasts)[word])
    }

    /// How many words of the batch end before a position of the text inside the batch or at its
    /// end.
    #[inline]
    pub(super) fn words_before(&self, position: usize) -> usize {
        let offset = position - self.start;
        // SAFETY: `Reader::fill` wrote `window_count` entries, and the total behind them.
        let windows = unsafe { self.windows[..=self.window_count].assume_init_ref() };
        let (ends, words) = windows[offset / WINDOW];
        words + (ends & ((1 << (offset % WINDOW)) - 1)).count_ones() as usize
    }

    #[inline]
    fn of_words<'b, T>(&self, column: &'b Column<T>) -> &'b [T] {
        // SAFETY: `Reader::fill` wrote every column for `words` words; an unfilled batch has none.
        unsafe { column[..self.words].assume_init_ref() }
    }
}

/// Goes through a text window by window.
pub(super) struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    /// [`STRADDLING`]'s index of the window before.
    before: usize,
}

impl<'t> Reader<'t> {
    #[inline]
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self { text, at: 0, before: STARTS_HERE }
    }

    /// Up to where the text was read, at most its end.
    #[inline]
    pub(super) fn position(&self) -> usize {
        self.at.min(self.text.len())
    }

    /// Replaces the batch by the next words; false at the end of the text.
    ///
    /// Not inlined, nor are the loops over the batch: together they would need too many registers.
    #[inline(never)]
    #[target_feature(
        enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt"
    )]
    pub(super) fn fill<const ALPHANUMERIC: bool>(&mut self, batch: &mut Batch) -> bool {
        /// How far ahead the text is prefetched: the later loops read none of it, so that the
        /// hardware prefetcher stops.
        const PREFETCH: usize = 6144;
        let text = self.text;
        let offsets = vector(&OFFSETS);
        let (four_each, next_four_each) = (vector(&four_of_each::<0>()), vector(&four_of_each::<GROUP>()));
        let four = _mm512_set1_epi32(i32::from_le_bytes([0, 1, 2, 3]));
        let window_step = _mm256_set1_epi16(WINDOW as i16);
        let mut base = _mm256_setzero_si256();
        let mut at = self.at;
        let mut before = self.before;
        let (mut words, mut windows) = (0, 0);
        // One comparison for both edges: values less than `BEFORE` wrap around.
        let whole = text.len().saturating_sub(BEFORE + size_of::<__m512i>() - 1);
        while at < text.len() && words < FULL && windows < WINDOWS {
            _mm_prefetch::<_MM_HINT_T0>(text.as_ptr().wrapping_add(at + PREFETCH).cast());
            let [here, near, far] = if at.wrapping_sub(BEFORE) < whole {
                // SAFETY: the loads begin at most `BEFORE` bytes before `at` and end at most 64
                // behind it: `at` is at least `BEFORE`, and `at - BEFORE + BEFORE + 64 - 1` less
                // than the length of the text.
                unsafe {
                    let here = text.as_ptr().add(at);
                    [
                        _mm512_loadu_si512(here.cast()),
                        _mm512_loadu_si512(here.sub(HALF).cast()),
                        _mm512_loadu_si512(here.sub(BEFORE).cast()),
                    ]
                }
            } else {
                [load_inside(text, at, 0), load_inside(text, at, HALF), load_inside(text, at, BEFORE)]
            };
            let word = word_bytes::<ALPHANUMERIC>(here);
            let starts = word & !(word << 1);
            let ends = _bzhi_u64(word & !(word >> 1), WINDOW as u32);
            let offsets_of_starts = vector(&STRADDLING[before].0);
            // Bit 61 is the first byte of the next window: a word that begins there straddles by
            // nothing.
            before = (_bzhi_u64(starts, WINDOW as u32 + 1) | 1).leading_zeros() as usize;
            let lasts = _mm512_maskz_compress_epi8(ends, offsets);
            let firsts = _mm512_maskz_compress_epi8(starts, offsets_of_starts);
            let lengths = _mm512_sub_epi8(lasts, _mm512_sub_epi8(firsts, _mm512_set1_epi8(1)));
            let count = ends.count_ones() as usize;
            let (near, far) = (fold::<ALPHANUMERIC>(near), fold::<ALPHANUMERIC>(far));
            let bytes = _mm512_add_epi8(_mm512_permutexvar_epi8(four_each, lasts), four);
            // SAFETY: `words` is less than `FULL`, and every column has room for `LANES` more. The
            // 32 bytes of lengths and offsets are `LANES`; in the other columns a vector is a
            // group. `windows` is less than `WINDOWS`.
            unsafe {
                batch.windows.get_unchecked_mut(windows).write((ends, words));
                store(&mut batch.near, words, _mm512_permutexvar_epi8(bytes, near));
                store(&mut batch.far, words, _mm512_permutexvar_epi8(bytes, far));
                store(&mut batch.lengths, words, _mm512_castsi512_si256(lengths));
                store(&mut batch.lasts, words, _mm512_castsi512_si256(lasts));
                store(&mut batch.bases, words, base);
            }
            if count > GROUP {
                let bytes = _mm512_add_epi8(_mm512_permutexvar_epi8(next_four_each, lasts), four);
                // SAFETY: as above; two groups are `LANES`.
                unsafe {
                    store(&mut batch.near, words + GROUP, _mm512_permutexvar_epi8(bytes, near));
                    store(&mut batch.far, words + GROUP, _mm512_permutexvar_epi8(bytes, far));
                    store(&mut batch.bases, words + GROUP, base);
                }
            }
            words += count;
            windows += 1;
            at += WINDOW;
            base = _mm256_add_epi16(base, window_step);
        }
        let nothing = _mm512_setzero_si512();
        // SAFETY: the last window began with fewer than `FULL` words and added fewer than `LANES`;
        // columns have room for a group more.
        unsafe {
            store(&mut batch.near, words, nothing);
            store(&mut batch.far, words, nothing);
            store(&mut batch.lengths, words, _mm_setzero_si128());
        }
        batch.start = self.at;
        batch.words = words;
        batch.windows[windows].write((0, words));
        batch.window_count = windows;
        (self.at, self.before) = (at, before);
        windows > 0
    }
}

/// The offset of each byte of a window.
const OFFSETS: [u8; 64] = {
    let mut offsets = [0; 64];
    let mut at = 0;
    while at < offsets.len() {
        offsets[at] = at as u8;
        at += 1;
    }
    offsets
};

/// Indices that repeat each byte of a group four times.
pub(super) const fn four_of_each<const FIRST: usize>() -> [u8; 64] {
    let mut indices = [0; 64];
    let mut at = 0;
    while at < indices.len() {
        indices[at] = (FIRST + at / 4) as u8;
        at += 1;
    }
    indices
}

/// [`OFFSETS`], indexed by the leading zeros of the starts in the previous window; lane 0 is
/// replaced by where the last word there began, relative to this window.
///
/// If that word began even earlier, its start counts as bit 0; that it is longer than a window
/// suffices.
static STRADDLING: [Offsets; 64] = {
    let mut table = [Offsets(OFFSETS); 64];
    let mut zeros = 0;
    while zeros < table.len() {
        table[zeros].0[0] = (63 - zeros as i8 - WINDOW as i8) as u8;
        zeros += 1;
    }
    table
};

/// In one cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Offsets([u8; 64]);

/// The index of [`STRADDLING`] by which a word at byte 0 begins there.
const STARTS_HERE: usize = 63 - WINDOW;

/// One for each ASCII letter and digit, in the highest bit.
const ALPHANUMERIC_BYTES: [[u8; 64]; 2] = {
    let mut table = [[0; 64]; 2];
    let mut byte = 0;
    while byte < 128 {
        if (byte as u8).is_ascii_alphanumeric() {
            table[byte / 64][byte % 64] = 0x80;
        }
        byte += 1;
    }
    table
};

/// Which bytes belong to words.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn word_bytes<const ALPHANUMERIC: bool>(bytes: __m512i) -> u64 {
    let signs = if ALPHANUMERIC {
        // The permutation ignores the highest bit of an index; a byte that has it belongs to a
        // word.
        let [low, high] = &ALPHANUMERIC_BYTES;
        _mm512_or_si512(bytes, _mm512_permutex2var_epi8(vector(low), bytes, vector(high)))
    } else {
        // Saturates at 255: bytes above a space get the highest bit. (A comparison would occupy the
        // permutation port.)
        _mm512_adds_epu8(bytes, _mm512_set1_epi8(0x7f - b' ' as i8))
    };
    _mm512_movepi8_mask(signs)
}

/// Word bytes as they are hashed; the result for other bytes is arbitrary.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn fold<const ALPHANUMERIC: bool>(bytes: __m512i) -> __m512i {
    if !ALPHANUMERIC {
        return bytes;
    }
    /// The bit that a lower case letter has and an upper case letter lacks. Digits have it too.
    const CASE: u8 = b'a' ^ b'A';
    /// `a | (!b & c)` as a truth table.
    const OR_AND_NOT: i32 = 0b1111_0010;
    let not_ascii = _mm512_srli_epi16::<2>(bytes);
    _mm512_ternarylogic_epi64::<OR_AND_NOT>(bytes, not_ascii, _mm512_set1_epi8(CASE as i8))
}

/// The 64 bytes that begin `back` bytes before `at`, zero outside the text; zero belongs to no
/// word.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn load_inside(text: &[u8], at: usize, back: usize) -> __m512i {
    let missing = back.saturating_sub(at);
    let present = (text.len() + back - at).min(64);
    let inside = _bzhi_u64(!0, present as u32) & (!0 << missing);
    // SAFETY: masked bytes are not read, and `inside` has only those between 0 and the text's
    // length.
    unsafe { _mm512_maskz_loadu_epi8(inside, text.as_ptr().wrapping_add(at).wrapping_sub(back).cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn vector(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: an array of 64 bytes.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

/// Stores the values of a vector in a column.
///
/// # Safety
/// The column must have room for the vector at `at`.
#[inline]
pub(super) unsafe fn store<T, V>(column: &mut Column<T>, at: usize, values: V) {
    debug_assert!(at + size_of::<V>() / size_of::<T>() <= column.len(), "the caller checks it");
    // SAFETY: as the caller promises.
    unsafe { column.as_mut_ptr().add(at).cast::<V>().write_unaligned(values) }
}
