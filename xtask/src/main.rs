//! `cargo xtask`: everything that the project does to itself, in Rust, so that a fresh machine
//! needs nothing else.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod bench;
mod build;
mod comments;
mod debian;
mod disk;
mod emulate;
mod generate;
mod hardware;
mod licences;
mod machine;
mod measured;
mod papers;
mod picture;
mod profile;
mod python;
mod quality;
mod removals;
mod robustness;
mod scale;
mod table;
mod test;
mod workspace;

/// Checks, measurements and made collections of twindex
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs every check, one after another, and stops at the first failure
    Test(test::Options),
    /// Scores twindex on labelled packs and compares it with its peers
    Quality(quality::Options),
    /// Counts what `twindex dedup` removes of labelled packs and of a collection, rightly, wrongly,
    /// and beside an exact oracle
    Removals(removals::Options),
    /// Measures one part and checks its results: simhash, hamming, minhash, service (`cargo xtask
    /// bench --help`)
    Bench(bench::Options),
    /// Reproduces the tables and figures of the papers beside the published values
    /// (`cargo xtask papers --help`)
    Papers(papers::Options),
    /// Runs the kernels' tests on an emulated CPU: with AVX-512, or 64-bit ARM
    Emulate(emulate::Options),
    /// Makes a collection with planted duplicates (options: `cargo xtask generate --help`)
    Generate(generate::Options),
    /// Prints the peak memory of a command
    #[command(hide = true)]
    Measured(measured::Options),
    /// Simulates, synthesises and proves the fingerprint engine of `hardware/`
    Hardware(hardware::Options),
    /// Makes the pictures of the report in docs/images from the shipped example
    Picture(picture::Options),
    /// Says where `twindex dedup` spends its time on a collection: stages, CPU, parallel share,
    /// bytes, page faults, functions
    Profile(profile::Options),
    /// Runs inputs that once went wrong, and files of other projects' test suites (`--suite DIR`)
    Robustness(robustness::Options),
    /// Runs a collection larger than the allowed memory through `twindex dedup`, and checks the
    /// result
    Scale(scale::Options),
}

fn main() -> anyhow::Result<ExitCode> {
    match Arguments::parse().command {
        Command::Test(options) => test::run(&options),
        Command::Quality(options) => quality::run(&options),
        Command::Removals(options) => removals::run(&options),
        Command::Bench(options) => bench::run(&options),
        Command::Papers(options) => papers::run(&options),
        Command::Emulate(options) => emulate::run(&options),
        Command::Generate(options) => generate::run(&options),
        Command::Hardware(options) => hardware::run(&options),
        Command::Measured(options) => measured::print_peak(&options),
        Command::Picture(options) => picture::run(&options),
        Command::Profile(options) => profile::run(&options),
        Command::Robustness(options) => robustness::run(&options),
        Command::Scale(options) => scale::run(&options),
    }
}
