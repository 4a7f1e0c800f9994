//! Every parameter, its default, and what makes it valid.
//!
//! A recipe is a TOML file. Whatever it does not mention has its default; a key that it should not
//! have is an error. Recipes that ship with twindex are the [presets](PRESETS).
//!
//! ```
//! use twindex_core::recipe::{Measure, MethodName, PRESETS, Recipe};
//!
//! let posts = Recipe::preset("posts")?;
//! assert_eq!((posts.method, posts.feature.size), (MethodName::MinhashLsh, 2));
//! assert!(PRESETS.iter().any(|preset| preset.name == "posts"));
//!
//! let own = Recipe::from_toml("name = \"mine\"\n[rule]\nthreshold = 0.8")?;
//! assert_eq!((own.rule.measure, own.rule.threshold), (Measure::Jaccard, 0.8));
//! assert_eq!(Recipe::from_toml(&own.to_toml())?, own);
//! # Ok::<(), twindex_core::recipe::RecipeError>(())
//! ```

mod error;
mod options;
mod preset;
mod range;
#[cfg(test)]
mod reference;

pub use error::RecipeError;
pub use options::{
    BottomKOptions, CandidateOptions, FeatureOptions, Measure, MethodName, MinhashOptions, Rule,
    SampledOptions, SimhashOptions,
};
pub use preset::{PRESETS, Preset};

use serde::{Deserialize, Serialize};

use self::range::RANGES;
use crate::feature::{Unit, Weight};
use crate::hash;
use crate::text::TextOptions;

/// A named set of parameters: all that decides which documents count as duplicates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Recipe {
    /// What messages and reports call the recipe.
    pub name: String,
    /// What it is for, in a sentence. No result depends on it.
    pub about: String,
    /// How the search finds candidates: the pairs whose texts are then compared.
    pub method: MethodName,
    /// How a document becomes words.
    pub text: TextOptions,
    /// What is compared: shingles of units.
    pub feature: FeatureOptions,
    /// Which pairs are duplicates, and which documents may be removed.
    pub rule: Rule,
    /// How much work the search may cause.
    pub candidates: CandidateOptions,
    /// Parameters of the method `minhash-lsh`.
    pub minhash: MinhashOptions,
    /// Parameters of the method `bottom-k`.
    pub bottom_k: BottomKOptions,
    /// Parameters of the method `simhash`.
    pub simhash: SimhashOptions,
    /// Parameters of the method `sampled`.
    pub sampled: SampledOptions,
}

impl Default for Recipe {
    fn default() -> Self {
        Recipe {
            name: "default".to_owned(),
            about:
                "Near-duplicates in any language, short or long: half of the three-word shingles in common"
                    .to_owned(),
            method: MethodName::default(),
            text: TextOptions::default(),
            feature: FeatureOptions::default(),
            rule: Rule::default(),
            candidates: CandidateOptions::default(),
            minhash: MinhashOptions::default(),
            bottom_k: BottomKOptions::default(),
            simhash: SimhashOptions::default(),
            sampled: SampledOptions::default(),
        }
    }
}

impl Recipe {
    /// Reads and checks a recipe.
    pub fn from_toml(toml: &str) -> Result<Recipe, RecipeError> {
        let recipe: Recipe = toml::from_str(toml).map_err(|error| RecipeError::Syntax(error.to_string()))?;
        recipe.validate()?;
        Ok(recipe)
    }

