//! Long real texts, or synthetic ones if there are none.

use std::fs::File;
use std::io::{BufRead, BufReader};

use anyhow::Context;
use serde::Deserialize;

use super::SEED;
use super::construction::Text;
use crate::measure::Options;
use crate::prose::{self, Subject};
use crate::random::{Purpose, Random};
use crate::vocabulary::{Script, Vocabulary};

/// The article's texts have 16 to 540 KB.
const LENGTHS: std::ops::RangeInclusive<usize> = 16_000..=540_000;

/// Enough characters for a measurement.
const CHARACTERS: usize = 20_000_000;

#[derive(Deserialize)]
struct Row {
    text: String,
}

/// The texts of the first table: RFCs of the article's lengths, or synthetic prose.
pub(crate) fn long(options: &Options) -> anyhow::Result<Vec<Text>> {
    let real = if options.quick { None } else { pack(options, "bulk_rfc_sample")? };
    let mut left = CHARACTERS;
    let enough = |text: &String| {
        let fits = LENGTHS.contains(&text.len()) && left > 0;
        left = left.saturating_sub(if fits { text.len() } else { 0 });
        fits
    };
    let texts: Vec<String> = match real {
        Some(texts) => texts.into_iter().filter(enough).collect(),
        None => made(if options.quick { 2 } else { 100 }),
    };
    Ok(texts.into_iter().map(|utf8| Text { utf16: utf8.encode_utf16().collect(), utf8 }).collect())
}

/// The texts of a pack, if it is there.
pub(super) fn pack(options: &Options, name: &str) -> anyhow::Result<Option<Vec<String>>> {
    let Some(folder) = options.pack(name).filter(|_| !options.quick) else { return Ok(None) };
    let path = folder.join("docs.jsonl.zst");
    let file = File::open(&path).with_context(|| format!("cannot open {}", path.display()))?;
    let lines = BufReader::new(zstd::Decoder::new(file)?).lines();
    let text = |line: std::io::Result<String>| anyhow::Ok(serde_json::from_str::<Row>(&line?)?.text);
    lines.map(text).collect::<anyhow::Result<_>>().map(Some).with_context(|| path.display().to_string())
}

fn made(count: u64) -> Vec<String> {
    let vocabulary = Vocabulary::new(SEED, Script::Latin);
    (0..count)
        .map(|number| {
            let mut random = Random::new(SEED, Purpose::Body, number);
            let subject = Subject::draw(&mut random);
            let length = LENGTHS.start() + 5_000 * (number as usize % 100);
            let mut text = String::new();
            prose::write(&vocabulary, subject, length, &mut random, &mut text);
            text
        })
        .collect()
}
