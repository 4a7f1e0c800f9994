//! Kept rows of Parquet are what they were: types, notes, names and values, whatever Arrow makes of
//! them.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{
    ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type, Int96,
    Int96Type,
};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Row;
use parquet::schema::parser::parse_message_type;

use crate::common::{ONE_BATCH, copy, message, rows};
use twindex_corpus::ReadOptions;

/// Types that Arrow does not have, or has in another form.
const SCHEMA: &str = "message a_root_of_its_own {
    optional int96 moment = 3;
    required binary text (STRING) = 7;
    required fixed_len_byte_array(16) uuid (UUID);
    optional binary json (JSON);
    required fixed_len_byte_array(12) span;
    required int32 day (DATE);
    optional group list (LIST) { repeated group list { optional int64 element; } }
}";

const ROWS: i32 = 10;

/// A file of two row groups.
fn write(path: &Path, schema: &str) {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let note = KeyValue::new("mine".to_owned(), "a note".to_owned());
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(vec![note]))
        .build();
    let mut writer =
        SerializedFileWriter::new(File::create(path).unwrap(), schema, Arc::new(properties)).unwrap();
    for first in [0, ROWS / 2] {
        let numbers = || first..first + ROWS / 2;
        let mut group = writer.next_row_group().unwrap();
        let mut number = 0;
        while let Some(mut column) = group.next_column().unwrap() {
            let bytes = |length: usize, number: i32| FixedLenByteArray::from(vec![number as u8; length]);
            match number {
                0 => {
                    // The year 9999, and no moment in every third row.
                    let mut moment = Int96::new();
                    moment.set_data(0, 0, 5_373_484);
                    let levels: Vec<i16> = numbers().map(|row| i16::from(row % 3 != 0)).collect();
                    let values = vec![moment; levels.iter().filter(|level| **level == 1).count()];
                    column.typed::<Int96Type>().write_batch(&values, Some(&levels), None)
                }
                1 => {
                    let values: Vec<_> =
                        numbers().map(|row| ByteArray::from(&*format!("text {row}"))).collect();
                    column.typed::<ByteArrayType>().write_batch(&values, None, None)
                }
                2 => {
                    let values: Vec<_> = numbers().map(|row| bytes(16, row)).collect();
                    column.typed::<FixedLenByteArrayType>().write_batch(&values, None, None)
                }
                3 => {
                    let values: Vec<_> = numbers().map(|row| ByteArray::from(&*format!("[{row}]"))).collect();
                    column.typed::<ByteArrayType>().write_batch(&values, Some(&vec![1; values.len()]), None)
                }
                4 => {
                    let values: Vec<_> = numbers().map(|row| bytes(12, row)).collect();
                    column.typed::<FixedLenByteArrayType>().write_batch(&values, None, None)
                }
                5 => column.typed::<Int32Type>().write_batch(&numbers().collect::<Vec<_>>(), None, None),
                // [row, null], [] and null in turn.
                _ => {
                    let (mut values, mut definitions, mut repetitions) = (vec![], vec![], vec![]);
                    for row in numbers() {
                        match row % 3 {
                            0 => {
                                values.push(i64::from(row));
                                definitions.extend([3, 2]);
                                repetitions.extend([0, 1]);
                            }
                            empty => {
                                definitions.push(empty as i16 - 1);
                                repetitions.push(0);
                            }
                        }
                    }
                    let column = column.typed::<Int64Type>();
                    column.write_batch(&values, Some(&definitions), Some(&repetitions))
                }
            }
            .unwrap();
            column.close().unwrap();
            number += 1;
        }
        group.close().unwrap();
    }
    writer.close().unwrap();
}

fn all_rows(path: &Path) -> Vec<Row> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    reader.get_row_iter(None).unwrap().map(Result::unwrap).collect()
}

