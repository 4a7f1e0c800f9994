//! A store of fingerprints: the same matches as in memory, and additions whole or not at all.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use twindex_batch::hamming::{
    FingerprintInput, FingerprintStore, MatchJob, MatchSummary, Resources, SearchMethod, Stored,
};
use twindex_batch::{BatchError, Silent};
use twindex_core::hash::mix;
use twindex_core::search::Want;
use twindex_disk::{ForgetfulDisk, Loss, RealDisk};

/// Margins of random sizes: a bit whose margin is small flips easily.
fn margins(seed: u64) -> [i32; 64] {
    std::array::from_fn(|bit| (mix(seed * 64 + bit as u64) % 2001) as i32 - 1000)
}

/// The fingerprint of margins after an edit.
fn edited(seed: u64, edit: u64) -> u64 {
    let change = |bit: usize| (mix(seed * 977 + edit * 131 + bit as u64) % 121) as i32 - 60;
    let bits = margins(seed);
    (0..64).fold(0, |word, bit| word | u64::from(bits[bit] + change(bit) >= 0) << bit)
}

struct Case {
    folder: tempfile::TempDir,
}

impl Case {
    /// Queries with margins, and three files of stored fingerprints.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let query = |seed: u64| {
            let bits = margins(seed);
            let simhash = (0..64).fold(0u64, |word, bit| word | u64::from(bits[bit] >= 0) << bit);
            format!("{{\"id\":\"q{seed}\",\"fingerprint\":\"{simhash:016x}\",\"margins\":{bits:?}}}\n")
        };
        fs::write(folder.path().join("queries.jsonl"), (0..2_000).map(query).collect::<String>()).unwrap();
        for file in 0..3u64 {
            let near = (0..2_000).filter(|seed| seed % 3 != file).map(|seed| (seed, edited(seed, file)));
            let far = (0..5_000).map(|seed| (seed + 10_000, mix(seed + 1_000_000 * file)));
            let line = |(seed, value): (u64, u64)| format!("f{file}-{seed}\t{value:016x}\n");
            let rows: String = near.chain(far).map(line).collect();
            fs::write(folder.path().join(format!("f{file}.tsv")), format!("id\tfingerprint\n{rows}"))
                .unwrap();
        }
        Case { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn files(&self) -> Vec<String> {
        (0..3).map(|file| self.path(&format!("f{file}.tsv")).display().to_string()).collect()
    }

    fn resources(&self, threads: usize) -> Resources {
        let work = self.path("work");
        fs::create_dir_all(&work).unwrap();
        Resources { memory: 400_000_000, threads, work, ..Resources::default() }
    }

    fn add(&self, folder: &Path, file: usize, resources: &Resources) -> twindex_batch::Result<(u64, bool)> {
        let input = FingerprintInput::new(vec![self.files()[file].clone()]);
        let summary = FingerprintStore::add(folder, &input, resources, &Silent)?;
        Ok((summary.added, summary.already_stored))
    }

    fn chunk_files(&self, store: &Path) -> usize {
        let names = fs::read_dir(store).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().starts_with("chunk-")).count()
    }

    fn matches(
        &self,
        stored: Stored,
        method: SearchMethod,
        want: Want,
        threads: usize,
    ) -> (MatchSummary, Vec<String>) {
        let output = self.path("matches.tsv");
        let job = MatchJob {
            queries: FingerprintInput::new(vec![self.path("queries.jsonl").display().to_string()]),
            stored,
            radius: 3,
            method,
            want,
            output: output.clone(),
            resources: self.resources(threads),
        };
        let summary = job.run(&Silent).unwrap();
        let lines: Vec<String> =
            fs::read_to_string(output).unwrap().lines().skip(1).map(str::to_owned).collect();
        assert_eq!(summary.matches, lines.len() as u64);
        (summary, lines)
    }
}

