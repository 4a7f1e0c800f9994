//! Documents that break naive programs.

use std::fmt::Write;
use std::time::{Duration, Instant};

use crate::folder::Folder;
use crate::prose::{Prose, Script};
use crate::random::Random;
use crate::{planted, table};

fn pairs(folder: &Folder, line: &str) -> Vec<(String, String, String)> {
    let listed = table::pairs(&folder.done(line).stdout);
    listed.into_iter().map(|pair| (pair.left, pair.right, pair.rule)).collect()
}

fn equal(left: &str, right: &str) -> (String, String, String) {
    (left.to_owned(), right.to_owned(), "equal text".to_owned())
}

/// What has no words is a duplicate of nothing; of its equal only if the user says so.
#[test]
fn texts_without_words() {
    let folder = Folder::new();
    folder.write(
        "in.jsonl",
        planted::rows(&[
            ("empty", ""),
            ("blank", " "),
            ("blanks", " \n\t "),
            ("ideographic space", "\u{3000}"),
            ("stop", "."),
            ("stops", "..."),
            ("dashes", "- -- ---"),
            ("emoji", "🙂🙂🙂"),
            ("empty again", ""),
            ("dashes again", "- -- ---"),
        ]),
    );
    for method in ["minhash-lsh", "bottom-k", "simhash"] {
        for threshold in ["0.5", "0"] {
            let line = format!("pairs in.jsonl --method {method} --threshold {threshold}");
            assert_eq!(pairs(&folder, &line), [], "{line}");
            let line = format!("{line} --dedup-wordless");
            let expected = [equal("empty", "empty again"), equal("dashes", "dashes again")];
            assert_eq!(pairs(&folder, &line), expected, "{line}");
        }
    }
    let all = folder.text("in.jsonl");
    folder.done("dedup in.jsonl --output kept.jsonl");
    assert_eq!(folder.text("kept.jsonl"), all);
    folder.done("dedup in.jsonl --output kept.jsonl --dedup-wordless");
    assert_eq!(folder.text("kept.jsonl").lines().count(), all.lines().count() - 2);
}

/// A text shorter than a shingle is one feature: it equals the same words, and nothing longer.
#[test]
fn texts_shorter_than_a_shingle() {
    let folder = Folder::new();
    folder.write(
        "in.jsonl",
        planted::rows(&[
            ("a", "hello"),
            ("b", "hello world"),
            ("c", "hello world again"),
            ("d", "world"),
            ("e", "Hello!"),
            ("f", "中"),
            ("g", "中文"),
            ("h", "中文。"),
        ]),
    );
    for method in ["minhash-lsh", "bottom-k"] {
        let found = pairs(&folder, &format!("pairs in.jsonl --method {method}"));
        let found: Vec<(&str, &str)> = found.iter().map(|(left, right, _)| (&**left, &**right)).collect();
        assert_eq!(found, [("a", "e"), ("g", "h")], "{method}");
    }
}

#[test]
fn odd_characters() {
    let folder = Folder::new();
    let rows = [
        r#"{"id":"nul","text":"a text with \u0000 inside and some more words"}"#,
        r#"{"id":"nul again","text":"a text with \u0000 inside and some more words"}"#,
        r#"{"id":"lone high","text":"half a pair \ud83d here and then the text goes on"}"#,
        r#"{"id":"lone low","text":"another half \ude42 there, after which it ends"}"#,
        r#"{"id":"reversed","text":"\ude42\ud83d both halves in the wrong order"}"#,
        r#"{"id":"marks only","text":"\u0301\u0301\u0301"}"#,
        r#"{"id":"right to left","text":"\u202e\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd \u05d8\u05d5\u05d1"}"#,
    ];
    folder.write("in.jsonl", rows.join("\n"));
    let ended = folder.done("dedup in.jsonl --output kept.jsonl --removed removed.jsonl");
    assert!(!ended.stderr.contains("panicked"));
    let removed = table::removed(&folder.text("removed.jsonl"));
    assert_eq!(removed.iter().map(|removal| &*removal.left).collect::<Vec<_>>(), ["nul again"]);
    // Rows that are kept are the bytes that came, odd escapes and the missing last line break
    // included.
    let kept = folder.text("kept.jsonl");
    assert_eq!(kept.lines().count() + removed.len(), rows.len());
    assert!(kept.lines().all(|line| rows.contains(&line)), "{kept}");
}

#[test]
fn a_word_of_ten_megabytes() {
    let folder = Folder::new();
    let word = "abcdefghij".repeat(1 << 20);
    folder.write(
        "in.jsonl",
        planted::rows(&[("a", &word), ("b", &format!("{word}!")), ("c", &format!("x{word}"))]),
    );
    let found = pairs(&folder, "pairs in.jsonl");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&*found[0].0, &*found[0].1), ("a", "b"), "they differ in punctuation only");
}

