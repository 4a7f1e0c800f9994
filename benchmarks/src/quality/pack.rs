//! A labelled pack in memory, analysed by a recipe.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use rayon::prelude::*;
use serde::Deserialize;
use twindex_core::feature::Statistics;
use twindex_core::kernel::Kernel;
use twindex_core::verify::Evidence;
use twindex_core::{Markup, Pipeline, PipelineScratch, Recipe};

/// Pairs of documents by number, the smaller number first.
pub type PairSet = HashSet<(u32, u32)>;

/// The documents of a pack, each text once, and what is known about them.
pub struct Pack {
    /// The folder's name.
    pub name: String,
    /// The recipe, which knows the collection.
    pub pipeline: Pipeline,
    /// Of each document.
    pub ids: Vec<String>,
    /// Of each document.
    pub evidence: Vec<Evidence>,
    /// Whether an earlier document has the same text.
    pub is_copy: Vec<bool>,
    /// The right answers.
    pub truth: PairSet,
    /// Pairs that do not count.
    pub ignored: PairSet,
    /// Where only some pairs were judged: those.
    pub judged: Option<PairSet>,
}

#[derive(Deserialize)]
struct Row {
    id: String,
    text: String,
}

impl Pack {
    /// Reads and analyses a pack.
    pub fn read(folder: &Path, recipe: &Recipe) -> anyhow::Result<Self> {
        let documents = read(&folder.join("docs.jsonl.zst"))?.context("it has no docs.jsonl.zst")?;
        let rows: Vec<Row> = documents.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        let numbers: HashMap<&str, u32> = rows.iter().map(|row| row.id.as_str()).zip(0..).collect();
        let pairs = |name: &str| -> anyhow::Result<Option<PairSet>> {
            let pair = |line: &str| {
                let mut cells = line.split('\t').filter_map(|cell| numbers.get(cell).copied());
                let (a, b) = (cells.next()?, cells.next()?);
                (a != b).then_some((a.min(b), a.max(b)))
            };
            Ok(read(&folder.join(name))?.map(|text| text.lines().filter_map(pair).collect()))
        };
        let mut seen = HashSet::new();
        let is_copy: Vec<bool> = rows.iter().map(|row| !seen.insert(row.text.as_str())).collect();
        let mut pipeline = Pipeline::new(recipe, Kernel::best())?;
        let analysed: Vec<(Vec<u8>, Evidence)> = rows
            .par_iter()
            .map_init(PipelineScratch::default, |scratch, row| {
                let mut fingerprint = vec![];
                let evidence =
                    pipeline.fingerprint_and_evidence(&row.text, Markup::None, scratch, &mut fingerprint);
                (fingerprint, evidence)
            })
            .collect();
        let statistics = statistics(&pipeline, &analysed, &is_copy);
        pipeline.set_statistics(Arc::new(statistics));
        Ok(Pack {
            name: folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            pipeline,
            is_copy,
            truth: pairs("truth.tsv")?.unwrap_or_default(),
            ignored: pairs("ignore.tsv.zst")?.unwrap_or_default(),
            judged: pairs("judged.tsv.zst")?,
            ids: rows.iter().map(|row| row.id.clone()).collect(),
            evidence: analysed.into_iter().map(|(_, evidence)| evidence).collect(),
        })
    }

    /// Whether anybody has said what to think of a pair.
    pub fn counts(&self, pair: (u32, u32)) -> bool {
        self.truth.contains(&pair) || self.judged.as_ref().is_none_or(|judged| judged.contains(&pair))
    }
}

/// As a job counts: each text once, if it has shingles.
fn statistics(pipeline: &Pipeline, analysed: &[(Vec<u8>, Evidence)], is_copy: &[bool]) -> Statistics {
    let counted = || {
        let documents = analysed.iter().zip(is_copy);
        documents.filter(|((_, evidence), is_copy)| !**is_copy && !evidence.features.is_empty())
    };
    let sampled = counted().filter(|((fingerprint, _), _)| pipeline.method().is_sampled(fingerprint)).count();
    let mut statistics = Statistics::new(sampled as u64);
    counted().for_each(|((fingerprint, _), _)| {
        pipeline.method().add_to_statistics(fingerprint, &mut statistics);
    });
    statistics
}

/// The text of a file that may be compressed; `None` if there is no such file.
fn read(path: &Path) -> anyhow::Result<Option<String>> {
    if !path.exists() {
        return Ok(None);
    }
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let mut text = String::new();
    let is_compressed = path.extension().is_some_and(|extension| extension == "zst");
    let mut reader: Box<dyn Read> =
        if is_compressed { Box::new(zstd::Decoder::new(file)?) } else { Box::new(file) };
    reader.read_to_string(&mut text).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Some(text))
}

/// Two editions of a text and its copy, another two of another text, and a stranger.
#[cfg(test)]
const EXAMPLE: [(&str, &str); 6] = [
    ("a", "the ferry to the island leaves at nine and comes back in the evening every day"),
    ("b", "the ferry to the island leaves at nine and comes back in the evening every week"),
    ("copy", "the ferry to the island leaves at nine and comes back in the evening every day"),
    ("x", "the town hall has a new roof made of copper sheets and the old clock was cleaned"),
    ("y", "our town hall has a new roof made of copper sheets and the old clock was cleaned"),
    ("stranger", "nobody has seen this sentence anywhere else so far as far as anybody can tell"),
];

/// A pack for tests, in which nobody has said that the second pair of editions belongs together.
#[cfg(test)]
pub(super) fn example(recipe: &Recipe) -> Pack {
    let folder = tempfile::tempdir().unwrap();
    let row = |(id, text): (&str, &str)| format!("{}\n", serde_json::json!({ "id": id, "text": text }));
    let rows: String = EXAMPLE.into_iter().map(row).collect();
    let packed = zstd::encode_all(rows.as_bytes(), 1).unwrap();
    std::fs::write(folder.path().join("docs.jsonl.zst"), packed).unwrap();
    std::fs::write(folder.path().join("truth.tsv"), "a\tb\nb\tcopy\na\tcopy\n").unwrap();
    Pack::read(folder.path(), recipe).unwrap()
}
