//! `cargo xtask bench NAME`: the benchmarks of the package twindex-benchmarks, built for release.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use clap::Args;

use crate::{build, workspace};

/// The names and options are those of the program `bench`, which alone knows them.
#[derive(Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Options {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let program = build::release_program("twindex-benchmarks", "bench")?;
    if options.options.iter().any(|option| option == "simhash") {
        // It has a row for the whole program.
        build::release_program("twindex-cli", "twindex")?;
    }
    let status = Command::new(program).args(&options.options).current_dir(workspace::root()).status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
