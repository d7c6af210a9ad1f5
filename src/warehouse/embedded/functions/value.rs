//! One value of one row, as the kernels see it, and the types of results.
//!
//! Values borrow from the columns they were read from; a kernel that makes new text or bytes returns
//! them owned. Nothing here knows of Arrow arrays beyond naming their types.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, TimeUnit, i256};

/// Digits before and after the point of NUMERIC.
pub(super) const NUMERIC: (u8, i8) = (38, 9);
/// Digits before and after the point of BIGNUMERIC.
pub(super) const BIGNUMERIC: (u8, i8) = (76, 38);

/// The longest STRING or BYTES value that a function may build.
pub(super) const MAX_VALUE_BYTES: usize = 1 << 20;
/// The longest ARRAY that a function may build.
pub(super) const MAX_ELEMENTS: usize = 1 << 20;

/// A value of one row. `Text` and `Binary` only appear in results.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value<'a> {
    Null,
    Bool(bool),
    Int64(i64),
    Float64(f64),
    /// Scaled by 10^9.
    Numeric(i128),
    /// Scaled by 10^38.
    BigNumeric(i256),
    Str(&'a str),
    Text(String),
    Bin(&'a [u8]),
    Binary(Vec<u8>),
    /// Days since 1970-01-01.
    Date(i32),
    /// Microseconds since midnight.
    Time(i64),
    /// Microseconds since 1970-01-01 00:00:00 on the wall clock.
    Datetime(i64),
    /// Microseconds since the Unix epoch.
    Timestamp(i64),
    List(Vec<Value<'a>>),
    /// Field names with their values, in order.
    Struct(Vec<(&'a str, Value<'a>)>),
}

impl Value<'_> {
    /// Returns whether this is NULL.
    pub(super) fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// Returns the name of the type, for messages.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "NULL",
            Value::Bool(_) => "BOOL",
            Value::Int64(_) => "INT64",
            Value::Float64(_) => "FLOAT64",
            Value::Numeric(_) => "NUMERIC",
            Value::BigNumeric(_) => "BIGNUMERIC",
            Value::Str(_) | Value::Text(_) => "STRING",
            Value::Bin(_) | Value::Binary(_) => "BYTES",
            Value::Date(_) => "DATE",
            Value::Time(_) => "TIME",
            Value::Datetime(_) => "DATETIME",
            Value::Timestamp(_) => "TIMESTAMP",
            Value::List(_) => "ARRAY",
            Value::Struct(_) => "STRUCT",
        }
    }
}

/// A type of the language, as a result of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Int64,
    Float64,
    Numeric,
    BigNumeric,
    String,
    Bytes,
    Date,
    Time,
    Datetime,
    Timestamp,
}

impl Kind {
    /// Returns how the engine stores values of the type.
    pub(super) fn data_type(self) -> DataType {
        match self {
            Kind::Bool => DataType::Boolean,
            Kind::Int64 => DataType::Int64,
            Kind::Float64 => DataType::Float64,
            Kind::Numeric => DataType::Decimal128(NUMERIC.0, NUMERIC.1),
            Kind::BigNumeric => DataType::Decimal256(BIGNUMERIC.0, BIGNUMERIC.1),
            Kind::String => DataType::Utf8View,
            Kind::Bytes => DataType::BinaryView,
            Kind::Date => DataType::Date32,
            Kind::Time => DataType::Time64(TimeUnit::Microsecond),
            Kind::Datetime => DataType::Timestamp(TimeUnit::Microsecond, None),
            Kind::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, Some(Arc::from("UTC"))),
        }
    }

    /// Returns how the engine stores arrays of the type.
    pub(super) fn list_type(self) -> DataType {
        list_of(self.data_type())
    }
}

/// Returns the type of an array of a type.
pub(super) fn list_of(element: DataType) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(element, true)))
}

/// Returns the type that values of a type are read and written as: one of the types of
/// [`Kind::data_type`], lists and structs of them, or NULL. `None` when there is none.
pub(super) fn canonical(data_type: &DataType) -> Option<DataType> {
    Some(match data_type {
        DataType::Null => DataType::Null,
        DataType::Boolean => Kind::Bool.data_type(),
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
        | DataType::UInt64 => Kind::Int64.data_type(),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => Kind::Float64.data_type(),
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) => {
            Kind::Numeric.data_type()
        }
        DataType::Decimal256(..) => Kind::BigNumeric.data_type(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Kind::String.data_type(),
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => Kind::Bytes.data_type(),
        DataType::Date32 | DataType::Date64 => Kind::Date.data_type(),
        DataType::Time32(_) | DataType::Time64(_) => Kind::Time.data_type(),
        DataType::Timestamp(_, None) => Kind::Datetime.data_type(),
        DataType::Timestamp(_, Some(_)) => Kind::Timestamp.data_type(),
        DataType::Dictionary(_, value) => canonical(value)?,
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _) => list_of(canonical(field.data_type())?),
        DataType::Struct(fields) => DataType::Struct(
            fields
                .iter()
                .map(|field| {
                    Some(Field::new(
                        field.name(),
                        canonical(field.data_type())?,
                        true,
                    ))
                })
                .collect::<Option<_>>()?,
        ),
        DataType::Duration(_)
        | DataType::Interval(_)
        | DataType::Union(..)
        | DataType::Map(..)
        | DataType::RunEndEncoded(..) => return None,
    })
}
