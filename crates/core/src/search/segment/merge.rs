//! Which segments are merged, and the merge.

use std::ops::Range;
use std::sync::Arc;

use super::{Plan, Segment, Segments};

/// Fingerprints of a full buffer: scanning them takes as long as a query to an index.
pub const BUFFER: usize = 1 << 14;

/// Segments of similar size that are merged into one.
pub const FAN_IN: usize = 8;

impl Segment {
    /// Merges segments in their order, without the numbers that `keep` refuses.
    pub fn merge(segments: &[Arc<Segment>], keep: impl Fn(u32) -> bool, plan: &Plan) -> Self {
        let length = segments.iter().map(|segment| segment.len()).sum();
        let (mut fingerprints, mut numbers) = (Vec::with_capacity(length), Vec::with_capacity(length));
        for segment in segments {
            for (&fingerprint, number) in segment.fingerprints().iter().zip(segment.numbers.iter()) {
                if keep(number) {
                    fingerprints.push(fingerprint);
                    numbers.push(number);
                }
            }
        }
        Segment::build(fingerprints, numbers, plan)
    }
}

impl Segments {
    /// Neighbouring segments of one size class that are due for a merge, if there are [`FAN_IN`] of
    /// them.
    ///
    /// The caller merges them, possibly on another thread, and then calls [`Segments::replace`].
    pub fn merge_due(&self) -> Option<Range<usize>> {
        // Size classes are powers of the fan-in, so that deletions rarely change the class of a
        // segment.
        let size = |segment: &Arc<Segment>| (segment.len() / BUFFER).max(1).ilog(FAN_IN);
        let mut start = 0;
        for run in self.sealed.chunk_by(|a, b| size(a) == size(b)) {
            if run.len() >= FAN_IN {
                return Some(start..start + run.len());
            }
            start += run.len();
        }
        None
    }

    /// Replaces the merged segments by the result; an empty one is dropped.
    ///
    /// Panics if `range` is not within the sealed segments. Segments sealed meanwhile are behind
    /// the range and stay.
    pub fn replace(&mut self, range: Range<usize>, merged: Segment) {
        let merged = (!merged.is_empty()).then(|| Arc::new(merged));
        self.sealed.splice(range, merged);
    }
}
