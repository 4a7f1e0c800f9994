//! What a removal may lose.

use crate::folder::Folder;
use crate::prose::{Prose, Script};
use crate::random::Random;
use crate::{planted, table};

const COPIES: usize = 5_000;

/// Rows with ids in their order.
fn rows(texts: impl Iterator<Item = String>) -> String {
    texts.enumerate().map(|(number, text)| planted::rows(&[(&format!("d{number:05}"), &text)])).collect()
}

/// Frames are smaller than what may be lost, the article is not.
#[test]
fn copies_of_an_article_in_different_frames_go() {
    let random = &mut Random::new(221);
    let article = Prose::new(Script::English, 800, random);
    let framed = |_| {
        let [head, foot] = [20, 20].map(|words| Prose::new(Script::English, words, random));
        format!("{head} {article} {foot}")
    };
    let folder = Folder::new();
    folder.write("in.jsonl", rows((0..COPIES).map(framed)));
    let summary = folder.done("dedup in.jsonl --removed removed.jsonl --json").json();
    assert_eq!((&summary["kept"], &summary["removed"]), (&1.into(), &(COPIES - 1).into()));
    assert!(summary["coverage"]["least"].as_f64().unwrap() >= 0.9, "{summary}");
    assert_eq!(summary["kept_by_coverage"], 0);
}

/// The licence is most of each text, and what is left is more than may be lost.
#[test]
fn texts_under_one_licence_stay() {
    let random = &mut Random::new(222);
    let licence = Prose::new(Script::English, 400, random);
    let text = |_| format!("{licence} {}", Prose::new(Script::English, 100, random));
    let folder = Folder::new();
    folder.write("in.jsonl", rows((0..COPIES).map(text)));
    let summary = folder.done("dedup in.jsonl --json").json();
    assert_eq!((&summary["kept"], &summary["removed"]), (&COPIES.into(), &0.into()));
    assert_eq!(summary["kept_by_coverage"], COPIES - 1, "all but the first are near-duplicates of another");
    assert!(summary["compared"].as_u64().unwrap() < 100 * COPIES as u64, "not all with all: {summary}");
}

/// B is A and nearly as much text of its own, which is more than may be lost of any document.
#[test]
fn a_text_does_not_go_for_a_part_of_it() {
    let random = &mut Random::new(223);
    let folder = Folder::new();
    let pairs = (0..100).flat_map(|_| {
        let part = Prose::new(Script::English, 200, random);
        let own = Prose::new(Script::English, 180, random);
        [part.to_string(), format!("{part} {own}")]
    });
    folder.write("in.jsonl", rows(pairs.collect::<Vec<_>>().into_iter()));
    for (coverage, keep) in [("", "first"), ("--coverage 0.5", "first"), ("", "shortest")] {
        folder.done(&format!("dedup in.jsonl {coverage} --keep {keep} --removed removed.jsonl"));
        let removed = table::removed(&folder.text("removed.jsonl"));
        // Parts, which have even numbers, go for their wholes.
        let goes_for_whole = |removal: &table::Scored| {
            let number = |id: &str| id[1..].parse::<usize>().unwrap();
            number(&removal.left) % 2 == 0 && number(&removal.right) == number(&removal.left) + 1
        };
        assert!(
            removed.len() == 100 && removed.iter().all(goes_for_whole),
            "{coverage} {keep} {}",
            removed.len()
        );
    }
}

#[test]
fn texts_that_differ_in_symbols_alone_both_stay() {
    let folder = Folder::new();
    let texts = [
        "I write C++ all day long",
        "I write C# all day long",
        "so good \u{1F44D}",
        "so good \u{1F44E}",
        "x = a + b",
        "x = a - b",
    ];
    folder.write("in.jsonl", rows(texts.iter().map(|text| (*text).to_owned())));
    assert_eq!(folder.done("dedup in.jsonl --json").json()["removed"], 0);
    let pairs = table::pairs(&folder.done("pairs in.jsonl").stdout);
    assert_eq!(pairs.len(), 3);
    assert!(pairs.iter().all(|pair| pair.rule == "jaccard 1 >= 0.5"), "{pairs:?}");
}

/// Parts of a hundred words, each in a text that is up to fifty times as long.
#[test]
fn parts_of_much_longer_texts_are_found() {
    let random = &mut Random::new(224);
    const PARTS: usize = 200;
    let mut texts = vec![];
    for number in 0..PARTS {
        let whole = Prose::new(Script::English, 500 + 4_500 * number / PARTS, random);
        let start = random.below(whole.units.len() - 100);
        texts.push(whole.units[start..start + 100].join(" "));
        texts.push(whole.to_string());
    }
    let folder = Folder::new();
    folder.write("in.jsonl", rows(texts.into_iter()));
    let pairs = table::pairs(&folder.done("pairs in.jsonl --recipe reuse").stdout);
    assert!(pairs.len() >= PARTS * 95 / 100 && pairs.len() <= PARTS, "{}", pairs.len());
    let summary = folder.done("dedup in.jsonl --recipe reuse --removed removed.jsonl --json").json();
    assert_eq!(summary["removed"], pairs.len(), "each part goes for its whole, which comes later");
    // The search is not made for it: refused, with what is.
    folder.write("wrong.toml", "[rule]\nmeasure = \"containment\"\n");
    folder.fails("pairs in.jsonl --recipe wrong.toml", 1, &["containment", "sampled"]);
}
