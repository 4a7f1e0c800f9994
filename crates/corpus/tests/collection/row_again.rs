//! A row that is read again by its place is the row that was read.

use std::fs;

use twindex_corpus::{ReadOptions, RowBuffer, RowFile};

use crate::common::{batches, sources};

#[test]
fn by_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let content = "\u{feff}{\"id\": 1, \"text\": \"one\"}\r\n\n  {\"text\": \"t\\u00e9xt \\ud800\"}\n\
                   {\"features\": [[\"a\", 1]]}\n{\"text\": \"last\"}";
    for (name, expected) in [("docs.jsonl", 4), ("docs.txt", 4)] {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        let format = name.ends_with("txt").then_some(twindex_corpus::Format::Lines);
        let options = ReadOptions { format, ..ReadOptions::default() };
        let sources = sources(&[&path], &options).unwrap();
        let file = RowFile::open(&sources[0]).unwrap();
        let mut buffer = RowBuffer::default();
        let mut seen = 0;
        // Batches of a row each, and all rows in one.
        for target in [1, 1 << 20] {
            for batch in batches(&sources, &options, target).unwrap() {
                for (number, row) in batch.parse(&options).into_iter().enumerate() {
                    let (row, place) = (row.unwrap(), batch.place(number).unwrap());
                    let again = file.row(place, &options, &mut buffer).unwrap().unwrap();
                    assert_eq!((again.text, again.id, again.markup), (row.text, row.id, row.markup));
                    seen += 1;
                }
            }
        }
        assert_eq!(seen, 2 * expected);
        let place = batches(&sources, &options, 1 << 20).unwrap()[0].place(expected - 1).unwrap();
        fs::write(&path, "short").unwrap();
        assert_eq!(file.row(place, &options, &mut buffer).unwrap(), None);
    }
}

#[test]
fn a_row_of_a_table_needs_its_header() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docs.csv");
    fs::write(&path, "id,text\n1,one\n").unwrap();
    let options = ReadOptions::default();
    let batches = batches(&sources(&[&path], &options).unwrap(), &options, 1 << 20).unwrap();
    assert_eq!(batches[0].place(0), None);
    assert_eq!(batches[0].unpacked(), Some(&b"id,text\n1,one\n"[..]));
}
