//! An output that cannot hold what is written is refused before anything is read, and devices take
//! anything.

use std::os::unix::fs::PermissionsExt;

use crate::folder::Folder;
use crate::planted;

#[test]
fn a_device_takes_anything_and_holds_no_work_folder() {
    let folder = Folder::new();
    folder.write("in.jsonl", planted::jsonl(&planted::collection(141, 200)));
    folder.write("in.csv", "id,text\n1,one\n2,one\n");
    for line in [
        "dedup in.jsonl --output /dev/null",
        "dedup in.jsonl --removed /dev/null",
        "dedup in.jsonl --pairs /dev/null",
        "dedup in.jsonl --clusters /dev/null",
        "dedup in.jsonl --report /dev/null",
        "dedup in.csv --output /dev/null --checkpoint 1",
        "pairs in.jsonl --output /dev/null",
        "fingerprint in.jsonl --output /dev/null",
    ] {
        folder.done(line);
        assert_eq!(folder.names(), ["in.csv", "in.jsonl"], "{line}");
        assert_eq!(folder.temporary_names(), [""; 0], "{line}");
    }
    assert!(!std::path::Path::new("/dev/null.twindex-work").exists());
}

/// The second file has a row that is no document: whoever reads it first says so.
#[test]
fn columns_in_another_order_are_refused_before_reading() {
    let folder = Folder::new();
    folder.write("a.csv", "id,text\n1,one\n\"2\",\"a \"\"quote\"\"\"\n");
    folder.write("b.csv", "text,id\ntwo,2\nthree\n");
    folder.write("a.tsv", "id\ttext\n1\tone\n");
    folder.write("b.tsv", "text\tid\nthree\n");
    folder.write("same.csv", "id,text\n3,three\n");
    folder.write("empty.csv", "");
    for (line, first) in [
        ("dedup a.csv empty.csv b.csv --output kept.csv --checkpoint 1", "a.csv"),
        ("dedup a.csv b.csv --output -", "a.csv"),
        ("dedup a.tsv b.tsv --output kept.tsv", "a.tsv"),
        ("dedup a.tsv b.tsv --output /dev/null", "a.tsv"),
    ] {
        folder.fails(line, 1, &[first, "columns differ: column 1 is \"id\" in the first and \"text\""]);
    }
    folder.done("dedup a.csv empty.csv same.csv --output kept.csv");
    assert_eq!(folder.text("kept.csv"), folder.text("a.csv") + "3,three\n");
}

#[test]
fn a_name_that_does_not_fit_is_refused_before_reading() {
    let folder = Folder::new();
    folder.write("in.jsonl", "no document\n");
    folder.write("in.parquet", "no Parquet file");
    for (line, part) in [
        ("dedup in.jsonl --output kept.csv", "kept.csv cannot hold rows of jsonl inputs"),
        ("dedup in.jsonl --removed removed.txt", "removed.txt cannot hold a table"),
        ("dedup in.parquet --output -", "- cannot hold rows of parquet inputs"),
        ("dedup - --format parquet --output -", "- cannot hold rows of parquet inputs"),
        ("dedup - --format lines --output kept.csv", "kept.csv cannot hold rows of lines inputs"),
    ] {
        folder.fails(line, 1, &[part]);
    }
}

/// A truncated file has to be replaced, and is another input then: its checkpoints are of no use.
#[test]
fn a_job_that_cannot_go_on_leaves_no_work_folder() {
    let folder = Folder::new();
    let rows = planted::jsonl(&planted::collection(142, 6_000));
    let packed = crate::bad_input::gzip(rows.as_bytes());
    folder.write("in.jsonl.gz", &packed[..packed.len() - 100]);
    folder.fails("dedup in.jsonl.gz --output kept.jsonl --checkpoint 1", 1, &["in.jsonl.gz is truncated"]);
}

#[test]
fn a_replaced_output_keeps_its_mode() {
    let folder = Folder::new();
    folder.write("in.jsonl", planted::jsonl(&planted::collection(143, 50)));
    folder.write("kept.jsonl", "old");
    let path = folder.path("kept.jsonl");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    folder.done("dedup in.jsonl --output kept.jsonl --removed removed.tsv");
    let mode = |name: &str| folder.path(name).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("kept.jsonl"), 0o640);
    folder.write("fresh", "");
    assert_eq!(mode("removed.tsv"), mode("fresh"), "a new one is like any new file");
}
