//! The paper's ablation: threads that share each document instead of the documents.

use serde::Deserialize;
use twindex_core::kernel::Kernel;

use super::shape::Shape;
use crate::measure::best_wall_time;
use crate::papers::definition::Definition;
use crate::papers::experiment::Setting;
use crate::papers::page::number;
use crate::papers::record::{Outcome, Table};
use crate::simhash::{naive, threads};

#[derive(Deserialize)]
struct Parameters {
    shapes: Vec<Shape>,
    bytes: usize,
    times: usize,
}

pub(in crate::papers) fn run(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    let Parameters { shapes, bytes, times } = definition.parameters(setting.size)?;
    let mut outcome = Outcome::default();
    let kernel = Kernel::best();
    let mut table = Table::new(
        format!("Microseconds a document, {} threads", threads::THREADS),
        &["", "a document each", "half a document each", "times slower"],
    );
    let mut equal = true;
    for shape in &shapes {
        let documents = shape.documents(bytes, setting)?;
        let expected = naive::fingerprints(&documents);
        let mut found = vec![];
        let time = best_wall_time(times, || {
            found = threads::documents_parallel(&documents, kernel, threads::THREADS)
        });
        equal &= found == expected;
        let by_document = time.as_secs_f64() / found.len() as f64;
        // The words of a document go to both threads: they meet before and after each.
        let time = best_wall_time(times, || found = threads::words_parallel(&documents, kernel));
        equal &= found == expected[..expected.len().min(threads::MOST_SHARED)];
        let by_words = time.as_secs_f64() / found.len() as f64;
        outcome.figure(format!("{}: times slower", shape.name), by_words / by_document);
        outcome.figure(format!("{}: microseconds, shared", shape.name), by_words * 1e6);
        outcome.figure(format!("{}: microseconds", shape.name), by_document * 1e6);
        table.row([
            shape.name.clone(),
            number(by_document * 1e6),
            number(by_words * 1e6),
            number(by_words / by_document),
        ]);
    }
    outcome.tables.push(table);
    outcome.check("every fingerprint equals the plain loop's", equal);
    Ok(outcome)
}
