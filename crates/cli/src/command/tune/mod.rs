//! `twindex tune`
//!
//! ```text
//! inputs -> read: a sample -> twindex-tune -> findings -> print, JSON, recipe, report
//! ```

mod print;
mod read;

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use twindex_corpus::AtomicFile;
use twindex_tune::{Findings, Truth};

use crate::arguments::TuneOptions;
use crate::command::{choice, job};
use crate::exit::UsageError;
use crate::progress::Bars;
use crate::say;

/// Measures a recipe on a sample.
pub(crate) fn run(options: &TuneOptions) -> Result<()> {
    check_outputs(options)?;
    let recipe = choice::recipe(&options.recipe)?;
    let kernel = choice::kernel(options.kernel.as_deref())?;
    let truth = options.truth.as_deref().map(|path| read_truth(path, options)).transpose()?;
    let bars = Bars::new(options.quiet);
    let sample = read::sample(options, &recipe, kernel, truth.as_ref(), &bars)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(choice::threads(options.threads)).build()?;
    let findings = pool.install(|| twindex_tune::tune(&sample, truth.as_ref(), &recipe, kernel, &bars))?;
    write_outputs(options, &findings, &recipe.name)?;
    if options.json {
        return job::print_json(&findings);
    }
    if !options.quiet {
        print!("{}", print::text(&findings));
        if truth.is_none() {
            say::hint("--truth FILE names labelled pairs");
        }
        say::wrote([&options.output, &options.report].into_iter().flatten());
    }
    Ok(())
}

fn check_outputs(options: &TuneOptions) -> Result<()> {
    match (&options.output, &options.report) {
        (Some(output), Some(report)) if output == report => {
            let message =
                format!("--output and --report cannot both go to {}: name another file", output.display());
            Err(UsageError(message).into())
        }
        _ => Ok(()),
    }
}

fn read_truth(path: &Path, options: &TuneOptions) -> Result<Truth> {
    let read = |path: &Path| {
        std::fs::read_to_string(path).with_context(|| format!("cannot read the pairs {}", path.display()))
    };
    let unexpected = |path: &Path| format!("the pairs {} are not as expected", path.display());
    let mut truth = Truth::from_tsv(&read(path)?).with_context(|| unexpected(path))?;
    if let Some(path) = &options.ignore {
        truth = truth.ignoring(&read(path)?).with_context(|| unexpected(path))?;
    }
    if let Some(path) = &options.judged {
        truth = truth.judged_only(&read(path)?).with_context(|| unexpected(path))?;
    }
    Ok(truth)
}

fn write_outputs(options: &TuneOptions, findings: &Findings, recipe: &str) -> Result<()> {
    if let Some(path) = &options.output {
        write(path, &findings.recommendation.recipe)?;
    }
    if let Some(path) = &options.report {
        let title = options.inputs.join(" ");
        write(path, &twindex_tune::page(findings, &title, recipe, &job::command_line()))?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(file.commit()?)
}
