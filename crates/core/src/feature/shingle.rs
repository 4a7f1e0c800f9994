//! From text to hashed units, and from units to shingles.

use serde::{Deserialize, Serialize};

use crate::document::Markup;
use crate::hash::{self, WordHash};
use crate::kernel::Kernel;
use crate::text::{Analyzer, Scratch};

/// What a shingle is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Words; in scripts written without spaces every character is a word.
    #[default]
    Word,
    /// Characters of the normalised text, white space collapsed to one blank.
    Character,
}

/// Turns texts into hashed units and shingles.
///
/// ```
/// use twindex_core::feature::{Shingler, Unit};
/// use twindex_core::hash::{WordHash, shingle};
///
/// let shingler = Shingler::new(Unit::Word, 2, WordHash::Chunks);
/// let units = [7, 8, 9];
/// assert_eq!(shingler.shingle_hashes(&units), [shingle([7, 8]), shingle([8, 9])]);
/// ```
#[derive(Debug, Clone)]
pub struct Shingler {
    pub(super) unit: Unit,
    size: usize,
    pub(super) hash: WordHash,
    pub(super) kernel: Kernel,
}

impl Shingler {
    /// Shingles of `size` consecutive `unit`s, units hashed by `hash`. A size of 0 is taken as 1.
    pub fn new(unit: Unit, size: usize, hash: WordHash) -> Self {
        Shingler { unit, size: size.max(1), hash, kernel: Kernel::best() }
    }

    /// Uses that kernel instead of the best of this CPU. The result is the same.
    pub fn with_kernel(self, kernel: Kernel) -> Self {
        Shingler { kernel, ..self }
    }

    /// How many units make a shingle.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Appends the hash of every unit of the text to `units`, in order.
    pub fn units(
        &self,
        analyzer: &Analyzer,
        text: &str,
        markup: Markup,
        scratch: &mut Scratch,
        units: &mut Vec<u64>,
    ) {
        match (self.unit, self.hash) {
            (Unit::Word, hash) => {
                analyzer.word_hashes(self.kernel, hash, text, markup, scratch, units);
            }
            (Unit::Character, WordHash::Chunks) => {
                analyzer.character_hashes(text, markup, scratch, units);
            }
            (Unit::Character, _) => {
                let mut buffer = [0; 4];
                let characters = analyzer.characters(text, markup, scratch);
                units.extend(
                    characters.chars().map(|c| self.hash.hash(c.encode_utf8(&mut buffer).as_bytes())),
                );
            }
        }
    }

    /// How many shingles `units` units make, repetitions included.
    pub fn count(&self, units: usize) -> usize {
        if units == 0 { 0 } else { units - self.size.min(units) + 1 }
    }

    /// Calls `sink` with the hash of every shingle, in order, repetitions included. A shingle of
    /// one unit is that unit.
    #[inline(always)]
    pub fn shingles(&self, units: &[u64], mut sink: impl FnMut(u64)) {
        if units.is_empty() {
            return;
        }
        // A text shorter than one shingle is one feature: the whole text.
        let size = self.size.min(units.len());
        // The usual sizes as constants, so that the loop over the words of a shingle is unrolled.
        match size {
            1 if self.size == 1 => units.iter().for_each(|&unit| sink(unit)),
            1 => sink(hash::shingle([units[0]])),
            2 => windows::<2>(units, sink),
            3 => windows::<3>(units, sink),
            4 => windows::<4>(units, sink),
            5 => windows::<5>(units, sink),
            _ => units.windows(size).for_each(|window| sink(hash::shingle(window.iter().copied()))),
        }
    }

