//! Files that are not what was written: noticed, named, and repaired or refused. Never a wrong
//! answer.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

use twindex_core::Recipe;
use twindex_core::hash::mix;
use twindex_index::{
    AddOptions, ErrorKind, Index, IndexError, NewDocument, OpenOptions, Query, Settings, Timestamp,
};

const NOW: Timestamp = Timestamp(1_000);
const DOCUMENTS: u64 = 60;

fn text(id: u64) -> String {
    (0..40).map(|place| format!("{:x}", mix(id * 1_000 + place))).collect::<Vec<_>>().join(" ")
}

fn open(folder: &Path) -> Result<Index, IndexError> {
    Index::open(folder, OpenOptions { buffer: 8, ..OpenOptions::default() })
}

/// An index with several segments, closed.
fn make(folder: &Path, recipe: Recipe) {
    Index::create(folder, &Settings::new(recipe)).unwrap();
    let index = open(folder).unwrap();
    for id in 0..DOCUMENTS {
        index.add(&[NewDocument::new(id.to_string(), text(id))], AddOptions::default(), NOW).unwrap();
        if id % 10 == 9 {
            index.settle().unwrap();
        }
    }
    assert!(index.remove("3").unwrap());
}

/// Indexes by simhashes and by keys.
fn kinds() -> [Recipe; 2] {
    [Recipe::preset("simhash").unwrap(), Recipe::default()]
}

/// Whether every answer is right; an error is none.
fn ask(index: &Index) -> Result<(), IndexError> {
    for id in 0..DOCUMENTS {
        let answer = index.check(&Query::new(&text(id)), NOW)?;
        let ids: Vec<String> = answer.matches.into_iter().map(|found| found.id).collect();
        let expected = if id == 3 { vec![] } else { vec![id.to_string()] };
        assert_eq!(ids, expected, "a wrong answer");
        assert_eq!(index.get(&id.to_string(), NOW)?.is_some(), id != 3, "a wrong answer");
    }
    Ok(())
}

fn segments(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder.join("segments")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn segments_are_made_again() {
    for recipe in kinds() {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), recipe);
        let before = segments(folder.path());
        assert!(before.len() >= 2, "{before:?}");
        let damages: [fn(&mut Vec<u8>); 4] = [
            |bytes| bytes[60] ^= 1,
            |bytes| bytes.truncate(bytes.len() / 2),
            Vec::clear,
            |bytes| bytes[20] = 0xff,
        ];
        for damage in damages {
            for file in segments(folder.path()) {
                let mut bytes = fs::read(&file).unwrap();
                damage(&mut bytes);
                fs::write(&file, bytes).unwrap();
            }
            let index = open(folder.path()).unwrap();
            ask(&index).unwrap();
            index.settle().unwrap();
            let verified = index.verify().unwrap();
            assert!(verified.is_whole() && verified.segments > 0, "{verified:?}");
        }
        fs::remove_dir_all(folder.path().join("segments")).unwrap();
        ask(&open(folder.path()).unwrap()).unwrap();
    }
}

#[test]
fn a_damaged_segment_of_a_running_index_is_named() {
    for recipe in kinds() {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), recipe);
        let index = open(folder.path()).unwrap();
        let file = segments(folder.path()).remove(0);
        let mut bytes = fs::read(&file).unwrap();
        *bytes.last_mut().unwrap() ^= 4;
        fs::write(&file, bytes).unwrap();
        let verified = index.verify().unwrap();
        assert_eq!(verified.damaged, 1);
        assert!(verified.damage[0].contains(file.to_str().unwrap()), "{:?}", verified.damage);
        ask(&index).unwrap();
    }
}

/// A flipped bit of the store makes an error, or nothing at all.
#[test]
fn no_flipped_bit_of_the_store_makes_a_wrong_answer() {
    for recipe in kinds() {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), recipe);
        let store = folder.path().join("store.redb");
        let whole = fs::read(&store).unwrap();
        // Most of the file is empty: flips go where something is.
        let used: Vec<usize> = (0..whole.len()).filter(|&at| whole[at] != 0).collect();
        // The store writes pages anew instead of changing them, so most of what is not zero is out
        // of date: about one flip in four meets a living page.
        const ROUNDS: u64 = 120;
        let mut noticed = 0u64;
        for round in 0..ROUNDS {
            let at = used[mix(round) as usize % used.len()];
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (round % 8);
            fs::write(&store, &bytes).unwrap();
            let outcome = std::panic::catch_unwind(|| {
                let index = open(folder.path())?;
                ask(&index)?;
                index.verify().map(|verified| verified.is_whole())
            });
            match outcome {
                Ok(Ok(true)) => {}
                Ok(Ok(false)) => noticed += 1,
                Ok(Err(error)) => {
                    noticed += 1;
                    assert!(matches!(error.kind(), ErrorKind::Damaged | ErrorKind::Io), "byte {at}: {error}");
                    assert!(error.to_string().contains("store.redb"), "byte {at}: {error}");
                }
                Err(panic) => {
                    let message = panic.downcast_ref::<String>().cloned().unwrap_or_default();
                    panic!("byte {at}, bit {}: {message}", round % 8);
                }
            }
        }
        assert!(noticed > ROUNDS / 8, "only {noticed} of {ROUNDS} flips were noticed");
    }
}

#[test]
fn a_truncated_store_is_refused() {
    for recipe in kinds() {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), recipe);
        let store = folder.path().join("store.redb");
        let whole = fs::read(&store).unwrap();
        for length in [0, 100, 5_000, whole.len() / 2] {
            fs::write(&store, &whole[..length]).unwrap();
            let error = open(folder.path()).and_then(|index| ask(&index)).unwrap_err();
            assert!(error.to_string().contains("store.redb"), "{length}: {error}");
        }
    }
}

#[test]
fn a_backup_is_an_index_and_comes_back() {
    for recipe in kinds() {
        let folder = tempfile::tempdir().unwrap();
        let (data, backup, back) =
            (folder.path().join("data"), folder.path().join("backup"), folder.path().join("back"));
        make(&data, recipe);
        let index = open(&data).unwrap();
        index.backup(&backup).unwrap();
        // Whatever happens later is not in it.
        index.remove("5").unwrap();
        Index::restore(&backup, &back).unwrap();
        ask(&open(&back).unwrap()).unwrap();
        assert_eq!(
            index.backup(&backup).unwrap_err().kind(),
            ErrorKind::Invalid,
            "a backup is not overwritten"
        );

        let store = backup.join("store.redb");
        let mut bytes = fs::read(&store).unwrap();
        let middle = bytes.len() / 2;
        let place = (middle..bytes.len()).find(|&at| bytes[at] != 0).unwrap();
        bytes[place..].fill(0x55);
        fs::write(&store, bytes).unwrap();
        let error = Index::restore(&backup, &folder.path().join("again")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Damaged, "{error}");
    }
}
