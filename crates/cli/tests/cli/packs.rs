//! The labelled packs, where a checkout has them beside it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use twindex_testing::{Need, skip};

/// Names a folder with packs that is elsewhere.
const PACKS: &str = "TWINDEX_PACKS";

/// Calls `check` with the name and the documents (id and text) of every pack, all at the same time:
/// alone, the largest would keep one core busy at the end of the tests. Returns what it gives, in
/// the order of names.
pub(crate) fn each<T: Send>(check: impl Fn(&str, &BTreeMap<String, String>) -> T + Sync) -> Vec<T> {
    let packs = all();
    std::thread::scope(|scope| {
        let running: Vec<_> = packs.iter().map(|(name, texts)| scope.spawn(|| check(name, texts))).collect();
        running.into_iter().map(|pack| pack.join().unwrap()).collect()
    })
}

/// Id and text of every document, by the pack's name. Says loudly if there are none.
fn all() -> Vec<(String, BTreeMap<String, String>)> {
    let usual = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/packs");
    let folder = std::env::var_os(PACKS).map_or_else(usual, PathBuf::from).join("dev");
    let mut packs = vec![];
    for entry in std::fs::read_dir(&folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.join("truth.tsv").is_file() {
            let file = std::fs::File::open(path.join("docs.jsonl.zst")).unwrap();
            let rows = String::from_utf8(zstd::decode_all(file).unwrap()).unwrap();
            let texts = rows.lines().map(|line| {
                let row: serde_json::Value = serde_json::from_str(line).unwrap();
                let field = |name: &str| row[name].as_str().unwrap().to_owned();
                (field("id"), field("text"))
            });
            packs.push((path.file_name().unwrap().to_string_lossy().into_owned(), texts.collect()));
        }
    }
    packs.sort();
    if packs.is_empty() {
        skip(Need::Packs, &format!("no packs in {}; {PACKS}=DIR names their folder", folder.display()));
    }
    packs
}
