//! What the names of elements mean for the flow of text.

use super::flow::Gap;

/// A paragraph of their own: a blank line before and after.
pub(super) const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "caption",
    "center",
    "details",
    "dialog",
    "div",
    "dl",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "legend",
    "listing",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "plaintext",
    "pre",
    "search",
    "section",
    "summary",
    "table",
    "textarea",
    "title",
    "ul",
];

/// A line of their own. A list or table is one paragraph: its items are too short to be compared
/// alone.
pub(super) const LINES: &[&str] =
    &["dd", "dt", "li", "optgroup", "option", "select", "tbody", "tfoot", "thead", "tr"];

/// Beside each other on a line.
pub(super) const CELLS: &[&str] = &["td", "th"];

/// Not shown. The formula that an `annotation` repeats in another language is shown once, outside
/// of it.
pub(super) const HIDDEN: &[&str] = &[
    "annotation",
    "annotation-xml",
    "iframe",
    "noembed",
    "noframes",
    "noscript",
    "script",
    "style",
    "template",
    "xmp",
];

/// Around the subject of a page. The header of an article holds its title; only that of the page
/// would be boilerplate, and a tokenizer that knows no tree cannot tell them apart, so that the
/// header stays.
pub(super) const BOILERPLATE: &[&str] = &["aside", "footer", "menu", "nav"];

/// The same, declared by role. A banner is the header of the page and of nothing else.
pub(super) const BOILERPLATE_ROLES: &[&str] =
    &["[role=banner]", "[role=complementary]", "[role=contentinfo]", "[role=navigation]", "[role=search]"];

/// Shown with the line breaks of the source.
pub(super) const PREFORMATTED: &[&str] = &["listing", "plaintext", "pre", "textarea"];

/// What an element with this name leaves before and after it.
pub(super) fn gap_of(name: &str) -> Gap {
    // The lists are sorted.
    if BLOCKS.binary_search(&name).is_ok() {
        Gap::Block
    } else if LINES.binary_search(&name).is_ok() {
        Gap::Line
    } else if CELLS.contains(&name) {
        Gap::Blank
    } else {
        Gap::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_are_searched_are_sorted() {
        assert!(BLOCKS.is_sorted() && LINES.is_sorted());
        assert_eq!(
            [gap_of("p"), gap_of("tr"), gap_of("td"), gap_of("b")],
            [Gap::Block, Gap::Line, Gap::Blank, Gap::None]
        );
    }
}
