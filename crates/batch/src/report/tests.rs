//! The file as a whole: what is embedded comes back, hostile input stays data, and the size is
//! bounded.

use super::budget::Shown;
use super::page::Page;
use super::*;

const HOSTILE: &str = "</script><script>alert(1)</script><!--<script>/* SCRIPT */\u{2028}\u{2029}\0\"'\\";

fn pair(left: &str, right: &str, jaccard: f64, accepted: bool) -> PairRow {
    PairRow {
        left: Side { id: format!("a {HOSTILE}"), text: left.to_owned(), cut: 0 },
        right: Side { id: "b".to_owned(), text: right.to_owned(), cut: 0 },
        scores: Scores {
            jaccard,
            containment_left: 0.5,
            containment_right: 0.75,
            cosine: None,
            distance: Some(3),
        },
        accepted,
        exact: left == right,
        why: HOSTILE.to_owned(),
    }
}

fn report(pairs: Vec<PairRow>) -> Report {
    Report {
        title: HOSTILE.to_owned(),
        command: "twindex dedup pages.jsonl --report report.html".to_owned(),
        version: "0.1.0".to_owned(),
        recipe: "[verify]\nmeasure = \"jaccard\"\n".to_owned(),
        totals: Totals { documents: 10, kept: 8, removed: 2, seconds: 0.5, ..Totals::default() },
        mode: Mode::Dedup,
        measure: "jaccard".to_owned(),
        threshold: 0.75,
        histogram: Histogram { accepted: vec![0, 0, 0, 2], rejected: vec![0, 1, 3, 0] },
        cluster_sizes: vec![(2, 1)],
        largest_clusters: vec![ClusterRow {
            size: 2,
            members: vec![HOSTILE.to_owned(), "b".to_owned()],
            more: 0,
            example_text: HOSTILE.to_owned(),
        }],
        pairs,
        stages: vec![StageTime { name: HOSTILE.to_owned(), seconds: 0.25 }],
        notes: vec![HOSTILE.to_owned()],
    }
}

/// What a browser would hand to `JSON.parse`: everything up to the first `</script`.
fn embedded(html: &str) -> Page {
    let (_, rest) = html.split_once("<script id=\"data\" type=\"application/json\">").unwrap();
    let (json, _) = rest.split_once("</script").unwrap();
    serde_json::from_str(json).unwrap()
}

fn texts(pieces: &[Shown]) -> (String, String) {
    let (mut left, mut right) = (String::new(), String::new());
    for piece in pieces {
        match piece {
            Shown::Same(text) => {
                left += text;
                right += text;
            }
            Shown::Removed(text) => left += text,
            Shown::Added(text) => right += text,
            Shown::Skipped(characters) => panic!("{characters} characters were left out"),
        }
    }
    (left, right)
}

#[test]
fn embedded_data_comes_back() {
    let report = report(vec![pair("one two three", HOSTILE, 0.75, true), pair("天地", "天地", 1.0, true)]);
    let page = embedded(&render(&report));
    assert_eq!(page, Page::new(&report, FILE_LIMIT));
    assert_eq!(texts(&page.pairs[0].pieces), ("one two three".to_owned(), HOSTILE.to_owned()));
    assert_eq!(page.pairs[1].pieces, [Shown::Same("天地".to_owned())]);
}

#[test]
fn hostile_strings_are_no_markup() {
    let harmless = Report { notes: vec![], ..report(vec![]) };
    let html = render(&report(vec![pair(HOSTILE, "x", 0.5, false)]));
    let scripts = |html: &str| html.matches("<script").count();
    assert_eq!(scripts(&html), scripts(&render(&harmless)));
    assert_eq!(html.matches("</script").count(), 2);
    assert!(!html.contains("<script>alert"));
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    let make = || render(&report(vec![pair("a b c d", "a c b d", 0.5, true), pair("x", "y", 0.1, false)]));
    assert_eq!(make(), make());
}

#[test]
fn an_empty_run_has_a_page() {
    let page = embedded(&render(&report(vec![])));
    assert!(page.pairs.is_empty());
}

#[test]
fn many_long_texts_stay_within_the_limit() {
    let long = |word: &str| format!("{word} < common text \u{1} and more ").repeat(2_000);
    let mut pairs = vec![pair("short left", "short right", 0.5, true)];
    pairs.extend((0..300).map(|number| pair(&long("left"), &long(&format!("right{number}")), 0.5, true)));
    let html = render(&report(pairs));
    assert!(html.len() < FILE_LIMIT, "{}", html.len());
    assert!(html.len() > FILE_LIMIT / 2, "the limit should be used, found {}", html.len());
    let page = embedded(&html);
    assert_eq!(page.pairs.len(), 301);
    assert_eq!(texts(&page.pairs[0].pieces), ("short left".to_owned(), "short right".to_owned()));
}

#[test]
fn too_many_rows_stay_within_the_limit() {
    let huge = "\u{1}".repeat(100_000);
    let mut row = pair("", "", 0.5, true);
    row.left.id.clone_from(&huge);
    row.why.clone_from(&huge);
    let cluster =
        ClusterRow { size: 9, members: vec![huge.clone(); 30], more: 1, example_text: huge.clone() };
    let html = render(&Report {
        recipe: huge.clone(),
        largest_clusters: vec![cluster; 200],
        notes: vec![huge; 200],
        ..report(vec![row; 5_000])
    });
    assert!(html.len() < FILE_LIMIT, "{}", html.len());
    assert!(!embedded(&html).pairs.is_empty());
}

#[test]
fn the_end_of_a_cut_text_is_not_a_difference() {
    let words: Vec<String> = (0..200).map(|number| format!("word{number}")).collect();
    let text = words.join(" ");
    let inserted = format!("An insertion of some length. {text}");
    let mut row = pair("", "", 0.9, true);
    (row.left, row.right) = (Side::new("a", &text, 1_000), Side::new("b", &inserted, 1_000));
    let page = Page::new(&report(vec![row]), FILE_LIMIT);
    let kinds: Vec<bool> = page.pairs[0].pieces.iter().map(|piece| matches!(piece, Shown::Same(_))).collect();
    assert_eq!(kinds, [false, true], "one insertion, then common text: {:?}", page.pairs[0].pieces);
}
