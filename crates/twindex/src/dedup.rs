//! One of each, among texts in memory.

use twindex_core::Recipe;
use twindex_core::group::witness::{Ranked, witnesses};
use twindex_core::recipe::Rule;
use twindex_core::verify::{Measured, Scores, Side, Verdict};

use crate::memory::Documents;
use crate::{Error, Keep};

/// Keeps one of each among texts in memory: what `twindex dedup` keeps.
///
/// ```
/// use twindex::{Dedup, Keep};
///
/// let texts = ["one two three four", "one two three four", "something else entirely"];
/// let kept = Dedup::new(&texts).keep(Keep::First).run()?;
/// assert_eq!(kept.kept, [0, 2]);
/// assert_eq!((kept.removed[0].document, kept.removed[0].witness), (1, 0));
/// # Ok::<(), twindex::Error>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Dedup<'t> {
    texts: Vec<&'t str>,
    recipe: Recipe,
    keep: Keep,
}

/// What [`Dedup`] decided.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Kept {
    /// The numbers of the texts that stay, ascending.
    pub kept: Vec<usize>,
    /// The texts that go, ascending, each with its witness.
    pub removed: Vec<Removal>,
}

/// A text that goes, and the reason.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Removal {
    /// The number of the text.
    pub document: usize,
    /// The witness: a text that stays and makes this one redundant.
    pub witness: usize,
    /// How alike they are; left is the removed text.
    pub scores: Scores,
    /// The Hamming distance of their simhashes, if the recipe makes any.
    pub distance: Option<u32>,
    /// Why, in words.
    pub reason: String,
}

impl<'t> Dedup<'t> {
    /// Of these texts, by the default recipe; the first of each is kept.
    pub fn new<T: AsRef<str>>(texts: &'t [T]) -> Self {
        let texts = texts.iter().map(AsRef::as_ref).collect();
        Dedup { texts, recipe: Recipe::default(), keep: Keep::First }
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

    /// The least share of a removed text that is in its witness.
    pub fn coverage(mut self, coverage: f64) -> Self {
        self.recipe.rule.coverage = coverage;
        self
    }

    /// Which of several duplicates stays. Policies that read a field are an error.
    pub fn keep(mut self, keep: Keep) -> Self {
        self.keep = keep;
        self
    }

    /// Decides.
    ///
    /// # Errors
    ///
    /// A recipe that is not valid or decides by a table of document frequencies; a policy that
    /// reads a field.
    pub fn run(self) -> Result<Kept, Error> {
        let Dedup { texts, recipe, keep } = self;
        if let Some(field) = keep.field() {
            // A text without its field would silently be the last in keep order.
            let field = field.to_owned();
            return Err(Error::NeedsField { field });
        }
        let key = |text: &str| Ok(keep.key(text.len() as u64, None)?.0);
        let documents = Documents::new(&recipe, texts, key)?;
        let edges = documents.candidates(Some(recipe.candidates.bucket_limit));
        let document = |rank: u32| documents.ranked[rank as usize];
        let may_go = |x: u32, y: u32| {
            let verdict = documents.accept(document(x), document(y));
            verdict.is_some_and(|verdict| verdict.may_go(Side::Left))
        };
        // Only documents with candidates take part in the second pass.
        let mut features = vec![0; documents.ranked.len()];
        for rank in edges.iter().flat_map(|edge| [edge.later, edge.earlier]) {
            features[rank as usize] = documents.evidence(document(rank)).features.len() as u32;
        }
        let container_wins = recipe.rule.container_wins;
        let ranked = Ranked { features: &features, protected: 0, container_wins };
        let mut witness: Vec<Option<u32>> = vec![None; documents.representative.len()];
        for (rank, found) in (0..).zip(witnesses(ranked, &edges, may_go)) {
            witness[document(rank) as usize] = found.map(document);
        }
        let mut decided = Kept { kept: vec![], removed: vec![] };
        for (number, &first) in (0u32..).zip(&documents.representative) {
            // A copy shares the fate of its first one.
            let is_copy = first != number;
            match witness[first as usize].or(is_copy.then_some(first)) {
                Some(by) => decided.removed.push(documents.removal(recipe.rule, number, first, by)),
                None => decided.kept.push(number as usize),
            }
        }
        Ok(decided)
    }
}

impl Documents<'_> {
    /// The removal of `document`, whose text is that of `first`, on account of `witness`.
    fn removal(&self, rule: Rule, document: u32, first: u32, witness: u32) -> Removal {
        let accepted = if first == witness { None } else { self.accept(first, witness) };
        let verdict = accepted.unwrap_or(Verdict::new(rule, Measured::EQUAL));
        Removal {
            document: document as usize,
            witness: witness as usize,
            scores: verdict.measured.scores(),
            distance: self.distance(first, witness),
            reason: verdict.reason(),
        }
    }
}
