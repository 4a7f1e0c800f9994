//! The packs in a folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Deserialize;

/// A collection, with or without labels.
#[derive(Debug)]
pub(crate) struct Pack {
    /// The folder's name, which BASELINE.md uses.
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    /// The size of its documents as JSON lines, not compressed.
    pub(crate) bytes: u64,
    pub(crate) documents: u64,
    pub(crate) is_labelled: bool,
}

#[derive(Deserialize)]
struct Description {
    docs: u64,
    bytes_of_jsonl: u64,
}

impl Pack {
    pub(crate) fn documents_file(&self) -> PathBuf {
        self.folder.join("docs.jsonl.zst")
    }
}

/// The packs of a folder: the labelled ones first, each kind by name. A folder that does not exist
/// has none.
pub(crate) fn list(folder: &Path) -> anyhow::Result<Vec<Pack>> {
    let mut packs = Vec::new();
    if !folder.is_dir() {
        return Ok(packs);
    }
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let folder = entry?.path();
        let description = folder.join("pack.json");
        if !description.is_file() {
            continue;
        }
        let unreadable = || format!("cannot read {}", description.display());
        let text = fs::read_to_string(&description).with_context(unreadable)?;
        let Description { docs, bytes_of_jsonl } = serde_json::from_str(&text).with_context(unreadable)?;
        packs.push(Pack {
            name: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            is_labelled: folder.join("truth.tsv").is_file(),
            bytes: bytes_of_jsonl,
            documents: docs,
            folder,
        });
    }
    packs.sort_by_cached_key(|pack| (!pack.is_labelled, pack.name.clone()));
    Ok(packs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labelled_packs_come_first_and_other_files_are_no_packs() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b", "a", "bulk"] {
            let pack = folder.path().join(name);
            fs::create_dir(&pack).unwrap();
            fs::write(pack.join("pack.json"), r#"{"name":"x","docs":3,"bytes_of_jsonl":70,"kind":"y"}"#)
                .unwrap();
            if name != "bulk" {
                fs::write(pack.join("truth.tsv"), "").unwrap();
            }
        }
        fs::write(folder.path().join("README.txt"), "").unwrap();
        let packs = list(folder.path()).unwrap();
        let names: Vec<&str> = packs.iter().map(|pack| pack.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "bulk"]);
        assert_eq!((packs[0].bytes, packs[0].documents, packs[2].is_labelled), (70, 3, false));
        assert!(list(&folder.path().join("none")).unwrap().is_empty());
    }
}
