//! JSON functions over STRING and over JSON, which is kept as its text.
//!
//! The two cannot be told apart here, so a JSON value is read like a STRING; `json_to_json_string`
//! is TO_JSON_STRING of a JSON value, since that of a STRING quotes it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::adapt::Function;
use super::cast::{
    bool_from_text, float64_from_text, float64_text, int64_from_float64, int64_from_text,
    numeric_from_float64, numeric_to_float64, text_of,
};
use super::civil_text::{write_datetime, write_time};
use super::context::Context;
use super::decimal::{ONE, bignumeric_text, parse_bignumeric};
use super::fault::{Outcome, mismatch, refuse};
use super::json_path::{Path, Quoting};
use super::json_text::{Scanner, Sort, find, json_float, write_members, write_string, write_text};
use super::string::check_length;
use super::value::{Kind, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("json_value", Kind::String, |cx, args| {
        scalar_at(cx, args, Quoting::Standard)
    }),
    Function::new("json_extract_scalar", Kind::String, |cx, args| {
        scalar_at(cx, args, Quoting::Legacy)
    }),
    Function::new("json_query", Kind::String, |cx, args| {
        document_at(cx, args, Quoting::Standard)
    }),
    Function::new("json_extract", Kind::String, |cx, args| {
        document_at(cx, args, Quoting::Legacy)
    }),
    Function::list("json_value_array", Kind::String, |cx, args| {
        scalars_at(cx, args, Quoting::Standard)
    }),
    Function::list("json_extract_string_array", Kind::String, |cx, args| {
        scalars_at(cx, args, Quoting::Legacy)
    }),
    Function::list("json_query_array", Kind::String, |cx, args| {
        documents_at(cx, args, Quoting::Standard)
    }),
    Function::list("json_extract_array", Kind::String, |cx, args| {
        documents_at(cx, args, Quoting::Legacy)
    }),
    Function::new("json_type", Kind::String, |_, args| {
        let name = match sort_of(args)? {
            Sort::Object => "object",
            Sort::Array => "array",
            Sort::String => "string",
            Sort::Number => "number",
            Sort::Bool => "boolean",
            Sort::Null => "null",
        };
        Ok(Value::Str(name))
    }),
    Function::list("json_keys", Kind::String, |_, args| match args {
        [Value::Null, ..] | [_, _, Value::Null] => Ok(Value::Null),
        [_, Value::Int64(depth), ..] if *depth < 1 => {
            refuse("the depth of JSON_KEYS must be positive")
        }
        [Value::Str(text), rest @ ..] => {
            let (depth, mode) = match rest {
                [] | [Value::Null] => (i64::MAX, "strict"),
                [Value::Int64(depth)] => (*depth, "strict"),
                [Value::Null, Value::Str(mode)] => (i64::MAX, *mode),
                [Value::Int64(depth), Value::Str(mode)] => (*depth, *mode),
                _ => return mismatch(args),
            };
            match Arrays::parse(mode) {
                Some(arrays) => json_keys(text, depth, arrays),
                None => refuse("no such mode of JSON_KEYS"),
            }
        }
        _ => mismatch(args),
    })
    .keeping_nulls(),
    Function::new("parse_json", Kind::String, |_, args| match args {
        [Value::Str(text)] => normalized(text, false).map(Value::Text),
        [Value::Str(text), Value::Str(mode)] if matches!(*mode, "exact" | "round") => {
            normalized(text, *mode == "round").map(Value::Text)
        }
        [_, Value::Str(_)] => refuse("wide_number_mode is exact or round"),
        _ => mismatch(args),
    }),
    Function::new("json_to_json_string", Kind::String, |_, args| match args {
        [Value::Null, ..] => Ok(Value::Str("null")),
        [Value::Str(text)] | [Value::Str(text), Value::Bool(false)] => {
            normalized(text, true).map(Value::Text)
        }
        [Value::Str(text), Value::Bool(true)] => {
            Ok(Value::Text(indented(&normalized(text, true)?)))
        }
        _ => mismatch(args),
    })
    .keeping_nulls(),
    Function::new("to_json_string", Kind::String, |_, args| match args {
        [value] | [value, Value::Bool(false)] => {
            Ok(Value::Text(serialized(value, Style::JSON_STRING)?))
        }
        [value, Value::Bool(true)] => {
            let text = serialized(value, Style::JSON_STRING)?;
            Ok(Value::Text(indented(&text)))
        }
        [_, Value::Null] => Ok(Value::Null),
        _ => mismatch(args),
    })
    .keeping_nulls(),
    Function::new("to_json", Kind::String, |_, args| match args {
        [_, Value::Null] => Ok(Value::Null),
        [value] | [value, Value::Bool(false)] => Ok(Value::Text(serialized(value, Style::JSON)?)),
        [value, Value::Bool(true)] => Ok(Value::Text(serialized(value, Style::JSON_AS_TEXT)?)),
        _ => mismatch(args),
    })
    .keeping_nulls(),
    Function::new("json_array", Kind::String, |_, args| {
        let elements = args
            .iter()
            .map(|value| serialized(value, Style::JSON))
            .collect::<Outcome<Vec<_>>>()?;
        Ok(Value::Text(format!("[{}]", elements.join(","))))
    })
    .keeping_nulls(),
    Function::new("json_object", Kind::String, |_, args| json_object(args)).keeping_nulls(),
    Function::new("int64", Kind::Int64, |_, args| match scalar_of(args)? {
        (Sort::Number, text) => match text.parse::<i64>() {
            Ok(value) => Ok(Value::Int64(value)),
            Err(_) => match text.parse::<f64>() {
                Ok(value) if value.fract() == 0.0 => int64_from_float64(value).map(Value::Int64),
                _ => refuse("the JSON number is no INT64"),
            },
        },
        _ => refuse("the JSON value is no integer"),
    }),
    Function::new("float64", Kind::Float64, |_, args| {
        match scalar_of(args.get(..1).unwrap_or_default())? {
            _ if !matches!(args, [_] | [_, Value::Str("exact" | "round")]) => {
                refuse("wide_number_mode is exact or round")
            }
            (Sort::Number, text) if matches!(args, [_, Value::Str("exact")]) => {
                match text.parse() {
                    Ok(whole) if (whole as f64) as i128 != whole => {
                        refuse("the JSON number is no FLOAT64")
                    }
                    _ => float64_from_text(&text).map(Value::Float64),
                }
            }
            (Sort::Number, text) => float64_from_text(&text).map(Value::Float64),
            _ => refuse("the JSON value is no number"),
        }
    }),
    Function::new("string", Kind::String, |cx, args| match args {
        [Value::Timestamp(_), ..] | [Value::Date(_) | Value::Time(_) | Value::Datetime(_)] => {
            string_of_time(cx, args)
        }
        _ => match scalar_of(args)? {
            (Sort::String, text) => Ok(Value::Text(text)),
            _ => refuse("the JSON value is no string"),
        },
    }),
    Function::new("bool", Kind::Bool, |_, args| match scalar_of(args)? {
        (Sort::Bool, text) => bool_from_text(&text).map(Value::Bool),
        _ => refuse("the JSON value is no boolean"),
    }),
    Function::new("lax_int64", Kind::Int64, |_, args| {
        let value = match scalar_of(args)? {
            (Sort::Bool, text) => Some(i64::from(text == "true")),
            (_, text) if text.contains(['x', 'X']) => None,
            (Sort::Number | Sort::String, text) => int64_from_text(&text)
                .or_else(|_| float64_from_text(&text).and_then(int64_from_float64))
                .ok(),
            _ => None,
        };
        Ok(value.map_or(Value::Null, Value::Int64))
    }),
    Function::new("lax_float64", Kind::Float64, |_, args| {
        let value = match scalar_of(args)? {
            (Sort::Number | Sort::String, text) => float64_from_text(&text).ok(),
            _ => None,
        };
        Ok(value.map_or(Value::Null, Value::Float64))
    }),
    Function::new("lax_string", Kind::String, |_, args| {
        Ok(match scalar_of(args)? {
            (Sort::Number, text) if text.contains(['.', 'e', 'E']) => {
                Value::Text(float64_text(float64_from_text(&text)?))
            }
            (Sort::Number | Sort::String | Sort::Bool, text) => Value::Text(text),
            _ => Value::Null,
        })
    }),
    Function::new("lax_bool", Kind::Bool, |_, args| {
        let value = match scalar_of(args)? {
            (Sort::Bool | Sort::String, text) => bool_from_text(&text).ok(),
            (Sort::Number, text) => text.parse::<f64>().ok().map(|value| value != 0.0),
            _ => None,
        };
        Ok(value.map_or(Value::Null, Value::Bool))
    }),
];

