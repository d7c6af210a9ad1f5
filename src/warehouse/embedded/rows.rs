//! Arrow batches as the rows of a result, in the encoding of the HTTP contract.
//!
//! The shape of the data decides between an array that is stored as its only element and a list; the
//! declared type decides everything else.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Date32Type, Decimal128Type, Decimal256Type, Float64Type, Int64Type,
    IntervalMonthDayNanoType, IntervalUnit, Time64MicrosecondType, TimeUnit,
    TimestampMicrosecondType,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::{civil, schema};
use crate::compiler::datetime;
use crate::compiler::ir::{Column, Field, Type};

/// A column that does not hold what the compiler said it would.
#[derive(Debug, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct EncodeError {
    column: String,
    message: String,
}

/// Returns the rows of a batch; each has one value for each column.
///
/// # Errors
/// The batch does not have these columns.
pub fn encode(columns: &[Column], batch: &RecordBatch) -> Result<Vec<Vec<Value>>, EncodeError> {
    let failed = |column: &str, message: String| EncodeError {
        column: column.to_owned(),
        message,
    };
    if columns.len() != batch.num_columns() {
        let message = format!(
            "{} columns instead of {}",
            batch.num_columns(),
            columns.len()
        );
        return Err(failed("*", message));
    }
    let mut rows = vec![Vec::with_capacity(columns.len()); batch.num_rows()];
    for (column, array) in columns.iter().zip(batch.columns()) {
        let values = values(array, &column.ty).map_err(|m| failed(column.name.as_str(), m))?;
        for (row, value) in rows.iter_mut().zip(values) {
            row.push(value);
        }
    }
    Ok(rows)
}

fn values(array: &ArrayRef, ty: &Type) -> Result<Vec<Value>, String> {
    match ty {
        Type::Array(list) => arrays(array, &list.element),
        Type::Struct(fields) => structs(array, fields),
        Type::Bool => {
            let array = to(array, &DataType::Boolean)?;
            Ok(each(array.as_boolean().iter(), Value::Bool))
        }
        Type::Int64 => {
            let array = to(array, &DataType::Int64)?;
            Ok(each(array.as_primitive::<Int64Type>().iter(), Value::from))
        }
        Type::Float64 => {
            let array = to(array, &DataType::Float64)?;
            Ok(each(array.as_primitive::<Float64Type>().iter(), float))
        }
        Type::Numeric => decimals(array, &DataType::Decimal128(38, schema::NUMERIC_SCALE)),
        Type::BigNumeric => decimals(array, &DataType::Decimal256(76, schema::BIGNUMERIC_SCALE)),
        Type::String => {
            let array = to(array, &DataType::Utf8)?;
            Ok(each(array.as_string::<i32>().iter(), Value::from))
        }
        Type::Json => {
            let array = to(array, &DataType::Utf8)?;
            array
                .as_string::<i32>()
                .iter()
                .map(|text| match text {
                    None => Ok(Value::Null),
                    Some(text) => serde_json::from_str(text)
                        .map_err(|e| format!("a JSON value that cannot be read: {e}")),
                })
                .collect()
        }
        Type::Bytes => {
            let array = to(array, &DataType::Binary)?;
            Ok(each(array.as_binary::<i32>().iter(), |bytes| {
                Value::from(STANDARD.encode(bytes))
            }))
        }
        Type::Date => {
            let array = to(array, &DataType::Date32)?;
            Ok(each(array.as_primitive::<Date32Type>().iter(), |days| {
                Value::from(civil::format_date(days.into()))
            }))
        }
        Type::Time => {
            let array = to(array, &DataType::Time64(TimeUnit::Microsecond))?;
            let times = array.as_primitive::<Time64MicrosecondType>();
            Ok(each(times.iter(), |at| Value::from(datetime::clock(at))))
        }
        Type::Datetime => {
            let array = to(array, &DataType::Timestamp(TimeUnit::Microsecond, None))?;
            let times = array.as_primitive::<TimestampMicrosecondType>();
            Ok(each(times.iter(), |at| {
                Value::from(civil::format_datetime(at))
            }))
        }
        Type::Timestamp => {
            let utc = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
            let array = to(array, &utc)?;
            let times = array.as_primitive::<TimestampMicrosecondType>();
            Ok(each(times.iter(), Value::from))
        }
        Type::Interval => {
            let array = to(array, &DataType::Interval(IntervalUnit::MonthDayNano))?;
            let intervals = array.as_primitive::<IntervalMonthDayNanoType>();
            Ok(each(intervals.iter(), |value| {
                Value::from(interval(value.months, value.days, value.nanoseconds / 1000))
            }))
        }
    }
}

