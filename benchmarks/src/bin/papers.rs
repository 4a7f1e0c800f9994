//! Reproduces the tables and figures of the papers: `cargo xtask papers` builds this program and
//! calls it.

use std::process::ExitCode;

use clap::Parser;
use twindex_benchmarks::papers;

// The product's allocator, so that the figures are those of users.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Reproduces the tables and figures of the papers, and writes them beside the published values
#[derive(Parser)]
#[command(name = "papers", bin_name = "cargo xtask papers")]
struct Arguments {
    #[command(flatten)]
    options: papers::Options,
}

fn main() -> anyhow::Result<ExitCode> {
    papers::run(&Arguments::parse().options)
}
