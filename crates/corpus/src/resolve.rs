//! Which files are meant?

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::STANDARD_STREAM;
use crate::error::CorpusError;
use crate::options::ReadOptions;
use crate::source::Source;
use crate::write::PARTIAL_SUFFIX;

/// What makes an input a pattern, unless a file has that very name.
const PATTERN_CHARACTERS: [char; 3] = ['*', '?', '['];

/// How the name of a job's work folder ends, so that one inside an input folder is not read.
pub const WORK_SUFFIX: &str = ".twindex-work";

/// Finds the files that `inputs` (files, folders, patterns) name: inputs in the given order, the
/// files of each sorted by name, so that the order is the same on every machine.
///
/// In folders, names that begin with `.` or `_` are left out: they are bookkeeping of other
/// programs. So are work folders and outputs that are not whole yet, which lie in an input folder
/// when the output does. Patterns leave out only these.
pub fn resolve(inputs: &[String], options: &ReadOptions) -> Result<Vec<Source>, CorpusError> {
    let mut sources = Vec::new();
    let mut seen = HashSet::new();
    for input in inputs {
        for found in expand(input, inputs.len() > 1)? {
            let mut source = Source::of_file(&found.path, options.format)?;
            source.relative = found.relative;
            let identity = fs::canonicalize(&found.path).unwrap_or(found.path);
            if !seen.insert(identity) {
                return Err(CorpusError::NamedTwice { path: source.path });
            }
            sources.push(source);
        }
    }
    Ok(sources)
}

/// A file, and where its copy goes below an output folder.
struct FoundFile {
    path: PathBuf,
    relative: PathBuf,
}

fn expand(input: &str, among_others: bool) -> Result<Vec<FoundFile>, CorpusError> {
    if input == STANDARD_STREAM {
        return Err(CorpusError::StandardInput);
    }
    let path = Path::new(input);
    if path.is_dir() {
        // Two folders may hold files of one name: then the name of the folder comes before them.
        let base = if among_others { path.parent().unwrap_or(path) } else { path };
        return files_of(path, base);
    }
    if !path.exists() && input.contains(PATTERN_CHARACTERS) {
        return matches_of(input);
    }
    let relative = path.file_name().map(PathBuf::from).unwrap_or_default();
    Ok(vec![FoundFile { path: path.to_owned(), relative }])
}

/// The files of a folder and of the folders in it.
fn files_of(folder: &Path, base: &Path) -> Result<Vec<FoundFile>, CorpusError> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    if files.is_empty() {
        return Err(CorpusError::EmptyFolder { path: folder.to_owned() });
    }
    files.sort();
    Ok(files.into_iter().map(|path| FoundFile { relative: below(&path, base), path }).collect())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), CorpusError> {
    let unreadable = |source| CorpusError::open(folder, source);
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path();
        let hidden = entry.file_name().to_string_lossy().starts_with(['.', '_']);
        if hidden || is_of_a_job(&path) {
            continue;
        }
        let kind = entry.file_type().map_err(unreadable)?;
        // A link to a folder is not followed, because it may lead back; a link to a file is read.
        if kind.is_dir() {
            collect(&path, files)?;
        } else if kind.is_file() || (kind.is_symlink() && path.is_file()) {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether a job made this file or folder for itself.
fn is_of_a_job(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(WORK_SUFFIX) || (name.starts_with('.') && name.ends_with(PARTIAL_SUFFIX))
}

fn matches_of(pattern: &str) -> Result<Vec<FoundFile>, CorpusError> {
    let bad = |error: glob::PatternError| CorpusError::BadPattern {
        pattern: pattern.to_owned(),
        detail: error.msg.to_owned(),
    };
    let wild = pattern.find(PATTERN_CHARACTERS).unwrap_or(pattern.len());
    let base = Path::new(pattern[..wild].rsplit_once('/').map_or("", |(base, _)| base));
    let mut files = Vec::new();
    for entry in glob::glob(pattern).map_err(bad)? {
        let path = entry.map_err(|error| {
            let path = error.path().to_owned();
            CorpusError::open(&path, error.into())
        })?;
        let below_base = path.strip_prefix(base).unwrap_or(&path);
        if path.is_file() && !below_base.ancestors().any(is_of_a_job) {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(CorpusError::NoMatch { pattern: pattern.to_owned() });
    }
    files.sort();
    Ok(files.into_iter().map(|path| FoundFile { relative: below(&path, base), path }).collect())
}

fn below(path: &Path, base: &Path) -> PathBuf {
    path.strip_prefix(base).unwrap_or(path).to_owned()
}
