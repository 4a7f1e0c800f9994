//! The life of a document: added, found, replaced, renewed, expired, removed, and there again after
//! the index was closed.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;

use twindex_core::Recipe;
use twindex_core::fingerprint::Simhash;
use twindex_index::{
    AddOptions, DecidedBy, ErrorKind, Evidence, Imported, Index, NewDocument, OpenOptions, Outcome, Query,
    Search, Seconds, Settings, Timestamp,
};

const NOW: Timestamp = Timestamp(1_000_000);
const TEXT: &str =
    "The harbour was closed on Tuesday because the ice had reached the outer lights, and no ship left.";
const NEAR: &str =
    "The harbour was closed on Tuesday because the ice had reached the outer lights, and no ship left";
const OTHER: &str = "A committee of three will read every proposal before the spring and answer in writing.";

fn settings() -> Settings {
    Settings::new(Recipe::preset("simhash").unwrap())
}

fn make(path: &Path, settings: &Settings) -> Index {
    Index::create(path, settings).unwrap();
    open(path)
}

fn open(path: &Path) -> Index {
    Index::open(path, OpenOptions::default()).unwrap()
}

fn add(index: &Index, id: &str, text: &str, now: Timestamp) -> Outcome {
    index.add(&[NewDocument::new(id, text)], AddOptions::default(), now).unwrap()[0].outcome
}

fn found(index: &Index, text: &str, now: Timestamp) -> Vec<String> {
    let answer = index.check(&Query::new(text), now).unwrap();
    answer.matches.into_iter().map(|found| found.id).collect()
}

#[test]
fn what_is_added_is_found_now_and_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let index = make(folder.path(), &settings());
    assert_eq!(add(&index, "a", TEXT, NOW), Outcome::Added);
    assert_eq!(add(&index, "b", OTHER, NOW), Outcome::Added);
    assert_eq!(add(&index, "c", "!", NOW), Outcome::Added);
    assert_eq!(found(&index, NEAR, NOW), ["a"]);
    drop(index);
    let index = open(folder.path());
    assert_eq!(found(&index, NEAR, NOW), ["a"]);
    assert_eq!(found(&index, "!", NOW), [""; 0], "a text without words matches nothing, not even its equal");
    assert_eq!(found(&index, "?", NOW), [""; 0]);
    assert_eq!(index.get("b", NOW).unwrap().unwrap().text.unwrap(), OTHER);
    assert_eq!(index.stats().unwrap().documents, 3);
    assert_eq!(index.verify().unwrap().documents, 3);
}

#[test]
fn adding_is_idempotent_and_another_text_replaces() {
    let folder = tempfile::tempdir().unwrap();
    let index = make(folder.path(), &settings());
    assert_eq!(add(&index, "a", TEXT, NOW), Outcome::Added);
    assert_eq!(add(&index, "a", TEXT, NOW), Outcome::Unchanged);
    assert_eq!(index.stats().unwrap().documents, 1);
    assert_eq!(add(&index, "a", OTHER, NOW), Outcome::Replaced);
    assert_eq!(found(&index, TEXT, NOW), [""; 0]);
    assert_eq!(found(&index, OTHER, NOW), ["a"]);
}

#[test]
fn a_batch_sees_itself_and_can_leave_out_what_was_seen() {
    let folder = tempfile::tempdir().unwrap();
    let index = make(folder.path(), &settings());
    let batch = [NewDocument::new("a", TEXT), NewDocument::new("b", NEAR), NewDocument::new("c", OTHER)];
    let options = AddOptions { only_unseen: true, ..AddOptions::default() };
    let verdicts = index.add(&batch, options, NOW).unwrap();
    let outcomes: Vec<Outcome> = verdicts.iter().map(|verdict| verdict.outcome).collect();
    assert_eq!(outcomes, [Outcome::Added, Outcome::Seen, Outcome::Added]);
    assert_eq!(verdicts[1].answer.matches[0].id, "a");
}

