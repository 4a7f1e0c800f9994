//! `twindex dedup`

use anyhow::Result;
use twindex_batch::{Job, Mode, Outputs, Summary};

use crate::arguments::DedupOptions;
use crate::command::job;
use crate::say::{self, Figures};
use crate::words;

/// Keeps one of each.
pub(crate) fn run(options: &DedupOptions) -> Result<()> {
    let outputs = Outputs {
        kept: options.output.clone(),
        removed: options.removed.clone(),
        removed_rows: options.removed_rows,
        pairs: options.pairs.clone(),
        clusters: options.clusters.clone(),
        report: options.report.clone(),
        ..Outputs::default()
    };
    let mut job = job::job(&options.job, Mode::Dedup(options.keep.clone()), outputs)?;
    if let Some(index) = &options.remember {
        let named = job.work.clone();
        job.remember_in(index.clone());
        if options.job.resources.work.is_some() {
            job.work = named;
        }
    }
    let Some(summary) = job::run(&options.job, &job)? else { return Ok(()) };
    if !options.job.quiet {
        report(options, &job, &summary);
    }
    Ok(())
}

fn report(options: &DedupOptions, job: &Job, summary: &Summary) {
    let is_trial = options.output.is_none() && options.remember.is_none();
    let [kept, removed] = if is_trial { ["would keep", "would remove"] } else { ["kept", "removed"] };
    let mut figures = Figures::default();
    figures.add(kept, words::number(summary.kept), format!("of {}", words::count(summary.rows, "row")));
    figures.add(removed, words::number(summary.removed), of_removed(summary));
    if let Some(coverage) = summary.coverage {
        let [least, mean] = coverage.rounded_down();
        let meaning = format!("of a near-duplicate, at least, is in its witness; {mean} on average");
        figures.add("covered", least, meaning);
    }
    if let Some(index) = &options.remember {
        figures.add("remembered", words::number(summary.remembered), format!("in {}", index.display()));
    }
    figures.add("clusters", words::number(summary.clusters), "");
    job::add_effort(&mut figures, job, summary);
    figures.print();
    job::print_notes(job, summary);
    if let Some(field) = options.keep.field().filter(|_| summary.without_keep_field > 0) {
        say::note(&format!(
            "{} without the field {field}, on which --keep {} decides: chosen after all others",
            words::count(summary.without_keep_field, "document"),
            options.keep
        ));
    }
    if let Some(why) = summary.why_kept(job.recipe.rule) {
        let verb = if summary.kept_by_coverage == 1 { "stays" } else { "stay" };
        say::note(&format!("{} {verb}, {why}", words::count(summary.kept_by_coverage, "near-duplicate")));
    }
    if summary.hot_pairs_left_out > 0 {
        say::note(&format!(
            "{} left out, of documents that share a bucket with more than {} others (templates, boilerplate); \
             a larger candidates.bucket_limit in the recipe compares more",
            words::count(summary.hot_pairs_left_out, "candidate"),
            job.recipe.candidates.bucket_limit
        ));
    }
    let outputs = [&options.output, &options.removed, &options.pairs, &options.clusters, &options.report];
    say::wrote(outputs.into_iter().flatten());
    if is_trial {
        let report = if options.report.is_none() { ", --report report.html shows the pairs" } else { "" };
        say::hint(&format!("--output KEPT writes the kept rows{report}"));
    }
}

/// The removed documents by kind: copies of an earlier text, which may be removed itself, and
/// near-duplicates.
fn of_removed(summary: &Summary) -> String {
    let near = summary.removed.saturating_sub(summary.exact_duplicates);
    let copies = if summary.exact_duplicates == 1 { "copy" } else { "copies" };
    let equal = format!("{} {copies} of an earlier text", words::number(summary.exact_duplicates));
    match (summary.exact_duplicates, near) {
        (0, 0) => String::new(),
        (_, 0) => equal,
        (0, _) => words::count(near, "near-duplicate"),
        _ => format!("{equal}, {}", words::count(near, "near-duplicate")),
    }
}
