//! Every measure of every plausible pair of a labelled pack.
//!
//! A pair is plausible when signatures of 128 bins, over word shingles or over spelling, agree in an eighth of them; pairs
//! of the truth are always listed. In a pack where only some pairs were judged, those are listed. The columns are pack,
//! label (1 right, 0 wrong, -1 ignored), the number of true pairs, and the measures.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use rayon::prelude::*;
use twindex_core::Recipe;
use twindex_core::feature::Shingler;
use twindex_core::fingerprint::Minhasher;
use twindex_core::verify::{Overlap, Wording};

use super::pack::Pack;

const BINS: u16 = 128;
const LEAST_AGREEMENTS: usize = 16;
/// A shingle is rare if at most so many documents have it.
const RARE: u32 = 6;

/// The first line of the table.
pub const COLUMNS: &str = "pack\tlabel\ttruth\tshorter\tlonger\tjaccard\twords\tspelling\trare\tchain";

/// Writes a line for every plausible pair.
pub fn write(pack: &Pack, recipe: &Recipe, out: &mut impl Write) -> io::Result<()> {
    let feature = &recipe.feature;
    let table = Table {
        pack,
        shingler: Shingler::new(feature.unit, feature.size, feature.hash),
        documents_with: documents_with(pack),
    };
    let lines: Vec<String> = plausible(pack).par_iter().map(|&pair| table.line(pair)).collect();
    lines.iter().try_for_each(|line| out.write_all(line.as_bytes()))
}

/// In how many documents each shingle is.
fn documents_with(pack: &Pack) -> HashMap<u64, u32> {
    let mut counts = HashMap::new();
    for evidence in &pack.evidence {
        evidence.features.as_slice().iter().for_each(|&hash| *counts.entry(hash).or_default() += 1);
    }
    counts
}

/// The pairs to measure, ascending.
fn plausible(pack: &Pack) -> Vec<(u32, u32)> {
    if let Some(judged) = &pack.judged {
        let mut pairs: Vec<_> = judged.union(&pack.truth).copied().collect();
        pairs.sort_unstable();
        return pairs;
    }
    let hasher = Minhasher::new(BINS);
    let signature = |hashes: &[u64]| hasher.signature_of(hashes, &mut vec![]).bins;
    let analyzer = pack.pipeline.analyzer();
    let signatures: Vec<[Vec<u16>; 2]> = pack
        .evidence
        .par_iter()
        .map(|evidence| {
            let spelling = evidence.wording.as_ref().map(|wording| wording.spelling(analyzer).hashes());
            [signature(evidence.features.as_slice()), signature(spelling.unwrap_or_default())]
        })
        .collect();
    let agree = |a: &[u16], b: &[u16]| a.iter().zip(b).filter(|(a, b)| a == b).count() >= LEAST_AGREEMENTS;
    let count = pack.evidence.len() as u32;
    let plausible = |a: u32, b: u32| {
        let [x, y] = [a, b].map(|document| &pack.evidence[document as usize]);
        let [s, t] = [a, b].map(|document| &signatures[document as usize]);
        let is_worded = x.wording.is_some() && y.wording.is_some();
        !x.features.is_empty()
            && !y.features.is_empty()
            && (agree(&s[0], &t[0]) || is_worded && agree(&s[1], &t[1]))
    };
    (0..count)
        .into_par_iter()
        .flat_map_iter(|a| (a + 1..count).map(move |b| (a, b)))
        .filter(|&(a, b)| pack.truth.contains(&(a, b)) || plausible(a, b))
        .collect()
}

struct Table<'a> {
    pack: &'a Pack,
    shingler: Shingler,
    documents_with: HashMap<u64, u32>,
}

impl Table<'_> {
    fn line(&self, pair: (u32, u32)) -> String {
        let pack = self.pack;
        let (a, b) = (&pack.evidence[pair.0 as usize], &pack.evidence[pair.1 as usize]);
        let label = if pack.truth.contains(&pair) { 1 } else { -i32::from(pack.ignored.contains(&pair)) };
        let shared = Overlap::of(&a.features, &b.features);
        let other: HashSet<&u64> = b.features.as_slice().iter().collect();
        let is_rare = |hash: &&u64| other.contains(hash) && self.documents_with[*hash] <= RARE;
        let rare = a.features.as_slice().iter().filter(is_rare).count() as f64 / shared.common.max(1) as f64;
        let wordings = a.wording.as_ref().zip(b.wording.as_ref());
        let (spelling, chain) = wordings.map_or((0.0, 0.0), |pair| self.wording(pair.0, pair.1));
        let lengths = [a.counts.total(), b.counts.total()];
        format!(
            "{}\t{label}\t{}\t{}\t{}\t{:.4}\t{:.4}\t{spelling:.4}\t{rare:.4}\t{chain:.4}\n",
            pack.name,
            pack.truth.len(),
            lengths[0].min(lengths[1]),
            lengths[0].max(lengths[1]),
            shared.jaccard(),
            a.counts.jaccard(&b.counts),
        )
    }

    /// How alike two documents are in spelling, and how much of the smaller one's single words is a chain.
    fn wording(&self, a: &Wording, b: &Wording) -> (f64, f64) {
        let analyzer = self.pack.pipeline.analyzer();
        let spelling = a.spelling(analyzer).union_estimate(b.spelling(analyzer));
        let [a, b] = [a, b].map(|wording| wording.single(analyzer, &self.shingler));
        (spelling, a.chain(b) as f64 / a.len().min(b.len()).max(1) as f64)
    }
}
