//! CAST between scalar types. The result type is in the function's name; the argument tells the rest.

use super::adapt::Function;
use super::calendar::{DAY, SECOND, micros_in_range};
use super::civil_text::{
    parse_civil, parse_time_of_day, write_date, write_datetime, write_time, write_timestamp,
};
use super::context::Context;
use super::decimal;
use super::fault::{Outcome, mismatch, refuse};
use super::value::{Kind, Value};
use super::zone::{Zone, parse_offset};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("cast_to_bool", Kind::Bool, |_, args| match args {
        [Value::Bool(v)] => Ok(Value::Bool(*v)),
        [Value::Int64(v)] => Ok(Value::Bool(*v != 0)),
        [Value::Str(text)] => bool_from_text(text).map(Value::Bool),
        _ => mismatch(args),
    }),
    Function::new("cast_to_int64", Kind::Int64, |_, args| match args {
        [Value::Int64(v)] => Ok(Value::Int64(*v)),
        [Value::Bool(v)] => Ok(Value::Int64(i64::from(*v))),
        [Value::Float64(v)] => int64_from_float64(*v).map(Value::Int64),
        [Value::Numeric(v)] => match i64::try_from(decimal::divide_rounded(*v, decimal::ONE)) {
            Ok(v) => Ok(Value::Int64(v)),
            Err(_) => refuse("int64 out of range"),
        },
        [Value::Str(text)] => int64_from_text(text).map(Value::Int64),
        _ => mismatch(args),
    }),
    Function::new("cast_to_float64", Kind::Float64, |_, args| match args {
        [Value::Float64(v)] => Ok(Value::Float64(*v)),
        [Value::Int64(v)] => Ok(Value::Float64(*v as f64)),
        [Value::Numeric(v)] => Ok(Value::Float64(numeric_to_float64(*v))),
        [Value::BigNumeric(v)] => {
            float64_from_text(&decimal::bignumeric_text(*v)).map(Value::Float64)
        }
        [Value::Str(text)] => float64_from_text(text).map(Value::Float64),
        _ => mismatch(args),
    }),
    Function::new("cast_to_numeric", Kind::Numeric, |_, args| {
        let (value, shown) = match args {
            [Value::Numeric(v)] => return Ok(Value::Numeric(*v)),
            [Value::Int64(v)] => return Ok(Value::Numeric(i128::from(*v) * decimal::ONE)),
            [Value::Float64(v)] => (numeric_from_float64(*v), v.to_string()),
            [Value::BigNumeric(v)] => {
                let text = decimal::bignumeric_text(*v);
                (decimal::parse_numeric(&text), text)
            }
            [Value::Str(text)] => (
                decimal::parse_numeric(trim_blanks(text)),
                (*text).to_owned(),
            ),
            _ => return mismatch(args),
        };
        match value {
            Some(value) => Ok(Value::Numeric(value)),
            None => refuse(format!("invalid NUMERIC value: {shown}")),
        }
    }),
    Function::new("cast_to_bignumeric", Kind::BigNumeric, |_, args| {
        let text = match args {
            [Value::BigNumeric(v)] => return Ok(Value::BigNumeric(*v)),
            [Value::Int64(v)] => v.to_string(),
            [Value::Numeric(v)] => decimal::numeric_text(*v),
            [Value::Float64(v)] if v.is_finite() => format!("{v:.80}"),
            [Value::Float64(v)] => v.to_string(),
            [Value::Str(text)] => trim_blanks(text).to_owned(),
            _ => return mismatch(args),
        };
        match decimal::parse_bignumeric(&text) {
            Some(value) => Ok(Value::BigNumeric(value)),
            None => refuse(format!("invalid BIGNUMERIC value: {text}")),
        }
    }),
    Function::new("cast_to_string", Kind::String, |_, args| match args {
        [Value::Str(text)] => Ok(Value::Str(text)),
        [Value::Bin(bytes)] => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Value::Str(text)),
            Err(_) => refuse("the bytes are no UTF-8 text"),
        },
        [value] => match text_of(value) {
            Some(text) => Ok(Value::Text(text)),
            None => mismatch(args),
        },
        _ => mismatch(args),
    }),
    Function::new("cast_to_bytes", Kind::Bytes, |_, args| match args {
        [Value::Bin(bytes)] => Ok(Value::Bin(bytes)),
        [Value::Str(text)] => Ok(Value::Bin(text.as_bytes())),
        _ => mismatch(args),
    }),
    Function::new("cast_to_date", Kind::Date, |_, args| match args {
        [Value::Date(days)] => Ok(Value::Date(*days)),
        [Value::Datetime(micros) | Value::Timestamp(micros)] => date_of(*micros),
        [Value::Str(text)] => date_from_text(text),
        _ => mismatch(args),
    }),
    Function::new("cast_to_datetime", Kind::Datetime, |_, args| match args {
        [Value::Datetime(micros) | Value::Timestamp(micros)] => Ok(Value::Datetime(*micros)),
        [Value::Date(days)] => Ok(Value::Datetime(i64::from(*days) * DAY)),
        [Value::Str(text)] => datetime_from_text(text).map(Value::Datetime),
        _ => mismatch(args),
    }),
    Function::new("cast_to_time", Kind::Time, |_, args| match args {
        [Value::Time(micros)] => Ok(Value::Time(*micros)),
        [Value::Datetime(micros) | Value::Timestamp(micros)] => {
            Ok(Value::Time(micros.rem_euclid(DAY)))
        }
        [Value::Str(text)] => match parse_time_of_day(text) {
            Some(time) => Ok(Value::Time(time)),
            None => refuse(format!("invalid time: {text}")),
        },
        _ => mismatch(args),
    }),
    Function::new(
        "cast_to_timestamp",
        Kind::Timestamp,
        |cx, args| match args {
            [Value::Timestamp(micros) | Value::Datetime(micros)] => Ok(Value::Timestamp(*micros)),
            [Value::Date(days)] => Ok(Value::Timestamp(i64::from(*days) * DAY)),
            [Value::Str(text)] => timestamp_from_text(cx, text, None).map(Value::Timestamp),
            _ => mismatch(args),
        },
    ),
];