fn at<'a>(cx: &Context, args: &[Value<'a>], quoting: Quoting) -> Outcome<Option<Scanner<'a>>> {
    let (text, path) = match args {
        [Value::Str(text)] => (*text, "$"),
        [Value::Str(text), Value::Str(path)] => (*text, *path),
        _ => return mismatch(args),
    };
    let path = cx.paths.get(path, |text| Path::parse(text, quoting))?;
    Ok(find(text, &path))
}

fn scalar_at<'a>(cx: &Context, args: &[Value<'a>], quoting: Quoting) -> Outcome<Value<'a>> {
    let scalar = at(cx, args, quoting)?.and_then(|mut scanner| scanner.scalar());
    Ok(scalar.flatten().map_or(Value::Null, from_cow))
}

fn from_cow(text: std::borrow::Cow<'_, str>) -> Value<'_> {
    match text {
        std::borrow::Cow::Borrowed(text) => Value::Str(text),
        std::borrow::Cow::Owned(text) => Value::Text(text),
    }
}

fn document_at<'a>(cx: &Context, args: &[Value<'a>], quoting: Quoting) -> Outcome<Value<'a>> {
    let Some(mut scanner) = at(cx, args, quoting)? else {
        return Ok(Value::Null);
    };
    let mut out = String::new();
    Ok(match (scanner.sort(), scanner.copy(&mut out)) {
        (Some(Sort::Null), _) | (_, None) => Value::Null,
        (_, Some(())) => Value::Text(out),
    })
}

