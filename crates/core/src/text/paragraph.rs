//! Where does a paragraph begin and end?

use std::ops::Range;

/// The paragraphs of a visible text: runs of lines that are not blank, without the white space
/// around them.
///
/// HTML has been given its blank lines by then: one between any two blocks.
///
/// ```
/// use twindex_core::text::paragraphs;
///
/// let text = "A title\n\nTwo lines\nof one paragraph.\n";
/// let found: Vec<&str> = paragraphs(text).map(|range| &text[range]).collect();
/// assert_eq!(found, ["A title", "Two lines\nof one paragraph."]);
/// ```
pub fn paragraphs(visible: &str) -> impl Iterator<Item = Range<usize>> {
    let mut lines = visible.split_inclusive('\n');
    let mut position = 0;
    std::iter::from_fn(move || {
        let mut found: Option<Range<usize>> = None;
        for line in lines.by_ref() {
            let start = position + (line.len() - line.trim_start().len());
            let end = position + line.trim_end().len();
            position += line.len();
            if start < end {
                found = Some(found.map_or(start..end, |paragraph| paragraph.start..end));
            } else if found.is_some() {
                break;
            }
        }
        found
    })
}

#[cfg(test)]
mod tests {
    use super::paragraphs;

    fn of(text: &str) -> Vec<&str> {
        paragraphs(text).map(|range| &text[range]).collect()
    }

    #[test]
    fn blank_lines_separate() {
        assert_eq!(of("one\ntwo\n\nthree"), ["one\ntwo", "three"]);
        assert_eq!(of("\n \n  one  \n\t\r\n\r\n two \r\n"), ["one", "two"]);
        assert_eq!(of("一。\n\u{3000}\n二。"), ["一。", "二。"]);
    }

    #[test]
    fn nothing_has_no_paragraphs() {
        assert!(of("").is_empty());
        assert!(of(" \n\n \t\n").is_empty());
    }
}
