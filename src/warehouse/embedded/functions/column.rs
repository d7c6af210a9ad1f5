//! Reading the values of a column row by row, and building a column from values.
//!
//! Every storage of a type reads as the same [`Value`]: the three string layouts, dictionaries, the
//! list layouts. Rarely seen storages are converted to the usual one first, for the whole column.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BinaryViewArray, BinaryViewBuilder, BooleanArray,
    BooleanBuilder, Date32Array, Date32Builder, Decimal128Array, Decimal128Builder,
    Decimal256Array, Decimal256Builder, Float64Array, Float64Builder, Int64Array, Int64Builder,
    LargeStringArray, ListArray, StringArray, StringViewArray, StringViewBuilder, StructArray,
    Time64MicrosecondArray, Time64MicrosecondBuilder, TimestampMicrosecondArray,
    TimestampMicrosecondBuilder, new_null_array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{
    DataType, Date32Type, Decimal128Type, Decimal256Type, Field, Float64Type, Int64Type,
    Time64MicrosecondType, TimeUnit, TimestampMicrosecondType,
};
use datafusion::common::{DataFusionError, Result};

use super::value::{BIGNUMERIC, NUMERIC, Value, canonical};

/// Returns the column in a storage that [`Reader`] knows.
pub(super) fn readable(array: &ArrayRef) -> Result<ArrayRef> {
    if is_readable(array.data_type()) {
        return Ok(Arc::clone(array));
    }
    let Some(target) = canonical(array.data_type()) else {
        return Err(DataFusionError::Internal(format!(
            "no type of the language is stored as {}",
            array.data_type()
        )));
    };
    Ok(arrow::compute::cast(array, &target)?)
}

/// Returns the storage that [`readable`] gives a column of this one.
pub(super) fn stored_type(data_type: &DataType) -> Option<DataType> {
    if is_readable(data_type) {
        Some(data_type.clone())
    } else {
        canonical(data_type)
    }
}

fn is_readable(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary => true,
        DataType::Timestamp(TimeUnit::Microsecond, _) => true,
        DataType::List(field) => is_readable(field.data_type()),
        DataType::Struct(fields) => fields.iter().all(|field| is_readable(field.data_type())),
        other => canonical(other).as_ref() == Some(other),
    }
}

