//! What posting lists propose for a query: numbers of documents, oldest first.
//!
//! ```text
//! choose   of each group, the `enough` keys with the shortest lists over all runs and segments
//! refill   the next numbers of every list, up to the smallest number at which a list was cut
//! next     the smallest number, and which lists have it
//! ```
//!
//! Any `enough` keys of a group find every document that can still pass
//! ([`Probes`](twindex_core::search::Probes)), so no order of frequencies is kept: a key without a
//! list is the best choice. Numbers are read in pieces, so that of a template's million documents
//! only as many are read as the answer needs.

use std::io;
use std::ops::Range;

use super::{Key, PostingSet, Source, TOGETHER};

/// Numbers that are read of a list at a time.
const PIECE: usize = 256;

/// Keys of which any `enough` find what there is to find.
#[derive(Debug, Clone, Default)]
pub(crate) struct Group {
    pub(crate) keys: Vec<Key>,
    pub(crate) enough: usize,
}

/// A list that is probed, and how many living documents of it were seen so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Probed {
    pub(crate) key: Key,
    pub(crate) living: usize,
}

/// The numbers of several lists in one order.
pub(crate) struct Proposals<'a> {
    parts: Vec<Part<'a>>,
    /// Numbers that can be given out, with the list that has them, ascending.
    ready: Vec<(u32, u32)>,
    given: usize,
}

/// The part of a list in one run or segment.
struct Part<'a> {
    source: Source<'a>,
    list: u32,
    /// What was not read.
    rest: Range<usize>,
    /// What was read and not given out.
    read: Vec<u32>,
}

/// The lists to probe, of each group those that are the shortest; and whether any of them holds a
/// document.
pub(crate) fn choose(set: &PostingSet, groups: &[Group]) -> (Vec<Probed>, bool) {
    let (mut chosen, mut is_there) = (vec![], false);
    for group in groups {
        let mut keys: Vec<(usize, Key)> = vec![];
        let is_choice = group.enough < group.keys.len();
        for part in group.keys.chunks(TOGETHER) {
            keys.extend(set.lengths(part, 0).into_iter().zip(part.iter().copied()));
            let without_list = keys.iter().filter(|(length, _)| *length == 0).count();
            // Of a new document most keys have no list, and no choice is better.
            if is_choice && without_list >= group.enough {
                break;
            }
        }
        if group.enough < keys.len() {
            keys.select_nth_unstable(group.enough);
            keys.truncate(group.enough);
        }
        is_there |= keys.iter().any(|(length, _)| *length > 0);
        chosen.extend(keys.into_iter().map(|(_, key)| Probed { key, living: 0 }));
    }
    (chosen, is_there)
}

impl<'a> Proposals<'a> {
    /// The numbers from `since` on in some lists.
    pub(crate) fn new(set: &'a PostingSet, lists: &[Probed], since: u64) -> io::Result<Proposals<'a>> {
        let mut parts = vec![];
        for source in set.sources(since) {
            for (probed, list) in lists.iter().zip(0..) {
                let mut rest = source.list(probed.key);
                if rest.is_empty() {
                    continue;
                }
                rest.start = first_from(source, rest.clone(), since)?;
                parts.push(Part { source, list, rest, read: vec![] });
            }
        }
        Ok(Proposals { parts, ready: vec![], given: 0 })
    }

    /// The next number and the lists that have it.
    pub(crate) fn next(&mut self) -> io::Result<Option<(u32, impl Iterator<Item = usize> + '_)>> {
        if self.given == self.ready.len() {
            self.refill()?;
        }
        let Some(&(number, _)) = self.ready.get(self.given) else { return Ok(None) };
        let start = self.given;
        self.given += self.ready[start..].iter().take_while(|entry| entry.0 == number).count();
        Ok(Some((number, self.ready[start..self.given].iter().map(|&(_, list)| list as usize))))
    }

    fn refill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.given = 0;
        let mut horizon = u32::MAX;
        for part in &mut self.parts {
            if part.read.is_empty() && !part.rest.is_empty() {
                let end = part.rest.end.min(part.rest.start + PIECE);
                part.source.read(part.rest.start..end, &mut part.read)?;
                part.rest.start = end;
            }
            if let Some(&last) = part.read.last().filter(|_| !part.rest.is_empty()) {
                horizon = horizon.min(last);
            }
        }
        for Part { list, read, .. } in &mut self.parts {
            let within = read.partition_point(|&number| number <= horizon);
            self.ready.extend(read.drain(..within).map(|number| (number, *list)));
        }
        self.parts.retain(|part| !part.read.is_empty() || !part.rest.is_empty());
        self.ready.sort_unstable();
        Ok(())
    }
}

/// The first entry of a list whose number is at least `since`.
fn first_from(source: Source<'_>, list: Range<usize>, since: u64) -> io::Result<usize> {
    let Range { mut start, mut end } = list;
    if since == 0 {
        return Ok(start);
    }
    let mut number = vec![];
    while start < end {
        let middle = start.midpoint(end);
        number.clear();
        source.read(middle..middle + 1, &mut number)?;
        if number.first().is_some_and(|&number| u64::from(number) < since) {
            start = middle + 1;
        } else {
            end = middle;
        }
    }
    Ok(start)
}
