//! The candidate stage of a recipe behind one face: what is stored for a document, its keys, and a cheap screen.

use std::sync::Arc;

use crate::feature::{DocumentFrequencies, SAMPLE, Shingler, Statistics, Weighed, Weigher, Weight};
use crate::fingerprint::{
    BottomK, Margins, Minhash, Minhasher, Simhash, SimhashScratch, Simhasher, Sketcher, signs,
};
use crate::kernel::Kernel;
use crate::recipe::judgement::{LEAST_WORDS, NOISE_LEAST_JACCARD};
use crate::recipe::{Measure, MethodName, Recipe};
use crate::search::signature::{self, StoredSignature};
use crate::search::{Bands, BlockTables, HashFrequencies, SketchPrefix, faint};

/// A method of finding candidates, with everything that a recipe says about it.
///
/// Fingerprints are byte strings of one width, so that they can be stored and read back without knowing the method.
#[derive(Debug, Clone)]
pub struct Method {
    shingler: Shingler,
    kind: Kind,
    /// What is known of the collection.
    statistics: Option<Arc<Statistics>>,
}

#[derive(Debug, Clone)]
enum Kind {
    Simhash { hasher: Simhasher, weigher: Weigher, tables: BlockTables },
    BottomK { k: usize, sketcher: Sketcher, prefix: SketchPrefix },
    Minhash { hasher: Minhasher, bands: Bands, screen: Option<f64>, has_faint: bool },
}

/// Buffers that a thread reuses from document to document.
#[derive(Debug, Default)]
pub struct MethodScratch {
    features: Vec<u64>,
    feature_ends: Vec<usize>,
    simhash: SimhashScratch,
    simhashes: Vec<Simhash>,
    smallest: Vec<u64>,
    signature: Minhash,
    sample: faint::Sample,
    weighed: Weighed,
}

/// A pair is screened out when its estimate lies this many standard deviations below the threshold: one true pair in
/// thirty thousand.
const SCREEN_DEVIATIONS: f64 = 4.0;

/// Scores are rounded before the rule sees them: a bound leaves that much room.
const ROUNDING: f64 = 1e-6;

