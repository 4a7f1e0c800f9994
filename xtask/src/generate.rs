//! `cargo xtask generate`: the generator of the package twindex-benchmarks, built for release.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use clap::Args;

use crate::build;

/// The options are those of the generator, which alone knows them.
#[derive(Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Options {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let program = build::release("twindex-benchmarks")?;
    let status = Command::new(program).arg("generate").args(&options.options).status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
