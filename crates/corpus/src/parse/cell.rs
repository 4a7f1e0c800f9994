//! How is a cell of a column (Parquet) read?
//!
//! Cells are read one by one from whatever type their column has. The crates that cast whole
//! columns and write them as JSON (`arrow-cast`, `arrow-ord`, `arrow-json`) took a fifth of the
//! time to compile the program; they are what the tests compare with.

use std::fmt::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType,
    Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::{DataType, TimeUnit};
use serde::ser::{Error, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// One value of a column.
#[derive(Clone, Copy)]
pub(crate) struct Cell<'a> {
    column: &'a dyn Array,
    row: usize,
}

impl<'a> Cell<'a> {
    /// The cell of `column` in `row`; of a dictionary the value that it stands for.
    pub(crate) fn of(column: &'a dyn Array, row: usize) -> Cell<'a> {
        match column.as_any_dictionary_opt() {
            Some(dictionary) if !column.is_null(row) => {
                let keys = Cell { column: dictionary.keys(), row };
                let key = keys.integer().map(|key| key as u64).or_else(|| keys.unsigned());
                Cell::of(dictionary.values().as_ref(), key.unwrap_or(0) as usize)
            }
            _ => Cell { column, row },
        }
    }

    pub(crate) fn is_null(self) -> bool {
        self.column.is_null(self.row) || *self.column.data_type() == DataType::Null
    }

    /// A text; bytes are one if they are UTF-8, as old writers do not say that their strings are
    /// strings.
    pub(crate) fn text(self) -> Option<&'a str> {
        match self.column.data_type() {
            DataType::Utf8 => Some(self.column.as_string::<i32>().value(self.row)),
            DataType::LargeUtf8 => Some(self.column.as_string::<i64>().value(self.row)),
            DataType::Utf8View => Some(self.column.as_string_view().value(self.row)),
            _ => simdutf8::basic::from_utf8(self.bytes()?).ok(),
        }
    }

    /// How long a text, or a string of bytes, is.
    pub(crate) fn byte_length(self) -> Option<usize> {
        self.bytes().map(<[u8]>::len).or_else(|| self.text().map(str::len))
    }

    /// Eight bytes as a number, the highest first.
    pub(crate) fn bits(self) -> Option<u64> {
        Some(u64::from_be_bytes(self.bytes()?.try_into().ok()?))
    }

    pub(crate) fn bytes(self) -> Option<&'a [u8]> {
        match self.column.data_type() {
            DataType::Binary => Some(self.column.as_binary::<i32>().value(self.row)),
            DataType::LargeBinary => Some(self.column.as_binary::<i64>().value(self.row)),
            DataType::BinaryView => Some(self.column.as_binary_view().value(self.row)),
            DataType::FixedSizeBinary(_) => Some(self.column.as_fixed_size_binary().value(self.row)),
            _ => None,
        }
    }

    /// An integer; dates and times as they are counted.
    pub(crate) fn integer(self) -> Option<i64> {
        macro_rules! value {
            ($type:ty) => {
                Some(self.column.as_primitive::<$type>().value(self.row).into())
            };
        }
        match self.column.data_type() {
            DataType::Int8 => value!(Int8Type),
            DataType::Int16 => value!(Int16Type),
            DataType::Int32 => value!(Int32Type),
            DataType::Int64 => value!(Int64Type),
            DataType::UInt8 => value!(UInt8Type),
            DataType::UInt16 => value!(UInt16Type),
            DataType::UInt32 => value!(UInt32Type),
            DataType::Date32 => value!(Date32Type),
            DataType::Date64 => value!(Date64Type),
            DataType::Timestamp(TimeUnit::Second, _) => value!(TimestampSecondType),
            DataType::Timestamp(TimeUnit::Millisecond, _) => value!(TimestampMillisecondType),
            DataType::Timestamp(TimeUnit::Microsecond, _) => value!(TimestampMicrosecondType),
            DataType::Timestamp(TimeUnit::Nanosecond, _) => value!(TimestampNanosecondType),
            _ => None,
        }
    }

    /// An integer that may be larger than signed ones.
    pub(crate) fn unsigned(self) -> Option<u64> {
        let is_unsigned = *self.column.data_type() == DataType::UInt64;
        is_unsigned.then(|| self.column.as_primitive::<UInt64Type>().value(self.row))
    }

    /// A number with a fraction.
    pub(crate) fn number(self) -> Option<f64> {
        match self.column.data_type() {
            DataType::Float16 => Some(self.column.as_primitive::<Float16Type>().value(self.row).into()),
            DataType::Float32 => Some(self.column.as_primitive::<Float32Type>().value(self.row).into()),
            DataType::Float64 => Some(self.column.as_primitive::<Float64Type>().value(self.row)),
            _ => self.decimal()?.parse().ok(),
        }
    }

    /// A decimal number, digit for digit.
    pub(crate) fn decimal(self) -> Option<String> {
        macro_rules! digits {
            ($type:ty) => {
                Some(self.column.as_primitive::<$type>().value_as_string(self.row))
            };
        }
        match self.column.data_type() {
            DataType::Decimal32(_, _) => digits!(Decimal32Type),
            DataType::Decimal64(_, _) => digits!(Decimal64Type),
            DataType::Decimal128(_, _) => digits!(Decimal128Type),
            DataType::Decimal256(_, _) => digits!(Decimal256Type),
            _ => None,
        }
    }

    /// A date, a time or a duration as ISO 8601 writes it. A point in time of a zone is given in
    /// UTC.
    fn time(self) -> Option<String> {
        macro_rules! value {
            ($type:ty, $value:ident) => {
                self.column.as_primitive::<$type>().$value(self.row)
            };
        }
        match self.column.data_type() {
            DataType::Date32 => value!(Date32Type, value_as_date).map(|date| date.to_string()),
            DataType::Date64 => value!(Date64Type, value_as_datetime).map(|time| format!("{time:?}")),
            DataType::Time32(unit) | DataType::Time64(unit) => {
                let time = match unit {
                    TimeUnit::Second => value!(Time32SecondType, value_as_time),
                    TimeUnit::Millisecond => value!(Time32MillisecondType, value_as_time),
                    TimeUnit::Microsecond => value!(Time64MicrosecondType, value_as_time),
                    TimeUnit::Nanosecond => value!(Time64NanosecondType, value_as_time),
                };
                time.map(|time| time.to_string())
            }
            DataType::Timestamp(unit, zone) => {
                let time = match unit {
                    TimeUnit::Second => value!(TimestampSecondType, value_as_datetime),
                    TimeUnit::Millisecond => value!(TimestampMillisecondType, value_as_datetime),
                    TimeUnit::Microsecond => value!(TimestampMicrosecondType, value_as_datetime),
                    TimeUnit::Nanosecond => value!(TimestampNanosecondType, value_as_datetime),
                };
                let zone = if zone.is_some() { "Z" } else { "" };
                time.map(|time| format!("{time:?}{zone}"))
            }
            DataType::Duration(unit) => {
                let duration = match unit {
                    TimeUnit::Second => value!(DurationSecondType, value_as_duration),
                    TimeUnit::Millisecond => value!(DurationMillisecondType, value_as_duration),
                    TimeUnit::Microsecond => value!(DurationMicrosecondType, value_as_duration),
                    TimeUnit::Nanosecond => value!(DurationNanosecondType, value_as_duration),
                };
                duration.map(|duration| duration.to_string())
            }
            _ => None,
        }
    }

    fn list(self) -> Option<ArrayRef> {
        match self.column.data_type() {
            DataType::List(_) => Some(self.column.as_list::<i32>().value(self.row)),
            DataType::LargeList(_) => Some(self.column.as_list::<i64>().value(self.row)),
            DataType::ListView(_) => Some(self.column.as_list_view::<i32>().value(self.row)),
            DataType::LargeListView(_) => Some(self.column.as_list_view::<i64>().value(self.row)),
            DataType::FixedSizeList(_, _) => Some(self.column.as_fixed_size_list().value(self.row)),
            _ => None,
        }
    }
}

