//! Real documents as in the paper: stemmed words without stop words, tf-idf weights, MurmurHash.
//!
//! Pages of documentation, licences, and RFCs cut into pages: English, a few hundred words each,
//! with near-duplicates that people made. Without packs, generated pages stand in.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;
use twindex_core::Markup;
use twindex_core::fingerprint::{Margins, Simhasher};
use twindex_core::hash::WordHash;
use twindex_core::kernel::Kernel;
use twindex_core::text::{Analyzer, Scratch, Stem, StopList, TextOptions};

use crate::measure;
use crate::papers::definition::Size;
use crate::simhash::documents;
use crate::web::Web;

/// The packs, and the words of a page where documents are longer.
const PACKS: [(&str, usize); 3] =
    [("en_mdn_revisions_dev", usize::MAX), ("licences_scancode_dev", usize::MAX), ("bulk_rfc_sample", 400)];

/// The most documents by size.
const TINY: usize = 300;
const QUICK: usize = 20_000;

/// The paper leaves small pages out; with fewer distinct words a document is left out here.
const LEAST_FEATURES: usize = 20;

/// Generated pages, without packs.
const SEED: u64 = 21;
const COPIES: f64 = 0.3;

/// The least cosine of near-duplicates: the paper's.
pub(super) const ALIKE: f64 = 0.9;

/// Near-duplicates differ in fewer bits than this: a cosine of 0.9 means 9 bits on average.
const FAR: u32 = 20;

/// Near-duplicates that are kept of a document: a family of licences has hundreds.
const MOST_ALIKE: usize = 4;

/// Margins are whole numbers: weights of unit norm are multiplied by this.
const ONE: f32 = (1 << 20) as f32;

/// A document: its distinct words, ascending, with weights of unit norm.
#[derive(Debug, Clone)]
pub(in crate::papers) struct Vector {
    pub(super) hashes: Vec<u64>,
    pub(super) weights: Vec<f32>,
    /// The norm that tf-idf weights had when term frequencies were shares of the document.
    pub(super) norm: f32,
}

/// Documents, and which of them are near-duplicates.
#[derive(Debug)]
pub(in crate::papers) struct Corpus {
    pub(super) documents: Vec<Vector>,
    pub(super) margins: Vec<Margins>,
    /// Each with some of its near-duplicates.
    pub(super) families: Vec<(usize, Vec<usize>)>,
    /// Whether the texts are real.
    pub(super) is_real: bool,
}

impl Vector {
    /// The cosine with another document.
    pub(super) fn cosine(&self, other: &Vector) -> f32 {
        let (mut i, mut j, mut dot) = (0, 0, 0.0);
        while i < self.hashes.len() && j < other.hashes.len() {
            let (left, right) = (self.hashes[i], other.hashes[j]);
            if left == right {
                dot += self.weights[i] * other.weights[j];
            }
            i += usize::from(left <= right);
            j += usize::from(right <= left);
        }
        dot
    }

    /// The sums of its weights.
    pub(super) fn margins(&self) -> Margins {
        margins(&self.hashes, &self.weights)
    }
}

/// The sums of weights of unit norm, as whole numbers.
pub(super) fn margins(hashes: &[u64], weights: &[f32]) -> Margins {
    let sums = Simhasher::new(Kernel::best()).weighted(hashes, weights);
    Margins(sums.map(|sum| (sum * ONE) as i32))
}

/// A margin in units of the norm.
pub(super) fn unit(margin: i32) -> f64 {
    f64::from(margin) / f64::from(ONE)
}

