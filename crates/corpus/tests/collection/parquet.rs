//! Parquet: columns of every string type, nested ones, pass-through of all columns.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Decimal128Array, DictionaryArray, FixedSizeBinaryArray, Int64Array,
    LargeStringArray, ListArray, NullArray, RecordBatch, StringArray, StringViewArray, StructArray,
    TimestampMillisecondArray, UInt64Array,
};
use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use crate::common::{ONE_BATCH, batches, copy, message, rows, sources};
use twindex_corpus::{Batch, FieldValue, ReadOptions, Reader, Row, RowError, TextCells};

fn table() -> RecordBatch {
    let body: ArrayRef = Arc::new(StringArray::from(vec![Some("x"), Some("y"), Some("z"), None]));
    let meta = StructArray::try_new(
        vec![Field::new("body", DataType::Utf8, true)].into(),
        vec![body],
        Some(vec![true, true, false, true].into()),
    );
    let lists =
        ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1)]), None, None, None]);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int64Array::from(vec![10, 11, 12, 13]))),
        ("text", Arc::new(StringArray::from(vec![Some("one"), Some("two"), None, Some("four")]))),
        ("large", Arc::new(LargeStringArray::from(vec!["l1", "l2", "l3", "l4"]))),
        ("view", Arc::new(StringViewArray::from(vec!["v1", "a view longer than twelve bytes", "v3", "v4"]))),
        ("meta", Arc::new(meta.unwrap())),
        ("flag", Arc::new(BooleanArray::from(vec![true, false, true, false]))),
        ("when", Arc::new(TimestampMillisecondArray::from(vec![5, 6, 7, 8]))),
        ("lists", Arc::new(lists)),
        ("nothing", Arc::new(NullArray::new(4))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

pub(crate) fn sample(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    let notes = vec![KeyValue::new("huggingface".to_owned(), "{}".to_owned())];
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(3))
        .set_key_value_metadata(Some(notes))
        .build();
    let table = table();
    let mut writer =
        ArrowWriter::try_new(File::create(&path).unwrap(), table.schema(), Some(properties)).unwrap();
    writer.write(&table).unwrap();
    writer.close().unwrap();
    path
}

fn read_all(path: &Path) -> RecordBatch {
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap().build().unwrap();
    let batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
    arrow_select::concat::concat_batches(&batches[0].schema(), &batches).unwrap()
}

#[test]
fn rows_are_read_from_every_kind_of_string() {
    let folder = tempfile::tempdir().unwrap();
    let path = sample(folder.path(), "docs.parquet");
    let found = rows(&path, &ReadOptions::default()).unwrap();
    let seen: Vec<_> =
        found.iter().flatten().map(|row| (row.id.as_deref().unwrap(), row.text.as_ref())).collect();
    assert_eq!(seen, [("10", "one"), ("11", "two"), ("12", ""), ("13", "four")]);
    let nulls =
        |found: &[Result<Row, RowError>]| found.iter().flatten().map(|row| row.is_null).collect::<Vec<_>>();
    assert_eq!(nulls(&found), [false, false, true, false]);
    for whole_rows in [true, false] {
        for (field, expected) in [("large", "l4"), ("view", "v4")] {
            let options = ReadOptions {
                text_field: field.parse().unwrap(),
                id_field: Some("view".parse().unwrap()),
                extra: vec!["when".parse().unwrap(), "meta.body".parse().unwrap(), "flag".parse().unwrap()],
                whole_rows,
                ..ReadOptions::default()
            };
            let found = rows(&path, &options).unwrap();
            let row = found[3].as_ref().unwrap();
            assert_eq!((row.text.as_ref(), row.id.as_deref()), (expected, Some("v4")));
            assert_eq!(row.extra, [Some(FieldValue::Integer(8)), None, None]);
        }
        let options =
            ReadOptions { text_field: "meta.body".parse().unwrap(), whole_rows, ..ReadOptions::default() };
        let found = rows(&path, &options).unwrap();
        let texts: Vec<&str> =
            found.iter().flatten().filter(|row| !row.is_null).map(|row| row.text.as_ref()).collect();
        assert_eq!((texts, nulls(&found).len()), (vec!["x", "y"], 4));
        let options =
            ReadOptions { text_field: "nothing".parse().unwrap(), whole_rows, ..ReadOptions::default() };
        assert_eq!(nulls(&rows(&path, &options).unwrap()), [true; 4]);
    }
}

