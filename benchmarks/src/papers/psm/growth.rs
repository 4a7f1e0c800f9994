//! Figure 7: the delay of a query as the collection grows.

use serde::Deserialize;
use twindex_core::kernel::Kernel;
use twindex_core::search::Want;
use twindex_core::search::bphs::{BlockIndex, BlockTables, Find};

use super::RADIUS;
use super::collection::{Collection, all, rate};
use crate::papers::definition::Definition;
use crate::papers::experiment::Setting;
use crate::papers::page::number;
use crate::papers::plot::{Axis, Plot, Series};
use crate::papers::record::{Outcome, Table};

#[derive(Deserialize)]
struct Parameters {
    exponents: Vec<u32>,
    queries: usize,
    block_queries: usize,
    times: usize,
    most_for_ten: u32,
}

/// The searches of the figure.
const NAMES: [&str; 5] = ["BPHS-4", "BPHS-10", "PSM, all", "PSM, first", "multi-index"];

pub(in crate::papers) fn run(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    let Parameters { exponents, queries, block_queries, times, most_for_ten } =
        definition.parameters(setting.size)?;
    let mut outcome = Outcome::default();
    let mut curves = [const { vec![] }; NAMES.len()];
    let mut equal = true;
    for &exponent in &exponents {
        let collection = Collection::new(setting.corpus()?, 1 << exponent, queries);
        let exact = collection.exact();
        let measured = collection.measured();
        let few = &measured[..block_queries.min(measured.len())];
        let mut add = |place: usize, speed: f64| curves[place].push((f64::from(exponent), 1e6 / speed));
        for (place, blocks) in [(0, 4), (1, 5)] {
            if place == 1 && exponent > most_for_ten {
                continue;
            }
            let design = BlockTables::new(blocks, RADIUS);
            let index = BlockIndex::build(design, &collection.stored, Find::BinarySearch, Kernel::Scalar);
            equal &= all(&index, few) == all(&exact, few);
            add(place, rate(&index, few, Want::All, times));
        }
        // T' = 2: as many header bits as the collection has.
        let mut psm = collection.psm(exponent);
        for (place, want) in [(2, Want::All), (3, Want::First)] {
            collection.calibrate(&mut psm, want, &exact);
            add(place, rate(&psm, &measured, want, times));
        }
        add(4, rate(&exact, &measured, Want::All, times));
    }
    outcome.check("the block tables find what the exact index finds", equal);
    let mut table = Table::new("Microseconds a query, one thread", &["d = log2 n"]);
    table.header.extend(NAMES.map(str::to_owned));
    for &exponent in &exponents {
        let cell = |curve: &Vec<(f64, f64)>| {
            let point = curve.iter().find(|point| point.0 == f64::from(exponent));
            point.map_or("-".to_owned(), |point| number(point.1))
        };
        let mut row = vec![exponent.to_string()];
        row.extend(curves.iter().map(cell));
        table.row(row);
    }
    // How many times longer a query takes in the largest collection than in the smallest.
    for (name, curve) in NAMES.iter().zip(&curves) {
        if let [first, .., last] = curve[..] {
            outcome.figure(format!("{name}: growth"), last.1 / first.1);
        }
        if let Some(last) = curve.last() {
            outcome.figure(format!("{name}: microseconds at the largest"), last.1);
        }
    }
    let growth = |name: &str| outcome.figures.get(&format!("{name}: growth")).copied();
    if let Some((blocks, psm)) = growth("BPHS-4").zip(growth("PSM, all")) {
        outcome.figure("growth of BPHS-4 / growth of PSM", blocks / psm);
    }
    let at_end = |place: usize| curves[place].last().map_or(f64::NAN, |point| point.1);
    outcome.figure("BPHS-4 / PSM at the largest, all", at_end(0) / at_end(2));
    let figures = [("four", vec![0, 2, 3, 4]), ("ten", vec![1, 2, 3, 4])];
    for (file, places) in figures {
        outcome.plots.push(Plot {
            file: file.to_owned(),
            title: format!("Delay of a query; BPHS with {file} tables"),
            x: Axis::linear("d = log2 n"),
            y: Axis::log("microseconds"),
            series: places.into_iter().map(|at| Series::ours(NAMES[at], curves[at].clone())).collect(),
        });
    }
    outcome.tables.push(table);
    Ok(outcome)
}
