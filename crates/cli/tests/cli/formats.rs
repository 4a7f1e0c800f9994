//! The same collection in every format gives the same removals, and kept rows pass through in their
//! format.

use arrow_array::RecordBatch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use twindex_corpus::{Cell, Column, ColumnKind, TableWriter};

use crate::bad_input::{gzip, zstandard};
use crate::folder::{Ended, Folder};
use crate::planted::{self, Document};
use crate::table;

/// A removal by the numbers of its documents, with its Jaccard in millionths.
type Removal = (usize, usize, u64);

fn documents() -> Vec<Document> {
    planted::collection(111, 120)
}

/// The number of a document from any of its ids: `d00017`, `in.csv:19`, `texts/d00017.txt`,
/// `urn:uuid:17`.
fn number(id: &str, first_line: usize) -> usize {
    let name = id.trim_end_matches(".txt").trim_end_matches(".html");
    let digits =
        name.rfind(|character: char| !character.is_ascii_digit()).map_or(name, |end| &name[end + 1..]);
    let number: usize = digits.parse().unwrap_or_else(|_| panic!("{id}"));
    number - if id.contains("in.") || id.contains("stdin:") { first_line } else { 0 }
}

fn removals(jsonl: &str, first_line: usize) -> Vec<Removal> {
    let removal = |row: table::Scored| {
        (number(&row.left, first_line), number(&row.right, first_line), (row.jaccard * 1e6).round() as u64)
    };
    table::removed(jsonl).into_iter().map(removal).collect()
}

/// What the program finds in the collection as JSON Lines.
fn expected(documents: &[Document]) -> Vec<Removal> {
    let folder = Folder::new();
    folder.write("in.jsonl", planted::jsonl(documents));
    folder.done("dedup in.jsonl --removed removed.jsonl");
    let expected = removals(&folder.text("removed.jsonl"), 0);
    assert!(expected.len() > 20);
    expected
}

/// Runs the collection in one more format; returns the folder, with the kept rows in it.
fn check(
    documents: &[Document],
    input: &str,
    write: impl FnOnce(&Folder),
    options: &str,
    first_line: usize,
) -> Folder {
    let folder = Folder::new();
    write(&folder);
    folder.done(&format!("dedup {input} --removed removed.jsonl {options}"));
    assert_eq!(removals(&folder.text("removed.jsonl"), first_line), expected(documents), "{input}");
    folder
}

/// The documents that stay.
fn kept(documents: &[Document]) -> Vec<&Document> {
    let removed = expected(documents);
    let is_removed = |number: &usize| removed.iter().any(|removal| removal.0 == *number);
    documents
        .iter()
        .enumerate()
        .filter(|(number, _)| !is_removed(number))
        .map(|(_, document)| document)
        .collect()
}

#[test]
fn packed_json_lines() {
    let documents = documents();
    let rows = planted::jsonl(&documents);
    let expected: Vec<Document> = kept(&documents).into_iter().cloned().collect();
    let expected = planted::jsonl(&expected);
    let folder = check(
        &documents,
        "in.jsonl.gz",
        |folder| folder.write("in.jsonl.gz", gzip(rows.as_bytes())),
        "--output kept.jsonl.zst",
        0,
    );
    let found = zstd::decode_all(&folder.read("kept.jsonl.zst")[..]).unwrap();
    assert_eq!(String::from_utf8(found).unwrap(), expected);
    let folder = check(
        &documents,
        "in.jsonl.zst",
        |folder| folder.write("in.jsonl.zst", zstandard(rows.as_bytes())),
        "--output kept.jsonl.gz",
        0,
    );
    let mut found = String::new();
    let packed = folder.read("kept.jsonl.gz");
    std::io::Read::read_to_string(&mut flate2::read::MultiGzDecoder::new(&packed[..]), &mut found).unwrap();
    assert_eq!(found, expected);
}

#[test]
fn comma_separated() {
    let documents = documents();
    let header = "id,\"text\",date\r\n";
    // One cell in three is quoted though it need not be: the kept rows show that bytes are passed
    // on.
    let row = |document: &Document| match document.family % 3 {
        0 => format!("{},\"{}\",{}\r\n", document.id, document.text, document.date),
        _ => format!("{},{},{}\r\n", document.id, document.text, document.date),
    };
    let rows: String = documents.iter().map(row).collect();
    let folder = check(
        &documents,
        "in.csv",
        |folder| folder.write("in.csv", format!("{header}{rows}")),
        "--output kept.csv",
        0,
    );
    let expected: String = kept(&documents).into_iter().map(row).collect();
    assert_eq!(folder.text("kept.csv"), format!("{header}{expected}"));
}

