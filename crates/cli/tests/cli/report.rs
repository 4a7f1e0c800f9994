//! The report: one file that needs nothing else, with nothing to show and with much.

use crate::folder::Folder;
use crate::{planted, table};

fn check(collection: &str, line: &str) -> serde_json::Value {
    let folder = Folder::new();
    folder.write("in.jsonl", collection);
    let summary = folder.done(&format!("{line} --report report.html --json")).json();
    let html = folder.text("report.html");
    assert!(html.starts_with("<!doctype html>") && html.trim_end().ends_with("</html>"));
    assert!(html.len() < 5_000_000, "{}", html.len());
    let data = table::report(&html);
    for key in
        ["documents", "kept", "removed", "exact_duplicates", "pairs", "clusters", "skipped_rows", "against"]
    {
        assert_eq!(data["totals"][key], summary[key], "{key}");
    }
    // Nothing is fetched: no address stands where a browser would load it.
    let (page, _) = html.split_once("<script id=\"data\"").unwrap();
    let script = html.rsplit_once("</script>").unwrap().0.rsplit_once("<script>").unwrap().1;
    for part in [page, script] {
        for load in
            ["src=\"http", "href=\"http", "url(http", "@import", "fetch(", "XMLHttpRequest", "import("]
        {
            assert!(!part.contains(load), "{load}");
        }
        let addresses = part.matches("http://").count() + part.matches("https://").count();
        // The name of the SVG namespace is no address to load from.
        assert_eq!(addresses, part.matches("http://www.w3.org/2000/svg").count());
    }
    assert!(page.contains("default-src 'none'"), "the browser is told to load nothing");
    data
}

#[test]
fn without_pairs() {
    let collection = planted::rows(&[("a", "one text"), ("b", "and quite another")]);
    let data = check(&collection, "dedup in.jsonl --output kept.jsonl");
    assert_eq!(data["totals"]["documents"], 2);
    assert_eq!(data["pairs"].as_array().map(Vec::len), Some(0));
    check(&collection, "pairs in.jsonl --output pairs.tsv");
    check("", "dedup in.jsonl --output kept.jsonl");
}

#[test]
fn with_many_pairs_the_selection_is_bounded() {
    let collection = planted::jsonl(&planted::collection(81, 1_500));
    let data = check(&collection, "dedup in.jsonl --output kept.jsonl");
    let shown = data["pairs"].as_array().unwrap();
    assert!((100..600).contains(&shown.len()), "{}", shown.len());
    assert!(data["totals"]["pairs"].as_u64().unwrap() > 400);
    let accepted: u64 =
        data["histogram"]["accepted"].as_array().unwrap().iter().filter_map(|bin| bin.as_u64()).sum();
    assert!(accepted > 300);
    check(&collection, "pairs in.jsonl --output pairs.tsv");
}

/// Ids and texts come from strangers.
#[test]
fn hostile_texts_stay_inside() {
    let hostile =
        "</script><script>alert(1)</script> <!--<script> with enough words around to be a near duplicate";
    let rows = [("</script>", hostile.to_owned()), ("\u{2028}<b>", format!("{hostile} indeed"))];
    let rows: Vec<(&str, &str)> = rows.iter().map(|(id, text)| (*id, &**text)).collect();
    let data = check(&planted::rows(&rows), "dedup in.jsonl --output kept.jsonl");
    assert_eq!(data["pairs"][0]["right"]["id"], "</script>");
}
