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

/// Two words have changed places: the words are the same, so the fingerprint is, and the text is
/// not.
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

/// A file that is dropped, and one that is chosen, are asked about at once; its name says how it is
/// written.
#[test]
fn a_file_is_dropped_or_chosen() {
    let Some(browser) = Browser::start() else { return };
    let service = start();
    fill(&service);
    browser.open(&service.url("/"));
    let dropped = json!(format!("<p>{}</p>", pasted().replace("\n\n", "</p><p>")));
    browser.value(&format!(
        "(() => {{ const files = new DataTransfer(); files.items.add(new File([{dropped}], 'page.html'));\
           const drop = (kind) => document.body.dispatchEvent(new DragEvent(kind, \
             {{ dataTransfer: files, bubbles: true, cancelable: true }}));\
           drop('dragover'); const shown = document.body.classList.contains('dropping'); drop('drop');\
           return shown && !document.body.classList.contains('dropping'); }})()"
    ));
    browser.wait(&format!("{CURRENT_MATCH} === 'news/bridge'"));
    assert_eq!(browser.value("document.querySelector('#markup').value"), "html");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.txt");
    std::fs::write(&path, "Nobody has written this before, and nobody will again.").unwrap();
    browser.keys("#file", path.to_str().unwrap());
    browser.wait("document.querySelector('#status').textContent.startsWith('Not seen')");
    assert_eq!(browser.value("document.querySelector('#markup').value"), "none");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// The contrast that WCAG 2.1 asks of text (level AA), for everything that carries meaning, in both
/// looks.
#[test]
fn text_is_readable_in_light_and_dark() {
    const CONTRAST: f64 = 4.5;
    const MEASURE: &str = "(() => {
        const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
        canvas.canvas.width = canvas.canvas.height = 1;
        const paint = (colours) => { canvas.clearRect(0, 0, 1, 1);
            for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
            return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3); };
        const light = (rgb) => rgb.map((part) => part / 255)
            .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
            .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
        const grounds = (element) => element ? [...grounds(element.parentElement), getComputedStyle(element).backgroundColor] : ['Canvas'];
        const contrast = (selector) => { const element = document.querySelector(selector);
            const ground = grounds(element), front = [...ground, getComputedStyle(element).color];
            const [a, b] = [light(paint(ground)), light(paint(front))].sort((x, y) => y - x);
            return [selector, (a + 0.05) / (b + 0.05)]; };
        return { ground: light(paint(grounds(document.body))), contrasts: ['h1', '#rules', '#text', '#check', '#status', '#matches .score',
            '#matches small', '#pair .badge', '#pair .texts del', '#pair .texts ins', '#pair .texts .alike', '#tiles dt', '#tiles dd'].map(contrast) };
    })()";
    let Some(browser) = Browser::start() else { return };
    let service = start();
    fill(&service);
    for (look, picture) in [("light", "light.png"), ("dark", "dark.png")] {
        browser.prefer(look);
        browser.open(&service.url("/"));
        browser.value(&format!("document.querySelector('#text').value = {}", json!(pasted())));
        browser.click("#check");
        browser.wait("document.querySelector('#pair .texts del') && document.querySelector('#tiles dd')");
        browser.picture(picture);
        let measured = browser.value(MEASURE);
        assert_eq!(measured["ground"].as_f64().unwrap() > 0.5, look == "light", "{look}: {measured}");
        for part in measured["contrasts"].as_array().unwrap() {
            assert!(part[1].as_f64().unwrap() >= CONTRAST, "{look}: {part}");
        }
    }
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
