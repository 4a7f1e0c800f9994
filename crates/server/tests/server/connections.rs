//! Connections that come, stay, and end.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;
use twindex_server::Config;

use crate::started::{start, start_with};

fn rest(mut stream: &TcpStream) -> String {
    let mut heard = vec![];
    let _ = stream.read_to_end(&mut heard);
    String::from_utf8_lossy(&heard).into_owned()
}

/// Story: a client sends a byte of its header now and then, for ever. Its connection is closed, and
/// meanwhile others are served. The test ends only if the service closes the connection.
#[test]
fn a_slow_header_is_given_up() {
    let service = start_with(Config { header_seconds: 1, ..Config::default() }, None);
    let streams: Vec<TcpStream> = (0..50).map(|_| service.connect()).collect();
    for mut stream in &streams {
        stream.write_all(b"POST /v1/check HTTP/1.1\r\nhost: loc").unwrap();
    }
    assert_eq!(service.get("/healthz").status, 200);
    for stream in &streams {
        rest(stream);
    }
}

#[test]
fn a_slow_body_is_given_up() {
    let service = start_with(Config { request_seconds: 1, ..Config::default() }, None);
    let mut stream = service.connect();
    let header = "POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                  content-length: 100\r\n\r\n{\"text\"";
    stream.write_all(header.as_bytes()).unwrap();
    let heard = rest(&stream);
    assert!(heard.starts_with("HTTP/1.1 408"), "{heard}");
}

#[test]
fn an_idle_connection_is_closed() {
    let service = start_with(Config { header_seconds: 1, ..Config::default() }, None);
    let silent = service.connect();
    assert_eq!(rest(&silent), "");
    let mut once = service.connect();
    once.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    assert!(rest(&once).starts_with("HTTP/1.1 200"));
}

/// Story: a client asks for much and reads nothing. Its connection ends, though it never says a
/// word about it.
#[test]
fn a_client_that_does_not_read_is_given_up() {
    let service = start_with(Config { write_seconds: 1, ..Config::default() }, None);
    let mut deaf = service.connect();
    // More answers than sockets hold.
    let question = b"GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(2_000);
    let asking = std::thread::spawn(move || {
        let _ = deaf.write_all(&question);
        deaf
    });
    let given_up = (0..MANY_TRIES).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        // The first of them is the one that asks for the metrics.
        service.get("/metrics").body.contains("twindex_connections 1\n")
    });
    assert!(given_up, "the connection is still there");
    drop(asking.join());
}

#[test]
fn too_many_connections_are_turned_away_and_come_back_later() {
    let service = start_with(Config { connections: 2, header_seconds: 2, ..Config::default() }, None);
    let held = [service.connect(), service.connect()];
    let third = service.connect();
    let heard = rest(&third);
    assert!(heard.starts_with("HTTP/1.1 503") && heard.contains("retry-after"), "{heard}");
    drop(held);
    // The service notices that they are gone.
    let health = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let answered = (0..MANY_TRIES).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        let mut stream = service.connect();
        // A connection that is turned away may be closed before anything can be said.
        stream.write_all(health).is_ok() && rest(&stream).starts_with("HTTP/1.1 200")
    });
    assert!(answered, "places that became free were not given to anybody");
}

/// More than a busy machine needs.
const MANY_TRIES: usize = 1_000;

#[test]
fn a_long_header_is_refused() {
    let service = start();
    let long = format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "a".repeat(1 << 20));
    let mut stream = service.connect();
    let _ = stream.write_all(long.as_bytes());
    let heard = rest(&stream);
    assert!(heard.is_empty() || heard.starts_with("HTTP/1.1 431"), "{heard}");
    assert_eq!(service.get("/healthz").status, 200);
}

#[test]
fn stopping_finishes_what_was_accepted() {
    let mut service = start();
    let body = json!({"id": "a", "text": "one two three four five"}).to_string();
    let mut stream = service.connect();
    let header = format!(
        "POST /v1/documents HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(header.as_bytes()).unwrap();
    // The service has begun with it when it asks for the rest.
    while service.get("/metrics").body.contains("twindex_connections 1\n") {}
    service.ask_to_stop();
    // New connections are refused from some moment on.
    while TcpStream::connect(service.address).is_ok() {}
    stream.write_all(body.as_bytes()).unwrap();
    let heard = rest(&stream);
    assert!(heard.starts_with("HTTP/1.1 201"), "{heard}");
}