    /// The whole recipe, every default spelt out.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_else(|error| format!("# cannot be written as TOML: {error}\n"))
    }

    /// The preset of that name.
    pub fn preset(name: &str) -> Result<Recipe, RecipeError> {
        let preset = PRESETS.iter().find(|preset| preset.name == name);
        let preset = preset.ok_or_else(|| RecipeError::UnknownPreset(name.to_owned()))?;
        Recipe::from_toml(preset.toml)
    }

    /// Whether every parameter is in its range, and what the recipe needs is compiled in.
    ///
    /// ```
    /// use twindex_core::Recipe;
    ///
    /// let mut recipe = Recipe::default();
    /// recipe.validate()?;
    /// recipe.rule.threshold = 1.5;
    /// let message = recipe.validate().unwrap_err().to_string();
    /// assert_eq!(
    ///     message,
    ///     "rule.threshold = 1.5 is out of range: expected a value between 0 and 1"
    /// );
    /// # Ok::<(), twindex_core::recipe::RecipeError>(())
    /// ```
    pub fn validate(&self) -> Result<(), RecipeError> {
        self.text.check_features()?;
        RANGES.iter().try_for_each(|range| range.check(self))?;
        self.validate_search()?;
        self.validate_weights()
    }

    /// Fingerprints of a part and of a whole that is much longer are not alike: only samples find
    /// the one in the other.
    fn validate_search(&self) -> Result<(), RecipeError> {
        if self.rule.measure == Measure::Containment && self.method != MethodName::Sampled {
            return Err(RecipeError::Contradiction {
                key: "rule.measure",
                value: "containment",
                needed: "method = \"sampled\" (other methods miss parts of longer documents)",
            });
        }
        Ok(())
    }

    /// Length and part of speech are properties of words.
    fn validate_weights(&self) -> Result<(), RecipeError> {
        let contradiction =
            |key, needed| Err(RecipeError::Contradiction { key, value: "length-noun", needed });
        let of_simhash = self.simhash.weight == Weight::LengthNoun;
        let of_cosine = self.feature.weight == Weight::LengthNoun;
        if of_simhash && self.simhash.size != 1 {
            return contradiction("simhash.weight", "simhash.size = 1");
        }
        if of_simhash && self.feature.unit != Unit::Word {
            return contradiction("simhash.weight", "feature.unit = \"word\"");
        }
        if of_cosine && self.feature.unit != Unit::Word {
            return contradiction("feature.weight", "feature.unit = \"word\"");
        }
        Ok(())
    }

    /// Whether something in the recipe is weighed by how rare it is in the collection.
    pub fn needs_frequencies(&self) -> bool {
        self.feature.weight == Weight::TfIdf
            || self.method == MethodName::Simhash && self.simhash.weight == Weight::TfIdf
    }

    /// Whether the rule compares what is weighed by rarity. A verdict depends on two texts and a
    /// recipe, so the document frequencies must then be a table that is named, and never those of
    /// the collection at hand.
    pub fn decides_by_frequencies(&self) -> bool {
        self.feature.weight == Weight::TfIdf && self.rule.measure == Measure::Cosine
    }

    /// A hash of everything that decides how terms are made: a table of document frequencies fits
    /// the recipes that have the same. It is stored in that table, so that what is hashed here may
    /// not change lightly.
    pub fn vocabulary(&self) -> u64 {
        let text = toml::to_string(&self.text).unwrap_or_default();
        let units = FeatureOptions { size: 1, weight: Weight::Count, ..self.feature };
        let units = toml::to_string(&units).unwrap_or_default();
        let mut sizes = vec![];
        if self.feature.weight == Weight::TfIdf {
            sizes.push(1);
        }
        if self.method == MethodName::Simhash && self.simhash.weight == Weight::TfIdf {
            sizes.push(self.simhash.size);
        }
        sizes.dedup();
        hash::content(format!("{text}\n{units}\n{sizes:?}").as_bytes()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_is_the_default() {
        assert_eq!(Recipe::from_toml("").unwrap(), Recipe::default());
    }

    #[cfg(all(feature = "stem", feature = "zh"))]
    #[test]
    fn a_recipe_survives_being_written_and_read() {
        for preset in PRESETS {
            let recipe = Recipe::preset(preset.name).unwrap();
            assert_eq!(Recipe::from_toml(&recipe.to_toml()).unwrap(), recipe, "{}", preset.name);
            assert_eq!(recipe.name, preset.name);
            assert!(!recipe.about.is_empty());
        }
        assert_eq!(Recipe::preset("default").unwrap(), Recipe::default());
    }

    #[test]
    fn an_unknown_key_is_named_with_its_line_and_the_known_ones() {
        let message = Recipe::from_toml("[rule]\nthresold = 0.5\n").unwrap_err().to_string();
        for part in ["thresold", "line 2", "threshold"] {
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn values_out_of_range_are_refused_with_the_range() {
        for (toml, key) in [
            ("[rule]\nthreshold = 1.5", "rule.threshold"),
            ("[feature]\nsize = 0", "feature.size"),
            ("[simhash]\nradius = 3\nblocks = 3", "simhash.blocks"),
            ("[minhash]\nbands = 0", "minhash.bands"),
            ("[simhash]\nlambda = -1.0", "simhash.lambda"),
        ] {
            let message = Recipe::from_toml(toml).unwrap_err().to_string();
            assert!(message.contains(key) && message.contains("between"), "{message}");
        }
    }

    #[test]
    fn weights_of_words_need_words() {
        for toml in [
            "[simhash]\nweight = \"length-noun\"\nsize = 2",
            "[simhash]\nweight = \"length-noun\"\n[feature]\nunit = \"character\"",
            "[feature]\nweight = \"length-noun\"\nunit = \"character\"",
        ] {
            let message = Recipe::from_toml(toml).unwrap_err().to_string();
            assert!(message.contains("length-noun") && message.contains(" needs "), "{message}");
        }
    }

    #[test]
    fn a_vocabulary_is_what_decides_terms() {
        let with = |toml: &str| Recipe::from_toml(toml).unwrap().vocabulary();
        let plain = with("method = \"simhash\"\n[simhash]\nweight = \"tf-idf\"");
        assert_eq!(
            plain,
            with("method = \"simhash\"\n[simhash]\nweight = \"tf-idf\"\nradius = 2\n[rule]\nthreshold = 0.9")
        );
        assert_ne!(plain, with("method = \"simhash\"\n[simhash]\nweight = \"tf-idf\"\nsize = 2"));
        assert_ne!(
            plain,
            with("method = \"simhash\"\n[simhash]\nweight = \"tf-idf\"\n[text]\nstop_words = [\"en\"]")
        );
    }

    /// Tables of document frequencies store these: with another value the tables that users have no
    /// longer fit.
    #[cfg(all(feature = "stem", feature = "zh"))]
    #[test]
    fn vocabularies_are_pinned() {
        const PINNED: [u64; 3] =
            [5_163_884_472_579_555_951, 6_806_876_858_369_388_868, 5_794_588_524_679_974_690];
        let of = |name| Recipe::preset(name).unwrap().vocabulary();
        assert_eq!([of("web"), of("irlbot"), of("yu2016")], PINNED);
    }

    #[test]
    fn only_a_weighted_cosine_decides_by_frequencies() {
        let decides = |toml: &str| Recipe::from_toml(toml).unwrap().decides_by_frequencies();
        assert!(decides("[feature]\nweight = \"tf-idf\"\n[rule]\nmeasure = \"cosine\""));
        assert!(!decides("[feature]\nweight = \"tf-idf\"") && !decides("[rule]\nmeasure = \"cosine\""));
        let presets = || PRESETS.iter().filter_map(|preset| Recipe::preset(preset.name).ok());
        assert!(presets().count() > 0 && presets().all(|recipe| !recipe.decides_by_frequencies()));
    }

    #[test]
    fn containment_needs_a_search_that_finds_parts() {
        let message = Recipe::from_toml("[rule]\nmeasure = \"containment\"").unwrap_err().to_string();
        assert!(message.contains("sampled") && message.contains("parts of longer documents"), "{message}");
        Recipe::from_toml("method = \"sampled\"\n[rule]\nmeasure = \"containment\"").unwrap();
    }

    #[test]
    fn an_unknown_preset_lists_the_presets() {
        let message = Recipe::preset("defualt").unwrap_err().to_string();
        assert!(message.contains("\"defualt\"") && message.contains("default,"), "{message}");
    }
}
