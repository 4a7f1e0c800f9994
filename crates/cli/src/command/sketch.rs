//! `twindex sketch`

use anyhow::Result;
use twindex_batch::hamming::{FingerprintInput, Notation};
use twindex_batch::sketch::{SketchJob, SketchSummary};

use super::hamming::{add_left_out, failure, is_standard, output, print_skipped, wrote};
use crate::arguments::{SketchAction, SketchOptions, SketchRule};
use crate::command::job::print_json;
use crate::progress::Bars;
use crate::say::Figures;
use crate::{size, words};

/// Lists sketches that are alike.
pub(crate) fn run(options: &SketchOptions) -> Result<()> {
    match &options.action {
        SketchAction::Pairs(options) => list(&options.inputs, None, &options.rule, "pairs"),
        SketchAction::Match(options) => {
            list(&options.stored, Some(&options.queries), &options.rule, "matches")
        }
    }
}

fn list(stored: &[String], queries: Option<&[String]>, rule: &SketchRule, what: &str) -> Result<()> {
    let input = |names: &[String]| -> FingerprintInput { rule.read.input(names, Notation::Hex) };
    let job = SketchJob {
        input: input(stored),
        queries: queries.map(input),
        threshold: rule.threshold,
        estimator: rule.estimator.into(),
        size: rule.size,
        output: output(rule.output.as_ref(), rule.printing.json, what)?,
        resources: rule.resources.resources()?,
    };
    let bars = Bars::new(rule.printing.quiet || is_standard(&job.output));
    let summary = job.run(&bars).map_err(failure)?;
    if rule.printing.json {
        print_json(&summary)?;
    }
    if !rule.printing.quiet {
        print_summary(&job, &summary, what);
    }
    Ok(())
}

fn print_summary(job: &SketchJob, summary: &SketchSummary, what: &str) {
    print_skipped(&summary.skipped);
    let mut figures = Figures::default();
    let sketches = words::count(summary.sketches, "sketch");
    let among = match summary.queries {
        Some(queries) => format!("of {} among {sketches}", words::count(queries, "query")),
        None => format!("among {sketches}"),
    };
    figures.add(what, words::number(summary.pairs), among);
    add_left_out(&mut figures, summary.without, summary.skipped_rows);
    let index = format!("sketches of up to {}, and their index", words::count(summary.size as u64, "hash"));
    figures.add("memory", size::print(summary.bytes), index);
    let threads = words::count(job.resources.threads as u64, "thread");
    figures.add("time", words::duration(summary.seconds), threads);
    figures.print();
    wrote(&job.output);
}
