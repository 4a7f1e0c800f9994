//! Figure 8: recall with a fixed number of flips as the collection grows.

use serde::Deserialize;
use twindex_core::search::Want;

use super::collection::{Collection, Truth, found};
use crate::papers::definition::Definition;
use crate::papers::experiment::Setting;
use crate::papers::plot::{Axis, Plot, Series};
use crate::papers::record::{Outcome, Table};

#[derive(Deserialize)]
struct Parameters {
    exponents: Vec<u32>,
    queries: usize,
    flips: Vec<usize>,
}

pub(in crate::papers) fn run(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    let Parameters { exponents, queries, flips } = definition.parameters(setting.size)?;
    let mut outcome = Outcome::default();
    let names: Vec<String> =
        flips.iter().flat_map(|k| ["all", "first"].map(|want| format!("k = {k}, {want}"))).collect();
    let mut curves = vec![vec![]; names.len()];
    let mut table = Table::new("Recall, t = d", &["d = log2 n"]);
    table.header.extend(names.iter().cloned());
    for &exponent in &exponents {
        let collection = Collection::new(setting.corpus()?, 1 << exponent, queries);
        let exact = collection.exact();
        let measured = collection.measured();
        let truth = Truth::of(&exact, &measured);
        let mut psm = collection.psm(exponent);
        let mut row = vec![exponent.to_string()];
        for (number, &k) in flips.iter().enumerate() {
            psm.set_flips(k);
            for (place, want) in [Want::All, Want::First].into_iter().enumerate() {
                let recall = found(&psm, &measured, want) as f64 / truth.of_kind(want).max(1) as f64;
                curves[2 * number + place].push((f64::from(exponent), recall));
                row.push(format!("{recall:.3}"));
            }
        }
        table.row(row);
    }
    for (name, curve) in names.iter().zip(&curves) {
        let least = curve.iter().map(|point| point.1).fold(1.0, f64::min);
        outcome.figure(format!("{name}: least recall"), least);
        outcome.figure(format!("{name}: recall at the largest"), curve.last().map_or(0.0, |point| point.1));
    }
    outcome.check(
        "more flips never find less",
        curves.chunks(2).collect::<Vec<_>>().windows(2).all(|pair| {
            pair[0].iter().zip(pair[1]).all(|(few, many)| few.iter().zip(many).all(|(a, b)| a.1 <= b.1))
        }),
    );
    outcome.plots.push(Plot {
        file: "recall".to_owned(),
        title: "Recall with k flips".to_owned(),
        x: Axis::linear("d = log2 n"),
        y: Axis::linear("recall"),
        series: names.into_iter().zip(curves).map(|(name, curve)| Series::ours(name, curve)).collect(),
    });
    outcome.tables.push(table);
    Ok(outcome)
}
