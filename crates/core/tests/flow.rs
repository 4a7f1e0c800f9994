//! The folder listing is the design: a module uses only earlier stations of the flow.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

/// The stations in their order. `document`, `hash`, `kernel` and `recipe` serve them all.
const FLOW: [&str; 8] =
    ["text", "feature", "fingerprint", "search", "verify", "group", "pipeline", "compare"];
const FOR_ALL: [&str; 4] = ["document", "hash", "kernel", "recipe"];

#[test]
fn modules_use_only_earlier_stations() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut checked = 0;
    for (position, station) in FLOW.iter().enumerate() {
        for file in rust_files(&source.join(station)) {
            for (number, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
                // Tests may compare with any oracle.
                if line.trim() == "#[cfg(test)]" {
                    break;
                }
                for used in line.split("crate::").skip(1).filter_map(module_name) {
                    checked += 1;
                    let allowed = FOR_ALL.contains(&used) || FLOW[..=position].contains(&used);
                    assert!(allowed, "{}:{}: {station} must not use {used}", file.display(), number + 1);
                }
            }
        }
    }
    assert!(checked > 20, "only {checked} uses were found: the test looks at the wrong files");
}

/// The module in `crate::module::...`; other words after `crate::` are items at the root.
fn module_name(rest: &str) -> Option<&str> {
    let end = rest.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(rest.len());
    let name = &rest[..end];
    (FLOW.contains(&name) || FOR_ALL.contains(&name)).then_some(name)
}

/// The files of a module: `name.rs`, or everything below `name/`.
fn rust_files(module: &Path) -> Vec<PathBuf> {
    let file = module.with_extension("rs");
    if file.exists() && !module.exists() {
        return vec![file];
    }
    let mut files = vec![];
    for entry in fs::read_dir(module).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            files.push(path);
        }
    }
    files
}
