//! `twindex hamming store`

use anyhow::Result;
use twindex_batch::hamming::FingerprintStore;

use super::{add_left_out, failure, print_skipped};
use crate::arguments::HammingStoreOptions;
use crate::command::job::print_json;
use crate::progress::Bars;
use crate::say::{self, Figures};
use crate::words;

/// Adds fingerprints to a store.
pub(super) fn run(options: &HammingStoreOptions) -> Result<()> {
    let printing = &options.printing;
    let input = options.read.input(&options.inputs, options.notation);
    let resources = options.resources.resources()?;
    let added = FingerprintStore::add(&options.folder, &input, &resources, &Bars::new(printing.quiet));
    let summary = added.map_err(failure)?;
    if printing.json {
        print_json(&summary)?;
    }
    if printing.quiet {
        return Ok(());
    }
    print_skipped(&summary.skipped);
    let mut figures = Figures::default();
    let folder = options.folder.display();
    figures.add("added", words::number(summary.added), format!("fingerprints to {folder}"));
    figures.add(
        "stored",
        words::number(summary.fingerprints),
        format!("in {}", words::count(summary.chunks, "chunk")),
    );
    add_left_out(&mut figures, summary.without, summary.skipped_rows);
    figures.print();
    if summary.already_stored {
        say::note("the same rows had been added before, so that nothing was");
    }
    Ok(())
}
