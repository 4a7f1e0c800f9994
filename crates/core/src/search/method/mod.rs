//! The candidate stage of a recipe behind one face.
//!
//! ```text
//! fingerprints   what is stored for a document                 units -> bytes
//! keys           by which documents meet                       stored -> keys
//! plausible      whether two that met are worth reading        stored, stored -> yes or no
//! stored         how the bytes are read, and written for people
//! record         how those of MinHash lie
//! ```

mod fingerprints;
mod keys;
mod plausible;
mod record;
mod stored;
#[cfg(test)]
mod tests;

use crate::feature::{Shingler, Weigher};
use crate::fingerprint::{Minhasher, Simhasher, Sketcher};
use crate::kernel::Kernel;
use crate::recipe::{Measure, MethodName, Recipe};
use crate::search::listed::Lists;
use crate::search::sampled::Sampled;
use crate::search::{Bands, BlockTables, ROUNDING, SketchPrefix};

pub use fingerprints::MethodScratch;
pub use plausible::{Beside, BesideScratch};

/// What is expected of the sample of a document: two thousand words, one in eight sampled.
const SAMPLED_WIDTH: usize = 1024;

/// A method of finding candidates, with everything that a recipe says about it.
///
/// Fingerprints are byte strings, so that they can be stored and read back without knowing the method; each tells where it ends.
#[derive(Debug, Clone)]
pub struct Method {
    shingler: Shingler,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Simhash {
        hasher: Simhasher,
        weigher: Weigher,
        tables: BlockTables,
    },
    BottomK {
        k: usize,
        sketcher: Sketcher,
        prefix: SketchPrefix,
    },
    Minhash {
        hasher: Minhasher,
        bands: Bands,
        /// The threshold, if the rule is one on what signatures estimate.
        screen: Option<f64>,
        /// Which documents are listed, if any.
        lists: Option<Lists>,
        kernel: Kernel,
    },
    Sampled(Sampled),
}

impl Method {
    /// The method of a valid recipe.
    pub fn new(recipe: &Recipe, kernel: Kernel) -> Self {
        let feature = &recipe.feature;
        let size = match recipe.method {
            MethodName::Simhash => recipe.simhash.size,
            MethodName::BottomK | MethodName::MinhashLsh | MethodName::Sampled => feature.size,
        };
        let kind = match recipe.method {
            MethodName::Simhash => Kind::Simhash {
                hasher: Simhasher::new(kernel),
                weigher: Weigher::new(recipe.simhash.weight).with_lambda(recipe.simhash.lambda),
                tables: BlockTables::new(recipe.simhash.blocks, recipe.simhash.radius),
            },
            MethodName::BottomK => Kind::BottomK {
                k: recipe.bottom_k.size,
                sketcher: Sketcher::new(recipe.bottom_k.size, feature.size, kernel),
                prefix: SketchPrefix::new(recipe.bottom_k.threshold),
            },
            MethodName::MinhashLsh => {
                let bands = Bands { bands: recipe.minhash.bands, rows: recipe.minhash.rows };
                // A signature estimates the Jaccard of shingles, so it can only screen for a rule on that.
                let screen = (recipe.rule.measure == Measure::Jaccard).then_some(recipe.rule.threshold);
                let hasher = Minhasher::new(bands.bins());
                Kind::Minhash { hasher, bands, screen, lists: None, kernel }
            }
            MethodName::Sampled => Kind::Sampled(Sampled::new(recipe.sampled.rate, recipe.rule)),
        };
        Method { shingler: Shingler::new(feature.unit, size, feature.hash), kind }
    }

    /// The same method with lists in place of signatures for short documents, if it is MinHash and the rule is one on shingles:
    /// then short documents meet exactly. It is for whoever joins a collection; a signature by itself is the same for all documents.
    #[must_use]
    pub fn listing(mut self) -> Self {
        if let Kind::Minhash { screen: Some(threshold), lists, .. } = &mut self.kind {
            *lists = Lists::new(*threshold - ROUNDING);
        }
        self
    }

    /// At most how many bytes a fingerprint has; of a sample, which grows with its document, no bound is known.
    pub fn most_bytes(&self) -> usize {
        match &self.kind {
            Kind::Sampled(_) => usize::MAX,
            _ => self.width(),
        }
    }

    /// How many bytes the fingerprint of a usual document has at most, for a forecast.
    pub fn width(&self) -> usize {
        match &self.kind {
            Kind::Simhash { .. } => 8,
            Kind::BottomK { k, .. } => stored::bottom_k_width(*k),
            Kind::Minhash { bands, lists, .. } => record::width(*bands, lists.is_some()),
            Kind::Sampled(_) => SAMPLED_WIDTH,
        }
    }

    /// At most how many keys a usual document has, if it is not listed: those that are have fewer, nearly always.
    pub fn keys_per_document(&self) -> usize {
        match &self.kind {
            Kind::Simhash { tables, .. } => tables.len(),
            Kind::BottomK { k, prefix, .. } => prefix.length(*k),
            Kind::Minhash { bands, .. } => usize::from(bands.bands),
            Kind::Sampled(_) => SAMPLED_WIDTH / size_of::<u32>(),
        }
    }

    /// Whether some entries of a bucket [probe](crate::search::bucket_edges), and only they meet the others.
    pub fn probes(&self) -> bool {
        matches!(self.kind, Kind::Sampled(_))
    }

    /// Whether the method makes simhashes, so that a pair has a Hamming distance.
    pub fn has_distance(&self) -> bool {
        matches!(self.kind, Kind::Simhash { .. })
    }

    /// The radius of the method simhash, if that is the method.
    pub fn radius(&self) -> Option<u32> {
        match &self.kind {
            Kind::Simhash { tables, .. } => Some(tables.radius()),
            _ => None,
        }
    }
}
