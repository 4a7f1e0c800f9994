//! Which top-level modules of a crate use which, read from its sources.
//!
//! A test of a crate calls [`graph`] and then asserts that [`cycle`] finds none, or that
//! [`against`] finds no use of a later module.
//!
//! ```text
//! lib.rs -> the files that `mod name;` names -> tokens -> paths -> (module, module it uses)
//! ```
//!
//! * Modules are found as the compiler finds them. Items behind `#[cfg(test)]` or `#[test]` are
//!   left out: tests may compare with anything.
//! * Paths that begin with `crate`, `self` or `super` are resolved, grouped ones included. Other
//!   paths stay inside their top-level module, except in the root.
//! * `crate::Name` counts as a use of the module from which the root imports `Name`. A glob of the
//!   root counts as a use of every module.
//! * The root is the node [`ROOT`]. What it re-exports is no use of its own.
//! * Comments, doc links and strings do not count, nor do calls of methods: a method that another
//!   module gives to a type is reached without a path.

mod path;
mod source;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use crate::path::Used;
use crate::source::Sources;

/// Modules, each with the modules that it uses.
pub type Graph = BTreeMap<String, BTreeSet<String>>;

/// The node of the root: what stands in `lib.rs` or `main.rs` itself.
pub const ROOT: &str = "crate";

/// The top-level modules of the crate whose `lib.rs` or `main.rs` is in `folder`.
///
/// # Panics
///
/// If a source cannot be read or a module has no file. A test would otherwise pass without having
/// looked at everything.
pub fn graph(folder: &Path) -> Graph {
    let Sources { modules, imports, uses } = Sources::read(folder);
    let mut graph: Graph = modules.iter().map(|module| (module.clone(), BTreeSet::new())).collect();
    for (module, used) in uses {
        let used = match &used {
            Used::EveryModule => modules.iter().map(String::as_str).collect(),
            Used::Name(name) => vec![owner(name, &modules, &imports)],
        };
        let others = used.into_iter().filter(|&used| used != module).map(str::to_owned);
        graph.entry(module.clone()).or_default().extend(others);
    }
    graph
}

/// The module in which a name at the root of the crate is defined.
fn owner<'a>(name: &'a str, modules: &BTreeSet<String>, imports: &'a BTreeMap<String, String>) -> &'a str {
    if modules.contains(name) {
        return name;
    }
    imports.get(name).map(String::as_str).filter(|&module| modules.contains(module)).unwrap_or(ROOT)
}

/// The shortest cycle, from a module back to itself; `None` if there is none.
pub fn cycle(graph: &Graph) -> Option<Vec<String>> {
    graph.keys().filter_map(|start| way_back(graph, start)).min_by_key(Vec::len)
}

/// The shortest way from a module to itself.
fn way_back(graph: &Graph, start: &str) -> Option<Vec<String>> {
    let mut ways = VecDeque::from([vec![start]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for next in way.last().and_then(|&last| graph.get(last)).into_iter().flatten() {
            let mut longer = way.clone();
            longer.push(next);
            if next == start {
                return Some(longer.into_iter().map(str::to_owned).collect());
            }
            if seen.insert(next) {
                ways.push_back(longer);
            }
        }
    }
    None
}

/// Everything that contradicts an order of the modules, in words: a use of a later module, a module
/// that the order leaves out, a name in the order that is no module.
///
/// The root may use everything. [`cycle`] finds a module that uses an item of the root in turn.
pub fn against(graph: &Graph, order: &[&str]) -> Vec<String> {
    let place = |module: &str| order.iter().position(|&name| name == module);
    let missing = order.iter().filter(|&&name| !graph.contains_key(name));
    let mut faults: Vec<String> = missing.map(|name| format!("there is no module {name}")).collect();
    for (module, uses) in graph.iter().filter(|(module, _)| *module != ROOT) {
        let Some(own) = place(module) else {
            faults.push(format!("{module} has no place in the order"));
            continue;
        };
        let later = uses.iter().filter(|used| place(used).is_some_and(|place| place > own));
        faults.extend(later.map(|used| format!("{module} must not use {used}, which comes later")));
    }
    faults
}
