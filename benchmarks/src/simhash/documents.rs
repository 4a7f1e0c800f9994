//! The documents that are fingerprinted.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader};

use anyhow::Context;

use crate::measure::Options;
use crate::random::{Purpose, Random};
use crate::vocabulary::{Script, Vocabulary};

/// Some documents in one text, each with a line break at its end and none inside.
pub(crate) struct Documents {
    pub(crate) case: String,
    pub(crate) text: Vec<u8>,
    pub(crate) ends: Vec<usize>,
}

/// The sizes in the FPGA paper: a message, a page, a book's chapter.
const SIZES: [(&str, usize); 3] = [("45B", 45), ("4KB", 4 << 10), ("100KB", 100_000)];

/// Bytes of each case: the text alone fills a last-level cache; little in a quick run.
const BYTES: usize = 32 << 20;
const QUICK_BYTES: usize = 256 << 10;

/// Real text is repeated until there is enough to measure.
const REAL_BYTES: usize = 16 << 20;

/// Bytes of a part whose hashes fit an L2 cache.
const PART: usize = 32 << 10;

/// Any number; the documents are the same in every run.
const SEED: u64 = 3;

impl Documents {
    pub(crate) fn new(case: &str) -> Self {
        Documents { case: case.to_owned(), text: Vec::new(), ends: Vec::new() }
    }

    pub(crate) fn end(&mut self) {
        self.text.push(b'\n');
        self.ends.push(self.text.len());
    }

    /// Each document.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.text[start..end])
    }

    /// Parts of some documents, with their ends in the part.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&[u8], impl Iterator<Item = usize>)> {
        let (mut start, mut rest) = (0, self.ends.as_slice());
        std::iter::from_fn(move || {
            let whole =
                rest.iter().take_while(|&&end| end - start <= PART).count().clamp(1, rest.len().max(1));
            let (ends, after) = rest.split_at_checked(whole)?;
            let (from, end) = (start, *ends.last()?);
            (start, rest) = (end, after);
            Some((&self.text[from..end], ends.iter().map(move |end| end - from)))
        })
    }

    /// The facts needed for a comparison.
    pub(crate) fn description(&self) -> String {
        let words = self.text.split(|byte| *byte <= b' ').filter(|word| !word.is_empty()).count();
        format!(
            "{} documents, {:.1} MB, {:.2} bytes a word with what follows it",
            self.ends.len(),
            self.text.len() as f64 / 1e6,
            self.text.len() as f64 / words.max(1) as f64
        )
    }
}

/// Documents of words with the frequencies of a language.
pub(crate) fn made(quick: bool) -> impl Iterator<Item = Documents> {
    let vocabulary = Vocabulary::new(SEED, Script::Latin);
    let bytes = if quick { QUICK_BYTES } else { BYTES };
    SIZES.into_iter().map(move |(case, size)| {
        let mut random = Random::new(SEED, Purpose::Body, size as u64);
        let mut documents = Documents::new(case);
        while documents.text.len() < bytes {
            let start = documents.text.len();
            loop {
                documents.text.extend(vocabulary.general(&mut random).bytes());
                if documents.text.len() - start + 1 >= size {
                    break;
                }
                documents.text.push(b' ');
            }
            documents.end();
        }
        documents
    })
}

/// The documents of a pack, line breaks replaced by blanks.
pub(crate) fn real(options: &Options, pack: &str, case: &str) -> anyhow::Result<Option<Documents>> {
    let Some(texts) = texts(options, pack)? else { return Ok(None) };
    let bytes = if options.quick { QUICK_BYTES } else { REAL_BYTES };
    let mut documents = Documents::new(case);
    while documents.text.len() < bytes {
        for text in &texts {
            documents.text.extend(text.bytes().map(|byte| if byte == b'\n' { b' ' } else { byte }));
            documents.end();
        }
    }
    Ok(Some(documents))
}

/// The texts of a pack, if it is there.
pub(crate) fn texts(options: &Options, pack: &str) -> anyhow::Result<Option<Vec<String>>> {
    let Some(folder) = options.pack(pack) else { return Ok(None) };
    let path = folder.join("docs.jsonl.zst");
    let file = File::open(&path).with_context(|| format!("cannot open {}", path.display()))?;
    let mut texts = Vec::new();
    for line in BufReader::new(zstd::Decoder::new(file)?).lines() {
        let row: serde_json::Value = serde_json::from_str(&line?)?;
        let text =
            row["text"].as_str().with_context(|| format!("a row of {} has no text", path.display()))?;
        texts.push(text.to_owned());
    }
    Ok(Some(texts))
}

/// Reads all of the text and does nothing else.
pub(crate) fn read(text: &[u8]) -> u64 {
    const LINE: usize = 64;
    let (lines, rest) = text.as_chunks::<LINE>();
    let sum = lines.iter().fold([0; LINE / 8], |mut sum, line| {
        for (sum, word) in sum.iter_mut().zip(line.as_chunks::<8>().0) {
            *sum ^= u64::from_le_bytes(*word);
        }
        sum
    });
    black_box(sum.iter().fold(0, |all, part| all ^ part) ^ u64::from(rest.first().copied().unwrap_or(0)))
}
