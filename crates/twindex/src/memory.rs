//! The engine's driver for texts in memory: the same questions as a job asks, without files.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use twindex_core::feature::FrequencyCounter;
use twindex_core::kernel::Kernel;
use twindex_core::recipe::RecipeError;
use twindex_core::search::candidates::{Collection, JoinOptions, MOST_NEIGHBOURS};
use twindex_core::search::hamming::LARGEST_RADIUS;
use twindex_core::search::{BesideScratch, Edge, Workers};
use twindex_core::verify::{Evidence, Verdict};
use twindex_core::{Digests, Engine, EngineScratch, Markup, Recipe};

use crate::Error;

/// Texts that are digested together.
const BATCH: usize = 256;

/// Memory for the entries of a join, in bytes: more of them take more passes.
const JOIN_MEMORY: usize = 1 << 30;

/// Documents in memory, and what is known of them.
pub(crate) struct Documents<'t> {
    engine: Engine,
    texts: Vec<&'t str>,
    digests: Vec<Digests>,
    /// For each document the first one of equal text in keep order, which may be itself.
    pub(crate) representative: Vec<u32>,
    /// The documents that take part in the search, in keep order: one of each text, if it has
    /// features.
    pub(crate) ranked: Vec<u32>,
    /// Made when it is first needed.
    evidence: Vec<OnceLock<Evidence>>,
}

impl<'t> Documents<'t> {
    /// Digests the texts. Documents are kept in the order of `keep`, then in their own.
    pub(crate) fn new(
        recipe: &Recipe,
        texts: Vec<&'t str>,
        keep: impl Fn(&str) -> Result<u64, Error>,
    ) -> Result<Self, Error> {
        let count = u32::try_from(texts.len()).map_err(|_| Error::TooMany(texts.len()))?;
        let mut engine = Engine::new(recipe, Kernel::best())?;
        if recipe.decides_by_frequencies() {
            return Err(RecipeError::NeedsFrequencies.into());
        }
        if recipe.needs_frequencies() {
            let counter = FrequencyCounter::default();
            texts.par_iter().for_each_init(EngineScratch::default, |scratch, text| {
                engine.count_terms(text, Markup::None, scratch, &counter);
            });
            engine.set_frequencies(Arc::new(counter.finish()));
        }
        let digest = |scratch: &mut EngineScratch, batch: &[&str]| {
            let mut digests = Digests::default();
            engine.digests(batch.iter().map(|text| (*text, Markup::None)), scratch, &mut digests);
            digests
        };
        let digests: Vec<Digests> =
            texts.par_chunks(BATCH).map_init(EngineScratch::default, digest).collect();

        let mut order: Vec<u32> = (0..count).collect();
        let keys: Vec<u64> = texts.iter().map(|text| keep(text)).collect::<Result<_, _>>()?;
        order.sort_by_key(|&document| (keys[document as usize], document));
        let mut documents = Documents {
            engine,
            evidence: texts.iter().map(|_| OnceLock::new()).collect(),
            texts,
            digests,
            representative: (0..count).collect(),
            ranked: vec![],
        };
        // The same text, not only the same hash: the map compares keys.
        let mut firsts: HashMap<&str, u32> = HashMap::new();
        for document in order {
            if !documents.has_features(document) {
                continue;
            }
            let first = *firsts.entry(documents.texts[document as usize]).or_insert(document);
            documents.representative[document as usize] = first;
            if first == document {
                documents.ranked.push(document);
            }
        }
        Ok(documents)
    }

    fn has_features(&self, document: u32) -> bool {
        self.digests[document as usize / BATCH].features[document as usize % BATCH] > 0
    }

    fn fingerprint(&self, document: u32) -> &[u8] {
        self.digests[document as usize / BATCH].fingerprint(document as usize % BATCH)
    }

    /// The Hamming distance of two documents, if the method is simhash.
    pub(crate) fn distance(&self, left: u32, right: u32) -> Option<u32> {
        let [left, right] = [left, right].map(|document| self.engine.read(self.fingerprint(document)));
        left.distance(&right)
    }

