//! Table 1: what comparing all pairs costs.

use std::hint::black_box;

use serde::Deserialize;
use twindex_core::kernel::Kernel;
use twindex_core::search::{HammingSearch, Scan, Want};

use super::RADIUS;
use super::generator::Generator;
use crate::measure::best_cpu_time;
use crate::papers::definition::Definition;
use crate::papers::experiment::Setting;
use crate::papers::page::number;
use crate::papers::record::{Outcome, Table};

#[derive(Deserialize)]
struct Parameters {
    /// Documents whose pairs are compared by cosine.
    documents: usize,
    /// Fingerprints whose pairs are compared.
    fingerprints: u64,
    times: usize,
    /// Exponents of the extrapolated collections: 1M, 64M, 8B.
    exponents: Vec<(String, u32)>,
    /// Bytes of a feature: index and weight.
    feature_bytes: f64,
}

const SECONDS_PER_DAY: f64 = 86_400.0;
const DAYS_PER_YEAR: f64 = 365.25;

/// Queries compared at once by the fast scan.
const TOGETHER: usize = 256;

pub(in crate::papers) fn run(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    let parameters: Parameters = definition.parameters(setting.size)?;
    let corpus = setting.corpus()?;
    let mut outcome = Outcome::default();
    let documents = &corpus.documents[..parameters.documents.min(corpus.documents.len())];
    let pairs = |count: usize| (count * (count - 1) / 2) as f64;
    let time = best_cpu_time(parameters.times, || {
        let mut sum = 0.0;
        for (number, one) in documents.iter().enumerate() {
            sum += documents[..number].iter().map(|other| one.cosine(other)).sum::<f32>();
        }
        sum
    });
    let cosine = pairs(documents.len()) / time.as_secs_f64();

    let generator = Generator::new(corpus, 1);
    let fingerprints: Vec<u64> =
        (0..parameters.fingerprints).map(|number| generator.document(number).simhash().0).collect();
    let mut near = 0;
    let time = best_cpu_time(parameters.times, || {
        near = 0u64;
        for (number, one) in fingerprints.iter().enumerate() {
            near += plain_near(black_box(&fingerprints[..number]), *one);
        }
    });
    let hamming = pairs(fingerprints.len()) / time.as_secs_f64();

    let scan = Scan::new(fingerprints.clone(), Kernel::best());
    let queries: Vec<_> =
        fingerprints.iter().map(|&bits| twindex_core::fingerprint::Simhash(bits).into()).collect();
    let mut found = 0;
    let time = best_cpu_time(parameters.times, || {
        found = 0u64;
        for batch in queries.chunks(TOGETHER) {
            scan.search_batch(batch, RADIUS, Want::All, &mut |_, _| {
                found += 1;
                true
            });
        }
    });
    let fast = (fingerprints.len() * fingerprints.len()) as f64 / time.as_secs_f64();
    outcome
        .check("the scan finds the pairs of the plain loop", found == 2 * near + fingerprints.len() as u64);

    let features: usize = corpus.documents.iter().map(|document| document.hashes.len()).sum();
    let mean = features as f64 / corpus.documents.len() as f64;
    outcome.figure("features a document", mean);
    outcome.figure("cosines a second", cosine);
    outcome.figure("distances a second", hamming);
    outcome.figure("distances a second, scan", fast);
    outcome.figure("distances / cosines", hamming / cosine);
    outcome.figure("smaller", mean * parameters.feature_bytes / 8.0);
    let mut table = Table::new(
        "Days for all pairs on one core, and gigabytes",
        &["documents", "cosine", "GB", "distance, plain", "distance, scan", "GB of fingerprints"],
    );
    for (name, exponent) in &parameters.exponents {
        let documents = f64::from(*exponent).exp2();
        let days = |rate: f64| documents * documents / 2.0 / rate / SECONDS_PER_DAY;
        outcome.figure(format!("{name}: days of cosines"), days(cosine));
        outcome.figure(format!("{name}: years of cosines"), days(cosine) / DAYS_PER_YEAR);
        outcome.figure(format!("{name}: minutes of distances"), days(hamming) * 24.0 * 60.0);
        outcome.figure(format!("{name}: days of distances"), days(hamming));
        outcome.figure(format!("{name}: years of distances"), days(hamming) / DAYS_PER_YEAR);
        outcome.figure(format!("{name}: days of the scan"), days(fast));
        let gigabytes = documents * mean * parameters.feature_bytes / 1e9;
        outcome.figure(format!("{name}: GB of vectors"), gigabytes);
        let mut row = vec![name.clone()];
        row.extend([days(cosine), gigabytes, days(hamming), days(fast), documents * 8.0 / 1e9].map(number));
        table.row(row);
    }
    outcome.tables.push(table);
    outcome.note(format!("Documents: {}.", corpus.description()));
    Ok(outcome)
}

fn plain_near(stored: &[u64], one: u64) -> u64 {
    stored.iter().filter(|other| (**other ^ one).count_ones() <= RADIUS).count() as u64
}
