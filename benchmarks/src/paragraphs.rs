//! Shape 3, shared paragraphs: pages that have much in common and are no duplicates.
//!
//! Product pages, minutes, legal notices: each document has paragraphs of its own and others that
//! many documents of its topic have, too. Two of a topic have about a fifth of their shingles in
//! common: a search proposes many such pairs, and verification has to reject nearly all.

use crate::prose::{self, PARAGRAPH, Subject};
use crate::random::{Purpose, Random};
use crate::vocabulary::{Script, Vocabulary};

/// A collection of documents with shared paragraphs.
#[derive(Debug)]
pub struct Paragraphs {
    seed: u64,
    vocabulary: Vocabulary,
    /// The paragraphs of all topics, [`POOL`] a topic.
    shared: Vec<String>,
}

const TOPICS: u32 = 500;
const POOL: u32 = 12;

/// The paragraphs of a document, each of about `BYTES` bytes.
const SHARED: usize = 5;
const OWN: usize = 5;
const BYTES: usize = 400;

impl Paragraphs {
    /// The collection of a seed.
    pub fn new(seed: u64) -> Self {
        let vocabulary = Vocabulary::new(seed, Script::Latin);
        let shared = (0..u64::from(TOPICS * POOL))
            .map(|number| {
                let mut random = Random::new(seed, Purpose::Edit, number);
                paragraph(&vocabulary, &mut random)
            })
            .collect();
        Self { seed, vocabulary, shared }
    }

    /// One document.
    pub fn document(&self, number: u64) -> String {
        let mut random = Random::new(self.seed, Purpose::Body, number);
        let first = random.below(TOPICS) * POOL;
        let mut pool: Vec<u32> = (first..first + POOL).collect();
        let mut paragraphs: Vec<String> =
            (0..OWN).map(|_| paragraph(&self.vocabulary, &mut random)).collect();
        for _ in 0..SHARED {
            let drawn = pool.swap_remove(random.below(pool.len() as u32) as usize);
            let place = random.below(paragraphs.len() as u32 + 1) as usize;
            paragraphs.insert(place, self.shared[drawn as usize].clone());
        }
        paragraphs.join(PARAGRAPH)
    }
}

fn paragraph(vocabulary: &Vocabulary, random: &mut Random) -> String {
    let mut text = String::new();
    prose::write(vocabulary, Subject::draw(random), BYTES, random, &mut text);
    text.replace(PARAGRAPH, " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jaccard;

    #[test]
    fn documents_of_a_topic_share_a_part_and_are_no_duplicates() {
        let collection = Paragraphs::new(1);
        let documents: Vec<String> = (0..300).map(|number| collection.document(number)).collect();
        let (mut related, mut highest) = (0, 0.0f64);
        for (position, left) in documents.iter().enumerate() {
            for right in &documents[position + 1..] {
                let jaccard = jaccard::of(left, right);
                related += usize::from(jaccard > 0.05);
                highest = highest.max(jaccard);
            }
        }
        assert!(related > 20, "{related}");
        assert!(highest < 0.5, "{highest}");
    }
}
