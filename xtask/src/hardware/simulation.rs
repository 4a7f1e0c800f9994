//! The package `hardware/sim`: its tests, and its program.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use clap::Args;

use crate::debian::{self, Tool};
use crate::measured::line;
use crate::workspace;

/// What builds a model.
const PROGRAMS: [Tool; 2] =
    [Tool { program: "verilator", package: "verilator" }, Tool { program: "c++", package: "g++" }];

/// The options are those of the program, which alone knows them.
#[derive(Args)]
#[command(disable_help_flag = true)]
pub(super) struct RunOptions {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

/// Makes sure that Verilator is there.
pub(crate) fn ensure() -> anyhow::Result<()> {
    debian::ensure(&PROGRAMS)
}

/// One form of the engine and the tests that need no more: a check of `cargo xtask test`.
pub(crate) fn quick() -> anyhow::Result<()> {
    ensure()?;
    succeed(&mut cargo(&["fmt"], &["--check"]))?;
    succeed(&mut cargo(&["test"], &[]))
}

/// Every form, with the linter.
pub(super) fn test() -> anyhow::Result<ExitCode> {
    ensure()?;
    succeed(&mut cargo(&["fmt"], &["--check"]))?;
    succeed(&mut cargo(&["clippy", "--all-targets", "--all-features"], &["--", "-D", "warnings"]))?;
    succeed(&mut cargo(&["test", "--all-features"], &[]))?;
    Ok(ExitCode::SUCCESS)
}

/// The program, on the user's documents.
pub(super) fn run(options: &RunOptions) -> anyhow::Result<ExitCode> {
    ensure()?;
    let mut command = cargo(&["run", "--quiet", "--features", "collections"], &["--"]);
    // Paths are meant where the user is; cargo only needs the manifest.
    command.args(&options.options).current_dir(std::env::current_dir()?);
    let status = command.status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn cargo(before: &[&str], after: &[&str]) -> Command {
    let manifest = workspace::root().join("hardware/sim/Cargo.toml");
    let mut command = workspace::cargo(before);
    command.arg("--manifest-path").arg(manifest);
    if before != ["fmt"] {
        command.arg("--target-dir").arg(workspace::root().join("target/hardware/cargo"));
    }
    command.args(after);
    command
}

fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status()?;
    anyhow::ensure!(status.success(), "`{}` failed: {status}", line(command));
    Ok(())
}
