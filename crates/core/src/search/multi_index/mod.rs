//! Multi-index: exact Hamming search that probes few buckets.
//!
//! A few disjoint parts of a fingerprint, the *headers*, each have a table: entries sorted by
//! header, with the start of each header. A fingerprint within h bits of a query is within a small
//! radius of one of its headers, so that a query reads a handful of buckets and compares their
//! entries:
//!
//! ```text
//! for each table i:  for each way to flip at most r_i bits of the query's header:
//!     for each entry of that bucket:  report it if it is within h bits and in no earlier table
//! ```
//!
//! The speed depends on the number of cache lines that a query touches. An entry is a 32-bit *tag*,
//! the bits next to the header, so that a line has sixteen of them; one random fingerprint in a
//! million passes the tag, and only those are looked up by position. Unequal radii ([`Layout`])
//! need the fewest buckets: four headers of 16 bits with radius zero for up to some ten million
//! fingerprints, then three, the first of them with radius one. Groups of queries overlap their
//! cache misses (`probe`), and a batch that is large compared with the collection is sorted by
//! header, so that it streams through the tables instead of jumping.
//!
//! Differences from the literature (Norouzi, Punjani, Fleet, Fast search in Hamming space with
//! multi-index hashing, 2012): radii are unequal, headers need not cover the fingerprint, buckets
//! have offsets instead of a hash table, and the first-table rule replaces a set of reported
//! matches.
//!
//! In a large collection the table with a radius is looked up two dozen times, and each look-up
//! waits for offsets before it can prefetch a bucket. There each bucket also has its first tags in
//! a [line](crate::kernel::hamming::Line) of its own: 1.4 times the queries per second at 2^26, for
//! eight bytes per fingerprint. The other tables only have offsets: their buckets are long, and so
//! are those of biased bits. (Lines instead of offsets in all tables were tried and dropped: 1.7
//! times the memory.)

mod first;
mod header_order;
mod layout;
pub(in crate::search) mod probe;
mod skew;
pub(in crate::search) mod table;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use crate::kernel::{Kernel, memory};
use crate::search::hamming::{HammingSearch, LARGEST_RADIUS, Query, Sink, Want, check_radius};

use header_order::HeaderOrder;
use layout::flips;
use probe::{Probe, Step, TOGETHER};
use table::{Entry, Scratch, Table};

pub use layout::{Header, Layout};
pub use skew::Skew;

/// An immutable collection of at most 2^32 - 1 fingerprints.
#[derive(Debug, Clone)]
pub struct MultiIndex {
    length: usize,
    layout: Layout,
    tables: Tables,
    kernel: Kernel,
    /// The steps of a search of each radius, computed on first use.
    steps: [OnceLock<Vec<Step>>; LARGEST_RADIUS as usize + 1],
}

#[derive(Debug, Clone)]
enum Tables {
    /// Tags, and the fingerprints by position.
    Tags(Vec<Table<u32>>, Vec<u64>),
    /// Whole fingerprints.
    Words(Vec<Table<u64>>),
}

/// A batch of at least one query per `SORTED_FROM` fingerprints is sorted by header.
const SORTED_FROM: usize = 128;

/// Sorting fewer queries than this gains nothing over a group.
const LEAST_SORTED: usize = 1 << 12;

/// The tables of fewer fingerprints stay in the caches: jumping is faster than sorting (7.6 against
/// 6.3 million queries a second at 2^21, 4.2 against 4.5 at 2^22, 2.4 against 3.9 at 2^23). Tests
/// sort for small collections.
const LEAST_STORED: usize = if cfg!(test) { 1 << 8 } else { 1 << 22 };

/// The average number of tags per bucket for which lines are made: for fewer they would take too
/// much memory, and for more too many tags would not fit. With eight, one bucket in a hundred
/// exceeds its line.
const LINE_FILL: Range<usize> = 8..12;

impl MultiIndex {
    /// The index with the best layout for queries of `radius`. Other radii are searched exactly
    /// too, but slower.
    pub fn build(fingerprints: Vec<u64>, radius: u32, kernel: Kernel) -> Self {
        let layout = Layout::new(fingerprints.len(), radius);
        let mut index = MultiIndex::with_layout(fingerprints, layout, kernel);
        index.add_lines(radius);
        index
    }

    /// Adds lines to the table that a search of `radius` looks up most often, if its buckets fit
    /// into them.
    fn add_lines(&mut self, radius: u32) {
        let Tables::Tags(tables, _) = &mut self.tables else { return };
        let radii = self.layout.radii(self.length, radius);
        let flipped =
            tables.iter_mut().zip(radii).find(|(_, radius)| radius.is_some_and(|radius| radius > 0));
        if let Some((table, _)) = flipped {
            let average = self.length >> table.header.bits;
            if self.length >= LEAST_STORED && LINE_FILL.contains(&average) {
                table.add_lines();
            }
        }
    }

