//! Looks up groups of queries.
//!
//! A look-up has three dependent cache misses: the offsets of its bucket, the bucket, and the
//! survivors. A single query would wait for each. A group goes through the steps together, each
//! step prefetching the lines that the next one reads, so that the misses of the group overlap:
//!
//! ```text
//! for each table, for each query of the group and each flip of its header:
//!     1. prefetch the offsets   2. read them   3. compare the buckets' entries, prefetching ahead
//!        (where buckets have lines, only: compare the lines, prefetching ahead)
//!     4. drop survivors that an earlier table reports; prefetch the positions of the others
//! for all survivors of some groups:
//!     5. read the positions, prefetch the fingerprints   6. compare in full, report if first table
//! ```
//!
//! Rule 6 reports every match once: table i reports only what no earlier table reports, which the
//! difference of the two fingerprints decides.

use crate::fingerprint::Simhash;
use crate::kernel::Kernel;
use crate::kernel::hamming::{Line, LineLookUp, LookUp, Survivor};
use crate::kernel::memory::prefetch;
use crate::search::hamming::{Match, Sink, Want};

use super::layout::Header;
use super::table::{Entry, Table};

/// A table's part in a search.
#[derive(Debug, Clone)]
pub(in crate::search) struct Step {
    /// The number of the table.
    pub(in crate::search) table: usize,
    /// In how many bits of its header a match may differ.
    pub(in crate::search) radius: u32,
    /// The bits of its header.
    pub(in crate::search) mask: u64,
    /// All flips of at most `radius` bits.
    pub(in crate::search) flips: Vec<u32>,
}

/// Look-ups that go through the steps together. Their lines must stay in the L1 cache between two
/// steps.
pub(in crate::search) const TOGETHER: usize = 256;

/// Candidates that are reported together, so that their cache misses overlap too.
const MANY: usize = 64;

/// A search in progress.
pub(in crate::search) struct Probe<'i, 's, 'f, W> {
    tables: &'i [Table<W>],
    /// The fingerprints by position, if entries are only a part of them.
    fingerprints: Option<&'i [u64]>,
    steps: &'i [Step],
    radius: u32,
    want: Want,
    kernel: Kernel,
    /// Whether a query is open, that is, still wants matches.
    open: Vec<bool>,
    sink: &'s mut Sink<'f>,
    pending: Vec<Pending>,
    look_ups: Vec<LookUp<W>>,
    line_look_ups: Vec<LineLookUp>,
    /// Look-ups in buckets that overflow their line.
    overflowing: Vec<Pending>,
    survivors: Vec<Survivor>,
    candidates: Vec<Candidate>,
}

/// A look-up before its bucket is known.
#[derive(Clone, Copy)]
pub(in crate::search) struct Pending {
    /// The number of the query.
    pub(in crate::search) query: u32,
    /// The flipped bits of its header.
    pub(in crate::search) flip: u32,
    /// Its fingerprint.
    pub(in crate::search) fingerprint: u64,
}

impl Pending {
    /// The number of its bucket.
    #[inline(always)]
    fn bucket(&self, header: Header) -> usize {
        (header.of(self.fingerprint) ^ self.flip) as usize
    }
}

/// An entry that survived.
struct Candidate {
    query: u32,
    /// The number of the step.
    step: u32,
    /// Its place in the table, then its position in the collection.
    place: u32,
    fingerprint: u64,
    /// The known part of the difference; for whole fingerprints all of it.
    difference: u64,
}

impl<'i, 's, 'f, W: Entry> Probe<'i, 's, 'f, W> {
    #[expect(clippy::too_many_arguments, reason = "the parts of a search, each named at its only caller")]
    pub(in crate::search) fn new(
        tables: &'i [Table<W>],
        fingerprints: Option<&'i [u64]>,
        steps: &'i [Step],
        queries: usize,
        radius: u32,
        want: Want,
        kernel: Kernel,
        sink: &'s mut Sink<'f>,
    ) -> Self {
        let open = vec![true; queries];
        let (pending, look_ups) = (Vec::with_capacity(TOGETHER), Vec::with_capacity(TOGETHER));
        let (line_look_ups, overflowing, survivors, candidates) = (vec![], vec![], vec![], vec![]);
        Probe {
            tables,
            fingerprints,
            steps,
            radius,
            want,
            kernel,
            open,
            sink,
            pending,
            look_ups,
            line_look_ups,
            overflowing,
            survivors,
            candidates,
        }
    }

    /// Whether the query is open.
    pub(in crate::search) fn is_open(&self, query: u32) -> bool {
        self.open[query as usize]
    }

    /// Looks up every query of the group (its number and its fingerprint) with every flip in one
    /// table.
    pub(in crate::search) fn look_up(&mut self, step: usize, flips: &[u32], group: &[(u32, u64)]) {
        let table = &self.tables[self.steps[step].table];
        let (header, all) = (table.header, self.want == Want::All);
        self.pending.clear();
        for &(query, fingerprint) in group {
            if all || self.is_open(query) {
                let bucket = header.of(fingerprint);
                for &flip in flips {
                    if table.lines.is_empty() {
                        prefetch(&table.offsets, (bucket ^ flip) as usize);
                    }
                    self.pending.push(Pending { query, flip, fingerprint });
                }
            }
        }
        self.probe_pending(step);
    }

    /// Step 1 of a look-up in a table without lines.
    #[inline(always)]
    pub(in crate::search) fn prefetch(&self, step: usize, look_up: &Pending) {
        let table = &self.tables[self.steps[step].table];
        prefetch(&table.offsets, look_up.bucket(table.header));
    }

