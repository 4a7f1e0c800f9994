//! Result tables in every notation.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::common::{message, read};
use twindex_corpus::{Cell, Column, ColumnKind, TableWriter};

fn columns() -> Vec<Column> {
    vec![
        Column::new("id", ColumnKind::Text),
        Column::new("jaccard", ColumnKind::Number),
        Column::new("distance", ColumnKind::Integer),
        Column::new("members", ColumnKind::TextList),
        Column::new("row", ColumnKind::Json),
    ]
}

fn written(name: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let mut table = TableWriter::create(&path, &columns()).unwrap();
    let members = ["a".to_owned(), "b\t\"".to_owned()];
    let cells = [
        Cell::Text("tab\t line\n back\\slash \"q\""),
        Cell::Number(Some(2.0 / 3.0)),
        Cell::Integer(Some(-3)),
        Cell::TextList(&members),
        Cell::Json(r#"{"text":"x\n"}"#),
    ];
    table.row(&cells).unwrap();
    let empty =
        [Cell::Text(""), Cell::Number(Some(f64::NAN)), Cell::Integer(None), Cell::TextList(&[]), Cell::Null];
    table.row(&empty).unwrap();
    table.finish().unwrap().commit().unwrap();
    (folder, path)
}

#[test]
fn text_tables_are_exact() {
    let tsv = "id\tjaccard\tdistance\tmembers\trow\n\
               tab\\t line\\n back\\\\slash \"q\"\t0.666667\t-3\t[\"a\",\"b\\\\t\\\\\"\"]\t{\"text\":\"x\\\\n\"}\n\
               \t\t\t[]\t\n";
    let jsonl = "{\"id\":\"tab\\t line\\n back\\\\slash \\\"q\\\"\",\"jaccard\":0.666667,\"distance\":-3,\
                 \"members\":[\"a\",\"b\\t\\\"\"],\"row\":{\"text\":\"x\\n\"}}\n\
                 {\"id\":\"\",\"jaccard\":null,\"distance\":null,\"members\":[],\"row\":null}\n";
    for packing in ["", ".gz", ".zst"] {
        let (_folder, path) = written(&format!("table.tsv{packing}"));
        assert_eq!(String::from_utf8(read(&path)).unwrap(), tsv);
        let (_folder, path) = written(&format!("table.jsonl{packing}"));
        assert_eq!(String::from_utf8(read(&path)).unwrap(), jsonl);
    }
}

#[test]
fn parquet_tables_hold_the_same_values() {
    let (_folder, path) = written("table.parquet");
    let reader = ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(path).unwrap()).unwrap();
    let batch = reader.build().unwrap().next().unwrap().unwrap();
    assert_eq!(batch.num_rows(), 2);
    assert_eq!(batch.column(0).as_string::<i32>().value(0), "tab\t line\n back\\slash \"q\"");
    assert_eq!(batch.column(1).as_primitive::<Float64Type>().value(0), 0.666_667);
    assert_eq!(batch.column(2).as_primitive::<Int64Type>().value(0), -3);
    assert_eq!(batch.column(3).as_list::<i32>().value(0).as_string::<i32>().value(1), "b\t\"");
    assert!([1, 2, 4].iter().all(|column| batch.column(*column).is_null(1)));
}

#[test]
fn tables_refuse_what_they_cannot_hold() {
    let folder = tempfile::tempdir().unwrap();
    let error = message(TableWriter::create(&folder.path().join("pairs.csv"), &columns()).map(drop));
    assert!(
        error.ends_with("expected a name with .jsonl or .tsv (each also with .gz or .zst) or .parquet"),
        "{error}"
    );
    assert!(TableWriter::create(&folder.path().join("pairs.parquet.gz"), &columns()).is_err());
    let mut table = TableWriter::create(&folder.path().join("pairs.tsv"), &columns()).unwrap();
    let error = message(table.row(&[Cell::Text("x")]));
    assert_eq!(error, "a table row of 1 cells does not fit the columns id, jaccard, distance, members, row");
    assert!(table.row(&[Cell::Integer(None); 5]).is_err());
}