impl Method {
    /// The method of a valid recipe.
    pub fn new(recipe: &Recipe, kernel: Kernel) -> Self {
        let feature = &recipe.feature;
        let size = match recipe.method {
            MethodName::Simhash => recipe.simhash.size,
            MethodName::BottomK | MethodName::MinhashLsh => feature.size,
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
                let has_faint = recipe.rule.measure == Measure::Judgement;
                let screen = recipe.rule.measure.is_of_shingles().then_some(recipe.rule.threshold);
                Kind::Minhash { hasher: Minhasher::new(bands.bins()), bands, screen, has_faint }
            }
        };
        Method { shingler: Shingler::new(feature.unit, size, feature.hash), kind, statistics: None }
    }

    /// From now on the method knows the collection.
    pub fn set_statistics(&mut self, statistics: Arc<Statistics>) {
        self.statistics = Some(statistics);
    }

    /// How many bytes a stored fingerprint has.
    pub fn width(&self) -> usize {
        match &self.kind {
            Kind::Simhash { .. } => 8,
            Kind::BottomK { k, .. } => 2 + 8 * k,
            Kind::Minhash { bands, has_faint, .. } => {
                signature::width(bands.bins()) + if *has_faint { faint::WIDTH } else { 0 }
            }
        }
    }

    /// At most how many keys a document has.
    pub fn keys_per_document(&self) -> usize {
        match &self.kind {
            Kind::Simhash { tables, .. } => tables.len(),
            Kind::BottomK { k, prefix, .. } => prefix.length(*k),
            Kind::Minhash { bands, has_faint, .. } => {
                usize::from(bands.bands) + if *has_faint { SAMPLE } else { 0 }
            }
        }
    }

    /// Appends the fingerprints of a batch of documents: document `i` has the unit hashes `units[ends[i - 1]..ends[i]]`.
    ///
    /// One call for a whole batch, so that a kernel is entered once and short documents do not pay for the call.
    pub fn fingerprints(
        &self,
        units: &[u64],
        ends: &[usize],
        scratch: &mut MethodScratch,
        out: &mut Vec<u8>,
    ) {
        if let Kind::Simhash { hasher, weigher, .. } = &self.kind
            && !(weigher.counts() || weigher.weight() == Weight::One)
        {
            let mut start = 0;
            for &end in ends {
                let sums = self.sums(hasher, weigher, &units[start..end], &[], scratch);
                out.extend(signs(&sums).0.to_le_bytes());
                start = end;
            }
            return;
        }
        let MethodScratch { features, feature_ends, simhash, simhashes, smallest, signature, sample, .. } =
            scratch;
        if let Kind::Minhash { hasher, has_faint, .. } = &self.kind {
            let mut start = 0;
            for &end in ends {
                // Each shingle goes into its bin at once: they are nowhere listed.
                hasher.begin(smallest);
                let count = self.shingler.count(end - start);
                let is_sampled = *has_faint && (end - start) as u64 >= LEAST_WORDS;
                sample.begin();
                if is_sampled {
                    self.shingler.shingles(&units[start..end], |hash| {
                        hasher.add(hash, smallest);
                        sample.add(hash);
                    });
                } else {
                    self.shingler.shingles(&units[start..end], |hash| hasher.add(hash, smallest));
                }
                hasher.finish(smallest, signature);
                signature::store(signature, count, out);
                if *has_faint {
                    sample.store(out);
                }
                start = end;
            }
            return;
        }
        if let Kind::BottomK { k, sketcher, .. } = &self.kind {
            let mut start = 0;
            for &end in ends {
                sketcher.sketch_into(&units[start..end], smallest);
                out.extend((smallest.len() as u16).to_le_bytes());
                let padding = std::iter::repeat_n(&0, k - smallest.len());
                out.extend(smallest.iter().chain(padding).flat_map(|hash| hash.to_le_bytes()));
                start = end;
            }
            return;
        }
        if let Kind::Simhash { hasher, weigher, .. } = &self.kind
            && weigher.counts()
            && self.shingler.size() == 1
        {
            // The features are the units.
            simhashes.clear();
            hasher.batch(units, ends, simhash, simhashes);
            out.extend(simhashes.iter().flat_map(|simhash| simhash.0.to_le_bytes()));
            return;
        }
        features.clear();
        feature_ends.clear();
        let mut start = 0;
        for &end in ends {
            self.add_features(&units[start..end], features);
            feature_ends.push(features.len());
            start = end;
        }
        if let Kind::Simhash { hasher, .. } = &self.kind {
            simhashes.clear();
            hasher.batch(features, feature_ends, simhash, simhashes);
            out.extend(simhashes.iter().flat_map(|simhash| simhash.0.to_le_bytes()));
        }
    }

    /// Appends what the fingerprint of a document is made of: every shingle, or every one once where repetitions do not
    /// count.
    fn add_features(&self, units: &[u64], features: &mut Vec<u64>) {
        let first = features.len();
        self.shingler.shingles(units, |hash| features.push(hash));
        if matches!(&self.kind, Kind::Simhash { weigher, .. } if weigher.weight() == Weight::One) {
            features[first..].sort_unstable();
            dedup_from(features, first);
        }
    }

    /// The sums behind the fingerprint of a document, if the method is simhash: its bits are their signs. `bonuses` are
    /// those of the units, where the weight asks for them; see [`Weigher::weigh`].
    pub fn margins(&self, units: &[u64], bonuses: &[u8], scratch: &mut MethodScratch) -> Option<Margins> {
        let Kind::Simhash { hasher, weigher, .. } = &self.kind else { return None };
        if !(weigher.counts() || weigher.weight() == Weight::One) {
            return Some(Margins::of_sums(&self.sums(hasher, weigher, units, bonuses, scratch)));
        }
        scratch.features.clear();
        self.add_features(units, &mut scratch.features);
        Some(hasher.margins(&scratch.features))
    }

    /// The weighted sums of one document.
    fn sums(
        &self,
        hasher: &Simhasher,
        weigher: &Weigher,
        units: &[u64],
        bonuses: &[u8],
        scratch: &mut MethodScratch,
    ) -> [i64; 64] {
        let MethodScratch { features, weighed, .. } = scratch;
        features.clear();
        self.shingler.shingles(units, |hash| features.push(hash));
        weigher.weigh(features, bonuses, weighed);
        hasher.weighted(&weighed.hashes, &weighed.weights)
    }

    /// Appends the fingerprint of a document whose features have weights of their own. Only a simhash has use for weights.
    pub fn weighted_fingerprint(
        &self,
        features: &[u64],
        weights: &[u16],
        scratch: &mut MethodScratch,
        out: &mut Vec<u8>,
    ) {
        match &self.kind {
            Kind::Simhash { hasher, .. } => {
                out.extend(signs(&hasher.weighted(features, weights)).0.to_le_bytes());
            }
            _ => self.fingerprints(features, &[features.len()], scratch, out),
        }
    }

    /// The sums behind such a fingerprint, if the method is simhash.
    pub fn weighted_margins(&self, features: &[u64], weights: &[u16]) -> Option<Margins> {
        let Kind::Simhash { hasher, .. } = &self.kind else { return None };
        Some(Margins::of_sums(&hasher.weighted(features, weights)))
    }

    /// Appends the features whose document frequencies decide their weights; nothing if none do.
    pub fn add_terms(&self, units: &[u64], terms: &mut Vec<u64>) {
        if self.weighs_by_frequency() {
            self.shingler.shingles(units, |hash| terms.push(hash));
        }
    }

    /// Whether the weights of features depend on the collection.
    pub fn weighs_by_frequency(&self) -> bool {
        matches!(&self.kind, Kind::Simhash { weigher, .. } if weigher.weight() == Weight::TfIdf)
    }

    /// From now on weights know the collection.
    pub fn set_frequencies(&mut self, frequencies: Arc<DocumentFrequencies>) {
        if let Kind::Simhash { weigher, .. } = &mut self.kind {
            weigher.set_frequencies(frequencies);
        }
    }

    /// What the keys depend on besides the fingerprint, for a collection of so many documents; every fingerprint must be
    /// [counted](Method::count) before keys are asked for. Empty if keys depend on nothing else.
    pub fn frequencies(&self, documents: usize) -> HashFrequencies {
        match &self.kind {
            Kind::BottomK { .. } => HashFrequencies::for_documents(documents),
            Kind::Simhash { .. } | Kind::Minhash { .. } => HashFrequencies::default(),
        }
    }

    /// How many bytes [`Method::frequencies`] takes.
    pub fn frequency_bytes(&self, documents: usize) -> usize {
        match &self.kind {
            Kind::BottomK { .. } => HashFrequencies::bytes_for_documents(documents),
            Kind::Simhash { .. } | Kind::Minhash { .. } => 0,
        }
    }

    /// Whether fingerprints must be counted.
    pub fn counts_frequencies(&self) -> bool {
        matches!(self.kind, Kind::BottomK { .. })
    }

    /// Counts a stored fingerprint.
    pub fn count(&self, stored: &[u8], frequencies: &mut HashFrequencies) {
        if let Kind::BottomK { k, .. } = &self.kind {
            frequencies.add(bottom_k(*k, stored).hashes());
        }
    }

    /// Appends the keys of a stored fingerprint.
    pub fn keys(&self, stored: &[u8], frequencies: &HashFrequencies, keys: &mut Vec<u64>) {
        match &self.kind {
            Kind::Simhash { tables, .. } => tables.keys(simhash(stored), keys),
            Kind::BottomK { k, prefix, .. } => prefix.keys(bottom_k(*k, stored).hashes(), frequencies, keys),
            Kind::Minhash { bands, has_faint, .. } => {
                let first = keys.len();
                let (signature, sample) = split(stored, *bands);
                bands.keys(signature.bins(), keys);
                if *has_faint {
                    faint::keys(sample, first, keys);
                }
            }
        }
    }

    /// Whether a key that so many documents share means nothing.
    pub fn is_common(&self, key: u64, documents: usize) -> bool {
        self.has_statistics() && faint::is_common(key, documents)
    }

    /// Whether stored fingerprints hold what the [`Statistics`] count.
    pub fn has_statistics(&self) -> bool {
        matches!(self.kind, Kind::Minhash { has_faint: true, .. })
    }

    /// Counts a document by its stored fingerprint, if it holds what is counted.
    pub fn add_to_statistics(&self, stored: &[u8], statistics: &mut Statistics) {
        if let Kind::Minhash { has_faint: true, bands, .. } = &self.kind {
            statistics.count(faint::hashes(split(stored, *bands).1));
        }
    }

    /// Whether two documents that share a key are worth reading. Cheap, and wrong about a pair that passes the rule at
    /// most as often as the method itself is.
    pub fn is_plausible(&self, a: &[u8], b: &[u8]) -> bool {
        match &self.kind {
            Kind::Simhash { tables, .. } => simhash(a).distance(simhash(b)) <= tables.radius(),
            Kind::BottomK { k, prefix, .. } => prefix.is_candidate(&bottom_k(*k, a), &bottom_k(*k, b)),
            Kind::Minhash { screen: None, .. } => true,
            Kind::Minhash { screen: Some(threshold), bands, has_faint, .. } => {
                let [(a, sample_a), (b, sample_b)] = [a, b].map(|stored| split(stored, *bands));
                let is_faint = || {
                    *has_faint
                        && faint::has_keys(sample_a)
                        && a.can_reach(b, NOISE_LEAST_JACCARD - ROUNDING)
                        && faint::Pair {
                            samples: [sample_a, sample_b],
                            shingles: [a.shingles(), b.shingles()],
                            agreements: a.agreements(b),
                            bins: bands.bins(),
                        }
                        .is_plausible(self.statistics.as_deref())
                };
                if !a.can_reach(b, threshold - ROUNDING) {
                    return is_faint();
                }
                // A short document repeats its few samples in many bins: only the occupied ones are evidence.
                let samples = a.occupied().min(b.occupied());
                let deviation = (threshold * (1.0 - threshold) / f64::from(samples.max(1))).sqrt();
                let least = threshold - SCREEN_DEVIATIONS * deviation;
                f64::from(a.agreements(b)) >= least * f64::from(bands.bins()) || is_faint()
            }
        }
    }

    /// Whether the search proposes two documents: they share a key and are plausible.
    pub fn is_candidate(&self, a: &[u8], b: &[u8]) -> bool {
        let (mut keys_a, mut keys_b) = (vec![], vec![]);
        // Frequencies change the keys of a method only if it proposes the same pairs with any.
        let none = HashFrequencies::default();
        self.keys(a, &none, &mut keys_a);
        self.keys(b, &none, &mut keys_b);
        keys_a.iter().any(|key| keys_b.contains(key)) && self.is_plausible(a, b)
    }

    /// The Jaccard similarity that two stored fingerprints estimate; a simhash estimates none.
    pub fn estimate(&self, a: &[u8], b: &[u8]) -> Option<f64> {
        match &self.kind {
            Kind::Simhash { .. } => None,
            Kind::BottomK { k, .. } => Some(bottom_k(*k, a).union_estimate(&bottom_k(*k, b))),
            Kind::Minhash { bands, .. } => {
                let [(a, _), (b, _)] = [a, b].map(|stored| split(stored, *bands));
                // Documents without shingles agree in every bin, and estimate nothing.
                let agreements = if a.occupied().min(b.occupied()) == 0 { 0 } else { a.agreements(b) };
                Some(f64::from(agreements) / f64::from(bands.bins()))
            }
        }
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

    /// The simhash in a stored fingerprint, if the method makes one.
    pub fn stored_simhash(&self, stored: &[u8]) -> Option<Simhash> {
        matches!(self.kind, Kind::Simhash { .. }).then(|| simhash(stored))
    }

    /// Appends a stored fingerprint in hexadecimal digits: 16 for a simhash, 4 for each bin of a minhash, and 16 for
    /// each hash of a bottom-k sketch, with commas between them.
    pub fn write_hex(&self, stored: &[u8], out: &mut String) {
        match &self.kind {
            Kind::Simhash { .. } => push_hex(out, simhash(stored).0, 16),
            Kind::BottomK { k, .. } => {
                for (number, &hash) in bottom_k(*k, stored).hashes().iter().enumerate() {
                    if number > 0 {
                        out.push(',');
                    }
                    push_hex(out, hash, 16);
                }
            }
            Kind::Minhash { bands, .. } => {
                let bins = split(stored, *bands).0.bins();
                bins.for_each(|bin| push_hex(out, u64::from(bin), 4));
            }
        }
    }
}

