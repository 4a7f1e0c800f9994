//! A run of fingerprints with their document numbers, which ascend.

use twindex_core::fingerprint::Simhash;

use super::Candidate;

/// Fingerprints and numbers, side by side.
#[derive(Debug, Clone, Default)]
pub(crate) struct Segment {
    fingerprints: Vec<u64>,
    numbers: Vec<u32>,
}

impl Segment {
    pub(crate) fn push(&mut self, fingerprint: Simhash, number: u32) {
        self.fingerprints.push(fingerprint.0);
        self.numbers.push(number);
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Appends everything within `radius` of `probe`.
    pub(crate) fn search(&self, probe: Simhash, radius: u32, found: &mut Vec<Candidate>) {
        for (&fingerprint, &number) in self.fingerprints.iter().zip(&self.numbers) {
            let distance = Simhash(fingerprint).distance(probe);
            if distance <= radius {
                found.push(Candidate { distance, number });
            }
        }
    }
}
