//! A power cut loses no finished checkpoint, and never leads to a wrong output.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use twindex_batch::{BatchError, Existing, Job, Mode, Outputs, Pace, Silent, run};
use twindex_core::group::KeepPolicy;
use twindex_core::hash::mix;
use twindex_disk::{ForgetfulDisk, Loss};

/// Texts of thirty words, every third an edited copy of an earlier one; several batches of a
/// megabyte.
fn write_rows(path: &Path) {
    let word = |seed: u64| format!("w{}", mix(seed) % 100_000);
    let blank = " ".repeat(10_000);
    let row = |number: u64| {
        let original = if number % 3 == 2 { number - 2 } else { number };
        let edited = if original == number { u64::MAX } else { number % 30 };
        let text: Vec<String> =
            (0..30).map(|place| word(original * 100 + if place == edited { 77 } else { place })).collect();
        format!("{{\"id\": {number}, \"text\": \"{}\", \"blank\": \"{blank}\"}}\n", text.join(" "))
    };
    fs::write(path, (0..600).map(row).collect::<String>()).unwrap();
}

fn job(folder: &Path, existing: Existing, disk: &Arc<ForgetfulDisk>) -> Job {
    let outputs = Outputs {
        kept: Some(folder.join("kept.jsonl")),
        removed: Some(folder.join("removed.tsv")),
        ..Outputs::default()
    };
    let inputs = vec![folder.join("docs.jsonl").display().to_string()];
    let mut job = Job::new(inputs, Mode::Dedup(KeepPolicy::First), outputs).unwrap();
    job.work = folder.join("disk/work");
    job.existing = existing;
    job.memory = 256 << 20;
    job.threads = 2;
    job.pace = Pace { checkpoint_bytes: 2 << 20, checkpoint_candidates: 50, block_documents: 20 };
    job.disk = Arc::clone(disk) as Arc<_>;
    job
}

fn outputs(folder: &Path) -> [Vec<u8>; 2] {
    ["kept.jsonl", "removed.tsv"].map(|name| fs::read(folder.join(name)).unwrap())
}

#[test]
fn a_power_cut_at_any_sync_loses_no_checkpoint_and_no_document() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_rows(&folder.join("docs.jsonl"));
    fs::create_dir(folder.join("disk")).unwrap();
    let disk = Arc::new(ForgetfulDisk::new(&folder.join("disk")).unwrap());
    run(&job(folder, Existing::Refuse, &disk), &Silent).unwrap();
    let (expected, syncs) = (outputs(folder), disk.syncs());
    assert!(syncs > 50, "only {syncs} syncs: the test tests nothing");

    let losses = [Loss::Everything, Loss::Some(1), Loss::Some(2)];
    for loss in losses {
        let mut resumed_before = false;
        // Every third sync, each loss with other ones.
        let first = losses.iter().position(|&other| other == loss).unwrap();
        for cut in (first..syncs).step_by(losses.len()) {
            disk.cut_power_after(cut);
            let stopped = run(&job(folder, Existing::Replace, &disk), &Silent);
            // Only the last sync, of the removed work folder, comes after the outputs.
            assert!(stopped.is_err() || cut + 1 == syncs, "{loss:?} after {cut} syncs of {syncs}");
            disk.crash(loss).unwrap();
            let mut resumed = run(&job(folder, Existing::Resume, &disk), &Silent);
            if matches!(resumed, Err(BatchError::NotOurs { .. })) {
                // Before the first checkpoint even the name of the lock file may be lost: the
                // folder is refused.
                assert!(!resumed_before);
                fs::remove_dir_all(folder.join("disk/work")).unwrap();
                resumed = run(&job(folder, Existing::Resume, &disk), &Silent);
            }
            let summary = resumed.unwrap();
            assert!(outputs(folder) == expected, "{loss:?} after {cut} syncs of {syncs}");
            assert!(summary.resumed || !resumed_before, "a checkpoint was lost: {loss:?} after {cut} syncs");
            resumed_before = summary.resumed;
        }
        assert!(resumed_before, "{loss:?}");
    }
}
