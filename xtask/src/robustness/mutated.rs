//! Parquet files that were changed in a few places: each is read or refused, and none ends the
//! program with a panic, although the library panics on some.

use std::path::{Path, PathBuf};

/// What a Parquet file begins and ends with, and the length of its footer before that.
const MAGIC: &[u8] = b"PAR1";
const TAIL: usize = 8;

/// The most bytes that are changed, taken out or put in at one place.
const MOST_BYTES: usize = 20;

/// Writes `count` changed copies of every Parquet file of a folder, in turn, to `changed`, and
/// calls `check`, which says what is wrong with a copy. Returns how many there were, and what was
/// found.
pub(super) fn each(
    folder: &Path,
    count: usize,
    changed: &Path,
    mut check: impl FnMut() -> anyhow::Result<Option<String>>,
) -> anyhow::Result<(usize, Vec<String>)> {
    let mut random = Random(1);
    let (mut cases, mut found) = (0, vec![]);
    for path in made(folder)? {
        let whole = std::fs::read(&path)?;
        for number in 0..count {
            std::fs::write(changed, change(&whole, &mut random))?;
            cases += 1;
            if let Some(wrong) = check()? {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                found.push(format!("{name}, change {number}: {wrong}"));
            }
        }
    }
    Ok((cases, found))
}

/// The files that were made, without those that this program wrote.
fn made(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths = entries.collect::<std::io::Result<Vec<_>>>()?;
    paths.retain(|path| {
        let name = path.to_string_lossy();
        name.ends_with(".parquet") && !name.ends_with("-kept.parquet")
    });
    paths.sort();
    Ok(paths)
}

/// A copy with one to three changes, half of them in the footer, which says where all others are.
/// Both ends stay: without them nothing else would be looked at.
fn change(whole: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for _ in 0..=random.below(3) {
        let end = bytes.len().saturating_sub(TAIL).max(MAGIC.len());
        let footer = whole.len().checked_sub(TAIL).map_or(0, |tail| {
            let length = whole[tail..].first_chunk().map_or(0, |length| u32::from_le_bytes(*length));
            tail.saturating_sub(length as usize)
        });
        let start = if random.below(2) == 0 { footer.clamp(MAGIC.len(), end) } else { MAGIC.len() };
        let place = start + random.below(end - start);
        let length = 1 + random.below(MOST_BYTES.min(end - place));
        match random.below(4) {
            0 if place < end => bytes[place] ^= 1 << random.below(8),
            1 if place < end => bytes[place] = random.below(256) as u8,
            2 if place + length <= end => drop(bytes.drain(place..place + length)),
            _ => {
                let more: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
                drop(bytes.splice(place..place, more));
            }
        }
    }
    bytes
}

/// The same numbers on every machine: SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % bound.max(1) as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_differ_and_leave_both_ends() {
        let whole = [MAGIC, &[7; 100], &20u32.to_le_bytes(), MAGIC].concat();
        let mut random = Random(1);
        let copies: Vec<_> = (0..500).map(|_| change(&whole, &mut random)).collect();
        assert!(copies.iter().all(|copy| copy.starts_with(MAGIC) && copy.ends_with(&whole[104..])));
        assert!(copies.iter().filter(|copy| **copy == whole).count() < 50);
        let in_footer = copies.iter().filter(|copy| copy.get(..84) == Some(&whole[..84])).count();
        assert!((50..300).contains(&in_footer), "{in_footer}");
    }
}
