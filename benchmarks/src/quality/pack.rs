//! A labelled pack in memory, analysed by a recipe.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Context;
use rayon::prelude::*;
use serde::Deserialize;
use twindex_core::kernel::Kernel;
use twindex_core::verify::Evidence;
use twindex_core::{Engine, EngineScratch, Markup, Recipe};

/// Pairs of documents by number, the smaller number first.
pub type PairSet = HashSet<(u32, u32)>;

/// The documents of a pack, each text once, with their evidence.
pub struct Pack {
    /// The folder's name.
    pub name: String,
    /// The recipe.
    pub engine: Engine,
    /// The id of each document.
    pub ids: Vec<String>,
    /// The evidence of each document.
    pub evidence: Vec<Evidence>,
    /// For each document the first one of equal text.
    pub first_of_text: Vec<u32>,
}

#[derive(Deserialize)]
struct Row {
    id: String,
    text: String,
}

impl Pack {
    /// Reads and analyses a pack: a folder with `docs.jsonl.zst`, or a file of JSON lines.
    pub fn read(folder: &Path, recipe: &Recipe) -> anyhow::Result<Self> {
        let path = if folder.is_dir() { folder.join("docs.jsonl.zst") } else { folder.to_owned() };
        let documents = read(&path)?;
        let rows: Vec<Row> = documents.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        let mut firsts: HashMap<&str, u32> = HashMap::new();
        let first_of_text =
            (0..).zip(&rows).map(|(document, row)| *firsts.entry(&row.text).or_insert(document)).collect();
        let engine = Engine::new(recipe, Kernel::best())?;
        let evidence = rows
            .par_iter()
            .map_init(EngineScratch::default, |scratch, row| {
                engine.evidence(&row.text, Markup::None, scratch)
            })
            .collect();
        Ok(Pack {
            name: folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            engine,
            first_of_text,
            ids: rows.iter().map(|row| row.id.clone()).collect(),
            evidence,
        })
    }

    /// Whether a document has the text of an earlier one.
    pub fn is_copy(&self, document: u32) -> bool {
        self.first_of_text[document as usize] != document
    }
}

/// The text of a file that may be compressed.
fn read(path: &Path) -> anyhow::Result<String> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let mut text = String::new();
    let is_compressed = path.extension().is_some_and(|extension| extension == "zst");
    let mut reader: Box<dyn Read> =
        if is_compressed { Box::new(zstd::Decoder::new(file)?) } else { Box::new(file) };
    reader.read_to_string(&mut text).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(text)
}

/// Two editions of a text and its copy, another two of another text, and an unrelated one.
#[cfg(test)]
const EXAMPLE: [(&str, &str); 6] = [
    ("a", "the ferry to the island leaves at nine and comes back in the evening every day"),
    ("b", "the ferry to the island leaves at nine and comes back in the evening every week"),
    ("copy", "the ferry to the island leaves at nine and comes back in the evening every day"),
    ("x", "the town hall has a new roof made of copper sheets and the old clock was cleaned"),
    ("y", "our town hall has a new roof made of copper sheets and the old clock was cleaned"),
    ("unrelated", "nobody has seen this sentence anywhere else so far as far as anybody can tell"),
];

/// A pack for tests.
#[cfg(test)]
pub(super) fn example(recipe: &Recipe) -> Pack {
    let folder = tempfile::tempdir().unwrap();
    let row = |(id, text): (&str, &str)| format!("{}\n", serde_json::json!({ "id": id, "text": text }));
    let rows: String = EXAMPLE.into_iter().map(row).collect();
    let packed = zstd::encode_all(rows.as_bytes(), 1).unwrap();
    std::fs::write(folder.path().join("docs.jsonl.zst"), packed).unwrap();
    Pack::read(folder.path(), recipe).unwrap()
}
