//! Figure 1: how the sums W and their changes Y are distributed, in real documents and in ours.

use serde::Deserialize;
use twindex_core::fingerprint::Margins;

use super::corpus::{Corpus, unit};
use super::generator::Generator;
use crate::papers::definition::Definition;
use crate::papers::experiment::Setting;
use crate::papers::page::number;
use crate::papers::plot::{Axis, Plot, Series};
use crate::papers::record::{Outcome, Table};

#[derive(Deserialize)]
struct Parameters {
    /// Generated documents.
    documents: u64,
    /// Bars of a histogram.
    bars: usize,
}

/// Any number.
const SEED: u64 = 41;

/// Quantiles that are compared.
const QUANTILES: [f64; 7] = [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99];

pub(in crate::papers) fn run(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    let Parameters { documents, bars } = definition.parameters(setting.size)?;
    let corpus = setting.corpus()?;
    let mut outcome = Outcome::default();

    // The paper's weights: term frequencies are shares of the document, so that sums have the
    // norm of the document.
    let with_norms = |bit: usize| {
        corpus
            .margins
            .iter()
            .zip(&corpus.documents)
            .map(move |(margins, document)| unit(margins.0[bit]) * f64::from(document.norm))
    };
    let w: Vec<f64> = (0..64).flat_map(with_norms).collect();
    let y: Vec<f64> = (0..64).flat_map(|bit| differences(&with_norms(bit).collect::<Vec<_>>())).collect();
    let (of_w, of_y) = (Moments::of(&w), Moments::of(&y));
    outcome.figure("excess kurtosis of W", of_w.kurtosis);
    outcome.figure("excess kurtosis of Y", of_y.kurtosis);
    outcome.figure("variance of Y / variance of W", of_y.variance / of_w.variance);
    outcome.figure("mean of W / deviation", (of_w.mean / of_w.variance.sqrt()).abs());
    let deviation = of_w.variance.sqrt();
    outcome.plots.push(Plot {
        file: "distributions".to_owned(),
        title: "W and Y of real documents, in standard deviations of W".to_owned(),
        x: Axis::linear("value / deviation of W"),
        y: Axis::log("density"),
        series: vec![
            Series::ours("W", histogram(&w, deviation, bars)),
            Series::ours("Y = W(u) - W(v)", histogram(&y, deviation, bars)),
            Series::paper(
                "Laplace, variance of W",
                curve(bars, |x| (-x.abs() * std::f64::consts::SQRT_2).exp() / std::f64::consts::SQRT_2),
            ),
            Series::paper(
                "Gauss, variance of W",
                curve(bars, |x| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt()),
            ),
        ],
    });

    // The generator, with weights of unit norm as the searches use them.
    let unit_sums = |margins: &Margins| margins.0.map(unit);
    let generator = Generator::new(corpus, SEED);
    let generated: Vec<Vec<Margins>> = (0..documents).map(|number| generator.family(number)).collect();
    let members = |corpus: &Corpus| -> Vec<f64> {
        corpus.families.iter().flat_map(|(number, _)| unit_sums(&corpus.margins[*number])).collect()
    };
    let changes = |corpus: &Corpus| -> Vec<f64> {
        let change = |(number, alike): &(usize, Vec<usize>)| {
            change(&corpus.margins[*number], &corpus.margins[alike[0]])
        };
        corpus.families.iter().flat_map(change).collect()
    };
    let comparisons = [
        (
            "W",
            members(corpus),
            generated.iter().flat_map(|family| unit_sums(&family[0])).collect::<Vec<f64>>(),
        ),
        (
            "Y of near-duplicates",
            changes(corpus),
            generated.iter().flat_map(|family| change(&family[0], &family[1])).collect(),
        ),
    ];
    let mut table = Table::new(
        "Quantiles of the real documents with near-duplicates and of the generated ones (weights of unit norm)",
        &["", "1 %", "5 %", "25 %", "50 %", "75 %", "95 %", "99 %"],
    );
    for (name, mut real, mut made) in comparisons {
        real.sort_unstable_by(f64::total_cmp);
        made.sort_unstable_by(f64::total_cmp);
        for (kind, values) in [("real", &real), ("generated", &made)] {
            let mut row = vec![format!("{name}, {kind}")];
            row.extend(QUANTILES.map(|share| number(quantile(values, share))));
            table.row(row);
        }
        outcome.figure(format!("{name}: distance of the distributions"), distribution_distance(&real, &made));
        outcome.plots.push(Plot {
            file: if name == "W" { "generated-w" } else { "generated-y" }.to_owned(),
            title: format!("{name}: real and generated documents"),
            x: Axis::linear("value (weights of unit norm)"),
            y: Axis::log("density"),
            series: vec![
                Series::ours("real", histogram(&real, Moments::of(&real).variance.sqrt(), bars)),
                Series::ours("generated", histogram(&made, Moments::of(&real).variance.sqrt(), bars)),
            ],
        });
    }
    outcome.tables.push(table);
    outcome.note(format!("Documents: {}.", corpus.description()));
    Ok(outcome)
}

