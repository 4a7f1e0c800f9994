use proptest::prelude::*;

use super::visible_text;
use crate::text::Boilerplate;
use crate::text::paragraphs;

fn visible(html: &str) -> String {
    // A buffer in use before must not shine through.
    let mut visible = "before".to_owned();
    visible_text(html, Boilerplate::Keep, &mut visible);
    visible
}

fn subject(html: &str) -> String {
    let mut visible = String::new();
    visible_text(html, Boilerplate::Remove, &mut visible);
    visible
}

#[test]
fn what_a_page_declares_as_boilerplate_can_be_left_out() {
    let page = "<title>T</title><body><nav><ul><li>Home<li>News</ul></nav><div role=navigation>crumbs<div>more</div></div>\
                <article><header><h1>Head</h1></header><p>Text <aside>by the way</aside>goes on.</article>\
                <div role='contentinfo'>imprint</div><footer><p>&copy; all</footer>";
    assert_eq!(subject(page), "T\n\nHead\n\nText\n\ngoes on.");
    assert!(visible(page).contains("by the way") && visible(page).contains("imprint"));
    // An element that is not closed takes no more with it than its parent ends.
    assert_eq!(subject("<div><nav>menu</div>text"), "text");
    let deep = format!("{}<nav>menu</nav>x", "<b>".repeat(1_000_000));
    assert_eq!(subject(&deep), "x", "by the second way");
}

#[test]
fn blocks_become_paragraphs_and_breaks_become_lines() {
    let html = "<!DOCTYPE html><html><head><title>A &amp; B</title><style>p{}</style></head>\n<body>\n<h1>Head</h1>\n\
                <p>One <b>tw</b>o\n\n  three.<p>Four<br>five<br/><br>six</p>seven</body></html>";
    let text = visible(html);
    assert_eq!(text, "A & B\n\nHead\n\nOne two three.\n\nFour\nfive\n\nsix\n\nseven");
    let found: Vec<_> = paragraphs(&text).map(|range| &text[range]).collect();
    assert_eq!(found, ["A & B", "Head", "One two three.", "Four\nfive", "six", "seven"]);
}

#[test]
fn lists_and_tables_are_paragraphs_of_lines() {
    assert_eq!(visible("x<ul><li>a</li><li>b<li>c</ul>y"), "x\n\na\nb\nc\n\ny");
    assert_eq!(visible("<table><tr><th>a<td>b</tr><tr><td>c</td><td>d</td></tr></table>"), "a b\nc d");
}

#[test]
fn what_is_not_shown_is_dropped() {
    let hidden = "<script>var a = '<p>no</p>';</script><style>no</style><noscript><p>no</p></noscript>\
                  <template>no<p>no</template><!-- no --><iframe>no</iframe><svg><style>no</style><script>no</script></svg>\
                  <math><mi>x</mi><annotation>no</annotation></math>";
    assert_eq!(visible(&format!("a{hidden}b")).replace([' ', '\n'], ""), "axb");
    assert_eq!(visible("<img alt='no' title=no><input value=no>yes"), "yes");
}

#[test]
fn a_hidden_element_that_is_not_closed_hides_no_more_than_its_parent() {
    assert_eq!(visible("a<svg><style>no</svg>b"), "ab");
}

#[test]
fn entities_are_decoded_once() {
    assert_eq!(
        visible("&lt;b&gt; &amp;lt; &eacute;&#233;&#xe9; &copy 1 &unknown; a&b"),
        "<b> &lt; ééé © 1 &unknown; a&b"
    );
    assert_eq!(visible("&am<b>p;</b>"), "&amp;");
    assert_eq!(visible("&#0;&#x110000;&#xD800;"), "\u{fffd}\u{fffd}\u{fffd}");
}

#[test]
fn source_lines_stay_in_preformatted_text_only() {
    assert_eq!(visible("<p>a\n b</p><pre>a\n b</pre><textarea>c\n&lt;d</textarea>"), "a b\n\na\n b\n\nc\n<d");
}

#[test]
fn fragments_and_plain_text() {
    assert_eq!(visible(""), "");
    assert_eq!(visible("  just text "), "just text");
    assert_eq!(visible("1 < 2 > 0"), "1 < 2 > 0");
    assert_eq!(visible("中<b>文</b>、\u{301}"), "中文、\u{301}");
}

