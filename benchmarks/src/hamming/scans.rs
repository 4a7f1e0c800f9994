//! The linear scan, one query and many, and the buffer.

use std::hint::black_box;

use twindex_core::kernel::Kernel;
use twindex_core::search::{Buffer, HammingSearch, Scan, Want};

use crate::measure::{Report, Row, best_cpu_time};

use super::RADIUS;
use super::data::Data;
use super::online::{Found, all};

/// Queries of a batch, as for the indexes.
const BATCH: usize = super::online::BATCH;

/// Queries of the batch that are checked one by one, and run against the buffer.
const CHECKED: usize = 64;

/// Sizes of the buffer.
const BUFFERS: [u32; 2] = [14, 16];

pub(super) fn run(data: &Data, case: &str, report: &mut Report) {
    let length = data.stored.len();
    let queries = data.queries();
    let scan = Scan::new(data.stored.clone(), Kernel::best());
    let naive = |queries: &[twindex_core::search::Query<'_>]| -> Found {
        super::online::naive(&data.stored, queries)
    };

    // The memory bandwidth: the sum of all fingerprints.
    let sum =
        best_cpu_time(3, || black_box(&data.stored).iter().fold(0u64, |sum, word| sum.wrapping_add(*word)));
    let bytes = (8 * length) as f64;
    let bandwidth = bytes / sum.as_secs_f64();

    let one = best_cpu_time(5, || all(&scan, &queries[..1], RADIUS)).as_secs_f64();
    let checked = all(&scan, &queries[..1], RADIUS) == naive(&queries[..1]);
    let row = Row::new("scan", case).metric("M queries/s", 1e-6 / one).checked(checked);
    let note = format!("{:.1} GB/s; a plain sum reads {:.1} GB/s", bytes / one / 1e9, bandwidth / 1e9);
    report.row(row.against("bandwidth", bytes / one / bandwidth).note(note));

    let batch = &queries[..BATCH];
    let many = best_cpu_time(3, || all(&scan, batch, RADIUS)).as_secs_f64() / BATCH as f64;
    let found = all(&scan, batch, RADIUS).into_iter().filter(|(query, _)| *query < CHECKED);
    let batch = &batch[..CHECKED];
    let checked = found.eq(naive(batch));
    let row = Row::new("scan+batch", case).metric("M queries/s", 1e-6 / many).against("scan", one / many);
    let note = format!("{BATCH} queries at once, {:.1} G pairs/s", length as f64 / many / 1e9);
    report.row(row.checked(checked).note(note));

    for bits in BUFFERS.into_iter().filter(|bits| 1 << bits <= length) {
        let mut buffer = Buffer::new(Kernel::best());
        let fresh = &data.stored[length - (1 << bits)..];
        fresh.iter().for_each(|&fingerprint| buffer.push(fingerprint));
        // One query at a time, as they come.
        let time = best_cpu_time(5, || {
            let mut found = 0;
            for query in batch {
                buffer.search(*query, RADIUS, Want::All, &mut |_| {
                    found += 1;
                    true
                });
            }
            found
        });
        let one = time.as_secs_f64() / CHECKED as f64;
        let checked = all(&buffer, batch, RADIUS) == super::online::naive(fresh, batch);
        let row = Row::new("buffer", format!("2^{bits}")).metric("us/query", one * 1e6);
        report.row(row.checked(checked).note("of the collection above; less is better"));
    }
}
