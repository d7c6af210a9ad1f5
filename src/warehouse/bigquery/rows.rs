//! Rows from the wire, in the encoding of the HTTP contract.
//!
//! The columns that the compiler computed decide how a value is read. What the wire holds instead is
//! compared with them, column by column and value by value, and a difference is a failure.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::schema;
use super::wire::{TableField, TableSchema};
use crate::compiler::datetime;
use crate::compiler::ir::{Column, Field, Type};

/// A result that is not what the compiler said it would be.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub(super) struct Mismatch {
    column: String,
    message: String,
}

/// Compares the columns of a result with the expected ones: names, types and modes at every level.
///
/// # Errors
/// The first difference.
pub(super) fn check_schema(columns: &[Column], found: &TableSchema) -> Result<(), Mismatch> {
    let mismatch = |column: &str, message: String| Mismatch {
        column: column.to_owned(),
        message,
    };
    if columns.len() != found.fields.len() {
        let message = format!("{} instead of {}", found.fields.len(), columns.len());
        return Err(mismatch("*", message));
    }
    for (column, field) in columns.iter().zip(&found.fields) {
        let name = column.name.as_str();
        if name != field.name {
            return Err(mismatch(name, format!("is called {}", field.name)));
        }
        check_field(&column.ty, field).map_err(|message| mismatch(name, message))?;
    }
    Ok(())
}

fn check_field(ty: &Type, field: &TableField) -> Result<(), String> {
    let is_repeated = field.mode.as_deref() == Some("REPEATED");
    let (is_array, element) = match ty.element() {
        Some(element) => (true, element),
        None => (false, ty),
    };
    let is_same = match element {
        Type::Struct(_) => schema::is_record(&field.ty),
        scalar => schema::scalar(&field.ty).as_ref() == Some(scalar),
    };
    if is_array != is_repeated || !is_same {
        let mode = if is_repeated { "REPEATED " } else { "" };
        return Err(format!("{mode}{} instead of {ty:#}", field.ty));
    }
    let expected = element.fields().unwrap_or_default();
    if expected.len() != field.fields.len() {
        return Err(format!(
            "a record of {} fields instead of {}",
            field.fields.len(),
            expected.len()
        ));
    }
    for (index, (expected, found)) in expected.iter().zip(&field.fields).enumerate() {
        let name = expected.result_name(index);
        if name != found.name {
            return Err(format!("its field {name} is called {}", found.name));
        }
        check_field(&expected.ty, found).map_err(|message| format!("{name}: {message}"))?;
    }
    Ok(())
}

/// Returns the rows of a page; each has one value for each column.
///
/// # Errors
/// The first value that its column cannot hold.
pub(super) fn decode(columns: &[Column], rows: Vec<Value>) -> Result<Vec<Vec<Value>>, Mismatch> {
    rows.into_iter()
        .map(|row| decode_row(columns, row))
        .collect()
}

fn decode_row(columns: &[Column], row: Value) -> Result<Vec<Value>, Mismatch> {
    let cells = cells(row, columns.len()).map_err(|message| Mismatch {
        column: "*".into(),
        message,
    })?;
    columns
        .iter()
        .zip(cells)
        .map(|(column, cell)| {
            value(&column.ty, cell).map_err(|message| Mismatch {
                column: column.name.to_string(),
                message,
            })
        })
        .collect()
}

/// Returns the values of `{"f": [{"v": …}, …]}`.
fn cells(record: Value, expected: usize) -> Result<Vec<Value>, String> {
    let Some(Value::Array(cells)) = take(record, "f") else {
        return Err("a record without cells".into());
    };
    if cells.len() != expected {
        return Err(format!("{} cells instead of {expected}", cells.len()));
    }
    cells.into_iter().map(cell).collect()
}

/// Returns the value of `{"v": …}`.
fn cell(cell: Value) -> Result<Value, String> {
    take(cell, "v").ok_or_else(|| "a cell without value".to_owned())
}

fn take(value: Value, key: &str) -> Option<Value> {
    match value {
        Value::Object(mut object) => object.remove(key),
        _ => None,
    }
}

fn value(ty: &Type, wire: Value) -> Result<Value, String> {
    match (ty, wire) {
        (Type::Array(_), Value::Null) => Ok(json!([])),
        (_, Value::Null) => Ok(Value::Null),
        (Type::Array(array), Value::Array(elements)) => elements
            .into_iter()
            .map(|element| value(&array.element, cell(element)?))
            .collect::<Result<_, _>>()
            .map(Value::Array),
        (Type::Struct(fields), record @ Value::Object(_)) => structure(fields, record),
        (Type::Array(_) | Type::Struct(_), _) => Err(format!("a scalar instead of {ty:#}")),
        (scalar, Value::String(text)) => {
            // The value itself stays out of the log: it is a caller's data.
            self::scalar(scalar, text).ok_or_else(|| format!("a text that is no {scalar}"))
        }
        (scalar, Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            Err(format!("no text where a {scalar} should be"))
        }
    }
}

