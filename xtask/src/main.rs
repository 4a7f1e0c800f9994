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
mod licences;
mod machine;
mod measured;
mod picture;
mod quality;
mod removals;
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
    /// Runs the kernels' tests on an emulated CPU: with AVX-512, or 64-bit ARM
    Emulate(emulate::Options),
    /// Makes a collection with planted duplicates (options: `cargo xtask generate --help`)
    Generate(generate::Options),
    /// Makes the pictures of the report in docs/images from the shipped example
    Picture(picture::Options),
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
        Command::Emulate(options) => emulate::run(&options),
        Command::Generate(options) => generate::run(&options),
        Command::Picture(options) => picture::run(&options),
        Command::Scale(options) => scale::run(&options),
    }
}
