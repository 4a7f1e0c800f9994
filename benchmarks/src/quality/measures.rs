//! The measures of every pair of a labelled pack that a term of the default rule could accept.
//!
//! The later terms want a Jaccard of [`NOISE_LEAST_JACCARD`] and two documents that are long enough, the first one the
//! threshold; other pairs are not listed, and the column with the number of true pairs says how many there are in all. In a
//! pack where only some pairs were judged, those are listed. The other columns are pack, label (1 right, 0 wrong, -1
//! ignored), and the measures; spelling and chain are 0 where the Jaccard decides alone.

use std::io::{self, Write};

use rayon::prelude::*;
use twindex_core::Recipe;
use twindex_core::feature::Shingler;
use twindex_core::recipe::judgement::NOISE_LEAST_JACCARD;
use twindex_core::verify::{Overlap, Wording};

use super::pack::Pack;
use super::postings::Postings;

/// A shingle is rare if at most so many documents have it.
const RARE: usize = 6;

/// The first line of the table.
pub const COLUMNS: &str = "pack\tlabel\ttruth\tshorter\tlonger\tjaccard\twords\tspelling\trare\tchain";

/// Writes a line for every such pair.
pub fn write(pack: &Pack, recipe: &Recipe, out: &mut impl Write) -> io::Result<()> {
    let postings = Postings::new(pack, |_| true);
    let feature = &recipe.feature;
    let table = Table {
        pack,
        shingler: Shingler::new(feature.unit, feature.size, feature.hash),
        threshold: recipe.rule.threshold,
        rare: rare_shingles(pack, &postings),
    };
    let lines: Vec<String> = (0..pack.evidence.len() as u32)
        .into_par_iter()
        .map_init(
            || postings.counters(),
            |counters, document| {
                let partners = postings.partners(document, counters).into_iter();
                let listed = partners.filter(|&(other, overlap)| {
                    table.could_pass((other, document), overlap) && pack.counts((other, document))
                });
                listed.map(|(other, overlap)| table.line((other, document), overlap)).collect()
            },
        )
        .collect();
    lines.iter().try_for_each(|line| out.write_all(line.as_bytes()))
}

/// For each document which of its shingles are rare.
fn rare_shingles(pack: &Pack, postings: &Postings<'_>) -> Vec<Vec<bool>> {
    let is_rare = |shingle: &u64| postings.of(*shingle).len() <= RARE;
    pack.evidence
        .par_iter()
        .map(|evidence| evidence.features.as_slice().iter().map(is_rare).collect())
        .collect()
}

struct Table<'a> {
    pack: &'a Pack,
    shingler: Shingler,
    /// A Jaccard from here on decides alone.
    threshold: f64,
    /// Of each document and each of its shingles.
    rare: Vec<Vec<bool>>,
}

impl Table<'_> {
    fn could_pass(&self, pair: (u32, u32), shared: Overlap) -> bool {
        let is_worded = |document: u32| self.pack.evidence[document as usize].wording.is_some();
        let asked = is_worded(pair.0) && is_worded(pair.1);
        shared.jaccard() >= if asked { NOISE_LEAST_JACCARD } else { self.threshold }
    }

    fn line(&self, pair: (u32, u32), shared: Overlap) -> String {
        let pack = self.pack;
        let [a, b] = [pair.0, pair.1].map(|document| &pack.evidence[document as usize]);
        let label = if pack.truth.contains(&pair) { 1 } else { -i32::from(pack.ignored.contains(&pair)) };
        let wordings = a.wording.as_ref().zip(b.wording.as_ref());
        let asked = wordings.filter(|_| shared.jaccard() < self.threshold);
        let (spelling, chain) = asked.map_or((0.0, 0.0), |(a, b)| self.wording(a, b));
        let lengths = [a.counts.total(), b.counts.total()];
        format!(
            "{}\t{label}\t{}\t{}\t{}\t{:.4}\t{:.4}\t{spelling:.4}\t{:.4}\t{chain:.4}\n",
            pack.name,
            pack.truth.len(),
            lengths[0].min(lengths[1]),
            lengths[0].max(lengths[1]),
            shared.jaccard(),
            a.counts.jaccard(&b.counts),
            self.rare_common(pair) as f64 / shared.common as f64,
        )
    }

    /// How many rare shingles two documents share.
    fn rare_common(&self, pair: (u32, u32)) -> usize {
        let [a, b] =
            [pair.0, pair.1].map(|document| self.pack.evidence[document as usize].features.as_slice());
        let rare = &self.rare[pair.0 as usize];
        let mut rest = b.iter().peekable();
        let common_and_rare = a.iter().zip(rare).filter(|&(shingle, &is_rare)| {
            while rest.next_if(|other| *other < shingle).is_some() {}
            is_rare && rest.peek() == Some(&shingle)
        });
        common_and_rare.count()
    }

    /// How alike two documents are in spelling, and how much of the smaller one's single words is a chain.
    fn wording(&self, a: &Wording, b: &Wording) -> (f64, f64) {
        let analyzer = self.pack.pipeline.analyzer();
        let spelling = a.spelling(analyzer).union_estimate(b.spelling(analyzer));
        let [a, b] = [a, b].map(|wording| wording.single(analyzer, &self.shingler));
        (spelling, a.chain(b) as f64 / a.len().min(b.len()).max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::pack::example;

    #[test]
    fn every_pair_that_could_pass_has_a_line_with_its_label() {
        let recipe = Recipe::default();
        let mut out = vec![];
        write(&example(&recipe), &recipe, &mut out).unwrap();
        let table = String::from_utf8(out).unwrap();
        let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split('\t').collect()).collect();
        let column = |name: &str| COLUMNS.split('\t').position(|it| it == name).unwrap();
        let cells = |name: &str| rows.iter().map(|row| row[column(name)]).collect::<Vec<_>>();
        // a and b, both with the copy, x and y.
        assert_eq!(cells("label"), ["1", "1", "1", "0"]);
        assert_eq!(cells("truth"), ["3"; 4]);
        assert_eq!(cells("shorter"), ["16", "16", "16", "17"]);
        assert_eq!(cells("longer"), cells("shorter"));
        // Of 14 shingles of three words one has the last word; of 15 one has the first.
        assert_eq!(cells("jaccard"), ["0.8667", "1.0000", "0.8667", "0.8750"]);
        assert_eq!(cells("rare"), ["1.0000"; 4], "three documents at most have a shingle");
        assert_eq!((cells("spelling"), cells("chain")), (vec!["0.0000"; 4], vec!["0.0000"; 4]));
    }
}
