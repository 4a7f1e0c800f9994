//! `cargo xtask hardware`: the fingerprint engine of `hardware/`, simulated, synthesised, proved.
//!
//! The simulation is a package of its own, outside the workspace, because it needs Verilator.
//! Yosys, nextpnr and a solver come from PyPI into a virtual environment.

mod area;
mod clock;
mod proof;
mod simulation;
mod synthesis;
mod toolchain;

use std::process::ExitCode;

use clap::{Args, Subcommand};

pub(crate) use simulation::{ensure, quick};

#[derive(Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Simulates every form of the engine, engines with a defect, and the labelled packs
    Test,
    /// Runs documents through the simulated engine: `run FILE [--output FILE.tsv]`
    Run(simulation::RunOptions),
    /// Synthesises every form for three families, places and routes it, and prints area and clock
    Synth(synthesis::Options),
    /// Proves that queue, skid buffer, serialiser and arbiter lose, duplicate and reorder nothing
    Prove,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    match &options.command {
        Command::Test => simulation::test(),
        Command::Run(options) => simulation::run(options),
        Command::Synth(options) => synthesis::run(options),
        Command::Prove => proof::run(),
    }
}
