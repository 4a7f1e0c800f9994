//! `cargo xtask bench minhash`: the tables of the article on bottom-k MinHash, row by row, and our
//! extensions.
//!
//! 1. Construction: the article's four variants, as printed and corrected, then ours; long real
//!    texts.
//! 2. Pairs: classical, fast abort, block skip, then the bitmap screen; 2,000 documents.
//! 3. Join: all pairs of up to 740,000 documents, for which the article forecasts a whole day.
//!
//! Source: A. Gudkov, Efficient implementation of MinHash, part 1.

mod article;
pub(crate) mod construction;
pub(crate) mod join;
pub(crate) mod pairs;
pub(crate) mod texts;

use std::process::ExitCode;

use rayon::prelude::*;
use twindex_core::fingerprint::{Sketcher, Sketches};
use twindex_core::kernel::Kernel;
use twindex_core::kernel::words::WordRule;

use self::article::{K, N};
use crate::measure::{Options, Report};
use crate::web::Web;

/// The seed of the synthetic documents.
const SEED: u64 = 5;

/// The share of copies among them: as in the notes on the article's second table, and as usual on
/// the web.
pub(crate) const FEW_COPIES: f64 = 0.03;
pub(crate) const COPIES: f64 = 0.1;

/// Runs the benchmark.
pub fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let mut report = Report::new("minhash", options);
    construction::run(&texts::long(options)?, &mut report);
    let documents = if options.quick { 200 } else { 2_000 };
    pairs::run(&short_hashes(&made(documents, FEW_COPIES)), &mut report);
    report.heading("join: all pairs, from sketches in memory");
    let sizes: &[(&str, u64)] = if options.quick {
        &[("2k", 2_000)]
    } else {
        &[("10k", 10_000), ("100k", 100_000), ("740k", 740_000)]
    };
    for &(case, documents) in sizes {
        join::run(case, &made(documents, COPIES), &mut report);
    }
    for name in ["tweets_retweets_dev", "bulk_zh_xinwenlianbo"] {
        if let Some(texts) = texts::pack(options, name)? {
            join::run(
                name,
                &sketches(texts.len() as u64, |number| texts[number as usize].clone()),
                &mut report,
            );
        }
    }
    Ok(report.finish())
}

/// The sketches of synthetic documents: pages of sites with templates, some of them copies.
pub(crate) fn made(documents: u64, copies: f64) -> Sketches {
    let web = Web::new(SEED, copies);
    sketches(documents, |number| web.document(number).text)
}

fn sketches(documents: u64, text: impl Fn(u64) -> String + Sync) -> Sketches {
    let kernel = Kernel::best();
    let sketcher = Sketcher::new(N, K, kernel);
    let lists: Vec<Vec<u64>> = (0..documents)
        .into_par_iter()
        .map(|number| {
            let text = text(number);
            let (mut words, mut ends) = (vec![], vec![]);
            kernel.words(WordRule::Alphanumeric, text.as_bytes(), &[text.len()], &mut words, &mut ends);
            sketcher.sketch(&words).hashes().to_vec()
        })
        .collect();
    let mut sketches = Sketches::with_capacity(lists.len(), N);
    lists.iter().for_each(|list| sketches.push(list));
    sketches
}

/// The same sketches with 32-bit hashes, as in the article: every comparison then sees the same
/// sets.
pub(crate) fn short_hashes(sketches: &Sketches) -> Sketches {
    let mut short = Sketches::default();
    for hashes in sketches.iter() {
        let mut hashes: Vec<u64> = hashes.iter().map(|hash| hash >> 32).collect();
        hashes.dedup();
        short.push(&hashes);
    }
    short
}