fn scalars_at<'a>(cx: &Context, args: &[Value<'a>], quoting: Quoting) -> Outcome<Value<'a>> {
    let Some(mut scanner) = at(cx, args, quoting)? else {
        return Ok(Value::Null);
    };
    let mut values = Vec::new();
    let read = scanner.elements(|scanner, _| {
        values.push(scanner.scalar()?.map_or(Value::Null, from_cow));
        Some(None::<()>)
    });
    Ok(if read.is_some() {
        Value::List(values)
    } else {
        Value::Null
    })
}

fn documents_at<'a>(cx: &Context, args: &[Value<'a>], quoting: Quoting) -> Outcome<Value<'a>> {
    let Some(mut scanner) = at(cx, args, quoting)? else {
        return Ok(Value::Null);
    };
    let mut values = Vec::new();
    let read = scanner.elements(|scanner, _| {
        let mut out = String::new();
        scanner.copy(&mut out)?;
        values.push(Value::Text(out));
        Some(None::<()>)
    });
    Ok(if read.is_some() {
        Value::List(values)
    } else {
        Value::Null
    })
}

fn sort_of(args: &[Value<'_>]) -> Outcome<Sort> {
    match args {
        [Value::Str(text)] => match Scanner::strict(text).sort() {
            Some(sort) => Ok(sort),
            None => refuse("the value is no JSON"),
        },
        _ => mismatch(args),
    }
}

/// What a JSON value is, and its text when it is a scalar other than null.
fn scalar_of(args: &[Value<'_>]) -> Outcome<(Sort, String)> {
    let sort = sort_of(args)?;
    let [Value::Str(text)] = args else {
        return mismatch(args);
    };
    let scalar = Scanner::strict(text).scalar().flatten();
    Ok((sort, scalar.unwrap_or_default().into_owned()))
}

/// Returns a JSON text without white space and with its numbers in their shortest form; `round` takes those that
/// change their value by it.
pub(super) fn normalized(text: &str, round: bool) -> Outcome<String> {
    let mut scanner = Scanner::strict(text);
    let mut out = String::new();
    match scanner.normalize(round, &mut out) {
        Some(Ok(())) if scanner.at_end() => Ok(out),
        Some(Err(number)) => refuse(format!("the JSON number {number} would change its value")),
        Some(Ok(())) | None => refuse("the text is no JSON"),
    }
}

/// Writes a document on several lines, two blanks for each level.
pub(super) fn indented(text: &str) -> String {
    fn write(scanner: &mut Scanner<'_>, level: usize, out: &mut String) -> Option<()> {
        let line = |level: usize, out: &mut String| {
            out.push('\n');
            out.push_str(&"  ".repeat(level));
        };
        let mut count = 0_usize;
        match scanner.sort()? {
            Sort::Object => {
                out.push('{');
                scanner.members(|scanner, name| {
                    out.push_str(if count > 0 { "," } else { "" });
                    count += 1;
                    line(level + 1, out);
                    write_string(&name, out);
                    out.push_str(": ");
                    write(scanner, level + 1, out).map(|()| None::<()>)
                })?;
                if count > 0 {
                    line(level, out);
                }
                out.push('}');
            }
            Sort::Array => {
                out.push('[');
                scanner.elements(|scanner, _| {
                    out.push_str(if count > 0 { "," } else { "" });
                    count += 1;
                    line(level + 1, out);
                    write(scanner, level + 1, out).map(|()| None::<()>)
                })?;
                if count > 0 {
                    line(level, out);
                }
                out.push(']');
            }
            _ => scanner.copy(out)?,
        }
        Some(())
    }
    let mut out = String::with_capacity(text.len() * 2);
    match write(&mut Scanner::strict(text), 0, &mut out) {
        Some(()) => out,
        None => text.to_owned(),
    }
}

/// How JSON_KEYS looks into arrays.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arrays {
    /// Not at all.
    Skipped,
    /// Into those that are the value of a key.
    Entered,
    /// Also into those within others.
    EnteredDeeply,
}

impl Arrays {
    fn parse(mode: &str) -> Option<Self> {
        [
            ("strict", Arrays::Skipped),
            ("lax", Arrays::Entered),
            ("lax recursive", Arrays::EnteredDeeply),
        ]
        .into_iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(mode))
        .map(|(_, arrays)| arrays)
    }
}

