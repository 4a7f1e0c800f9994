//! What stands in for modules that are not compiled in.
//!
//! [`Analyzer::new`](super::Analyzer::new) refuses options that need them. Types without a value
//! show that nothing here is used after that, except for markup: each document says whether it is
//! HTML.

#[cfg(not(feature = "html"))]
pub(super) mod markup {
    use crate::text::compiled::HTML;
    use crate::text::{Boilerplate, HTML_DOCUMENT};

    /// Panics: as plain text the page would have other tokens.
    pub(in crate::text) fn visible_text(_html: &str, _: Boilerplate, _visible: &mut String) {
        if let Err(error) = HTML.require(true, HTML_DOCUMENT) {
            panic!("{error}");
        }
    }
}

#[cfg(not(feature = "languages"))]
pub(super) mod language {
    use crate::text::stem::{Endings, Stem};
    use crate::text::stop::{StopList, StopWords};

    /// There are none.
    #[derive(Debug, Clone)]
    pub(in crate::text) enum Languages {}

    impl Languages {
        pub(in crate::text) fn of(_: &[StopList], _: Stem) -> Option<Languages> {
            None
        }

        pub(in crate::text) fn find(&self, _text: &str) -> (&StopWords, Endings) {
            match *self {}
        }
    }
}

#[cfg(not(feature = "stem"))]
pub(super) mod snowball {
    use std::borrow::Cow;

    use crate::text::stem::Stem;

    /// There is none.
    #[derive(Debug, Clone, Copy)]
    pub(in crate::text) enum Stemmer {}

    impl Stemmer {
        pub(in crate::text) fn of(_: Stem) -> Option<Stemmer> {
            None
        }

        pub(in crate::text) fn stem(self, _word: &str) -> Cow<'_, str> {
            match self {}
        }
    }
}
