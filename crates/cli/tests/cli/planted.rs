//! Collections whose duplicates are known: planted exact copies, near copies and rivals that are
//! neither.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::prose::{Prose, Script};
use crate::random::Random;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Document {
    pub(crate) id: String,
    pub(crate) text: String,
    /// Documents of one family are duplicates of each other; of two families, never.
    pub(crate) family: usize,
    pub(crate) date: String,
    pub(crate) score: i64,
}

/// One unit in `EDIT` differs between an original and its near copy: a Jaccard of about 0.86.
const EDIT: usize = 40;

/// A collection that grows from `originals` originals, in an order that has nothing to do with its
/// families.
pub(crate) fn collection(seed: u64, originals: usize) -> Vec<Document> {
    let mut random = Random::new(seed);
    let mut documents = vec![];
    let mut family = 0;
    let mut add = |prose: &Prose, family: usize, random: &mut Random| {
        let date =
            format!("20{:02}-{:02}-{:02}", random.below(25), 1 + random.below(12), 1 + random.below(28));
        let score = random.below(2_000) as i64 - 1_000;
        documents.push(Document { id: String::new(), text: prose.to_string(), family, date, score });
    };
    for _ in 0..originals {
        let script = if random.one_in(4) { Script::Chinese } else { Script::English };
        let length = 80 + random.below(150);
        let original = Prose::new(script, length, &mut random);
        add(&original, family, &mut random);
        if random.one_in(4) {
            for _ in 0..1 + random.below(3) {
                let copy = original.edited(EDIT, &mut random);
                add(&copy, family, &mut random);
                if random.one_in(3) {
                    add(&copy, family, &mut random);
                }
            }
        }
        if random.one_in(8) {
            add(&original, family, &mut random);
        }
        family += 1;
        if random.one_in(8) {
            let rival = original.rival(&mut random);
            add(&rival, family, &mut random);
            family += 1;
        }
    }
    random.shuffle(&mut documents);
    for (number, document) in documents.iter_mut().enumerate() {
        document.id = format!("d{number:05}");
    }
    documents
}

/// Every pair of duplicates by the numbers of its documents, sorted, the earlier one first.
pub(crate) fn pairs(documents: &[Document]) -> Vec<(usize, usize)> {
    let mut families: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, document) in documents.iter().enumerate() {
        families.entry(document.family).or_default().push(number);
    }
    let mut pairs = vec![];
    for members in families.values() {
        for (position, &right) in members.iter().enumerate() {
            pairs.extend(members[..position].iter().map(|&left| (left, right)));
        }
    }
    pairs.sort_unstable();
    pairs
}

pub(crate) fn jsonl(documents: &[Document]) -> String {
    let mut lines = String::new();
    for document in documents {
        let row = serde_json::json!({
            "id": document.id, "text": document.text, "date": document.date, "score": document.score,
        });
        writeln!(lines, "{row}").unwrap();
    }
    lines
}

/// Rows with an id and a text.
pub(crate) fn rows(rows: &[(&str, &str)]) -> String {
    let line = |(id, text): &(&str, &str)| format!("{}\n", serde_json::json!({ "id": id, "text": text }));
    rows.iter().map(line).collect()
}

#[test]
fn planted_pairs_are_alike_and_all_others_are_not() {
    let documents = collection(7, 80);
    let planted = pairs(&documents);
    assert!(planted.len() > 40, "{}", planted.len());
    for (right, b) in documents.iter().enumerate() {
        for (left, a) in documents[..right].iter().enumerate() {
            let alike = crate::jaccard::of(&a.text, &b.text);
            let is_planted = planted.binary_search(&(left, right)).is_ok();
            assert!(if is_planted { alike > 0.6 } else { alike < 0.4 }, "{} {}: {alike}", a.id, b.id);
        }
    }
}