fn json_keys<'a>(text: &str, depth: i64, arrays: Arrays) -> Outcome<Value<'a>> {
    fn collect(
        scanner: &mut Scanner<'_>,
        around: &str,
        (depth, arrays): (i64, Arrays),
        within: bool,
        keys: &mut Vec<String>,
    ) -> Option<()> {
        let sort = scanner.sort()?;
        let enters = arrays == Arrays::EnteredDeeply || (arrays == Arrays::Entered && !within);
        if sort == Sort::Array && enters && depth >= 1 {
            scanner.elements(|scanner, _| {
                collect(scanner, around, (depth, arrays), true, keys).map(|()| None::<()>)
            })?;
            return Some(());
        }
        if sort != Sort::Object || depth < 1 {
            return scanner.skip();
        }
        scanner.members(|scanner, name| {
            let mut key = String::from(around);
            if !around.is_empty() {
                key.push('.');
            }
            let mut quoted = String::new();
            write_string(&name, &mut quoted);
            // In quotes is what would read otherwise: a dot, or what JSON escapes.
            if name.contains('.') || quoted.len() != name.len() + 2 {
                key.push_str(&quoted);
            } else {
                key.push_str(&name);
            }
            keys.push(key.clone());
            collect(scanner, &key, (depth - 1, arrays), false, keys).map(|()| None::<()>)
        })?;
        Some(())
    }
    let mut keys = Vec::new();
    let whole = collect(
        &mut Scanner::strict(text),
        "",
        (depth, arrays),
        false,
        &mut keys,
    );
    if whole.is_none() {
        return refuse("the value is no JSON");
    }
    keys.sort();
    keys.dedup();
    Ok(Value::List(keys.into_iter().map(Value::Text).collect()))
}

