//! Two threads: should they divide the documents, or the words of each document?
//!
//! The FPGA paper compares the same two: engines with a document each, and engines that share one.

use std::sync::{Barrier, Mutex};
use std::thread;

use twindex_core::fingerprint::{Margins, Simhash, SimhashScratch, Simhasher};
use twindex_core::kernel::Kernel;
use twindex_core::kernel::words::WordRule;

use super::documents::Documents;
use super::{PAPER, times};
use crate::measure::{Options, Report, Row, best_wall_time};

pub(crate) const THREADS: usize = 2;
const RULE: WordRule = WordRule::Printable;

/// Threads that share a document synchronise twice for each, so that a message costs as much as a
/// chapter: at most these.
pub(crate) const MOST_SHARED: usize = 20_000;

pub(super) fn measure(documents: &Documents, expected: &[Simhash], options: &Options, report: &mut Report) {
    let kernel = Kernel::best();
    let times = times(options).min(3);
    let mut found = vec![];
    let mut one_thread = 0.0;
    for (threads, name) in [(1, "+stream"), (THREADS, "+stream"), (THREADS, "+words-parallel")] {
        let time = best_wall_time(times, || {
            found = match name {
                "+stream" => documents_parallel(documents, kernel, threads),
                _ => words_parallel(documents, kernel),
            };
        });
        let bytes = documents.ends[found.len().saturating_sub(1)];
        let rate = bytes as f64 / 1e9 / time.as_secs_f64();
        let mut row = Row::new(format!("{}{name}", kernel.name()), &documents.case).threads(threads);
        if threads == 1 {
            one_thread = rate;
            row = row.note("wall clock");
        } else {
            row = row.against("1 thread", rate / one_thread).note(format!("wall clock; {PAPER}"));
        }
        report.row(row.metric("GB/s", rate).checked(found == expected[..documents_of(name, expected.len())]));
    }
}

/// How many of the documents a row is about.
fn documents_of(name: &str, all: usize) -> usize {
    if name == "+stream" { all } else { all.min(MOST_SHARED) }
}

/// Each thread has its share of the documents.
pub(crate) fn documents_parallel(documents: &Documents, kernel: Kernel, threads: usize) -> Vec<Simhash> {
    let share = documents.ends.len().div_ceil(threads).max(1);
    let starts = std::iter::once(0).chain(documents.ends.iter().copied().skip(share - 1).step_by(share));
    thread::scope(|scope| {
        let workers: Vec<_> = starts
            .zip(documents.ends.chunks(share))
            .map(|(start, ends)| {
                scope.spawn(move || {
                    let ends: Vec<usize> = ends.iter().map(|end| end - start).collect();
                    let mut found = Vec::with_capacity(ends.len());
                    let mut scratch = SimhashScratch::default();
                    Simhasher::new(kernel).texts(
                        RULE,
                        &documents.text[start..],
                        &ends,
                        &mut scratch,
                        &mut found,
                    );
                    found
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    })
}

/// The threads share each document: one takes its first half, one its second, and their sums are
/// added.
pub(crate) fn words_parallel(documents: &Documents, kernel: Kernel) -> Vec<Simhash> {
    let hasher = Simhasher::new(kernel);
    let second_half = Mutex::new([0; 64]);
    let (begun, done) = (Barrier::new(THREADS), Barrier::new(THREADS));
    let halves = |document: &'_ [u8]| {
        let middle = document.len() / 2;
        let word = document[middle..].iter().position(|&byte| !RULE.is_word(byte));
        word.map_or(document.len(), |length| middle + length)
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut scratch = SimhashScratch::default();
            for document in documents.iter().take(MOST_SHARED) {
                begun.wait();
                let sums = hasher.text_margins(RULE, &document[halves(document)..], &mut scratch).0;
                if let Ok(mut second_half) = second_half.lock() {
                    *second_half = sums;
                }
                done.wait();
            }
        });
        let mut scratch = SimhashScratch::default();
        let mut one = |document: &[u8]| {
            begun.wait();
            let mut sums = hasher.text_margins(RULE, &document[..halves(document)], &mut scratch).0;
            done.wait();
            if let Ok(second_half) = second_half.lock() {
                sums.iter_mut().zip(second_half.iter()).for_each(|(sum, other)| *sum += other);
            }
            Margins(sums).simhash()
        };
        documents.iter().take(MOST_SHARED).map(&mut one).collect()
    })
}
