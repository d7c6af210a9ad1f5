//! One value of a parameter: text or JSON to a value of the declared type.

use crate::compiler::ir::{Type, Value};

use super::instant;

/// The longest text of one value, in bytes.
const MAX_TEXT_BYTES: usize = 8 * 1024;

/// The most elements of one array.
const MAX_ELEMENTS: usize = 1_000;

/// Characters of a caller's value that a message shows.
const SHOWN_CHARACTERS: usize = 64;

/// Why something is no value of the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// What is wrong, to stand behind the name of the parameter.
    pub(super) message: String,
    /// What to write instead.
    pub(super) help: String,
}

/// Returns whether an empty text is a value of the type.
pub(super) fn may_be_empty(ty: &Type) -> bool {
    matches!(ty, Type::String)
}

/// Reads a text as a value of a scalar type.
pub(super) fn from_text(ty: &Type, text: &str) -> Result<Value, Fault> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(Fault {
            message: format!("is longer than {MAX_TEXT_BYTES} bytes"),
            help: format!("it has {} bytes", text.len()),
        });
    }
    let value = match ty {
        Type::String if text.contains('\0') => {
            return Err(Fault {
                message: "contains a NUL character".into(),
                help: "leave it out".into(),
            });
        }
        Type::String => Some(Value::string(text)),
        Type::Int64 => text.parse().ok().map(Value::Int64),
        Type::Float64 => finite(text.parse().ok()),
        Type::Bool if text.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
        Type::Bool if text.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
        Type::Timestamp => instant::timestamp(text).map(Value::Timestamp),
        Type::Date => instant::date(text).map(Value::Date),
        _ => None,
    };
    value.ok_or_else(|| not_of_type(ty, text))
}

/// Reads a JSON value other than `null` as a value of the type.
pub(super) fn from_json(ty: &Type, json: &serde_json::Value) -> Result<Value, Fault> {
    use serde_json::Value as Json;
    let value = match (ty.element(), json) {
        (Some(element), Json::Array(elements)) => {
            return array(
                elements
                    .iter()
                    .take(MAX_ELEMENTS + 1)
                    .map(|json| from_json(element, json)),
            );
        }
        (None, Json::String(text)) => return from_text(ty, text),
        (None, Json::Number(number)) => match ty {
            Type::Int64 => number.as_i64().map(Value::Int64),
            Type::Float64 => finite(number.as_f64()),
            _ => None,
        },
        (None, Json::Bool(truth)) if matches!(ty, Type::Bool) => Some(Value::Bool(*truth)),
        _ => None,
    };
    value.ok_or_else(|| not_of_type(ty, &json.to_string()))
}

/// Makes an array of its elements, or tells why the first bad one is no element.
pub(super) fn array(
    elements: impl IntoIterator<Item = Result<Value, Fault>>,
) -> Result<Value, Fault> {
    let values: Vec<Value> = elements.into_iter().collect::<Result<_, _>>()?;
    if values.len() > MAX_ELEMENTS {
        return Err(Fault {
            message: format!("has more than {MAX_ELEMENTS} elements"),
            help: "give fewer".into(),
        });
    }
    Ok(Value::Array(values))
}

/// Returns at most [`SHOWN_CHARACTERS`] of a text, without control characters.
pub(super) fn shortened(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .take(SHOWN_CHARACTERS)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    if text.chars().nth(SHOWN_CHARACTERS).is_some() {
        shown.push('…');
    }
    shown
}

fn finite(number: Option<f64>) -> Option<Value> {
    number.filter(|n| n.is_finite()).map(Value::Float64)
}