/// Sixty-four bits as text, numbers, bytes (that are UTF-8, too) and lists.
#[test]
fn fingerprints_may_be_numbers_bytes_and_lists() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.parquet");
    let bits = u64::from_be_bytes(*b"twindex!");
    let bytes = [b"twindex!".as_slice(), &[0xff; 8]];
    let lists = vec![Some(vec![Some(3), Some(-4)]), Some(vec![])];
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("unsigned", Arc::new(UInt64Array::from(vec![bits, u64::MAX]))),
        ("signed", Arc::new(Int64Array::from(vec![bits.cast_signed(), -1]))),
        ("bytes", Arc::new(BinaryArray::from_iter_values(bytes))),
        ("fixed", Arc::new(FixedSizeBinaryArray::try_from_iter(bytes.into_iter()).unwrap())),
        ("list", Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists))),
        ("flag", Arc::new(BooleanArray::from(vec![true, false]))),
    ];
    let table = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), table.schema(), None).unwrap();
    writer.write(&table).unwrap();
    writer.close().unwrap();
    let options = |field: &str, text_cells| ReadOptions {
        text_field: field.parse().unwrap(),
        text_cells,
        extra: vec!["list".parse().unwrap()],
        ..ReadOptions::default()
    };
    let texts = |field: &str| -> Vec<String> {
        let found = rows(&path, &options(field, TextCells::Fingerprints)).unwrap().into_iter();
        let found: Vec<Row<'_>> = found.map(|row| row.unwrap()).collect();
        assert_eq!(found[0].extra, [Some(FieldValue::List("[3,-4]".to_owned()))]);
        found.into_iter().map(|row| row.text.into_owned()).collect()
    };
    for field in ["unsigned", "signed", "bytes", "fixed"] {
        assert_eq!(texts(field), [format!("0x{bits:016x}"), "0xffffffffffffffff".to_owned()], "{field}");
    }
    assert_eq!(texts("list"), ["[3,-4]", "[]"]);
    let error = message(rows(&path, &options("flag", TextCells::Fingerprints)));
    assert!(error.ends_with("expected text, integers, eight bytes or lists"), "{error}");
    let error = message(rows(&path, &options("unsigned", TextCells::Text)));
    assert!(error.ends_with("holds UInt64, expected text"), "{error}");
}

/// Databases export integers as decimals of 38 digits; as numbers with a fraction, ids would be
/// equal that differ.
#[test]
fn decimals_are_ids_digit_for_digit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docs.parquet");
    let ids = vec![12_345_678_901_234_567_890_123, 12_345_678_901_234_567_890_124, 7];
    let ids = Decimal128Array::from(ids).with_precision_and_scale(38, 0).unwrap();
    let texts = StringArray::from(vec!["one", "two", "three"]);
    let columns: [(&str, ArrayRef); 2] = [("text", Arc::new(texts)), ("id", Arc::new(ids))];
    write_table(&path, &RecordBatch::try_from_iter(columns).unwrap());
    let found = rows(&path, &ReadOptions::default()).unwrap();
    let found: Vec<_> = found.iter().flatten().map(|row| row.id.as_deref().unwrap()).collect();
    assert_eq!(found, ["12345678901234567890123", "12345678901234567890124", "7"]);
}