#[test]
fn html_nested_a_hundred_thousand_deep() {
    let folder = Folder::new();
    let prose = Prose::new(Script::English, 200, &mut Random::new(101));
    let nested = |text: &str| format!("{}{text}{}", "<div>".repeat(100_000), "</div>".repeat(100_000));
    folder.write("pages/a.html", nested(&prose.to_string()));
    folder.write("pages/b.html", format!("<p>{}</p>", prose.edited(50, &mut Random::new(102))));
    folder.write("pages/c.html", "<div>".repeat(100_000));
    let found = pairs(&folder, "pairs pages");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&*found[0].0, &*found[0].1), ("pages/a.html", "pages/b.html"));
}

/// In the profile of the tests; a release build does the same in a second.
const LARGE_DOCUMENT: usize = 100_000_000;

#[test]
fn a_document_of_a_hundred_megabytes_and_its_edited_copy() {
    let folder = Folder::new();
    let random = &mut Random::new(103);
    let mut text = String::with_capacity(LARGE_DOCUMENT + 100);
    while text.len() < LARGE_DOCUMENT {
        write!(text, "{:x} ", random.next() >> 36).unwrap();
    }
    let row = |id: &str, text: &str| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    let mut rows = row("whole", &text);
    let place = text[..LARGE_DOCUMENT / 2].rfind(' ').unwrap();
    text.insert_str(place, " a few words that were not there before");
    rows.push_str(&row("edited", &text));
    drop(text);
    folder.write("in.jsonl", rows);
    let started = Instant::now();
    folder.done("dedup in.jsonl --removed removed.jsonl");
    let removed = table::removed(&folder.text("removed.jsonl"));
    assert_eq!(removed.len(), 1);
    assert_eq!((&*removed[0].left, &*removed[0].right), ("edited", "whole"));
    assert!(removed[0].jaccard > 0.9999 && removed[0].rule != "equal text");
    eprintln!("two documents of {LARGE_DOCUMENT} bytes took {:?}", started.elapsed());
}

/// A site's template with a small change on every page: linear work, one page stays.
#[test]
fn five_thousand_pages_of_one_template() {
    let folder = Folder::new();
    let random = &mut Random::new(104);
    let template = Prose::new(Script::English, 150, random);
    let rows: String = (0..5_000)
        .map(|number| {
            planted::rows(&[(&format!("page {number}"), &format!("{template} {number} {:x}", random.next()))])
        })
        .collect();
    folder.write("in.jsonl", rows);
    let summary = folder.done("dedup in.jsonl --output kept.jsonl --removed removed.jsonl --json").json();
    assert_eq!((&summary["kept"], &summary["removed"]), (&1.into(), &4_999.into()));
    assert!(
        summary["compared"].as_u64().unwrap() < 20 * 5_000,
        "not every page against every other: {summary}"
    );
    assert_eq!(table::field(&folder.text("kept.jsonl"), "id"), ["page 0"]);
    assert!(table::removed(&folder.text("removed.jsonl")).iter().all(|removal| removal.right == "page 0"));
}

#[test]
fn fifty_thousand_equal_lines() {
    let folder = Folder::new();
    folder.write("in.txt", "404 page not found\n".repeat(50_000));
    let started = Instant::now();
    let summary =
        folder.done("dedup in.txt --format lines --output kept.txt --removed removed.tsv --json").json();
    assert_eq!((&summary["kept"], &summary["removed"]), (&1.into(), &49_999.into()));
    assert_eq!(folder.text("kept.txt"), "404 page not found\n");
    let removed = folder.text("removed.tsv");
    assert!(removed.lines().skip(1).all(|line| line.split('\t').nth(1) == Some("in.txt:1")));
    // Quadratic work would take minutes.
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn empty_collections() {
    let folder = Folder::new();
    folder.write("in.jsonl", "");
    folder.done("dedup in.jsonl --output kept.jsonl --removed removed.jsonl --clusters clusters.jsonl");
    assert_eq!((folder.text("kept.jsonl"), folder.text("removed.jsonl")), (String::new(), String::new()));
    assert_eq!(folder.done("pairs in.jsonl").stdout.lines().count(), 1, "the header alone");
    folder.write("one.jsonl", planted::rows(&[("a", "alone")]));
    folder.done("dedup one.jsonl --against in.jsonl --output kept.jsonl");
    assert_eq!(folder.text("kept.jsonl"), folder.text("one.jsonl"));
}
