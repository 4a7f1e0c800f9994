//! Exact searches of a collection in memory.

use rayon::prelude::*;
use twindex_core::kernel::Kernel;
use twindex_core::search::bphs::{BlockIndex, BlockTables, Find};
use twindex_core::search::{HammingSearch, MultiIndex, Query, Scan, Want};

use crate::measure::{Report, Row, best_cpu_time, best_wall_time};

use super::RADIUS;
use super::data::Data;

/// Queries that are compared with the scan.
const CHECKED: usize = 256;

/// Queries for timing a slow search.
const FEW: usize = 1 << 14;

/// Queries of a batch, as a service would gather them.
pub(super) const BATCH: usize = 256;

/// Up to this size all of the paper's tables are built, beyond it the first design only: ten copies
/// would take minutes to sort.
const LARGEST_PAPER: usize = 1 << 23;

/// Larger radii, and the queries they are timed with.
const LARGER: [(u32, usize); 3] = [(6, 1 << 13), (8, 1 << 12), (10, 1 << 11)];

/// Every match as (query, position), sorted.
pub(crate) type Found = Vec<(usize, u32)>;

/// Everything that a search finds.
pub(crate) fn all(search: &dyn HammingSearch, queries: &[Query<'_>], radius: u32) -> Found {
    let mut found = vec![];
    search.search_batch(queries, radius, Want::All, &mut |query, matched| {
        found.push((query, matched.position));
        true
    });
    found.sort_unstable();
    found
}

/// The oracle of the scan: one comparison after another.
pub(super) fn naive(stored: &[u64], queries: &[Query<'_>]) -> Found {
    let near = |query: &Query<'_>| {
        let bits = query.fingerprint.0;
        let near = stored.iter().zip(0u32..).filter(move |(word, _)| (**word ^ bits).count_ones() <= RADIUS);
        near.map(|(_, position)| position).collect::<Vec<_>>()
    };
    let found = queries
        .iter()
        .enumerate()
        .flat_map(|(number, query)| near(query).into_iter().map(move |it| (number, it)));
    found.collect()
}

/// Seconds of a query in batches.
pub(crate) fn per_query(search: &dyn HammingSearch, queries: &[Query<'_>], radius: u32, want: Want) -> f64 {
    let time = best_cpu_time(5, || count(search, queries, radius, want));
    time.as_secs_f64() / queries.len() as f64
}

fn count(search: &dyn HammingSearch, queries: &[Query<'_>], radius: u32, want: Want) -> usize {
    let mut found = 0;
    for batch in queries.chunks(BATCH) {
        search.search_batch(batch, radius, want, &mut |_, _| {
            found += 1;
            true
        });
    }
    found
}

/// The results that later rows are compared with.
pub(super) struct Ours {
    pub(super) exact: MultiIndex,
    /// Seconds of an exact query, and of the paper's BPHS-4 where it was measured.
    pub(super) query: f64,
    pub(super) bphs_4: Option<f64>,
}

pub(super) fn run(data: &Data, case: &str, quick: bool, report: &mut Report) -> Ours {
    let length = data.stored.len();
    let queries = data.queries();
    let scan = Scan::new(data.stored.clone(), Kernel::best());
    let expected = all(&scan, &queries[..CHECKED], RADIUS);
    let agrees = |search: &dyn HammingSearch| all(search, &queries[..CHECKED], RADIUS) == expected;

    let mut bphs_4 = None;
    let designs = [
        ("bphs-4", BlockTables::new(4, 3)),
        ("bphs-10", BlockTables::new(5, 3)),
        ("bphs-16", BlockTables::nested()),
    ];
    for (name, tables) in designs {
        for (find, suffix) in [(Find::BinarySearch, ""), (Find::DirectAddress, "+direct")] {
            if length > LARGEST_PAPER && bphs_4.is_some() {
                continue;
            }
            // The paper's method is scalar code; ours may use the CPU's vectors.
            let kernel = if find == Find::BinarySearch { Kernel::Scalar } else { Kernel::best() };
            let index = BlockIndex::build(tables.clone(), &data.stored, find, kernel);
            let seconds = per_query(&index, &queries[..FEW.min(queries.len())], RADIUS, Want::All);
            let base = *bphs_4.get_or_insert(seconds);
            let row = Row::new(format!("{name}{suffix}"), case).metric("M queries/s", 1e-6 / seconds);
            let bytes = index.bytes() as f64 / length as f64;
            report.row(
                row.against("bphs-4", base / seconds)
                    .checked(agrees(&index))
                    .note(format!("{bytes:.0} bytes each")),
            );
        }
    }

    let mut index = None;
    let built =
        best_cpu_time(1, || index = Some(MultiIndex::build(data.stored.clone(), RADIUS, Kernel::best())));
    let exact = index.unwrap_or_else(|| MultiIndex::build(vec![], RADIUS, Kernel::best()));
    let query = per_query(&exact, &queries, RADIUS, Want::All);
    let bytes = exact.bytes() as f64 / length as f64;
    let widths: Vec<u32> = exact.layout().headers().iter().map(|header| header.bits).collect();
    let note = format!(
        "{bytes:.1} bytes each, headers {widths:?}, built in {:.2} s, {}",
        built.as_secs_f64(),
        exact.skew()
    );
    let row =
        Row::new("multi-index", case).metric("M queries/s", 1e-6 / query).checked(agrees(&exact)).note(note);
    report.row(against_paper(row, bphs_4, query));
    let first = per_query(&exact, &queries, RADIUS, Want::First);
    let row = Row::new("multi-index+first", case).metric("M queries/s", 1e-6 / first).checked(agrees(&exact));
    report.row(row.against("multi-index", query / first));

    let sorted = best_cpu_time(9, || all_unsorted(&exact, &queries)).as_secs_f64() / queries.len() as f64;
    let together = all(&exact, &queries, RADIUS);
    let head: Found = together.iter().copied().filter(|(query, _)| *query < CHECKED).collect();
    let row = Row::new("multi-index+sorted", case).metric("M queries/s", 1e-6 / sorted);
    report.row(
        row.against("multi-index", query / sorted).checked(head == expected).note("all queries in one batch"),
    );

    let both = best_wall_time(3, || two_threads(&exact, &queries)).as_secs_f64() / queries.len() as f64;
    let equal = two_threads(&exact, &queries) == together.len();
    let row = Row::new("multi-index", case).threads(2).metric("M queries/s", 1e-6 / both);
    report.row(row.against("multi-index", query / both).checked(equal));

    if quick || length == LARGEST_PAPER {
        larger_radii(data, case, &queries, &scan, report);
    }
    Ours { exact, query, bphs_4 }
}

fn against_paper(row: Row, bphs_4: Option<f64>, seconds: f64) -> Row {
    match bphs_4 {
        Some(paper) => row.against("bphs-4", paper / seconds),
        None => row,
    }
}

fn all_unsorted(index: &MultiIndex, queries: &[Query<'_>]) -> usize {
    let mut found = 0;
    index.search_batch(queries, RADIUS, Want::All, &mut |_, _| {
        found += 1;
        true
    });
    found
}

fn two_threads(index: &MultiIndex, queries: &[Query<'_>]) -> usize {
    queries.par_chunks(queries.len().div_ceil(2)).map(|half| count(index, half, RADIUS, Want::All)).sum()
}

fn larger_radii(data: &Data, case: &str, queries: &[Query<'_>], scan: &Scan, report: &mut Report) {
    for (radius, number) in LARGER {
        let index = MultiIndex::build(data.stored.clone(), radius, Kernel::best());
        let queries = &queries[..number.min(queries.len())];
        let seconds = per_query(&index, queries, radius, Want::All);
        let sample = &queries[..64.min(queries.len())];
        let checked = all(&index, sample, radius) == all(scan, sample, radius);
        let widths: Vec<u32> = index.layout().headers().iter().map(|header| header.bits).collect();
        let row = Row::new(format!("multi-index+h{radius}"), case).metric("K queries/s", 1e-3 / seconds);
        report.row(row.checked(checked).note(format!("headers {widths:?}")));
    }
}