#[test]
fn columns_that_do_not_fit_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = sample(folder.path(), "docs.parquet");
    let with = |text: &str, id: Option<&str>| ReadOptions {
        text_field: text.parse().unwrap(),
        id_field: id.map(|id| id.parse().unwrap()),
        ..ReadOptions::default()
    };
    let error = message(rows(&path, &with("body", None)));
    let columns = "(there are: id, text, large, view, meta, flag, when, lists, nothing)";
    assert!(error.ends_with(&format!(r#"there is no column "body" {columns}"#)), "{error}");
    let error = message(rows(&path, &with("id", None)));
    assert!(error.ends_with(r#"the column "id" holds Int64, expected text"#), "{error}");
    let error = message(rows(&path, &with("text", Some("flag"))));
    assert!(error.contains(r#"the column "flag" holds Boolean, expected text or numbers"#), "{error}");
}

#[test]
fn kept_rows_have_all_columns_notes_and_codec() {
    let folder = tempfile::tempdir().unwrap();
    let path = sample(folder.path(), "docs.parquet");
    let output = folder.path().join("out.parquet");
    for target in [1, 100, ONE_BATCH] {
        copy(&[&path], &output, &ReadOptions::default(), target, |_| true).unwrap();
        assert_eq!(read_all(&output), read_all(&path));
        copy(&[&path], &output, &ReadOptions::default(), target, |row| row % 2 == 1).unwrap();
        assert_eq!(read_all(&output).num_rows(), 2);
    }
    let metadata =
        ArrowReaderMetadata::load(&File::open(&output).unwrap(), ArrowReaderOptions::new()).unwrap();
    let metadata = metadata.metadata();
    assert_eq!(metadata.row_group(0).column(0).compression(), Compression::SNAPPY);
    let notes = metadata.file_metadata().key_value_metadata().unwrap();
    assert!(notes.iter().any(|note| note.key == "huggingface"));
    let options = ReadOptions::default();
    let batch = &batches(&sources(&[&path], &options).unwrap(), &options, ONE_BATCH).unwrap()[0];
    let json = batch.row_json(0).unwrap();
    assert!(
        json.starts_with(r#"{"id":10,"text":"one","large":"l1","view":"v1","meta":{"body":"x"},"flag":true"#),
        "{json}"
    );
}

#[test]
fn files_with_other_columns_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let first = sample(folder.path(), "1.parquet");
    let second = folder.path().join("2.parquet");
    let table = table().project(&[1, 0]).unwrap();
    let mut writer = ArrowWriter::try_new(File::create(&second).unwrap(), table.schema(), None).unwrap();
    writer.write(&table).unwrap();
    writer.close().unwrap();
    let output = folder.path().join("out.parquet");
    let error = message(copy(&[&first, &second], &output, &ReadOptions::default(), ONE_BATCH, |_| true));
    assert!(error.contains("1.parquet") && error.contains("2.parquet"), "{error}");
    assert!(
        error
            .ends_with(r#"column 1 is "id INT64" in the first and "text BYTE_ARRAY (String)" in the second"#),
        "{error}"
    );
    assert!(!output.exists());
}

fn write_texts(path: &Path, texts: ArrayRef) {
    write_table(path, &RecordBatch::try_from_iter([("text", texts)]).unwrap());
}

fn write_table(path: &Path, table: &RecordBatch) {
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), table.schema(), None).unwrap();
    writer.write(table).unwrap();
    writer.close().unwrap();
}

#[test]
fn texts_that_a_dictionary_stores_once_are_read_in_bounded_memory() {
    const TARGET: usize = 1 << 20;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("repeated.parquet");
    let texts: Vec<String> = ["a", "b", "c"].map(|letter| letter.repeat(50_000)).into();
    let repeated = || (0..20_000).map(|row| texts[row % 3].as_str());
    let table: [ArrayRef; 3] = [
        Arc::new(StringArray::from_iter_values(repeated())),
        Arc::new(StringViewArray::from_iter_values(repeated())),
        Arc::new(repeated().collect::<DictionaryArray<Int32Type>>()),
    ];
    let options = ReadOptions::default();
    for column in table {
        write_texts(&path, column);
        assert!(std::fs::metadata(&path).unwrap().len() < TARGET as u64);
        let mut reader = Reader::open(&sources(&[&path], &options).unwrap(), &options).unwrap();
        let mut seen = 0;
        while let Some(batch) = reader.next_batch(TARGET).unwrap() {
            assert!(batch.raw_bytes() <= 2 * TARGET, "{} bytes", batch.raw_bytes());
            let rows = batch.parse(&options);
            assert!(rows.len() * 50_000 <= 2 * TARGET, "{} rows", rows.len());
            for row in rows {
                let row = row.unwrap();
                assert!(row.text == texts[seen % 3], "row {seen}");
                seen += 1;
                assert_eq!(row.id_or_position(), format!("{}:{seen}", path.display()));
            }
        }
        assert_eq!(seen, 20_000);
    }
}

#[test]
fn units_follow_rows_that_become_long_and_short_again() {
    const TARGET: usize = 1 << 16;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("uneven.parquet");
    let length = |row: usize| match row {
        1_000..1_100 => 30_000,
        1_500 => 10 * TARGET,
        _ => row % 50,
    };
    let texts: Vec<String> = (0..3_000).map(|row| format!("{row} {}", "x".repeat(length(row)))).collect();
    write_texts(&path, Arc::new(StringArray::from(texts.clone())));
    let options = ReadOptions::default();
    let read = || batches(&sources(&[&path], &options).unwrap(), &options, TARGET).unwrap();
    let found = read();
    for batch in &found {
        assert!(batch.raw_bytes() <= 2 * TARGET || batch.len() == 1, "{} rows", batch.len());
    }
    let rows = found.iter().flat_map(|batch| batch.parse(&options));
    assert!(rows.map(|row| row.unwrap().text).eq(texts));
    let sizes = |batches: &[Batch]| batches.iter().map(Batch::len).collect::<Vec<_>>();
    assert_eq!(sizes(&read()), sizes(&found));
    assert!(found.last().unwrap().len() > 1_000, "short rows share a batch again");
}
