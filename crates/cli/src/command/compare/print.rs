//! A comparison for people.
//!
//! The text has colours as escape sequences, which the stream drops where they would not be seen;
//! it can be read without them.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::fold::{Shown, fold};
use crate::words;
use twindex_core::compare::{Comparison, Match, Place, Side};

const HEADING: Style = Style::new().bold();
const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();
const FOLDED: Style = Style::new().dimmed();

/// The whole comparison.
pub(super) fn text(comparison: &Comparison) -> String {
    let mut parts = vec![documents(comparison), measures(comparison)];
    if !comparison.equal {
        if !comparison.paragraphs.is_empty() {
            parts.push(paragraphs(&comparison.paragraphs));
        }
        parts.push(difference(comparison));
    }
    parts.join("\n")
}

fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

fn documents(comparison: &Comparison) -> String {
    let verdict = styled(HEADING, &comparison.verdict);
    let unit = comparison.shingle.unit;
    let line = |letter: char, side: &Side| {
        let units = words::count(side.units, unit);
        let paragraphs = words::count(side.paragraphs as u64, "paragraph");
        format!("{letter}  {}: {units} in {paragraphs}\n", visible(&side.name))
    };
    let removal =
        if comparison.duplicates && !comparison.equal { removal(comparison) } else { String::new() };
    format!("{verdict}\n{}{}{removal}", line('A', &comparison.left), line('B', &comparison.right))
}

/// Which document may be removed in favour of the other.
fn removal(comparison: &Comparison) -> String {
    let line = |(one, other): (char, char), may_go: bool, rule: &str| match may_go {
        true => format!("{one} may go for {other}: {rule}\n"),
        false => format!("{one} may not go for {other}: {rule}\n"),
    };
    line(('A', 'B'), comparison.left_may_go, &comparison.left_rule)
        + &line(('B', 'A'), comparison.right_may_go, &comparison.right_rule)
}

/// A value that may be missing, because there is no fingerprint of nothing.
fn value(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

fn measures(comparison: &Comparison) -> String {
    let shingles = format!("{}-{} shingles", comparison.shingle.size, comparison.shingle.unit);
    let unit = comparison.shingle.unit;
    let found = &comparison.measures;
    let hashes = match (&comparison.left.simhash, &comparison.right.simhash) {
        (Some(left), Some(right)) => format!("bits of 64: {left} and {right}"),
        _ => "no fingerprint without words".to_owned(),
    };
    let search = match (comparison.equal, comparison.search.proposes) {
        (true, _) => "equal texts are found without it".to_owned(),
        (false, true) => format!("{} proposes this pair", comparison.search.method),
        (false, false) => format!("{} does not propose this pair", comparison.search.method),
    };
    let rows = [
        ("jaccard", found.jaccard.to_string(), format!("of all {shingles}, the part in both")),
        (
            "containment of A",
            found.containment_left.to_string(),
            format!("of the {shingles} of A, the part in B"),
        ),
        (
            "containment of B",
            found.containment_right.to_string(),
            format!("of the {shingles} of B, the part in A"),
        ),
        ("cosine", found.cosine.to_string(), format!("of the {unit} counts")),
        ("simhash distance", value(comparison.distance), hashes),
        ("minhash estimate", value(comparison.minhash_estimate), "of the jaccard".to_owned()),
        ("bottom-k estimate", value(comparison.bottom_k_estimate), "of the jaccard".to_owned()),
        ("search", if comparison.search.proposes { "yes" } else { "no" }.to_owned(), search),
    ];
    let mut out = styled(HEADING, &format!("Measures (recipe {})", comparison.recipe)) + "\n";
    for (name, value, meaning) in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  {name:<18} {value:<9} {meaning}");
    }
    out
}

/// Longer runs of perfect matches are shown as one.
const LEAST_RUN: usize = 3;

fn paragraphs(matches: &[Match]) -> String {
    let place = |place: &Place| match place.line {
        Some(line) => format!("line {line}"),
        None => format!("paragraph {}", place.number),
    };
    let mut out = styled(HEADING, "Paragraphs of A and their best matches in B") + "\n";
    let _ = writeln!(out, "  {:<14} {:<14} {:<9} A begins", "A", "B", "jaccard");
    for run in matches.chunk_by(continues) {
        let shown = if run.len() < LEAST_RUN { run.len() } else { 1 };
        for found in &run[..shown] {
            let right = value(found.right.as_ref().map(place));
            let jaccard = value(found.measures.map(|measures| measures.jaccard));
            let beginning = visible(&found.beginning);
            let _ = writeln!(out, "  {:<14} {right:<14} {jaccard:<9} {beginning}", place(&found.left));
        }
        if shown < run.len() {
            let more = format!("... and the next {} paragraphs of both, alike", run.len() - shown);
            let _ = writeln!(out, "  {}", styled(FOLDED, &more));
        }
    }
    out
}