/// As JSON: bytes in hexadecimal digits, times as ISO 8601 has them, fields that are null left out.
impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.is_null() {
            return to.serialize_none();
        }
        let (column, row) = (self.column, self.row);
        match column.data_type() {
            DataType::Boolean => return to.serialize_bool(column.as_boolean().value(row)),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                return to.serialize_str(self.text().unwrap_or_default());
            }
            // A shorter decimal names it than names the same number in 64 bits.
            DataType::Float32 => return to.serialize_f32(column.as_primitive::<Float32Type>().value(row)),
            DataType::Struct(_) => return Object { columns: column.as_struct(), row }.serialize(to),
            DataType::Map(_, _) => return entries(&column.as_map().value(row), to),
            _ => {}
        }
        if let Some(bytes) = self.bytes() {
            to.serialize_str(&hexadecimal(bytes))
        } else if let Some(list) = self.list() {
            let mut items = to.serialize_seq(Some(list.len()))?;
            (0..list.len()).try_for_each(|row| items.serialize_element(&Cell::of(&list, row)))?;
            items.end()
        } else if let Some(digits) = self.decimal() {
            // A number of any length: as text it would need quotes, as 64 bits it would lose
            // digits.
            RawValue::from_string(digits).map_err(S::Error::custom)?.serialize(to)
        } else if let Some(time) = self.time() {
            to.serialize_str(&time)
        } else if let Some(integer) = self.integer() {
            to.serialize_i64(integer)
        } else if let Some(integer) = self.unsigned() {
            to.serialize_u64(integer)
        } else if let Some(number) = self.number() {
            to.serialize_f64(number)
        } else {
            Err(S::Error::custom(format!("a column of {}, which JSON has no form for", column.data_type())))
        }
    }
}

/// One row of columns with names.
pub(crate) struct Object<'a> {
    pub(crate) columns: &'a StructArray,
    pub(crate) row: usize,
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut fields = to.serialize_map(None)?;
        for (name, column) in self.columns.column_names().iter().zip(self.columns.columns()) {
            let cell = Cell::of(column, self.row);
            if !cell.is_null() {
                fields.serialize_entry(name, &cell)?;
            }
        }
        fields.end()
    }
}

/// A map, which Arrow has as a list of keys and values.
fn entries<S: Serializer>(entries: &StructArray, to: S) -> Result<S::Ok, S::Error> {
    let mut fields = to.serialize_map(Some(entries.len()))?;
    for row in 0..entries.len() {
        let [key, value] = [0, 1].map(|column| Cell::of(entries.column(column), row));
        let key = key.text().ok_or_else(|| S::Error::custom("a map whose keys are no text"))?;
        if !value.is_null() {
            fields.serialize_entry(key, &value)?;
        }
    }
    fields.end()
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}
