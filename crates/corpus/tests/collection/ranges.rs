//! Copying ranges writes what selecting rows writes.

use std::path::Path;

use proptest::prelude::*;

use crate::common::write;
use twindex_corpus::{Format, ReadOptions, Reader, RowPlace, RowWriter, Source, resolve};

const BATCH: usize = 1 << 16;

/// The places of all rows, source by source.
fn places(sources: &[Source], options: &ReadOptions) -> Vec<Vec<RowPlace>> {
    let places = |source: &Source| {
        let mut reader = Reader::open(std::slice::from_ref(source), options).unwrap();
        let mut places = vec![];
        while let Some(batch) = reader.next_batch(BATCH).unwrap() {
            places.extend((0..batch.len()).map(|row| batch.place(row).unwrap()));
        }
        places
    };
    sources.iter().map(places).collect()
}

/// The definition: every row is looked at. Row `n` of all stays if `keep[n % keep.len()]`.
fn by_rows(sources: &[Source], options: &ReadOptions, keep: &[bool], out: &Path) -> Vec<u8> {
    let mut writer = RowWriter::create(out, sources).unwrap();
    let mut reader = Reader::open(sources, options).unwrap();
    let mut kept = keep.iter().copied().cycle();
    while let Some(batch) = reader.next_batch(BATCH).unwrap() {
        let keep: Vec<bool> = kept.by_ref().take(batch.len()).collect();
        batch.write_selected(&keep, &mut writer).unwrap();
    }
    writer.finish().unwrap().commit().unwrap();
    std::fs::read(out).unwrap()
}

fn by_ranges(sources: &[Source], options: &ReadOptions, keep: &[bool], out: &Path) -> Vec<u8> {
    let mut writer = RowWriter::create(out, sources).unwrap();
    let mut kept = keep.iter().copied().cycle();
    for (source, places) in sources.iter().zip(places(sources, options)) {
        let mut position = 0;
        let mut advance = |to| {
            assert!(to > position);
            position = to;
        };
        let mut copy = writer.copy(source).unwrap().unwrap();
        for (place, _) in places.into_iter().zip(kept.by_ref()).filter(|(_, keep)| !keep) {
            assert!(copy.leave_out(place, &mut advance).unwrap());
        }
        assert!(copy.finish(&mut advance).unwrap());
    }
    writer.finish().unwrap().commit().unwrap();
    std::fs::read(out).unwrap()
}

/// A file of lines: with or without a byte order mark and a final line break, with blank lines,
/// Windows line breaks, and rows from a few bytes to more than the system copies at once.
fn file() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        4 => "[a-z ]{0,40}\r?",
        2 => (1_usize..5_000).prop_map(|length| "x".repeat(length)),
        1 => (100_000_usize..900_000).prop_map(|length| "y".repeat(length)),
    ];
    (any::<bool>(), prop::collection::vec(line, 0..12), any::<bool>()).prop_map(|(mark, lines, ends)| {
        let start = if mark { "\u{feff}" } else { "" };
        let end = if ends { "\n" } else { "" };
        format!("{start}{}{end}", lines.join("\n")).into_bytes()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn copying_ranges_is_selecting_rows(
        files in prop::collection::vec(file(), 1..4),
        keep in prop::collection::vec(prop::bool::weighted(0.7), 1..20),
        extension in prop::sample::select(vec!["txt", "txt.zst"]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let options = ReadOptions { format: Some(Format::Lines), ..ReadOptions::default() };
        let names: Vec<String> = (files.iter().enumerate())
            .map(|(number, bytes)| write(folder.path(), &format!("{number}.in"), bytes).display().to_string())
            .collect();
        let sources = resolve(&names, &options).unwrap();
        let out = |name: &str| folder.path().join(format!("{name}.{extension}"));
        let expected = by_rows(&sources, &options, &keep, &out("rows"));
        let found = by_ranges(&sources, &options, &keep, &out("ranges"));
        // Compressed bytes depend on how they arrive.
        let unpack = |bytes: Vec<u8>| if extension == "txt" { bytes } else { zstd::decode_all(&bytes[..]).unwrap() };
        prop_assert!(unpack(found) == unpack(expected));
    }
}

#[test]
fn a_file_that_is_not_what_it_was_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "in.jsonl", b"{\"text\":\"a\"}\n{\"text\":\"b\"}\n");
    let sources = resolve(&[path.display().to_string()], &ReadOptions::default()).unwrap();
    let places = places(&sources, &ReadOptions::default()).remove(0);
    let mut writer = RowWriter::create(&folder.path().join("out.jsonl"), &sources).unwrap();
    let mut leave_out = |row: RowPlace| {
        let mut copy = writer.copy(&sources[0]).unwrap().unwrap();
        copy.leave_out(row, |_| ()).unwrap()
    };
    assert!(leave_out(places[1]));
    assert!(!leave_out(RowPlace { offset: places[1].offset + 1, ..places[1] }), "no row begins there");
    assert!(!leave_out(RowPlace { length: 100, ..places[1] }), "behind the end");
}