    /// The units in parts of at most `most` shingles: the shingles of the parts are those of the
    /// whole.
    pub(crate) fn parts<'u>(&self, units: &'u [u64], most: usize) -> impl Iterator<Item = &'u [u64]> {
        let (shingles, size) = (self.count(units.len()), self.size);
        let end = move |first: usize| (first + most + size - 1).min(units.len());
        (0..shingles).step_by(most).map(move |first| &units[first..end(first)])
    }

    /// Every shingle's hash, in order.
    pub fn shingle_hashes(&self, units: &[u64]) -> Vec<u64> {
        let mut hashes = Vec::with_capacity(units.len());
        self.append_shingles(units, &mut hashes);
        hashes
    }

    /// Appends every shingle's hash, in order: the same as [`Shingler::shingles`], vectorised for
    /// the usual sizes.
    #[inline(always)]
    pub fn append_shingles(&self, units: &[u64], hashes: &mut Vec<u64>) {
        match self.size.min(units.len()) {
            2 => append::<2>(units, hashes),
            3 => append::<3>(units, hashes),
            4 => append::<4>(units, hashes),
            5 => append::<5>(units, hashes),
            _ => self.shingles(units, |hash| hashes.push(hash)),
        }
    }
}

/// Hashes the first words of all shingles, then the second ones, and so on: the compiler vectorises
/// that, but not a loop that grows the vector with each shingle.
#[inline(always)]
fn append<const SIZE: usize>(units: &[u64], hashes: &mut Vec<u64>) {
    let (first, count) = (hashes.len(), units.len() + 1 - SIZE);
    let places: [&[u64]; SIZE] = std::array::from_fn(|place| &units[place..place + count]);
    hashes.resize(first + count, 0);
    let hashes = &mut hashes[first..first + count];
    for at in 0..count {
        hashes[at] = hash::shingle(places.map(|units| units[at]));
    }
}

#[inline(always)]
fn windows<const SIZE: usize>(units: &[u64], mut sink: impl FnMut(u64)) {
    for window in units.array_windows::<SIZE>() {
        sink(hash::shingle(*window));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(size: usize) -> Shingler {
        Shingler::new(Unit::Word, size, WordHash::default())
    }

    #[test]
    fn every_size_equals_the_plain_definition() {
        let units: Vec<u64> = (0..40).map(crate::hash::mix).collect();
        for size in 1..=9 {
            for length in 0..units.len() {
                let units = &units[..length];
                let expected: Vec<u64> = if length == 0 {
                    vec![]
                } else if size == 1 {
                    units.to_vec()
                } else {
                    units
                        .windows(size.min(length))
                        .map(|window| crate::hash::shingle(window.iter().copied()))
                        .collect()
                };
                assert_eq!(words(size).count(length), expected.len());
                assert_eq!(words(size).shingle_hashes(units), expected, "size {size}, {length} units");
                let mut one_by_one = vec![];
                words(size).shingles(units, |hash| one_by_one.push(hash));
                assert_eq!(one_by_one, expected, "size {size}, {length} units");
                for most in [1, 2, 7] {
                    let shingler = words(size);
                    let parts: Vec<u64> =
                        shingler.parts(units, most).flat_map(|part| shingler.shingle_hashes(part)).collect();
                    assert_eq!(parts, expected, "size {size}, {length} units, parts of {most}");
                }
            }
        }
    }

    #[test]
    fn a_short_text_is_one_feature() {
        assert_eq!(words(3).shingle_hashes(&[1, 2]).len(), 1);
        assert_ne!(words(3).shingle_hashes(&[1, 2]), words(3).shingle_hashes(&[1]));
        assert!(words(3).shingle_hashes(&[]).is_empty());
    }

    #[test]
    fn words_and_characters() {
        let analyzer = Analyzer::new(&Default::default()).unwrap();
        let units = |unit, text| {
            let mut units = vec![];
            Shingler::new(unit, 1, WordHash::default()).units(
                &analyzer,
                text,
                Markup::None,
                &mut Scratch::default(),
                &mut units,
            );
            units
        };
        assert_eq!(units(Unit::Word, "Red, green; RED").len(), 3);
        assert_eq!(units(Unit::Word, "Red")[0], units(Unit::Word, "red")[0]);
        assert_eq!(units(Unit::Character, " a  b\n").len(), 3);
    }
}