/// The values of a column.
pub(super) enum Reader<'a> {
    Null,
    Bool(&'a BooleanArray),
    Int64(&'a Int64Array),
    Float64(&'a Float64Array),
    Numeric(&'a Decimal128Array),
    BigNumeric(&'a Decimal256Array),
    Utf8View(&'a StringViewArray),
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
    BinaryView(&'a BinaryViewArray),
    Binary(&'a BinaryArray),
    Date(&'a Date32Array),
    Time(&'a Time64MicrosecondArray),
    Datetime(&'a TimestampMicrosecondArray),
    Timestamp(&'a TimestampMicrosecondArray),
    List(&'a ListArray, Box<Reader<'a>>),
    Struct(&'a StructArray, Vec<(&'a str, Reader<'a>)>),
}

impl<'a> Reader<'a> {
    /// Reads a column that [`readable`] returned.
    pub(super) fn new(array: &'a dyn Array) -> Result<Self> {
        Ok(match array.data_type() {
            DataType::Null => Reader::Null,
            DataType::Boolean => Reader::Bool(array.as_boolean()),
            DataType::Int64 => Reader::Int64(array.as_primitive::<Int64Type>()),
            DataType::Float64 => Reader::Float64(array.as_primitive::<Float64Type>()),
            DataType::Decimal128(..) => Reader::Numeric(array.as_primitive::<Decimal128Type>()),
            DataType::Decimal256(..) => Reader::BigNumeric(array.as_primitive::<Decimal256Type>()),
            DataType::Utf8View => Reader::Utf8View(array.as_string_view()),
            DataType::Utf8 => Reader::Utf8(array.as_string()),
            DataType::LargeUtf8 => Reader::LargeUtf8(array.as_string()),
            DataType::BinaryView => Reader::BinaryView(array.as_binary_view()),
            DataType::Binary => Reader::Binary(array.as_binary()),
            DataType::Date32 => Reader::Date(array.as_primitive::<Date32Type>()),
            DataType::Time64(TimeUnit::Microsecond) => {
                Reader::Time(array.as_primitive::<Time64MicrosecondType>())
            }
            DataType::Timestamp(TimeUnit::Microsecond, None) => {
                Reader::Datetime(array.as_primitive::<TimestampMicrosecondType>())
            }
            DataType::Timestamp(TimeUnit::Microsecond, Some(_)) => {
                Reader::Timestamp(array.as_primitive::<TimestampMicrosecondType>())
            }
            DataType::List(_) => {
                let list = array.as_list::<i32>();
                Reader::List(list, Box::new(Reader::new(list.values().as_ref())?))
            }
            DataType::Struct(fields) => {
                let record = array.as_struct();
                let readers = fields
                    .iter()
                    .zip(record.columns())
                    .map(|(field, column)| {
                        Ok((field.name().as_str(), Reader::new(column.as_ref())?))
                    })
                    .collect::<Result<_>>()?;
                Reader::Struct(record, readers)
            }
            other => {
                return Err(DataFusionError::Internal(format!(
                    "columns of {other} are not read"
                )));
            }
        })
    }

    /// Returns the value of a row; the row must exist.
    pub(super) fn value(&self, row: usize) -> Value<'a> {
        macro_rules! read {
            ($array:expr, $variant:ident) => {
                if $array.is_null(row) {
                    Value::Null
                } else {
                    Value::$variant($array.value(row))
                }
            };
        }
        match self {
            Reader::Null => Value::Null,
            Reader::Bool(array) => read!(array, Bool),
            Reader::Int64(array) => read!(array, Int64),
            Reader::Float64(array) => read!(array, Float64),
            Reader::Numeric(array) => read!(array, Numeric),
            Reader::BigNumeric(array) => read!(array, BigNumeric),
            Reader::Utf8View(array) => read!(array, Str),
            Reader::Utf8(array) => read!(array, Str),
            Reader::LargeUtf8(array) => read!(array, Str),
            Reader::BinaryView(array) => read!(array, Bin),
            Reader::Binary(array) => read!(array, Bin),
            Reader::Date(array) => read!(array, Date),
            Reader::Time(array) => read!(array, Time),
            Reader::Datetime(array) => read!(array, Datetime),
            Reader::Timestamp(array) => read!(array, Timestamp),
            Reader::List(array, elements) => {
                if array.is_null(row) {
                    return Value::Null;
                }
                let (start, end) = list_bounds(array, row);
                Value::List((start..end).map(|i| elements.value(i)).collect())
            }
            Reader::Struct(array, fields) => {
                if array.is_null(row) {
                    return Value::Null;
                }
                Value::Struct(
                    fields
                        .iter()
                        .map(|(name, reader)| (*name, reader.value(row)))
                        .collect(),
                )
            }
        }
    }
}

/// Returns where the elements of a row begin and end among the values of a list column.
pub(super) fn list_bounds(array: &ListArray, row: usize) -> (usize, usize) {
    let offsets = array.value_offsets();
    let at = |i: usize| {
        offsets
            .get(i)
            .and_then(|offset| usize::try_from(*offset).ok())
            .unwrap_or_default()
    };
    (at(row), at(row + 1))
}

/// A column being built.
pub(super) enum Builder {
    Null(usize),
    Bool(BooleanBuilder),
    Int64(Int64Builder),
    Float64(Float64Builder),
    Numeric(Decimal128Builder),
    BigNumeric(Decimal256Builder),
    String(StringViewBuilder),
    Bytes(BinaryViewBuilder),
    Date(Date32Builder),
    Time(Time64MicrosecondBuilder),
    Datetime(TimestampMicrosecondBuilder),
    Timestamp(TimestampMicrosecondBuilder),
    List {
        elements: Box<Builder>,
        lengths: Vec<usize>,
        valid: Vec<bool>,
    },
}

impl Builder {
    /// Starts a column of a type that a function may return.
    pub(super) fn new(data_type: &DataType, rows: usize) -> Result<Self> {
        Ok(match data_type {
            DataType::Null => Builder::Null(0),
            DataType::Boolean => Builder::Bool(BooleanBuilder::with_capacity(rows)),
            DataType::Int64 => Builder::Int64(Int64Builder::with_capacity(rows)),
            DataType::Float64 => Builder::Float64(Float64Builder::with_capacity(rows)),
            DataType::Decimal128(..) => Builder::Numeric(
                Decimal128Builder::with_capacity(rows)
                    .with_precision_and_scale(NUMERIC.0, NUMERIC.1)?,
            ),
            DataType::Decimal256(..) => Builder::BigNumeric(
                Decimal256Builder::with_capacity(rows)
                    .with_precision_and_scale(BIGNUMERIC.0, BIGNUMERIC.1)?,
            ),
            DataType::Utf8View => Builder::String(StringViewBuilder::with_capacity(rows)),
            DataType::BinaryView => Builder::Bytes(BinaryViewBuilder::with_capacity(rows)),
            DataType::Date32 => Builder::Date(Date32Builder::with_capacity(rows)),
            DataType::Time64(TimeUnit::Microsecond) => {
                Builder::Time(Time64MicrosecondBuilder::with_capacity(rows))
            }
            DataType::Timestamp(TimeUnit::Microsecond, None) => {
                Builder::Datetime(TimestampMicrosecondBuilder::with_capacity(rows))
            }
            DataType::Timestamp(TimeUnit::Microsecond, Some(_)) => Builder::Timestamp(
                TimestampMicrosecondBuilder::with_capacity(rows).with_data_type(data_type.clone()),
            ),
            DataType::List(field) => Builder::List {
                elements: Box::new(Builder::new(field.data_type(), rows)?),
                lengths: Vec::with_capacity(rows),
                valid: Vec::with_capacity(rows),
            },
            other => {
                return Err(DataFusionError::Internal(format!(
                    "columns of {other} are not built"
                )));
            }
        })
    }

    /// Adds a row.
    pub(super) fn push(&mut self, value: Value<'_>) -> Result<()> {
        match (self, value) {
            (Builder::Null(rows), Value::Null) => *rows += 1,
            (Builder::Bool(b), Value::Null) => b.append_null(),
            (Builder::Bool(b), Value::Bool(v)) => b.append_value(v),
            (Builder::Int64(b), Value::Null) => b.append_null(),
            (Builder::Int64(b), Value::Int64(v)) => b.append_value(v),
            (Builder::Float64(b), Value::Null) => b.append_null(),
            // The engine tells NaNs apart by their bits when it groups and joins.
            (Builder::Float64(b), Value::Float64(v)) if v.is_nan() => b.append_value(f64::NAN),
            (Builder::Float64(b), Value::Float64(v)) => b.append_value(v),
            (Builder::Numeric(b), Value::Null) => b.append_null(),
            (Builder::Numeric(b), Value::Numeric(v)) => b.append_value(v),
            (Builder::BigNumeric(b), Value::Null) => b.append_null(),
            (Builder::BigNumeric(b), Value::BigNumeric(v)) => b.append_value(v),
            (Builder::String(b), Value::Null) => b.append_null(),
            (Builder::String(b), Value::Str(v)) => b.append_value(v),
            (Builder::String(b), Value::Text(v)) => b.append_value(v),
            (Builder::Bytes(b), Value::Null) => b.append_null(),
            (Builder::Bytes(b), Value::Bin(v)) => b.append_value(v),
            (Builder::Bytes(b), Value::Binary(v)) => b.append_value(v),
            (Builder::Date(b), Value::Null) => b.append_null(),
            (Builder::Date(b), Value::Date(v)) => b.append_value(v),
            (Builder::Time(b), Value::Null) => b.append_null(),
            (Builder::Time(b), Value::Time(v)) => b.append_value(v),
            (Builder::Datetime(b) | Builder::Timestamp(b), Value::Null) => b.append_null(),
            (Builder::Datetime(b), Value::Datetime(v)) => b.append_value(v),
            (Builder::Timestamp(b), Value::Timestamp(v)) => b.append_value(v),
            (Builder::List { lengths, valid, .. }, Value::Null) => {
                lengths.push(0);
                valid.push(false);
            }
            (
                Builder::List {
                    elements,
                    lengths,
                    valid,
                },
                Value::List(values),
            ) => {
                lengths.push(values.len());
                valid.push(true);
                for value in values {
                    elements.push(value)?;
                }
            }
            (_, value) => {
                return Err(DataFusionError::Internal(format!(
                    "a function returned {} where another type was declared",
                    value.type_name()
                )));
            }
        }
        Ok(())
    }

    /// Returns the column.
    pub(super) fn finish(self) -> Result<ArrayRef> {
        Ok(match self {
            Builder::Null(rows) => new_null_array(&DataType::Null, rows),
            Builder::Bool(mut b) => Arc::new(b.finish()),
            Builder::Int64(mut b) => Arc::new(b.finish()),
            Builder::Float64(mut b) => Arc::new(b.finish()),
            Builder::Numeric(mut b) => Arc::new(b.finish()),
            Builder::BigNumeric(mut b) => Arc::new(b.finish()),
            Builder::String(mut b) => Arc::new(b.finish()),
            Builder::Bytes(mut b) => Arc::new(b.finish()),
            Builder::Date(mut b) => Arc::new(b.finish()),
            Builder::Time(mut b) => Arc::new(b.finish()),
            Builder::Datetime(mut b) | Builder::Timestamp(mut b) => Arc::new(b.finish()),
            Builder::List {
                elements,
                lengths,
                valid,
            } => {
                let values = elements.finish()?;
                Arc::new(ListArray::try_new(
                    Arc::new(Field::new_list_field(values.data_type().clone(), true)),
                    OffsetBuffer::from_lengths(lengths),
                    values,
                    Some(NullBuffer::from(valid)),
                )?)
            }
        })
    }
}