fn each<T>(values: impl Iterator<Item = Option<T>>, encode: impl Fn(T) -> Value) -> Vec<Value> {
    values
        .map(|value| value.map_or(Value::Null, &encode))
        .collect()
}

/// Brings an array to the one physical type that its declared type is read as.
fn to(array: &ArrayRef, ty: &DataType) -> Result<ArrayRef, String> {
    if array.data_type() == ty {
        return Ok(Arc::clone(array));
    }
    cast(array, ty).map_err(|e| e.to_string())
}

fn float(value: f64) -> Value {
    if value.is_nan() {
        Value::from("NaN")
    } else if value == f64::INFINITY {
        Value::from("Infinity")
    } else if value == f64::NEG_INFINITY {
        Value::from("-Infinity")
    } else {
        json!(value)
    }
}

fn decimals(array: &ArrayRef, ty: &DataType) -> Result<Vec<Value>, String> {
    let array = to(array, ty)?;
    let text = |row: usize| match ty {
        DataType::Decimal256(..) => array.as_primitive::<Decimal256Type>().value_as_string(row),
        _ => array.as_primitive::<Decimal128Type>().value_as_string(row),
    };
    Ok((0..array.len())
        .map(|row| {
            if array.is_null(row) {
                return Value::Null;
            }
            let text = text(row);
            let trimmed = text.trim_end_matches('0').trim_end_matches('.');
            Value::from(if text.contains('.') { trimmed } else { &text })
        })
        .collect())
}

/// Writes an interval as GoogleSQL does: `1-2 3 4:5:6.5`.
fn interval(months: i32, days: i32, micros: i64) -> String {
    let sign = |negative: bool| if negative { "-" } else { "" };
    let (month, micro) = (months.unsigned_abs(), micros.unsigned_abs());
    let (second, fraction) = (micro / 1_000_000, micro % 1_000_000);
    let fraction = if fraction == 0 {
        String::new()
    } else {
        format!(".{fraction:06}").trim_end_matches('0').to_owned()
    };
    format!(
        "{}{}-{} {days} {}{}:{}:{}{fraction}",
        sign(months < 0),
        month / 12,
        month % 12,
        sign(micros < 0),
        second / 3600,
        second / 60 % 60,
        second % 60,
    )
}

fn arrays(array: &ArrayRef, element: &Type) -> Result<Vec<Value>, String> {
    let list = match array.data_type() {
        DataType::Null => return Ok(vec![json!([]); array.len()]),
        DataType::List(_) => Arc::clone(array),
        DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::ListView(item)
        | DataType::LargeListView(item) => to(array, &DataType::List(Arc::clone(item)))?,
        _ => {
            let elements = values(array, element)?;
            return Ok(elements
                .into_iter()
                .enumerate()
                .map(|(row, value)| {
                    Value::Array(if array.is_null(row) {
                        Vec::new()
                    } else {
                        vec![value]
                    })
                })
                .collect());
        }
    };
    let list = list.as_list::<i32>();
    // Only the elements that rows refer to: a slice of a list keeps the elements of the whole.
    (0..list.len())
        .map(|row| {
            if list.is_null(row) {
                return Ok(json!([]));
            }
            values(&list.value(row), element).map(Value::Array)
        })
        .collect()
}

