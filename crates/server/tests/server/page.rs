//! The page in a real browser: paste, see the match, see the difference.

use serde_json::json;
use twindex_server::Config;

use crate::browser::{Browser, CONTROL_ENTER};
use crate::started::{Started, start, start_with};

const STORED: &str = "The council approved the new bridge over the river on Monday after a long debate about its cost. \
    Work will begin in spring and is expected to take two years, the mayor said on Tuesday.\n\n\
    Shop owners on the northern bank had asked for a tunnel instead, which would have been twice as expensive. \
    <script>document.title = 'broken'</script>\n\n\
    The old bridge stays open for pedestrians until the new one is finished.";

/// Two words have changed places: the words are the same, so the fingerprint is, and the text is not.
fn pasted() -> String {
    STORED.replace("Monday", "DAY").replace("Tuesday", "Monday").replace("DAY", "Tuesday")
}

fn fill(service: &Started) {
    let documents: Vec<_> = (0..30)
        .map(|number| {
            let words: Vec<String> =
                (0..80).map(|word| format!("w{}", (number * 7919 + word * 104_729) % 5_000)).collect();
            json!({"id": format!("filler-{number}"), "text": words.join(" ")})
        })
        .collect();
    assert_eq!(service.post("/v1/documents/batch", &json!({"documents": documents})).status, 200);
    assert_eq!(service.post("/v1/documents", &json!({"id": "news/bridge", "text": STORED})).status, 201);
}

const CURRENT_MATCH: &str = "document.querySelector('#matches button[aria-current=true] .id')?.textContent";

#[test]
fn a_pasted_document_finds_its_match_and_shows_the_difference() {
    let Some(browser) = Browser::start() else { return };
    let service = start();
    fill(&service);
    browser.open(&service.url("/"));
    browser.keys("#text", &pasted().replace('\n', "\u{e008}\u{e007}\u{e000}"));
    browser.keys("#text", CONTROL_ENTER);
    browser.wait(&format!("{CURRENT_MATCH} === 'news/bridge'"));
    browser.wait("document.querySelector('#pair .texts del')");
    assert_eq!(
        browser.value("[...document.querySelectorAll('#pair .texts del')].map((part) => part.textContent)"),
        json!(["Tuesday", "Monday"])
    );
    assert_eq!(
        browser.value("[...document.querySelectorAll('#pair .texts ins')].map((part) => part.textContent)"),
        json!(["Monday", "Tuesday"])
    );
    assert_eq!(browser.value("document.querySelectorAll('#pair .texts .row .alike').length > 1"), true);
    assert_eq!(
        browser.value("document.querySelector('#status').textContent.startsWith('Seen: 1 document')"),
        true
    );
    // What strangers wrote stays text.
    assert_eq!(browser.value("document.title"), "twindex: have we seen this?");
    browser.wait("document.querySelector('#tiles dd').textContent === '31'");
    browser.picture("page.png");
    browser.resize(390, 2400);
    browser.picture("phone.png");
    assert_eq!(browser.value("document.documentElement.scrollWidth <= innerWidth"), true);
    // A document that is not there is told apart, and one that is there is found by its id.
    browser.keys("#id", "news/bridge\u{e007}");
    browser.wait("document.querySelector('#found pre')?.textContent.startsWith('The council')");
    browser.value("document.querySelector('#id').value = ''");
    browser.keys("#id", "nothing\u{e007}");
    browser.wait("document.querySelector('#found .empty')");
    let complaints = browser.complaints();
    assert!(complaints.iter().all(|text| text.contains("404")), "{complaints:?}");
}

#[test]
fn a_new_document_is_added_from_the_page() {
    let Some(browser) = Browser::start() else { return };
    let service = start();
    browser.open(&service.url("/"));
    browser.keys("#text", "Something that nobody has ever written before, not even once.");
    browser.click("#check");
    browser.wait("document.querySelector('#status').textContent.startsWith('Not seen')");
    browser.keys("#new-id", "mine\u{e007}");
    browser.wait("document.querySelector('#status').textContent === 'Added.'");
    assert_eq!(service.get("/v1/documents/mine").status, 200);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_token_is_asked_for_and_used() {
    let Some(browser) = Browser::start() else { return };
    let service = start_with(Config::default(), Some("read aaaaaaaaaaaaaaaaaaaa\n"));
    browser.open(&service.url("/"));
    browser.wait("!document.querySelector('#token-form').hidden");
    browser.keys("#token", "aaaaaaaaaaaaaaaaaaaa\u{e007}");
    browser.wait("document.querySelector('#token-form').hidden && document.querySelector('#tiles dd')");
}
