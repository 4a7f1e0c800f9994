//! Rows of Parquet as JSON, beside what Arrow's own writer makes of them.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::{Float16Type, Int32Type};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Date64Array, Decimal128Array, DictionaryArray,
    DurationMillisecondArray, FixedSizeBinaryArray, Float32Array, Float64Array, Int8Array, LargeBinaryArray,
    LargeStringArray, ListArray, MapArray, NullArray, PrimitiveArray, RecordBatch, StringArray,
    StringViewArray, StructArray, Time32SecondArray, Time64NanosecondArray, TimestampMicrosecondArray,
    TimestampNanosecondArray, TimestampSecondArray, UInt64Array,
};
use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;

use crate::common::{ONE_BATCH, batches, message, sources};
use twindex_corpus::ReadOptions;

/// Three rows: ordinary values, extreme ones, nulls.
fn table() -> RecordBatch {
    let half = |value: f32| <Float16Type as arrow_array::types::ArrowPrimitiveType>::Native::from_f32(value);
    let words = StringArray::from(vec![Some("a \"quoted\" word\n"), Some("汉字\u{0}"), None]);
    let object = StructArray::from(vec![
        (Arc::new(Field::new("inner", DataType::Utf8, true)), Arc::new(words.clone()) as ArrayRef),
        (
            Arc::new(Field::new("flag", DataType::Boolean, true)),
            Arc::new(BooleanArray::from(vec![Some(true), None, None])),
        ),
    ]);
    let mut map = arrow_array::builder::MapBuilder::new(
        None,
        arrow_array::builder::StringBuilder::new(),
        arrow_array::builder::Int32Builder::new(),
    );
    map.keys().append_value("one");
    map.values().append_value(1);
    map.append(true).unwrap();
    map.append(true).unwrap();
    map.append(false).unwrap();
    let map: MapArray = map.finish();
    let lists = vec![Some(vec![Some(1), None, Some(-3)]), Some(vec![]), None];
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("text", Arc::new(words)),
        ("large", Arc::new(LargeStringArray::from(vec![Some("l"), Some(""), None]))),
        (
            "view",
            Arc::new(StringViewArray::from(vec![Some("a view longer than twelve bytes"), Some("v"), None])),
        ),
        ("dictionary", Arc::new(DictionaryArray::<Int32Type>::from_iter([Some("x"), Some("y"), None]))),
        ("bytes", Arc::new(BinaryArray::from_opt_vec(vec![Some(b"\x00\xff"), Some(b""), None]))),
        ("large bytes", Arc::new(LargeBinaryArray::from_opt_vec(vec![Some(b"\x0a"), Some(b"b"), None]))),
        ("fixed", Arc::new(FixedSizeBinaryArray::try_from_iter([[1u8, 2], [3, 4], [5, 6]].iter()).unwrap())),
        ("flag", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None]))),
        ("small", Arc::new(Int8Array::from(vec![Some(-1), Some(i8::MIN), None]))),
        ("huge", Arc::new(UInt64Array::from(vec![Some(1), Some(u64::MAX), None]))),
        (
            "half",
            Arc::new(PrimitiveArray::<Float16Type>::from_iter([Some(half(0.5)), Some(half(-2.0)), None])),
        ),
        ("single", Arc::new(Float32Array::from(vec![Some(0.1), Some(f32::MAX), None]))),
        ("double", Arc::new(Float64Array::from(vec![Some(0.1), Some(f64::NAN), None]))),
        (
            "decimal",
            Arc::new(
                Decimal128Array::from(vec![Some(-12_345), Some(5), None])
                    .with_precision_and_scale(20, 2)
                    .unwrap(),
            ),
        ),
        ("date", Arc::new(Date32Array::from(vec![Some(0), Some(20_000), None]))),
        ("long date", Arc::new(Date64Array::from(vec![Some(0), Some(86_400_000), None]))),
        ("time", Arc::new(Time32SecondArray::from(vec![Some(1), Some(86_399), None]))),
        ("fine time", Arc::new(Time64NanosecondArray::from(vec![Some(1), Some(5_000_000_000), None]))),
        ("second", Arc::new(TimestampSecondArray::from(vec![Some(0), Some(-1), None]))),
        (
            "microsecond",
            Arc::new(TimestampMicrosecondArray::from(vec![Some(1), Some(1_700_000_000_000_000), None])),
        ),
        ("nanosecond", Arc::new(TimestampNanosecondArray::from(vec![Some(1), Some(i64::MAX), None]))),
        ("duration", Arc::new(DurationMillisecondArray::from(vec![Some(1_500), Some(-1), None]))),
        ("list", Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists))),
        ("object", Arc::new(object)),
        ("map", Arc::new(map)),
        ("nothing", Arc::new(NullArray::new(3))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

/// The rows of a table as JSON, written to Parquet and read by twindex.
fn ours(folder: &Path, table: &RecordBatch) -> Result<Vec<String>, String> {
    let path = folder.join("docs.parquet");
    let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), table.schema(), None).unwrap();
    writer.write(table).unwrap();
    writer.close().unwrap();
    let options = ReadOptions::default();
    let batch = &batches(&sources(&[&path], &options).unwrap(), &options, ONE_BATCH).unwrap()[0];
    (0..table.num_rows())
        .map(|row| batch.row_json(row).map_err(|error| message(Err::<(), _>(error))))
        .collect()
}

#[test]
fn every_type_of_column_is_written_as_arrow_writes_it() {
    let folder = tempfile::tempdir().unwrap();
    let table = table();
    let mut writer = arrow_json::LineDelimitedWriter::new(Vec::new());
    writer.write(&table).unwrap();
    writer.finish().unwrap();
    let theirs = String::from_utf8(writer.into_inner()).unwrap();
    let ours = ours(folder.path(), &table).unwrap();
    assert_eq!(ours.len(), 3);
    let parsed = |row: &str| serde_json::from_str::<serde_json::Value>(row).unwrap();
    for (ours, theirs) in ours.iter().zip(theirs.lines()) {
        assert_eq!(parsed(ours), parsed(theirs), "\n{ours}\n{theirs}");
    }
}

/// Arrow's writer knows no zone by its name without a database of zones.
#[test]
fn points_in_time_are_written_in_utc() {
    let folder = tempfile::tempdir().unwrap();
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let time: ArrayRef = Arc::new(TimestampSecondArray::from(vec![1_700_000_000]).with_timezone("UTC"));
    let table = RecordBatch::try_from_iter([("text", text), ("time", time)]).unwrap();
    assert_eq!(ours(folder.path(), &table).unwrap(), [r#"{"text":"a","time":"2023-11-14T22:13:20Z"}"#]);
}

#[test]
fn a_column_that_json_cannot_hold_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let months: ArrayRef = Arc::new(arrow_array::IntervalYearMonthArray::from(vec![3]));
    let table = RecordBatch::try_from_iter([("text", text), ("months", months)]).unwrap();
    let error = ours(folder.path(), &table).unwrap_err();
    assert!(error.contains("JSON") && error.contains("Interval"), "{error}");
}
