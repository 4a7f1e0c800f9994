//! Table II: the fingerprints of whole collections.

use rayon::prelude::*;
use serde::Deserialize;
use twindex_core::fingerprint::{Simhash, SimhashScratch, Simhasher};
use twindex_core::kernel::Kernel;
use twindex_core::kernel::words::WordRule;

use super::engine::{self, Machine};
use super::shape::Shape;
use crate::measure::{best_cpu_time, best_wall_time};
use crate::papers::definition::Definition;
use crate::papers::experiment::Setting;
use crate::papers::page::number;
use crate::papers::record::{Outcome, Table};
use crate::simhash::{naive, threads};

#[derive(Deserialize)]
struct Parameters {
    shapes: Vec<Shape>,
    machine: Machine,
    /// Bytes that are measured of each shape.
    bytes: usize,
    times: usize,
}

pub(in crate::papers) fn run(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    let Parameters { shapes, machine, bytes, times } = definition.parameters(setting.size)?;
    let mut outcome = Outcome::default();
    let kernel = Kernel::best();
    let cores = threads::THREADS;
    let mut table = Table::new(
        format!("GB/s; the kernel is {}", kernel.name()),
        &[
            "",
            "bytes a document",
            "plain loop",
            "kernel",
            "plain, all cores",
            "kernel, all cores",
            "kernel / plain",
        ],
    );
    let mut projected = Table::new(
        "The simulated engine on the paper's machine, projected (no FPGA was used), beside this one",
        &["", "kernel, GB/s", "engines, GB/s", "bytes a core and cycle", "kernel, s", "engines, s"],
    );
    let mut equal = true;
    for shape in &shapes {
        let documents = shape.documents(bytes, setting)?;
        let size = documents.text.len() as f64;
        let rate = |seconds: f64| size / 1e9 / seconds;
        let all: Vec<&[u8]> = documents.iter().collect();
        let expected = naive::fingerprints(&documents);
        let plain = rate(best_cpu_time(times, || naive::fingerprints(&documents)).as_secs_f64());
        let work = || all.par_iter().map(|text| naive::fingerprint(text)).collect::<Vec<Simhash>>();
        let plain_all = rate(best_wall_time(times, work).as_secs_f64());
        let hasher = Simhasher::new(kernel);
        let (mut scratch, mut found) = (SimhashScratch::default(), vec![]);
        let one = best_cpu_time(times, || {
            found.clear();
            hasher.texts(WordRule::Printable, &documents.text, &documents.ends, &mut scratch, &mut found);
        });
        equal &= found == expected;
        let one = rate(one.as_secs_f64());
        let mut found = vec![];
        let time = best_wall_time(times, || found = threads::documents_parallel(&documents, kernel, cores));
        equal &= found == expected;
        let both = rate(time.as_secs_f64());
        let name = &shape.name;
        let lengths = || documents.iter().map(<[u8]>::len);
        let engines = machine.rate(lengths());
        let whole = |rate: f64| shape.bytes() / 1e9 / rate;
        for (figure, value) in [
            ("GB/s", both),
            ("GB/s of one core", one),
            ("GB/s of the plain loop", plain_all),
            ("seconds", whole(both)),
            ("seconds of the plain loop", whole(plain_all)),
            ("speed-up", both / plain_all),
            ("GB/s of the simulated engines", engines),
            ("seconds of the simulated engines", whole(engines)),
            ("bytes a document", shape.document_bytes() as f64),
        ] {
            outcome.figure(format!("{name}: {figure}"), value);
        }
        let mut row = vec![name.clone(), number(shape.document_bytes() as f64)];
        row.extend([plain, one, plain_all, both, one / plain].map(number));
        table.row(row);
        let cells = [both, engines, engine::bytes_a_cycle(lengths()), whole(both), whole(engines)];
        projected.row(std::iter::once(name.clone()).chain(cells.map(number)));
    }
    outcome.tables.extend([table, projected]);
    if let Some(clock) = engine::routed_clock(&setting.results) {
        outcome.note(format!(
            "Place and route reach {clock} MHz for an engine on a small FPGA of another maker ([area and clock](hardware.md)); \
             the projection takes the paper's clock."
        ));
    }
    outcome.check("every fingerprint equals the plain loop's", equal);
    Ok(outcome)
}
