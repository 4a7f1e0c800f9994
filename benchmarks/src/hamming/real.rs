//! Fingerprints of real documents: how skewed are their buckets, and what does it cost?

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::Context;
use twindex_core::fingerprint::Simhash;
use twindex_core::kernel::Kernel;
use twindex_core::recipe::MethodName;
use twindex_core::search::join::Distinct;
use twindex_core::search::{Join, MultiIndex, OneThread, Scan, Want};
use twindex_core::{Engine, EngineScratch, Markup, Recipe};

use crate::measure::{Options, Report, Row, best_cpu_time};

use super::RADIUS;
use super::online::{all, per_query};

/// Short documents, long ones, and long ones in Chinese.
const PACKS: [&str; 3] = ["bulk_tweets_sample", "bulk_rfc_sample", "bulk_zh_xinwenlianbo"];

/// Words of a feature: single ones, as in the recipe, and pairs, which are rarer and thus less
/// biased.
const SIZES: [usize; 2] = [1, 2];

/// Documents of a quick run.
const QUICK: usize = 2000;

/// Queries that are compared with the scan.
const CHECKED: usize = 100;

#[derive(serde::Deserialize)]
struct Line {
    text: String,
}

pub(super) fn run(options: &Options, report: &mut Report) -> anyhow::Result<()> {
    for pack in PACKS {
        let Some(folder) = options.pack(pack) else { continue };
        let texts = texts(&folder.join("docs.jsonl.zst"), if options.quick { QUICK } else { usize::MAX })?;
        for size in SIZES {
            row(pack, size, &fingerprints(&texts, size)?, report);
        }
    }
    Ok(())
}

fn texts(path: &Path, most: usize) -> anyhow::Result<Vec<String>> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let lines = BufReader::new(zstd::Decoder::new(file)?).lines().take(most);
    lines.map(|line| Ok(serde_json::from_str::<Line>(&line?)?.text)).collect()
}

fn fingerprints(texts: &[String], size: usize) -> anyhow::Result<Vec<u64>> {
    let mut recipe = Recipe { method: MethodName::Simhash, ..Recipe::default() };
    recipe.simhash.size = size;
    let engine = Engine::new(&recipe, Kernel::best())?;
    let mut scratch = EngineScratch::default();
    let margins = texts.iter().filter_map(|text| engine.margins(text, Markup::None, &mut scratch));
    Ok(margins.map(|margins| margins.simhash().0).collect())
}

fn row(pack: &str, size: usize, fingerprints: &[u64], report: &mut Report) {
    let index = MultiIndex::build(fingerprints.to_vec(), RADIUS, Kernel::best());
    let queries: Vec<_> = fingerprints.iter().map(|&bits| Simhash(bits).into()).collect();
    let scan = Scan::new(fingerprints.to_vec(), Kernel::best());
    let sample = &queries[..CHECKED.min(queries.len())];
    let checked = all(&index, sample, RADIUS) == all(&scan, sample, RADIUS);
    let seconds = per_query(&index, &queries, RADIUS, Want::All);
    let skew = index.skew();
    let name = format!("skew+words{size}");
    let note = format!("{pack}, {} documents; largest bucket {}", fingerprints.len(), skew.largest);
    report.row(Row::new(name, "bucket work").metric("x even", skew.work).checked(checked).note(note));
    let row = Row::new(format!("multi-index+words{size}"), "real").metric("M queries/s", 1e-6 / seconds);
    report.row(row.checked(checked).note(pack));

    let distinct = Distinct::new(fingerprints.iter().copied().zip(0u32..).collect());
    let join = Join { radius: RADIUS, kernel: Kernel::best(), workers: &OneThread, memory: usize::MAX };
    let mut pairs = 0u64;
    let time = best_cpu_time(1, || join.run(distinct.values(), &mut |_| pairs += 1));
    let queries: Vec<_> = distinct.values().iter().map(|&bits| Simhash(bits).into()).collect();
    let found =
        all(&MultiIndex::build(distinct.values().to_vec(), RADIUS, Kernel::best()), &queries, RADIUS).len();
    let expected = (found - distinct.values().len()) as u64 / 2;
    let row = Row::new(format!("join+words{size}"), "real").metric("seconds", time.as_secs_f64());
    let note =
        format!("{pack}, {} distinct of {}, {pairs} pairs", distinct.values().len(), fingerprints.len());
    report.row(row.checked(pairs == expected).note(note));
}
