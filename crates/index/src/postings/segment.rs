//! The postings of a range of documents: a directory in memory, the numbers in a file.
//!
//! ```text
//! key      bucket (the upper bits) | tag (the next 16 bits) | what memory does not hold
//! memory   where each bucket begins; the tag of each entry
//! file     the number of each entry, and all 40 bits of each key, for merges
//! order    by bucket and tag, then by number: what a probe finds ascends, whatever else is there
//! ```
//!
//! A bucket has eight entries on average, so that the directory takes half a byte an entry. A probe
//! of a key that is not there reads two cache lines and finds a wrong tag once in eight thousand
//! times; then a number is read that the caller rejects.
//!
//! Tried on paper and dropped: numbers in memory (6.5 bytes an entry, 280 bytes a document of 42
//! bands, instead of 97); tags of eight bits (one wrong candidate a query and segment, each a read
//! of the store); the mapped file, which needs `unsafe` and saves one call of the system a hit.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use twindex_core::search::segment::Numbers;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::{Entry, KEY_BITS, Key, TOGETHER};

pub(super) const MAGIC: [u8; 8] = *b"twindexP";
pub(super) const HEADER: usize = 64;

/// The layout of this file; also the format of an index that has such files.
pub(crate) const FORMAT: u32 = 2;

const NUMBER: usize = size_of::<u32>();
const CHECKSUM: usize = size_of::<u64>();

/// Mean number of entries in a bucket, as a power of two.
const BUCKET_BITS: u32 = 3;
const TAG_BITS: u32 = u16::BITS;

/// The most bits of a bucket: with the tag they are the whole key.
const MOST_BITS: u32 = KEY_BITS - TAG_BITS;

/// Bytes that are read at a time.
const PIECE: usize = 1 << 18;

/// Which part of a key is the bucket, and which the tag.
#[derive(Debug, Clone, Copy)]
struct Cut {
    bucket_shift: u32,
    tag_shift: u32,
}

impl Cut {
    /// For this many entries or a little less.
    fn for_entries(entries: usize) -> Cut {
        Cut::of_bits((entries >> BUCKET_BITS).max(1).ilog2().min(MOST_BITS))
    }

    /// With the first `bits` bits of a key as the bucket.
    fn of_bits(bits: u32) -> Cut {
        let bucket_shift = KEY_BITS - bits;
        Cut { bucket_shift, tag_shift: bucket_shift - TAG_BITS }
    }

    fn buckets(self) -> usize {
        1 << (KEY_BITS - self.bucket_shift)
    }

    fn bucket(self, key: Key) -> usize {
        (key >> self.bucket_shift) as usize
    }

    fn tag(self, key: Key) -> u16 {
        (key >> self.tag_shift) as u16
    }
}

/// The directory of a segment.
#[derive(Debug)]
pub(super) struct Directory {
    cut: Cut,
    /// Where each bucket begins, and the end of the last one.
    starts: Vec<u32>,
    tags: Vec<u16>,
}

impl Directory {
    /// An empty one for about `entries` entries.
    pub(super) fn new(entries: usize) -> Directory {
        Directory::with(Cut::for_entries(entries), entries)
    }

    fn with(cut: Cut, entries: usize) -> Directory {
        let mut starts = Vec::with_capacity(cut.buckets() + 1);
        starts.push(0);
        Directory { cut, starts, tags: Vec::with_capacity(entries) }
    }

    /// Bucket and tag of a key: entries that agree in it are found together.
    pub(super) fn prefix(&self, key: Key) -> u64 {
        key >> self.cut.tag_shift
    }

    /// How many bits of a key are the bucket.
    pub(super) fn bits(&self) -> u32 {
        KEY_BITS - self.cut.bucket_shift
    }

    /// Appends an entry; prefixes ascend.
    pub(super) fn push(&mut self, key: Key) {
        let bucket = self.cut.bucket(key);
        while self.starts.len() <= bucket {
            self.starts.push(self.tags.len() as u32);
        }
        self.tags.push(self.cut.tag(key));
    }