#[test]
fn a_store_of_chunks_gives_what_its_files_give_in_memory() {
    let case = Case::new();
    let store = case.path("store");
    for file in 0..3 {
        let (added, already) = case.add(&store, file, &case.resources(2)).unwrap();
        assert!(added > 6_000 && !already);
    }
    // What a killed addition left, and what an addition that changes nothing wrote, is removed.
    fs::write(store.join("chunk-000007.u64"), "left").unwrap();
    assert_eq!(case.add(&store, 1, &case.resources(2)).unwrap(), (0, true));
    assert_eq!(FingerprintStore::open(&store).unwrap().chunks(), 3);
    assert_eq!(case.chunk_files(&store), 3 * 4);

    let in_memory = Stored::Files(FingerprintInput::new(case.files()));
    let (_, all) = case.matches(in_memory, SearchMethod::Exact, Want::All, 2);
    assert!(all.len() > 1_000, "{}", all.len());
    let folder = || Stored::Folder(store.clone());
    for method in [SearchMethod::Exact, SearchMethod::Blocks(None), SearchMethod::Blocks(Some(10))] {
        for threads in [1, 3] {
            let (summary, found) = case.matches(folder(), method, Want::All, threads);
            assert_eq!(found, all, "{method:?}, {threads} threads");
            assert_eq!(
                (summary.queries, summary.stored),
                (2_000, FingerprintStore::open(&store).unwrap().len())
            );
        }
    }
    for (wanted, want) in [(0.8, Want::All), (0.95, Want::All), (0.95, Want::First)] {
        let (summary, found) = case.matches(folder(), SearchMethod::Psm(wanted), want, 2);
        assert_eq!(case.matches(folder(), SearchMethod::Psm(wanted), want, 1).1, found);
        assert!(found.iter().all(|line| all.contains(line)));
        let recall = summary.recall.unwrap();
        assert!(recall.measured.unwrap() >= wanted, "{recall:?}");
        let query = |line: &String| line.split('\t').next().unwrap().to_owned();
        let queries: std::collections::BTreeSet<String> = all.iter().map(query).collect();
        let possible = if want == Want::First { queries.len() } else { all.len() };
        let share = found.len() as f64 / possible as f64;
        assert!(share > wanted - 0.05, "{share} of {wanted}");
    }
    let (_, one) = case.matches(folder(), SearchMethod::Exact, Want::First, 2);
    assert!(one.iter().all(|line| all.contains(line)));
}

#[test]
fn a_power_cut_at_any_sync_leaves_the_store_with_or_without_the_addition() {
    let case = Case::new();
    let [mut seen_before, mut seen_after] = [false; 2];
    for loss in [Loss::Everything, Loss::Some(1), Loss::Some(2)] {
        for syncs in 0.. {
            let disk_folder = case.path("disk");
            let _ = fs::remove_dir_all(&disk_folder);
            fs::create_dir(&disk_folder).unwrap();
            let store = disk_folder.join("store");
            case.add(&store, 0, &Resources { disk: Arc::new(RealDisk), ..case.resources(1) }).unwrap();
            let before = FingerprintStore::open(&store).unwrap().len();
            let disk = Arc::new(ForgetfulDisk::new(&disk_folder).unwrap());
            disk.cut_power_after(syncs);
            let resources = Resources { disk: Arc::clone(&disk) as Arc<_>, ..case.resources(1) };
            let outcome = case.add(&store, 1, &resources);
            disk.crash(loss).unwrap();
            let after = FingerprintStore::open(&store).unwrap().len();
            let is_there = after > before;
            assert!(is_there || outcome.is_err(), "an addition that was acknowledged is lost");
            [seen_before, seen_after] = [seen_before || !is_there, seen_after || is_there];
            // What is there can be searched, and the addition can be made again.
            let exact = case.matches(Stored::Folder(store.clone()), SearchMethod::Exact, Want::All, 1);
            assert!(exact.1.len() > 100);
            let (added, already) = case.add(&store, 1, &case.resources(1)).unwrap();
            assert_eq!(already, is_there, "{added}");
            assert_eq!(FingerprintStore::open(&store).unwrap().chunks(), 2);
            if outcome.is_ok() {
                break;
            }
        }
    }
    assert!(seen_before && seen_after);
}

#[test]
fn other_folders_and_damage_are_named() {
    let case = Case::new();
    fs::create_dir(case.path("mine")).unwrap();
    fs::write(case.path("mine/thesis.txt"), "precious").unwrap();
    let error = case.add(&case.path("mine"), 0, &case.resources(1)).unwrap_err();
    assert!(matches!(error, BatchError::NoStore { .. }), "{error}");
    assert!(matches!(FingerprintStore::open(&case.path("none")), Err(BatchError::NoStore { .. })));

    let error = case.add(&case.path("f0.tsv"), 0, &case.resources(1)).unwrap_err();
    assert!(matches!(error, BatchError::NoStore { .. }), "{error}");

    let store = case.path("store");
    case.add(&store, 0, &case.resources(1)).unwrap();
    let mut rows = fs::read_to_string(case.path("f1.tsv")).unwrap();
    rows.push_str("bad\tnothing\n");
    fs::write(case.path("f1.tsv"), rows).unwrap();
    assert!(case.add(&store, 1, &case.resources(1)).is_err());
    assert_eq!(case.chunk_files(&store), 4, "a failed addition leaves nothing");
    let chunk = store.join("chunk-000000.u64");
    let mut bytes = fs::read(&chunk).unwrap();
    bytes[0] ^= 1;
    fs::write(&chunk, bytes).unwrap();
    let job = MatchJob {
        queries: FingerprintInput::new(vec![case.path("queries.jsonl").display().to_string()]),
        stored: Stored::Folder(store),
        radius: 3,
        method: SearchMethod::Exact,
        want: Want::All,
        output: case.path("m.tsv"),
        resources: case.resources(1),
    };
    let error = job.run(&Silent).unwrap_err();
    assert!(matches!(error, BatchError::Damaged { .. }), "{error}");
    assert!(!case.path("m.tsv").exists());
}