fn json_object<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let mut members: Vec<(&str, String)> = Vec::new();
    if let [Value::List(names), Value::List(values)] = args {
        if names.len() != values.len() {
            return refuse("JSON_OBJECT takes as many names as values");
        }
        for (name, value) in names.iter().zip(values) {
            let Value::Str(name) = name else {
                return refuse("the names of JSON_OBJECT cannot be NULL");
            };
            members.push((name, serialized(value, Style::JSON)?));
        }
    } else {
        for pair in args.chunks(2) {
            match pair {
                [Value::Str(name), value] => members.push((name, serialized(value, Style::JSON)?)),
                [Value::Null, _] => return refuse("the names of JSON_OBJECT cannot be NULL"),
                [Value::List(_), Value::Null] => {
                    return refuse("the values of JSON_OBJECT cannot be NULL");
                }
                _ => return mismatch(args),
            }
        }
    }
    let mut out = String::new();
    write_members(members, &mut out);
    Ok(Value::Text(out))
}

/// How values are written as JSON.
#[derive(Clone, Copy)]
struct Style {
    /// As the JSON type has it: fields sorted, large integers as numbers.
    document: bool,
    /// Numbers that are no FLOAT64 as text.
    wide_as_text: bool,
}

impl Style {
    const JSON_STRING: Style = Style {
        document: false,
        wide_as_text: true,
    };
    const JSON: Style = Style {
        document: true,
        wide_as_text: false,
    };
    const JSON_AS_TEXT: Style = Style {
        document: true,
        wide_as_text: true,
    };
}

/// The only field of a record that stands for a JSON document, which is kept as its text; the compiler makes
/// such records, and no query can.
pub(super) const DOCUMENT: &str = "(json)";

/// The greatest integer up to which every integer is a FLOAT64.
const MAX_EXACT: u64 = 1 << 53;

/// Whether a NUMERIC is written without quotes: when no reader takes it for another number.
fn is_plain_number(value: i128, style: Style) -> bool {
    let limit = i128::from(MAX_EXACT) * ONE;
    !style.wide_as_text || value % ONE == 0 && value.abs() <= limit
}

/// Whether a NUMERIC is an integer of 64 bits, signed or not.
fn is_wide_integer(value: i128) -> bool {
    value % ONE == 0 && (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&(value / ONE))
}

fn serialized(value: &Value<'_>, style: Style) -> Outcome<String> {
    let mut out = String::new();
    serialize(value, style, &mut out)?;
    Ok(out)
}

