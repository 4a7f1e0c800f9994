//! Every search is reachable: what `search` offers is used by a crate that ships.
//!
//! An algorithm that only tests and benchmarks call is not part of the system. Public items of
//! `src/search` are found by their declarations, and looked for by name in the sources of the
//! crates that ship, without comments, imports and tests. Common names (`new`, `len`) are always
//! found; a type, a method or a function with a name of its own is not, until something calls it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates that ship.
const SHIPPED: [&str; 8] = ["core", "corpus", "batch", "index", "twindex", "server", "tune", "cli"];

/// Public items that no other file of these crates uses, each with the reason why it stays.
const EXCUSED: [(&str, &str); 9] = [
    ("Distinct", "equal fingerprints of a join in memory; the program collapses them on disk"),
    ("equal_pairs", "likewise"),
    ("OneThread", "the executor of a caller without threads: this crate starts none"),
    ("nested", "reached by `BlockTables::of_count(16, 3)`"),
    ("from_measurements", "fits the planner's costs to a machine: for a caller that times its own index"),
    ("batch_time", "equation 17 of the paper, beside the model of single queries"),
    ("NoDistribution", "the error of a public function"),
    ("from_parts", "reads a volatility that was stored as numbers"),
    ("set_order", "the heap of the paper instead of the list of ranks"),
];

/// Every Rust source of a folder, but for tests.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "tests" {
                sources(&path, files);
            }
        } else if name.ends_with(".rs") && name != "tests.rs" && name != "samples.rs" {
            files.push(path);
        }
    }
}

/// The lines of a source, without its comments and the tests at its end.
fn code(text: &str) -> Vec<String> {
    let mut lines: Vec<&str> = vec![];
    let all: Vec<&str> = text.lines().collect();
    for (place, line) in all.iter().enumerate() {
        let begins_tests = line.trim() == "#[cfg(test)]"
            && all.get(place + 1).is_some_and(|next| next.contains("mod tests") && next.ends_with('{'));
        if begins_tests {
            break;
        }
        if !line.trim_start().starts_with("//") {
            lines.push(line);
        }
    }
    lines.into_iter().map(str::to_owned).collect()
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The name that a line declares in public.
fn declared(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub ")?;
    let kinds = ["const fn ", "fn ", "struct ", "enum ", "trait ", "const ", "type "];
    words(kinds.iter().find_map(|kind| rest.strip_prefix(kind))?).next()
}

/// Whether a line only names what is elsewhere.
fn is_import(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("use ") || line.starts_with("pub use ") || line.starts_with("impl")
}

#[test]
fn no_public_item_of_search_is_for_tests_and_benchmarks_alone() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = vec![];
    SHIPPED.iter().for_each(|name| sources(&crates.join(name).join("src"), &mut files));
    let sources: BTreeMap<PathBuf, Vec<String>> =
        files.into_iter().map(|file| (file.clone(), code(&fs::read_to_string(file).unwrap()))).collect();
    let mut users: BTreeMap<&str, BTreeSet<&Path>> = BTreeMap::new();
    for (file, lines) in &sources {
        for line in lines.iter().filter(|line| !is_import(line)) {
            words(line).for_each(|word| {
                users.entry(word).or_default().insert(file);
            });
        }
    }
    let search = crates.join("core/src/search");
    let mut unused = BTreeMap::new();
    let mut seen = 0;
    for (file, lines) in sources.iter().filter(|(file, _)| file.starts_with(&search)) {
        for name in lines.iter().filter_map(|line| declared(line)) {
            seen += 1;
            if users[name].iter().all(|user| user == file) {
                unused.insert(name, file.strip_prefix(&search).unwrap().display().to_string());
            }
        }
    }
    assert!(seen > 150, "only {seen} public items were found");
    let excused: BTreeMap<&str, &str> = EXCUSED.into_iter().collect();
    let unexpected: Vec<_> = unused.iter().filter(|(name, _)| !excused.contains_key(*name)).collect();
    assert!(unexpected.is_empty(), "nothing that ships uses {unexpected:?}: give it a command, or remove it");
    let needless: Vec<_> = excused.keys().filter(|name| !unused.contains_key(*name)).collect();
    assert!(needless.is_empty(), "{needless:?} are used, and need no excuse");
}
