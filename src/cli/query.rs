//! `logboom query`: runs a call on the local logs, in this process.

use std::path::PathBuf;
use std::process::ExitCode;

use super::source::CallArgs;

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
/// The configuration, the endpoints, the logs or the output cannot be used.
#[cfg(feature = "embedded")]
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    use std::time::{Duration, Instant};

    use anyhow::{Context, bail};

    use super::serve;
    use super::source::{Prepared, TargetName};
    use crate::warehouse::{Terms, Warehouse};

    if args.call.target == Some(TargetName::Bigquery) {
        bail!("queries run on the embedded engine only, leave out --target");
    }
    let Some(prepared) = args.call.prepare(TargetName::Embedded)? else {
        return Ok(ExitCode::FAILURE);
    };
    let Prepared {
        compiled,
        explained: _,
        mut config,
        endpoints,
    } = prepared;
    if let Some(data) = args.data {
        config.warehouse.data = data;
    }
    let runtime = serve::runtime()?;
    let rows = runtime.block_on(async {
        let warehouse = serve::embedded(&config, &endpoints)?;
        let deadline = Instant::now() + Duration::from_secs(config.server.request_timeout_seconds);
        // The operator's own command may show the engine's words.
        warehouse
            .run(&compiled, Terms::until(deadline))
            .await
            .context("running the query")
    })?;
    print(&rows, args.call.json)?;
    if rows.truncated {
        eprintln!("the result was cut off at {} rows", rows.rows.len());
    }
    Ok(ExitCode::SUCCESS)
}

/// Says that this build cannot run queries.
///
/// # Errors
/// Always.
#[cfg(not(feature = "embedded"))]
pub fn run(_args: Args) -> anyhow::Result<ExitCode> {
    super::source::no_engine()
}

#[cfg(feature = "embedded")]
fn print(rows: &crate::warehouse::Rows, json: bool) -> anyhow::Result<()> {
    use std::io::{self, Write};

    use super::output;

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
