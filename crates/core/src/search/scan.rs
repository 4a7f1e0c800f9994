//! Linear scan: compare the query with everything. The oracle of every other Hamming search, and right for small sets.

use crate::fingerprint::Simhash;

/// The positions of all fingerprints within `radius` bits of `query`, ascending.
pub fn within(stored: &[Simhash], query: Simhash, radius: u32) -> Vec<usize> {
    let near = |(_, fingerprint): &(usize, &Simhash)| fingerprint.distance(query) <= radius;
    stored.iter().enumerate().filter(near).map(|(position, _)| position).collect()
}
