//! The figures of ARCHITECTURE.md: how fast documents are added, and what a large index costs.
//!
//! ```text
//! cargo run --release -p twindex-index --example figures -- add DIR 200000 sketch
//! cargo run --release -p twindex-index --example figures -- import DIR 100000000
//! cargo run --release -p twindex-index --example figures -- open DIR
//! ```

use std::path::Path;
use std::time::{Duration, Instant};

use twindex_core::Recipe;
use twindex_core::fingerprint::Simhash;
use twindex_core::hash::mix;
use twindex_index::{
    AddOptions, Evidence, Imported, Index, IndexError, NewDocument, OpenOptions, Query, Settings, Timestamp,
};

const NOW: Timestamp = Timestamp(1_700_000_000);
const BATCH: u64 = 4_000;
const VOCABULARY: u64 = 50_000;
const TEXT_BYTES: usize = 2_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["add", path, count, evidence] => {
            let evidence = match evidence {
                "text" => Evidence::Text,
                "features" => Evidence::Features,
                "sketch" => Evidence::Sketch,
                _ => Evidence::None,
            };
            add(Path::new(path), count.parse()?, evidence)?;
        }
        ["import", path, count] => import(Path::new(path), count.parse()?)?,
        ["open", path] => open(Path::new(path))?,
        _ => {
            return Err(
                "usage: figures add DIR COUNT text|features|sketch|none; import DIR COUNT; open DIR".into()
            );
        }
    }
    Ok(())
}

/// Words whose frequencies fall like those of a language.
fn text(seed: u64) -> String {
    let mut text = String::with_capacity(TEXT_BYTES + 16);
    let mut state = seed;
    while text.len() < TEXT_BYTES {
        state = mix(state);
        let uniform = (state >> 11) as f64 / (1u64 << 53) as f64;
        let rank = (VOCABULARY as f64).powf(uniform) as u64;
        let word = mix(rank);
        for place in 0..2 + word % 7 {
            text.push(char::from(b'a' + (mix(word + place) % 26) as u8));
        }
        text.push(' ');
    }
    text
}

fn add(path: &Path, count: u64, evidence: Evidence) -> Result<(), Box<dyn std::error::Error>> {
    Index::create(path, &Settings { evidence, ..Settings::new(Recipe::preset("simhash")?) })?;
    let index = Index::open(path, OpenOptions::default())?;
    let mut spent = Duration::ZERO;
    for first in (0..count).step_by(BATCH as usize) {
        let id = |number: u64| format!("{:016x}", mix(number));
        let batch: Vec<NewDocument> =
            (first..first + BATCH).map(|number| NewDocument::new(id(number), text(number))).collect();
        let started = Instant::now();
        index.add(&batch, AddOptions { matches: 0, ..AddOptions::default() }, NOW)?;
        spent += started.elapsed();
    }
    let stats = index.stats()?;
    println!(
        "{} documents of {TEXT_BYTES} bytes, {evidence:?}: {:.0} documents/s durable, {:.0} bytes of disk each",
        stats.documents,
        count as f64 / spent.as_secs_f64(),
        stats.disk_bytes as f64 / stats.documents as f64
    );
    report(&index)
}

fn import(path: &Path, count: u64) -> Result<(), Box<dyn std::error::Error>> {
    let settings = Settings { evidence: Evidence::None, ..Settings::new(Recipe::preset("simhash")?) };
    Index::create(path, &settings)?;
    let index = Index::open(path, OpenOptions::default())?;
    let started = Instant::now();
    let imported = |number: u64| Imported {
        id: format!("{:x}", mix(number)),
        fingerprint: Simhash(mix(number ^ 0x5555)),
        expires: None,
    };
    index.import((0..count).map(imported))?;
    index.settle()?;
    println!("{count} imported in {:.0} s", started.elapsed().as_secs_f64());
    report(&index)
}

fn open(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let started = Instant::now();
    let index = Index::open(path, OpenOptions::default())?;
    println!("opened in {:.1} s", started.elapsed().as_secs_f64());
    report(&index)
}

fn report(index: &Index) -> Result<(), Box<dyn std::error::Error>> {
    let stats = index.stats()?;
    println!(
        "{} fingerprints in {} segments: {:.2} GB of memory for them, {:.2} GB resident, {:.2} GB of disk",
        stats.fingerprints,
        stats.segments,
        stats.memory_bytes as f64 / 1e9,
        resident_bytes() as f64 / 1e9,
        stats.disk_bytes as f64 / 1e9
    );
    let texts: Vec<String> = (0..2_000).map(|number| text(number * 7)).collect();
    let ask = |text: &String| -> Result<Duration, IndexError> {
        let started = Instant::now();
        index.check(&Query::new(text), NOW)?;
        Ok(started.elapsed())
    };
    let mut times = texts.iter().map(ask).collect::<Result<Vec<_>, _>>()?;
    times.sort_unstable();
    println!(
        "check, one thread: median {:?}, 99 % {:?}",
        times[times.len() / 2],
        times[times.len() * 99 / 100]
    );
    Ok(())
}

fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes =
        line.and_then(|line| line.split_whitespace().next()).and_then(|number| number.parse().ok());
    kilobytes.unwrap_or(0u64) * 1024
}
