//! The numbers that a recipe may have. The page of recipes lists the same ones.

use super::{Recipe, RecipeError};

/// The values that a key may have.
pub(super) struct Range {
    /// Section and key.
    pub(super) key: &'static str,
    value: fn(&Recipe) -> f64,
    pub(super) least: Least,
    pub(super) most: f64,
}

/// The smallest value that a key may have.
pub(super) enum Least {
    /// This value.
    Value(f64),
    /// One more than the value of another key.
    Above(&'static Range),
}

const RADIUS: Range = range("simhash.radius", |recipe| f64::from(recipe.simhash.radius), 0.0, 16.0);

/// The range of every number that has one.
pub(super) const RANGES: &[Range] = &[
    range("feature.size", |recipe| recipe.feature.size as f64, 1.0, 64.0),
    range("rule.threshold", |recipe| recipe.rule.threshold, 0.0, 1.0),
    range("rule.coverage", |recipe| recipe.rule.coverage, 0.0, 1.0),
    range("candidates.bucket_limit", |recipe| recipe.candidates.bucket_limit as f64, 1.0, 1e9),
    range("minhash.bands", |recipe| f64::from(recipe.minhash.bands), 1.0, 1_000.0),
    range("minhash.rows", |recipe| f64::from(recipe.minhash.rows), 1.0, 60.0),
    range("bottom_k.size", |recipe| recipe.bottom_k.size as f64, 1.0, 4_096.0),
    range("bottom_k.threshold", |recipe| recipe.bottom_k.threshold, 0.01, 1.0),
    range("simhash.size", |recipe| recipe.simhash.size as f64, 1.0, 64.0),
    RADIUS,
    Range {
        key: "simhash.blocks",
        value: |recipe| f64::from(recipe.simhash.blocks),
        least: Least::Above(&RADIUS),
        most: 20.0,
    },
    range("simhash.lambda", |recipe| recipe.simhash.lambda, 0.0, 1_000.0),
    range("sampled.rate", |recipe| f64::from(recipe.sampled.rate), 1.0, 1_000.0),
];

const fn range(key: &'static str, value: fn(&Recipe) -> f64, least: f64, most: f64) -> Range {
    Range { key, value, least: Least::Value(least), most }
}

impl Range {
    /// Whether the recipe's value is in the range.
    pub(super) fn check(&self, recipe: &Recipe) -> Result<(), RecipeError> {
        let Range { key, most, .. } = *self;
        let value = (self.value)(recipe);
        let least = match self.least {
            Least::Value(least) => least,
            Least::Above(other) => (other.value)(recipe) + 1.0,
        };
        if (least..=most).contains(&value) {
            Ok(())
        } else {
            Err(RecipeError::Range { key, value, least, most })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_above_a_range_is_refused_by_the_key_that_has_it() {
        for range in RANGES {
            let (section, key) = range.key.split_once('.').unwrap();
            let above = range.most + 1.0;
            let refused = Recipe::from_toml(&format!("[{section}]\n{key} = {above}")).unwrap_err();
            let RecipeError::Range { key, value, .. } = refused else { panic!("{refused}") };
            assert_eq!((key, value), (range.key, above));
        }
    }
}