    /// No entry follows.
    pub(super) fn finish(mut self) -> Directory {
        let end = self.tags.len() as u32;
        self.starts.resize(self.cut.buckets() + 1, end);
        self.tags.shrink_to_fit();
        self
    }

    /// Where the bucket of a key is.
    fn bucket(&self, key: Key) -> Range<usize> {
        let bucket = self.cut.bucket(key);
        self.starts[bucket] as usize..self.starts[bucket + 1] as usize
    }

    fn count(&self, keys: &[Key], counts: &mut [usize]) {
        let mut buckets: [Range<usize>; TOGETHER] = Default::default();
        buckets.iter_mut().zip(keys).for_each(|(bucket, &key)| *bucket = self.bucket(key));
        for ((count, &key), bucket) in counts.iter_mut().zip(keys).zip(buckets) {
            let tag = self.cut.tag(key);
            *count += self.tags[bucket].iter().filter(|&&other| other == tag).count();
        }
    }

    fn list(&self, key: Key) -> Range<usize> {
        let Range { start, end } = self.bucket(key);
        let tags = &self.tags[start..end];
        let tag = self.cut.tag(key);
        let first = tags.partition_point(|&other| other < tag);
        let after = tags.partition_point(|&other| other <= tag);
        start + first..start + after
    }
}

/// A segment whose file is complete.
#[derive(Debug)]
pub(crate) struct Segment {
    pub(super) directory: Directory,
    pub(super) covers: Range<u64>,
    /// The documents that it holds.
    pub(super) documents: Numbers,
    pub(super) file: File,
    /// Bytes of the keys in the file.
    pub(super) key_bytes: u64,
}

impl Segment {
    /// Where the entries of a key are, and perhaps of others.
    pub(super) fn list(&self, key: Key) -> Range<usize> {
        self.directory.list(key)
    }

    /// Adds how many entries each of at most [`TOGETHER`] keys has, perhaps those of others, too.
    pub(super) fn count(&self, keys: &[Key], counts: &mut [usize]) {
        self.directory.count(keys, counts);
    }

    /// Appends the numbers of some entries.
    pub(super) fn read(&self, entries: Range<usize>, numbers: &mut Vec<u32>) -> io::Result<()> {
        let mut bytes = vec![0; entries.len() * NUMBER];
        self.file.read_exact_at(&mut bytes, HEADER as u64 + (entries.start * NUMBER) as u64)?;
        numbers.extend(bytes.as_chunks().0.iter().map(|&number| u32::from_le_bytes(number)));
        Ok(())
    }

    /// The range of numbers that it covers.
    pub(crate) fn covers(&self) -> Range<u64> {
        self.covers.clone()
    }

    /// The documents that it holds.
    pub(crate) fn documents(&self) -> &Numbers {
        &self.documents
    }

    /// How many entries it has.
    pub(crate) fn entries(&self) -> usize {
        self.directory.tags.len()
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        let Directory { starts, tags, .. } = &self.directory;
        starts.capacity() * size_of::<u32>() + tags.capacity() * size_of::<u16>() + self.documents.bytes()
    }

