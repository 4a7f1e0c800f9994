//! The second way through a page: skip what looks like a tag.
//!
//! It needs no memory for open elements and cannot fail, but knows no tree, no quotes around
//! attributes and no foreign content. On pages without such subtleties it agrees with the first
//! way.

use super::Boilerplate;
use super::element::{BOILERPLATE, HIDDEN, PREFORMATTED, gap_of};
use super::flow::Flow;

/// Hidden elements with other elements in them.
const CONTAINERS: &[&str] = &["annotation", "annotation-xml", "template"];

/// Passes every text and every gap of a page to `flow`.
pub(super) fn skip_tags(html: &str, boilerplate: Boilerplate, flow: &mut Flow) {
    let mut rest = html;
    let mut name = String::new();
    let mut unclosed: Vec<String> = Vec::new();
    while let Some(open) = rest.find('<') {
        let (text, tag) = rest.split_at(open);
        flow.text(text, true);
        let Some(length) = tag_length(tag) else {
            // A lone `<` is text.
            flow.text("<", true);
            rest = &tag[1..];
            continue;
        };
        name.clear();
        name.push_str(name_of(tag));
        name.make_ascii_lowercase();
        if name == "br" {
            flow.break_line();
        } else {
            flow.gap(gap_of(&name));
        }
        rest = &tag[length..];
        if tag.starts_with("</") {
            continue;
        }
        let is_boilerplate = boilerplate == Boilerplate::Remove && BOILERPLATE.contains(&name.as_str());
        if is_boilerplate || HIDDEN.contains(&name.as_str()) {
            // The text of a script that is not closed is the rest of the page; an element with
            // others in it that is not closed hides nothing, and is not looked for again.
            let has_elements = is_boilerplate || CONTAINERS.contains(&name.as_str());
            if !has_elements {
                rest = &rest[end_of(rest, &name).unwrap_or(rest.len())..];
            } else if !unclosed.contains(&name) {
                match end_of(rest, &name) {
                    Some(end) => rest = &rest[end..],
                    None => unclosed.push(name.clone()),
                }
            }
        } else if PREFORMATTED.contains(&name.as_str()) {
            flow.keep_lines();
        }
    }
    flow.text(rest, true);
    flow.end_text();
}

/// The length of the tag or comment that begins with this `<`; all the rest when it never ends;
/// none if it is text.
fn tag_length(tag: &str) -> Option<usize> {
    if tag.starts_with("<!--") {
        return Some(tag.find("-->").map_or(tag.len(), |end| end + "-->".len()));
    }
    let begins =
        tag[1..].starts_with(|next: char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'));
    begins.then(|| tag.find('>').map_or(tag.len(), |end| end + 1))
}

/// The element's name in a tag that begins with `<` or `</`.
fn name_of(tag: &str) -> &str {
    let name = tag.trim_start_matches(['<', '/']);
    let end = name.find(|character: char| !character.is_ascii_alphanumeric() && character != '-');
    &name[..end.unwrap_or(name.len())]
}

/// Where the end tag of an element begins, if there is one.
fn end_of(rest: &str, name: &str) -> Option<usize> {
    let is_end = |at: &usize| {
        rest[*at..]
            .strip_prefix("</")
            .and_then(|end| end.get(..name.len()))
            .is_some_and(|end| end.eq_ignore_ascii_case(name))
    };
    rest.match_indices("</").map(|(at, _)| at).find(is_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visible(html: &str) -> String {
        let mut flow = Flow::default();
        skip_tags(html, Boilerplate::Keep, &mut flow);
        flow.finish()
    }

    #[test]
    fn tags_comments_and_scripts_are_skipped() {
        let html = "<!doctype html><p class=x>One &amp; <b>two</b><!-- <p>no --> <SCRIPT>if (a<b) no</p></Script>three<p>4";
        assert_eq!(visible(html), "One & two three\n\n4");
    }

    #[test]
    fn both_ways_agree_on_plain_pages() {
        let html = "<title>A</title><h1>B</h1>c<p>d<b>e</b> f<br>g<br><br>h</p><ul><li>i<li>j</ul><table><tr><td>k<td>l\
                    </table><pre>m\n n</pre>o<style>p{}</style><!-- q --><em>r</em>s &lt;t&gt;";
        let mut expected = String::new();
        super::super::visible_text(html, Boilerplate::Keep, &mut expected);
        assert_eq!(visible(html), expected);
    }

    #[test]
    fn broken_pages_end() {
        assert_eq!(visible("1 < 2 <"), "1 < 2 <");
        assert_eq!(visible("a<b"), "a");
        assert_eq!(visible("a<!-- b"), "a");
        assert_eq!(visible("a<script>b</scrip>"), "a");
        assert_eq!(visible("a<script>b</é"), "a");
        assert_eq!(visible("<<<<>>>>é<é"), "<<<<>>>>é<é");
    }
}
