//! Runs one benchmark: `cargo xtask bench NAME` builds this program and calls it.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use twindex_benchmarks::hamming;
use twindex_benchmarks::measure::Options;
use twindex_benchmarks::minhash;
use twindex_benchmarks::service;
use twindex_benchmarks::simhash;

// The product's allocator, so that the figures are those of users.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures twindex, checks the results, and prints the figures beside their baselines
#[derive(Parser)]
#[command(name = "bench", bin_name = "cargo xtask bench")]
struct Arguments {
    #[command(subcommand)]
    bench: Bench,
}

#[derive(Subcommand)]
enum Bench {
    /// Fingerprints a second: every kernel, short and long documents
    Simhash(Options),
    /// Fingerprints within a few bits of a query: every search, and the join
    Hamming(hamming::Options),
    /// Sketches, their comparison and their join
    Minhash(Options),
    /// Requests a second of the real server, and their latency
    Service(service::Options),
}

fn main() -> anyhow::Result<ExitCode> {
    match Arguments::parse().bench {
        Bench::Simhash(options) => simhash::run(&options),
        Bench::Hamming(options) => hamming::run(&options),
        Bench::Minhash(options) => minhash::run(&options),
        Bench::Service(options) => service::run(&options),
    }
}
