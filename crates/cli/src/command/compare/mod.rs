//! `twindex compare`
//!
//! ```text
//! two files -> document -> compare (the core's) -> Comparison -> print, or JSON
//! ```

mod document;
mod fold;
mod print;

use std::io::Write;

use anyhow::Result;
use twindex_core::compare::compare;
use twindex_core::kernel::Kernel;

use crate::arguments::CompareOptions;
use crate::command::{choice, idf, job};
use crate::exit::UsageError;

/// Compares two documents.
pub(crate) fn run(options: &CompareOptions) -> Result<()> {
    if [&options.left, &options.right].iter().all(|name| *name == twindex_corpus::STANDARD_STREAM) {
        let message =
            "A and B are both - (standard input), which can be read only once: name a file for one of them";
        return Err(UsageError(message.to_owned()).into());
    }
    let recipe = choice::recipe(&options.recipe)?;
    let frequencies = idf::given(&recipe, options.idf.as_deref())?;
    let left = document::read(&options.left, options.format)?;
    let right = document::read(&options.right, options.format)?;
    let comparison = compare(&recipe, frequencies.as_ref(), Kernel::best(), &left, &right)?;
    if options.json {
        return job::print_json(&comparison);
    }
    // Colours only where they are seen and wanted.
    let mut out = anstream::stdout().lock();
    if options.quiet {
        writeln!(out, "{}", comparison.verdict)?;
    } else {
        out.write_all(print::text(&comparison).as_bytes())?;
    }
    Ok(())
}
