//! Which embedded store carries an index? Each on the records that an index writes, up to the size
//! of a large one.
//!
//! ```text
//! a process:  open, add batches with a commit and a sync each, write one more batch and die
//!             before its commit
//! another:    open (recovery), read records by random ids, close, open (as after a proper end)
//! ```
//!
//! Whatever was committed must be there afterwards, and nothing of the batch that was not.

mod record;
mod store;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, ensure};
use clap::{Parser, ValueEnum};

use record::{Record, record};
use store::{HeedStore, RedbStore, Store};

/// Reads that are timed.
const READS: u64 = 200_000;

/// The speed is told for the whole and for the last of `PARTS` parts: trees grow.
const PARTS: u64 = 10;

#[derive(Parser)]
#[command(about = "Embedded stores on the records of an index")]
struct Options {
    /// Only this store
    #[arg(long)]
    store: Option<Kind>,
    /// Records in all
    #[arg(long, default_value_t = 10_000_000)]
    records: u64,
    /// Records in one commit
    #[arg(long, default_value_t = 4_000)]
    batch: u64,
    /// Where the stores are made [default: a temporary folder]
    #[arg(long)]
    work: Option<std::path::PathBuf>,
    /// Fill the store in this folder and die: what the program asks of itself
    #[arg(long, hide = true)]
    fill: Option<std::path::PathBuf>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Kind {
    /// redb, as it comes
    Redb,
    /// redb with quick repair, as the index uses it
    RedbQuickRepair,
    /// heed: LMDB
    Heed,
}

const KINDS: [Kind; 3] = [Kind::Redb, Kind::RedbQuickRepair, Kind::Heed];

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Redb => "redb",
            Kind::RedbQuickRepair => "redb-quick-repair",
            Kind::Heed => "heed",
        }
    }

    fn open(self, folder: &Path) -> anyhow::Result<Box<dyn Store>> {
        Ok(match self {
            Kind::Redb => Box::new(RedbStore::open(folder, false)?),
            Kind::RedbQuickRepair => Box::new(RedbStore::open(folder, true)?),
            Kind::Heed => Box::new(HeedStore::open(folder)?),
        })
    }
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    ensure!(
        options.batch > 0 && options.records > 0 && options.records.is_multiple_of(options.batch),
        "{} records are not some batches of {}",
        options.records,
        options.batch
    );
    if let Some(folder) = &options.fill {
        let kind = options.store.context("--fill needs --store")?;
        return fill(kind, folder, &options);
    }
    let temporary = tempfile::tempdir()?;
    let work = options.work.as_deref().unwrap_or(temporary.path());
    println!(
        "{:18} {:>10} {:>10} {:>12} {:>9} {:>9} {:>10}",
        "store", "records/s", "at the end", "after crash", "open", "reads/s", "B/record"
    );
    for kind in KINDS.into_iter().filter(|&kind| options.store.is_none_or(|only| only == kind)) {
        let folder = work.join(kind.name());
        std::fs::create_dir_all(&folder)?;
        measure(kind, &folder, &options)?;
        std::fs::remove_dir_all(&folder)?;
    }
    Ok(())
}

/// Adds all records, prints how fast, and dies with a transaction open.
fn fill(kind: Kind, folder: &Path, options: &Options) -> anyhow::Result<()> {
    let mut store = kind.open(folder)?;
    let (mut all, mut last) = (0.0, 0.0);
    let batch = |first: u64| -> Vec<Record> { (first..first + options.batch).map(record).collect() };
    for first in (0..options.records).step_by(options.batch as usize) {
        let records = batch(first);
        let began = Instant::now();
        store.add(&records, true)?;
        let seconds = began.elapsed().as_secs_f64();
        all += seconds;
        if first >= options.records - options.records / PARTS {
            last += seconds;
        }
    }
    let speed = |records: u64, seconds: f64| records as f64 / seconds;
    println!("{} {}", speed(options.records, all), speed(options.records / PARTS, last));
    store.add(&batch(options.records), false)?;
    std::process::abort();
}

fn measure(kind: Kind, folder: &Path, options: &Options) -> anyhow::Result<()> {
    let filled = Command::new(std::env::current_exe()?)
        .args(["--store", kind.name(), "--records", &options.records.to_string()])
        .args(["--batch", &options.batch.to_string(), "--fill"])
        .arg(folder)
        .output()?;
    let said = String::from_utf8_lossy(&filled.stdout);
    let mut speeds = said.split_whitespace().map(str::parse::<f64>);
    let mut speed = || {
        speeds.next().context(String::from_utf8_lossy(&filled.stderr).into_owned())?.context("not a speed")
    };
    let (all, last) = (speed()?, speed()?);

    let began = Instant::now();
    let store = kind.open(folder)?;
    let after_crash = began.elapsed().as_secs_f64();
    let began = Instant::now();
    for read in 0..READS {
        let expected = record(record::random(read) % options.records);
        let found = store.read(&expected.id)?.with_context(|| format!("{} is lost", expected.id))?;
        ensure!(found == expected.evidence, "{} is damaged", expected.id);
    }
    let reads = READS as f64 / began.elapsed().as_secs_f64();
    ensure!(store.read(&record(options.records).id)?.is_none(), "there is something that was not committed");
    drop(store);
    let began = Instant::now();
    drop(kind.open(folder)?);
    let open = began.elapsed().as_secs_f64();
    let bytes: u64 =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.metadata()?.len())).sum::<std::io::Result<u64>>()?;
    println!(
        "{:18} {all:>10.0} {last:>10.0} {after_crash:>10.3} s {open:>7.3} s {reads:>9.0} {:>10}",
        kind.name(),
        bytes / options.records
    );
    Ok(())
}