fn not_of_type(ty: &Type, text: &str) -> Fault {
    let (name, help) = match ty {
        Type::Int64 => ("a whole number", "write it like `-12`, within 64 bits"),
        Type::Float64 => ("a finite number", "write it like `-12.5` or `1e6`"),
        Type::Bool => ("a truth value", "write `true` or `false`"),
        Type::Timestamp => (
            "a timestamp",
            "write it like `2026-03-01T12:30:00Z` or `2026-03-01T12:30:00.250+01:00`, with each `+` as `%2B` in a URL",
        ),
        Type::Date => ("a date", "write it like `2026-03-01`"),
        Type::Array(_) => (
            "an array",
            "give a JSON array, or the name once for each element in the query string",
        ),
        _ => ("a text", "give a text"),
    };
    Fault {
        message: format!("must be {name}, not `{}`", shortened(text)),
        help: help.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check_text(ty: &Type, text: &str, expected: Option<Value>) {
        assert_eq!(from_text(ty, text).ok(), expected, "{ty} {text}");
    }

    #[test]
    fn texts_are_read_by_type() {
        let long = "x".repeat(MAX_TEXT_BYTES);
        check_text(&Type::String, "", Some(Value::string("")));
        check_text(&Type::String, "it's", Some(Value::string("it's")));
        check_text(&Type::String, &long, Some(Value::string(&long)));
        check_text(&Type::String, &format!("{long}x"), None);
        check_text(&Type::String, "a\0b", None);
        check_text(&Type::Int64, "-12", Some(Value::Int64(-12)));
        check_text(
            &Type::Int64,
            "9223372036854775807",
            Some(Value::Int64(i64::MAX)),
        );
        check_text(&Type::Int64, "9223372036854775808", None);
        check_text(&Type::Int64, "1.0", None);
        check_text(&Type::Int64, " 1", None);
        check_text(&Type::Float64, "1e3", Some(Value::Float64(1000.0)));
        for text in ["NaN", "inf", "-Infinity", "1e999", "x"] {
            check_text(&Type::Float64, text, None);
        }
        check_text(&Type::Bool, "true", Some(Value::Bool(true)));
        check_text(&Type::Bool, "False", Some(Value::Bool(false)));
        check_text(&Type::Bool, "1", None);
        check_text(
            &Type::Timestamp,
            "1970-01-01T00:00:01Z",
            Some(Value::Timestamp(1_000_000)),
        );
        check_text(&Type::Timestamp, "now", None);
        check_text(&Type::Date, "1970-01-02", Some(Value::Date(1)));
        check_text(&Type::Date, "02.01.1970", None);
    }

    #[test]
    fn json_is_read_by_type() {
        let strings = Type::array(Type::String);
        let numbers = Type::array(Type::Int64);
        for (ty, json, expected) in [
            (&Type::Int64, json!(7), Some(Value::Int64(7))),
            (&Type::Int64, json!("7"), Some(Value::Int64(7))),
            (&Type::Int64, json!(7.5), None),
            (&Type::Int64, json!(u64::MAX), None),
            (&Type::Float64, json!(7), Some(Value::Float64(7.0))),
            (&Type::Bool, json!(true), Some(Value::Bool(true))),
            (&Type::Bool, json!(1), None),
            (&Type::String, json!(1), None),
            (&Type::String, json!({"a": 1}), None),
            (
                &Type::Timestamp,
                json!("1970-01-01"),
                Some(Value::Timestamp(0)),
            ),
            (&Type::Timestamp, json!(0), None),
            (
                &strings,
                json!(["a", ""]),
                Some(Value::Array(vec![Value::string("a"), Value::string("")])),
            ),
            (&strings, json!([]), Some(Value::Array(vec![]))),
            (&strings, json!("a"), None),
            (&strings, json!(["a", null]), None),
            (
                &numbers,
                json!([1, "2"]),
                Some(Value::Array(vec![Value::Int64(1), Value::Int64(2)])),
            ),
            (&numbers, json!([[1]]), None),
            (&numbers, json!(vec![1; MAX_ELEMENTS + 1]), None),
        ] {
            assert_eq!(from_json(ty, &json).ok(), expected, "{ty} {json}");
        }
    }

    #[test]
    fn shown_values_are_short_and_printable() {
        assert_eq!(shortened("abc"), "abc");
        assert_eq!(shortened("a\r\nb"), "a\u{fffd}\u{fffd}b");
        assert_eq!(shortened(&"ä".repeat(65)), format!("{}…", "ä".repeat(64)));
        assert_eq!(shortened(&"ä".repeat(64)), "ä".repeat(64));
    }
}
