//! Bound values as BigQuery's query parameters.
//!
//! Source: BigQuery documentation, "Running parameterized queries", and the canonical text of each type.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::wire::{ParameterType, ParameterValue, QueryParameter};
use crate::compiler::BoundParameter;
use crate::compiler::datetime;
use crate::compiler::ir::{Type, Value};

/// Returns the parameters of a query.
///
/// # Errors
/// A value that is not of its type, or outside of what BigQuery has; a fault of ours.
pub(super) fn encode(parameters: &[BoundParameter]) -> Result<Vec<QueryParameter>, String> {
    parameters
        .iter()
        .map(|BoundParameter { name, ty, value }| {
            let of_type = || format!("the value of @{name} is no {ty}");
            Ok(QueryParameter {
                name: name.to_string(),
                parameter_type: parameter_type(ty).ok_or_else(of_type)?,
                parameter_value: parameter_value(ty, value).ok_or_else(of_type)?,
            })
        })
        .collect()
}

fn parameter_type(ty: &Type) -> Option<ParameterType> {
    let scalar = |name| {
        Some(ParameterType {
            name,
            array_type: None,
        })
    };
    match ty {
        Type::Bool => scalar("BOOL"),
        Type::Int64 => scalar("INT64"),
        Type::Float64 => scalar("FLOAT64"),
        Type::Numeric => scalar("NUMERIC"),
        Type::BigNumeric => scalar("BIGNUMERIC"),
        Type::String => scalar("STRING"),
        Type::Bytes => scalar("BYTES"),
        Type::Date => scalar("DATE"),
        Type::Time => scalar("TIME"),
        Type::Datetime => scalar("DATETIME"),
        Type::Timestamp => scalar("TIMESTAMP"),
        Type::Json => scalar("JSON"),
        Type::Array(array) if array.element.element().is_none() => Some(ParameterType {
            name: "ARRAY",
            array_type: Some(Box::new(parameter_type(&array.element)?)),
        }),
        // No declaration of a parameter has these.
        Type::Array(_) | Type::Struct(_) | Type::Interval => None,
    }
}

fn parameter_value(ty: &Type, value: &Value) -> Option<ParameterValue> {
    let text = match (ty, value) {
        (_, Value::Null) => return Some(ParameterValue::Scalar { value: None }),
        (Type::Array(array), Value::Array(elements)) => {
            let elements = elements.iter();
            let array_values = elements
                .map(|element| parameter_value(&array.element, element))
                .collect::<Option<_>>()?;
            return Some(ParameterValue::Array { array_values });
        }
        (Type::Bool, Value::Bool(truth)) => truth.to_string(),
        (Type::Int64, Value::Int64(number)) => number.to_string(),
        (Type::Float64, Value::Float64(number)) => float(*number),
        (Type::Numeric | Type::BigNumeric, Value::Decimal(text))
        | (Type::String, Value::String(text))
        | (Type::Json, Value::Json(text)) => text.to_string(),
        (Type::Bytes, Value::Bytes(bytes)) => STANDARD.encode(bytes),
        (Type::Date, Value::Date(days)) => datetime::format_date(*days)?,
        (Type::Time, Value::Time(micros)) => datetime::format_time(*micros)?,
        (Type::Datetime, Value::Datetime(micros)) => datetime::format_datetime(*micros)?,
        (Type::Timestamp, Value::Timestamp(micros)) => {
            format!("{}:00", datetime::format_timestamp(*micros)?)
        }
        _ => return None,
    };
    Some(ParameterValue::Scalar { value: Some(text) })
}

fn float(number: f64) -> String {
    if number.is_nan() {
        "NaN".into()
    } else if number.is_infinite() {
        if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        }
        .into()
    } else {
        // The shortest text that reads back as the same number.
        format!("{number:e}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::compiler::ir::ParameterName;

    #[track_caller]
    fn check(ty: Type, value: Value, expected_type: Json, expected_value: Json) {
        let label = format!("{ty} {value:?}");
        let bound = BoundParameter {
            name: ParameterName::new("p"),
            ty,
            value,
        };
        let found = serde_json::to_value(encode(&[bound]).unwrap()).unwrap();
        let expected = json!([{
            "name": "p",
            "parameterType": expected_type,
            "parameterValue": expected_value,
        }]);
        assert_eq!(found, expected, "{label}");
    }

    #[test]
    fn values_are_typed_text() {
        for (ty, value, name, text) in [
            (Type::Bool, Value::Bool(true), "BOOL", "true"),
            (
                Type::Int64,
                Value::Int64(i64::MIN),
                "INT64",
                "-9223372036854775808",
            ),
            (Type::Float64, Value::Float64(0.1), "FLOAT64", "1e-1"),
            (
                Type::Float64,
                Value::Float64(f64::NEG_INFINITY),
                "FLOAT64",
                "-Infinity",
            ),
            (
                Type::Numeric,
                Value::Decimal("-12.5".into()),
                "NUMERIC",
                "-12.5",
            ),
            (
                Type::String,
                Value::string("a'b\n\u{1f600}"),
                "STRING",
                "a'b\n\u{1f600}",
            ),
            (
                Type::Bytes,
                Value::Bytes([0, 255].as_slice().into()),
                "BYTES",
                "AP8=",
            ),
            (Type::Date, Value::Date(-1), "DATE", "1969-12-31"),
            (Type::Time, Value::Time(1_500_000), "TIME", "00:00:01.5"),
            (
                Type::Datetime,
                Value::Datetime(0),
                "DATETIME",
                "1970-01-01 00:00:00",
            ),
            (
                Type::Timestamp,
                Value::Timestamp(1_769_903_999_000_001),
                "TIMESTAMP",
                "2026-01-31 23:59:59.000001+00:00",
            ),
            (Type::Json, Value::Json("[1]".into()), "JSON", "[1]"),
        ] {
            check(ty, value, json!({"type": name}), json!({"value": text}));
        }
    }

    #[test]
    fn null_and_arrays() {
        check(
            Type::String,
            Value::Null,
            json!({"type": "STRING"}),
            json!({"value": null}),
        );
        let list = || json!({"type": "ARRAY", "arrayType": {"type": "INT64"}});
        check(
            Type::array(Type::Int64),
            Value::Array(vec![Value::Int64(1), Value::Int64(2)]),
            list(),
            json!({"arrayValues": [{"value": "1"}, {"value": "2"}]}),
        );
        check(
            Type::array(Type::Int64),
            Value::Array(Vec::new()),
            list(),
            json!({"arrayValues": []}),
        );
        check(
            Type::array(Type::Int64),
            Value::Null,
            list(),
            json!({"value": null}),
        );
    }

    #[test]
    fn a_value_of_another_type_is_refused() {
        let bound = BoundParameter {
            name: ParameterName::new("p"),
            ty: Type::Int64,
            value: Value::string("1"),
        };
        assert_eq!(
            encode(&[bound]),
            Err("the value of @p is no INT64".to_owned())
        );
    }
}
