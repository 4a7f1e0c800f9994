//! Figure 3: a worked example, bit by bit.

use serde::Deserialize;
use twindex_core::fingerprint::{Margins, Simhasher};
use twindex_core::hash::WordHash;
use twindex_core::kernel::Kernel;

use crate::papers::definition::Definition;
use crate::papers::experiment::Setting;
use crate::papers::record::{Outcome, Table};

#[derive(Deserialize)]
struct Parameters {
    terms: Vec<Term>,
    /// V, the most significant bit first.
    vector: Vec<i32>,
    simhash: String,
}

#[derive(Deserialize)]
struct Term {
    word: String,
    weight: u16,
    /// As printed, the most significant bit first.
    signature: String,
}

pub(in crate::papers) fn run(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    let Parameters { terms, vector, simhash } = definition.parameters(setting.size)?;
    let mut outcome = Outcome::default();
    let hashes: Vec<u64> = terms.iter().map(|term| WordHash::Sdbm.hash(term.word.as_bytes())).collect();
    let weights: Vec<u16> = terms.iter().map(|term| term.weight).collect();
    let mut table = Table::new("Bits that differ from the printed ones", &["", "bits", "different"]);
    let mut row = |name: String, bits: usize, different: usize| {
        table.row([name, bits.to_string(), different.to_string()]);
        different
    };
    let different = |bits: u64, printed: &str| {
        let ours = format!("{bits:064b}");
        ours.bytes().zip(printed.bytes()).filter(|(a, b)| a != b).count() + printed.len().abs_diff(64)
    };
    let mut signatures = 0;
    for (term, &hash) in terms.iter().zip(&hashes) {
        signatures +=
            row(format!("sdbm of \"{}\"", term.word), term.signature.len(), different(hash, &term.signature));
    }
    let sums = Simhasher::new(Kernel::best()).weighted(&hashes, &weights);
    let margins = Margins::of_sums(&sums);
    let sums_different =
        margins.0.iter().rev().zip(&vector).filter(|(ours, printed)| ours != printed).count();
    let sums_different = row("V (whole numbers)".to_owned(), vector.len(), sums_different);
    let bits_different = row("simhash".to_owned(), simhash.len(), different(margins.simhash().0, &simhash));
    outcome.figure("different signature bits", signatures as f64);
    outcome.figure("different sums", sums_different as f64);
    outcome.figure("different bits", bits_different as f64);
    outcome.check(
        "the simhash of the printed terms is the printed one",
        signatures + sums_different + bits_different == 0 && vector.len() == 64,
    );
    outcome.tables.push(table);
    Ok(outcome)
}
