//! A full disk: the message says so and how to go on, and nothing half-written is left.

use std::path::Path;

use twindex_testing::{Need, SmallDisk, skip};

use crate::bad_input::zstandard;
use crate::folder::Folder;
use crate::planted;

/// About three megabytes of text that hardly compresses.
fn large() -> String {
    let random = &mut crate::random::Random::new(41);
    let mut word = || format!("{:016x}", random.next());
    let mut row = |number: usize| {
        let words: Vec<String> = (0..600).map(|_| word()).collect();
        format!("{{\"id\":\"{number}\",\"text\":\"{}\"}}\n", words.join(" "))
    };
    (0..300).map(&mut row).collect()
}

#[test]
fn for_the_work_folder() {
    let folder = Folder::new();
    let path = folder.path("disk");
    let Some(disk) = SmallDisk::mount(&path, 1) else { return };
    // What is unpacked is written down there.
    folder.write("in.jsonl.zst", zstandard(large().as_bytes()));
    let ended = folder.run("dedup in.jsonl.zst --output disk/kept.jsonl");
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    for part in ["disk/kept.jsonl.twindex-work", "o space left", "hint: free some space", "--work"] {
        assert!(ended.stderr.contains(part), "{part:?} in:\n{}", ended.stderr);
    }
    assert!(!disk.names().unwrap().iter().any(|name| name == "kept.jsonl"), "{:?}", disk.names().unwrap());
}

#[test]
fn for_an_output() {
    let folder = Folder::new();
    let path = folder.path("disk");
    let Some(disk) = SmallDisk::mount(&path, 1) else { return };
    folder.write("in.jsonl", large());
    let line = "dedup in.jsonl --removed removed.jsonl --work work --checkpoint 1 --output";
    let ended = folder.run(&format!("{line} disk/kept.jsonl"));
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    for part in ["disk/kept.jsonl", "no space left", "--resume goes on"] {
        assert!(ended.stderr.contains(part), "{part:?} in:\n{}", ended.stderr);
    }
    assert_eq!(disk.names().unwrap(), [""; 0]);
    assert!(!folder.path("removed.jsonl").exists(), "outputs appear together or not at all");
    // And on it goes, to another place.
    folder.done(&format!("{line} kept.jsonl --resume"));
    assert_eq!(folder.text("kept.jsonl"), folder.text("in.jsonl"));
    assert!(!folder.path("work").exists());
}

/// Needs no root: this device is always full.
#[test]
fn for_a_device() {
    if !Path::new("/dev/full").exists() {
        return skip(Need::FullDevice, "there is no /dev/full here");
    }
    let folder = Folder::new();
    folder.write("in.jsonl", planted::jsonl(&planted::collection(42, 50)));
    let ended = folder.run("dedup in.jsonl --removed removed.jsonl --work work --output /dev/full");
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stderr.contains("/dev/full: no space left"), "{}", ended.stderr);
    assert!(!folder.path("removed.jsonl").exists());
}
