//! `logboom query`: runs a call on the local logs or on BigQuery, in this process.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::source::{CallArgs, Prepared, TargetName};
use super::{output, serve};
use crate::config::WarehouseKind;
use crate::warehouse::{Rows, Terms};

/// The flags of `query`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    call: CallArgs,
    /// The folder of the local logs.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// Prints the rows as a table, or as JSON.
///
/// # Errors
/// The configuration, the endpoints, the warehouse or the output cannot be used.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let target = args.call.target.unwrap_or(TargetName::Embedded);
    #[cfg(not(feature = "embedded"))]
    if target == TargetName::Embedded {
        return super::source::no_engine();
    }
    let Some(prepared) = args.call.prepare(target)? else {
        return Ok(ExitCode::FAILURE);
    };
    let Prepared {
        compiled,
        explained: _,
        endpoint,
        mut config,
        endpoints,
    } = prepared;
    if let Some(data) = args.data {
        config.warehouse.data = data;
    }
    config.warehouse.kind = match target {
        TargetName::Bigquery => WarehouseKind::BigQuery,
        TargetName::Embedded => WarehouseKind::Embedded,
    };
    let runtime = serve::runtime()?;
    let rows = runtime.block_on(async {
        let warehouse = serve::warehouse(&config, &endpoints)?;
        let patience = Duration::from_secs(config.server.request_timeout_seconds);
        let terms = Terms {
            endpoint: endpoint.name.clone(),
            maximum_bytes_billed: endpoint.maximum_bytes_billed,
            ..Terms::until(Instant::now() + patience)
        };
        let outcome = warehouse.run(&compiled, terms).await;
        warehouse.close().await;
        // The operator's own command may show the engine's words.
        outcome.context("running the query")
    })?;
    print(&rows, args.call.json)?;
    if rows.truncated {
        eprintln!("the result was cut off at {} rows", rows.rows.len());
    }
    if let Some(bytes) = rows.bytes_billed {
        eprintln!("{bytes} bytes billed");
    }
    Ok(ExitCode::SUCCESS)
}

fn print(rows: &Rows, json: bool) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if json {
        let objects: Vec<serde_json::Map<String, serde_json::Value>> = rows
            .rows
            .iter()
            .map(|row| {
                let names = rows.columns.iter().map(|column| column.name.to_string());
                names.zip(row.iter().cloned()).collect()
            })
            .collect();
        serde_json::to_writer_pretty(&mut out, &objects).map_err(io::Error::from)?;
        writeln!(out)?;
        return Ok(());
    }
    let head: Vec<String> = rows.columns.iter().map(|c| c.name.to_string()).collect();
    let cells: Vec<Vec<String>> = rows
        .rows
        .iter()
        .map(|row| {
            let columns = rows.columns.iter();
            columns.zip(row).map(|(c, v)| output::cell(c, v)).collect()
        })
        .collect();
    output::table(&mut out, &head, &cells)?;
    Ok(())
}
