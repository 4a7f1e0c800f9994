//! Every pair among texts in memory.

use rayon::prelude::*;
use twindex_core::Recipe;
use twindex_core::search::Edge;
use twindex_core::verify::{Measured, Scores};

use crate::Error;
use crate::memory::Documents;

/// Two texts that are duplicates, exact or near.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Pair {
    /// The number of the first text, from 0.
    pub left: usize,
    /// The number of the second one, which comes later.
    pub right: usize,
    /// How alike they are.
    pub scores: Scores,
    /// The Hamming distance of their simhashes, if the recipe makes any.
    pub distance: Option<u32>,
}

/// Every pair of duplicates among texts in memory, by the default recipe: what `twindex pairs`
/// lists.
///
/// # Errors
///
/// More than four billion texts.
pub fn pairs<T: AsRef<str>>(texts: &[T]) -> Result<Vec<Pair>, Error> {
    Pairs::new(texts).run()
}

/// Every pair of duplicates among texts in memory.
///
/// ```
/// let texts = ["one two three four five", "one two three four six", "something else"];
/// assert_eq!(twindex::Pairs::new(&texts).run()?.len(), 1);
/// assert!(twindex::Pairs::new(&texts).threshold(0.9).run()?.is_empty());
/// # Ok::<(), twindex::Error>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Pairs<'t> {
    texts: Vec<&'t str>,
    recipe: Recipe,
}

impl<'t> Pairs<'t> {
    /// Of these texts, by the default recipe.
    pub fn new<T: AsRef<str>>(texts: &'t [T]) -> Self {
        Pairs { texts: texts.iter().map(AsRef::as_ref).collect(), recipe: Recipe::default() }
    }

    /// What counts as a duplicate. Replaces all of it, also a threshold that was set before.
    pub fn recipe(mut self, recipe: Recipe) -> Self {
        self.recipe = recipe;
        self
    }

    /// The least similarity of a pair, by the recipe's measure.
    pub fn threshold(mut self, threshold: f64) -> Self {
        self.recipe.rule.threshold = threshold;
        self
    }

    /// Finds the pairs, sorted.
    ///
    /// # Errors
    ///
    /// A recipe that is not valid or decides by a table of document frequencies; more than four
    /// billion texts.
    pub fn run(self) -> Result<Vec<Pair>, Error> {
        let documents = Documents::new(&self.recipe, self.texts, |_| Ok(0))?;
        let edges = documents.candidates(None);
        let accepted: Vec<(u32, u32, Measured)> = edges
            .par_iter()
            .filter_map(|&Edge { later, earlier }| {
                let [left, right] = [earlier, later].map(|rank| documents.ranked[rank as usize]);
                Some((left, right, documents.accept(left, right)?.measured))
            })
            .collect();
        let mut copies: Vec<Vec<u32>> = vec![vec![]; documents.representative.len()];
        for (document, &first) in (0u32..).zip(&documents.representative) {
            copies[first as usize].push(document);
        }
        let mut pairs = vec![];
        for (left, right, measured) in accepted {
            let distance = documents.distance(left, right);
            for &a in &copies[left as usize] {
                for &b in &copies[right as usize] {
                    pairs.push(Pair::new(a, b, measured, distance));
                }
            }
        }
        for equal in &copies {
            for (place, &b) in equal.iter().enumerate() {
                let equal_to = |a: u32| Pair::new(a, b, Measured::EQUAL, documents.distance(a, b));
                pairs.extend(equal[..place].iter().map(|&a| equal_to(a)));
            }
        }
        pairs.par_sort_unstable_by_key(|pair| (pair.left, pair.right));
        Ok(pairs)
    }
}

impl Pair {
    /// A pair in the order of its texts.
    fn new(a: u32, b: u32, measured: Measured, distance: Option<u32>) -> Self {
        let measured = if a < b { measured } else { measured.swapped() };
        let [left, right] = [a.min(b), a.max(b)].map(|document| document as usize);
        Pair { left, right, scores: measured.scores(), distance }
    }
}