/// Removes the blanks that casts from text to numbers allow around the number.
pub(super) fn trim_blanks(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// Returns whether a character is a blank as C has it.
pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

/// Reads BOOL.
pub(super) fn bool_from_text(text: &str) -> Outcome<bool> {
    if text.eq_ignore_ascii_case("true") {
        Ok(true)
    } else if text.eq_ignore_ascii_case("false") {
        Ok(false)
    } else {
        refuse(format!("bad bool value: {text}"))
    }
}

/// Reads INT64: decimal, or hexadecimal behind `0x`, where a tab or the end of a line cannot stand before it.
pub(super) fn int64_from_text(text: &str) -> Outcome<i64> {
    let trimmed = trim_blanks(text);
    let after_spaces = text.trim_start_matches(' ');
    let unsigned = trimmed.strip_prefix(['-', '+']).unwrap_or(trimmed);
    let value = match unsigned
        .strip_prefix("0x")
        .or_else(|| unsigned.strip_prefix("0X"))
    {
        Some(digits)
            if digits.bytes().all(|b| b.is_ascii_hexdigit())
                && after_spaces.starts_with(trimmed) =>
        {
            i128::from_str_radix(digits, 16)
                .ok()
                .map(|v| if trimmed.starts_with('-') { -v } else { v })
                .and_then(|v| i64::try_from(v).ok())
        }
        Some(_) => None,
        None => trimmed.parse().ok(),
    };
    match value {
        Some(value) => Ok(value),
        None => refuse(format!("bad int64 value: {text}")),
    }
}

/// Reads FLOAT64: decimal, hexadecimal behind `0x`, `inf`, `infinity` or `nan` in any case.
pub(super) fn float64_from_text(text: &str) -> Outcome<f64> {
    let trimmed = trim_blanks(text);
    if let Ok(value) = trimmed.parse() {
        return Ok(value);
    }
    let unsigned = trimmed.strip_prefix(['-', '+']).unwrap_or(trimmed);
    let value = match unsigned.as_bytes() {
        [b'0', b'x' | b'X', ..] => hexadecimal_float(unsigned.get(2..).unwrap_or_default()),
        [b'n' | b'N', b'a' | b'A', b'n' | b'N', b'(', .., b')'] => Some(f64::NAN),
        _ => None,
    };
    match value {
        Some(value) if trimmed.starts_with('-') => Ok(-value),
        Some(value) => Ok(value),
        None => refuse(format!("bad double value: {text}")),
    }
}

/// Reads `1f.8p-3`; exact for up to 53 bits.
fn hexadecimal_float(text: &str) -> Option<f64> {
    let (mantissa, exponent) = match text.split_once(['p', 'P']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut value = 0.0_f64;
    for digit in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let shift = i32::try_from(fraction.len()).ok()?.checked_mul(4)?;
    Some(value * 2.0_f64.powi(exponent.checked_sub(shift)?))
}

/// Rounds half away from zero.
pub(super) fn int64_from_float64(value: f64) -> Outcome<i64> {
    let rounded = value.round();
    // 2^63 is the first value beyond the range; -2^63 is within it.
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&rounded) {
        Ok(rounded as i64)
    } else {
        refuse(format!("int64 out of range: {value}"))
    }
}

/// Returns the nearest FLOAT64.
pub(super) fn numeric_to_float64(value: i128) -> f64 {
    decimal::numeric_text(value).parse().unwrap_or(f64::NAN)
}

/// Rounds half away from zero to nine digits; `None` when there is no such NUMERIC.
pub(super) fn numeric_from_float64(value: f64) -> Option<i128> {
    if !value.is_finite() {
        return None;
    }
    // Forty digits tell every FLOAT64 apart from the halfway points between NUMERIC values.
    decimal::parse_numeric(&format!("{value:.40}"))
}

/// Writes FLOAT64 as C's `%.15g` does, or as `%.17g` when that does not read back as the same
/// value. Zero has no sign.
pub(super) fn float64_text(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let short = general(value, 15);
    if short.parse() == Ok(value) {
        short
    } else {
        general(value, 17)
    }
}

/// Writes a finite number like C's `%.{precision}g`.
pub(super) fn general(value: f64, precision: usize) -> String {
    let scientific = format!("{value:.*e}", precision - 1);
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let limit = i32::try_from(precision).unwrap_or(i32::MAX);
    if (-4..limit).contains(&exponent) {
        let decimals = usize::try_from(limit - 1 - exponent).unwrap_or_default();
        return without_trailing_zeros(&format!("{value:.decimals$}")).to_owned();
    }
    let mantissa = without_trailing_zeros(mantissa);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

fn without_trailing_zeros(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

/// Writes a value of a type other than STRING, BYTES, ARRAY and STRUCT as CAST does.
pub(super) fn text_of(value: &Value<'_>) -> Option<String> {
    let mut out = String::new();
    match value {
        Value::Bool(v) => out.push_str(if *v { "true" } else { "false" }),
        Value::Int64(v) => return Some(v.to_string()),
        Value::Float64(v) => return Some(float64_text(*v)),
        Value::Numeric(v) => return Some(decimal::numeric_text(*v)),
        Value::BigNumeric(v) => return Some(decimal::bignumeric_text(*v)),
        Value::Date(days) => write_date(i64::from(*days), &mut out),
        Value::Time(time) => write_time(*time, &mut out),
        Value::Datetime(micros) => write_datetime(*micros, ' ', &mut out),
        Value::Timestamp(micros) => write_timestamp(*micros, &Zone::UTC, &mut out),
        Value::Null
        | Value::Str(_)
        | Value::Text(_)
        | Value::Bin(_)
        | Value::Binary(_)
        | Value::List(_)
        | Value::Struct(_) => return None,
    }
    Some(out)
}

/// Returns the DATE of a wall clock.
pub(super) fn date_of<'a>(micros: i64) -> Outcome<Value<'a>> {
    match i32::try_from(super::calendar::in_range(micros.div_euclid(DAY))?) {
        Ok(days) => Ok(Value::Date(days)),
        Err(_) => refuse("the date is out of range"),
    }
}

/// Reads DATE.
pub(super) fn date_from_text<'a>(text: &str) -> Outcome<Value<'a>> {
    match parse_civil(text, false) {
        Some(parsed) if parsed.time.is_none() && parsed.rest.is_empty() => {
            date_of(parsed.days * DAY)
        }
        Some(_) | None => refuse(format!("invalid date: {text}")),
    }
}

/// Reads DATETIME.
pub(super) fn datetime_from_text(text: &str) -> Outcome<i64> {
    match parse_civil(text, false) {
        Some(parsed) if parsed.rest.is_empty() => {
            micros_in_range(parsed.days * DAY + parsed.time.unwrap_or_default())
        }
        Some(_) | None => refuse(format!("invalid datetime: {text}")),
    }
}

/// Reads TIMESTAMP. Its own zone is UTC when absent; it must be absent when a zone is given.
pub(super) fn timestamp_from_text(cx: &Context, text: &str, zone: Option<&Zone>) -> Outcome<i64> {
    let invalid = || refuse(format!("invalid timestamp: {text}"));
    let Some(parsed) = parse_civil(text, true) else {
        return invalid();
    };
    let wall_clock = parsed.days * DAY + parsed.time.unwrap_or_default();
    let instant = if parsed.rest.is_empty() {
        zone.unwrap_or(&Zone::UTC).instant(wall_clock)
    } else if zone.is_some() {
        return invalid();
    } else if parsed.time.is_none() {
        // Behind a date alone an offset stands where the time would.
        match parsed
            .rest
            .strip_prefix([' ', 'T', 't'])
            .and_then(parse_offset)
        {
            Some(minutes) => Zone::Fixed(minutes * 60 * SECOND).instant(wall_clock),
            None => return invalid(),
        }
    } else if let Some(name) = parsed.rest.strip_prefix(' ') {
        if name.starts_with(['+', '-']) {
            return invalid();
        }
        cx.zones.get(name, Zone::parse)?.instant(wall_clock)
    } else if matches!(parsed.rest, "Z" | "z") {
        wall_clock
    } else if let Some(minutes) = parse_offset(parsed.rest) {
        Zone::Fixed(minutes * 60 * SECOND).instant(wall_clock)
    } else {
        return invalid();
    };
    micros_in_range(instant)
}
