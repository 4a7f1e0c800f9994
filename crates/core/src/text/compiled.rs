//! Which cargo features are compiled in, and what needs one that is not?

use super::TextError;

/// A cargo feature of this crate.
#[derive(Debug, Clone, Copy)]
pub(super) struct CargoFeature {
    name: &'static str,
    is_enabled: bool,
}

pub(super) const HTML: CargoFeature = CargoFeature { name: "html", is_enabled: cfg!(feature = "html") };
pub(super) const LANGUAGES: CargoFeature =
    CargoFeature { name: "languages", is_enabled: cfg!(feature = "languages") };
pub(super) const STEM: CargoFeature = CargoFeature { name: "stem", is_enabled: cfg!(feature = "stem") };
pub(super) const ZH: CargoFeature = CargoFeature { name: "zh", is_enabled: cfg!(feature = "zh") };

impl CargoFeature {
    /// An error if `needed_by` needs the feature and it is not compiled in.
    pub(super) fn require(self, is_needed: bool, needed_by: &'static str) -> Result<(), TextError> {
        if is_needed && !self.is_enabled {
            return Err(TextError::MissingFeature { needed_by, feature: self.name });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Analyzer, Boilerplate, Han, MarkupPolicy, Stem, StopList, TextError, TextOptions};
    use super::*;
    use crate::document::Markup;
    use crate::recipe::{Recipe, RecipeError};

    /// Options, and the features that they need.
    fn needs() -> Vec<(TextOptions, Vec<CargoFeature>)> {
        let options = TextOptions::default;
        let stop = |list| TextOptions { stop_words: vec![StopList::En, list], ..options() };
        let stem = |stem| TextOptions { stem, ..options() };
        vec![
            (options(), vec![]),
            (stop(StopList::Zh), vec![]),
            (stop(StopList::Sv), vec![LANGUAGES]),
            (stop(StopList::Auto), vec![LANGUAGES]),
            (stem(Stem::English), vec![STEM]),
            (stem(Stem::Auto), vec![LANGUAGES, STEM]),
            (TextOptions { han: Han::Word, ..options() }, vec![ZH]),
            (TextOptions { markup: MarkupPolicy::Html, ..options() }, vec![HTML]),
            (TextOptions { markup: MarkupPolicy::None, ..options() }, vec![]),
            (TextOptions { boilerplate: Boilerplate::Remove, ..options() }, vec![HTML]),
        ]
    }

    #[test]
    fn options_without_their_feature_are_refused_by_name() {
        for (text, features) in needs() {
            let missing = features.iter().find(|feature| !feature.is_enabled);
            let built = Analyzer::new(&text).err();
            let recipe = Recipe { text, ..Recipe::default() };
            let validated = recipe.validate().err();
            assert_eq!(validated, built.clone().map(RecipeError::Text));
            match (built, missing) {
                (None, None) => {}
                (Some(error @ TextError::MissingFeature { .. }), Some(feature)) => {
                    let named = format!("cargo feature `{}`", feature.name);
                    assert!(error.to_string().contains(&named), "{error}");
                }
                (built, missing) => panic!("{built:?}, expected for want of {missing:?}"),
            }
        }
    }

    #[test]
    fn documents_in_html_need_html() {
        let check = |policy, markup| {
            let analyzer = Analyzer::new(&TextOptions { markup: policy, ..TextOptions::default() });
            analyzer.unwrap().check(markup)
        };
        assert_eq!(check(MarkupPolicy::Auto, Markup::None), Ok(()));
        assert_eq!(check(MarkupPolicy::None, Markup::Html), Ok(()));
        assert_eq!(check(MarkupPolicy::Auto, Markup::Html).is_ok(), cfg!(feature = "html"));
        assert_eq!(Markup::Html.is_supported(), cfg!(feature = "html"));
    }

    #[cfg(not(feature = "html"))]
    #[test]
    #[should_panic(expected = "cargo feature `html`")]
    fn a_page_is_never_read_as_plain_text() {
        Analyzer::new(&TextOptions::default()).unwrap().visible("<p>x", Markup::Html);
    }
}