#[test]
fn what_expires_stops_matching_at_once_and_can_be_renewed_before() {
    let folder = tempfile::tempdir().unwrap();
    let index = make(folder.path(), &Settings { ttl: Some(Seconds(100)), ..settings() });
    add(&index, "a", TEXT, NOW);
    let (before, then) = (Timestamp(NOW.0 + 99), Timestamp(NOW.0 + 100));
    assert_eq!(found(&index, TEXT, before), ["a"]);
    assert_eq!(found(&index, TEXT, then), [""; 0]);
    assert!(index.get("a", then).unwrap().is_none());
    assert!(!index.renew("a", Some(Timestamp(NOW.0 + 900)), then).unwrap(), "too late");
    assert!(index.renew("a", Some(Timestamp(NOW.0 + 200)), before).unwrap());
    assert_eq!(found(&index, TEXT, then), ["a"]);
    assert_eq!(index.expire(then).unwrap(), 0);
    assert_eq!(index.expire(Timestamp(NOW.0 + 200)).unwrap(), 1);
    assert_eq!(index.stats().unwrap().documents, 0);
}

#[test]
fn what_is_seen_again_stays() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { ttl: Some(Seconds(100)), renew_on_sight: true, ..settings() };
    let index = make(folder.path(), &settings);
    add(&index, "a", TEXT, NOW);
    add(&index, "b", NEAR, Timestamp(NOW.0 + 50));
    assert_eq!(found(&index, TEXT, Timestamp(NOW.0 + 149)), ["a", "b"]);
    assert_eq!(found(&index, TEXT, Timestamp(NOW.0 + 150)), [""; 0]);
}

/// What is added again with a time to live of its own has that from then on, longer or shorter.
#[test]
fn adding_again_sets_the_expiry() {
    let folder = tempfile::tempdir().unwrap();
    let index = make(folder.path(), &settings());
    let add_for = |seconds: u64, now: Timestamp| {
        let document = NewDocument { ttl: Some(Seconds(seconds)), ..NewDocument::new("a", TEXT) };
        index.add(&[document], AddOptions::default(), now).unwrap()[0].outcome
    };
    assert_eq!(add_for(10, NOW), Outcome::Added);
    assert_eq!(add_for(100, NOW), Outcome::Unchanged);
    assert_eq!(index.get("a", NOW).unwrap().unwrap().expires, Some(Timestamp(NOW.0 + 100)));
    assert_eq!(add(&index, "a", TEXT, NOW), Outcome::Unchanged, "without a word about it");
    assert_eq!(index.get("a", NOW).unwrap().unwrap().expires, Some(Timestamp(NOW.0 + 100)));
    assert_eq!(add_for(20, NOW), Outcome::Unchanged);
    assert_eq!(found(&index, TEXT, Timestamp(NOW.0 + 20)), [""; 0]);
}

/// A window that moves with every sighting needs no time to live of the index.
#[test]
fn what_is_seen_again_stays_as_long_as_what_it_was_seen_by() {
    let folder = tempfile::tempdir().unwrap();
    let index = make(folder.path(), &Settings { renew_on_sight: true, ..settings() });
    let pass = |id: &str, text: &str, second: u64| {
        let document = NewDocument { ttl: Some(Seconds(4)), ..NewDocument::new(id, text) };
        let options = AddOptions { only_unseen: true, matches: 1, ..AddOptions::default() };
        index.add(&[document], options, Timestamp(NOW.0 + second)).unwrap()[0].outcome
    };
    assert_eq!(pass("a", TEXT, 0), Outcome::Added);
    assert_eq!(pass("b", NEAR, 3), Outcome::Seen);
    assert_eq!(pass("c", TEXT, 6), Outcome::Seen, "seen three seconds before");
    assert_eq!(pass("d", TEXT, 10), Outcome::Added);
}

