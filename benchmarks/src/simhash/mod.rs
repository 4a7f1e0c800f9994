//! Fingerprints per second: every kernel, short and long documents, synthetic and real text.
//!
//! The baseline is `naive`, the obvious plain loop, compiled like the rest of the program for the
//! oldest x86-64. Every row is compared with it: all fingerprints are equal, or the row is not
//! checked and the run fails.
//!
//! | row | what is measured |
//! |---|---|
//! | `read` | reading the same memory and doing nothing: the bound |
//! | `naive` | one byte after another, 64 additions a word, the FPGA paper's rule |
//! | `KERNEL` | the same fingerprints, a call for each document |
//! | `KERNEL+stream` | documents in one text, a line each, one call for all |
//! | `KERNEL+margins` | a call for each document, the 64 sums instead of the fingerprint |
//! | `KERNEL+fold`, `KERNEL+fold+stop` | our rule: folded, everything but letters and digits separates; without stop words |
//! | `words-parallel` | each document divided between the threads, instead of the documents |
//! | `KERNEL+fold+sdbm` | the same words with the FPGA paper's hash: the recipe `fpga` |
//! | `program RECIPE` | `twindex fingerprint` over a file of lines, if the program was built |
//! | `grams` | runs of three characters, for text without spaces |

pub(crate) mod documents;
mod grams;
pub(crate) mod naive;
mod program;
mod quality;
pub(crate) mod threads;

use std::process::ExitCode;
use std::time::Duration;

use twindex_core::fingerprint::{Simhash, SimhashScratch, Simhasher};
use twindex_core::kernel::Kernel;
use twindex_core::kernel::words::WordRule;
use twindex_core::text::{Analyzer, StopList, TextOptions};

use crate::measure::{Options, Report, Row, best_cpu_time};
use documents::Documents;
use program::Case;

/// The figure of the FPGA paper, for comparison.
const PAPER: &str = "paper: states 4.8 GB/s, its Table II implies 10.2";

/// The documents that the whole program is measured with.
const PROGRAM_CASE: &str = "4KB";

/// Measures and checks; see the module.
pub fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let mut report = Report::new("simhash", options);
    report.heading(PAPER);
    for documents in documents::made(options.quick) {
        measure(&documents, options, &mut report)?;
    }
    for (pack, case) in [("bulk_rfc_sample", "rfc"), ("bulk_tweets_sample", "tweets")] {
        if let Some(documents) = documents::real(options, pack, case)? {
            measure(&documents, options, &mut report)?;
        }
    }
    grams::measure(options, &mut report)?;
    quality::measure(options, &mut report)?;
    Ok(report.finish())
}

/// Runs of which the best counts.
fn times(options: &Options) -> usize {
    if options.quick { 1 } else { 5 }
}

fn measure(documents: &Documents, options: &Options, report: &mut Report) -> anyhow::Result<()> {
    let case = documents.case.as_str();
    let times = times(options);
    let rate = |time: Duration| documents.text.len() as f64 / 1e9 / time.as_secs_f64();
    report.heading(&format!("{case}: {}", documents.description()));

    let read = rate(best_cpu_time(times, || documents::read(&documents.text)));
    report.row(Row::new("read", case).metric("GB/s", read).checked(true));

    let expected = naive::fingerprints(documents);
    let naive_time = best_cpu_time(times.min(3), || naive::fingerprints(documents));
    let naive = rate(naive_time);
    report.row(Row::new("naive", case).metric("GB/s", naive).checked(true));

    let stopping = Analyzer::new(&TextOptions { stop_words: vec![StopList::En], ..Default::default() })?;
    let folded = naive::folded(documents, &Analyzer::new(&TextOptions::default())?);
    let stopped = naive::folded(documents, &stopping);
    let sdbm_folded = naive::folded_by_sdbm(documents);
    let mut folded_rates = vec![];
    for kernel in Kernel::available() {
        let mut row = |name: &str, expected: &[Simhash], work: &mut dyn FnMut(&mut Vec<Simhash>)| -> f64 {
            let mut found = Vec::with_capacity(expected.len());
            let time = best_cpu_time(times, || {
                found.clear();
                work(&mut found);
            });
            let row = Row::new(format!("{}{name}", kernel.name()), case).metric("GB/s", rate(time));
            let row = row.against("naive", rate(time) / naive).checked(found == expected);
            report.row(row.note(format!("{:.2} of a plain read; {PAPER}", rate(time) / read)));
            rate(time)
        };
        let hasher = Simhasher::new(kernel);
        let mut scratch = SimhashScratch::default();
        row("", &expected, &mut |found| {
            for document in documents.iter() {
                let ends = [document.len()];
                hasher.texts(WordRule::Printable, document, &ends, &mut scratch, found);
            }
        });
        row("+stream", &expected, &mut |found| {
            hasher.texts(WordRule::Printable, &documents.text, &documents.ends, &mut scratch, found);
        });
        row("+margins", &expected, &mut |found| {
            for document in documents.iter() {
                let margins = hasher.text_margins(WordRule::Printable, document, &mut scratch);
                found.push(std::hint::black_box(margins).simhash());
            }
        });
        let folded_rate = row("+fold", &folded, &mut |found| {
            hasher.texts(WordRule::Alphanumeric, &documents.text, &documents.ends, &mut scratch, found);
        });
        let sdbm_rate = row("+fold+sdbm", &sdbm_folded, &mut |found| {
            hasher.texts(WordRule::AlphanumericSdbm, &documents.text, &documents.ends, &mut scratch, found);
        });
        folded_rates.push((kernel.name(), folded_rate, sdbm_rate));
        let mut buffers = Stopping::default();
        row("+fold+stop", &stopped, &mut |found| buffers.fingerprints(kernel, &stopping, documents, found));
    }
    threads::measure(documents, &expected, options, report);
    // The program takes the best kernel, which is the first.
    if case == PROGRAM_CASE
        && let Some(&(kernel, folded_rate, sdbm_rate)) = folded_rates.first()
    {
        let (fold, sdbm) = (format!("{kernel}+fold"), format!("{kernel}+fold+sdbm"));
        let cases = [
            Case { recipe: "simhash", expected: &folded, kernel: (&fold, folded_rate) },
            Case { recipe: "fpga", expected: &sdbm_folded, kernel: (&sdbm, sdbm_rate) },
        ];
        program::measure(documents, &cases, options, report)?;
    }
    Ok(())
}

/// Words, without those of a stop list, and their fingerprints.
#[derive(Default)]
struct Stopping {
    scratch: SimhashScratch,
    hashes: Vec<u64>,
    ends: Vec<usize>,
    word_ends: Vec<usize>,
}

impl Stopping {
    fn fingerprints(
        &mut self,
        kernel: Kernel,
        analyzer: &Analyzer,
        documents: &Documents,
        found: &mut Vec<Simhash>,
    ) {
        for (text, ends) in documents.parts() {
            self.hashes.clear();
            self.word_ends.clear();
            self.ends.clear();
            self.ends.extend(ends);
            kernel.words(WordRule::Alphanumeric, text, &self.ends, &mut self.hashes, &mut self.word_ends);
            analyzer.remove_stop_words(&mut self.hashes, 0, &mut self.word_ends);
            Simhasher::new(kernel).batch(&self.hashes, &self.word_ends, &mut self.scratch, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_run_finds_every_kernel_right() {
        let options = Options { quick: true, packs: Some("nowhere".into()), ..Options::default() };
        assert_eq!(run(&options).unwrap(), ExitCode::SUCCESS);
    }
}
