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
}

/// The distances of the plot.
const MOST: usize = 20;

pub(in crate::papers) fn run(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    let Parameters { documents } = definition.parameters(setting.size)?;
    let corpus = setting.corpus()?;
    let mut outcome = Outcome::default();
    // Runs of neighbours, because near-duplicates often are.
    let count = documents.min(corpus.documents.len());
    let fingerprints: Vec<u64> = corpus.margins.iter().map(|margins| margins.simhash().0).collect();
    // Pairs by distance: all, and those that are alike.
    let row = |one: usize| {
        let mut histogram = [[0u64; 2]; 65];
        for other in 0..one {
            let distance = (fingerprints[one] ^ fingerprints[other]).count_ones() as usize;
            let alike = f64::from(corpus.documents[one].cosine(&corpus.documents[other])) >= ALIKE;
            histogram[distance][0] += 1;
            histogram[distance][1] += u64::from(alike);
        }
        histogram
    };
    let add = |mut sum: [[u64; 2]; 65], other: [[u64; 2]; 65]| {
        sum.iter_mut().zip(other).for_each(|(sum, other)| *sum = [sum[0] + other[0], sum[1] + other[1]]);
        sum
    };
    let histogram = (0..count).into_par_iter().map(row).reduce(|| [[0; 2]; 65], add);
    let alike: u64 = histogram.iter().map(|[_, alike]| alike).sum();
    let (mut near, mut right) = (0, 0);
    let (mut precision, mut recall) = (vec![], vec![]);
    for [all, alike_here] in histogram {
        near += all;
        right += alike_here;
        precision.push(if near == 0 { 1.0 } else { right as f64 / near as f64 });
        recall.push(right as f64 / alike.max(1) as f64);
    }
    let crossing = (0..=64).find(|&h| recall[h] >= precision[h]).unwrap_or(64);
    outcome.figure("curves cross at", crossing as f64);
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
    outcome.tables.push(table);
    outcome.note(format!("All pairs of {count} documents, {alike} of them alike. {}.", corpus.description()));
    Ok(outcome)
}
