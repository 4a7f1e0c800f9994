//! Documents that share paragraphs: found with the places on both sides, and both containments.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use twindex_core::hash::mix;
use twindex_core::{Markup, Recipe};
use twindex_index::{
    AddOptions, DecidedBy, Evidence, Index, NewDocument, OpenOptions, Outcome, Query, Settings, Timestamp,
};

const NOW: Timestamp = Timestamp(1_000);

fn paragraph(seed: u64) -> String {
    (0..30).map(|place| format!("{:08x}", mix(seed * 100 + place) as u32)).collect::<Vec<_>>().join(" ")
}

fn index(folder: &std::path::Path, evidence: Evidence) -> Index {
    let settings =
        Settings { evidence, paragraphs: true, ..Settings::new(Recipe::preset("simhash").unwrap()) };
    Index::create(folder, &settings).unwrap();
    Index::open(folder, OpenOptions { buffer: 4, ..OpenOptions::default() }).unwrap()
}

#[test]
fn a_shared_paragraph_is_found_on_both_sides() {
    for (evidence, decided) in [
        (Evidence::Text, DecidedBy::Text),
        (Evidence::Features, DecidedBy::Features),
        (Evidence::Sketch, DecidedBy::Sketch),
        (Evidence::None, DecidedBy::Fingerprint),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let index = index(folder.path(), evidence);
        let (shared, own) = (paragraph(1), paragraph(2));
        let stored = format!("A heading\n\n{own}\n\n{shared}");
        let page = format!("<h1>Title</h1><p>{shared}</p><p>{}</p><p>{}</p>", paragraph(3), paragraph(4));
        let documents = [NewDocument::new("a", &stored), NewDocument::new("b", paragraph(9))];
        index.add(&documents, AddOptions::default(), NOW).unwrap();
        let query = Query { markup: Markup::Html, ..Query::new(&page) };
        for _ in 0..2 {
            let answer = index.check(&query, NOW).unwrap();
            assert_eq!(answer.matches.len(), 1, "{evidence:?}: {answer:?}");
            let found = &answer.matches[0];
            assert_eq!((found.id.as_str(), found.whole, found.evidence), ("a", false, decided));
            assert_eq!(found.paragraphs.len(), 1);
            let both = found.paragraphs[0];
            assert_eq!(both.right.of(&stored), shared);
            assert_eq!((both.left.end - both.left.start) as usize, shared.len());
            assert_eq!(both.distance, 0);
            if let Some(scores) = found.scores {
                // One of two paragraphs, and one of three.
                assert!((0.4..0.6).contains(&scores.containment_right), "{scores:?}");
                assert!((0.25..0.4).contains(&scores.containment_left), "{scores:?}");
                assert_eq!(both.scores.unwrap().jaccard, 1.0);
            }
            index.compact().unwrap();
        }
        assert!(index.remove("a").unwrap());
        assert!(index.check(&query, NOW).unwrap().matches.is_empty());
        index.compact().unwrap();
        assert!(index.check(&query, NOW).unwrap().matches.is_empty());
        assert!(index.verify().unwrap().is_whole());
    }
}

/// Many documents, sealed and merged and opened again: every paragraph still leads to its document.
#[test]
fn paragraphs_survive_segments() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path(), Evidence::Text);
    let text = |id: u64| format!("{}\n\n{}", paragraph(100 + id), paragraph(200 + id));
    for id in 0..40 {
        index.add(&[NewDocument::new(id.to_string(), text(id))], AddOptions::default(), NOW).unwrap();
        index.settle().unwrap();
    }
    for id in (0..40).step_by(3) {
        index.remove(&id.to_string()).unwrap();
    }
    index.settle().unwrap();
    drop(index);
    let index = Index::open(folder.path(), OpenOptions { buffer: 4, ..OpenOptions::default() }).unwrap();
    for id in 0..40 {
        let answer = index.check(&Query::new(&format!("{}\n\n{}", paragraph(200 + id), paragraph(7))), NOW);
        let ids: Vec<String> = answer.unwrap().matches.into_iter().map(|found| found.id).collect();
        let expected = if id % 3 == 0 { vec![] } else { vec![id.to_string()] };
        assert_eq!(ids, expected);
    }
    assert!(index.verify().unwrap().is_whole());
}

/// Two pages of hundreds of like items share more pairs of paragraphs than anybody reads: the
/// answer has some of each.
#[test]
fn lists_of_paragraphs_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path(), Evidence::Sketch);
    let item = paragraph(1);
    let page = |items: usize| vec![item.as_str(); items].join("\n\n");
    let documents: Vec<NewDocument> =
        (0..12).map(|number| NewDocument::new(format!("page {number}"), page(60 + number))).collect();
    index
        .add(&documents, AddOptions { only_unseen: false, matches: 0, ..AddOptions::default() }, NOW)
        .unwrap();
    let text = page(300);
    let answer = index.check(&Query { limit: 20, ..Query::new(&text) }, NOW).unwrap();
    assert!(answer.more, "something was left out");
    assert_eq!(answer.matches.len(), 12);
    let listed: Vec<usize> = answer.matches.iter().map(|found| found.paragraphs.len()).collect();
    assert!(listed.iter().all(|&pairs| pairs <= 1_000), "{listed:?}");
    assert!(listed[0] >= 300, "one of each item at least: {listed:?}");
    assert!(listed.iter().sum::<usize>() <= 10_012, "{listed:?}");
}

/// A shared paragraph is reported, but makes no duplicate: pages of one template are not left out.
#[test]
fn what_shares_a_paragraph_is_unseen() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path(), Evidence::Text);
    let page = |own: u64| format!("{}\n\n{}\n\n{}", paragraph(1), paragraph(own), paragraph(own + 1));
    let options = AddOptions { only_unseen: true, matches: 1, ..AddOptions::default() };
    let add =
        |id: &str, text: String| index.add(&[NewDocument::new(id, text)], options, NOW).unwrap().remove(0);
    for number in 0..4 {
        let verdict = add(&format!("page {number}"), page(10 + 2 * number));
        assert_eq!(verdict.outcome, Outcome::Added, "{number}: {verdict:?}");
        assert_eq!(verdict.answer.matches.len(), usize::from(number > 0));
    }
    let copy = add("copy", page(14));
    assert_eq!((copy.outcome, copy.answer.matches[0].id.as_str()), (Outcome::Seen, "page 2"));
    assert_eq!((copy.answer.matches.len(), copy.answer.more), (1, true));
}
