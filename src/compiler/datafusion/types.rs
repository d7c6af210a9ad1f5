//! Literals and types in the engine's SQL.

use super::expr::field_name;
use crate::compiler::ir::{Type, Value};

/// Returns the Arrow type of values of a type, as the engine's `arrow_cast` reads it; `None` for records
/// and arrays of them, whose fields may be stored in several ways.
pub(super) fn arrow_type(ty: &Type) -> Option<String> {
    Some(match ty {
        Type::Bool => "Boolean".to_owned(),
        Type::Int64 => "Int64".to_owned(),
        Type::Float64 => "Float64".to_owned(),
        Type::Numeric => "Decimal128(38, 9)".to_owned(),
        Type::BigNumeric => "Decimal256(76, 38)".to_owned(),
        Type::String | Type::Json => "Utf8".to_owned(),
        Type::Bytes => "Binary".to_owned(),
        Type::Date => "Date32".to_owned(),
        Type::Time => "Time64(Microsecond)".to_owned(),
        Type::Datetime => "Timestamp(Microsecond, None)".to_owned(),
        Type::Timestamp => "Timestamp(Microsecond, Some(\"UTC\"))".to_owned(),
        Type::Array(array) if !array.singleton => {
            format!("List({})", arrow_type(&array.element)?)
        }
        Type::Interval | Type::Array(_) | Type::Struct(_) => return None,
    })
}

/// Returns an array of no elements.
pub(super) fn empty_array(ty: &Type) -> String {
    match ty {
        // An empty array that is stored as its only element is no element.
        Type::Array(array) if array.singleton => "NULL".to_owned(),
        // The engine makes no record of the element that it takes an empty array to have.
        Type::Array(array) if array.element.fields().is_some() => {
            format!(
                "\"list_slice\"(\"make_array\"({}), 0, 0)",
                null_of(&array.element)
            )
        }
        _ => match arrow_type(ty) {
            Some(arrow) => format!("\"arrow_cast\"(\"make_array\"(), {})", string(&arrow)),
            None => "\"make_array\"()".to_owned(),
        },
    }
}

/// Returns a value of a type whose fields are all NULL.
fn null_of(ty: &Type) -> String {
    match ty {
        Type::Array(array) if array.singleton => null_of(&array.element),
        Type::Array(array) if array.element.fields().is_some() => empty_array(ty),
        Type::Struct(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .enumerate()
                .map(|(index, field)| {
                    let name = string(&field_name(field, index));
                    format!("{name}, {}", null_of(&field.ty))
                })
                .collect();
            format!("\"named_struct\"({})", fields.join(", "))
        }
        _ => literal(&Value::Null, ty),
    }
}

/// Returns text as a string literal: quotes doubled, nothing else changed.
pub(super) fn string(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    for (index, piece) in text.split('\'').enumerate() {
        literal.push_str(if index == 0 { "'" } else { "''" });
        literal.push_str(piece);
    }
    literal.push('\'');
    literal
}

/// Returns a constant of a type.
pub(super) fn literal(value: &Value, ty: &Type) -> String {
    let cast = |text: String| match arrow_type(ty) {
        Some(arrow) => format!("\"arrow_cast\"({text}, {})", string(&arrow)),
        None => text,
    };
    match value {
        Value::Null => cast("NULL".to_owned()),
        Value::Bool(true) => "TRUE".to_owned(),
        Value::Bool(false) => "FALSE".to_owned(),
        Value::Int64(value) => match value {
            // The digits alone are out of range before the sign is applied.
            &i64::MIN => cast(string(&value.to_string())),
            value if *value < 0 => format!("({value})"),
            value => value.to_string(),
        },
        Value::Float64(value) => cast(string(&format!("{value:?}"))),
        Value::Decimal(text) => cast(string(text)),
        Value::String(text) => string(text),
        // JSON is kept as its text in canonical form.
        Value::Json(text) => format!("\"parse_json\"({})", string(text)),
        Value::Bytes(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("X'{digits}'")
        }
        Value::Date(days) => cast(format!("\"arrow_cast\"({days}, 'Int32')")),
        Value::Time(micros) | Value::Datetime(micros) | Value::Timestamp(micros) => {
            cast(format!("({micros})"))
        }
        Value::Array(values) => {
            let element = ty.element().cloned().unwrap_or(Type::Int64);
            let items: Vec<String> = values.iter().map(|v| literal(v, &element)).collect();
            cast(format!("\"make_array\"({})", items.join(", ")))
        }
    }
}
