//! The benchmark of Hamming searches runs, and every row equals its oracle.

use std::process::ExitCode;

use twindex_benchmarks::hamming::{Options, run};
use twindex_benchmarks::measure;

#[test]
fn a_quick_run_is_right() {
    let nowhere = Some("no-packs-here".into());
    let common = measure::Options { quick: true, json: true, packs: nowhere };
    let code = run(&Options { common, ..Options::default() }).unwrap();
    assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::SUCCESS));
}
