//! Values as FORMAT's `%t` and `%T` write them: for a reader, or as an expression of the language.
//!
//! Source: GoogleSQL reference, "FORMAT function", `%t` and `%T`.

use std::fmt::Write;

use super::cast::{float64_text, text_of};
use super::fault::Outcome;
use super::json::{DOCUMENT, normalized};
use super::string::check_length;
use super::value::Value;

/// Whom a value is written for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A reader.
    Plain,
    /// The language, which reads the same value back.
    Literal,
}

/// Writes a value; NULL as `NULL`.
pub(super) fn write_value(value: &Value<'_>, form: Form, out: &mut String) -> Outcome<()> {
    match (value, form) {
        (Value::Null, _) => out.push_str("NULL"),
        (Value::Str(text), Form::Plain) => out.push_str(text),
        (Value::Str(text), Form::Literal) => write_text(text, out),
        (Value::Bin(bytes), Form::Plain) => escape_bytes(bytes, None, out),
        (Value::Bin(bytes), Form::Literal) => {
            let quote = quote_for(bytes.contains(&b'"'), bytes.contains(&b'\''));
            out.push('b');
            out.push(quote);
            escape_bytes(bytes, Some(quote), out);
            out.push(quote);
        }
        (Value::Float64(v), _) => write_float(*v, form, out),
        (Value::List(elements), _) => {
            out.push('[');
            for (number, element) in elements.iter().enumerate() {
                out.push_str(if number > 0 { ", " } else { "" });
                write_value(element, form, out)?;
            }
            out.push(']');
        }
        (Value::Struct(fields), _) => match fields.as_slice() {
            [(DOCUMENT, document)] => write_document(document, form, out)?,
            fields => {
                // In the language, parentheses around one value are no record.
                out.push_str(match (fields, form) {
                    ([_], Form::Literal) => "STRUCT(",
                    _ => "(",
                });
                for (number, (_, field)) in fields.iter().enumerate() {
                    out.push_str(if number > 0 { ", " } else { "" });
                    write_value(field, form, out)?;
                }
                out.push(')');
            }
        },
        (value, form) => {
            let text = text_of(value).unwrap_or_default();
            let typed = match (value, form) {
                (Value::Numeric(_), Form::Literal) => Some("NUMERIC"),
                (Value::BigNumeric(_), Form::Literal) => Some("BIGNUMERIC"),
                (Value::Date(_), Form::Literal) => Some("DATE"),
                (Value::Time(_), Form::Literal) => Some("TIME"),
                (Value::Datetime(_), Form::Literal) => Some("DATETIME"),
                (Value::Timestamp(_), Form::Literal) => Some("TIMESTAMP"),
                _ => None,
            };
            match typed {
                Some(name) => {
                    let _ = write!(out, "{name} \"{text}\"");
                }
                None => out.push_str(&text),
            }
        }
    }
    check_length(Some(out.len()))
}

fn write_float(value: f64, form: Form, out: &mut String) {
    let text = float64_text(value);
    if !value.is_finite() && form == Form::Literal {
        let _ = write!(out, "CAST(\"{text}\" AS FLOAT64)");
        return;
    }
    // Only here zero has a sign.
    if value == 0.0 && value.is_sign_negative() {
        out.push('-');
    }
    out.push_str(&text);
    if text.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
        out.push_str(".0");
    }
}

fn write_document(document: &Value<'_>, form: Form, out: &mut String) -> Outcome<()> {
    let Value::Str(text) = document else {
        out.push_str("NULL");
        return Ok(());
    };
    let text = normalized(text, true)?;
    match form {
        Form::Plain => out.push_str(&text),
        Form::Literal => {
            out.push_str("JSON ");
            write_text(&text, out);
        }
    }
    Ok(())
}

/// The quote around a text: the double one, unless only that is in it.
fn quote_for(has_double: bool, has_single: bool) -> char {
    if has_double && !has_single { '\'' } else { '"' }
}

fn write_text(text: &str, out: &mut String) {
    let quote = quote_for(text.contains('"'), text.contains('\''));
    out.push(quote);
    // A digit behind `\x01` would be read as part of it.
    let mut behind_code = false;
    for c in text.chars() {
        let is_code = match c {
            '\n' | '\r' | '\t' => false,
            c => c.is_ascii_control() || behind_code && c.is_ascii_hexdigit(),
        };
        behind_code = is_code;
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if is_code => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push(quote);
}

/// Escapes what is not printable ASCII, the backslash, and the quote, or both quotes where there is none.
fn escape_bytes(bytes: &[u8], quote: Option<char>, out: &mut String) {
    for byte in bytes {
        let c = char::from(*byte);
        let is_quote = match quote {
            Some(quote) => c == quote,
            None => matches!(c, '"' | '\''),
        };
        if c == '\\' || is_quote {
            out.push('\\');
            out.push(c);
        } else if c.is_ascii_graphic() || c == ' ' {
            out.push(c);
        } else {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
}