#[test]
fn tab_separated() {
    let documents = documents();
    let row = |document: &Document| format!("{}\t{}\n", document.date, document.text);
    let rows: String = documents.iter().map(row).collect();
    let folder = check(
        &documents,
        "in.tsv",
        |folder| folder.write("in.tsv", format!("date\ttext\n{rows}")),
        "--output kept.tsv.gz",
        2,
    );
    assert!(!folder.read("kept.tsv.gz").is_empty());
}

#[test]
fn lines() {
    let documents = documents();
    let row = |document: &Document| format!("{}\n", document.text);
    let rows: String = documents.iter().map(row).collect();
    let folder = check(
        &documents,
        "in.txt",
        |folder| folder.write("in.txt", rows),
        "--format lines --output kept.txt",
        1,
    );
    assert_eq!(folder.text("kept.txt"), kept(&documents).into_iter().map(row).collect::<String>());
}

fn batches(folder: &Folder, name: &str) -> Vec<RecordBatch> {
    let file = std::fs::File::open(folder.path(name)).unwrap();
    ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap().map(Result::unwrap).collect()
}

#[test]
fn parquet_keeps_its_schema_and_every_column() {
    let documents = documents();
    let columns = [
        Column::new("id", ColumnKind::Text),
        Column::new("date", ColumnKind::Text),
        Column::new("text", ColumnKind::Text),
        Column::new("score", ColumnKind::Integer),
        Column::new("tags", ColumnKind::TextList),
    ];
    let write = |path: &std::path::Path, documents: &[&Document]| {
        let mut table = TableWriter::create(path, &columns).unwrap();
        for document in documents {
            let tags = vec![document.date.clone(), document.family.to_string()];
            let score = (document.score % 3 != 0).then_some(document.score);
            table
                .row(&[
                    Cell::Text(&document.id),
                    Cell::Text(&document.date),
                    Cell::Text(&document.text),
                    Cell::Integer(score),
                    Cell::TextList(&tags),
                ])
                .unwrap();
        }
        table.finish().unwrap().commit().unwrap();
    };
    let all: Vec<&Document> = documents.iter().collect();
    let folder = check(
        &documents,
        "in.parquet",
        |folder| write(&folder.path("in.parquet"), &all),
        "--output kept.parquet",
        0,
    );
    write(&folder.path("expected.parquet"), &kept(&documents));
    let [input, found, expected] =
        ["in.parquet", "kept.parquet", "expected.parquet"].map(|name| batches(&folder, name));
    assert_eq!(found[0].schema(), input[0].schema());
    let whole = |batches: &[RecordBatch]| {
        arrow_select::concat::concat_batches(&batches[0].schema(), batches).unwrap()
    };
    assert_eq!(whole(&found).columns(), whole(&expected).columns());

    // And tables of results can be Parquet too.
    folder
        .done("dedup in.parquet --removed removed.parquet --pairs pairs.parquet --clusters clusters.parquet");
    let rows = |name: &str| batches(&folder, name).iter().map(RecordBatch::num_rows).sum::<usize>();
    assert_eq!(rows("removed.parquet"), table::removed(&folder.text("removed.jsonl")).len());
    assert!(rows("clusters.parquet") > 10 && rows("pairs.parquet") > 20);
    folder.done("dedup clusters.parquet --text-field id --removed clusters-removed.jsonl");
}

#[test]
fn a_folder_of_texts() {
    let documents = documents();
    let write = |folder: &Folder| {
        for document in &documents {
            folder.write(&format!("texts/{}.txt", document.id), &document.text);
        }
        folder.write("texts/.hidden", "not a document");
    };
    let folder = check(&documents, "texts", write, "--output kept", 0);
    let names: Vec<String> = kept(&documents).iter().map(|document| format!("{}.txt", document.id)).collect();
    let copies: Vec<String> =
        folder.names().iter().filter_map(|name| name.strip_prefix("kept/").map(str::to_owned)).collect();
    assert_eq!(copies, names);
    for name in names {
        assert_eq!(folder.read(&format!("kept/{name}")), folder.read(&format!("texts/{name}")));
    }
    // A second run does not mix its files with those that are there.
    folder.fails("dedup texts --output kept", 1, &["kept", "not empty"]);
    folder.done("dedup texts --output kept.jsonl");
    let texts: Vec<String> = kept(&documents).iter().map(|document| document.text.clone()).collect();
    assert_eq!(table::field(&folder.text("kept.jsonl"), "text"), texts);
}

