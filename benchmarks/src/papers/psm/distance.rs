//! Figure 6: what Hamming distance says about the cosine.

use rayon::prelude::*;
use serde::Deserialize;

use super::corpus::ALIKE;
use crate::papers::definition::Definition;
use crate::papers::experiment::Setting;
use crate::papers::page::number;
use crate::papers::plot::{Axis, Plot, Series};
use crate::papers::record::{Outcome, Table};

#[derive(Deserialize)]
struct Parameters {
    /// Documents whose pairs are all compared.
    documents: usize,
    /// Other cosines from which documents are taken for alike, ascending and above the paper's.
    stricter: Vec<f64>,
}

/// The distances of the plot.
const MOST: usize = 20;

/// Pairs by distance.
#[derive(Clone)]
struct Histogram([u64; 65]);

impl Default for Histogram {
    fn default() -> Self {
        Histogram([0; 65])
    }
}

impl Histogram {
    fn add(&mut self, other: &Histogram) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, other)| *sum += other);
    }

    fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}

/// What "within h bits" says about pairs that are alike, by h.
struct Curves {
    precision: Vec<f64>,
    recall: Vec<f64>,
}

impl Curves {
    fn new(all: &Histogram, alike: &Histogram) -> Self {
        let (mut near, mut right) = (0, 0);
        let (mut precision, mut recall) = (vec![], vec![]);
        for (all, alike_here) in all.0.iter().zip(alike.0) {
            near += all;
            right += alike_here;
            precision.push(if near == 0 { 1.0 } else { right as f64 / near as f64 });
            recall.push(right as f64 / alike.total().max(1) as f64);
        }
        Curves { precision, recall }
    }

    /// The first distance at which recall is no less than precision.
    fn crossing(&self) -> usize {
        let crosses = |(recall, precision): (&f64, &f64)| recall >= precision;
        self.recall.iter().zip(&self.precision).position(crosses).unwrap_or(64)
    }
}

pub(in crate::papers) fn run(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    let Parameters { documents, stricter } = definition.parameters(setting.size)?;
    let corpus = setting.corpus()?;
    let mut outcome = Outcome::default();
    // Runs of neighbours, because near-duplicates often are.
    let count = documents.min(corpus.documents.len());
    let fingerprints: Vec<u64> = corpus.margins.iter().map(|margins| margins.simhash().0).collect();
    let cosines: Vec<f64> = std::iter::once(ALIKE).chain(stricter).collect();
    // Pairs by distance: all, and those that are alike from each of the cosines on.
    let none = || vec![Histogram::default(); 1 + cosines.len()];
    let row = |one: usize| {
        let mut histograms = none();
        for other in 0..one {
            let distance = (fingerprints[one] ^ fingerprints[other]).count_ones() as usize;
            let cosine = f64::from(corpus.documents[one].cosine(&corpus.documents[other]));
            histograms[0].0[distance] += 1;
            let alike = cosines.iter().take_while(|least| cosine >= **least).count();
            histograms[1..=alike].iter_mut().for_each(|histogram| histogram.0[distance] += 1);
        }
        histograms
    };
    let histograms = (0..count).into_par_iter().map(row).reduce(none, |mut sum, other| {
        sum.iter_mut().zip(&other).for_each(|(sum, other)| sum.add(other));
        sum
    });
    let mut crossings = Table::new(
        "Where the curves cross if documents are alike from another cosine on",
        &[
            "cosine",
            "bits expected",
            "pairs",
            "cross at h",
            "precision there",
            "precision at 3",
            "recall at 3",
        ],
    );
    for (least, histogram) in cosines.iter().zip(&histograms[1..]) {
        let curves = Curves::new(&histograms[0], histogram);
        let (pairs, crossing) = (histogram.total(), curves.crossing());
        outcome.figure(format!("curves cross at, cosine {least}"), crossing as f64);
        outcome.figure(format!("alike, cosine {least}"), pairs as f64);
        crossings.row([
            least.to_string(),
            number(64.0 * least.acos() / std::f64::consts::PI),
            number(pairs as f64),
            crossing.to_string(),
            number(curves.precision[crossing]),
            number(curves.precision[3]),
            number(curves.recall[3]),
        ]);
    }
    let Curves { precision, recall } = Curves::new(&histograms[0], &histograms[1]);
    let (crossing, alike) =
        (outcome.figures[&format!("curves cross at, cosine {ALIKE}")], histograms[1].total());
    outcome.figure("curves cross at", crossing);
    for h in [0, 3, 6, 10] {
        outcome.figure(format!("precision at {h}"), precision[h]);
        outcome.figure(format!("recall at {h}"), recall[h]);
    }
    outcome.figure("pairs", (count * count.saturating_sub(1) / 2) as f64);
    outcome.figure("alike", alike as f64);
    let curve = |values: &[f64]| (0..=MOST).map(|h| (h as f64, values[h])).collect();
    outcome.plots.push(Plot {
        file: "precision-recall".to_owned(),
        title: format!("Pairs within h bits against a cosine of at least {ALIKE}"),
        x: Axis::linear("Hamming distance h"),
        y: Axis::linear("share"),
        series: vec![Series::ours("precision", curve(&precision)), Series::ours("recall", curve(&recall))],
    });
    let mut table = Table::new("By distance", &["h", "precision", "recall"]);
    for h in 0..=12 {
        table.row([h.to_string(), number(precision[h]), number(recall[h])]);
    }
    outcome.tables.extend([table, crossings]);
    outcome.note(format!("All pairs of {count} documents, {alike} of them alike. {}.", corpus.description()));
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_cross_where_recall_reaches_precision() {
        let (mut all, mut alike) = (Histogram::default(), Histogram::default());
        (all.0[1], alike.0[1]) = (2, 2);
        (all.0[3], alike.0[3]) = (4, 1);
        (all.0[5], alike.0[5]) = (10, 1);
        let curves = Curves::new(&all, &alike);
        assert_eq!((curves.precision[1], curves.recall[1]), (1.0, 0.5));
        assert_eq!((curves.precision[3], curves.recall[3]), (0.5, 0.75));
        assert_eq!(curves.crossing(), 3);
    }
}
