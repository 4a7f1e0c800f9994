//! The modules of the crate form no cycle.

use std::path::Path;

#[test]
fn modules_form_no_cycle() {
    let graph = twindex_flow::graph(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let cycle = twindex_flow::cycle(&graph).map(|modules| modules.join(" -> "));
    assert_eq!(cycle, None);
    // The graph is not empty by mistake.
    assert!(graph["stage"].contains("work") && graph["run"].contains("stage"));
}
