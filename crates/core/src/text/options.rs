//! What a recipe may say about text.

use serde::{Deserialize, Serialize};

use super::compiled::{HTML, LANGUAGES, STEM, ZH};
use super::{stem::Stem, stop::StopList};
use crate::document::Markup;

/// Every parameter of the text stage.
///
/// A change to any of them changes tokens and so fingerprints: two collections are comparable only
/// when they were read with equal options.
///
/// ```
/// use twindex_core::text::{Han, Stem, StopList, TextOptions};
///
/// let options: TextOptions = toml::from_str("stop_words = [\"de\"]\nstem = \"german\"")?;
/// assert_eq!((options.stop_words, options.stem), (vec![StopList::De], Stem::German));
/// assert_eq!(TextOptions::default().han, Han::Character);
/// # Ok::<(), toml::de::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextOptions {
    /// Whether spelling variants of one character count as one: Unicode's `NFKC_Casefold`
    /// (compatibility forms, upper case and invisible characters disappear). `stop_words` and
    /// `stem` need it.
    pub normalise: bool,
    /// The lists of words that do not count, such as `["en", "de"]`. With none, every word counts.
    ///
    /// Lists of Stopwords ISO, and `auto`, need the cargo feature `languages`.
    pub stop_words: Vec<StopList>,
    /// The language whose endings are removed from words, so that forms of one word count as one.
    ///
    /// Needs the cargo feature `stem`; `auto` needs `languages`, too.
    pub stem: Stem,
    /// Whether Chinese is cut into words or into characters.
    ///
    /// Words need the cargo feature `zh`.
    pub han: Han,
    /// Whether the navigation, the footers and the asides of HTML count.
    ///
    /// Removing them needs the cargo feature `html`.
    pub boilerplate: Boilerplate,
    /// Which documents are read as HTML, of which only the visible text counts.
    ///
    /// `html` needs the cargo feature `html`.
    pub markup: MarkupPolicy,
}

impl Default for TextOptions {
    fn default() -> Self {
        TextOptions {
            normalise: true,
            stop_words: Vec::new(),
            stem: Stem::None,
            han: Han::Character,
            boilerplate: Boilerplate::Keep,
            markup: MarkupPolicy::Auto,
        }
    }
}

impl TextOptions {
    /// An error if an option needs a cargo feature that is not compiled in.
    pub(crate) fn check_features(&self) -> Result<(), TextError> {
        let is_auto = self.stop_words.contains(&StopList::Auto);
        let is_from_elsewhere = self.stop_words.iter().any(|list| list.is_from_elsewhere());
        LANGUAGES.require(is_auto || is_from_elsewhere, "this value of the option `stop_words`")?;
        LANGUAGES.require(self.stem == Stem::Auto, "`stem = \"auto\"`")?;
        STEM.require(self.stem != Stem::None, "the option `stem`")?;
        ZH.require(self.han == Han::Word, "`han = \"word\"`")?;
        HTML.require(self.markup == MarkupPolicy::Html, "`markup = \"html\"`")?;
        HTML.require(self.boilerplate == Boilerplate::Remove, "`boilerplate = \"remove\"`")
    }
}

/// The tokens of Chinese text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Han {
    /// Single characters: fast, and shingles of them find what shingles of words find.
    #[default]
    Character,
    /// Words, by the dictionary and model of jieba, with their part of speech: what weights of
    /// words need.
    Word,
}

/// What counts of a page that is not its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Boilerplate {
    /// They do.
    #[default]
    Keep,
    /// What the page itself declares as navigation, menu, footer or aside, by element or by role,
    /// does not.
    Remove,
}

/// Which documents are read as HTML.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkupPolicy {
    /// Those that the input says are HTML, such as `.html` files and the pages of WARC files.
    #[default]
    Auto,
    /// Every document.
    Html,
    /// No document: tags are words like any other.
    None,
}

impl MarkupPolicy {
    /// How a document is read that arrived as `said`.
    pub(super) fn decide(self, said: Markup) -> Markup {
        match self {
            // A list of features is no text that could be read otherwise.
            _ if said == Markup::Features => said,
            MarkupPolicy::Auto => said,
            MarkupPolicy::Html => Markup::Html,
            MarkupPolicy::None => Markup::None,
        }
    }
}

/// Options that contradict each other, or what is not compiled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// Stop lists and stemmers know lower-case words only: without folding, `The` would count and
    /// `the` would not.
    #[error(
        "the option `{option}` needs lower-case words, but `normalise` is false; \
         set `normalise = true` or remove `{option}`"
    )]
    NeedsNormalise {
        /// The option as it is written in a recipe.
        option: &'static str,
    },
    /// An option or a document that needs a cargo feature which is not compiled in. Another reading
    /// would be another result.
    #[error(
        "{needed_by} needs the cargo feature `{feature}` of twindex-core, which is not compiled in; \
         enable the feature, or do without"
    )]
    MissingFeature {
        /// The option as it is written in a recipe, or the kind of document.
        needed_by: &'static str,
        /// The cargo feature.
        feature: &'static str,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_spells_options_as_documented() {
        let written = r#"
            normalise = true
            stop_words = ["en", "zh"]
            stem = "english"
            han = "word"
            boilerplate = "remove"
            markup = "html"
        "#;
        let expected = TextOptions {
            normalise: true,
            stop_words: vec![StopList::En, StopList::Zh],
            stem: Stem::English,
            han: Han::Word,
            boilerplate: Boilerplate::Remove,
            markup: MarkupPolicy::Html,
        };
        assert_eq!(toml::from_str::<TextOptions>(written), Ok(expected));
    }

    #[test]
    fn an_empty_recipe_is_the_default_and_survives_a_round_trip() {
        let default = TextOptions::default();
        assert_eq!(toml::from_str::<TextOptions>(""), Ok(default.clone()));
        let written = toml::to_string(&default).unwrap();
        assert_eq!(toml::from_str::<TextOptions>(&written), Ok(default));
    }

    #[test]
    fn misspelt_options_are_refused() {
        assert!(toml::from_str::<TextOptions>("stopwords = []").is_err());
        assert!(toml::from_str::<TextOptions>("stem = \"klingon\"").is_err());
    }
}
