//! Which word hash? Speed, uniformity of its bits, and the quality of its fingerprints.
//!
//! - *balance*: over the distinct words of a vocabulary each bit should be one for half of them.
//!   The worst bit's distance from half, in standard deviations of a fair coin; about 3 is chance
//!   for 64 bits.
//! - *independence*: two bits should agree for half of the words. The worst of 2,016 pairs; about 4
//!   is chance.
//! - *F1*: pairs of documents with a cosine of word counts of at least 0.9, found by Hamming
//!   distance, at the best distance for the hash.

use std::collections::HashSet;
use std::hint::black_box;

use twindex_core::Markup;
use twindex_core::feature::TermCounts;
use twindex_core::fingerprint::{Simhash, Simhasher};
use twindex_core::hash::WordHash;
use twindex_core::kernel::Kernel;
use twindex_core::text::{Analyzer, Scratch, TextOptions};
use twindex_core::verify::cosine;

use super::{documents, times};
use crate::measure::{Options, Report, Row, best_cpu_time};

const HASHES: [(WordHash, &str); 5] = [
    (WordHash::Chunks, "chunks"),
    (WordHash::Xxh3, "xxh3"),
    (WordHash::Murmur3, "murmur3"),
    (WordHash::Fnv1a, "fnv1a"),
    (WordHash::Sdbm, "sdbm"),
];

/// Collections with families of similar documents, and real words.
const PACKS: [&str; 3] = ["en_mdn_revisions_dev", "licences_scancode_dev", "tweets_retweets_dev"];

/// Documents whose pairs are all compared.
const DOCUMENTS: usize = 1_500;

/// The least cosine of similar documents.
const ALIKE: f64 = 0.9;

pub(super) fn measure(options: &Options, report: &mut Report) -> anyhow::Result<()> {
    for pack in PACKS {
        let Some(mut texts) = documents::texts(options, pack)? else { continue };
        texts.truncate(if options.quick { DOCUMENTS / 10 } else { DOCUMENTS });
        let documents = words(&texts)?;
        let vocabulary: HashSet<&str> = documents.iter().flatten().map(String::as_str).collect();
        let mut vocabulary: Vec<&str> = vocabulary.into_iter().collect();
        vocabulary.sort_unstable();
        report.heading(&format!("{pack}: {} words, {} documents", vocabulary.len(), documents.len()));
        let alike = alike(&documents);
        for (hash, name) in HASHES {
            let bytes: usize = vocabulary.iter().map(|word| word.len()).sum();
            let time = best_cpu_time(times(options), || {
                vocabulary.iter().fold(0, |all, word| all ^ hash.hash(black_box(word.as_bytes())))
            });
            let row =
                |metric, value| Row::new(format!("hash {name}"), pack).metric(metric, value).checked(true);
            report.row(row("GB/s", bytes as f64 / 1e9 / time.as_secs_f64()).note("words one by one"));
            let hashes: Vec<u64> = vocabulary.iter().map(|word| hash.hash(word.as_bytes())).collect();
            report.row(row("balance", worst(&hashes, 0..1)));
            report.row(row("independence", worst(&hashes, 1..64)));
            let (f1, distance) = best_f1(&documents, hash, &alike);
            report.row(row("F1", f1).note(format!("at distance {distance}, {} true pairs", alike.len())));
        }
    }
    Ok(())
}

fn words(texts: &[String]) -> anyhow::Result<Vec<Vec<String>>> {
    let analyzer = Analyzer::new(&TextOptions::default())?;
    let mut scratch = Scratch::default();
    let one = |text: &String| {
        let mut words = vec![];
        analyzer.tokens(text, Markup::None, &mut scratch, &mut |token| words.push(token.to_owned()));
        words
    };
    Ok(texts.iter().map(one).collect())
}

/// The worst deviation of a bit, combined with the bit at each of `distances` from it (at 0 it is
/// alone).
fn worst(hashes: &[u64], distances: std::ops::Range<u32>) -> f64 {
    let mut worst = 0.0f64;
    for distance in distances {
        // Distances d and 64 - d give the same pairs, which does not change the maximum.
        let combined = |hash: &u64| if distance == 0 { *hash } else { hash ^ hash.rotate_left(distance) };
        for bit in 0..64 {
            let ones = hashes.iter().filter(|hash| combined(hash) >> bit & 1 == 1).count() as f64;
            let half = hashes.len() as f64 / 2.0;
            worst = worst.max((ones - half).abs() / (half / 2.0).sqrt());
        }
    }
    worst
}

/// The pairs of documents with a large cosine.
fn alike(documents: &[Vec<String>]) -> HashSet<(usize, usize)> {
    let counts: Vec<TermCounts> = documents
        .iter()
        .map(|words| {
            TermCounts::new(
                &words.iter().map(|word| WordHash::Xxh3.hash(word.as_bytes())).collect::<Vec<_>>(),
            )
        })
        .collect();
    let pairs = pairs(documents.len()).filter(|&(a, b)| cosine(&counts[a], &counts[b]) >= ALIKE);
    pairs.collect()
}

/// The best F1 over all distances, and the distance.
fn best_f1(documents: &[Vec<String>], hash: WordHash, alike: &HashSet<(usize, usize)>) -> (f64, u32) {
    let hasher = Simhasher::new(Kernel::best());
    let fingerprint = |words: &Vec<String>| {
        let hashes: Vec<u64> = words.iter().map(|word| hash.hash(word.as_bytes())).collect();
        hasher.margins(&hashes).simhash()
    };
    let fingerprints: Vec<Simhash> = documents.iter().map(fingerprint).collect();
    // For each distance, how many pairs have it, and how many of them are similar.
    let mut histogram = [(0u32, 0u32); 65];
    for (a, b) in pairs(documents.len()) {
        let (found, right) = &mut histogram[fingerprints[a].distance(fingerprints[b]) as usize];
        *found += 1;
        *right += u32::from(alike.contains(&(a, b)));
    }
    let (mut found, mut right) = (0, 0);
    let mut best = (0.0, 0);
    for (distance, (here, right_here)) in (0..).zip(histogram) {
        found += here;
        right += right_here;
        let f1 = 2.0 * f64::from(right) / (f64::from(found) + alike.len() as f64).max(1.0);
        if f1 > best.0 {
            best = (f1, distance);
        }
    }
    best
}

fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)))
}
