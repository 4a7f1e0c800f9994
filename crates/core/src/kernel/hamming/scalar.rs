//! The definition: one word after another.

use super::prefetch::Prefetcher;
use super::{LookUp, Nearness, Run, Survivor, Word};

/// See [`super::Kernel::within`].
pub(super) fn within(words: &[u64], query: u64, radius: u32, found: &mut Vec<u32>) {
    let near = words.iter().zip(0..).filter(|(word, _)| (**word ^ query).count_ones() <= radius);
    found.extend(near.map(|(_, position)| position));
}

/// See [`super::Kernel::look_up`].
pub(super) fn look_up<W: Word>(words: &[W], look_ups: &[LookUp<W>], survivors: &mut Vec<Survivor>) {
    let mut prefetcher = Prefetcher::new(words, look_ups);
    for (wanted, number) in look_ups.iter().zip(0..) {
        prefetcher.prefetch_next();
        let run = &words[wanted.start as usize..wanted.end as usize];
        for (&word, position) in run.iter().zip(wanted.start..) {
            if (word ^ wanted.word).ones() <= wanted.radius {
                survivors.push(Survivor { look_up: number, position });
            }
        }
    }
}

/// See [`super::Kernel::near_pairs`].
#[inline(always)]
pub(super) fn near_pairs(words: &[u64], runs: &[Run], near: &Nearness, found: &mut Vec<(u32, u32)>) {
    for run in runs {
        let run_words = &words[run.start as usize..run.end as usize];
        for (place, &b) in run_words.iter().enumerate() {
            for (before, &a) in run_words[..place].iter().enumerate() {
                if near.is_near(a, b) {
                    found.push((run.start + before as u32, run.start + place as u32));
                }
            }
        }
    }
}
