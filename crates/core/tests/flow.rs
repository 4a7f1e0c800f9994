//! The folder listing is the design: a module uses only earlier stations of the flow.

use std::path::Path;

/// The stations in their order.
const FLOW: [&str; 13] = [
    "progress",
    "document",
    "hash",
    "kernel",
    "text",
    "feature",
    "recipe",
    "fingerprint",
    "search",
    "verify",
    "group",
    "engine",
    "compare",
];

#[test]
fn modules_use_only_earlier_stations() {
    let graph = twindex_flow::graph(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let faults = twindex_flow::against(&graph, &FLOW);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(twindex_flow::cycle(&graph), None);
}

/// The graph is not empty by mistake.
#[test]
fn uses_are_seen() {
    let graph = twindex_flow::graph(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    for (module, used) in
        [("text", "kernel"), ("recipe", "feature"), ("search", "recipe"), ("engine", "verify")]
    {
        assert!(graph[module].contains(used), "{module} uses {used}");
    }
}
