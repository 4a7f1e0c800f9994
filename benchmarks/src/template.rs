//! Shape 2, variants of one template: the worst case of candidate search.
//!
//! Form letters, product pages, log-in pages: every document is a candidate of every other, and a
//! join that compares all of them is quadratic. Document 0 is the template; every other replaces 5
//! to 10 % of its words, in runs of three to eight like form fields. Single words replaced at
//! random would reduce the Jaccard of two variants to below 0.5; runs keep it near 0.7, so that all
//! are duplicates and only the cost matters.

use crate::prose::{self, Subject};
use crate::random::{Purpose, Random};
use crate::vocabulary::{Script, Vocabulary};

/// A collection of variants.
#[derive(Debug)]
pub struct Template {
    seed: u64,
    vocabulary: Vocabulary,
    text: String,
}

const BYTES: usize = 4_000;
const CHANGED_PER_MILLE: (u32, u32) = (50, 100);
const RUN: (u32, u32) = (3, 8);

impl Template {
    /// The template of a seed.
    pub fn new(seed: u64) -> Self {
        let vocabulary = Vocabulary::new(seed, Script::Latin);
        let mut random = Random::new(seed, Purpose::Body, 0);
        let mut text = String::new();
        prose::write(&vocabulary, Subject::draw(&mut random), BYTES, &mut random, &mut text);
        Self { seed, vocabulary, text }
    }

    /// The template itself: document 0.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// One document.
    pub fn document(&self, number: u64) -> String {
        if number == 0 {
            return self.text.clone();
        }
        let mut random = Random::new(self.seed, Purpose::Edit, number);
        let mut words: Vec<&str> = self.text.split(' ').collect();
        let share = random.between(CHANGED_PER_MILLE.0, CHANGED_PER_MILLE.1) as usize;
        let mut budget = words.len() * share / 1000;
        while budget > 0 {
            let start = random.below(words.len() as u32) as usize;
            let run = (random.between(RUN.0, RUN.1) as usize).min(budget);
            for word in words.iter_mut().skip(start).take(run) {
                *word = self.vocabulary.general(&mut random);
            }
            budget -= run;
        }
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jaccard;

    #[test]
    fn variants_are_near_the_template_and_near_each_other() {
        let template = Template::new(1);
        let variants: Vec<String> = (1..60).map(|number| template.document(number)).collect();
        for (position, left) in variants.iter().enumerate() {
            let jaccard = jaccard::of(template.text(), left);
            assert!((0.70..0.95).contains(&jaccard), "{jaccard}");
            for right in &variants[position + 1..] {
                let jaccard = jaccard::of(left, right);
                assert!((0.5..0.95).contains(&jaccard), "{jaccard}");
            }
        }
    }
}
