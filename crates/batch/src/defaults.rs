//! The defaults of a job, for the program and the library.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use twindex_core::Recipe;
use twindex_core::kernel::Kernel;
use twindex_corpus::{ReadOptions, STANDARD_STREAM, WORK_SUFFIX, is_special};
use twindex_disk::RealDisk;

use crate::error::{BatchError, Result};
use crate::job::{Job, Mode, OnError, Outputs, Pace};
use crate::work::Existing;

impl Job {
    /// A job with the default recipe that uses half of the memory and all cores. Its work folder
    /// lies beside the first output, so that a killed job is found again; without an output, among
    /// temporary files.
    pub fn new(inputs: Vec<String>, mode: Mode, outputs: Outputs) -> Result<Self> {
        let keep_field = match &mode {
            Mode::Dedup(policy) => policy.field(),
            Mode::Pairs => None,
        };
        let extra = keep_field.map(str::parse).transpose().map_err(BatchError::KeepField)?;
        Ok(Job {
            inputs,
            against: vec![],
            remember: None,
            read: ReadOptions { extra: extra.into_iter().collect(), ..ReadOptions::default() },
            recipe: Recipe::default(),
            frequencies: None,
            mode,
            unique_ids: false,
            dedup_wordless: false,
            on_error: OnError::Fail,
            work: work_folder(&outputs),
            outputs: Outputs { skipped: Some(skipped_list(&outputs)), ..outputs },
            existing: Existing::Refuse,
            memory: memory(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            kernel: Kernel::best(),
            command: String::new(),
            pace: Pace::default(),
            disk: Arc::new(RealDisk),
        })
    }

    /// Adds the kept documents to the index in this folder. The work folder of a job without an
    /// output lies beside it from now on.
    pub fn remember_in(&mut self, index: PathBuf) {
        if self.outputs.first_file().is_none() {
            self.work = beside(&index, WORK_SUFFIX);
        }
        self.remember = Some(index);
    }
}

impl Outputs {
    /// The first output that is a file: not standard output, a device or a pipe.
    pub fn first_file(&self) -> Option<&Path> {
        let outputs = [&self.kept, &self.removed, &self.pairs, &self.clusters, &self.report];
        let is_file = |path: &&Path| path.as_os_str() != STANDARD_STREAM && !is_special(path);
        outputs.into_iter().flatten().map(PathBuf::as_path).find(is_file)
    }
}

fn work_folder(outputs: &Outputs) -> PathBuf {
    match outputs.first_file() {
        Some(path) => beside(path, WORK_SUFFIX),
        None => {
            // Process ids repeat, above all in containers.
            let random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), std::process::id());
            std::env::temp_dir().join(format!("twindex-{random:016x}{WORK_SUFFIX}"))
        }
    }
}

/// Where all skipped rows are listed, if there are many: beside the first output, or else in the
/// current folder.
fn skipped_list(outputs: &Outputs) -> PathBuf {
    match outputs.first_file() {
        Some(path) => beside(path, ".skipped.txt"),
        None => PathBuf::from("twindex-skipped.txt"),
    }
}

/// The path of an output with `suffix` appended to its name.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.components().as_path().as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Used when the machine does not say how much it has.
const MEMORY_IF_UNKNOWN: u64 = 1 << 30;

/// Half of the memory that the machine has, or that the control group of this process may use.
pub(crate) fn memory() -> u64 {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|info| {
        let line = info.lines().find(|line| line.starts_with("MemTotal:"))?;
        Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
    });
    // Version 2 and version 1 of control groups; "max" is no number and no limit.
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let limits = limits.iter().filter_map(|path| std::fs::read_to_string(path).ok()?.trim().parse().ok());
    machine.into_iter().chain(limits).min().map_or(MEMORY_IF_UNKNOWN, |bytes: u64| bytes / 2)
}
