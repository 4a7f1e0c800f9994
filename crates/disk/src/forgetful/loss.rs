//! What a power cut leaves of what was not synced.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};

use super::tree::{Inode, Tree};

/// How much of what was not synced a power cut takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// All of it: the strictest loss, always possible.
    Everything,
    /// Some of it, as this seed decides.
    Some(u64),
}

/// What disks write whole.
const SECTOR: usize = 512;

/// The folder after the power cut, of which `synced` is certain and `written` was on its way. Files
/// with one of the names in `sized` have one of the two lengths.
pub(super) fn outcome(synced: &Tree, written: &Tree, sized: &[OsString], loss: Loss) -> Tree {
    let mut chance = Chance(match loss {
        Loss::Everything => None,
        Loss::Some(seed) => Some(seed),
    });
    let mut left = Tree { root: synced.root, ..Tree::default() };
    let names = Names::of(synced, written);
    for group in names.groups() {
        let source = if chance.flip() { written } else { synced };
        for (folder, name) in group {
            if let Some(&inode) = source.folders.get(&folder).and_then(|names| names.get(name)) {
                left.folders.entry(folder).or_default().insert(name.to_owned(), inode);
            }
        }
    }
    for &inode in &names.inodes {
        let contents = |tree: &Tree| tree.files.get(&inode).cloned();
        if let (None, None) = (contents(synced), contents(written)) {
            continue; // a folder
        }
        let [old, new] = [synced, written].map(|tree| contents(tree).unwrap_or_default());
        let entries = names.entries_of.get(&inode).into_iter().flatten();
        let is_sized = entries.into_iter().any(|(_, name)| sized.iter().any(|sized| sized == name));
        left.files.insert(inode, chance.contents(old, new, is_sized));
    }
    left
}

/// A name in a folder.
type Entry<'t> = (Inode, &'t OsStr);

/// All names, synced or written, in the order of a walk from the root: inodes differ from run to
/// run and must not decide what a seed does.
#[derive(Default)]
struct Names<'t> {
    entries: Vec<Entry<'t>>,
    inodes: Vec<Inode>,
    inodes_of: HashMap<Entry<'t>, Vec<Inode>>,
    entries_of: HashMap<Inode, Vec<Entry<'t>>>,
}

impl<'t> Names<'t> {
    fn of(synced: &'t Tree, written: &'t Tree) -> Names<'t> {
        let mut names = Names { inodes: vec![synced.root], ..Names::default() };
        let mut known = HashSet::from([synced.root]);
        let mut walked = 0;
        while let Some(&folder) = names.inodes.get(walked) {
            walked += 1;
            for (name, &inode) in
                [synced, written].iter().filter_map(|tree| tree.folders.get(&folder)).flatten()
            {
                let entry = (folder, name.as_os_str());
                names.entries.push(entry);
                names.inodes_of.entry(entry).or_default().push(inode);
                names.entries_of.entry(inode).or_default().push(entry);
                if known.insert(inode) {
                    names.inodes.push(inode);
                }
            }
        }
        names
    }

    /// The names that change together: those that lead to one file, before or after. A rename and
    /// what it replaced are one group.
    fn groups(&self) -> Vec<Vec<Entry<'t>>> {
        let mut seen = HashSet::new();
        let mut groups = vec![];
        for &entry in &self.entries {
            let mut group = vec![];
            let mut waiting = vec![entry];
            while let Some(entry) = waiting.pop() {
                if seen.insert(entry) {
                    group.push(entry);
                    let inodes = self.inodes_of[&entry].iter();
                    waiting.extend(inodes.flat_map(|inode| &self.entries_of[inode]));
                }
            }
            groups.push(group);
        }
        groups.retain(|group| !group.is_empty());
        groups
    }
}

/// Decides what survives: nothing without a seed.
struct Chance(Option<u64>);

impl Chance {
    fn flip(&mut self) -> bool {
        self.below(2) == 1
    }

    /// A number below `end` (splitmix64), or 0 without a seed.
    fn below(&mut self, end: usize) -> usize {
        let Some(state) = &mut self.0 else { return 0 };
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = *state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }

    /// What is left of a file.
    fn contents(&mut self, synced: Vec<u8>, written: Vec<u8>, is_sized: bool) -> Vec<u8> {
        match self.below(4) {
            0 => synced,
            1 => written,
            // As long as it was, with old data, new data and zeros.
            2 => self.sectors(&synced, &written, written.len()),
            3 if is_sized => {
                let length = if self.flip() { synced.len() } else { written.len() };
                self.sectors(&synced, &written, length)
            }
            // Cut in the middle.
            _ => {
                let (shorter, longer) = (synced.len().min(written.len()), synced.len().max(written.len()));
                let length = shorter + self.below(longer - shorter + 1);
                self.sectors(&synced, &written, length)
            }
        }
    }

    /// Old and new sectors. New ones that were not written are zeros behind the end of the old
    /// file.
    fn sectors(&mut self, synced: &[u8], written: &[u8], length: usize) -> Vec<u8> {
        let mut left = Vec::with_capacity(length);
        while left.len() < length {
            let is_new = self.flip();
            for place in left.len()..length.min(left.len() + SECTOR) {
                let (old, new) = (synced.get(place), written.get(place));
                let byte = if is_new { new.or(old) } else { old };
                left.push(byte.copied().unwrap_or(0));
            }
        }
        left
    }
}