    /// Every entry, in the order of keys and numbers.
    pub(crate) fn stream(&self) -> impl Iterator<Item = io::Result<Entry>> + '_ {
        let mut stored = self.stored().peekable();
        let mut same: Vec<Entry> = vec![];
        std::iter::from_fn(move || {
            if same.is_empty() {
                same.push(match stored.next()? {
                    Ok(entry) => entry,
                    Err(error) => return Some(Err(error)),
                });
                let prefix = self.directory.prefix(same[0].0);
                let is_same = |next: &io::Result<Entry>| {
                    next.as_ref().is_ok_and(|entry| self.directory.prefix(entry.0) == prefix)
                };
                while let Some(Ok(entry)) = stored.next_if(is_same) {
                    same.push(entry);
                }
                // The last one is taken first.
                same.sort_unstable_by(|a, b| b.cmp(a));
            }
            same.pop().map(Ok)
        })
    }

    /// Every entry as it is stored.
    fn stored(&self) -> impl Iterator<Item = io::Result<Entry>> + '_ {
        let numbers_end = HEADER as u64 + (self.entries() * NUMBER) as u64;
        let numbers = Part { file: &self.file, rest: HEADER as u64..numbers_end };
        let keys = Part { file: &self.file, rest: numbers_end..numbers_end + self.key_bytes };
        let mut numbers = BufReader::with_capacity(PIECE, numbers);
        let mut keys = Keys { input: BufReader::with_capacity(PIECE, keys), last: 0 };
        (0..self.entries()).map(move |_| {
            let mut number = [0; NUMBER];
            numbers.read_exact(&mut number)?;
            Ok((keys.next()?, u32::from_le_bytes(number)))
        })
    }

    /// Opens the file of a segment that covers a range and holds `documents` documents. The outer
    /// error is of the system, the inner one says what is wrong with the file.
    pub(crate) fn open(
        path: &Path,
        covers: &Range<u64>,
        documents: u64,
    ) -> io::Result<Result<Segment, String>> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(Segment::parse(file, length, covers, documents))
    }

    fn parse(file: File, length: u64, covers: &Range<u64>, documents: u64) -> Result<Segment, String> {
        let unreadable = |error: io::Error| format!("it cannot be read: {error}");
        let mut header = [0; HEADER];
        file.read_exact_at(&mut header, 0).map_err(unreadable)?;
        let word = |at: usize| header[at..at + 8].try_into().map_or(0, u64::from_le_bytes);
        let half = |at: usize| header[at..at + 4].try_into().map_or(0, u32::from_le_bytes);
        if header[..8] != MAGIC {
            return Err("it does not begin like a segment of postings".to_owned());
        }
        if half(8) != FORMAT {
            return Err(format!("it has the format {}, not {FORMAT}", half(8)));
        }
        if xxh3_64(&header[..HEADER - CHECKSUM]) != word(HEADER - CHECKSUM) {
            return Err("the checksum of its header is wrong".to_owned());
        }
        if (word(16)..word(24)) != *covers || word(32) != documents {
            return Err("it is the segment of another range".to_owned());
        }
        let (entries, key_bytes) = (word(40), word(48));
        // A forged header may have any count: memory is reserved only for what the file holds.
        let expected = entries
            .checked_mul(NUMBER as u64)
            .and_then(|numbers| numbers.checked_add(key_bytes))
            .and_then(|columns| columns.checked_add((HEADER + CHECKSUM) as u64));
        if expected != Some(length) || entries > u64::from(u32::MAX) {
            return Err(format!("it has {length} bytes, which does not fit {entries} entries"));
        }
        let numbers_end = HEADER as u64 + entries * NUMBER as u64;
        let numbers = Part { file: &file, rest: HEADER as u64..numbers_end };
        let keys = Part { file: &file, rest: numbers_end..numbers_end + key_bytes };
        let mut numbers = BufReader::with_capacity(PIECE, Summed { input: numbers, sum: Xxh3::new() });
        let mut keys = Keys {
            input: BufReader::with_capacity(PIECE, Summed { input: keys, sum: Xxh3::new() }),
            last: 0,
        };
        // A segment that lost many documents has more buckets than it needs.
        if half(12) > MOST_BITS {
            return Err(format!(
                "it has {} bits of a bucket, and at most {MOST_BITS} are possible",
                half(12)
            ));
        }
        let mut directory = Directory::with(Cut::of_bits(half(12)), entries as usize);
        let mut held = Held::new(covers);
        let mut last = None;
        for _ in 0..entries {
            let mut number = [0; NUMBER];
            numbers.read_exact(&mut number).map_err(unreadable)?;
            let number = u32::from_le_bytes(number);
            let key = keys.next().map_err(unreadable)?;
            let place = Some((directory.prefix(key), number, key));
            if key >> KEY_BITS != 0 || last >= place || !held.insert(number) {
                return Err("its entries are out of order".to_owned());
            }
            last = place;
            directory.push(key);
        }
        let sums = [numbers.into_inner().sum.digest(), keys.input.into_inner().sum.digest()];
        let mut found = [0; CHECKSUM];
        file.read_exact_at(&mut found, length - CHECKSUM as u64).map_err(unreadable)?;
        if checksum(sums).to_le_bytes() != found {
            return Err("the checksum of its columns is wrong".to_owned());
        }
        let held = held.numbers();
        if held.len() as u64 != documents {
            return Err("it holds other documents than its name says".to_owned());
        }
        let directory = directory.finish();
        Ok(Segment { directory, covers: covers.clone(), documents: held, file, key_bytes })
    }
}

