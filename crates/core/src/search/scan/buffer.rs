//! Fresh fingerprints, too few for an index.

use crate::kernel::Kernel;
use crate::kernel::hamming::slices::{self, Slices};
use crate::search::hamming::{HammingSearch, Query, Sink, Want};

use super::Each;

/// A growing set that is scanned. Whole blocks of 256 are also kept as bit slices, so that a query
/// scans 2^14 fingerprints in about a microsecond, the time of a query to a large index. 16 bytes
/// per fingerprint.
#[derive(Debug, Clone)]
pub struct Buffer {
    fingerprints: Vec<u64>,
    slices: Slices,
    kernel: Kernel,
}

impl Buffer {
    /// An empty buffer.
    pub fn new(kernel: Kernel) -> Self {
        Buffer { fingerprints: vec![], slices: Slices::default(), kernel }
    }

    /// Adds a fingerprint; its position is the number of earlier ones.
    pub fn push(&mut self, fingerprint: u64) {
        self.fingerprints.push(fingerprint);
        let (whole, _) = self.fingerprints.as_chunks::<{ slices::LENGTH }>();
        whole[self.slices.blocks()..].iter().for_each(|block| self.slices.push(block, self.kernel));
    }

    /// All fingerprints, in insertion order.
    pub fn fingerprints(&self) -> &[u64] {
        &self.fingerprints
    }

    /// Removes and returns all fingerprints.
    pub fn take(&mut self) -> Vec<u64> {
        self.slices.clear();
        std::mem::take(&mut self.fingerprints)
    }
}

impl HammingSearch for Buffer {
    fn len(&self) -> usize {
        self.fingerprints.len()
    }

    fn largest_radius(&self) -> u32 {
        u64::BITS
    }

    fn search_batch(&self, queries: &[Query<'_>], radius: u32, want: Want, sink: &mut Sink<'_>) {
        let mut each = Each::new(queries.len(), want, sink);
        let mut found = vec![];
        let sliced = self.slices.blocks() * slices::LENGTH;
        for (number, query) in queries.iter().enumerate() {
            self.kernel.within_slices(&self.slices, query.fingerprint.0, radius, &mut found);
            each.report(number, query, &self.fingerprints, 0, radius, &mut found);
            if each.is_open(number) {
                let fresh = &self.fingerprints[sliced..];
                self.kernel.within(fresh, query.fingerprint.0, radius, &mut found);
                each.report(number, query, fresh, sliced, radius, &mut found);
            }
        }
    }
}
