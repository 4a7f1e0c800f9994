//! Lines: the tags of one bucket in one cache line.
//!
//! A look-up in a table waits for the bucket's offsets and then for the bucket, which begins
//! anywhere and often crosses into the next line. Here the bucket's number gives the position of
//! its only line:
//!
//! ```text
//! line    tag, tag, ... (up to MOST)    how many tags the bucket has (u32)
//! ```
//!
//! The tags of a bucket that do not fit are stored elsewhere.

use super::Survivor;
use crate::kernel::Kernel;
use crate::kernel::memory::prefetch;

/// The first tags of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Line {
    tags: [u32; Line::MOST],
    count: u32,
}

impl Line {
    /// Tags that a line has room for.
    pub const MOST: usize = 15;

    /// The line of a bucket.
    pub fn of(bucket: &[u32]) -> Self {
        let mut tags = [0; Line::MOST];
        tags.iter_mut().zip(bucket).for_each(|(place, &tag)| *place = tag);
        Line { tags, count: bucket.len() as u32 }
    }

    /// How many tags the bucket has, those stored elsewhere included.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        self.count
    }
}

/// A line, and what is looked for in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineLookUp {
    /// The number of the line.
    pub line: u32,
    /// The tag that is looked for.
    pub tag: u32,
    /// In how many bits a tag of the line may differ from it.
    pub radius: u32,
}

/// How many look-ups ahead a line is prefetched: about as many lines as a CPU tracks.
pub(super) const AHEAD: usize = 32;

impl Kernel {
    /// Appends, for every look-up in order, the tags of its line within its radius, ascending. A
    /// survivor's position is its place in the line.
    ///
    /// Panics if there is no such line.
    pub fn look_up_lines(self, lines: &[Line], look_ups: &[LineLookUp], survivors: &mut Vec<Survivor>) {
        look_ups.iter().take(AHEAD).for_each(|wanted| prefetch(lines, wanted.line as usize));
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: both exist only where the CPU has AVX2.
            Kernel::Avx512 | Kernel::Avx2 => unsafe {
                super::avx2::look_up_lines(lines, look_ups, survivors);
            },
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => look_up(lines, look_ups, survivors),
            Kernel::Scalar => look_up(lines, look_ups, survivors),
        }
    }
}

/// See [`Kernel::look_up_lines`]: the definition.
fn look_up(lines: &[Line], look_ups: &[LineLookUp], survivors: &mut Vec<Survivor>) {
    for (number, wanted) in look_ups.iter().enumerate() {
        prefetch_ahead(lines, look_ups, number);
        push_near(&lines[wanted.line as usize], wanted, number, survivors);
    }
}

/// Prefetches the line that is read `AHEAD` look-ups later.
#[inline(always)]
pub(super) fn prefetch_ahead(lines: &[Line], look_ups: &[LineLookUp], number: usize) {
    if let Some(later) = look_ups.get(number + AHEAD) {
        prefetch(lines, later.line as usize);
    }
}

/// Appends the tags of one line that are within the radius.
#[inline(always)]
pub(super) fn push_near(line: &Line, wanted: &LineLookUp, number: usize, survivors: &mut Vec<Survivor>) {
    for (tag, position) in line.tags.iter().zip(0..line.count) {
        if (tag ^ wanted.tag).count_ones() <= wanted.radius {
            survivors.push(Survivor { look_up: number as u32, position });
        }
    }
}