fn page(document: &Document) -> String {
    format!("<!doctype html><title></title><script>var x = 1</script><p>{}</p>", document.text)
}

#[test]
fn a_folder_of_pages() {
    let documents = documents();
    let write = |folder: &Folder| {
        for document in &documents {
            folder.write(&format!("pages/{}.html", document.id), page(document));
        }
    };
    let folder = check(&documents, "pages", write, "--output kept/", 0);
    assert_eq!(std::fs::read_dir(folder.path("kept")).unwrap().count(), kept(&documents).len());
}

#[test]
fn a_web_archive() {
    let documents = documents();
    let record = |document: &Document| {
        let number = number(&document.id, 0);
        let body =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{}", page(document));
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number}>\r\n\
             Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{body}\r\n\r\n",
            body.len()
        )
    };
    let info = "WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: <urn:uuid:info>\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    let archive = |documents: &[&Document]| {
        std::iter::once(info.to_owned())
            .chain(documents.iter().map(|document| record(document)))
            .collect::<String>()
    };
    let all: Vec<&Document> = documents.iter().collect();
    let folder = check(
        &documents,
        "in.warc.gz",
        |folder| folder.write("in.warc.gz", gzip(archive(&all).as_bytes())),
        "--output kept.warc",
        0,
    );
    assert_eq!(folder.text("kept.warc"), archive(&kept(&documents)));
}

#[test]
fn standard_input() {
    let documents = documents();
    let rows = planted::jsonl(&documents);
    for (name, bytes) in [("in.jsonl", rows.clone().into_bytes()), ("in.jsonl.gz", gzip(rows.as_bytes()))] {
        let folder = Folder::new();
        folder.write(name, bytes);
        let input = std::fs::File::open(folder.path(name)).unwrap();
        let mut command = folder.command("dedup - --removed removed.jsonl --output -");
        let ended = Ended::of(command.stdin(input).spawn().unwrap());
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert_eq!(removals(&folder.text("removed.jsonl"), 0), expected(&documents));
        let kept: Vec<Document> = kept(&documents).into_iter().cloned().collect();
        assert_eq!(ended.stdout, planted::jsonl(&kept));
        assert_eq!(folder.names(), [name, "removed.jsonl"]);
        assert_eq!(folder.temporary_names(), [""; 0]);
    }
    let folder = Folder::new();
    let lines: String = documents.iter().map(|document| format!("{}\n", document.text)).collect();
    folder.write("in.txt", lines);
    let input = std::fs::File::open(folder.path("in.txt")).unwrap();
    let mut command = folder.command("dedup - --format lines --removed removed.jsonl");
    assert_eq!(Ended::of(command.stdin(input).spawn().unwrap()).code, Some(0));
    assert_eq!(removals(&folder.text("removed.jsonl"), 1), expected(&documents));
}

/// Several files are one collection, in the order in which they were named; a pattern's in that of
/// their names.
#[test]
fn patterns_and_several_inputs() {
    let documents = documents();
    let write = |folder: &Folder| {
        for (part, documents) in documents.chunks(documents.len().div_ceil(5)).enumerate() {
            let rows = planted::jsonl(documents);
            match part % 2 {
                0 => folder.write(&format!("parts/{part}.jsonl"), rows),
                _ => folder.write(&format!("parts/{part}.jsonl.gz"), gzip(rows.as_bytes())),
            }
        }
        folder.write("parts/unrelated.docx", "");
    };
    let expected: Vec<Document> = kept(&documents).into_iter().cloned().collect();
    let several = (0..5).map(|part| format!("parts/{part}.jsonl{}", if part % 2 == 0 { "" } else { ".gz" }));
    for input in ["parts/*.jsonl*".to_owned(), several.collect::<Vec<_>>().join(" ")] {
        let folder = check(&documents, &input, write, "--output kept.jsonl", 0);
        assert_eq!(folder.text("kept.jsonl"), planted::jsonl(&expected), "{input}");
    }
}

/// Rows pass through, so one output cannot take two formats.
#[test]
fn mixed_formats() {
    let folder = Folder::new();
    folder.write("a.jsonl", planted::rows(&[("a", "one two three four")]));
    folder.write("b.csv", "id,text\nb,one two three four\n");
    folder.fails(
        "dedup a.jsonl b.csv --output kept.jsonl",
        1,
        &["a.jsonl (jsonl)", "b.csv (csv)", "run once for each"],
    );
    folder.done("dedup a.jsonl b.csv --removed removed.jsonl");
    assert_eq!(table::removed(&folder.text("removed.jsonl")).len(), 1);
}
