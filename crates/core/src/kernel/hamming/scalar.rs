//! The definition: one word after another.

use super::{LookUp, Survivor, Word};

/// See [`super::Kernel::within`].
pub(super) fn within(words: &[u64], query: u64, radius: u32, found: &mut Vec<u32>) {
    let near = words.iter().zip(0..).filter(|(word, _)| (**word ^ query).count_ones() <= radius);
    found.extend(near.map(|(_, position)| position));
}

/// See [`super::Kernel::look_up`].
pub(super) fn look_up<W: Word>(words: &[W], look_ups: &[LookUp<W>], survivors: &mut Vec<Survivor>) {
    for (wanted, number) in look_ups.iter().zip(0..) {
        let run = &words[wanted.start as usize..wanted.end as usize];
        for (&word, position) in run.iter().zip(wanted.start..) {
            if (word ^ wanted.word).ones() <= wanted.radius {
                survivors.push(Survivor { look_up: number, position });
            }
        }
    }
}
