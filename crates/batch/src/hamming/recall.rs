//! How many flips does the wanted recall of probabilistic matching need? Asked of a sample.
//!
//! ```text
//! sample queries -> their true matches, by an exact search
//! one half: the flips that find the wanted share      (calibrated, one standard error on top)
//! other half: the share that these flips find         (the recall that is reported)
//! ```
//!
//! If the other half finds less than wanted, there are more flips until it does. A sample without
//! matches says nothing: then the flips are those of [`UNKNOWN`], and no recall is reported.

use serde::Serialize;
use twindex_core::fingerprint::Margins;
use twindex_core::hash::mix;
use twindex_core::search::psm::calibration::{Calibration, KnownMatch};
use twindex_core::search::psm::{FlipOrder, Settings, Volatility};
use twindex_core::search::{HammingSearch, Psm, Query, Want};

/// Queries of a sample; doubled while they have too few matches.
pub(super) const FIRST_SAMPLE: usize = 1 << 10;
pub(super) const LARGEST_SAMPLE: usize = 1 << 13;

/// A sample with this many matches is large enough: the standard error of a recall of 0.95 is then
/// one hundredth in each half.
pub(super) const ENOUGH_MATCHES: usize = 1_000;

/// Flips that are tried at most.
const MOST_FLIPS: usize = 4096;

/// Flips if nothing is known: four times what 95 % took of real and made-up collections.
const UNKNOWN: usize = 40;

/// Flips of the next attempt, in percent of those before.
const MORE: usize = 125;

/// What was wanted, and what a sample showed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recall {
    /// The wanted share of matches.
    pub wanted: f64,
    /// The share that was found in the half of the sample that was not calibrated with; `None`
    /// without matches in it. With [`Want::First`] the share of queries with a match that got one.
    pub measured: Option<f64>,
    /// Matches of that half.
    pub matches: u64,
    /// Sampled queries, in both halves.
    pub queries: u64,
    /// Sets of header bits that a query flips.
    pub flips: usize,
    /// Header bits.
    pub header_bits: u32,
}

/// A sampled query with its true matches: stored fingerprints.
pub(super) struct Sampled {
    pub(super) margins: Margins,
    pub(super) matches: Vec<u64>,
}

/// The rows of a sample of `size` of `rows` rows, evenly spread.
pub(super) fn sample_rows(rows: usize, size: usize) -> impl ExactSizeIterator<Item = usize> + Clone {
    let size = size.min(rows);
    (0..size).map(move |number| (number as u128 * rows as u128 / size as u128) as usize)
}

/// The settings that find the `wanted` share of the first half's matches.
pub(super) fn calibrate(sample: &[Sampled], header_bits: u32, radius: u32, wanted: f64) -> Settings {
    // Neighbours in the sample are unrelated documents, as the paper has it.
    let pairs = sample.windows(2).map(|pair| (&pair[0].margins, &pair[1].margins));
    let volatility = Volatility::sample(pairs);
    let documents: Vec<Margins> = sample.iter().map(|query| query.margins.clone()).collect();
    let order = FlipOrder::ranks(&documents, &volatility, header_bits, radius, MOST_FLIPS);
    let (half, _) = halves(sample);
    let known = half
        .into_iter()
        .flat_map(|query| query.matches.iter().map(|&stored| KnownMatch { margins: &query.margins, stored }));
    let known: Vec<KnownMatch<'_>> = known.collect();
    let error = (wanted * (1.0 - wanted) / known.len().max(1) as f64).sqrt();
    let is_known = !known.is_empty();
    let calibration = Calibration::new(known, &volatility, &order, header_bits, radius, MOST_FLIPS);
    let flips = match calibration.flips((wanted + error).min(1.0)) {
        Some(flips) if is_known => flips,
        Some(_) => UNKNOWN,
        None => calibration.flips(wanted).unwrap_or(MOST_FLIPS),
    };
    Settings { header_bits, volatility, order, flips }
}

/// One half to calibrate with, one to measure; by a hash, because every other query may have its
/// match in a collection that was made so.
fn halves(sample: &[Sampled]) -> (Vec<&Sampled>, Vec<&Sampled>) {
    let (first, second): (Vec<_>, Vec<_>) =
        sample.iter().zip(0..).partition(|&(_, number): &(&Sampled, u64)| mix(number) & 1 == 0);
    let queries = |half: Vec<(_, u64)>| half.into_iter().map(|(query, _)| query).collect();
    (queries(first), queries(second))
}

/// Measures the recall with the other half, and raises the flips until it is as wanted. `found`
/// searches queries with that number of flips, and says which of their matches it finds.
pub(super) fn measure(
    sample: &[Sampled],
    settings: &mut Settings,
    wanted: f64,
    want: Want,
    found: &mut dyn FnMut(&Settings, &[&Sampled]) -> Vec<usize>,
) -> Recall {
    let (_, half) = halves(sample);
    let half: Vec<&Sampled> = half.into_iter().filter(|query| !query.matches.is_empty()).collect();
    let matches: usize = half.iter().map(|query| query.matches.len()).sum();
    let all = if want == Want::First { half.len() } else { matches };
    let share = |counts: &[usize]| {
        let hits: usize = match want {
            Want::First => counts.iter().filter(|&&count| count > 0).count(),
            Want::All => counts.iter().sum(),
        };
        hits as f64 / all as f64
    };
    let mut measured = None;
    while !half.is_empty() {
        let recall = share(&found(settings, &half));
        measured = Some(recall);
        if recall >= wanted || settings.flips >= MOST_FLIPS {
            break;
        }
        settings.flips = (settings.flips * MORE / 100 + 1).min(MOST_FLIPS);
    }
    Recall {
        wanted,
        measured,
        matches: matches as u64,
        queries: sample.len() as u64,
        flips: settings.flips,
        header_bits: settings.header_bits,
    }
}

/// How many matches of each query an index finds.
pub(super) fn found_by(
    index: &mut Psm,
    flips: usize,
    half: &[&Sampled],
    radius: u32,
    want: Want,
) -> Vec<usize> {
    index.set_flips(flips);
    let queries: Vec<Query<'_>> = half
        .iter()
        .map(|query| Query { fingerprint: query.margins.simhash(), margins: Some(&query.margins) })
        .collect();
    let mut counts = vec![0; half.len()];
    index.search_batch(&queries, radius, want, &mut |query, _| {
        counts[query] += 1;
        true
    });
    counts
}