    /// The index with a given layout.
    pub fn with_layout(fingerprints: Vec<u64>, layout: Layout, kernel: Kernel) -> Self {
        let length = fingerprints.len();
        assert!(u32::try_from(length).is_ok(), "{length} fingerprints do not fit into one index");
        let tables = if layout.words {
            Tables::Words(build_tables(&layout, &fingerprints))
        } else {
            Tables::Tags(build_tables(&layout, &fingerprints), memory::on_large_pages(fingerprints))
        };
        MultiIndex { length, layout, tables, kernel, steps: Default::default() }
    }

    /// The headers and the kind of entries.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The fingerprints by position.
    pub fn fingerprints(&self) -> Cow<'_, [u64]> {
        match &self.tables {
            Tables::Tags(_, fingerprints) => Cow::Borrowed(fingerprints),
            Tables::Words(tables) => {
                let mut fingerprints = vec![0; self.length];
                if let Some(table) = tables.first() {
                    for (&position, &fingerprint) in table.positions.iter().zip(&table.entries) {
                        fingerprints[position as usize] = fingerprint;
                    }
                }
                Cow::Owned(fingerprints)
            }
        }
    }

    /// How skewed the buckets are.
    pub fn skew(&self) -> Skew {
        match &self.tables {
            Tables::Tags(tables, _) => Skew::of(tables.iter().map(|table| table.offsets.as_slice())),
            Tables::Words(tables) => Skew::of(tables.iter().map(|table| table.offsets.as_slice())),
        }
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        let table = |offsets: usize, entry: usize| 4 * offsets + self.length * (entry + 4);
        match &self.tables {
            Tables::Tags(tables, fingerprints) => {
                let lines = tables.iter().map(|it| size_of_val(it.lines.as_slice())).sum::<usize>();
                let tables = tables.iter().map(|it| table(it.offsets.len(), 4)).sum::<usize>();
                8 * fingerprints.len() + lines + tables
            }
            Tables::Words(tables) => tables.iter().map(|it| table(it.offsets.len(), 8)).sum(),
        }
    }

    /// The tables that a search of `radius` reads, each with its flips.
    fn plan(&self, radius: u32) -> Vec<Step> {
        let radii = self.layout.radii(self.length, radius);
        let step = |(table, (header, radius)): (usize, (&Header, Option<u32>))| {
            let radius = radius?;
            Some(Step { table, radius, mask: header.mask(), flips: flips(header.bits, radius) })
        };
        self.layout.headers.iter().zip(radii).enumerate().filter_map(step).collect()
    }

    fn run<W: Entry>(
        &self,
        tables: &[Table<W>],
        fingerprints: Option<&[u64]>,
        queries: &[Query<'_>],
        radius: u32,
        want: Want,
        sink: &mut Sink<'_>,
    ) {
        let steps = self.steps[radius as usize].get_or_init(|| self.plan(radius));
        let mut probe =
            Probe::new(tables, fingerprints, steps, queries.len(), radius, want, self.kernel, sink);
        let sorted = self.length >= LEAST_STORED
            && queries.len() >= LEAST_SORTED
            && queries.len() >= self.length / SORTED_FROM;
        if want == Want::First && !sorted {
            return first::run(&mut probe, steps, queries);
        }
        if sorted {
            let mut order = HeaderOrder::default();
            for (number, step) in steps.iter().enumerate() {
                order.for_each_part(queries, self.layout.headers[step.table], |part| {
                    // The headers of a part stay neighbours when one bit is flipped in all of them.
                    for flip in &step.flips {
                        for group in part.chunks(TOGETHER) {
                            probe.look_up(number, std::slice::from_ref(flip), group);
                        }
                    }
                });
            }
            return probe.report();
        }
        let mut group = Vec::with_capacity(TOGETHER);
        for (queries, first) in queries.chunks(TOGETHER).zip((0..).step_by(TOGETHER)) {
            group.clear();
            group.extend(queries.iter().zip(first..).map(|(query, number)| (number, query.fingerprint.0)));
            for (number, step) in steps.iter().enumerate() {
                for part in group.chunks((TOGETHER / step.flips.len()).max(1)) {
                    for flips in step.flips.chunks(TOGETHER) {
                        probe.look_up(number, flips, part);
                    }
                }
            }
        }
        probe.report();
    }
}

fn build_tables<W: Entry>(layout: &Layout, fingerprints: &[u64]) -> Vec<Table<W>> {
    let mut scratch = Scratch::default();
    layout.headers.iter().map(|&header| Table::build(header, fingerprints, &mut scratch)).collect()
}

impl HammingSearch for MultiIndex {
    fn len(&self) -> usize {
        self.length
    }

    fn search_batch(&self, queries: &[Query<'_>], radius: u32, want: Want, sink: &mut Sink<'_>) {
        check_radius(radius, LARGEST_RADIUS);
        match &self.tables {
            Tables::Tags(tables, fingerprints) => {
                self.run(tables, Some(fingerprints), queries, radius, want, sink);
            }
            Tables::Words(tables) => self.run(tables, None, queries, radius, want, sink),
        }
    }
}

#[cfg(test)]
mod tests;
