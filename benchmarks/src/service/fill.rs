//! Fills an index: documents are added once and reused by the next case or run.

use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use twindex_core::Recipe;
use twindex_index::{AddOptions, Imported, Index, NewDocument, OpenOptions, Timestamp};

use super::QUERIES;
use super::case::Kind;
use super::texts::{self, Texts};

/// Documents in one commit.
const BATCH: u64 = 4_000;

/// What was added, and the time of the index for it, without generating the texts.
pub(super) struct Filled {
    pub(super) documents: u64,
    pub(super) time: Duration,
}

/// Brings the index in the folder to that many documents.
pub(super) fn fill(path: &Path, kind: Kind, texts: &Texts) -> anyhow::Result<Filled> {
    let settings = kind.settings()?;
    if !path.exists() {
        Index::create(path, &settings)?;
    }
    let index = Index::open(path, OpenOptions::default())?;
    // Documents are a function of their number and are added in order: existing ones are a prefix.
    let missing = index.stats()?.documents..texts.documents;
    let documents = missing.end.saturating_sub(missing.start);
    let time = match kind {
        Kind::Imported => import(&index, texts, &settings.recipe, missing)?,
        Kind::Sketch | Kind::Paragraphs | Kind::Default(_) => add(&index, texts, missing)?,
    };
    index.settle()?;
    Ok(Filled { documents, time })
}

fn add(index: &Index, texts: &Texts, numbers: Range<u64>) -> anyhow::Result<Duration> {
    let options = AddOptions { only_unseen: false, matches: 0, ..AddOptions::default() };
    let mut time = Duration::ZERO;
    for start in numbers.clone().step_by(BATCH as usize) {
        let batch: Vec<NewDocument> = texts
            .many(start..numbers.end.min(start + BATCH))
            .into_iter()
            .map(|(id, text)| NewDocument::new(id, text))
            .collect();
        let started = Instant::now();
        index.add(&batch, options, Timestamp::now())?;
        time += started.elapsed();
    }
    Ok(time)
}

/// The originals of the queries are among the fingerprints; the rest are random, like those of
/// unrelated texts.
fn import(index: &Index, texts: &Texts, recipe: &Recipe, numbers: Range<u64>) -> anyhow::Result<Duration> {
    let known = texts.fingerprints(recipe, 0..texts.documents.min(QUERIES))?;
    let fingerprint = |number: u64| {
        let known = usize::try_from(number).ok().and_then(|number| known.get(number)).copied();
        known.unwrap_or_else(|| texts::random_fingerprint(number))
    };
    let rows = numbers.map(|number| Imported {
        id: texts::id(number),
        fingerprint: fingerprint(number),
        expires: None,
    });
    let started = Instant::now();
    index.import(rows)?;
    Ok(started.elapsed())
}
