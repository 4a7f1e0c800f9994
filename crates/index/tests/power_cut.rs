//! The power is cut at every sync of a small life of an index: what was acknowledged is there.
//!
//! A killed process loses nothing that it wrote; a power cut loses what was not synced. The disk of
//! this test forgets it, for the store as for the files beside it. Each run stops at another sync.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use twindex_core::Recipe;
use twindex_core::hash::mix;
use twindex_disk::{Disk, ForgetfulDisk, Loss};
use twindex_index::{
    AddOptions, Durability, ErrorKind, Index, NewDocument, OpenOptions, Query, Result, Seconds, Settings,
    Timestamp,
};

const NOW: Timestamp = Timestamp(1_000);

/// Every document has words of its own, so that a query finds it alone.
fn text(id: u64) -> String {
    (0..30).map(|place| format!("{:x}", mix(id * 1_000 + place))).collect::<Vec<_>>().join(" ")
}

fn settings() -> Settings {
    Settings { paragraphs: true, ..Settings::new(Recipe::preset("simhash").unwrap()) }
}

/// What was acknowledged, and the change that was not.
#[derive(Debug, Default)]
struct Known {
    is_created: bool,
    there: BTreeSet<u64>,
    gone: BTreeSet<u64>,
    adding: Vec<u64>,
    removing: Option<u64>,
}

impl Known {
    fn add(&mut self, index: &Index, ids: &[u64]) -> Result<()> {
        self.adding = ids.to_vec();
        let documents: Vec<_> = ids.iter().map(|&id| NewDocument::new(id.to_string(), text(id))).collect();
        index.add(&documents, AddOptions::default(), NOW)?;
        self.there.extend(std::mem::take(&mut self.adding));
        Ok(())
    }

    fn remove(&mut self, index: &Index, id: u64) -> Result<()> {
        self.removing = Some(id);
        assert!(index.remove(&id.to_string())?);
        self.removing = None;
        self.there.remove(&id);
        self.gone.insert(id);
        Ok(())
    }

    /// The life of an index, until it ends or the power is cut.
    fn live(&mut self, path: &Path, durability: Durability, disk: &Arc<dyn Disk>) -> Result<()> {
        Index::create_on(path, &settings(), disk)?;
        self.is_created = true;
        // A small buffer, so that segments are sealed, merged and saved.
        let options = OpenOptions { buffer: 4, durability, ..OpenOptions::default() };
        let index = Index::open_on(path, options, disk)?;
        for step in 0..6 {
            self.add(&index, &[3 * step, 3 * step + 1, 3 * step + 2])?;
            index.settle()?;
            if step % 2 == 1 {
                self.remove(&index, 3 * step)?;
            }
        }
        // Without documents there is no segment: files and tombstones go, and nothing replaces
        // them.
        for id in self.there.clone() {
            self.remove(&index, id)?;
        }
        index.compact()?;
        self.add(&index, &[100, 101])?;
        drop(index);
        let index = Index::open_on(path, options, disk)?;
        self.add(&index, &[102, 103, 104])?;
        index.settle()
    }

    /// Compares an index that was opened after the power cut.
    fn check(&self, index: &Index, is_strict: bool, run: &str) {
        let has = |id: u64| index.get(&id.to_string(), NOW).unwrap();
        let mut documents = 0;
        let all = self.there.iter().chain(&self.gone).chain(&self.adding).copied().collect::<BTreeSet<_>>();
        for id in all {
            let found = has(id);
            documents += u64::from(found.is_some());
            if is_strict && self.there.contains(&id) && self.removing != Some(id) {
                assert!(found.is_some(), "{run}: {id} was acknowledged");
            }
            if is_strict && self.gone.contains(&id) {
                assert!(found.is_none(), "{run}: {id} was removed");
            }
            let answer = index.check(&Query::new(&text(id)), NOW).unwrap();
            let ids: Vec<String> = answer.matches.into_iter().map(|found| found.id).collect();
            match found {
                Some(found) => {
                    assert_eq!(found.text, Some(text(id)), "{run}: {id}");
                    assert_eq!(ids, [id.to_string()], "{run}");
                }
                None => assert_eq!(ids, [""; 0], "{run}: {id}"),
            }
        }
        let added = self.adding.iter().filter(|&&id| has(id).is_some()).count();
        assert!(added == 0 || added == self.adding.len(), "{run}: a part of a batch");
        let verified = index.verify().unwrap();
        assert!(verified.is_whole(), "{run}: {:?}", verified.damage);
        assert_eq!(verified.documents, documents, "{run}");
    }
}

