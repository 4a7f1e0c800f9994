//! Every target with random bytes, and with valid inputs changed in a few places.

use super::*;

/// A deterministic stream of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = twindex_core::hash::mix(self.0.wrapping_add(0x9e37_79b9_7f4a_7c15));
        (self.0 % bound.max(1) as u64) as usize
    }
}

/// Calls the target with every seed as it is, then with changed ones.
fn try_out(target: fn(&[u8]), seeds: &[&[u8]], rounds: usize) {
    let mut random = Random(1);
    seeds.iter().for_each(|seed| target(seed));
    for round in 0..rounds {
        let mut data = seeds[round % seeds.len()].to_vec();
        for _ in 0..1 + random.below(4) {
            let place = random.below(data.len() + 1);
            let byte = random.below(256) as u8;
            match random.below(4) {
                0 => data.insert(place, byte),
                1 => data.truncate(place),
                2 => data.extend_from_within(..place),
                _ if place < data.len() => data[place] = byte,
                _ => data.push(byte),
            }
        }
        target(&data);
    }
}

#[test]
fn kernels() {
    try_out(words, &[b"\x03\x10\x80\xf0Red green, blue-white 17 times; done.", &[5; 700], b""], 3_000);
}

#[test]
fn files() {
    try_out(
        rows,
        &[
            b"\x00{\"id\":\"a\",\"text\":\"one \\u00e9 two\"}\n{\"text\":\"three\"}\n",
            b"\x01id,text\n1,\"one \"\"two\"\"\nthree\"\n",
            b"\x02id\ttext\n1\tone two\n",
            b"\x04<html><body><p>one<p>two</body></html>",
            b"\x05WARC/1.0\r\nWARC-Type: conversion\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n\r\none two\r\n\r\n",
            b"\x06PAR1\x00\x00\x00\x00PAR1",
            b"\x07\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
            b"\x08\x28\xb5\x2f\xfd\x00\x00",
        ],
        2_000,
    );
}

/// Written by other programs.
#[test]
fn tables() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds/parquet");
    let files = std::fs::read_dir(folder).expect("the seeds").map(|entry| entry.expect("a seed").path());
    let mut paths: Vec<_> = files.collect();
    paths.sort();
    let seeds: Vec<_> = paths.iter().map(|path| std::fs::read(path).expect("a seed")).collect();
    assert!(seeds.len() > 5);
    try_out(parquet, &seeds.iter().map(Vec::as_slice).collect::<Vec<_>>(), 2_000);
}

#[test]
fn pages() {
    try_out(html, &[b"<p>one &amp; <b>two</b><script>x</script><!-- y --><p hidden>three &#x41;", b"<![CDATA[<"], 1_000);
}

#[test]
fn settings() {
    let written = twindex_core::Recipe::preset("simhash").expect("a preset of this name").to_toml();
    try_out(recipe, &[written.as_bytes(), b"listen = \"127.0.0.1:1\"\nqueue = 5\n", b"read abc\nwrite def\n"], 500);
}

#[test]
fn bodies() {
    try_out(
        requests,
        &[
            b"\x00{\"text\":\"one two three\",\"limit\":3}",
            b"\x04{\"id\":\"a\",\"text\":\"one two three\",\"ttl\":5}",
            b"\x06{\"documents\":[{\"id\":\"a\",\"text\":\"one\"},{\"id\":\"b\",\"text\":\"two\",\"markup\":\"html\"}]}",
            b"\x08{\"left\":{\"text\":\"one\"},\"right\":{\"text\":\"two\"}}",
            b"\x0a../../etc",
            b"\x0ca b",
            b"\x01\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
        ],
        300,
    );
}

#[test]
fn values() {
    try_out(stored, &[&[31; 60], b"\x09\x01\x02\x03\x04\x05\x06\x07\x08aaaaaaaaaaaaaaaaid", &[2; 40], &[1; 40]], 3_000);
}

#[test]
fn segments() {
    let mut two = vec![0; 48];
    two[32] = 2;
    two.extend([[1; 8], [2; 8], [0, 0, 0, 0, 9, 0, 0, 0]].concat());
    try_out(segment, &[&two, &[0; 60]], 3_000);
}