    pub(crate) fn evidence(&self, document: u32) -> &Evidence {
        self.evidence[document as usize].get_or_init(|| {
            let text = self.texts[document as usize];
            self.engine.evidence(text, Markup::None, &mut EngineScratch::default())
        })
    }

    /// The verdict on two documents, if the rule accepts them.
    pub(crate) fn accept(&self, left: u32, right: u32) -> Option<Verdict> {
        self.engine.verifier().accept(self.evidence(left), self.evidence(right))
    }

    /// The candidate pairs of ranks that can still pass, sorted. With a `limit`, hot buckets are
    /// bounded as `dedup` bounds them.
    pub(crate) fn candidates(&self, limit: Option<usize>) -> Vec<Edge> {
        let most = self.ranked.len() * MOST_NEIGHBOURS as usize;
        let has_join = self.engine.radius().is_some_and(|radius| radius <= LARGEST_RADIUS);
        let within_radius = if has_join && limit.is_some() {
            // The same rule as that of a job: too many neighbours mean a template.
            self.join(None, most).ok()
        } else {
            None
        };
        // Without a bound on the number of pairs no join fails.
        within_radius.unwrap_or_else(|| self.join(limit, usize::MAX).unwrap_or_default())
    }

    /// The distinct plausible pairs, if there are at most `most`.
    fn join(&self, limit: Option<usize>, most: usize) -> Result<Vec<Edge>, TooManyPairs> {
        let options = JoinOptions { limit, memory: JOIN_MEMORY, workers: &Pool };
        let (mut edges, mut screened) = (vec![], 0);
        let room = most.saturating_mul(2).max(LEAST_ROOM);
        let mut sink = |edge| {
            edges.push(edge);
            if edges.len() - screened >= room {
                self.screen(&mut edges);
                screened = edges.len();
            }
            if screened > most { Err(TooManyPairs) } else { Ok(()) }
        };
        self.engine.candidates(self, &options, &mut sink, &mut |_, _| {})?;
        self.screen(&mut edges);
        if edges.len() > most { Err(TooManyPairs) } else { Ok(edges) }
    }

    /// Sorts pairs, and drops repetitions and pairs that cannot pass.
    fn screen(&self, edges: &mut Vec<Edge>) {
        edges.par_sort_unstable();
        edges.dedup();
        let groups: Vec<&[Edge]> = edges.chunk_by(|a, b| a.later == b.later).collect();
        let plausible = |scratch: &mut BesideScratch, group: &&[Edge]| -> Vec<Edge> {
            let later = self.engine.read(self.fingerprint(self.ranked[group[0].later as usize]));
            let beside = self.engine.beside(&later, scratch);
            let is_plausible = |edge: &&Edge| {
                let earlier = self.ranked[edge.earlier as usize];
                beside.is_plausible(&self.engine.read(self.fingerprint(earlier)))
            };
            group.iter().filter(is_plausible).copied().collect()
        };
        *edges = groups.par_iter().map_init(BesideScratch::default, plausible).flatten_iter().collect();
    }
}

/// More pairs than a caller has use for.
#[derive(Debug)]
pub(crate) struct TooManyPairs;

/// Pairs are screened when this many came, at least.
const LEAST_ROOM: usize = 1 << 20;

impl Collection for Documents<'_> {
    type Error = TooManyPairs;

    fn len(&self) -> usize {
        self.ranked.len()
    }

    fn for_each(&self, each: &mut dyn FnMut(u32, &[u8])) -> Result<(), TooManyPairs> {
        for (&document, rank) in self.ranked.iter().zip(0..) {
            each(rank, self.fingerprint(document));
        }
        Ok(())
    }

    fn sample(&self, count: usize, each: &mut dyn FnMut(&[u8])) -> Result<(), TooManyPairs> {
        let (all, count) = (self.len(), self.len().min(count));
        (0..count).for_each(|number| each(self.fingerprint(self.ranked[number * all / count])));
        Ok(())
    }
}

/// The threads of rayon.
struct Pool;

impl Workers for Pool {
    fn threads(&self) -> usize {
        rayon::current_num_threads()
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..tasks).into_par_iter().for_each(task);
    }
}
