//! Figure 5: flips for 95 % recall, and the time of a query, against the bits of the header.

use serde::Deserialize;
use twindex_core::search::Want;

use super::collection::{Collection, Truth, all, found, rate};
use crate::papers::definition::Definition;
use crate::papers::experiment::Setting;
use crate::papers::page::number;
use crate::papers::plot::{Axis, Plot, Series};
use crate::papers::record::{Outcome, Table};

#[derive(Deserialize)]
struct Parameters {
    /// Stored fingerprints: 2^this.
    exponent: u32,
    /// Header bits, as differences to the exponent: from `d - fewest` to `d`.
    fewest: u32,
    step: u32,
    queries: usize,
    times: usize,
}

pub(in crate::papers) fn run(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    let Parameters { exponent, fewest, step, queries, times } = definition.parameters(setting.size)?;
    let collection = Collection::new(setting.corpus()?, 1 << exponent, queries);
    let exact = collection.exact();
    let measured = collection.measured();
    let truth = Truth::of(&exact, &measured);
    let expected = all(&exact, &measured);
    let mut outcome = Outcome::default();
    let mut table = Table::new(
        format!("{} stored fingerprints, {} queries", number(f64::from(exponent).exp2()), measured.len()),
        &[
            "t",
            "k, all",
            "k, first",
            "recall, all",
            "recall, first",
            "K queries/s, all",
            "K queries/s, first",
        ],
    );
    let mut curves = [const { vec![] }; 4];
    let mut right = true;
    for bits in (exponent - fewest..=exponent).step_by(step as usize) {
        let mut psm = collection.psm(bits);
        let mut cells = vec![bits.to_string()];
        let mut results = vec![];
        for want in [Want::All, Want::First] {
            let flips = collection.calibrate(&mut psm, want, &exact);
            let recall = found(&psm, &measured, want) as f64 / truth.of_kind(want).max(1) as f64;
            let speed = rate(&psm, &measured, want, times);
            results.push((flips, recall, speed));
            if want == Want::All {
                right &= all(&psm, &measured).iter().all(|one| expected.binary_search(one).is_ok());
            }
        }
        let t = f64::from(bits);
        for (place, (flips, _, speed)) in results.iter().enumerate() {
            curves[place].push((t, *flips as f64));
            curves[2 + place].push((t, 1e6 / speed));
        }
        let difference = exponent - bits;
        for ((flips, recall, speed), name) in results.iter().zip(["all", "first"]) {
            outcome.figure(format!("k at d - {difference}, {name}"), *flips as f64);
            outcome.figure(format!("recall at d - {difference}, {name}"), *recall);
            outcome.figure(format!("queries/s at d - {difference}, {name}"), *speed);
        }
        cells.extend(results.iter().map(|it| it.0.to_string()));
        cells.extend(results.iter().map(|it| format!("{:.3}", it.1)));
        cells.extend(results.iter().map(|it| number(it.2 / 1e3)));
        table.row(cells);
    }
    let [flips_all, flips_first, time_all, time_first] = curves;
    let fastest = |curve: &[(f64, f64)]| {
        curve.iter().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0.0, |best| f64::from(exponent) - best.0)
    };
    outcome.figure("fastest t below d", fastest(&time_all));
    let least = |name: &str| {
        let recalls =
            outcome.figures.iter().filter(|(key, _)| key.starts_with("recall") && key.ends_with(name));
        recalls.map(|(_, value)| *value).fold(1.0, f64::min)
    };
    let least = least("all").min(least("first"));
    outcome.figure("least recall", least);
    outcome.plots.push(Plot {
        file: "flips".to_owned(),
        title: "Flips for 95 % recall".to_owned(),
        x: Axis::linear("header bits t"),
        y: Axis::linear("flips k(t)"),
        series: vec![Series::ours("all", flips_all), Series::ours("first", flips_first)],
    });
    outcome.plots.push(Plot {
        file: "time".to_owned(),
        title: "Time of a query at 95 % recall".to_owned(),
        x: Axis::linear("header bits t"),
        y: Axis::linear("microseconds"),
        series: vec![Series::ours("all", time_all), Series::ours("first", time_first)],
    });
    outcome.tables.push(table);
    outcome.check("every match is one of the exact index", right);
    outcome.note(format!(
        "{} matches of {} queries with a match; flips calibrated on other queries.",
        truth.matches, truth.answered
    ));
    Ok(outcome)
}