fn structure(fields: &[Field], record: Value) -> Result<Value, String> {
    let cells = cells(record, fields.len())?;
    let mut object = Map::with_capacity(fields.len());
    for (index, (field, cell)) in fields.iter().zip(cells).enumerate() {
        let name = field.result_name(index);
        let value = value(&field.ty, cell).map_err(|message| format!("{name}: {message}"))?;
        object.insert(name, value);
    }
    Ok(Value::Object(object))
}

fn scalar(ty: &Type, text: String) -> Option<Value> {
    match ty {
        Type::String => Some(Value::String(text)),
        Type::Bool => match text.as_str() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        // Microseconds, because that is what is asked for with `useInt64Timestamp`.
        Type::Int64 | Type::Timestamp => text.parse::<i64>().ok().map(Value::from),
        Type::Float64 => float(&text),
        Type::Numeric | Type::BigNumeric => decimal(&text),
        Type::Bytes => STANDARD.decode(&text).ok().map(|_| Value::String(text)),
        Type::Date => datetime::format_date(datetime::parse_date(&text)?).map(Value::String),
        Type::Time => datetime::format_time(datetime::parse_time(&text)?).map(Value::String),
        Type::Datetime => datetime::format_datetime(datetime::parse_datetime(&text)?)
            .map(|text| Value::String(text.replacen(' ', "T", 1))),
        Type::Interval => is_interval(&text).then_some(Value::String(text)),
        Type::Json => serde_json::from_str(&text).ok(),
        Type::Array(_) | Type::Struct(_) => None,
    }
}

/// Reads a number in any spelling of the three that are none: `NaN`, `Infinity`, `-inf`.
fn float(text: &str) -> Option<Value> {
    let number: f64 = text.parse().ok()?;
    Some(if number.is_nan() {
        Value::from("NaN")
    } else if number.is_infinite() {
        Value::from(if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        })
    } else {
        json!(number)
    })
}

/// Returns a decimal without zeros at the end of its fraction.
fn decimal(text: &str) -> Option<Value> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !are_digits(whole) || !are_digits(fraction) {
        return None;
    }
    Some(Value::from(if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }))
}

