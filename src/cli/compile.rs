//! `logboom compile`: what a call compiles to, without running it.

use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::{Value as Json, json};

use super::source::{CallArgs, Prepared, TargetName};
use crate::compiler::ir::Value;
use crate::compiler::{AdHoc, Compiled};

/// The flags of `compile`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    call: CallArgs,
    /// Also print a query in LQL as SQL that a person would write.
    #[arg(long, requires = "lql", conflicts_with = "sql")]
    explain: bool,
}

/// Prints the compiled text on standard output and the values it is bound to on standard error, or
/// everything as one JSON object.
///
/// # Errors
/// The configuration, the endpoints or the output cannot be used.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let target = args.call.target.unwrap_or(match args.call.ad_hoc() {
        Some(AdHoc::Lql(_)) => TargetName::Bigquery,
        Some(AdHoc::Sql(_)) | None => TargetName::Embedded,
    });
    let Some(prepared) = args.call.prepare(target)? else {
        return Ok(ExitCode::FAILURE);
    };
    let Prepared {
        compiled,
        explained,
        ..
    } = prepared;
    let explained = explained.filter(|_| args.explain);
    let mut out = io::stdout().lock();
    if args.call.json {
        serde_json::to_writer_pretty(&mut out, &object(&compiled, explained))
            .map_err(io::Error::from)?;
        writeln!(out)?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "{}", compiled.sql)?;
    if let Some(sql) = explained {
        writeln!(out, "\n{sql}")?;
    }
    for parameter in &compiled.parameters {
        eprintln!(
            "{} {} = {}",
            parameter.name,
            parameter.ty,
            value(&parameter.value)
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn object(compiled: &Compiled, explained: Option<String>) -> Json {
    let parameters: Vec<Json> = compiled
        .parameters
        .iter()
        .map(|p| json!({"name": p.name.as_str(), "type": p.ty.to_string(), "value": value(&p.value)}))
        .collect();
    let columns: Vec<Json> = compiled
        .columns
        .iter()
        .map(|c| json!({"name": c.name.as_str(), "type": c.ty.to_string()}))
        .collect();
    let reads: Vec<&str> = compiled.reads.iter().map(|s| s.as_str()).collect();
    let mut object = json!({
        "sql": compiled.sql,
        "parameters": parameters,
        "columns": columns,
        "reads": reads,
    });
    if let (Some(sql), Some(object)) = (explained, object.as_object_mut()) {
        object.insert("explained".to_owned(), json!(sql));
    }
    object
}

/// Returns a bound value as JSON, in the encoding of results.
fn value(value: &Value) -> Json {
    use base64::Engine;
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => json!(value),
        Value::Int64(value) | Value::Timestamp(value) => json!(value),
        Value::Float64(value) if value.is_nan() => json!("NaN"),
        Value::Float64(value) if value.is_infinite() => {
            json!(if *value > 0.0 {
                "Infinity"
            } else {
                "-Infinity"
            })
        }
        Value::Float64(value) => json!(value),
        Value::Decimal(text) | Value::String(text) | Value::Json(text) => json!(&**text),
        Value::Bytes(bytes) => json!(base64::engine::general_purpose::STANDARD.encode(bytes)),
        Value::Date(days) => civil(i64::from(*days).saturating_mul(DAY_MICROS), |datetime| {
            datetime.date().to_string()
        }),
        Value::Time(micros) => civil(*micros, |datetime| datetime.time().to_string()),
        Value::Datetime(micros) => civil(*micros, |datetime| datetime.to_string()),
        Value::Array(values) => values.iter().map(self::value).collect(),
    }
}

const DAY_MICROS: i64 = 86_400_000_000;

/// Writes an offset from 1970-01-01 00:00:00 on a wall clock.
fn civil(micros: i64, write: impl FnOnce(jiff::civil::DateTime) -> String) -> Json {
    jiff::Timestamp::from_microsecond(micros).map_or_else(
        |_| json!(micros),
        |instant| json!(write(instant.to_zoned(jiff::tz::TimeZone::UTC).datetime())),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        for (input, expected) in [
            (Value::Null, json!(null)),
            (Value::Int64(-3), json!(-3)),
            (Value::Float64(f64::NEG_INFINITY), json!("-Infinity")),
            (Value::string("a\"b"), json!("a\"b")),
            (Value::Bytes([255, 0].as_slice().into()), json!("/wA=")),
            (Value::Date(-1), json!("1969-12-31")),
            (Value::Time(3_600_000_001), json!("01:00:00.000001")),
            (Value::Datetime(1_500_000), json!("1970-01-01T00:00:01.5")),
            (Value::Timestamp(7), json!(7)),
            (Value::Array(vec![Value::Bool(true)]), json!([true])),
        ] {
            assert_eq!(value(&input), expected, "{input:?}");
        }
    }
}
