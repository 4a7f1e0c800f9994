//! The benchmark of the service runs, and its answers are right.

use std::process::ExitCode;

use twindex_benchmarks::measure;
use twindex_benchmarks::service::{Options, run};

#[test]
fn a_quick_run_is_right() {
    let common = measure::Options { quick: true, json: true, ..measure::Options::default() };
    let code = run(&Options { common, ..Options::default() }).unwrap();
    assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::SUCCESS));
}
