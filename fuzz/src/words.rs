//! Word kernels: each one against the definition.

use twindex_core::fingerprint::{SimhashScratch, Simhasher};
use twindex_core::kernel::Kernel;
use twindex_core::kernel::words::{WordRule, naive};

/// The most cuts of an input.
const MOST_CUTS: usize = 16;

/// Cuts the bytes into documents at the given places, and compares every kernel with the
/// definition.
///
/// The first byte is the number of cuts, the next ones their places; the rest is the text, in an
/// allocation of its own, so that a sanitizer detects a read beyond it.
pub fn words(data: &[u8]) {
    let Some((&cuts, data)) = data.split_first() else { return };
    let Some((cuts, text)) = data.split_at_checked(usize::from(cuts) % MOST_CUTS) else { return };
    let text: Box<[u8]> = text.into();
    let mut ends: Vec<usize> = cuts.iter().map(|&cut| usize::from(cut) * text.len() / 255).collect();
    ends.sort_unstable();
    for rule in WordRule::ALL {
        let (mut expected, mut expected_ends) = (vec![], vec![]);
        naive(rule, &text, &ends, &mut expected, &mut expected_ends);
        for kernel in Kernel::available() {
            let (mut found, mut found_ends) = (vec![], vec![]);
            kernel.words(rule, &text, &ends, &mut found, &mut found_ends);
            assert_eq!((&found, &found_ends), (&expected, &expected_ends), "{}, {rule:?}", kernel.name());

            let hasher = Simhasher::new(kernel);
            let (mut from_words, mut from_texts) = (vec![], vec![]);
            let mut scratch = SimhashScratch::default();
            hasher.batch(&expected, &expected_ends, &mut scratch, &mut from_words);
            hasher.texts(rule, &text, &ends, &mut scratch, &mut from_texts);
            assert_eq!(from_texts, from_words, "{}, {rule:?}", kernel.name());
        }
    }
}
