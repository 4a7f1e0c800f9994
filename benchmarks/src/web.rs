//! Shape 1, a crawl: pages of many sites in two languages, some of them copies of earlier pages.
//!
//! ```text
//! document(i) = original(i)                            unless the plan of i says copy
//!             = edit(original(j), strength)            j < i an original, near, far or popular
//! ```
//!
//! The plan of a document depends on nothing but the seed and its number, so a copy looks up nothing.

use crate::edit::{self, Strength};
use crate::length;
use crate::prose::{self, Subject};
use crate::random::{Purpose, Random};
use crate::site::Sites;
use crate::vocabulary::{Script, Vocabulary};

/// A collection of pages. Documents are asked for by number, in any order.
#[derive(Debug)]
pub struct Web {
    seed: u64,
    /// The share of copies, in units of 2^-32.
    copies: u64,
    languages: [Language; 2],
}

#[derive(Debug)]
struct Language {
    vocabulary: Vocabulary,
    sites: Sites,
}

/// A page and where it came from.
#[derive(Debug, Default)]
pub struct Page {
    /// Its text.
    pub text: String,
    /// The number of its site.
    pub site: usize,
    /// Of a copy: its original.
    pub origin: Option<Origin>,
}

/// What a copy was made of.
#[derive(Debug)]
pub struct Origin {
    /// The original's number.
    pub number: u64,
    /// The original's text.
    pub text: String,
    /// How strongly it was edited.
    pub strength: Strength,
}

/// One page in ten is written in Han characters.
const HAN_PER_MILLE: u32 = 100;

/// Half of the copies stand within so many documents of their original (one batch of a streaming reader) ...
const NEAR: u64 = 500;

/// ... and one in fifty is of one of the first pages, so that families of dozens exist.
const POPULAR: u64 = 64;

/// Tries to find an original before falling back to document 0, which always is one.
const TRIES: u32 = 32;

impl Web {
    /// The collection of a seed with a share (0 to 1) of copies.
    pub fn new(seed: u64, copies: f64) -> Self {
        let languages = [Script::Latin, Script::Han].map(|script| {
            let vocabulary = Vocabulary::new(seed, script);
            let sites = Sites::new(seed, &vocabulary);
            Language { vocabulary, sites }
        });
        Self { seed, copies: (copies.clamp(0.0, 1.0) * f64::from(u32::MAX)) as u64, languages }
    }

    /// One document.
    pub fn document(&self, number: u64) -> Page {
        let mut plan = self.plan(number);
        if !self.is_copy(number, &mut plan) {
            let (text, site, _) = self.original(number, None);
            return Page { text, site, origin: None };
        }
        let of = self.source(number, &mut plan);
        let strength = Strength::draw(&mut plan);
        let mut random = Random::new(self.seed, Purpose::Edit, number);
        let (original, site, language) = self.original(of, None);
        let (text, site) = if strength == Strength::Resited {
            let other = language.sites.draw(&mut random);
            (self.original(of, Some(other)).0, other)
        } else {
            let mut copy = String::with_capacity(original.len() + original.len() / 8);
            edit::edit(&original, strength, &language.vocabulary, &mut random, &mut copy);
            (copy, site)
        };
        Page { text, site, origin: Some(Origin { number: of, text: original, strength }) }
    }

    fn plan(&self, number: u64) -> Random {
        Random::new(self.seed, Purpose::Plan, number)
    }

    /// The first draw of a document's plan.
    fn is_copy(&self, number: u64, plan: &mut Random) -> bool {
        plan.bits() >> 32 < self.copies && number > 0
    }

    fn source(&self, number: u64, plan: &mut Random) -> u64 {
        for _ in 0..TRIES {
            let candidate = match plan.below(100) {
                0..50 => number - 1 - plan.below_wide(number.min(NEAR)),
                50..52 => plan.below_wide(number.min(POPULAR)),
                _ => plan.below_wide(number),
            };
            if !self.is_copy(candidate, &mut self.plan(candidate)) {
                return candidate;
            }
        }
        0
    }

    /// The text of an original, its site and its language; on another site when one is given.
    fn original(&self, number: u64, other_site: Option<usize>) -> (String, usize, &Language) {
        let mut random = Random::new(self.seed, Purpose::Body, number);
        let language = &self.languages[usize::from(random.chance(HAN_PER_MILLE))];
        let site = language.sites.draw(&mut random);
        let length = length::draw(&mut random);
        let subject = Subject::draw(&mut random);
        // A sentence may run past the wanted length; the template adds at most a thousand bytes.
        let mut own = String::with_capacity(length + 256);
        prose::write(&language.vocabulary, subject, length, &mut random, &mut own);
        let site = other_site.unwrap_or(site);
        let mut page = String::with_capacity(own.len() + 1_000);
        language.sites.wrap(site, &own, &mut page);
        (page, site, language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jaccard;

    #[test]
    fn a_document_does_not_depend_on_the_order_of_asking() {
        let web = Web::new(5, 0.3);
        let forwards: Vec<String> = (0..40).map(|number| web.document(number).text).collect();
        let backwards: Vec<String> = (0..40).rev().map(|number| web.document(number).text).collect();
        assert!(forwards.iter().eq(backwards.iter().rev()));
    }

    #[test]
    fn copies_are_as_many_as_asked_and_of_earlier_originals() {
        let web = Web::new(1, 0.2);
        let mut copies = 0;
        for number in 0..2_000 {
            if let Some(origin) = web.document(number).origin {
                copies += 1;
                assert!(origin.number < number);
                assert!(web.document(origin.number).origin.is_none());
                assert_eq!(web.document(origin.number).text, origin.text);
            }
        }
        // 400 expected; five standard deviations are 90.
        assert!((310..490).contains(&copies), "{copies}");
    }

    #[test]
    fn originals_have_little_in_common() {
        let web = Web::new(1, 0.0);
        let texts: Vec<String> = (0..150).map(|number| web.document(number).text).collect();
        for (position, left) in texts.iter().enumerate() {
            for right in &texts[position + 1..] {
                assert!(jaccard::of(left, right) < 0.3);
            }
        }
    }

    #[test]
    fn everything_a_copy_is_the_share_of_one() {
        let web = Web::new(1, 1.0);
        assert!(web.document(0).origin.is_none());
        assert_eq!(web.document(9).origin.map(|origin| origin.number), Some(0));
    }
}