/// Appends the lowest `digits` hexadecimal digits, the most significant first.
fn push_hex(out: &mut String, value: u64, digits: u32) {
    let digit = |place| char::from_digit((value >> (4 * place) & 0xf) as u32, 16);
    out.extend((0..digits).rev().filter_map(digit));
}

/// Drops repetitions from the sorted tail that begins at `first`.
fn dedup_from(values: &mut Vec<u64>, first: usize) {
    let mut kept = first;
    for at in first..values.len() {
        if at == first || values[at] != values[at - 1] {
            values[kept] = values[at];
            kept += 1;
        }
    }
    values.truncate(kept);
}

/// A stored signature, and the sample behind it.
fn split(stored: &[u8], bands: Bands) -> (StoredSignature<'_>, &[u8]) {
    let (signature, sample) = stored.split_at(signature::width(bands.bins()));
    (StoredSignature::new(signature, bands.bins()), sample)
}

fn simhash(stored: &[u8]) -> Simhash {
    Simhash(u64_at(stored, 0))
}

fn bottom_k(k: usize, stored: &[u8]) -> BottomK {
    let length = usize::from(u16::from_le_bytes([stored[0], stored[1]])).min(k);
    BottomK::from_sorted(k, (0..length).map(|i| u64_at(stored, 2 + 8 * i)).collect())
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    fn method(name: MethodName) -> Method {
        Method::new(&Recipe { method: name, ..Recipe::default() }, Kernel::best())
    }

    fn fingerprint(method: &Method, units: &[u64]) -> Vec<u8> {
        let mut out = vec![];
        method.fingerprints(units, &[units.len()], &mut MethodScratch::default(), &mut out);
        out
    }

    const METHODS: [MethodName; 3] = [MethodName::Simhash, MethodName::BottomK, MethodName::MinhashLsh];

    #[test]
    fn hexadecimal_digits() {
        let units: Vec<u64> = (0..5).map(mix).collect();
        let written = METHODS.map(|name| {
            let method = method(name);
            let mut hex = String::new();
            method.write_hex(&fingerprint(&method, &units), &mut hex);
            hex
        });
        let margins =
            method(MethodName::Simhash).margins(&units, &[], &mut MethodScratch::default()).unwrap();
        assert_eq!(written[0], margins.simhash().to_string());
        // Five units make three shingles of three, and a sketch of all of them.
        let hashes: Vec<u64> =
            written[1].split(',').map(|hash| u64::from_str_radix(hash, 16).unwrap()).collect();
        assert_eq!(hashes, bottom_k(128, &fingerprint(&method(MethodName::BottomK), &units)).hashes());
        assert_eq!(hashes.len(), 3);
        let stored = fingerprint(&method(MethodName::MinhashLsh), &units);
        let bins = StoredSignature::new(&stored[..stored.len() - faint::WIDTH], 126).bins();
        assert_eq!(written[2], bins.map(|bin| format!("{bin:04x}")).collect::<String>());
    }

    #[test]
    fn only_simhash_has_margins() {
        for name in METHODS {
            let margins = method(name).margins(&[1, 2, 3], &[], &mut MethodScratch::default());
            assert_eq!(margins.is_some(), name == MethodName::Simhash);
        }
    }

    #[test]
    fn equal_documents_are_candidates_with_estimate_one_and_strangers_are_not() {
        let units = |range: std::ops::Range<u64>| range.map(mix).collect::<Vec<_>>();
        for name in METHODS {
            let method = method(name);
            let (a, b) = (fingerprint(&method, &units(0..300)), fingerprint(&method, &units(1_000..1_300)));
            assert!(method.is_candidate(&a, &a) && !method.is_candidate(&a, &b));
            let estimates =
                (method.estimate(&a, &a), method.estimate(&a, &b).map(|estimate| estimate < 0.05));
            let expected = if name == MethodName::Simhash { (None, None) } else { (Some(1.0), Some(true)) };
            assert_eq!(estimates, expected);
            let nothing = fingerprint(&method, &[]);
            assert!(method.estimate(&nothing, &nothing).is_none_or(|estimate| estimate == 0.0));
        }
    }
}