/// Y over pairs of unrelated documents: those half of the collection apart.
fn differences(values: &[f64]) -> Vec<f64> {
    let half = values.len() / 2;
    values[..half].iter().zip(&values[half..]).map(|(a, b)| a - b).collect()
}

fn change(a: &Margins, b: &Margins) -> [f64; 64] {
    std::array::from_fn(|bit| unit(a.0[bit]) - unit(b.0[bit]))
}

struct Moments {
    mean: f64,
    variance: f64,
    /// Excess kurtosis: 0 for a Gaussian, 3 for a Laplace distribution.
    kurtosis: f64,
}

impl Moments {
    fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let moment = |power: i32| values.iter().map(|value| (value - mean).powi(power)).sum::<f64>() / count;
        let variance = moment(2);
        Moments { mean, variance, kurtosis: moment(4) / (variance * variance) - 3.0 }
    }
}

/// Histograms reach this many deviations to both sides.
const REACH: f64 = 6.0;

fn curve(bars: usize, density: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    // Densities below this would stretch the axis beyond all measured ones.
    const LEAST: f64 = 1e-5;
    (0..bars)
        .map(|bar| -REACH + (bar as f64 + 0.5) * 2.0 * REACH / bars as f64)
        .map(|x| (x, density(x)))
        .filter(|(_, y)| *y >= LEAST)
        .collect()
}

/// The density, by values in units of `scale`; empty bars are left out.
fn histogram(values: &[f64], scale: f64, bars: usize) -> Vec<(f64, f64)> {
    let width = 2.0 * REACH / bars as f64;
    let mut counts = vec![0u64; bars];
    for value in values {
        let bar = (value / scale + REACH) / width;
        if (0.0..bars as f64).contains(&bar) {
            counts[bar as usize] += 1;
        }
    }
    let bars = counts.iter().enumerate().filter(|(_, count)| **count > 0);
    bars.map(|(bar, &count)| {
        (-REACH + (bar as f64 + 0.5) * width, count as f64 / values.len() as f64 / width)
    })
    .collect()
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}

/// The largest distance between two cumulative distributions (Kolmogorov and Smirnov).
fn distribution_distance(a: &[f64], b: &[f64]) -> f64 {
    let share = |sorted: &[f64], value: f64| {
        sorted.partition_point(|other| *other <= value) as f64 / sorted.len() as f64
    };
    a.iter().map(|&value| (share(a, value) - share(b, value)).abs()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_known_values() {
        let moments = Moments::of(&[-1.0, 1.0, -1.0, 1.0]);
        assert_eq!((moments.mean, moments.variance, moments.kurtosis), (0.0, 1.0, -2.0));
    }

    #[test]
    fn distributions_that_are_equal_or_apart() {
        let a: Vec<f64> = (0..100).map(f64::from).collect();
        let b: Vec<f64> = (100..200).map(f64::from).collect();
        assert_eq!((distribution_distance(&a, &a), distribution_distance(&a, &b)), (0.0, 1.0));
    }
}
