//! Which parts of a text are paragraphs of their own?
//!
//! Blank lines separate paragraphs; block-level markup has become blank lines before. Chinese and
//! Japanese texts often have none, so a long paragraph is also cut after full stops, into parts of
//! a minimum length. Short paragraphs (headings, "Share this page") occur everywhere and are left
//! out.
//!
//! Lengths are in bytes, which treats scripts alike: a Chinese character is a word of three bytes,
//! an English word has about six.

use twindex_core::text::paragraphs;

use crate::document::Place;

/// The shortest paragraph: some ten English words, some twenty Chinese characters.
const SHORTEST: usize = 64;

/// The shortest part that ends with a full stop: some sixty characters, two or three sentences.
const SHORTEST_PART: usize = 192;

/// Full stops that occur in no number or abbreviation.
const FULL_STOPS: [char; 3] = ['。', '！', '？'];

/// The paragraphs of a visible text, in order.
pub(crate) fn passages(visible: &str) -> Vec<Place> {
    let mut found = vec![];
    for paragraph in paragraphs(visible) {
        let mut start = paragraph.start;
        for (at, stop) in visible[paragraph.clone()].match_indices(FULL_STOPS) {
            let end = paragraph.start + at + stop.len();
            // The remainder must be long enough too, or it stays with this part.
            if end - start >= SHORTEST_PART && paragraph.end - end >= SHORTEST_PART {
                found.push(start..end);
                start = end;
            }
        }
        found.push(start..paragraph.end);
    }
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let long = found.into_iter().filter(|part| part.len() >= SHORTEST);
    long.map(|part| Place { start: place(part.start), end: place(part.end) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<&str> {
        passages(text).into_iter().map(|place| place.of(text)).collect()
    }

    #[test]
    fn blank_lines_separate_and_headings_are_left_out() {
        let (one, two) = ("one ".repeat(20), "two ".repeat(30));
        assert_eq!(of(&format!("Heading\n\n{one}\n\n{two}\n")), [one.trim(), two.trim()]);
        assert!(of("short").is_empty());
    }

    #[test]
    fn chinese_full_stops_group_to_a_minimum_length() {
        let sentence = format!("{}。", "天地玄黄宇宙洪荒日月盈昃辰宿列张".repeat(2));
        let text = sentence.repeat(7);
        let parts = of(&text);
        assert_eq!(parts.concat(), text);
        assert_eq!(parts.iter().map(|part| part.len() / sentence.len()).collect::<Vec<_>>(), [2, 2, 3]);
        assert_eq!(of(&format!("{} 3.5 km. {}", "word ".repeat(60), "word ".repeat(60))).len(), 1);
    }
}
