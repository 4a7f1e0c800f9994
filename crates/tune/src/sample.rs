//! A sample in which duplicates stay together.
//!
//! A random sample of documents separates pairs: of a million documents, two thousand at
//! random hold four in a million of the pairs. So the sample is drawn by content: a document's
//! number is a hash of its smallest shingle, and the documents with the smallest numbers are taken.
//! Two documents of Jaccard J have the same smallest shingle with probability J, so that a share t
//! of the documents holds about the share t J of the pairs, instead of t².

use std::collections::BinaryHeap;

use twindex_core::{Document, hash};

/// Collects the sample from a stream of documents.
#[derive(Debug)]
pub struct Sampler {
    size: usize,
    seen: u64,
    taken: BinaryHeap<Drawn>,
    is_cut: bool,
    labelled: usize,
}

/// A document with its place in the draw: by number, then in the order of the collection.
#[derive(Debug)]
struct Drawn {
    number: u64,
    order: u64,
    document: Document,
}

impl PartialEq for Drawn {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl Eq for Drawn {}
impl PartialOrd for Drawn {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Drawn {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl Drawn {
    fn key(&self) -> (u64, u64) {
        (self.number, self.order)
    }
}

/// The documents of a sample, in the order of the collection.
#[derive(Debug)]
pub struct Sample {
    /// What was drawn.
    pub documents: Vec<Document>,
    /// How many documents the collection has.
    pub seen: u64,
    /// The share of all numbers that are small enough: 1 when everything was taken.
    pub share: f64,
}

impl Sampler {
    /// Takes at most `size` documents.
    pub fn new(size: usize) -> Self {
        Sampler { size, seen: 0, taken: BinaryHeap::with_capacity(size + 1), is_cut: false, labelled: 0 }
    }

    /// Offers the next document, with its smallest shingle. One without shingles is drawn by its
    /// id. `must` takes it before all others: a labelled document, of which there is always room.
    pub fn offer(&mut self, document: Document, smallest_shingle: Option<u64>, must: bool) {
        let number = match smallest_shingle {
            _ if must => 0,
            Some(shingle) => hash::mix(shingle ^ DRAW),
            None => hash::content(document.id.as_bytes()) as u64,
        };
        let drawn = Drawn { number, order: self.seen, document };
        self.seen += 1;
        self.taken.push(drawn);
        self.labelled += usize::from(must);
        if self.taken.len() > self.size.max(self.labelled) {
            self.taken.pop();
            self.is_cut = true;
        }
    }

    /// The sample.
    pub fn finish(self) -> Sample {
        let largest = self.taken.peek().map_or(u64::MAX, |drawn| drawn.number);
        let share = if self.is_cut { (largest as f64 / u64::MAX as f64).max(f64::MIN_POSITIVE) } else { 1.0 };
        let mut taken = self.taken.into_vec();
        taken.sort_unstable_by_key(|drawn| drawn.order);
        Sample { documents: taken.into_iter().map(|drawn| drawn.document).collect(), seen: self.seen, share }
    }
}

/// Makes the numbers of the draw independent of the order of shingle hashes, which decides the
/// smallest one.
const DRAW: u64 = 0x7477_696e_6465_7821;

#[cfg(test)]
mod tests {
    use super::*;

    fn document(number: u64) -> Document {
        Document { id: number.to_string(), ..Document::default() }
    }

    #[test]
    fn a_small_collection_is_taken_whole_and_in_order() {
        let mut sampler = Sampler::new(10);
        (0..10).for_each(|number| sampler.offer(document(number), Some(number), false));
        let sample = sampler.finish();
        assert_eq!((sample.documents.len(), sample.seen, sample.share), (10, 10, 1.0));
        assert!(
            sample.documents.iter().zip(0..).all(|(document, number)| document.id == u64::to_string(&number))
        );
    }

    #[test]
    fn documents_with_the_same_smallest_shingle_come_together() {
        let mut sampler = Sampler::new(1_000);
        (0..100_000).for_each(|number| sampler.offer(document(number), Some(number / 2), false));
        let sample = sampler.finish();
        let ids: Vec<u64> = sample.documents.iter().filter_map(|document| document.id.parse().ok()).collect();
        let twins = ids.windows(2).filter(|pair| pair[0] / 2 == pair[1] / 2).count();
        assert!(twins >= 499, "{twins}");
        assert!((0.008..0.012).contains(&sample.share), "{}", sample.share);
    }

    #[test]
    fn labelled_documents_come_first() {
        let mut sampler = Sampler::new(3);
        (0..1_000).for_each(|number| sampler.offer(document(number), Some(number), number >= 997));
        let ids: Vec<String> = sampler.finish().documents.into_iter().map(|document| document.id).collect();
        assert_eq!(ids, ["997", "998", "999"]);
        let mut sampler = Sampler::new(3);
        (0..100).for_each(|number| sampler.offer(document(number), Some(number), number % 2 == 0));
        assert_eq!(sampler.finish().documents.len(), 50, "all that are labelled");
    }
}
