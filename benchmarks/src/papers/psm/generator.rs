//! As many documents as wanted with the statistics of real ones.
//!
//! A generated document has the weights of a real one under random hashes; its near-duplicates have
//! the weights of the real near-duplicates under the same hashes. So the sums W and their changes Y
//! have the distributions of the real pairs (`psm-figure-1` compares them), and the number of
//! documents is not limited. What is lost is the correlation between documents that share words:
//! the bits of unrelated documents are fair coins.

use twindex_core::fingerprint::Margins;
use twindex_core::hash::mix;

use super::corpus::{Corpus, margins};

/// A document and its near-duplicates: the weight of each word in each of them.
pub(super) struct Family {
    words: usize,
    /// The document's weights, then those of its near-duplicates.
    weights: Vec<Vec<f32>>,
}

/// Makes documents from the families of a corpus.
pub(super) struct Generator {
    families: Vec<Family>,
    seed: u64,
}

impl Generator {
    /// Makes other documents for another seed.
    pub(super) fn new(corpus: &Corpus, seed: u64) -> Self {
        let family = |(number, alike): &(usize, Vec<usize>)| {
            let members: Vec<_> =
                std::iter::once(number).chain(alike).map(|&it| &corpus.documents[it]).collect();
            let mut words: Vec<u64> = members.iter().flat_map(|member| &member.hashes).copied().collect();
            words.sort_unstable();
            words.dedup();
            let weights = members.iter().map(|member| {
                let mut weights = vec![0.0; words.len()];
                for (hash, &weight) in member.hashes.iter().zip(&member.weights) {
                    weights[words.partition_point(|word| word < hash)] = weight;
                }
                weights
            });
            let weights = weights.collect();
            Family { words: words.len(), weights }
        };
        Generator { families: corpus.families.iter().map(family).collect(), seed }
    }

    /// Document `number` and its near-duplicates.
    pub(super) fn family(&self, number: u64) -> Vec<Margins> {
        let seed = mix(self.seed ^ mix(number));
        let place = (u128::from(mix(seed)) * self.families.len() as u128) >> 64;
        let family = &self.families[place as usize];
        let hashes: Vec<u64> =
            (0..family.words as u64).map(|word| mix(seed.wrapping_add(mix(word)))).collect();
        family.weights.iter().map(|weights| margins(&hashes, weights)).collect()
    }

    /// Document `number` alone.
    pub(super) fn document(&self, number: u64) -> Margins {
        self.family(number).swap_remove(0)
    }
}