/// Returns whether this is an interval: `[-]Y-M [-]D [-]H:M:S[.F]`.
fn is_interval(text: &str) -> bool {
    let numbers = |part: &str, separator: char, count: usize| {
        let parts = part.strip_prefix('-').unwrap_or(part).split(separator);
        let is_number =
            |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        parts.clone().count() == count && parts.into_iter().all(is_number)
    };
    let mut parts = text.split(' ');
    let (Some(months), Some(days), Some(time), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    numbers(months, '-', 2) && numbers(days, ' ', 1) && numbers(time, ':', 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::ir::ColumnName;

    fn column(name: &str, ty: Type) -> Column {
        Column {
            name: ColumnName::new(name),
            ty,
        }
    }

    fn record(fields: &[(&str, Type)]) -> Type {
        Type::record(fields.iter().map(|(name, ty)| Field {
            name: (!name.is_empty()).then(|| ColumnName::new(name)),
            ty: ty.clone(),
        }))
    }

    #[track_caller]
    fn check(ty: &Type, wire: Value, expected: Value) {
        let row = json!({"f": [{"v": wire}]});
        let found = decode(&[column("c", ty.clone())], vec![row.clone()]);
        assert_eq!(found, Ok(vec![vec![expected]]), "{ty} {row}");
    }

    #[test]
    fn scalars_have_the_encoding_of_the_contract() {
        for (ty, wire, expected) in [
            (Type::Bool, "true", json!(true)),
            (Type::Int64, "-9223372036854775808", json!(i64::MIN)),
            (Type::Float64, "1.5", json!(1.5)),
            (Type::Float64, "1.0E-7", json!(1.0e-7)),
            (Type::Float64, "NaN", json!("NaN")),
            (Type::Float64, "nan", json!("NaN")),
            (Type::Float64, "-Infinity", json!("-Infinity")),
            (Type::Float64, "inf", json!("Infinity")),
            (Type::Numeric, "12.500000000", json!("12.5")),
            (Type::Numeric, "100", json!("100")),
            (
                Type::BigNumeric,
                "-0.00000000000000000000000000000000000001",
                json!("-0.00000000000000000000000000000000000001"),
            ),
            (Type::String, "", json!("")),
            (Type::Bytes, "AP8=", json!("AP8=")),
            (Type::Date, "2026-01-31", json!("2026-01-31")),
            (Type::Time, "12:34:56.500000", json!("12:34:56.5")),
            (
                Type::Datetime,
                "2026-01-31T23:59:59",
                json!("2026-01-31T23:59:59"),
            ),
            (
                Type::Datetime,
                "2026-01-31T23:59:59.120000",
                json!("2026-01-31T23:59:59.12"),
            ),
            (
                Type::Timestamp,
                "1769903999000001",
                json!(1_769_903_999_000_001_i64),
            ),
            (Type::Interval, "1-2 -3 -4:5:6.5", json!("1-2 -3 -4:5:6.5")),
            (Type::Json, r#"{"a": [1, null]}"#, json!({"a": [1, null]})),
        ] {
            check(&ty, json!(wire), expected);
            check(&ty, Value::Null, Value::Null);
        }
    }

    #[test]
    fn records_and_arrays_at_every_level() {
        let inner = record(&[("x", Type::Int64), ("", Type::array(Type::String))]);
        let ty = Type::singleton(record(&[("r", inner)]));
        check(
            &ty,
            json!([{"v": {"f": [{"v": {"f": [{"v": "1"}, {"v": [{"v": "a"}, {"v": "b"}]}]}}]}}]),
            json!([{"r": {"x": 1, "_field_2": ["a", "b"]}}]),
        );
        check(
            &ty,
            json!([{"v": {"f": [{"v": null}]}}]),
            json!([{"r": null}]),
        );
        check(&ty, json!([]), json!([]));
        check(&ty, Value::Null, json!([]));
    }

    #[test]
    fn what_is_not_of_the_type_is_refused() {
        for (ty, wire, expected) in [
            (Type::Int64, json!("1.5"), "a text that is no INT64"),
            (Type::Int64, json!(1), "no text where a INT64 should be"),
            (
                Type::Timestamp,
                json!("1.7E9"),
                "a text that is no TIMESTAMP",
            ),
            (Type::Bool, json!("yes"), "a text that is no BOOL"),
            (Type::Float64, json!("1,5"), "a text that is no FLOAT64"),
            (Type::Numeric, json!("1e3"), "a text that is no NUMERIC"),
            (Type::Bytes, json!("?"), "a text that is no BYTES"),
            (Type::Date, json!("2026-02-30"), "a text that is no DATE"),
            (Type::Interval, json!("1-2 3"), "a text that is no INTERVAL"),
            (Type::Json, json!("{"), "a text that is no JSON"),
            (
                Type::array(Type::Int64),
                json!("1"),
                "a scalar instead of ARRAY<INT64>",
            ),
            (
                Type::array(Type::Int64),
                json!(["1"]),
                "a cell without value",
            ),
            (
                record(&[("x", Type::Int64)]),
                json!({"f": []}),
                "0 cells instead of 1",
            ),
        ] {
            let row = json!({"f": [{"v": wire}]});
            let found = decode(&[column("c", ty)], vec![row.clone()]).unwrap_err();
            assert_eq!(found.message, expected, "{row}");
        }
        for row in [json!({}), json!([]), json!({"f": []}), json!({"f": [{}]})] {
            decode(&[column("c", Type::Int64)], vec![row.clone()]).expect_err(&row.to_string());
        }
    }

    #[test]
    fn the_schema_must_be_the_expected_one() {
        let columns = [
            column("a", Type::Int64),
            column("r", Type::singleton(record(&[("x", Type::Float64)]))),
        ];
        let right = json!({"fields": [
            {"name": "a", "type": "INTEGER", "mode": "NULLABLE"},
            {"name": "r", "type": "RECORD", "mode": "REPEATED",
             "fields": [{"name": "x", "type": "FLOAT"}]},
        ]});
        let check = |change: &dyn Fn(&mut Value), expected: Option<&str>| {
            let mut schema = right.clone();
            change(&mut schema["fields"]);
            let schema: TableSchema = serde_json::from_value(schema).unwrap();
            let found = check_schema(&columns, &schema).err().map(|e| e.to_string());
            assert_eq!(found.as_deref(), expected);
        };
        check(&|_| {}, None);
        check(&|f| f[0]["type"] = json!("INT64"), None);
        check(&|f| f[0]["mode"] = json!("REQUIRED"), None);
        check(
            &|f| f[0]["type"] = json!("STRING"),
            Some("column a: STRING instead of INT64"),
        );
        check(
            &|f| f[0]["mode"] = json!("REPEATED"),
            Some("column a: REPEATED INTEGER instead of INT64"),
        );
        check(
            &|f| f[0]["name"] = json!("b"),
            Some("column a: is called b"),
        );
        check(
            &|f| f[1]["mode"] = json!("NULLABLE"),
            Some("column r: RECORD instead of ARRAY<STRUCT>"),
        );
        check(
            &|f| f[1]["fields"][0]["name"] = json!("y"),
            Some("column r: its field x is called y"),
        );
        check(
            &|f| f[1]["fields"][0]["type"] = json!("NUMERIC"),
            Some("column r: x: NUMERIC instead of FLOAT64"),
        );
        check(
            &|f| {
                f.as_array_mut().unwrap().pop();
            },
            Some("column *: 1 instead of 2"),
        );
    }
}
