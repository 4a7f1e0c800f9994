//! `twindex completions`

use std::io::Write;

use anyhow::Result;
use clap::CommandFactory;

use crate::arguments::{Arguments, CompletionsOptions};

/// Prints the script for a shell.
pub(crate) fn run(options: &CompletionsOptions) -> Result<()> {
    // Into memory first: the generator panics when its output is closed early.
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Arguments::command(), "twindex", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(())
}
