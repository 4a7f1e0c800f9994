//! A full disk, as clients see it.

use std::fs;
use std::io::Write;

use serde_json::{Value, json};
use twindex_core::hash::mix;
use twindex_testing::SmallDisk;

use crate::started::{Started, start_in};

/// Text that hardly compresses.
fn text(number: u64) -> String {
    (0..1_000).map(|place| format!("{:016x}", mix(number * 10_000 + place))).collect::<Vec<_>>().join(" ")
}

fn add(service: &Started, number: u64) -> u16 {
    let heard =
        service.post("/v1/documents", &json!({"id": number.to_string(), "text": text(number), "limit": 0}));
    if heard.status == 507 {
        heard.assert_problem(507);
        assert!(heard.json()["detail"].as_str().unwrap().contains("space"), "{heard:?}");
    }
    heard.status
}

fn first_match(service: &Started, number: u64) -> Value {
    let heard = service.post("/v1/check", &json!({"text": text(number)}));
    assert_eq!(heard.status, 200, "{heard:?}");
    heard.json()["matches"][0]["id"].clone()
}

/// Story: the disk is full to the last byte. Adds are refused with 507, questions are answered;
/// somebody makes room, and the same process takes documents again.
#[test]
fn a_full_disk_is_507_and_heals_without_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk");
    let Some(_disk) = SmallDisk::mount(&path, 32) else { return };
    let service = start_in(&path.join("index"));
    assert_eq!(add(&service, 0), 201);
    let mut ballast = fs::File::create(path.join("ballast")).unwrap();
    while ballast.write_all(&[1; 4096]).is_ok() {}
    assert_eq!(add(&service, 1), 507);
    assert_eq!(service.delete("/v1/documents/unknown").status, 404);
    assert_eq!(first_match(&service, 0), "0");
    assert_eq!(first_match(&service, 1), Value::Null);
    drop(ballast);
    fs::remove_file(path.join("ballast")).unwrap();
    assert_eq!(add(&service, 1), 201);
    assert_eq!((first_match(&service, 0), first_match(&service, 1)), (json!("0"), json!("1")));
}
