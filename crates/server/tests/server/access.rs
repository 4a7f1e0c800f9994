//! Who is answered.

use serde_json::json;
use twindex_server::Config;

use crate::started::{Started, agent, heard, start, start_with};

const READ: &str = "aaaaaaaaaaaaaaaaaaaaaaaa";
const WRITE: &str = "bbbbbbbbbbbbbbbbbbbbbbbb";

fn with_tokens() -> Started {
    start_with(Config::default(), Some(&format!("read {READ}\nwrite {WRITE}\n")))
}

/// Every path with a body that would do something.
const REQUESTS: [(&str, &str, &str); 11] = [
    ("POST", "/v1/documents", r#"{"id":"a","text":"one two three"}"#),
    ("POST", "/v1/documents/batch", r#"{"documents":[]}"#),
    ("DELETE", "/v1/documents/a", ""),
    ("POST", "/v1/check", r#"{"text":"one two three"}"#),
    ("POST", "/v1/compare", r#"{"left":{"text":"a"},"right":{"text":"b"}}"#),
    ("GET", "/v1/documents/a", ""),
    ("GET", "/v1/stats", ""),
    ("GET", "/metrics", ""),
    ("GET", "/openapi.json", ""),
    ("GET", "/no/such/path", ""),
    ("PUT", "/v1/stats", ""),
];

/// The first of them change something.
const CHANGES: usize = 3;

fn status(service: &Started, (method, path, body): (&str, &str, &str), token: Option<&str>) -> u16 {
    let mut request = ureq::http::Request::builder()
        .method(method)
        .uri(service.url(path))
        .header("content-type", "application/json");
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let heard = heard(agent().run(request.body(body.to_owned()).unwrap()));
    if heard.status >= 400 {
        heard.assert_problem(heard.status);
    }
    heard.status
}

#[test]
fn without_a_token_nothing_can_be_read_or_written() {
    let service = with_tokens();
    for request in REQUESTS {
        assert_eq!(status(&service, request, None), 401, "{request:?}");
        for wrong in ["", "x", &READ[1..], &format!("{READ}a"), "aaaaaaaaaaaaaaaaaaaaaaab"] {
            assert_eq!(status(&service, request, Some(wrong)), 401, "{request:?} with {wrong}");
        }
    }
    // What holds no data is open: the page, which asks for a token, and the probes.
    for path in ["/", "/page.css", "/page.js", "/healthz", "/readyz"] {
        assert_eq!(service.get(path).status, 200, "{path}");
    }
}

#[test]
fn reading_is_not_writing() {
    let service = with_tokens();
    for request in &REQUESTS[..CHANGES] {
        assert_eq!(status(&service, *request, Some(READ)), 403, "{request:?}");
    }
    assert_eq!(status(&service, REQUESTS[0], Some(WRITE)), 201);
    for request in &REQUESTS[CHANGES..9] {
        assert_eq!(status(&service, *request, Some(READ)), 200, "{request:?}");
        assert_eq!(status(&service, *request, Some(WRITE)), 200, "{request:?}");
    }
    assert_eq!(status(&service, REQUESTS[2], Some(WRITE)), 204);
}

#[test]
fn pages_of_other_origins_cannot_ask_through_a_browser() {
    let service = start();
    let named = |host: &str| {
        service.converse(
            format!("GET /v1/stats HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").as_bytes(),
        )
    };
    assert!(named("localhost:7700").starts_with("HTTP/1.1 200"));
    assert!(named("rebound.example").starts_with("HTTP/1.1 403"));
    // The kinds of body that a form can send without being asked.
    let body = json!({"id": "a", "text": "one two three"}).to_string();
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        service.post_bytes("/v1/documents", &[("content-type", kind)], body.as_bytes()).assert_problem(415);
    }
    assert_eq!(service.get("/v1/stats").json()["index"]["documents"], 0);
}

/// Who opens the service to all, beyond loopback, has it answer by any name that it is called by.
#[test]
fn open_to_all_answers_by_any_name() {
    let asked = b"GET /v1/stats HTTP/1.1\r\nhost: twins.example\r\nconnection: close\r\n\r\n";
    for (listen, status) in [("0.0.0.0:7700", "200"), ("127.0.0.1:7700", "403")] {
        let config = Config { open_to_all: true, listen: listen.parse().unwrap(), ..Config::default() };
        let heard = start_with(config, None).converse(asked);
        assert!(heard.starts_with(&format!("HTTP/1.1 {status}")), "{listen}: {heard}");
    }
}
