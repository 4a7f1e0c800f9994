//! A full disk: adds fail and say why, questions are answered, and space heals it without a
//! restart.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;

use twindex_core::Recipe;
use twindex_core::hash::mix;
use twindex_index::{AddOptions, ErrorKind, Index, NewDocument, OpenOptions, Query, Settings, Timestamp};
use twindex_testing::SmallDisk;

const NOW: Timestamp = Timestamp(1_000);

/// Text that hardly compresses.
fn text(id: u64) -> String {
    (0..1_000).map(|place| format!("{:016x}", mix(id * 10_000 + place))).collect::<Vec<_>>().join(" ")
}

fn found(index: &Index, id: u64) -> bool {
    let answer = index.check(&Query::new(&text(id)), NOW).unwrap();
    answer.matches.iter().any(|found| found.id == id.to_string())
}

#[test]
fn adds_fail_questions_go_on_and_space_heals() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk");
    let Some(_disk) = SmallDisk::mount(&path, 40) else { return };
    let data = path.join("index");
    Index::create(&data, &Settings::new(Recipe::preset("simhash").unwrap())).unwrap();
    let index = Index::open(&data, OpenOptions { buffer: 64, ..OpenOptions::default() }).unwrap();
    // What takes the space, so that it can be given back: large enough that only a part of a batch
    // fits.
    let ballast = path.join("ballast");
    fs::write(&ballast, vec![1; 12 << 20]).unwrap();

    let add = |batch: u64| {
        let documents: Vec<NewDocument> = (0..50)
            .map(|place| batch * 50 + place)
            .map(|id| NewDocument::new(id.to_string(), text(id)))
            .collect();
        index.add(&documents, AddOptions { matches: 0, ..AddOptions::default() }, NOW)
    };
    let mut acknowledged = 0;
    let error = loop {
        match add(acknowledged) {
            Ok(_) => acknowledged += 1,
            Err(error) => break error,
        }
        assert!(acknowledged < 200, "the disk never got full");
    };
    assert_eq!(error.kind(), ErrorKind::Full, "{error}");
    assert!(error.to_string().contains("no space left"), "{error}");
    assert!(acknowledged > 0);
    // Full to the last byte, against every reserve.
    let mut rest = fs::File::create(path.join("rest")).unwrap();
    while std::io::Write::write_all(&mut rest, &[1; 4096]).is_ok() {}
    assert_eq!(add(acknowledged).unwrap_err().kind(), ErrorKind::Full);
    for id in (0..acknowledged * 50).step_by(7) {
        assert!(found(&index, id), "{id}");
    }
    assert!(!found(&index, acknowledged * 50 + 1), "nothing of a batch that failed");

    fs::remove_file(&ballast).unwrap();
    fs::remove_file(path.join("rest")).unwrap();
    add(acknowledged).unwrap();
    index.settle().unwrap();
    for id in (0..(acknowledged + 1) * 50).step_by(7) {
        assert!(found(&index, id), "{id}");
    }
    drop(index);
    let index = Index::open(&data, OpenOptions::default()).unwrap();
    assert!(index.verify().unwrap().is_whole());
    assert_eq!(index.stats().unwrap().documents, (acknowledged + 1) * 50);
}
