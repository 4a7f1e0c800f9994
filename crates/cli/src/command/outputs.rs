//! Does an output overwrite another output or an input?

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;
use twindex_batch::{Job, Mode};
use twindex_corpus::{STANDARD_STREAM, Source, is_stream, resolve};

use crate::exit::UsageError;

/// Refuses outputs that collide with each other or with an input. `json` goes to standard output
/// too.
pub(crate) fn check_names(job: &Job, json: bool) -> Result<()> {
    let mut taken: HashMap<OsString, &str> = HashMap::new();
    if json {
        taken.insert(STANDARD_STREAM.into(), "--json");
    }
    for (option, path) in named(job) {
        if let Some(other) = taken.insert(identity(path), option) {
            let place =
                if is_standard(path) { "standard output".to_owned() } else { path.display().to_string() };
            let message =
                format!("{other} and {option} cannot both go to {place}: name a file for one of them");
            return Err(UsageError(message).into());
        }
    }
    for source in [files(job, &job.inputs)?, files(job, &job.against_files())?].iter().flatten() {
        if let Some(option) = taken.get(&identity(&source.path)) {
            return Err(overwrites(option, source).into());
        }
    }
    Ok(())
}

/// Refuses an output that is one of the inputs.
pub(crate) fn check_input_is_safe(option: &str, output: &Path, sources: &[Source]) -> Result<()> {
    let output = identity(output);
    match sources.iter().find(|source| identity(&source.path) == output) {
        Some(source) => Err(overwrites(option, source).into()),
        None => Ok(()),
    }
}

fn overwrites(option: &str, source: &Source) -> UsageError {
    UsageError(format!(
        "{option} would overwrite the input {}, and inputs are never changed: name another file",
        source.path.display()
    ))
}

/// The files that `inputs` name, without what can be read only once.
fn files(job: &Job, inputs: &[String]) -> Result<Vec<Source>> {
    let files: Vec<String> = inputs.iter().filter(|input| !is_stream(input)).cloned().collect();
    if files.is_empty() { Ok(vec![]) } else { Ok(resolve(&files, &job.read)?) }
}

/// The requested outputs, each with its option.
fn named(job: &Job) -> Vec<(&'static str, &Path)> {
    let outputs = &job.outputs;
    let pairs = if job.mode == Mode::Pairs { "--output" } else { "--pairs" };
    let all = [
        ("--output", &outputs.kept),
        ("--removed", &outputs.removed),
        (pairs, &outputs.pairs),
        ("--clusters", &outputs.clusters),
        ("--report", &outputs.report),
    ];
    all.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?))).collect()
}

fn is_standard(path: &Path) -> bool {
    path.as_os_str() == STANDARD_STREAM
}

/// Equal for two names of one file, whether it exists or not.
fn identity(path: &Path) -> OsString {
    if is_standard(path) {
        return STANDARD_STREAM.into();
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = || -> Option<PathBuf> { Some(folder.canonicalize().ok()?.join(path.file_name()?)) };
    path.canonicalize().ok().or_else(beside).unwrap_or_else(|| path.to_owned()).into_os_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_one_identity() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.jsonl");
        std::fs::write(&file, "").unwrap();
        let other = folder.path().join(".").join("a.jsonl");
        assert_eq!(identity(&file), identity(&other));
        let missing = [folder.path().join("b.jsonl"), folder.path().join("./b.jsonl")];
        assert_eq!(identity(&missing[0]), identity(&missing[1]));
        assert_ne!(identity(&missing[0]), identity(&file));
        assert_eq!(identity(Path::new("-")), "-");
    }
}
