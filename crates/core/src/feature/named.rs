//! Features that are not words: URLs, anchors, tags, entities, each with a weight.
//!
//! A document may provide its own features instead of a text. They are stored as a text with one
//! line each (name, tab, weight), sorted by name, so that equal sets are equal texts; its markup is
//! [`Features`](crate::Markup::Features). Names are hashed like words. Features have no order, so
//! that they form no shingles, and each counts once in set measures.

use thiserror::Error;

use super::weight::parts;
use crate::hash::WordHash;

/// A feature list with an invalid weight.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("the weight of the feature \"{name}\" is {weight}: expected a finite number above 0")]
pub struct BadWeight {
    /// The name of the feature.
    pub name: String,
    /// Its weight.
    pub weight: f64,
}

/// Named features with weights: each name once, in order.
///
/// ```
/// use twindex_core::feature::NamedFeatures;
///
/// let features = NamedFeatures::new([("tag:news", 1.0), ("person:Ada", 0.5), ("tag:news", 2.0)])?;
/// assert_eq!(features.to_text(), "person:Ada\t0.5\ntag:news\t3\n");
/// assert!(NamedFeatures::new([("tag:news", 0.0)]).is_err());
/// # Ok::<(), twindex_core::feature::BadWeight>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NamedFeatures(Vec<(String, f64)>);

/// Hashed features with weights, by ascending hash.
#[derive(Debug, Default)]
pub struct HashedFeatures {
    /// The hash of each name.
    pub hashes: Vec<u64>,
    /// As many weights: the greatest is 32768.
    pub weights: Vec<u16>,
}

impl NamedFeatures {
    /// The given features; the weights of a repeated name are added.
    pub fn new<N: Into<String>>(features: impl IntoIterator<Item = (N, f64)>) -> Result<Self, BadWeight> {
        let mut named: Vec<(String, f64)> =
            features.into_iter().map(|(name, weight)| (name.into(), weight)).collect();
        if let Some((name, weight)) = named.iter().find(|(_, weight)| !(weight.is_finite() && *weight > 0.0))
        {
            return Err(BadWeight { name: name.clone(), weight: *weight });
        }
        // By weight too, so that the sum does not depend on the input order.
        named.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        named.dedup_by(|next, first| {
            let is_same = next.0 == first.0;
            if is_same {
                first.1 = (first.1 + next.1).min(f64::MAX);
            }
            is_same
        });
        Ok(NamedFeatures(named))
    }

    /// The features, by name.
    pub fn as_slice(&self) -> &[(String, f64)] {
        &self.0
    }

    /// The features as a text.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (name, weight) in &self.0 {
            // One line each, whatever the name contains.
            let name = name.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r");
            text.push_str(&format!("{name}\t{weight}\n"));
        }
        text
    }
}

/// Hashes the features in a text as [`NamedFeatures::to_text`] writes it. A line of any other form
/// is a name of weight 1.
pub fn hashed_features(text: &str, hash: WordHash) -> HashedFeatures {
    let line = |line: &str| {
        let parsed = line.rsplit_once('\t').and_then(|(name, weight)| {
            let weight = weight.parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight > 0.0)?;
            Some((hash.hash(name.as_bytes()), weight))
        });
        parsed.unwrap_or_else(|| (hash.hash(line.as_bytes()), 1.0))
    };
    let mut features: Vec<(u64, f64)> = text.lines().map(line).collect();
    features.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    features.dedup_by_key(|feature| feature.0);
    let weights: Vec<f64> = features.iter().map(|feature| feature.1).collect();
    HashedFeatures {
        hashes: features.into_iter().map(|feature| feature.0).collect(),
        weights: parts(&weights),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_one_text_whatever_order_it_came_in() {
        let a = NamedFeatures::new([("b", 1.5), ("a\n\t\\", 2.0), ("b", 0.25)]).unwrap();
        let b = NamedFeatures::new([("b", 0.25), ("b", 1.5), ("a\n\t\\", 2.0)]).unwrap();
        assert_eq!(a.to_text(), "a\\n\t\\\\\t2\nb\t1.75\n");
        assert_eq!(a, b);
        let hashed = hashed_features(&a.to_text(), WordHash::Xxh3);
        assert_eq!(hashed.hashes.len(), 2);
        assert!(hashed.hashes.contains(&WordHash::Xxh3.hash(b"b")));
        let mut weights = hashed.weights;
        weights.sort_unstable();
        assert_eq!(weights, [28672, 32768]);
    }

    #[test]
    fn weights_must_be_numbers_above_zero() {
        for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = NamedFeatures::new([("good", 1.0), ("tag", weight)]).unwrap_err();
            assert!(error.to_string().contains("\"tag\""), "{error}");
        }
        assert!(NamedFeatures::new::<String>([]).unwrap().to_text().is_empty());
    }

    #[test]
    fn other_texts_are_names() {
        let hashed = hashed_features("plain\nname\t2\n", WordHash::Xxh3);
        let plain = hashed.hashes.iter().position(|&hash| hash == WordHash::Xxh3.hash(b"plain")).unwrap();
        assert_eq!((hashed.weights[plain], hashed.weights[1 - plain]), (16384, 32768));
    }
}