    /// Looks up what the caller has collected and prefetched, in one table.
    pub(in crate::search) fn look_up_pending(&mut self, step: usize, look_ups: &[Pending]) {
        for part in look_ups.chunks(TOGETHER) {
            self.pending.clear();
            self.pending.extend_from_slice(part);
            self.probe_pending(step);
        }
    }

    /// Steps 2 to 4, then 5 and 6 if there are enough candidates.
    fn probe_pending(&mut self, step: usize) {
        if self.tables[self.steps[step].table].lines.is_empty() {
            self.probe_buckets(step, 0);
        } else {
            self.probe_lines(step);
        }
    }

    /// The same without the first `skipped` entries of each bucket.
    fn probe_buckets(&mut self, step: usize, skipped: u32) {
        let table = &self.tables[self.steps[step].table];
        let header = table.header;
        self.look_ups.clear();
        self.look_ups.extend(self.pending.iter().map(|pending| {
            let bucket = pending.bucket(header);
            let (start, end) = (table.offsets[bucket] + skipped, table.offsets[bucket + 1]);
            let word = W::of(pending.fingerprint, header);
            LookUp { start, end, word, radius: W::radius(self.radius, pending.flip) }
        }));
        self.survivors.clear();
        self.kernel.look_up(&table.entries, &self.look_ups, &mut self.survivors);
        self.collect_candidates(step);
    }

    /// The same for buckets with lines: offsets are read only for survivors and for the few buckets
    /// that overflow.
    fn probe_lines(&mut self, step: usize) {
        let table = &self.tables[self.steps[step].table];
        let header = table.header;
        self.line_look_ups.clear();
        self.line_look_ups.extend(self.pending.iter().map(|pending| LineLookUp {
            line: pending.bucket(header) as u32,
            tag: u32::of(pending.fingerprint, header),
            radius: u32::radius(self.radius, pending.flip),
        }));
        self.survivors.clear();
        self.kernel.look_up_lines(&table.lines, &self.line_look_ups, &mut self.survivors);
        for survivor in &self.survivors {
            prefetch(&table.offsets, self.line_look_ups[survivor.look_up as usize].line as usize);
        }
        for survivor in &mut self.survivors {
            let line = self.line_look_ups[survivor.look_up as usize].line;
            survivor.position += table.offsets[line as usize];
        }
        for (pending, wanted) in self.pending.iter().zip(&self.line_look_ups) {
            if table.lines[wanted.line as usize].count() > Line::MOST as u32 {
                prefetch(&table.offsets, wanted.line as usize);
                self.overflowing.push(*pending);
            }
        }
        self.collect_candidates(step);
        if !self.overflowing.is_empty() {
            std::mem::swap(&mut self.pending, &mut self.overflowing);
            self.overflowing.clear();
            self.probe_buckets(step, Line::MOST as u32);
        }
    }

    /// Step 4.
    fn collect_candidates(&mut self, step: usize) {
        let table = &self.tables[self.steps[step].table];
        let known = W::known(table.header);
        let earlier = &self.steps[..step];
        // With lines, reading the entry is another cache miss, and there is nothing to check for
        // the first table.
        let is_entry_needed = !(earlier.is_empty() && self.fingerprints.is_some());
        for survivor in &self.survivors {
            let Pending { query, flip, fingerprint } = self.pending[survivor.look_up as usize];
            let mut difference = 0;
            if is_entry_needed {
                let entry = table.entries[survivor.position as usize];
                difference = W::spread(entry ^ W::of(fingerprint, table.header), flip, table.header);
            }
            if !reported(earlier, difference, known) {
                prefetch(&table.positions, survivor.position as usize);
                let place = survivor.position;
                self.candidates.push(Candidate { query, step: step as u32, place, fingerprint, difference });
            }
        }
        if self.want == Want::First || self.candidates.len() >= MANY {
            self.report();
        }
    }

    /// Steps 5 and 6, for all candidates.
    pub(in crate::search) fn report(&mut self) {
        let (tables, fingerprints, steps) = (self.tables, self.fingerprints, self.steps);
        for candidate in &mut self.candidates {
            let table = &tables[steps[candidate.step as usize].table];
            candidate.place = table.positions[candidate.place as usize];
            if let Some(fingerprints) = fingerprints {
                prefetch(fingerprints, candidate.place as usize);
            }
        }
        for candidate in self.candidates.drain(..) {
            let position = candidate.place;
            let difference = fingerprints
                .map_or(candidate.difference, |stored| stored[position as usize] ^ candidate.fingerprint);
            let distance = Simhash(difference).distance(Simhash(0));
            let open = &mut self.open[candidate.query as usize];
            let earlier = &steps[..candidate.step as usize];
            if distance <= self.radius && *open && !reported(earlier, difference, u64::MAX) {
                let counts = (self.sink)(candidate.query as usize, Match { position, distance });
                *open = !(counts && self.want == Want::First);
            }
        }
    }
}

/// Whether an earlier table reports a match of that difference, as far as the known bits show.
#[inline(always)]
fn reported(earlier: &[Step], difference: u64, known: u64) -> bool {
    let reports = |step: &Step| {
        let differing = difference & step.mask;
        // Without a population count instruction, counting takes a dozen steps; most radii are
        // zero.
        let is_near = differing == 0 || step.radius > 0 && differing.count_ones() <= step.radius;
        step.mask & !known == 0 && is_near
    };
    earlier.iter().any(reports)
}