/// Whether two paragraphs in a row have paragraphs in a row as perfect matches: they need no line
/// each.
fn continues(before: &Match, after: &Match) -> bool {
    let number = |found: &Match| found.right.as_ref().map(|place| place.number);
    let is_perfect = |found: &Match| found.measures.is_some_and(|measures| measures.jaccard == 1.0);
    is_perfect(before) && is_perfect(after) && number(after) == number(before).map(|number| number + 1)
}

fn difference(comparison: &Comparison) -> String {
    let removed = styled(REMOVED, "[-only in A-]");
    let added = styled(ADDED, "{+only in B+}");
    let mut out = format!("{} {removed} {added}\n", styled(HEADING, "Difference"));
    let shown = fold(&comparison.difference);
    if !shown.iter().any(|stretch| matches!(stretch, Shown::Removed(_) | Shown::Added(_))) {
        return out + "none: the visible texts are equal\n";
    }
    let last = shown.len() - 1;
    for (index, stretch) in shown.into_iter().enumerate() {
        out += &match stretch {
            Shown::Same(text) => visible(text),
            Shown::Folded(count) => {
                let fold = format!("[... {} ...]", words::count(count as u64, "equal character"));
                let (before, after) = (if index > 0 { " " } else { "" }, if index < last { " " } else { "" });
                format!("{before}{}{after}", styled(FOLDED, &fold))
            }
            Shown::Removed(text) => styled(REMOVED, &format!("[-{}-]", visible(text))),
            Shown::Added(text) => styled(ADDED, &format!("{{+{}+}}", visible(text))),
        };
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

/// A document's text as it may reach a terminal: a document must not be able to send it commands.
fn visible(text: &str) -> String {
    let is_command = |character: char| character.is_control() && !matches!(character, '\n' | '\t');
    text.replace("\r\n", "\n").replace(is_command, "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use twindex_core::kernel::Kernel;
    use twindex_core::{Document, Recipe};

    use super::*;
    use twindex_core::compare::compare;

    fn printed(left: &str, right: &str) -> String {
        let document = |id: &str, text: &str| Document {
            id: id.to_owned(),
            text: text.to_owned(),
            ..Document::default()
        };
        let recipe = Recipe::default();
        let found =
            compare(&recipe, None, Kernel::Scalar, &document("a.txt", left), &document("b.txt", right))
                .unwrap();
        anstream::adapter::strip_str(&text(&found)).to_string()
    }

    #[test]
    fn a_changed_word_is_marked() {
        let left = "one two three four five six seven eight";
        let text = printed(left, "one two three four five six seven nine");
        for part in [
            "duplicates: jaccard 0.71 >= 0.5\nA  a.txt: 8 words in 1 paragraph\n",
            "A may not go for B: jaccard 0.71 >= 0.5, but only 0.83 of it is in the other: it stays\n",
            "  jaccard            0.714286  of all 3-word shingles, the part in both\n",
            "  line 1         line 1         0.714286  one two three",
            "one two three four five six seven [-eight-]{+nine+}\n",
        ] {
            assert!(text.contains(part), "{part}\nis not in\n{text}");
        }
    }

    #[test]
    fn equal_texts_say_so_first_and_show_no_difference() {
        let text = printed("one two three", "one two three");
        assert!(text.starts_with("duplicates: the texts are equal, byte for byte\n"), "{text}");
        assert!(!text.contains("Difference"), "{text}");
    }

    #[test]
    fn a_text_without_words_has_no_fingerprint() {
        let text = printed("", "one two three");
        assert!(text.contains("simhash distance   -         no fingerprint without words"), "{text}");
        assert!(!text.contains("Paragraphs"), "{text}");
        assert!(text.ends_with("{+one two three+}\n"), "{text}");
    }

    #[test]
    fn perfect_matches_in_a_row_are_folded() {
        let body = (0..9).map(|number| format!("paragraph number {number} here\n\n")).collect::<String>();
        let text = printed(&format!("{body}the old end of it"), &format!("{body}the new end of it"));
        assert!(text.contains("... and the next 8 paragraphs of both, alike\n"), "{text}");
    }

    #[test]
    fn a_document_cannot_send_commands_to_the_terminal() {
        assert_eq!(visible("a\u{1b}[2Jb\r\nc\td\u{9b}e"), "a\u{fffd}[2Jb\nc\td\u{fffd}e");
    }
}