impl Corpus {
    /// Reads the packs, or makes pages if there are none.
    pub(in crate::papers) fn read(size: Size, packs: &measure::Options) -> anyhow::Result<Corpus> {
        let most = match size {
            Size::Tiny => TINY,
            Size::Quick => QUICK,
            Size::Full => usize::MAX,
        };
        let options =
            TextOptions { stop_words: vec![StopList::En], stem: Stem::English, ..TextOptions::default() };
        let analyzer = Analyzer::new(&options)?;
        let mut pages: Vec<Vec<u64>> = vec![];
        for (pack, cut) in PACKS {
            let texts = if size == Size::Tiny { None } else { documents::texts(packs, pack)? };
            let words = texts.unwrap_or_default().into_par_iter().map(|text| hashes(&analyzer, &text));
            let words: Vec<Vec<u64>> = words.collect();
            pages.extend(words.iter().flat_map(|words| words.chunks(cut)).map(<[u64]>::to_vec));
        }
        let is_real = !pages.is_empty();
        if !is_real {
            let web = Web::new(SEED, COPIES);
            let number = most.min(QUICK) as u64;
            pages = (0..number)
                .into_par_iter()
                .map(|number| hashes(&analyzer, &web.document(number).text))
                .collect();
        }
        let step = pages.len().div_ceil(most).max(1);
        let pages: Vec<Vec<u64>> = sample(pages, step);
        Ok(Corpus::of(&pages, is_real))
    }

    fn of(pages: &[Vec<u64>], is_real: bool) -> Corpus {
        let mut frequencies: HashMap<u64, u32> = HashMap::new();
        let counted: Vec<Vec<(u64, u32)>> = pages.par_iter().map(|page| counts(page)).collect();
        counted.iter().flatten().for_each(|(hash, _)| *frequencies.entry(*hash).or_default() += 1);
        let total = counted.len() as f64;
        let vector = |terms: &Vec<(u64, u32)>| {
            let length: u32 = terms.iter().map(|(_, count)| count).sum();
            let weight = |&(hash, count): &(u64, u32)| {
                let idf = (total / f64::from(frequencies[&hash])).ln();
                f64::from(count) / f64::from(length) * idf
            };
            let weights: Vec<f64> = terms.iter().map(weight).collect();
            let norm = weights.iter().map(|weight| weight * weight).sum::<f64>().sqrt();
            Vector {
                hashes: terms.iter().map(|(hash, _)| *hash).collect(),
                weights: weights.iter().map(|weight| (weight / norm) as f32).collect(),
                norm: norm as f32,
            }
        };
        let mut seen = HashSet::new();
        let documents: Vec<Vector> = counted
            .iter()
            .filter(|terms| terms.len() >= LEAST_FEATURES)
            // Exact duplicates are left out, as in the paper.
            .filter(|terms| seen.insert((*terms).clone()))
            .map(vector)
            .filter(|vector| vector.norm > 0.0)
            .collect();
        let margins: Vec<Margins> = documents.par_iter().map(Vector::margins).collect();
        let fingerprints: Vec<u64> = margins.iter().map(|margins| margins.simhash().0).collect();
        let family = |number: usize| {
            let near = |other: &usize| {
                *other != number
                    && (fingerprints[number] ^ fingerprints[*other]).count_ones() < FAR
                    && f64::from(documents[number].cosine(&documents[*other])) >= ALIKE
            };
            (number, (0..documents.len()).filter(near).take(MOST_ALIKE).collect::<Vec<_>>())
        };
        let families = (0..documents.len()).into_par_iter().map(family);
        let families = families.filter(|(_, alike)| !alike.is_empty()).collect();
        Corpus { documents, margins, families, is_real }
    }

    /// What it is, in words.
    pub(super) fn description(&self) -> String {
        let features: usize = self.documents.iter().map(|document| document.hashes.len()).sum();
        format!(
            "{} {} of {:.0} distinct words on average; {} have near-duplicates (cosine at least {ALIKE})",
            self.documents.len(),
            if self.is_real { "real documents" } else { "generated documents (no packs)" },
            features as f64 / self.documents.len() as f64,
            self.families.len()
        )
    }
}

fn hashes(analyzer: &Analyzer, text: &str) -> Vec<u64> {
    let mut hashes = vec![];
    let mut scratch = Scratch::default();
    analyzer.word_hashes(Kernel::best(), WordHash::Murmur3, text, Markup::None, &mut scratch, &mut hashes);
    hashes
}

/// Every `step`-th run of documents: neighbours stay together, because near-duplicates often are.
fn sample(pages: Vec<Vec<u64>>, step: usize) -> Vec<Vec<u64>> {
    const RUN: usize = 64;
    pages.chunks(RUN).step_by(step).flatten().cloned().collect()
}

fn counts(page: &[u64]) -> Vec<(u64, u32)> {
    let mut sorted = page.to_vec();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect()
}