#[test]
fn types_names_notes_and_values_survive() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.parquet"), folder.path().join("out.parquet"));
    write(&input, SCHEMA);
    let expected = all_rows(&input);
    assert_eq!(expected.len(), ROWS as usize);
    let keeps: [fn(usize) -> bool; 4] = [|_| true, |row| row % 2 == 1, |row| row == 9, |_| false];
    for whole_rows in [true, false] {
        for target in [1, 100, ONE_BATCH] {
            for keep in keeps {
                let options = ReadOptions { whole_rows, ..ReadOptions::default() };
                copy(&[&input], &output, &options, target, keep).unwrap();
                let kept = expected.iter().enumerate().filter(|(row, _)| keep(*row));
                let kept: Vec<Row> = kept.map(|(_, row)| row.clone()).collect();
                assert_eq!(all_rows(&output), kept);
            }
        }
    }
    copy(&[&input], &output, &ReadOptions::default(), ONE_BATCH, |row| row != 4).unwrap();
    let [before, after] =
        [&input, &output].map(|path| SerializedFileReader::new(File::open(path).unwrap()).unwrap());
    let [before, after] = [&before, &after].map(|reader| reader.metadata());
    let described = before.file_metadata();
    assert_eq!(described.schema(), after.file_metadata().schema());
    assert_eq!(described.key_value_metadata(), after.file_metadata().key_value_metadata());
    assert_eq!(after.row_group(0).column(0).compression(), Compression::SNAPPY);
    assert_eq!(after.num_row_groups(), 1, "small row groups are joined");
}

#[test]
fn files_of_other_types_are_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one.parquet"), folder.path().join("two.parquet"));
    write(&one, SCHEMA);
    write(&two, &SCHEMA.replace("binary json (JSON)", "binary json (BSON)"));
    let output = folder.path().join("out.parquet");
    let error = message(copy(&[&one, &two], &output, &ReadOptions::default(), ONE_BATCH, |_| true));
    assert!(error.contains("columns differ") && error.contains("json"), "{error}");
    assert!(!output.exists());
    write(&two, &SCHEMA.replace("a_root_of_its_own", "another_root"));
    copy(&[&one, &two], &output, &ReadOptions::default(), ONE_BATCH, |_| true).unwrap();
    assert_eq!(all_rows(&output).len(), 2 * ROWS as usize);
}

#[test]
fn bytes_are_ids_and_no_texts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.parquet");
    write(&path, SCHEMA);
    let options = ReadOptions { id_field: Some("uuid".parse().unwrap()), ..ReadOptions::default() };
    let id = rows(&path, &options).unwrap()[1].as_ref().unwrap().id.clone();
    assert_eq!(id.as_deref(), Some("01010101-0101-0101-0101-010101010101"));
    let options = ReadOptions { text_field: "uuid".parse().unwrap(), ..ReadOptions::default() };
    assert!(message(rows(&path, &options)).contains("expected text"));
}

/// Bytes of a file are changed in a few places, again and again: reading and copying give rows or
/// an error, and never a panic.
#[test]
fn damage_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (path, output) = (folder.path().join("in.parquet"), folder.path().join("out.parquet"));
    write(&path, SCHEMA);
    let whole = std::fs::read(&path).unwrap();
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut failed = 0;
    for _ in 0..1_000 {
        let mut damaged = whole.clone();
        for _ in 0..1 + random(4) {
            let place = random(damaged.len() - 8) + 4;
            damaged[place] = random(256) as u8;
        }
        std::fs::write(&path, damaged).unwrap();
        let read = rows(&path, &ReadOptions::default()).map(drop);
        let copied = copy(&[&path], &output, &ReadOptions::default(), 100, |row| row % 3 > 0);
        for error in [read, copied].into_iter().filter_map(Result::err) {
            assert!(error.to_string().contains("in.parquet"), "{error}");
            failed += 1;
        }
    }
    assert!(failed > 200, "only {failed} of 2,000 failed: the damage was too small");
}
