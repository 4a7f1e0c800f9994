//! Input that cannot be read: the message names the place and the remedy, and nothing is left
//! behind.

use std::ffi::OsStr;
use std::io::Write;
use std::process::{Command, Stdio};

use twindex_corpus::{Cell, Column, ColumnKind, TableWriter};
use twindex_testing::{Need, skip};

use crate::folder::{Ended, Folder};
use crate::planted;

const DEDUP: &str = "--output kept.jsonl --removed removed.jsonl --report report.html";

fn some_rows(count: usize) -> Vec<String> {
    (0..count)
        .map(|number| format!("{{\"id\":\"r{number}\",\"text\":\"row {number} of this file\"}}\n"))
        .collect()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstandard(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// A download that was cut, anywhere: in the header, in the middle, before the checksum.
#[test]
fn truncated_archives() {
    let folder = Folder::new();
    let collection = planted::jsonl(&planted::collection(31, 300));
    for (name, packed) in
        [("cut.jsonl.gz", gzip(collection.as_bytes())), ("cut.jsonl.zst", zstandard(collection.as_bytes()))]
    {
        for length in [0, 5, packed.len() / 2, packed.len() - 1] {
            folder.write(name, &packed[..length]);
            let line = format!("dedup {name} --output kept.jsonl.gz --removed removed.jsonl");
            folder.fails(&line, 1, &[name, "truncated", "again"]);
        }
    }
}

#[test]
fn damaged_archives() {
    let folder = Folder::new();
    let mut packed = gzip(planted::jsonl(&planted::collection(31, 300)).as_bytes());
    let middle = packed.len() / 2;
    packed[middle..middle + 20].fill(0xa5);
    folder.write("bad.jsonl.gz", packed);
    folder.fails("dedup bad.jsonl.gz --output kept.jsonl", 1, &["bad.jsonl.gz", "damaged"]);
    folder.write("not.jsonl.zst", "{\"text\":\"this is no archive\"}\n");
    folder.fails("dedup not.jsonl.zst --output kept.jsonl", 1, &["not.jsonl.zst", "damaged"]);
}

#[test]
fn a_missing_field_is_named_with_its_line_and_the_fields_there() {
    let folder = Folder::new();
    let mut rows = some_rows(30);
    rows[16] = "{\"id\":\"x\",\"body\":\"no text here\"}\n".to_owned();
    folder.write("in.jsonl", rows.concat());
    let parts = [
        "in.jsonl:17",
        "no field \"text\"",
        "body, id",
        "\nhint: name the right field with --text-field",
        "\nhint: --on-error skip",
    ];
    folder.fails(&format!("dedup in.jsonl {DEDUP}"), 1, &parts);
    folder.fails("pairs in.jsonl", 1, &parts);
    let filtered = folder.run_with("filter", &rows.concat());
    assert_eq!(filtered.code, Some(1), "{}", filtered.stderr);
    assert!(parts[1..].iter().all(|part| filtered.stderr.contains(part)), "{}", filtered.stderr);
}

#[test]
fn rows_that_are_no_documents() {
    let folder = Folder::new();
    for (row, parts) in [
        (&b"{\"text\":\"caf\xe9\"}\n"[..], ["not UTF-8", "0xe9", "iconv"]),
        (b"{\"text\":\"open\n", ["not a JSON object", "expected one object per line", "skip"]),
        (b"[\"text\"]\n", ["not a JSON object", "expected one object per line", "skip"]),
        (b"{\"text\":17}\n", ["\"text\" holds an integer", "expected text", "--text-field"]),
        (b"{\"text\":true}\n", ["\"text\" holds a boolean", "expected text", "--text-field"]),
        (b"{\"text\":\"x\",\"id\":[1]}\n", ["\"id\" holds an array", "a string or a number", "--id-field"]),
    ] {
        let mut bytes = some_rows(2).concat().into_bytes();
        bytes.extend_from_slice(row);
        folder.write("in.jsonl", bytes);
        let parts = [&["in.jsonl:3"][..], &parts].concat();
        folder.fails(&format!("dedup in.jsonl {DEDUP}"), 1, &parts);
    }
    folder.write("in.csv", "id,text\na,one\nb,two,three\n");
    folder.fails("dedup in.csv --output kept.csv", 1, &["in.csv:3", "3 fields and the header has 2"]);
    folder.write("in.csv", "id,text\na,one\nb,\"two\nc,three\n");
    folder.fails("dedup in.csv --output kept.csv", 1, &["in.csv:3", "never closes"]);
}

#[test]
fn skipped_rows_are_counted_and_listed() {
    let folder = Folder::new();
    let mut rows = some_rows(20);
    rows[6] = "nonsense\n".to_owned();
    rows[16] = "{\"id\":\"x\"}\n".to_owned();
    folder.write("in.jsonl", rows.concat());
    let ended =
        folder.done("dedup in.jsonl --on-error skip --json --output kept.jsonl --removed removed.jsonl");
    for part in [
        "skipped: in.jsonl:7: not a JSON object",
        "skipped: in.jsonl:17: the row has no field",
        "bad rows, listed",
    ] {
        assert!(ended.stderr.contains(part), "{part:?} in:\n{}", ended.stderr);
    }
    let summary = ended.json();
    assert_eq!((&summary["documents"], &summary["skipped_rows"]), (&18.into(), &2.into()));
    assert_eq!(summary["skipped"].as_array().unwrap().len(), 2);
    rows.remove(16);
    rows.remove(6);
    assert_eq!(folder.text("kept.jsonl"), rows.concat(), "the good rows stay");
    let listed = folder.done("pairs in.jsonl --on-error skip");
    assert!(listed.stderr.contains("skipped: in.jsonl:7"), "{}", listed.stderr);
}

#[test]
fn a_parquet_file_without_the_column() {
    let folder = Folder::new();
    let columns = [Column::new("id", ColumnKind::Text), Column::new("body", ColumnKind::Text)];
    let mut table = TableWriter::create(&folder.path("in.parquet"), &columns).unwrap();
    table.row(&[Cell::Text("a"), Cell::Text("one")]).unwrap();
    table.finish().unwrap().commit().unwrap();
    let parts =
        ["in.parquet", "no column \"text\"", "id, body", "\nhint: name the right column with --text-field"];
    folder.fails("dedup in.parquet --output kept.parquet", 1, &parts);
    folder.done("dedup in.parquet --output kept.parquet --text-field body");
    let whole = folder.read("in.parquet");
    folder.write("cut.parquet", &whole[..whole.len() - 10]);
    folder.fails("dedup cut.parquet --output again.parquet", 1, &["cut.parquet"]);
}

#[test]
fn inputs_that_are_not_there() {
    let folder = Folder::new();
    folder.write("notes.docx", "text");
    folder.write("file.jsonl", some_rows(1).concat());
    std::fs::create_dir(folder.path("empty")).unwrap();
    for (input, parts) in [
        ("missing.jsonl", &["cannot open missing.jsonl", "No such file", "check the path"][..]),
        ("notes.docx", &["notes.docx", ".jsonl", "\nhint: name the format with --format"]),
        ("none-*.jsonl", &["none-*.jsonl", "no file matches"]),
        ("empty", &["empty", "no files to read"]),
        ("file.jsonl/below", &["file.jsonl/below", "Not a directory"]),
        ("file.jsonl file.jsonl", &["file.jsonl", "named twice"]),
    ] {
        folder.fails(&format!("dedup {input} {DEDUP}"), 1, parts);
        folder.fails(&format!("dedup file.jsonl --against {input} --output kept.jsonl"), 1, parts);
    }
}

/// The same command of a root whom permissions bind; `None` where that cannot be had.
fn without_override(command: Command) -> Option<Command> {
    const RIGHTS: &str = "-dac_override,-dac_read_search";
    let bound = |program: &OsStr| {
        let mut bound = Command::new("setpriv");
        bound.args(["--inh-caps", RIGHTS, "--bounding-set", RIGHTS]).arg(program);
        bound
    };
    let works = bound("true".as_ref()).output().is_ok_and(|output| output.status.success());
    let mut bound = bound(command.get_program());
    bound.args(command.get_args());
    bound.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if let Some(folder) = command.get_current_dir() {
        bound.current_dir(folder);
    }
    bound.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    works.then_some(bound)
}

#[test]
fn a_folder_that_must_not_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.write("locked/in.txt", "text");
    let set = |mode| {
        std::fs::set_permissions(folder.path("locked"), std::fs::Permissions::from_mode(mode)).unwrap()
    };
    set(0o000);
    let command = folder.command("dedup locked --output kept.jsonl");
    // Permissions do not bind root, unless it lets go of the right to pass over them.
    let is_root = std::fs::read_dir(folder.path("locked")).is_ok();
    let bound = if is_root { without_override(command) } else { Some(command) };
    match bound {
        Some(mut command) => {
            let ended = Ended::of(command.spawn().unwrap());
            assert_eq!(ended.code, Some(1), "{}", ended.stderr);
            assert!(
                ended.stderr.contains("locked") && ended.stderr.contains("ermission"),
                "{}",
                ended.stderr
            );
        }
        None => skip(Need::Permissions, "root cannot let go of its rights: `setpriv` does not work here"),
    }
    set(0o700);
}

#[test]
fn equal_ids_are_named_with_both_rows_where_they_must_not_be() {
    let folder = Folder::new();
    folder.write("a.jsonl", planted::rows(&[("x", "one"), ("same", "two"), ("y", "three")]));
    folder.write("b.jsonl", planted::rows(&[("z", "four"), ("same", "five")]));
    let parts = ["\"same\"", "a.jsonl:2", "b.jsonl:2", "--id-field"];
    folder.fails(&format!("dedup a.jsonl b.jsonl --unique-ids {DEDUP}"), 1, &parts);
    folder.fails("dedup a.jsonl --against b.jsonl --unique-ids --output kept.jsonl", 1, &parts);
    folder.fails("pairs a.jsonl b.jsonl --unique-ids", 1, &parts);
}

#[test]
fn dates_and_numbers_of_a_keep_policy() {
    let folder = Folder::new();
    let row = |id: &str, date: &str| format!("{{\"id\":\"{id}\",\"text\":\"t\",\"date\":\"{date}\"}}\n");
    folder.write("in.jsonl", [row("a", "2024-05-31"), row("b", "last week")].concat());
    let newest = format!("dedup in.jsonl --keep newest:date {DEDUP}");
    folder.fails(&newest, 1, &["in.jsonl:2", "\"last week\" is no date", "2024-05-31T12:00:00Z"]);
    let largest = format!("dedup in.jsonl --keep max:date {DEDUP}");
    folder.fails(&largest, 1, &["in.jsonl:1", "\"2024-05-31\" is no number"]);
}

/// Words take more memory than the text does: a row of one-letter words is not as long as it may
/// be, and would still take more than is allowed.
#[test]
fn a_row_counts_against_the_memory_by_its_words() {
    let folder = Folder::new();
    let letters: String = (0..1_500_000).flat_map(|word| [char::from(b'a' + word as u8 % 26), ' ']).collect();
    let rows = planted::rows(&[("a", &letters), ("b", "a short one")]);
    folder.write("in.jsonl", rows);
    let line = "dedup in.jsonl --output kept.jsonl --memory 150M";
    let parts = ["in.jsonl:1: its 1500000 words take about 171M of memory, and 150M are allowed", "--memory"];
    folder.fails(line, 1, &parts);
    folder.done(&format!("{line} --on-error skip"));
    assert!(folder.text("kept.jsonl").contains("\"b\"") && !folder.text("kept.jsonl").contains("\"a\""));
    folder.done("dedup in.jsonl --output kept.jsonl --memory 200M");
    assert_eq!(folder.text("kept.jsonl"), folder.text("in.jsonl"));
}
