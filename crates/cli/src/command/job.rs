//! From what the user typed to a job, in one place; and what is said before and after it.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use twindex_batch::{BatchError, Existing, Job, Mode, OnError, Outputs, Plan, Summary};
use twindex_corpus::ReadOptions;

use crate::arguments::{self, JobOptions};
use crate::command::{choice, outputs};
use crate::exit::{self, Hinted, UsageError};
use crate::progress::Bars;
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
    Ok(Job {
        inputs: options.inputs.clone(),
        against: options.against.clone(),
        read,
        recipe: choice::recipe(&options.recipe)?,
        mode,
        on_error: match options.on_error {
            arguments::OnError::Fail => OnError::Fail,
            arguments::OnError::Skip => OnError::Skip,
        },
        work: resources.work.clone().unwrap_or_else(|| default_work_folder(&outputs)),
        outputs,
        existing: match (resources.resume, resources.fresh) {
            (true, _) => Existing::Resume,
            (_, true) => Existing::Replace,
            _ => Existing::Refuse,
        },
        memory: resources.memory.unwrap_or_else(default_memory),
        threads: choice::threads(resources.threads),
        kernel: choice::kernel(resources.kernel.as_deref())?,
        command: command_line(),
    })
}

/// Beside the first output, so that a killed job is found again; without an output, a temporary folder.
fn default_work_folder(outputs: &Outputs) -> PathBuf {
    match first_file(outputs) {
        Some(path) => {
            let mut name = path.components().as_path().as_os_str().to_owned();
            name.push(".twindex-work");
            PathBuf::from(name)
        }
        None => std::env::temp_dir().join(format!("twindex-{}.twindex-work", std::process::id())),
    }
}

fn first_file(outputs: &Outputs) -> Option<&Path> {
    let files = [&outputs.kept, &outputs.removed, &outputs.pairs, &outputs.families, &outputs.report];
    files.into_iter().flatten().map(PathBuf::as_path).find(|path| path.as_os_str() != "-")
}

/// Used when the machine does not say how much it has.
const MEMORY_IF_UNKNOWN: u64 = 1 << 30;

/// Half of the machine's memory.
fn default_memory() -> u64 {
    let in_kilobytes = std::fs::read_to_string("/proc/meminfo").ok().and_then(|info| {
        let line = info.lines().find(|line| line.starts_with("MemTotal:"))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    });
    in_kilobytes.map_or(MEMORY_IF_UNKNOWN, |kilobytes| kilobytes * 1024 / 2)
}

fn command_line() -> String {
    let quote = |word: String| if word.contains(char::is_whitespace) { format!("'{word}'") } else { word };
    let words = std::env::args().skip(1).map(quote);
    std::iter::once("twindex".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// Says what the job will cost, runs it, and returns what it found; `None` after a dry run.
pub(crate) fn run(options: &JobOptions, job: &Job) -> Result<Option<Summary>> {
    let quiet = options.quiet;
    outputs::check_names(job, options.json)?;
    let plan = twindex_batch::plan(job)?;
    if !quiet {
        announce(job, &plan);
    }
    if options.resources.dry_run {
        if options.json {
            print_json(&plan)?;
        }
        return Ok(None);
    }
    let was_vacant = is_vacant(&job.work);
    let summary =
        twindex_batch::run(job, &Bars::new(quiet)).map_err(|error| failure(error, job, was_vacant))?;
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

fn is_vacant(folder: &Path) -> bool {
    std::fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none())
}

/// What went wrong. If the work folder is worth going on with, the error says how; if nothing was in it before and
/// nothing of worth is in it now, it is removed.
fn failure(error: BatchError, job: &Job, was_vacant: bool) -> anyhow::Error {
    let may_succeed_later =
        matches!(error, BatchError::Corpus(_) | BatchError::Work { .. } | BatchError::Memory { .. });
    let error = anyhow::Error::from(error);
    if may_succeed_later && !exit::is_broken_pipe(&error) && job.work.join("read.checkpoint").exists() {
        let folder = job.work.display();
        // Without output files the folder has another name each time.
        let named =
            if first_file(&job.outputs).is_none() { format!("--work {folder} ") } else { String::new() };
        let hint = format!("what was done so far is in {folder}; {named}--resume goes on from there");
        return Hinted { error, hint }.into();
    }
    if was_vacant {
        let _ = std::fs::remove_dir_all(&job.work);
    }
    error
}

fn announce(job: &Job, plan: &Plan) {
    let about = if plan.exact { "" } else { "about " };
    eprintln!(
        "{about}{} in {} ({}); expected: {} of memory, {} of disk, {}",
        words::count(plan.documents, "document"),
        words::count(plan.files, "file"),
        size::print(plan.row_bytes),
        size::print(plan.memory_bytes),
        size::print(plan.work_bytes),
        words::duration(plan.seconds),
    );
    eprintln!(
        "recipe {}, {} {}, kernel {}",
        job.recipe.name,
        job.threads,
        if job.threads == 1 { "thread" } else { "threads" },
        job.kernel.name()
    );
}

pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, value)?;
    writeln!(out)?;
    Ok(())
}

/// The last line of a job: how fast it was.
pub(crate) fn print_speed(summary: &Summary) {
    eprintln!(
        "{} in {}: {}, {} documents/s; {} candidates, {} compared",
        size::print(summary.bytes),
        words::duration(summary.seconds),
        words::speed(summary.megabytes_per_second),
        words::number(summary.documents_per_second as u64),
        words::number(summary.candidates),
        words::number(summary.compared),
    );
}
