//! Features that are not words: URLs, anchors, tags, entities, each with a weight.
//!
//! A document may bring its own features instead of a text. They travel as a text of one line each, the name, a tab and the
//! weight, sorted by name, so that equal sets are equal texts, whatever order they came in; its markup is
//! [`Features`](crate::Markup::Features). Names are hashed as words are; a set of features has no order, so that nothing is
//! made into shingles and each feature counts once for the measures of sets.

use thiserror::Error;

use super::weight::parts;
use crate::hash::WordHash;

/// A list of features that makes no sense.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("the weight of the feature \"{name}\" is {weight}: expected a finite number above 0")]
pub struct BadWeight {
    /// The name of the feature.
    pub name: String,
    /// Its weight.
    pub weight: f64,
}

/// Named features with weights: each name once, in order.
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
    /// The given features; a name that is given more than once has the sum of its weights.
    pub fn new<N: Into<String>>(features: impl IntoIterator<Item = (N, f64)>) -> Result<Self, BadWeight> {
        let mut named: Vec<(String, f64)> =
            features.into_iter().map(|(name, weight)| (name.into(), weight)).collect();
        if let Some((name, weight)) = named.iter().find(|(_, weight)| !(weight.is_finite() && *weight > 0.0))
        {
            return Err(BadWeight { name: name.clone(), weight: *weight });
        }
        // Weights too, so that their sum does not depend on the order either.
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
            // A line of its own for each, whatever its name is.
            let name = name.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r");
            text.push_str(&format!("{name}\t{weight}\n"));
        }
        text
    }
}

/// Hashes the features in a text as [`NamedFeatures::to_text`] writes it. A line of another form is a name of weight 1: the
/// text was made by nobody who knows better.
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
