//! From the command line to a job, in one place; its forecast and its summary.

use std::io::Write;

use anyhow::Result;
use twindex_batch::{BatchError, Existing, Job, Mode, Outputs, Plan, Summary};
use twindex_corpus::{ReadOptions, is_stream};

use crate::arguments::JobOptions;
use crate::command::{choice, idf, outputs};
use crate::exit::{self, UsageError};
use crate::hint::Hinted;
use crate::progress::Bars;
use crate::say::{self, Figures};
use crate::{size, words};

/// The job that the options describe.
pub(crate) fn job(options: &JobOptions, mode: Mode, outputs: Outputs) -> Result<Job> {
    let mut job = Job::new(options.inputs.clone(), mode, outputs).map_err(|error| match error {
        BatchError::KeepField(error) => UsageError(format!("--keep: {error}")).into(),
        error => anyhow::Error::from(error),
    })?;
    let resources = &options.resources;
    job.against.clone_from(&options.against);
    // Kept rows are copied from their file: whole ones are decoded only to be shown.
    let whole_rows = job.outputs.removed_rows;
    job.read = ReadOptions { extra: job.read.extra, whole_rows, ..choice::read(&options.read) };
    job.recipe = choice::recipe(&options.recipe)?;
    job.frequencies = idf::given(&job.recipe, options.idf.as_deref())?;
    job.unique_ids = options.unique_ids;
    job.dedup_wordless = options.dedup_wordless;
    job.on_error = options.on_error.into();
    job.existing = match (resources.resume, resources.fresh) {
        (true, _) => Existing::Resume,
        (_, true) => Existing::Replace,
        _ => Existing::Refuse,
    };
    if let Some(work) = &resources.work {
        job.work.clone_from(work);
    }
    job.pace.checkpoint_bytes = resources.checkpoint.unwrap_or(job.pace.checkpoint_bytes);
    job.memory = resources.memory.unwrap_or(job.memory);
    job.threads = choice::threads(resources.threads);
    job.kernel = choice::kernel(resources.kernel.as_deref())?;
    job.command = command_line();
    Ok(job)
}

pub(crate) fn command_line() -> String {
    let quote = |word: String| if word.contains(char::is_whitespace) { format!("'{word}'") } else { word };
    let words = std::env::args().skip(1).map(quote);
    std::iter::once("twindex".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// Prints the forecast, runs the job and returns its summary; `None` after a dry run.
pub(crate) fn run(options: &JobOptions, job: &Job) -> Result<Option<Summary>> {
    let quiet = options.quiet;
    outputs::check_names(job, options.json)?;
    let plan = twindex_batch::plan(job).map_err(|error| failure(error, job))?;
    if !quiet {
        print_forecast(job, &plan, options.resources.dry_run);
    }
    if options.resources.dry_run {
        if options.json {
            print_json(&plan)?;
        }
        return Ok(None);
    }
    let summary = twindex_batch::run(job, &Bars::new(quiet)).map_err(|error| failure(error, job))?;
    if !quiet {
        for line in &summary.skipped {
            eprintln!("skipped: {line}");
        }
    }
    if options.json {
        print_json(&summary)?;
    }
    Ok(Some(summary))
}

/// The error of a failed job, with a hint if the work folder can be resumed.
fn failure(error: BatchError, job: &Job) -> anyhow::Error {
    let is_usage = matches!(error, BatchError::AgainstStandardInput | BatchError::StandardInputTwice);
    if is_usage {
        return UsageError::from_cause(error);
    }
    let may_succeed_later = error.may_pass();
    let error = anyhow::Error::from(error);
    if exit::is_broken_pipe(&error) && job.outputs.first_file().is_some() {
        // Nobody misses what was not read, but the files were asked for.
        return anyhow::anyhow!("standard output was closed early, so no output was written");
    }
    if may_succeed_later && job.work.join("checkpoint").exists() {
        let folder = job.work.display();
        // Without output files the folder has another name each time.
        let named =
            if job.outputs.first_file().is_none() { format!("--work {folder} ") } else { String::new() };
        let hint = format!("what was done so far is in {folder}; {named}--resume goes on from there");
        return Hinted { error, hint }.into();
    }
    error
}

/// A job that is over sooner is not worth a forecast, and the sample's own time would be most of
/// it.
const FORECAST_SECONDS: f64 = 1.0;

/// Prints the forecast.
fn print_forecast(job: &Job, plan: &Plan, is_dry_run: bool) {
    if is_dry_run || plan.seconds >= FORECAST_SECONDS {
        let about = if plan.exact { "" } else { "about " };
        eprintln!(
            "{about}{} in {}, {}: expect {}, {} of memory, {} of disk",
            words::count(plan.documents, "document"),
            words::count(plan.files, "file"),
            size::print(plan.row_bytes),
            words::duration(plan.seconds),
            size::print(plan.memory_bytes),
            size::print(plan.work_bytes),
        );
    }
    if is_dry_run && job.inputs.iter().chain(&job.against).any(|input| is_stream(input)) {
        say::note("standard input and pipes can be read only once, so the forecast leaves them out");
    }
    if let Some(warning) = choice::weak_search(&job.recipe) {
        say::note(&warning);
    }
}

pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, value)?;
    writeln!(out)?;
    Ok(())
}

