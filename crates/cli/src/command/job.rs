//! From what the user typed to a job, in one place; and what is said before and after it.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use twindex_batch::{BatchError, Existing, Job, Mode, OnError, Outputs, Pace, Plan, Summary};
use twindex_corpus::{ReadOptions, STANDARD_STREAM, WORK_SUFFIX};

use crate::arguments::{self, JobOptions};
use crate::command::{choice, idf, outputs};
use crate::exit::{self, Hinted, UsageError};
use crate::progress::Bars;
use crate::say::{self, Figures};
use crate::{size, words};

/// The job that the options ask for.
pub(crate) fn job(options: &JobOptions, mode: Mode, outputs: Outputs) -> Result<Job> {
    let keep_field = match &mode {
        Mode::Dedup(policy) => policy.field(),
        Mode::Pairs => None,
    };
    let read = ReadOptions {
        extra: keep_field
            .map(str::parse)
            .transpose()
            .map_err(|error| UsageError(format!("--keep: {error}")))?
            .into_iter()
            .collect(),
        ..choice::read(&options.read)
    };
    let resources = &options.resources;
    let recipe = choice::recipe(&options.recipe)?;
    Ok(Job {
        inputs: options.inputs.clone(),
        against: options.against.clone(),
        read,
        frequencies: idf::given(&recipe, options.idf.as_deref())?,
        recipe,
        mode,
        unique_ids: options.unique_ids,
        dedup_wordless: options.dedup_wordless,
        on_error: match options.on_error {
            arguments::OnError::Fail => OnError::Fail,
            arguments::OnError::Skip => OnError::Skip,
        },
        work: resources.work.clone().unwrap_or_else(|| default_work_folder(&outputs)),
        outputs: Outputs { skipped: Some(skipped_list(&outputs)), ..outputs },
        existing: match (resources.resume, resources.fresh) {
            (true, _) => Existing::Resume,
            (_, true) => Existing::Replace,
            _ => Existing::Refuse,
        },
        memory: resources.memory.unwrap_or_else(default_memory),
        threads: choice::threads(resources.threads),
        kernel: choice::kernel(resources.kernel.as_deref())?,
        command: command_line(),
        pace: Pace::default(),
    })
}

/// Beside the first output, so that a killed job is found again; without an output, a temporary folder.
fn default_work_folder(outputs: &Outputs) -> PathBuf {
    match first_file(outputs) {
        Some(path) => beside(path, WORK_SUFFIX),
        None => {
            // Process numbers come again, above all in containers.
            let random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), std::process::id());
            std::env::temp_dir().join(format!("twindex-{random:016x}{WORK_SUFFIX}"))
        }
    }
}

/// Where all skipped rows are listed, if there are many: beside the first output, or else in the current folder.
fn skipped_list(outputs: &Outputs) -> PathBuf {
    let is_special = |path: &Path| path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir());
    match first_file(outputs).filter(|path| !is_special(path)) {
        Some(path) => beside(path, ".skipped.txt"),
        None => PathBuf::from("twindex-skipped.txt"),
    }
}

/// The path of an output with something behind its name.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.components().as_path().as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn first_file(outputs: &Outputs) -> Option<&Path> {
    let files = [&outputs.kept, &outputs.removed, &outputs.pairs, &outputs.clusters, &outputs.report];
    files.into_iter().flatten().map(PathBuf::as_path).find(|path| path.as_os_str() != STANDARD_STREAM)
}

/// Used when the machine does not say how much it has.
const MEMORY_IF_UNKNOWN: u64 = 1 << 30;

/// Half of the memory that the machine has, or that the control group of this process may use.
fn default_memory() -> u64 {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|info| {
        let line = info.lines().find(|line| line.starts_with("MemTotal:"))?;
        Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
    });
    // Version 2 and version 1 of control groups; "max" is no number and no limit.
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let limits = limits.iter().filter_map(|path| std::fs::read_to_string(path).ok()?.trim().parse().ok());
    machine.into_iter().chain(limits).min().map_or(MEMORY_IF_UNKNOWN, |bytes: u64| bytes / 2)
}

pub(crate) fn command_line() -> String {
    let quote = |word: String| if word.contains(char::is_whitespace) { format!("'{word}'") } else { word };
    let words = std::env::args().skip(1).map(quote);
    std::iter::once("twindex".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// Says what the job will cost, runs it, and returns what it found; `None` after a dry run.
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

/// What went wrong. If the work folder is worth going on with, the error says how.
fn failure(error: BatchError, job: &Job) -> anyhow::Error {
    let is_usage = matches!(error, BatchError::AgainstStandardInput | BatchError::StandardInputTwice);
    if is_usage {
        return UsageError(error.to_string()).into();
    }
    let may_succeed_later =
        matches!(error, BatchError::Corpus(_) | BatchError::Work { .. } | BatchError::Memory { .. });
    let error = anyhow::Error::from(error);
    if exit::is_broken_pipe(&error) && first_file(&job.outputs).is_some() {
        // Nobody misses what was not read, but the files were asked for.
        return anyhow::anyhow!("standard output was closed early, so no output was written");
    }
    if may_succeed_later && job.work.join("job").exists() {
        let folder = job.work.display();
        // Without output files the folder has another name each time.
        let named =
            if first_file(&job.outputs).is_none() { format!("--work {folder} ") } else { String::new() };
        let hint = format!("what was done so far is in {folder}; {named}--resume goes on from there");
        return Hinted { error, hint }.into();
    }
    error
}

/// A job that is over sooner is not worth a forecast, and the sample's own time would be most of it.
const FORECAST_SECONDS: f64 = 1.0;

/// Says what the job will cost.
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

/// What the job took to find out.
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
    // One alone has no copy.
    if summary.without_words > 1 && !job.dedup_wordless {
        let documents = words::count(summary.without_words, "document");
        say::note(&format!(
            "{documents} without words (empty, only punctuation): duplicates of nothing, unless --dedup-wordless"
        ));
    }
    if summary.repeated_ids > 0 {
        let verb = if summary.repeated_ids == 1 { "repeats" } else { "repeat" };
        let rows = words::count(summary.repeated_ids, "row");
        say::note(&format!(
            "{rows} {verb} an id of an earlier row; the column place tells them apart; --unique-ids makes this an error"
        ));
    }
}