#[test]
fn what_is_removed_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let index = make(folder.path(), &settings());
    add(&index, "a", TEXT, NOW);
    assert!(index.remove("a").unwrap());
    assert!(!index.remove("a").unwrap());
    assert_eq!(found(&index, TEXT, NOW), [""; 0]);
    assert_eq!(add(&index, "a", TEXT, NOW), Outcome::Added);
    assert_eq!(found(&index, TEXT, NOW), ["a"]);
}

#[test]
fn answers_say_what_decided() {
    for (evidence, near, equal) in [
        (Evidence::Text, DecidedBy::Text, DecidedBy::Text),
        (Evidence::Features, DecidedBy::Features, DecidedBy::ContentHash),
        (Evidence::Sketch, DecidedBy::Sketch, DecidedBy::ContentHash),
        (Evidence::None, DecidedBy::Fingerprint, DecidedBy::ContentHash),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let index = make(folder.path(), &Settings { evidence, ..settings() });
        add(&index, "a", TEXT, NOW);
        for (text, decided) in [(TEXT, equal), (NEAR, near)] {
            let answer = index.check(&Query::new(text), NOW).unwrap();
            let found = &answer.matches[0];
            assert_eq!((found.evidence, found.verified), (decided, decided != DecidedBy::Fingerprint));
            let jaccard = found.scores.map(|scores| scores.jaccard);
            assert_eq!(jaccard, (decided != DecidedBy::Fingerprint).then_some(1.0), "the same words");
        }
    }
}

#[test]
fn imported_fingerprints_match_unverified() {
    let folder = tempfile::tempdir().unwrap();
    let index = make(folder.path(), &settings());
    let fingerprint = index.check(&Query::new(TEXT), NOW).unwrap().fingerprint.unwrap();
    let fingerprint = Simhash(u64::from_str_radix(&fingerprint, 16).unwrap() ^ 0b101);
    let imported = |id: &str, expires| Imported { id: id.to_owned(), fingerprint, expires };
    let documents = [imported("a", None), imported("b", Some(NOW)), imported("a", None)];
    assert_eq!(index.import(documents).unwrap(), 3);
    let answer = index.check(&Query::new(TEXT), NOW).unwrap();
    assert_eq!(answer.matches.len(), 1);
    assert_eq!((answer.matches[0].id.as_str(), answer.matches[0].distance), ("a", Some(2)));
    assert!(!answer.matches[0].verified);
}

#[test]
fn a_limit_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let index = make(folder.path(), &settings());
    let copies: Vec<NewDocument> = (0..5).map(|number| NewDocument::new(format!("{number}"), TEXT)).collect();
    index.add(&copies, AddOptions::default(), NOW).unwrap();
    let answer = |limit| index.check(&Query { limit, ..Query::new(TEXT) }, NOW).unwrap();
    assert_eq!((answer(5).matches.len(), answer(5).more), (5, false));
    assert_eq!((answer(3).matches.len(), answer(3).more), (3, true));
    let ids: Vec<String> = answer(3).matches.into_iter().map(|found| found.id).collect();
    assert_eq!(ids, ["0", "1", "2"], "the oldest first");
}

#[test]
fn errors_have_kinds() {
    let folder = tempfile::tempdir().unwrap();
    let kind = |path: &Path| Index::open(path, OpenOptions::default()).unwrap_err().kind();
    assert_eq!(kind(folder.path()), ErrorKind::NotFound);
    let index = make(folder.path(), &settings());
    assert_eq!(kind(folder.path()), ErrorKind::Locked);
    assert_eq!(Index::create(folder.path(), &settings()).unwrap_err().kind(), ErrorKind::Invalid);
    for bad in [NewDocument::new("", TEXT), NewDocument::new("x".repeat(2_000), TEXT)] {
        let error = index.add(&[NewDocument::new("a", TEXT), bad], AddOptions::default(), NOW).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.to_string().contains("document 1"), "{error}");
    }
    assert_eq!(index.stats().unwrap().documents, 0, "all or nothing");
    let endless = Settings { ttl: Some(Seconds(0)), ..settings() };
    assert_eq!(Index::create(&folder.path().join("b"), &endless).unwrap_err().kind(), ErrorKind::Invalid);
}

