//! The service as an operator meets it.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::json;

use crate::folder::Folder;
use crate::serving::Serving;

const TEXT: &str =
    "The council approved the new bridge over the river on Monday after a long debate about its cost.";

#[test]
fn documents_survive_a_polite_end() {
    let folder = Folder::new();
    let service = Serving::start(&folder, "");
    service.wait_until_ready();
    let (status, _) = service.ask("POST", "/v1/documents", Some(&json!({"id": "a", "text": TEXT}))).unwrap();
    assert_eq!(status, 201);
    assert_eq!(service.terminate(), Some(0));
    let service = Serving::start(&folder, "");
    service.wait_until_ready();
    let (_, answer) = service.ask("POST", "/v1/check", Some(&json!({"text": TEXT}))).unwrap();
    assert_eq!(answer["matches"][0]["id"], "a");
}

#[test]
fn the_configuration_is_told_without_secrets_and_flags_count_most() {
    let folder = Folder::new();
    folder.write("tokens.txt", "read secretsecretsecret\n");
    folder.write("twindex.toml", "batch_limit = 7\nqueue = 9\ntokens = \"tokens.txt\"\n");
    let service = Serving::start(&folder, "--config twindex.toml --queue 11 --log json");
    assert_eq!(service.ask("GET", "/v1/stats", None).unwrap().0, 401);
    let log = service.log.lock().unwrap().clone();
    for part in ["batch_limit = 7", "queue = 11", "tokens.txt"] {
        assert!(log.contains(part), "{part} is missing in {log}");
    }
    assert!(!log.contains("secret"), "{log}");
    service.terminate();
}

#[test]
fn what_cannot_be_served_is_refused() {
    let folder = Folder::new();
    let open = folder.run("serve --data index --listen 0.0.0.0:0");
    assert_eq!(open.code, Some(2));
    assert!(open.stderr.contains("--tokens") && open.stderr.contains("--open-to-all"), "{}", open.stderr);
    folder.write("short.txt", "read short\n");
    let short = folder.run("serve --data index --tokens short.txt");
    assert!(short.code == Some(1) && short.stderr.contains("line 1"), "{}", short.stderr);
    let service = Serving::start(&folder, "");
    service.wait_until_ready();
    let second = folder.run("serve --data index --listen 127.0.0.1:0");
    assert!(second.code == Some(1) && second.stderr.contains("in use"), "{}", second.stderr);
    let address = service.address;
    let same = folder.run(&format!("serve --data other --listen {address}"));
    assert!(same.code == Some(1) && same.stderr.contains("--listen"), "{}", same.stderr);
    service.terminate();
    let other = folder.run("serve --data index --listen 127.0.0.1:0 --evidence sketch");
    assert!(other.code == Some(1) && other.stderr.contains("--evidence"), "{}", other.stderr);
}

/// The memory of a process, in bytes.
fn resident_bytes(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}

/// Story: ten thousand clients connect and say nothing. The service still answers others, in memory
/// that is bounded, and closes the silent connections when their time is over.
#[test]
fn ten_thousand_idle_connections() {
    const CONNECTIONS: usize = 10_000;
    /// What an idle connection may cost.
    const BYTES_EACH: u64 = 32 << 10;
    let folder = Folder::new();
    let service = Serving::start(&folder, "--header-seconds 20");
    service.wait_until_ready();
    let before = resident_bytes(service.process.id());
    let mut idle = vec![];
    while idle.len() < CONNECTIONS {
        match TcpStream::connect(service.address) {
            Ok(stream) => idle.push(stream),
            // The test may be allowed fewer files than the service.
            Err(_) => break,
        }
    }
    // One file must be left to ask with.
    idle.pop();
    assert!(idle.len() > 500, "only {} connections", idle.len());
    let (status, _) = service.ask("POST", "/v1/check", Some(&json!({"text": TEXT}))).unwrap();
    assert_eq!(status, 200);
    let cost = resident_bytes(service.process.id()).saturating_sub(before);
    assert!(cost < BYTES_EACH * idle.len() as u64, "{} connections take {cost} bytes", idle.len());
    // One that speaks at last is answered.
    let mut late = idle.pop().unwrap();
    late.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    late.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}
