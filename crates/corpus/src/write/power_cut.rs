//! The power is cut at each sync of a commit: every output is what it was, or whole.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use twindex_disk::{ForgetfulDisk, Loss};

use crate::error::CorpusError;
use crate::format::Format;
use crate::source::Source;
use crate::write::atomic::AtomicFile;
use crate::write::folder::AtomicFolder;
use crate::write::pending::{Finished, Pending};

const SEEDS: u64 = 8;

/// Longer than a sector.
fn new_text(name: &str) -> String {
    format!("{name} of this job\n").repeat(100)
}

/// A job with three outputs: two files, one of which replaces an old one, and a folder of copies.
fn job(outputs: &Path, sources: &[Source], disk: &Arc<ForgetfulDisk>) -> Result<(), CorpusError> {
    let mut pending = vec![];
    for name in ["kept", "lists/removed"] {
        let path = outputs.join(name);
        let mut file = AtomicFile::create_on(&path, disk.clone())?;
        file.write_all(new_text(name).as_bytes()).map_err(|source| CorpusError::write(&path, source))?;
        pending.push(Pending(Finished::File(file)));
    }
    let mut folder = AtomicFolder::create_on(&outputs.join("copies"), sources, disk.clone())?;
    for source in sources {
        folder.copy(source)?;
    }
    pending.push(Pending(Finished::Folder(folder)));
    Pending::commit_all(pending)
}

/// Whether each output is the one of this job, after it was found to be whole or what it was.
fn are_new(outputs: &Path, sources: &[Source]) -> [bool; 3] {
    let text = |name: &str| fs::read_to_string(outputs.join(name)).ok();
    let kept = text("kept").expect("the old file is neither there nor replaced");
    assert!(kept == "kept before" || kept == new_text("kept"), "{kept:?}");
    let removed = text("lists/removed");
    assert!(removed.is_none() || removed == Some(new_text("lists/removed")), "{removed:?}");
    let has_copies = outputs.join("copies").exists();
    if has_copies {
        for source in sources {
            let copy = outputs.join("copies").join(&source.relative);
            assert_eq!(fs::read(&copy).ok(), fs::read(&source.path).ok(), "{}", copy.display());
        }
    }
    [kept != "kept before", removed.is_some(), has_copies]
}

/// Files and folders that are synced one by one.
#[test]
fn an_output_is_whole_or_what_it_was() {
    let syncs = cut_everywhere(&["a.txt".to_owned(), "deep/b.txt".to_owned()]);
    assert!(syncs > 5, "only {syncs} syncs: the test tests nothing");
}

/// Enough files for the file system to be synced as a whole.
#[test]
fn an_output_of_many_files_is_whole_or_what_it_was() {
    let names: Vec<String> = (0..40).map(|number| format!("{}/{number}.txt", number % 3)).collect();
    let syncs = cut_everywhere(&names);
    assert!((5..10).contains(&syncs), "{syncs} syncs");
}

/// Cuts the power at every sync of a job; returns how many there are.
fn cut_everywhere(names: &[String]) -> usize {
    let inputs = tempfile::tempdir().unwrap();
    let sources: Vec<Source> = (names.iter())
        .map(|name| {
            let path = inputs.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, new_text(name)).unwrap();
            let source = Source::of_file(&path, Some(Format::Text)).unwrap();
            Source { relative: name.into(), ..source }
        })
        .collect();
    let (mut cuts, mut finished) = (0, false);
    while !finished {
        for loss in std::iter::once(Loss::Everything).chain((0..SEEDS).map(Loss::Some)) {
            let outputs = tempfile::tempdir().unwrap();
            fs::write(outputs.path().join("kept"), "kept before").unwrap();
            fs::create_dir(outputs.path().join("lists")).unwrap();
            let disk = Arc::new(ForgetfulDisk::new(outputs.path()).unwrap());
            disk.cut_power_after(cuts);
            finished = job(outputs.path(), &sources, &disk).is_ok();
            disk.crash(loss).unwrap();
            let new = are_new(outputs.path(), &sources);
            assert!(!finished || new == [true; 3], "{new:?} after a commit that succeeded ({loss:?})");
            // What is left of the job does not hinder the next one.
            if !new[2] {
                job(outputs.path(), &sources, &disk).unwrap();
                disk.crash(loss).unwrap();
                assert_eq!(are_new(outputs.path(), &sources), [true; 3]);
            }
        }
        cuts += 1;
    }
    cuts - 1
}