/// Runs until the power is cut after `syncs` syncs, and checks what is left; the syncs of the run.
fn run(syncs: usize, loss: Loss, durability: Durability) -> usize {
    let run = format!("{durability:?}, cut after {syncs} syncs, {loss:?} lost");
    let folder = tempfile::tempdir().unwrap();
    // Folders that do not exist: their names must be made durable, too.
    let path = folder.path().join("new").join("index");
    let forgetful = Arc::new(ForgetfulDisk::new(folder.path()).unwrap());
    let disk: Arc<dyn Disk> = forgetful.clone();
    forgetful.written_in_place("store.redb");
    forgetful.written_in_place("store.redb.partial");
    forgetful.cut_power_after(syncs);
    let mut known = Known::default();
    let _ = known.live(&path, durability, &disk);
    let done = forgetful.syncs();
    forgetful.crash(loss).unwrap();

    let options = OpenOptions { buffer: 4, ..OpenOptions::default() };
    let index = match Index::open_on(&path, options, &disk) {
        Err(error) if error.kind() == ErrorKind::NotFound && !known.is_created => {
            Index::create_on(&path, &settings(), &disk).unwrap_or_else(|error| panic!("{run}: {error}"));
            Index::open_on(&path, options, &disk).unwrap()
        }
        opened => opened.unwrap_or_else(|error| panic!("{run}: {error}")),
    };
    known.check(&index, durability == Durability::Strict, &run);
    // It goes on.
    index.settle().unwrap();
    index.add(&[NewDocument::new("later", text(999))], AddOptions::default(), NOW).unwrap();
    assert_eq!(index.check(&Query::new(&text(999)), NOW).unwrap().matches[0].id, "later", "{run}");
    done
}

fn cut_everywhere(durability: Durability) {
    let all = run(usize::MAX, Loss::Everything, durability);
    assert!(all > 30, "only {all} syncs");
    let mut outcomes: BTreeMap<bool, usize> = BTreeMap::new();
    for syncs in 0..=all {
        for loss in [Loss::Everything, Loss::Some(2 * syncs as u64), Loss::Some(2 * syncs as u64 + 1)] {
            *outcomes.entry(run(syncs, loss, durability) == syncs).or_default() += 1;
        }
    }
    // The maintenance thread syncs when it likes, so a few runs may end before their cut.
    assert!(outcomes[&true] > 2 * all, "{outcomes:?}");
}

#[test]
fn acknowledged_documents_survive() {
    cut_everywhere(Durability::Strict);
}

/// With relaxed durability the last changes may be lost; what is left is right.
#[test]
fn relaxed_durability_leaves_a_whole_index() {
    cut_everywhere(Durability::Relaxed);
}

/// Eight segments whose documents are all removed are merged into none, and a later segment stays:
/// no file covers their range then, and their tombstones are dropped. If their files came back,
/// their documents would have neither a record nor a tombstone, which looks like damage.
#[test]
fn removed_files_do_not_come_back_without_their_tombstones() {
    let open = |buffer| OpenOptions { buffer, ..OpenOptions::default() };
    for loss in [Loss::Everything, Loss::Some(1), Loss::Some(2), Loss::Some(3)] {
        let folder = tempfile::tempdir().unwrap();
        Index::create(folder.path(), &settings()).unwrap();
        let index = Index::open(folder.path(), open(4)).unwrap();
        // With a buffer of 4 these are segments of three sizes, so that none are merged.
        let mut sizes = vec![4; 7];
        sizes.extend([32, 256]);
        let mut ids = 0..;
        for size in sizes {
            let document = |id: u64| {
                let ttl = (size < 256).then_some(Seconds(1));
                NewDocument { ttl, ..NewDocument::new(id.to_string(), text(id)) }
            };
            let documents: Vec<_> = ids.by_ref().take(size).map(document).collect();
            index.add(&documents, AddOptions { matches: 0, ..AddOptions::default() }, NOW).unwrap();
            index.settle().unwrap();
        }
        assert_eq!(index.stats().unwrap().segments, 9);
        assert_eq!(index.expire(Timestamp(NOW.0 + 1)).unwrap(), 60);
        drop(index);

        let forgetful = Arc::new(ForgetfulDisk::new(folder.path()).unwrap());
        forgetful.written_in_place("store.redb");
        let disk: Arc<dyn Disk> = forgetful.clone();
        // With a buffer of 8 the first eight are of one size.
        let index = Index::open_on(folder.path(), open(8), &disk).unwrap();
        index.settle().unwrap();
        let stats = index.stats().unwrap();
        assert_eq!((stats.segments, stats.removed), (1, 0));
        drop(index);
        forgetful.crash(loss).unwrap();

        let index = Index::open(folder.path(), open(8)).unwrap();
        for id in 0..60 {
            assert!(index.check(&Query::new(&text(id)), NOW).unwrap().matches.is_empty(), "{loss:?}: {id}");
        }
        assert!(index.verify().unwrap().is_whole(), "{loss:?}");
    }
}
