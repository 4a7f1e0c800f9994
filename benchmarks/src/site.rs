//! Sites: many pages that share a header and a footer without being duplicates.
//!
//! This destroys collections if search alone decides: the pages of a site look similar to a
//! fingerprint. A page gets its site's template only if its own text is at least twice as long, so
//! that two different pages of a site stay at a Jaccard near 0.2 or below and calling them
//! duplicates is plainly wrong.

use crate::choice::Choice;
use crate::prose::{self, PARAGRAPH, Subject};
use crate::random::{Purpose, Random};
use crate::vocabulary::{Script, Vocabulary};

/// What the pages of one site have in common.
#[derive(Debug)]
struct Template {
    header: String,
    footer: String,
}

/// The sites of one language.
#[derive(Debug)]
pub struct Sites {
    templates: Vec<Template>,
    popularity: Choice,
}

const SITES: u64 = 400;

/// A page's own text is at least this many times as long as the template.
const OWN_TEXT_RATIO: usize = 2;

impl Sites {
    /// The sites of a seed in one language.
    pub fn new(seed: u64, vocabulary: &Vocabulary) -> Self {
        let first = match vocabulary.script {
            Script::Latin => 0,
            Script::Han => SITES,
        };
        let templates = (first..first + SITES)
            .map(|site| {
                let mut random = Random::new(seed, Purpose::Site, site);
                let subject = Subject::draw(&mut random);
                let mut part = |shortest, longest| {
                    let mut text = String::new();
                    let length = random.between(shortest, longest) as usize;
                    prose::write(vocabulary, subject, length, &mut random, &mut text);
                    text
                };
                Template { header: part(60, 250), footer: part(120, 500) }
            })
            .collect();
        Self { templates, popularity: Choice::zipf(SITES as usize, 6) }
    }

    /// Draws the site of a page.
    pub fn draw(&self, random: &mut Random) -> usize {
        self.popularity.draw(random)
    }

    /// Writes a page of a site around its own text.
    pub fn wrap(&self, site: usize, own: &str, page: &mut String) {
        let Template { header, footer } = &self.templates[site];
        let fits = own.len() >= OWN_TEXT_RATIO * (header.len() + footer.len());
        if fits {
            page.push_str(header);
            page.push_str(PARAGRAPH);
        }
        page.push_str(own);
        if fits {
            page.push_str(PARAGRAPH);
            page.push_str(footer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jaccard;

    #[test]
    fn pages_of_one_site_share_a_template_and_are_no_duplicates() {
        for script in [Script::Latin, Script::Han] {
            let vocabulary = Vocabulary::new(1, script);
            let sites = Sites::new(1, &vocabulary);
            for site in 0..SITES as usize {
                let pages = [0, 1].map(|page| {
                    let mut random = Random::new(1, Purpose::Body, page);
                    let subject = Subject::draw(&mut random);
                    let (mut own, mut text) = (String::new(), String::new());
                    prose::write(&vocabulary, subject, 1_600, &mut random, &mut own);
                    sites.wrap(site, &own, &mut text);
                    (own.len(), text)
                });
                let shared = jaccard::of(&pages[0].1, &pages[1].1);
                assert!(shared < 0.3, "site {site}: {shared}");
                assert_eq!(
                    shared > 0.03,
                    pages.iter().all(|(own, text)| text.len() > *own),
                    "site {site}: {shared}"
                );
            }
        }
    }
}
