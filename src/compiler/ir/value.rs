//! Constant values: literals and parameter values.

use std::sync::Arc;

/// A value of a literal or a bound parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// NULL of any type.
    Null,
    /// BOOL.
    Bool(bool),
    /// INT64.
    Int64(i64),
    /// FLOAT64.
    Float64(f64),
    /// NUMERIC or BIGNUMERIC as canonical decimal text (`-12.5`), checked to be in range.
    Decimal(Arc<str>),
    /// STRING.
    String(Arc<str>),
    /// BYTES.
    Bytes(Arc<[u8]>),
    /// DATE, days since 1970-01-01.
    Date(i32),
    /// TIME, microseconds since midnight.
    Time(i64),
    /// DATETIME, microseconds since 1970-01-01 00:00:00 on the same wall clock.
    Datetime(i64),
    /// TIMESTAMP, microseconds since the Unix epoch.
    Timestamp(i64),
    /// JSON as its text.
    Json(Arc<str>),
    /// ARRAY.
    Array(Vec<Value>),
}

impl Value {
    /// Returns a STRING value.
    pub fn string(text: impl AsRef<str>) -> Self {
        Value::String(Arc::from(text.as_ref()))
    }

    /// Returns whether this is NULL.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }
}
