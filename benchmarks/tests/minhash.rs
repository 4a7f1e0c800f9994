//! The benchmark of sketches runs, and its results equal those of brute force.

use std::process::ExitCode;

use twindex_benchmarks::{measure, minhash};

#[test]
fn a_quick_run_is_right() {
    let options = measure::Options { quick: true, json: true, ..measure::Options::default() };
    let code = minhash::run(&options).unwrap();
    assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::SUCCESS));
}
