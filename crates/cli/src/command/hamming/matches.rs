//! `twindex hamming match`

use std::path::Path;

use anyhow::Result;
use twindex_batch::hamming::{FingerprintStore, MatchJob, MatchSummary, SearchMethod, Stored};
use twindex_core::search::Want;

use super::{add_left_out, failure, is_standard, output, print_skipped, wrote};
use crate::arguments::{HammingMatchOptions, HammingSearchName};
use crate::command::job::print_json;
use crate::exit::UsageError;
use crate::progress::Bars;
use crate::say::{self, Figures};
use crate::{size, words};

/// The recall of probabilistic matching, as in its paper.
const USUAL_RECALL: f64 = 0.95;

/// Lists the matches of queries.
pub(super) fn run(options: &HammingMatchOptions) -> Result<()> {
    let printing = &options.printing;
    let method = method(options)?;
    let job = MatchJob {
        queries: options.read.input(&options.queries, options.notation),
        stored: stored(options),
        radius: options.radius,
        method,
        want: if options.first { Want::First } else { Want::All },
        output: output(options.output.as_ref(), printing.json, "matches")?,
        resources: options.resources.resources()?,
    };
    let bars = Bars::new(printing.quiet || is_standard(&job.output));
    let summary = job.run(&bars).map_err(failure)?;
    if printing.json {
        print_json(&summary)?;
    }
    if !printing.quiet {
        print_summary(&job, &summary);
    }
    Ok(())
}

/// A store is a folder that `hamming store` made; anything else is read as files.
fn stored(options: &HammingMatchOptions) -> Stored {
    match &options.stored[..] {
        [folder] if FingerprintStore::is_at(Path::new(folder)) => Stored::Folder(folder.into()),
        names => Stored::Files(options.read.input(names, options.notation)),
    }
}

fn method(options: &HammingMatchOptions) -> Result<SearchMethod> {
    let method = match options.search {
        HammingSearchName::Exact => SearchMethod::Exact,
        HammingSearchName::Bphs => SearchMethod::Blocks(options.tables),
        HammingSearchName::Psm => SearchMethod::Psm(options.recall.unwrap_or(USUAL_RECALL)),
    };
    if options.tables.is_some() && options.search != HammingSearchName::Bphs {
        let message = "--tables is for --search bphs: the other searches choose their tables";
        return Err(UsageError(message.to_owned()).into());
    }
    if options.recall.is_some() && options.search != HammingSearchName::Psm {
        let message = "--recall is for --search psm: the other searches find everything";
        return Err(UsageError(message.to_owned()).into());
    }
    let largest = method.largest_radius();
    if options.radius > largest {
        let message = format!(
            "--radius {}: --search {} serves up to {largest} bits; --search exact serves more",
            options.radius,
            method.name()
        );
        return Err(UsageError(message).into());
    }
    Ok(method)
}

fn print_summary(job: &MatchJob, summary: &MatchSummary) {
    print_skipped(&summary.skipped);
    let mut figures = Figures::default();
    let of = format!(
        "within {} of {} among {} stored",
        words::count(summary.radius.into(), "bit"),
        words::count(summary.queries, "query"),
        words::number(summary.stored)
    );
    figures.add("matches", words::number(summary.matches), of);
    figures.add("matched", words::number(summary.matched), "queries with at least one");
    add_left_out(&mut figures, summary.without, summary.skipped_rows);
    if let Some(recall) = &summary.recall {
        let (measured, meaning) = match recall.measured {
            Some(measured) => (
                format!("{measured:.3}"),
                format!(
                    "of {} of a sample, {} wanted; {} flips of {} header bits",
                    words::count(recall.matches, "match"),
                    recall.wanted,
                    recall.flips,
                    recall.header_bits
                ),
            ),
            None => ("?".to_owned(), "no sampled query has a match, so it could not be measured".to_owned()),
        };
        figures.add("recall", measured, meaning);
    }
    let tables = match summary.tables {
        0 => "a scan".to_owned(),
        tables => words::count(tables, "table"),
    };
    figures.add("index", size::print(summary.index_bytes), format!("{}, {tables}", summary.search));
    let rate = summary.queries as f64 / summary.search_seconds.max(1e-9);
    let time = format!(
        "{} to build, {} queries/s; {}, kernel {}",
        words::duration(summary.build_seconds),
        words::number(rate as u64),
        words::count(job.resources.threads as u64, "thread"),
        job.resources.kernel.name()
    );
    figures.add("time", words::duration(summary.seconds), time);
    figures.print();
    if summary
        .recall
        .as_ref()
        .is_some_and(|recall| recall.measured.is_some_and(|found| found < recall.wanted))
    {
        say::note(
            "the recall is below the wanted one although all flips are tried; --search exact finds everything",
        );
    }
    wrote(&job.output);
}
