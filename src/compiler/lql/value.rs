//! What a written value is in the type of the column it is compared with.

use super::ast::{Scalar, ScalarKind};
use crate::compiler::analyze::build::{constant, decimal, int64};
use crate::compiler::datetime;
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::ir::{Expr, Type, Value};

/// Returns a value as one of a column's type. A number with a point stays FLOAT64 beside INT64, as it does
/// in SQL. `column` is the column's path for messages.
///
/// # Errors
/// The type has no such value.
pub(super) fn of(
    scalar: &Scalar,
    ty: &Type,
    column: &str,
    clause: Span,
) -> Result<Expr, Box<Diagnostic>> {
    let Scalar { text, kind, span } = scalar;
    let value = match ty {
        Type::String => Some(Value::string(text)),
        Type::Bytes => Some(Value::Bytes(text.as_bytes().into())),
        Type::Bool => text.parse().ok().map(Value::Bool),
        Type::Int64 => match text.parse() {
            Ok(number) => return Ok(int64(number, *span)),
            Err(_) => {
                let number = finite(text).filter(|_| text.contains('.'));
                let number = number.map(Value::Float64);
                return number
                    .map(|number| constant(number, Type::Float64, *span))
                    .ok_or_else(|| refused(scalar, ty, column, clause));
            }
        },
        Type::Float64 => finite(text).map(Value::Float64),
        Type::Numeric | Type::BigNumeric => decimal(text, ty).map(|d| Value::Decimal(d.into())),
        Type::Date if *kind == ScalarKind::Text => datetime::parse_date(text).map(Value::Date),
        Type::Time if *kind == ScalarKind::Text => datetime::parse_time(text).map(Value::Time),
        Type::Datetime if *kind == ScalarKind::Text => {
            datetime::parse_datetime(text).map(Value::Datetime)
        }
        Type::Timestamp if *kind == ScalarKind::Text => {
            datetime::parse_timestamp(text).map(Value::Timestamp)
        }
        Type::Date
        | Type::Time
        | Type::Datetime
        | Type::Timestamp
        | Type::Interval
        | Type::Json
        | Type::Array(_)
        | Type::Struct(_) => None,
    };
    value
        .map(|value| constant(value, ty.clone(), *span))
        .ok_or_else(|| refused(scalar, ty, column, clause))
}

/// Reads a number of FLOAT64: digits, with a point or an exponent.
fn finite(text: &str) -> Option<f64> {
    let number = text.parse::<f64>().ok()?;
    (number.is_finite() && text.contains(|c: char| c.is_ascii_digit())).then_some(number)
}

fn refused(scalar: &Scalar, ty: &Type, column: &str, clause: Span) -> Box<Diagnostic> {
    let (message, help) = match ty {
        Type::Array(array) if array.element.fields().is_some() => (
            format!("`{column}` is a record, which has no value of its own"),
            format!("test a field of it, such as {column}.name:value, or {column}:NULL"),
        ),
        Type::Struct(_) => (
            format!("`{column}` is a record, which has no value of its own"),
            format!("test a field of it, such as {column}.name:value, or {column}:NULL"),
        ),
        Type::Array(_) => (
            format!("`{column}` is an array, which has no single value"),
            format!("test its elements: {column}:@>value"),
        ),
        Type::Json | Type::Interval => (
            format!("`{column}` is of type {ty}, whose values cannot be compared"),
            "only `:NULL` can be tested here; SQL has functions for it".to_owned(),
        ),
        _ => {
            let form = match ty {
                Type::Bool => "true or false",
                Type::Int64 => "a whole number, such as 500",
                Type::Float64 => "a number, such as 0.25",
                Type::Date => "a date, such as 2026-03-31",
                Type::Time => "a time, such as 12:00:00",
                Type::Datetime => "a date with a time, such as 2026-03-31T12:00:00",
                Type::Timestamp => "a date or time, such as 2026-03-31T12:00:00Z",
                _ => "a decimal number, such as 19.95",
            };
            (
                format!("`{}` is no {ty}, the type of `{column}`", scalar.text),
                format!("write {form}"),
            )
        }
    };
    // `(a OR m.b:1)` is three clauses, of which the last one ends in a parenthesis.
    let help = if scalar.text.ends_with(')') {
        "a group begins with a field filter or a quoted text: (\"text\" OR m.path:value)".to_owned()
    } else {
        help
    };
    Box::new(Diagnostic::new(Code::BadLiteral, clause, message).help(help))
}