fn serialize(value: &Value<'_>, style: Style, out: &mut String) -> Outcome<()> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Str(text) if style.document => write_string(text, out),
        Value::Text(text) if style.document => write_string(text, out),
        Value::Str(text) => write_text(text, out),
        Value::Text(text) => write_text(text, out),
        Value::Bin(bytes) => write_string(&STANDARD.encode(bytes), out),
        Value::Binary(bytes) => write_string(&STANDARD.encode(bytes), out),
        Value::Int64(v) if !style.wide_as_text || v.unsigned_abs() <= MAX_EXACT => {
            out.push_str(&v.to_string());
        }
        Value::Float64(v) if v.is_nan() => out.push_str("\"NaN\""),
        Value::Float64(v) if v.is_infinite() => {
            out.push_str(if *v > 0.0 {
                "\"Infinity\""
            } else {
                "\"-Infinity\""
            });
        }
        // Zero has no sign here.
        Value::Float64(v) if style.document => out.push_str(&json_float(*v + 0.0)),
        Value::Float64(v) => out.push_str(&float64_text(*v)),
        Value::Bool(v) => out.push_str(if *v { "true" } else { "false" }),
        Value::Datetime(micros) => {
            let mut text = String::new();
            write_datetime(*micros, 'T', &mut text);
            write_string(&text, out);
        }
        Value::Timestamp(micros) => {
            let mut text = String::new();
            write_datetime(*micros, 'T', &mut text);
            text.push('Z');
            write_string(&text, out);
        }
        Value::Time(time) => {
            let mut text = String::new();
            write_time(*time, &mut text);
            write_string(&text, out);
        }
        // A number of a document is a 64-bit integer or a FLOAT64.
        Value::Numeric(v) if style.document && !is_wide_integer(*v) => {
            let nearest = numeric_to_float64(*v);
            if style.wide_as_text && numeric_from_float64(nearest) != Some(*v) {
                write_string(&text_of(value).unwrap_or_default(), out);
            } else {
                out.push_str(&json_float(nearest));
            }
        }
        Value::BigNumeric(v) if style.document => {
            let text = bignumeric_text(*v);
            let is_wide_integer = text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok();
            let nearest = float64_from_text(&text)?;
            // What reads back as the same number, and no integer that some readers would round.
            let is_plain = parse_bignumeric(&nearest.to_string()) == Some(*v)
                && (nearest.fract() != 0.0 || nearest.abs() <= MAX_EXACT as f64);
            if style.wide_as_text && !is_plain {
                write_string(&text, out);
            } else if is_wide_integer {
                out.push_str(&text);
            } else {
                out.push_str(&json_float(nearest));
            }
        }
        Value::Numeric(v) if is_plain_number(*v, style) => {
            out.push_str(&text_of(value).unwrap_or_default());
        }
        Value::Int64(_) | Value::Numeric(_) | Value::BigNumeric(_) | Value::Date(_) => {
            write_string(&text_of(value).unwrap_or_default(), out);
        }
        Value::List(elements) => {
            out.push('[');
            for (number, element) in elements.iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                serialize(element, style, out)?;
            }
            out.push(']');
        }
        // A document among values of other types.
        Value::Struct(fields) if matches!(fields.as_slice(), [(DOCUMENT, _)]) => {
            match fields.as_slice() {
                [(_, Value::Str(text))] => out.push_str(&normalized(text, true)?),
                _ => out.push_str("null"),
            }
        }
        Value::Struct(fields) if style.document => {
            let members = fields
                .iter()
                .map(|(name, field)| Ok((*name, serialized(field, style)?)))
                .collect::<Outcome<Vec<_>>>()?;
            write_members(members, out);
        }
        Value::Struct(fields) => {
            out.push('{');
            for (number, (name, field)) in fields.iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                write_text(name, out);
                out.push(':');
                serialize(field, style, out)?;
            }
            out.push('}');
        }
    }
    check_length(Some(out.len()))
}

/// STRING of a date or time, which is the cast; of a TIMESTAMP with a zone, the text in that zone.
fn string_of_time<'a>(cx: &Context, args: &[Value<'a>]) -> Outcome<Value<'a>> {
    match args {
        [Value::Timestamp(micros), Value::Str(tz)] => {
            let mut out = String::new();
            let zone = super::time::zone(cx, tz)?;
            super::civil_text::write_timestamp(*micros, &zone, &mut out);
            Ok(Value::Text(out))
        }
        [value] => match text_of(value) {
            Some(text) => Ok(Value::Text(text)),
            None => mismatch(args),
        },
        _ => mismatch(args),
    }
}
