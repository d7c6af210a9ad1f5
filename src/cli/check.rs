//! `logboom check`: loads everything and tells what is there, or everything that is wrong.

use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::json;

use crate::compiler::analyze::Subtable;
use crate::compiler::ir::Column;
use crate::endpoint::{Endpoint, Endpoints, LoadErrors, Parameter};

use super::live::{self, Live};
use super::source::Source;
use crate::config::Config;

/// Checks the configuration and all endpoints without serving them.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    source: Source,
    /// Also ask BigQuery: what each endpoint would read, and whether the tables are what the schemas say.
    #[arg(long)]
    live: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// Standard output that cannot be written to.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Args { source, live, json } = args;
    let mut out = io::stdout().lock();
    let checked = load(&source);
    let mut is_right = checked.is_ok();
    match checked {
        Ok((config, endpoints)) => {
            let live = match live {
                true => Some(live::look(&config, &endpoints)?),
                false => None,
            };
            is_right = live.as_ref().is_none_or(Live::is_right);
            if json {
                write_json(&mut out, &endpoints, live.as_ref())?;
            } else {
                write_text(&mut out, &endpoints)?;
                live.map_or(Ok(()), |live| live.write_text(&mut out))?;
            }
        }
        Err(errors) if json => {
            writeln!(out, "{:#}", json!({"ok": false, "errors": errors}))?;
        }
        Err(errors) => {
            out.flush()?;
            let mut err = io::stderr().lock();
            for error in &errors {
                writeln!(err, "{}\n", error.message.trim_end())?;
            }
            let n = errors.len();
            writeln!(err, "{n} {}", if n == 1 { "error" } else { "errors" })?;
        }
    }
    Ok(if is_right {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// A mistake in the configuration or in an endpoint.
#[derive(Debug, serde::Serialize)]
struct Mistake {
    file: Option<String>,
    message: String,
}

impl From<LoadErrors> for Vec<Mistake> {
    fn from(errors: LoadErrors) -> Self {
        let mistakes = errors.0.into_iter().map(|error| Mistake {
            file: Some(error.file),
            message: error.message,
        });
        mistakes.collect()
    }
}

/// Loads configuration and endpoints; on failure, returns every mistake.
fn load(source: &Source) -> Result<(Config, Endpoints), Vec<Mistake>> {
    let error = match source.load() {
        Ok(loaded) => return Ok(loaded),
        Err(error) => error,
    };
    Err(match error.downcast::<LoadErrors>() {
        Ok(errors) => errors.into(),
        Err(other) => vec![Mistake {
            file: None,
            message: format!("{other:#}"),
        }],
    })
}

fn write_text(out: &mut impl Write, endpoints: &Endpoints) -> io::Result<()> {
    for endpoint in endpoints.iter() {
        write_endpoint(out, endpoint)?;
        writeln!(out)?;
    }
    let n = endpoints.iter().count();
    let noun = if n == 1 { "endpoint" } else { "endpoints" };
    let streams = endpoints.catalog().streams().count();
    writeln!(out, "{n} {noun}, {streams} streams: no mistakes")
}

fn write_endpoint(out: &mut impl Write, endpoint: &Endpoint) -> io::Result<()> {
    writeln!(out, "{}  {}", endpoint.name, endpoint.id)?;
    let cache = match (endpoint.cache_seconds, endpoint.cache_warming_seconds) {
        (0, _) => "not cached".into(),
        (kept, None) => format!("cached {kept} s"),
        (kept, Some(warmed)) => format!("cached {kept} s, warmed every {warmed} s"),
    };
    let on = |is_on| if is_on { "on" } else { "off" };
    writeln!(
        out,
        "  at most {} rows, {cache}, sandbox {}, redaction {}",
        endpoint.max_rows,
        on(endpoint.sandbox),
        on(endpoint.redact_pii)
    )?;
    writeln!(out, "  parameters")?;
    for parameter in &endpoint.parameters {
        writeln!(out, "    {}", parameter_text(parameter))?;
    }
    if endpoint.sandbox {
        writeln!(out, "  sub-tables")?;
        for Subtable { name, columns, .. } in endpoint.query.subtables() {
            let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
            writeln!(out, "    {name} ({})", names.join(", "))?;
        }
    }
    Ok(())
}

fn parameter_text(parameter: &Parameter) -> String {
    let mut text = format!("{} {}", parameter.name(), parameter.type_name());
    if parameter.required {
        text.push_str(" required");
    }
    if let Some(allowed) = parameter.allowed_text() {
        text.push_str(&format!(", one of {allowed}"));
    }
    text
}

fn write_json(out: &mut impl Write, endpoints: &Endpoints, live: Option<&Live>) -> io::Result<()> {
    let listed: Vec<serde_json::Value> = endpoints.iter().map(|e| endpoint_json(e)).collect();
    let mut answer = json!({"ok": live.is_none_or(Live::is_right), "endpoints": listed});
    if let (Some(live), Some(answer)) = (live, answer.as_object_mut()) {
        answer.insert("live".into(), live.json());
    }
    writeln!(out, "{answer:#}")
}

fn endpoint_json(endpoint: &Endpoint) -> serde_json::Value {
    let parameters: Vec<serde_json::Value> = endpoint
        .parameters
        .iter()
        .map(|parameter| {
            json!({
                "name": parameter.name(),
                "type": parameter.type_name(),
                "required": parameter.required,
                "description": parameter.description,
            })
        })
        .collect();
    let subtables: Vec<serde_json::Value> = endpoint
        .query
        .subtables()
        .iter()
        .map(|table| json!({"name": table.name.as_str(), "columns": columns_json(&table.columns)}))
        .collect();
    json!({
        "name": endpoint.name,
        "id": endpoint.id,
        "description": endpoint.description,
        "max_rows": endpoint.max_rows,
        "cache_seconds": endpoint.cache_seconds,
        "cache_warming_seconds": endpoint.cache_warming_seconds,
        "sandbox": endpoint.sandbox,
        "redact_pii": endpoint.redact_pii,
        "maximum_bytes_billed": endpoint.maximum_bytes_billed,
        "labels": endpoint.labels,
        "parameters": parameters,
        "columns": columns_json(&endpoint.query.columns()),
        "subtables": subtables,
    })
}

fn columns_json(columns: &[Column]) -> Vec<serde_json::Value> {
    columns
        .iter()
        .map(|column| json!({"name": column.name.as_str(), "type": column.ty.to_string()}))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_endpoints_are_described() {
        let endpoints = Endpoints::built_in(&crate::compiler::Limits::default());
        let mut text = Vec::new();
        write_text(&mut text, &endpoints).unwrap();
        let text = String::from_utf8(text).unwrap();
        for line in [
            "logs.all  afc4ed8f-6649-4adc-a5cb-55ee7c7884b6",
            "  at most 1000 rows, cached 900 s, warmed every 300 s, sandbox on, redaction off",
            "    project string required",
            "    interval string required, one of `minutely`, `hourly`, `daily`",
            "    pooler_logs (timestamp, id, event_message, metadata)",
            "2 endpoints, 9 streams: no mistakes",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
        let mut json = Vec::new();
        write_json(&mut json, &endpoints, None).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(json["endpoints"][0]["subtables"][0]["name"], "edge_logs");
        assert_eq!(json["endpoints"][0]["columns"][1]["type"], "TIMESTAMP");
    }
}
