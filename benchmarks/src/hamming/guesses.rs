//! Probabilistic matching.

use twindex_core::kernel::Kernel;
use twindex_core::search::psm::calibration::{Calibration, KnownMatch};
use twindex_core::search::psm::{FlipOrder, Psm, Settings, Volatility};
use twindex_core::search::{HammingSearch, Want};

use crate::measure::{Report, Row};

use super::RADIUS;
use super::data::Data;
use super::online::{Ours, all, per_query};

/// The required recall.
const RECALL: f64 = 0.95;

/// Header bits below the logarithm of the number of fingerprints: the paper's memory factor
/// `T' = 1 + 2^-this`.
const FEWER_BITS: u32 = 2;

/// Flips that calibration tries.
const MOST_FLIPS: usize = 400;

/// Queries used for calibration; the others measure.
const CALIBRATING: usize = 1 << 14;

pub(super) fn run(data: &Data, case: &str, ours: &Ours, report: &mut Report) {
    let length = data.stored.len();
    let queries = data.queries();
    let (calibrating, measured) = queries.split_at(CALIBRATING.min(queries.len() / 2));
    let volatility = Volatility::sample(data.training.iter().map(|(a, b)| (a, b)));
    let header_bits = Settings::header_bits(length, FEWER_BITS);
    let documents: Vec<_> = data.training.iter().map(|(document, _)| document.clone()).collect();
    let ranks = FlipOrder::ranks(&documents, &volatility, header_bits, RADIUS, MOST_FLIPS);
    let known: Vec<KnownMatch<'_>> = all(&ours.exact, calibrating, RADIUS)
        .into_iter()
        .map(|(query, position)| KnownMatch {
            margins: &data.queries[query],
            stored: data.stored[position as usize],
        })
        .collect();
    let expected = all(&ours.exact, measured, RADIUS);
    let mut answered: Vec<usize> = expected.iter().map(|(query, _)| *query).collect();
    answered.dedup();

    for (order, suffix) in [(FlipOrder::Heap, ""), (ranks, "+ranks")] {
        let calibration =
            Calibration::new(known.iter().copied(), &volatility, &order, header_bits, RADIUS, MOST_FLIPS);
        let Some(flips) = calibration.flips(RECALL) else { continue };
        let settings = Settings { header_bits, volatility: volatility.clone(), order, flips };
        let psm = Psm::build(&data.stored, settings, Kernel::best());
        let bytes = psm.bytes() as f64 / length as f64;
        for (want, name) in [(Want::All, "psm-all"), (Want::First, "psm-first")] {
            let seconds = per_query(&psm, measured, RADIUS, want);
            let mut found = vec![];
            psm.search_batch(measured, RADIUS, want, &mut |query, matched| {
                found.push((query, matched.position));
                true
            });
            let right = found.iter().all(|one| expected.binary_search(one).is_ok());
            let whole = if want == Want::All { expected.len() } else { answered.len() };
            let recall = found.len() as f64 / whole.max(1) as f64;
            let row = Row::new(format!("{name}{suffix}"), case).metric("M queries/s", 1e-6 / seconds);
            let row = match ours.bphs_4 {
                Some(paper) => row.against("bphs-4", paper / seconds),
                None => row.against("multi-index", ours.query / seconds),
            };
            // With few matches, in a small collection, the recall is too noisy to judge.
            let enough = whole < 200 || recall > RECALL - 0.02;
            let note = format!(
                "recall {recall:.3} of {whole}, {flips} flips, t = {header_bits}, {bytes:.1} bytes each"
            );
            report.row(row.checked(right && enough).note(note));
        }
    }
}
