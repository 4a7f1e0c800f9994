//! `twindex index`

mod add;
mod documents;
mod import;
mod query;

use std::path::Path;

use anyhow::Result;
use serde_json::json;
use twindex_index::{Index, OpenOptions, Timestamp};

use crate::arguments::{
    CopyOptions, CreateOptions, FolderOptions, GetOptions, IndexAction, ManageOptions, RemoveOptions,
    RenewOptions,
};
use crate::command::index;
use crate::command::job::print_json;
use crate::exit::UsageError;
use crate::{size, words};

/// Runs a command on an index.
pub(crate) fn run(options: &ManageOptions) -> Result<()> {
    match &options.action {
        IndexAction::Create(options) => create(options),
        IndexAction::Add(options) => add::run(options),
        IndexAction::Query(options) => query::run(options),
        IndexAction::Get(options) => get(options),
        IndexAction::Remove(options) => remove(options),
        IndexAction::Renew(options) => renew(options),
        IndexAction::Expire(options) => expire(options),
        IndexAction::Import(options) => import::run(options),
        IndexAction::Stats(options) => stats(options),
        IndexAction::Verify(options) => verify(options),
        IndexAction::Compact(options) => compact(options),
        IndexAction::Backup(options) => backup(options),
        IndexAction::Restore(options) => restore(options),
    }
}

fn open(path: &Path) -> Result<Index> {
    Ok(Index::open(path, OpenOptions::default())?)
}

fn create(options: &CreateOptions) -> Result<()> {
    let settings = index::settings(&options.new)?;
    Ok(Index::create(&options.index, &settings)?)
}

fn get(options: &GetOptions) -> Result<()> {
    match open(&options.index)?.get(&options.id, Timestamp::now())? {
        Some(document) => print_json(&document),
        None => anyhow::bail!("there is no document {}", options.id),
    }
}

fn remove(options: &RemoveOptions) -> Result<()> {
    let index = open(&options.index)?;
    each(&options.ids, |id| Ok(index.remove(id)?))
}

fn renew(options: &RenewOptions) -> Result<()> {
    let index = open(&options.index)?;
    let now = Timestamp::now();
    let ttl = options.ttl.or(index.settings().ttl);
    if ttl.is_none() && !options.forever {
        let message = "the index has no time to live\nhint: say --ttl or --forever";
        return Err(UsageError(message.to_owned()).into());
    }
    let expires = ttl.filter(|_| !options.forever).map(|ttl| now.after(ttl));
    each(&options.ids, |id| Ok(index.renew(id, expires, now)?))
}

/// Changes every document; unknown ids are printed and make the command fail.
fn each(ids: &[String], mut change: impl FnMut(&str) -> Result<bool>) -> Result<()> {
    let mut missing = vec![];
    for id in ids {
        if !change(id)? {
            missing.push(id.as_str());
        }
    }
    anyhow::ensure!(missing.is_empty(), "not in the index: {}", missing.join(", "));
    Ok(())
}

fn expire(options: &FolderOptions) -> Result<()> {
    let removed = open(&options.index)?.expire(Timestamp::now())?;
    if options.json {
        return print_json(&json!({ "removed": removed }));
    }
    eprintln!("removed {}", words::count(removed, "expired document"));
    Ok(())
}

fn stats(options: &FolderOptions) -> Result<()> {
    let index = open(&options.index)?;
    let stats = index.stats()?;
    if options.json {
        return print_json(&stats);
    }
    println!("documents     {}", words::number(stats.documents));
    println!("removed       {} not yet forgotten", words::number(stats.removed));
    if index.settings().paragraphs {
        println!("paragraphs    {}", words::number(stats.paragraphs));
    }
    println!("memory        {} for fingerprints, searched exactly", size::print(stats.memory_bytes));
    println!("disk          {}", size::print(stats.disk_bytes));
    println!("segments      {}, and {} fresh fingerprints", stats.segments, words::number(stats.buffered));
    println!("recipe        {}", index.settings().recipe.name);
    Ok(())
}

fn verify(options: &FolderOptions) -> Result<()> {
    let verified = open(&options.index)?.verify()?;
    if options.json {
        print_json(&verified)?;
    } else {
        verified.damage.iter().for_each(|damage| println!("{damage}"));
        eprintln!(
            "{} and {} are right",
            words::count(verified.documents, "document"),
            words::count(verified.segments, "segment file")
        );
    }
    anyhow::ensure!(
        verified.is_whole(),
        "{} found\nhint: segments are made again when the index is opened; for the store, restore a backup",
        words::count(verified.damaged, "damage")
    );
    Ok(())
}

fn compact(options: &FolderOptions) -> Result<()> {
    let index = open(&options.index)?;
    let before = index.stats()?.disk_bytes;
    index.expire(Timestamp::now())?;
    index.compact()?;
    let after = index.stats()?.disk_bytes;
    if options.json {
        return print_json(&json!({ "bytes_before": before, "bytes_after": after }));
    }
    eprintln!("{}, before {}", size::print(after), size::print(before));
    Ok(())
}

fn backup(options: &CopyOptions) -> Result<()> {
    Ok(open(&options.from)?.backup(&options.to)?)
}

fn restore(options: &CopyOptions) -> Result<()> {
    Ok(Index::restore(&options.from, &options.to)?)
}