/// Adds what the job compared and how long it took.
pub(crate) fn add_effort(figures: &mut Figures, job: &Job, summary: &Summary) {
    if summary.skipped_rows + summary.against_skipped_rows > 0 {
        figures.add("skipped", words::number(summary.skipped_rows), of_skipped(summary));
    }
    if summary.against > 0 {
        figures.add("against", words::number(summary.against), "that can only be witnesses");
    }
    let candidates = format!("of {}", words::count(summary.candidates, "candidate"));
    figures.add("compared", words::number(summary.compared), candidates);
    let speed = format!(
        "{}, {} documents/s; recipe {}, {}, kernel {}",
        words::speed(summary.megabytes_per_second),
        words::number(summary.documents_per_second as u64),
        job.recipe.name,
        words::count(job.threads as u64, "thread"),
        job.kernel.name()
    );
    figures.add("time", words::duration(summary.seconds), speed);
}

/// Where the rows that were left out are listed.
fn of_skipped(summary: &Summary) -> String {
    let where_listed = match &summary.skipped_file {
        Some(file) => format!("all listed in {file}, the first above"),
        None => "listed above".to_owned(),
    };
    let where_listed = match summary.against_skipped_rows {
        0 => where_listed,
        against => format!("and {} of --against, {where_listed}", words::number(against)),
    };
    words::bad_rows(summary.skipped_rows, &where_listed)
}

/// What may surprise about the documents, and what to do about it.
pub(crate) fn print_notes(job: &Job, summary: &Summary) {
    if summary.null_texts > 0 {
        let rows = words::count(summary.null_texts, "row");
        say::note(&format!("{rows} with null as text: duplicates of nothing"));
    }
    // A single one has no copy.
    if summary.without_words > 1 && !job.dedup_wordless {
        let documents = words::count(summary.without_words, "document");
        say::note(&format!(
            "{documents} without words (empty, only punctuation): duplicates of nothing, unless --dedup-wordless"
        ));
    }
    if !summary.other_records.is_empty() {
        let records = words::count(summary.other_records.values().sum(), "record");
        let mut reasons: Vec<_> = summary.other_records.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let reasons: Vec<String> =
            reasons.iter().map(|(reason, count)| format!("{} {reason}", words::number(**count))).collect();
        say::note(&format!("{records} that are no documents, passed on: {}", reasons.join(", ")));
    }
    if summary.repeated_ids > 0 {
        let verb = if summary.repeated_ids == 1 { "repeats" } else { "repeat" };
        let rows = words::count(summary.repeated_ids, "row");
        say::note(&format!(
            "{rows} {verb} an id of an earlier row; the column place distinguishes them; --unique-ids makes this an error"
        ));
    }
}
