//! An index of every format that this version reads, as it was written then.
//!
//! `TWINDEX_WRITE_GOLDEN=1 cargo test -p twindex-index --test golden` writes that of this version,
//! when the format changes.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

use twindex_core::Recipe;
use twindex_index::{
    AddOptions, Evidence, Index, NewDocument, OpenOptions, Query, Seconds, Settings, Timestamp,
};

const NOW: Timestamp = Timestamp(1_700_000_000);
const HARBOUR: &str =
    "The harbour was closed on Tuesday because the ice had reached the outer lights, and no ship left.";
const ORCHARD: &str =
    "果园里的苹果树今年开花比往年早了两个星期，老人们说这样的春天他们只见过三次，收成大概不会好。";

/// With the method of its search in place of METHOD.
const RECIPE: &str = r#"
name = "golden"
about = "Near-duplicates in any language, short or long: half of the three-word shingles in common"
method = "METHOD"
[feature]
hash = "xxh3"
[rule]
measure = "jaccard"
"#;

/// The formats, and a method whose index has each.
const FORMATS: [(&str, &str); 2] = [("format-1", "simhash"), (NEWEST, "minhash-lsh")];
const NEWEST: &str = "format-2";

fn golden(format: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format)
}

fn settings(method: &str) -> Settings {
    // Spelt out: a preset may change, and a file that exists does not.
    let recipe = Recipe::from_toml(&RECIPE.replace("METHOD", method)).unwrap();
    let evidence = Evidence::Text;
    Settings { evidence, ttl: Some(Seconds(1_000_000)), paragraphs: true, ..Settings::new(recipe) }
}

/// Every file of the folder, packed: most of a small store is empty.
fn pack(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    for name in names(from) {
        let packed = zstd::bulk::compress(&fs::read(from.join(&name)).unwrap(), 19).unwrap();
        let path = to.join(format!("{name}.zst"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, packed).unwrap();
    }
}

fn unpack(from: &Path, to: &Path) {
    for name in names(from) {
        let bytes = zstd::stream::decode_all(fs::File::open(from.join(&name)).unwrap()).unwrap();
        let path = to.join(name.strip_suffix(".zst").unwrap());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names = vec![];
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.path().is_dir() {
            names.extend(self::names(&entry.path()).into_iter().map(|below| format!("{name}/{below}")));
        } else {
            names.push(name);
        }
    }
    names.sort();
    names
}

fn write_golden(format: &str, method: &str) {
    let folder = tempfile::tempdir().unwrap();
    Index::create(folder.path(), &settings(method)).unwrap();
    let index = Index::open(folder.path(), OpenOptions { buffer: 2, ..OpenOptions::default() }).unwrap();
    for (id, text) in [("harbour", HARBOUR), ("orchard", ORCHARD), ("signs", "!?"), ("gone", "soon removed")]
    {
        index.add(&[NewDocument::new(id, text)], AddOptions::default(), NOW).unwrap();
    }
    index.settle().unwrap();
    index.remove("gone").unwrap();
    drop(index);
    pack(folder.path(), &golden(format));
}

#[test]
fn an_index_of_every_format_opens_and_answers() {
    for (format, method) in FORMATS {
        if format == NEWEST && std::env::var_os("TWINDEX_WRITE_GOLDEN").is_some() {
            write_golden(format, method);
        }
        opens_and_answers(format, method);
    }
}

fn opens_and_answers(format: &str, method: &str) {
    let folder = tempfile::tempdir().unwrap();
    unpack(&golden(format), folder.path());
    let index = Index::open(folder.path(), OpenOptions { buffer: 2, ..OpenOptions::default() }).unwrap();
    assert_eq!(*index.settings(), settings(method));
    let found = |text: &str, now| -> Vec<String> {
        let answer = index.check(&Query::new(text), now).unwrap();
        answer.matches.into_iter().map(|found| found.id).collect()
    };
    assert_eq!(found(&HARBOUR.replace("Tuesday", "Tuesday,"), NOW), ["harbour"]);
    assert_eq!(found(ORCHARD, NOW), ["orchard"]);
    // A text without words is stored as it was, and matches nothing.
    assert_eq!(found("!?", NOW), [""; 0]);
    assert_eq!(index.get("signs", NOW).unwrap().unwrap().text.as_deref(), Some("!?"));
    assert_eq!(found("soon removed", NOW), [""; 0]);
    assert_eq!(found(ORCHARD, Timestamp(NOW.0 + 1_000_000)), [""; 0]);
    assert_eq!(index.get("harbour", NOW).unwrap().unwrap().text.as_deref(), Some(HARBOUR));
    let verified = index.verify().unwrap();
    assert!(verified.is_whole() && verified.segments > 0, "{format}: {verified:?}");
}
