//! The data that verification compares.

use super::symbols;
use crate::document::Markup;
use crate::feature::{FeatureSet, Shingler, TermCounts};
use crate::text::Analyzer;

/// The data of a document that verification compares. Made once, compared often.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// The distinct shingles.
    pub features: FeatureSet,
    /// The units with their counts, for the cosine.
    pub counts: TermCounts,
    /// The hash of the symbols in their order, if the document is short enough for them to matter.
    pub symbols: Option<u64>,
}

impl Evidence {
    /// The evidence of a document with these unit hashes, in order. Symbols matter up to
    /// `symbols_up_to` units.
    pub(crate) fn new(
        analyzer: &Analyzer,
        shingler: &Shingler,
        symbols_up_to: usize,
        (text, markup): (&str, Markup),
        units: &[u64],
    ) -> Self {
        let is_short = !units.is_empty() && units.len() <= symbols_up_to;
        Evidence {
            features: FeatureSet::of(shingler, units),
            counts: TermCounts::new(units),
            symbols: is_short.then(|| symbols::hash(&analyzer.visible(text, markup))),
        }
    }

    /// How many bytes this takes on the heap.
    pub fn bytes(&self) -> usize {
        self.features.bytes() + self.counts.bytes()
    }

    /// Appends the evidence to `out`, for [`Evidence::decode`]. All numbers are little-endian:
    ///
    /// ```text
    /// number of features, number of units, whether there are symbols (u32 each), symbols (u64)
    /// features (u64 each), units (u64 each), their counts (u32 each)
    /// ```
    pub fn encode(&self, out: &mut Vec<u8>) {
        let (features, counts) = (self.features.as_slice(), self.counts.as_slice());
        for number in [features.len() as u32, counts.len() as u32, u32::from(self.symbols.is_some())] {
            out.extend(number.to_le_bytes());
        }
        out.extend(self.symbols.unwrap_or(0).to_le_bytes());
        features.iter().for_each(|feature| out.extend(feature.to_le_bytes()));
        counts.iter().for_each(|(unit, _)| out.extend(unit.to_le_bytes()));
        counts.iter().for_each(|(_, count)| out.extend(count.to_le_bytes()));
    }

    /// The evidence that [`Evidence::encode`] wrote; `None` if it cannot have written these bytes.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (head, rest) = bytes.split_at_checked(HEAD_BYTES)?;
        let (numbers, symbols) = head.split_at(HEAD_BYTES - size_of::<u64>());
        let [features, counts, has_symbols] = *numbers.as_chunks().0 else { return None };
        let [features, counts, has_symbols] = [features, counts, has_symbols].map(u32::from_le_bytes);
        let (features, counts) = (features as usize, counts as usize);
        let (features, rest) = rest.split_at_checked(features.checked_mul(size_of::<u64>())?)?;
        let (units, counts_of) = rest.split_at_checked(counts.checked_mul(size_of::<u64>())?)?;
        if counts_of.len() != counts * size_of::<u32>() {
            return None;
        }
        let hashes =
            |bytes: &[u8]| bytes.as_chunks().0.iter().map(|&hash| u64::from_le_bytes(hash)).collect();
        let units: Vec<u64> = hashes(units);
        let counts_of = counts_of.as_chunks().0.iter().map(|&count| u32::from_le_bytes(count));
        Some(Evidence {
            features: FeatureSet::from_sorted(hashes(features))?,
            counts: TermCounts::from_sorted(units.into_iter().zip(counts_of).collect())?,
            symbols: (has_symbols != 0).then(|| u64::from_le_bytes(symbols.try_into().unwrap_or_default())),
        })
    }
}

/// Three numbers and the symbols.
const HEAD_BYTES: usize = 3 * size_of::<u32>() + size_of::<u64>();

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use crate::{Engine, EngineScratch, Recipe};

    #[test]
    fn evidence_comes_back_and_other_bytes_are_refused() {
        let engine = Engine::new(&Recipe::default(), Kernel::best()).unwrap();
        let long = "a rose is a rose is a rose, ".repeat(40) + "and so on";
        for text in ["", "word", "C++ or C#?", &long] {
            let evidence = engine.evidence(text, Markup::None, &mut EngineScratch::default());
            let mut bytes = vec![];
            evidence.encode(&mut bytes);
            assert_eq!(Evidence::decode(&bytes), Some(evidence), "{text}");
            for length in 0..bytes.len() {
                assert_eq!(Evidence::decode(&bytes[..length]), None, "{length} of {} bytes", bytes.len());
            }
            bytes.push(0);
            assert_eq!(Evidence::decode(&bytes), None);
        }
    }
}
