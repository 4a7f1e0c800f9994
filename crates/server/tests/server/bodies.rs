//! Bodies that nobody should send.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use twindex_server::Config;

use crate::started::{start, start_with};

const JSON: (&str, &str) = ("content-type", "application/json");

/// The most memory that the process had so far, in bytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}

/// More than a service of the default limits needs, and much less than what is sent to it.
const BOUND: u64 = 200 << 20;

#[test]
fn a_gigabyte_is_refused_by_its_announcement() {
    let service = start();
    let header = "POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                  content-length: 1073741824\r\n\r\n";
    let answer = service.converse(header.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}

#[test]
fn a_gigabyte_without_announcement_is_refused_when_it_is_too_much() {
    let before = peak_memory();
    let service = start();
    let mut stream = service.connect();
    let header = "POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                  transfer-encoding: chunked\r\n\r\n";
    stream.write_all(header.as_bytes()).unwrap();
    let mut chunk = format!("{:x}\r\n", 1 << 20).into_bytes();
    chunk.resize(chunk.len() + (1 << 20), b' ');
    chunk.extend(b"\r\n");
    // Until the service has heard enough and closes the connection.
    let refused = (0..1024).any(|_| stream.write_all(&chunk).is_err());
    assert!(refused, "a gigabyte was taken");
    let mut answer = vec![];
    let _ = stream.read_to_end(&mut answer);
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 413"));
    assert!(peak_memory() - before < BOUND);
    assert_eq!(service.get("/healthz").status, 200);
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(vec![], Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn packed_bodies_are_unpacked_and_bombs_are_not() {
    let service = start();
    let gzip = ("content-encoding", "gzip");
    let small = packed(json!({"text": "one two three"}).to_string().as_bytes());
    assert_eq!(service.post_bytes("/v1/check", &[JSON, gzip], &small).status, 200);

    let mut bomb = GzEncoder::new(vec![], Compression::best());
    for _ in 0..1024 {
        bomb.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    let bomb = bomb.finish().unwrap();
    assert!(bomb.len() < 2 << 20);
    let before = peak_memory();
    service.post_bytes("/v1/check", &[JSON, gzip], &bomb).assert_problem(413);
    assert!(peak_memory() - before < BOUND);

    service.post_bytes("/v1/check", &[JSON, gzip], &small[..small.len() / 2]).assert_problem(400);
    service.post_bytes("/v1/check", &[JSON, gzip], b"not packed at all").assert_problem(400);
    service.post_bytes("/v1/check", &[JSON, ("content-encoding", "br")], &small).assert_problem(415);
}

#[test]
fn what_is_not_json_is_a_problem_that_says_where() {
    let service = start();
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let deep_field = format!("{{\"text\":\"a\",\"limit\":{deep}}}");
    for body in [
        "",
        "{",
        "null",
        "[]",
        "{\"text\":1}",
        "{\"text\":\"a\"} trailing",
        "{\"text\":\"a\",\"txet\":\"b\"}",
        "{\"text\":\"\\ud800\"}",
        &deep,
        &deep_field,
    ] {
        let heard = service.post_bytes("/v1/check", &[JSON], body.as_bytes());
        heard.assert_problem(400);
        assert!(heard.body.contains("line 1 column"), "{}", heard.body);
    }
    service.post_bytes("/v1/check", &[JSON], b"{\"text\":\"\xff\"}").assert_problem(400);
    service.post("/v1/check", &json!({"text": "a", "limit": 1_000_000})).assert_problem(400);
}

#[test]
fn a_batch_has_a_limit() {
    let service = start_with(Config { batch_limit: 2, ..Config::default() }, None);
    let batch = |count: usize| {
        let documents: Vec<_> =
            (0..count).map(|number| json!({"id": number.to_string(), "text": "one two"})).collect();
        json!({"documents": documents})
    };
    assert_eq!(service.post("/v1/documents/batch", &batch(2)).status, 200);
    service.post("/v1/documents/batch", &batch(3)).assert_problem(413);
}

#[test]
fn all_bodies_together_have_a_limit_and_the_rest_is_turned_away() {
    let service = start_with(Config { body_memory: 100_000, ..Config::default() }, None);
    let mut slow = service.connect();
    let header = "POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                  content-length: 90000\r\nconnection: close\r\n\r\n";
    slow.write_all(header.as_bytes()).unwrap();
    let body = format!("{{\"text\":\"{}\"}}", "a ".repeat(44_994) + "b");
    assert_eq!(body.len(), 90_000);
    slow.write_all(&body.as_bytes()[..80_000]).unwrap();
    let large = json!({"text": "a ".repeat(20_000)});
    // Until all of it has arrived; otherwise it could be the one that is turned away.
    while !service.get("/metrics").body.contains("twindex_body_bytes 80000\n") {}
    let turned_away = service.post("/v1/check", &large);
    turned_away.assert_problem(503);
    assert_eq!(turned_away.retry_after.as_deref(), Some("1"));
    assert_eq!(service.post("/v1/check", &json!({"text": "small"})).status, 200);
    slow.write_all(&body.as_bytes()[80_000..]).unwrap();
    let mut answer = String::new();
    slow.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(service.post("/v1/check", &large).status, 200);
}

/// Most clients send everything before they look for an answer: it must be there then.
#[test]
fn a_refusal_reaches_those_who_send_first() {
    let service = start_with(Config { body_limit: 100_000, ..Config::default() }, None);
    let body = vec![b' '; 20_000_000];
    let header = "POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                  connection: close\r\n";
    let announced = format!("{header}content-length: {}\r\n\r\n", body.len());
    let chunked = format!("{header}transfer-encoding: chunked\r\n\r\n{:x}\r\n", body.len());
    for (head, tail) in [(announced, ""), (chunked, "\r\n0\r\n\r\n")] {
        let heard = service.converse(&[head.as_bytes(), &body, tail.as_bytes()].concat());
        assert!(heard.starts_with("HTTP/1.1 413"), "{heard}");
    }
}
