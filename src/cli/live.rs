//! What `check --live` finds: the cost of each endpoint by a dry run, and tables that are not what the
//! schemas say.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use anyhow::bail;
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{bigquery, serve};
use crate::compiler::ir::{Type, Value};
use crate::compiler::{Call, Compiled, Parameters, Target, compile};
use crate::config::{Config, WarehouseKind};
use crate::endpoint::{Endpoint, Endpoints};
use crate::warehouse::Warehouse as _;

/// How long one question may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Bytes of the unit that has a price.
const TIB: f64 = (1_u64 << 40) as f64;

/// The answers of BigQuery.
pub(super) struct Live {
    endpoints: Vec<Estimate>,
    streams: Vec<Drift>,
    price_per_tib: Option<f64>,
}

/// What a call of an endpoint would read, without optional parameters.
struct Estimate {
    name: String,
    bytes: Result<u64, String>,
    maximum: u64,
}

/// In which ways the table of a stream is not what the schema says.
struct Drift {
    stream: String,
    differences: Result<Vec<String>, String>,
}

/// Asks BigQuery about each endpoint and each stream that has a table. Nothing runs, nothing is billed.
///
/// # Errors
/// The warehouse is not BigQuery, or cannot be opened.
pub(super) fn look(config: &Config, endpoints: &Endpoints) -> anyhow::Result<Live> {
    if config.warehouse.kind != WarehouseKind::BigQuery {
        bail!("--live asks BigQuery; set `kind = \"bigquery\"` in [warehouse]");
    }
    serve::runtime()?.block_on(async {
        let warehouse = bigquery::open(config, endpoints)?;
        let mut live = Live {
            endpoints: Vec::new(),
            streams: Vec::new(),
            price_per_tib: config.warehouse.price_per_tib,
        };
        for (stream, columns) in endpoints.catalog().streams() {
            let deadline = Instant::now() + TIMEOUT;
            let has_table = config
                .streams
                .get(stream.as_str())
                .is_some_and(|s| s.table.is_some());
            if has_table {
                let differences = warehouse.differences(stream, columns, deadline).await;
                live.streams.push(Drift {
                    stream: stream.to_string(),
                    differences: differences.map_err(|error| error.to_string()),
                });
            }
        }
        for endpoint in endpoints.iter() {
            let deadline = Instant::now() + TIMEOUT;
            let bytes = match sample(endpoint, warehouse.target(), config) {
                Ok(compiled) => warehouse
                    .estimate(&compiled, deadline)
                    .await
                    .map_err(|error| error.to_string()),
                Err(message) => Err(message),
            };
            live.endpoints.push(Estimate {
                name: endpoint.name.clone(),
                bytes,
                maximum: endpoint
                    .maximum_bytes_billed
                    .unwrap_or(config.warehouse.maximum_bytes_billed),
            });
        }
        Ok(live)
    })
}

/// Compiles a call with the required parameters alone.
fn sample(endpoint: &Endpoint, target: &Target, config: &Config) -> Result<Compiled, String> {
    let now = Timestamp::now().as_microsecond();
    let parameters: Parameters = endpoint
        .parameters
        .iter()
        .filter_map(|parameter| {
            let value = match (&parameter.default, parameter.required) {
                (Some(value), _) => value.clone(),
                (None, true) => {
                    let allowed = parameter.allowed.first().cloned();
                    let scalar = |ty: &Type| allowed.unwrap_or_else(|| sample_value(ty, now));
                    match parameter.declaration.ty.element() {
                        Some(element) => Value::Array(vec![scalar(element)]),
                        None => scalar(&parameter.declaration.ty),
                    }
                }
                (None, false) => return None,
            };
            Some((parameter.declaration.name.clone(), value))
        })
        .collect();
    let call = Call {
        ad_hoc: None,
        parameters: &parameters,
        now,
        max_rows: endpoint.max_rows,
        redaction: endpoint.redact_pii.then_some(&config.redaction),
        target,
        limits: &config.limits,
    };
    compile(&endpoint.query, &call, None)
        .map_err(|diagnostics| diagnostics.render(&endpoint.name, ""))
}

/// Returns some value of a type that parameters have.
fn sample_value(ty: &Type, now: i64) -> Value {
    match ty {
        Type::Int64 => Value::Int64(1),
        Type::Float64 => Value::Float64(1.0),
        Type::Bool => Value::Bool(true),
        Type::Timestamp => Value::Timestamp(now),
        Type::Date => Value::Date(0),
        _ => Value::string("sample"),
    }
}

impl Live {
    /// Returns whether every endpoint could run, and every table is what its schema says.
    pub(super) fn is_right(&self) -> bool {
        let may_run = |e: &Estimate| e.bytes.as_ref().is_ok_and(|bytes| *bytes <= e.maximum);
        let is_same = |d: &Drift| d.differences.as_ref().is_ok_and(Vec::is_empty);
        self.endpoints.iter().all(may_run) && self.streams.iter().all(is_same)
    }

    fn price(&self, bytes: u64) -> Option<f64> {
        #[expect(
            clippy::cast_precision_loss,
            reason = "a price is told to a few digits"
        )]
        self.price_per_tib.map(|price| bytes as f64 / TIB * price)
    }

    /// Writes a line for each endpoint and each stream.
    pub(super) fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "what a call reads without optional parameters, by a dry run"
        )?;
        for Estimate {
            name,
            bytes,
            maximum,
        } in &self.endpoints
        {
            match bytes {
                Ok(bytes) => {
                    write!(out, "  {name}  {bytes} bytes")?;
                    if let Some(price) = self.price(*bytes) {
                        write!(out, ", {price:.6}")?;
                    }
                    if bytes > maximum {
                        write!(out, ", refused: maximum_bytes_billed is {maximum}")?;
                    }
                    writeln!(out)?;
                }
                Err(message) => writeln!(out, "  {name}  failed: {message}")?,
            }
        }
        writeln!(out, "tables")?;
        for Drift {
            stream,
            differences,
        } in &self.streams
        {
            match differences {
                Ok(differences) if differences.is_empty() => {
                    writeln!(out, "  {stream}  as its schema says")?;
                }
                Ok(differences) => {
                    for difference in differences {
                        writeln!(out, "  {stream}  {difference}")?;
                    }
                }
                Err(message) => writeln!(out, "  {stream}  failed: {message}")?,
            }
        }
        Ok(())
    }

    /// Returns the same as JSON.
    pub(super) fn json(&self) -> Json {
        let endpoints: Vec<Json> = self
            .endpoints
            .iter()
            .map(|estimate| match &estimate.bytes {
                Ok(bytes) => json!({
                    "name": estimate.name,
                    "bytes": bytes,
                    "price": self.price(*bytes),
                    "maximum_bytes_billed": estimate.maximum,
                }),
                Err(message) => json!({"name": estimate.name, "error": message}),
            })
            .collect();
        let streams: Vec<Json> = self
            .streams
            .iter()
            .map(|drift| match &drift.differences {
                Ok(differences) => json!({"stream": drift.stream, "differences": differences}),
                Err(message) => json!({"stream": drift.stream, "error": message}),
            })
            .collect();
        json!({"endpoints": endpoints, "streams": streams})
    }
}
