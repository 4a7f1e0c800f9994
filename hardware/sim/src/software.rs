//! The software that the engine is compared with: recipe `fpga` of `twindex-core`.

use std::time::{Duration, Instant};

use anyhow::Context;
use twindex_core::kernel::Kernel;
use twindex_core::{Digests, Engine, EngineScratch, Markup, Recipe};

/// Recipe `fpga`, ready to run.
pub struct Software {
    engine: Engine,
    scratch: EngineScratch,
}

impl Software {
    /// The recipe as it is shipped.
    pub fn new() -> anyhow::Result<Software> {
        let recipe = Recipe::preset("fpga").context("twindex-core has a recipe `fpga`")?;
        Ok(Software { engine: Engine::new(&recipe, Kernel::best())?, scratch: EngineScratch::default() })
    }

    /// The fingerprint of a document; none if it has no words.
    pub fn fingerprint(&mut self, text: &str, markup: Markup) -> Option<u64> {
        let margins = self.engine.margins(text, markup, &mut self.scratch);
        margins.map(|margins| margins.simhash().0)
    }

    /// The fingerprints of many documents, as `twindex fingerprint` makes them: one call for a
    /// batch.
    pub fn fingerprints(&mut self, documents: &[(String, Markup)]) -> Vec<Option<u64>> {
        let mut digests = Digests::default();
        let texts = documents.iter().map(|(text, markup)| (text.as_str(), *markup));
        self.engine.digests(texts, &mut self.scratch, &mut digests);
        (0..documents.len())
            .map(|number| {
                let fingerprint = self.engine.read(digests.fingerprint(number)).simhash()?;
                (digests.features[number] > 0).then_some(fingerprint.0)
            })
            .collect()
    }

    /// The fingerprints, and the seconds that one thread needs for them: the best of several
    /// rounds.
    pub fn timed(&mut self, documents: &[(String, Markup)]) -> (Vec<Option<u64>>, f64) {
        /// Rounds go on for so long, so that a few documents give a figure as well.
        const ENOUGH: Duration = Duration::from_millis(500);
        let (begun, mut best) = (Instant::now(), f64::INFINITY);
        loop {
            let started = Instant::now();
            let fingerprints = self.fingerprints(documents);
            best = best.min(started.elapsed().as_secs_f64());
            if begun.elapsed() > ENOUGH {
                return (fingerprints, best);
            }
        }
    }
}