#[test]
fn many_threads_add_and_all_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let index = make(folder.path(), &settings());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let index = &index;
            scope.spawn(move || {
                for number in 0..10 {
                    add(index, &format!("{thread}-{number}"), &format!("{TEXT} {thread} {number}"), NOW);
                }
            });
        }
    });
    assert_eq!(index.stats().unwrap().documents, 40);
    assert_eq!(index.verify().unwrap().evidence, 40);
}

/// Less memory is a choice of every opening, and answers say what it costs.
#[test]
fn probabilistic_search_says_so_and_is_undone_by_the_next_opening() {
    let folder = tempfile::tempdir().unwrap();
    Index::create(folder.path(), &settings()).unwrap();
    let text = |number: u32| {
        let word = |place: u32| format!("w{}", (number * 7919 + place * 104_729) % 50_000);
        (0..60).map(word).collect::<Vec<_>>().join(" ")
    };
    let documents: Vec<NewDocument> =
        (0..200).map(|number| NewDocument::new(number.to_string(), text(number))).collect();
    let mut memory = vec![];
    for search in [Search::Psm, Search::Exact] {
        let options = OpenOptions { buffer: 16, search, ..OpenOptions::default() };
        let index = Index::open(folder.path(), options).unwrap();
        index.add(&documents, AddOptions::default(), NOW).unwrap();
        index.settle().unwrap();
        let stats = index.stats().unwrap();
        assert_eq!(
            (stats.search, stats.share_of_candidates, stats.buffered),
            (search, search.share_of_candidates(), 0)
        );
        memory.push(stats.memory_bytes);
        for number in 0..200 {
            let answer = index.check(&Query::new(&text(number)), NOW).unwrap();
            assert_eq!(answer.matches[0].id, number.to_string());
            assert_eq!(answer.share_of_candidates, search.share_of_candidates());
        }
    }
    assert!(memory[0] < memory[1] && Search::Psm.share_of_candidates() < 1.0, "{memory:?}");
}

/// Story: a short post whose every three words thousands of other posts have. Pages end, each match
/// is on one of them, and a copy is seen although all those posts are older than the first one.
#[test]
fn a_text_of_common_parts_has_pages_that_end_and_is_seen() {
    const COMMON: &str = "see the whole picture there";
    const OLDER: usize = 5_000;
    let folder = tempfile::tempdir().unwrap();
    let index = make(folder.path(), &Settings::new(Recipe::default()));
    let words = |number: usize| (0..12).map(move |word| format!("w{}", number * 12 + word));
    let post = |number: usize| format!("{COMMON} {}", words(number).collect::<Vec<_>>().join(" "));
    let posts: Vec<_> = (0..OLDER).map(|it| NewDocument::new(it.to_string(), post(it))).collect();
    let unsearched = AddOptions { matches: 0, ..AddOptions::default() };
    index.add(&posts, unsearched, NOW).unwrap();
    index.add(&[NewDocument::new("copy", COMMON)], unsearched, NOW).unwrap();

    let mut query = Query::new(COMMON);
    let mut listed = vec![];
    for page in 1.. {
        assert!(page < 5, "pages without end");
        let answer = index.check(&query, NOW).unwrap();
        assert_eq!(answer.seen, Some(true), "page {page}");
        listed.extend(answer.matches.into_iter().map(|found| found.id));
        assert_eq!(answer.more, answer.next.is_some());
        let Some(next) = answer.next else { break };
        query.after = Some(next);
    }
    assert_eq!(listed, ["copy"]);

    let only_unseen = AddOptions { only_unseen: true, matches: 1, ..AddOptions::default() };
    let again = index.add(&[NewDocument::new("again", COMMON)], only_unseen, NOW).unwrap();
    assert_eq!((again[0].outcome, again[0].answer.matches[0].id.as_str()), (Outcome::Seen, "copy"));
}
