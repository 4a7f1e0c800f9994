//! A service that is killed at any moment has every document that it acknowledged, and none that it
//! removed.
//!
//! Story of a round: clients add documents one by one and in batches, and remove some of them; in
//! the middle of it the process gets SIGKILL. A new process opens the same folder. Whatever was
//! acknowledged must be as it was said; a request without an answer may have happened or not, but
//! not half.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;

use crate::folder::Folder;
use crate::random::Random;
use crate::serving::Serving;

/// Rounds that are run; this variable asks for more.
const ROUNDS: &str = "TWINDEX_TEST_CRASH_ROUNDS";
const USUAL_ROUNDS: usize = 8;

/// What must be true of a document after the next start.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Promise {
    Present,
    Absent,
    /// A change of it was under way.
    Either,
}

type Promises = Arc<Mutex<BTreeMap<String, Promise>>>;

fn text(id: &str) -> String {
    format!("document {id} tells a story of its own with words such as {id}a {id}b {id}c and {id}d")
}

/// Adds and removes until the service is gone.
fn work(service: &Serving, client: usize, round: usize, promises: &Promises) {
    let promise = |id: &str, promise: Promise| promises.lock().unwrap().insert(id.to_owned(), promise);
    for number in 0.. {
        let ids: Vec<String> =
            (0..1 + number % 3 * 4).map(|part| format!("{round}-{client}-{number}-{part}")).collect();
        ids.iter().for_each(|id| _ = promise(id, Promise::Either));
        let documents: Vec<_> = ids.iter().map(|id| json!({"id": id, "text": text(id)})).collect();
        let answer = match documents.as_slice() {
            [one] => service.ask("POST", "/v1/documents", Some(one)),
            many => service.ask("POST", "/v1/documents/batch", Some(&json!({"documents": many}))),
        };
        let Some((status, answer)) = answer else { return };
        assert!(status == 200 || status == 201, "{status} {answer}");
        ids.iter().for_each(|id| _ = promise(id, Promise::Present));
        if number % 4 == 0 {
            promise(&ids[0], Promise::Either);
            let Some((status, answer)) = service.ask("DELETE", &format!("/v1/documents/{}", ids[0]), None)
            else {
                return;
            };
            assert_eq!(status, 204, "{answer}");
            promise(&ids[0], Promise::Absent);
        }
    }
}

/// An index by keys, and one of simhashes.
#[test]
fn what_was_acknowledged_survives_kill_9() {
    rounds_of("");
}

#[test]
fn what_was_acknowledged_survives_kill_9_with_simhashes() {
    rounds_of("--recipe simhash");
}

fn rounds_of(options: &str) {
    let rounds = std::env::var(ROUNDS).map_or(USUAL_ROUNDS, |rounds| rounds.parse().unwrap());
    let folder = Folder::new();
    let promises = Promises::default();
    let mut random = Random::new(7);
    for round in 0..rounds {
        let service = Serving::start(&folder, options);
        // Sometimes it is killed while it still opens the index.
        if round % 5 != 4 {
            service.wait_until_ready();
            for (id, promise) in promises.lock().unwrap().iter_mut() {
                let (status, answer) = service.ask("GET", &format!("/v1/documents/{id}"), None).unwrap();
                let found = match status {
                    200 => Promise::Present,
                    404 => Promise::Absent,
                    _ => panic!("{id}: {status} {answer}"),
                };
                assert!(
                    *promise == found || *promise == Promise::Either,
                    "round {round}, {id}: {promise:?}, {found:?}"
                );
                if found == Promise::Present {
                    assert_eq!(answer["text"], text(id), "{id}");
                }
                *promise = found;
            }
            forget_most(&promises);
        }
        std::thread::scope(|scope| {
            for client in 0..3 {
                let (service, promises) = (&service, &promises);
                scope.spawn(move || {
                    service.wait_until_ready_or_gone();
                    work(service, client, round, promises);
                });
            }
            std::thread::sleep(Duration::from_millis(20 + random.below(200) as u64));
            service.kill_now();
        });
    }
    let kept = promises.lock().unwrap().values().filter(|promise| **promise == Promise::Present).count();
    assert!(kept > 0, "nothing was acknowledged: the test shows nothing");
}

/// Old promises were kept; asking for all of them in every round would take longer than the rounds.
fn forget_most(promises: &Promises) {
    const REMEMBERED: usize = 300;
    let mut promises = promises.lock().unwrap();
    while promises.len() > REMEMBERED {
        promises.pop_first();
    }
}