/// Inputs that make parsers slow, deep or wrong. The sizes would take minutes in anything
/// quadratic.
#[test]
fn hostile_pages_are_read_to_their_end() {
    let many = 100_000;
    let nested = format!("{}x{}y", "<div>".repeat(many), "</div>".repeat(many));
    assert_eq!(visible(&nested), "x\n\ny");
    assert_eq!(visible(&format!("{}x{}y", "<div>".repeat(many), "</p>".repeat(many))), "xy");
    assert_eq!(visible(&format!("{}x", "<b><template></b>".repeat(many))), "x");
    assert_eq!(visible(&format!("{}x", "<p><li><td><pre>".repeat(many))), "x");
    // More open elements than the tokenizer may remember: read by the second way.
    assert_eq!(visible(&format!("{}x&amp;<p>y", "<b>".repeat(10 * many))), "x&\n\ny");
    assert_eq!(visible(&"<".repeat(many)), "<".repeat(many));
    assert_eq!(visible(&"<a ".repeat(many)), "");
    assert_eq!(visible(&"&".repeat(many)), "&".repeat(many));
    assert_eq!(visible(&"&am".repeat(many)), "&am".repeat(many));
    assert_eq!(visible(&format!("x{}", "<!--".repeat(many))), "x");
    assert_eq!(visible(&format!("x<script>{}", "</scrip".repeat(many))), "x");
    assert_eq!(visible(&format!("x<a{}", " b=c".repeat(many))), "x");
    assert_eq!(visible("a\0b<\0c>"), "a\0b<\0c>");
}

/// Large pages that are little but tags are read by the second way, to the same text.
#[test]
fn dense_pages_are_read_to_their_end() {
    let row = "<tr><td>a<td><b>b</b></tr>";
    let small = visible(&format!("<table>{}</table>", row.repeat(1_000)));
    let large = visible(&format!("<table>{}</table>", row.repeat(50_000)));
    assert_eq!(large, vec![small; 50].join("\n"));
    let many = 300_000;
    assert_eq!(visible(&format!("{}x", "<b></b>".repeat(many))), "x");
    assert_eq!(visible(&format!("{}x", "<p><li><td><b>".repeat(many))), "x");
    assert_eq!(visible(&"<".repeat(4 * many)), "<".repeat(4 * many));
    assert_eq!(visible(&format!("{}x</nav>y", "<nav>".repeat(many))), "x\n\ny");
    assert_eq!(subject(&format!("{}x</nav>y", "<nav>".repeat(many))), "y");
    assert_eq!(visible(&format!("x{}", "<script></".repeat(many))), "x");
}

/// Pieces that pages are broken with.
fn broken_page() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<",
        ">",
        "</",
        "/>",
        "<!--",
        "-->",
        "<!",
        "<?",
        "&",
        "&amp",
        "&#",
        "&#x",
        ";",
        "\"",
        "'",
        "=",
        " ",
        "\n",
        "\0",
        "p",
        "é",
        "中",
        "<p>",
        "</p>",
        "<div",
        "<nav>",
        "</nav>",
        "<script>",
        "</script>",
        "<style>",
        "<svg>",
        "<math>",
        "<template>",
        "<table>",
        "<td>",
        "<select>",
        "<textarea>",
        "<title>",
        "<plaintext>",
        "<![CDATA[",
        "]]>",
        "<br/>",
        "<a href=",
        "role=navigation",
        "text",
    ]);
    prop::collection::vec(prop_oneof![8 => piece.prop_map(str::to_owned), 1 => "\\PC{0,4}"], 0..60)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_page_fails(html in broken_page()) {
        for boilerplate in [Boilerplate::Keep, Boilerplate::Remove] {
            let (mut text, mut again) = (String::new(), String::new());
            visible_text(&html, boilerplate, &mut text);
            visible_text(&html, boilerplate, &mut again);
            prop_assert_eq!(&text, &again);
        }
        let all: usize = visible(&html).len();
        prop_assert!(subject(&html).len() <= all, "leaving out adds nothing");
    }
}