/// The checksum of the columns, from that of each.
pub(super) fn checksum([numbers, keys]: [u64; 2]) -> u64 {
    let mut both = [0; 2 * CHECKSUM];
    both[..CHECKSUM].copy_from_slice(&numbers.to_le_bytes());
    both[CHECKSUM..].copy_from_slice(&keys.to_le_bytes());
    xxh3_64(&both)
}

/// The documents of a segment while it is read or written: a bit for each number of its range.
#[derive(Debug)]
pub(super) struct Held {
    first: u64,
    length: u64,
    bits: Vec<u64>,
}

impl Held {
    pub(super) fn new(covers: &Range<u64>) -> Held {
        Held { first: covers.start, length: covers.end.saturating_sub(covers.start), bits: vec![] }
    }

    /// Notes a number; `false` if it is not of the range.
    pub(super) fn insert(&mut self, number: u32) -> bool {
        let Some(at) = u64::from(number).checked_sub(self.first).filter(|&at| at < self.length) else {
            return false;
        };
        let word = (at / 64) as usize;
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= 1 << (at % 64);
        true
    }

    pub(super) fn numbers(&self) -> Numbers {
        let bits = (0u64..).zip(&self.bits);
        let of_word = |(word, bits): (u64, &u64)| {
            let (first, bits) = (self.first + 64 * word, *bits);
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| (first + bit) as u32)
        };
        Numbers::new(bits.flat_map(of_word).collect())
    }
}

/// A part of a file, read from the beginning.
struct Part<'a> {
    file: &'a File,
    rest: Range<u64>,
}

impl Read for Part<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.rest.end - self.rest.start).unwrap_or(usize::MAX);
        let length = buffer.len().min(left);
        let read = self.file.read_at(&mut buffer[..length], self.rest.start)?;
        self.rest.start += read as u64;
        Ok(read)
    }
}

/// What is read, and its checksum.
struct Summed<R> {
    input: R,
    sum: Xxh3,
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.sum.update(&buffer[..read]);
        Ok(read)
    }
}

/// Bits of a difference in a byte, and the bit that says that another byte follows.
pub(super) const GROUP: u32 = 7;
pub(super) const FOLLOWED: u8 = 1 << GROUP;

/// Keys, each as the difference from the one before, twice its size and one less if it is negative,
/// in groups of seven bits, the lowest first; the highest bit of a byte says that another follows.
struct Keys<R> {
    input: R,
    last: Key,
}

/// The difference of two keys as a number that is small if the difference is.
pub(super) fn difference(before: Key, key: Key) -> u64 {
    let difference = key.wrapping_sub(before) as i64;
    ((difference << 1) ^ (difference >> 63)) as u64
}

/// The key after another.
fn after(before: Key, difference: u64) -> Key {
    before.wrapping_add((difference >> 1) ^ (difference & 1).wrapping_neg())
}

impl<R: Read> Keys<R> {
    fn next(&mut self) -> io::Result<Key> {
        let mut difference = 0;
        for shift in (0..u64::BITS).step_by(GROUP as usize) {
            let mut byte = [0];
            self.input.read_exact(&mut byte)?;
            difference |= u64::from(byte[0] & !FOLLOWED) << shift;
            if byte[0] & FOLLOWED == 0 {
                self.last = after(self.last, difference);
                return Ok(self.last);
            }
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "a key is too long"))
    }
}
