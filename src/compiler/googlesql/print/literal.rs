//! Constants and names as GoogleSQL text, each in one canonical form.
//!
//! The form depends on the value alone and holds printable ASCII only, so nothing in a value can end its
//! literal, and two readers cannot disagree about it.

use std::fmt::Write;

use super::out::Out;
use crate::compiler::datetime;
use crate::compiler::googlesql::lexer::TokenKind;
use crate::compiler::ir::{Type, Value};

/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// Writes a name in backticks.
pub(super) fn name(out: &mut Out, text: &str) {
    out.value(
        || TokenKind::Quoted(text.to_owned()),
        |out| quoted(out, '`', text),
    );
}

/// Writes a STRING literal.
pub(super) fn string(out: &mut Out, text: &str) {
    out.value(
        || TokenKind::String(text.to_owned()),
        |out| quoted(out, '\'', text),
    );
}

fn quoted(out: &mut String, quote: char, text: &str) {
    out.push(quote);
    let is_plain =
        |byte: u8| matches!(byte, b' '..=b'~') && byte != b'\\' && char::from(byte) != quote;
    if text.bytes().all(is_plain) {
        out.push_str(text);
    } else {
        escaped(out, quote, text);
    }
    out.push(quote);
}

fn escaped(out: &mut String, quote: char, text: &str) {
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            _ if character == quote => {
                out.push('\\');
                out.push(quote);
            }
            ' '..='~' => out.push(character),
            _ => {
                let code = u32::from(character);
                // Writing to a String cannot fail.
                let _ = if code <= 0xffff {
                    write!(out, "\\u{code:04x}")
                } else {
                    write!(out, "\\U{code:08x}")
                };
            }
        }
    }
}

/// Writes a BYTES literal.
fn bytes(out: &mut Out, value: &[u8]) {
    out.value(
        || TokenKind::Bytes(value.to_vec()),
        |out| quoted_bytes(out, value),
    );
}

fn quoted_bytes(out: &mut String, value: &[u8]) {
    out.push_str("b'");
    for byte in value {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'\'' => out.push_str("\\'"),
            b' '..=b'~' => out.push(char::from(*byte)),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push('\'');
}

/// Writes a type, with the names of fields in backticks.
pub(super) fn data_type(out: &mut Out, ty: &Type) {
    match ty {
        Type::Array(array) => {
            out.fixed("ARRAY<");
            data_type(out, &array.element);
            out.fixed(">");
        }
        Type::Struct(fields) => {
            out.fixed("STRUCT<");
            for (i, field) in fields.iter().enumerate() {
                if i > 0 {
                    out.fixed(", ");
                }
                if let Some(field_name) = &field.name {
                    name(out, field_name.as_str());
                    out.fixed(" ");
                }
                data_type(out, &field.ty);
            }
            out.fixed(">");
        }
        Type::Bool
        | Type::Int64
        | Type::Float64
        | Type::Numeric
        | Type::BigNumeric
        | Type::String
        | Type::Bytes
        | Type::Date
        | Type::Time
        | Type::Datetime
        | Type::Timestamp
        | Type::Interval
        | Type::Json => {
            out.fixed(&ty.to_string());
        }
    }
}

/// Writes a constant of a type.
pub(super) fn value(out: &mut Out, value: &Value, ty: &Type) {
    match value {
        // INT64 is the type of an untyped NULL, which coerces to any other.
        Value::Null if *ty == Type::Int64 => out.fixed("NULL"),
        Value::Null => cast(out, |out| out.fixed("NULL"), ty),
        Value::Bool(true) => out.fixed("TRUE"),
        Value::Bool(false) => out.fixed("FALSE"),
        Value::Int64(number) => signed(out, *number < 0, number),
        Value::Float64(number) => float(out, *number),
        Value::Decimal(digits) => {
            out.fixed(if *ty == Type::BigNumeric {
                "BIGNUMERIC "
            } else {
                "NUMERIC "
            });
            string(out, digits);
        }
        Value::String(text) => string(out, text),
        Value::Bytes(value) => bytes(out, value),
        Value::Date(days) => match datetime::format_date(*days) {
            Some(text) => {
                out.fixed("DATE ");
                string(out, &text);
            }
            None => call(out, "DATE_FROM_UNIX_DATE", i64::from(*days)),
        },
        Value::Time(micros) => {
            out.fixed("TIME ");
            string(out, &datetime::clock(micros.rem_euclid(DAY)));
        }
        Value::Datetime(micros) => match datetime::format_datetime(*micros) {
            Some(text) => {
                out.fixed("DATETIME ");
                string(out, &text);
            }
            None => {
                out.fixed("DATETIME(");
                call(out, "TIMESTAMP_MICROS", *micros);
                out.fixed(", ");
                string(out, "UTC");
                out.fixed(")");
            }
        },
        Value::Timestamp(micros) => match datetime::format_timestamp(*micros) {
            Some(text) => {
                out.fixed("TIMESTAMP ");
                string(out, &text);
            }
            None => call(out, "TIMESTAMP_MICROS", *micros),
        },
        Value::Json(text) => {
            out.fixed("JSON ");
            string(out, text);
        }
        Value::Array(values) if values.is_empty() => {
            cast(out, |out| out.fixed("[]"), ty);
        }
        Value::Array(values) => {
            let element = ty.element().unwrap_or(&Type::Int64);
            out.fixed("[");
            for (i, item) in values.iter().enumerate() {
                if i > 0 {
                    out.fixed(", ");
                }
                self::value(out, item, element);
            }
            out.fixed("]");
        }
    }
}

fn cast(out: &mut Out, operand: impl Fn(&mut Out), ty: &Type) {
    out.fixed("CAST(");
    operand(out);
    out.fixed(" AS ");
    data_type(out, ty);
    out.fixed(")");
}

/// Writes a call of a function with one number.
fn call(out: &mut Out, function: &str, number: i64) {
    out.fixed(function);
    out.fixed("(");
    out.number(&number);
    out.fixed(")");
}

/// Writes a number. With a sign it goes in parentheses, so that no two signs can meet.
fn signed(out: &mut Out, negative: bool, number: &impl std::fmt::Display) {
    if negative {
        out.fixed("(");
        out.number(number);
        out.fixed(")");
    } else {
        out.number(number);
    }
}

fn float(out: &mut Out, number: f64) {
    if number.is_finite() {
        // The shortest text that reads back as the same number, with a point or an exponent.
        signed(out, number.is_sign_negative(), &format!("{number:?}"));
        return;
    }
    let text = match (number.is_nan(), number > 0.0) {
        (true, _) => "nan",
        (false, true) => "inf",
        (false, false) => "-inf",
    };
    cast(out, |out| string(out, text), &Type::Float64);
}