fn structs(array: &ArrayRef, fields: &[Field]) -> Result<Vec<Value>, String> {
    if array.data_type() == &DataType::Null {
        return Ok(vec![Value::Null; array.len()]);
    }
    let Some(record) = array.as_struct_opt() else {
        return Err(format!("{} instead of a STRUCT", array.data_type()));
    };
    if record.num_columns() != fields.len() {
        return Err(format!(
            "a STRUCT of {} fields instead of {}",
            record.num_columns(),
            fields.len()
        ));
    }
    let mut objects: Vec<Option<Map<String, Value>>> = (0..record.len())
        .map(|row| {
            record
                .is_valid(row)
                .then(|| Map::with_capacity(fields.len()))
        })
        .collect();
    for (index, (field, column)) in fields.iter().zip(record.columns()).enumerate() {
        let name = schema::field_name(field, index);
        for (object, value) in objects.iter_mut().zip(values(column, &field.ty)?) {
            if let Some(object) = object {
                object.insert(name.clone(), value);
            }
        }
    }
    Ok(objects
        .into_iter()
        .map(|object| object.map_or(Value::Null, Value::Object))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    use arrow::array::{
        Decimal128Array, Float64Array, Int32Array, NullArray, StringViewArray, StructArray,
        TimestampMicrosecondArray, TimestampMillisecondArray,
    };

    fn check(array: impl Array + 'static, ty: &Type, expected: &Value) {
        let array: ArrayRef = Arc::new(array);
        assert_eq!(&json!(values(&array, ty).unwrap()), expected, "{ty}");
    }

    #[test]
    fn values_have_the_encoding_of_the_contract() {
        check(
            Int32Array::from(vec![Some(1), None]),
            &Type::Int64,
            &json!([1, null]),
        );
        check(
            Float64Array::from(vec![0.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY]),
            &Type::Float64,
            &json!([0.5, "NaN", "Infinity", "-Infinity"]),
        );
        check(
            Decimal128Array::from(vec![12_500_000_000, -1, 0, 100_000_000_000])
                .with_precision_and_scale(38, 9)
                .unwrap(),
            &Type::Numeric,
            &json!(["12.5", "-0.000000001", "0", "100"]),
        );
        check(
            TimestampMillisecondArray::from(vec![1_769_903_999_123]).with_timezone("UTC"),
            &Type::Timestamp,
            &json!([1_769_903_999_123_000_i64]),
        );
        check(
            TimestampMicrosecondArray::from(vec![1_769_903_999_000_000, 1_769_903_999_120_000]),
            &Type::Datetime,
            &json!(["2026-01-31T23:59:59", "2026-01-31T23:59:59.12"]),
        );
        check(
            StringViewArray::from(vec![Some(r#"{"a": [1]}"#), None]),
            &Type::Json,
            &json!([{"a": [1]}, null]),
        );
        check(NullArray::new(1), &Type::array(Type::String), &json!([[]]));
        assert_eq!(interval(14, -3, -3_600_500_000), "1-2 -3 -1:0:0.5");
    }

    #[test]
    fn records_are_objects_and_singletons_arrays() {
        let ty = |name: Option<&str>| {
            Type::record([Field {
                name: name.map(crate::compiler::ir::ColumnName::new),
                ty: Type::Int64,
            }])
        };
        let record = || {
            StructArray::new(
                vec![arrow::datatypes::Field::new("a", DataType::Int32, true)].into(),
                vec![Arc::new(Int32Array::from(vec![Some(1), None, Some(3)]))],
                Some(vec![true, true, false].into()),
            )
        };
        check(
            record(),
            &ty(Some("a")),
            &json!([{"a": 1}, {"a": null}, null]),
        );
        check(
            record(),
            &ty(None),
            &json!([{"_field_1": 1}, {"_field_1": null}, null]),
        );
        check(
            record(),
            &Type::singleton(ty(Some("a"))),
            &json!([[{"a": 1}], [{"a": null}], []]),
        );
    }
}
