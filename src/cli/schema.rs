//! `logboom schema pull`: the schemas of the streams, from the tables that hold them.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use tempfile::NamedTempFile;

use super::source::Source;
use super::{bigquery, serve};
use crate::compiler::catalog::parse_schema;
use crate::compiler::ir::{Column, StreamName};
use crate::config::WarehouseKind;
use crate::warehouse::bigquery::{BigQuery, Pulled};

/// How long looking at one table may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The flags of `schema`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Write `streams/<stream>.json` from the table of each stream.
    Pull(PullArgs),
}

#[derive(Debug, clap::Args)]
struct PullArgs {
    /// The streams [default: every stream that has a table].
    streams: Vec<String>,
    /// Write nothing; fail when a file would change.
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    source: Source,
}

/// Runs the command.
///
/// # Errors
/// A table cannot be looked at, or a file cannot be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Command::Pull(args) = args.command;
    let config = args.source.config()?;
    if config.warehouse.kind != WarehouseKind::BigQuery {
        bail!("schemas are pulled from BigQuery; set `kind = \"bigquery\"` in [warehouse]");
    }
    let settings = bigquery::settings(&config)?;
    let streams: Vec<StreamName> = if args.streams.is_empty() {
        settings.tables.keys().cloned().collect()
    } else {
        args.streams.iter().map(StreamName::new).collect()
    };
    if streams.is_empty() {
        bail!("no stream has a table; add `table = \"project.dataset.table\"` to [streams.<name>]");
    }
    // The built-in endpoints have schemas of their own, and no longer count once there is a folder.
    if !config.endpoints.is_dir() {
        bail!(
            "there is no folder {} with endpoints to pull schemas for",
            config.endpoints.display()
        );
    }
    let folder = config.endpoints.join("streams");
    let mut out = io::stdout().lock();
    let mut changed = false;
    serve::runtime()?.block_on(async {
        let warehouse = BigQuery::open(settings).context("opening BigQuery")?;
        for stream in &streams {
            changed |= pull(&warehouse, stream, &folder, args.check, &mut out).await?;
        }
        anyhow::Ok(())
    })?;
    Ok(if args.check && changed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// Pulls one schema and returns whether it is another one than before.
async fn pull(
    warehouse: &BigQuery,
    stream: &StreamName,
    folder: &Path,
    check: bool,
    out: &mut impl Write,
) -> anyhow::Result<bool> {
    let path = folder.join(format!("{stream}.json"));
    let known = known(&path)?;
    let deadline = Instant::now() + TIMEOUT;
    let Pulled { text, left_out } = warehouse
        .pull(stream, known.as_deref().unwrap_or_default(), deadline)
        .await
        .with_context(|| format!("looking at the table of {stream}"))?;
    for field in left_out {
        eprintln!("{stream}: left out {field}");
    }
    let pulled = parse_schema(&text).map_err(|message| {
        anyhow::anyhow!("the table of {stream} cannot be a stream: {message}")
    })?;
    let is_new = known.as_ref() != Some(&pulled);
    let done = match (is_new, check) {
        (false, _) => "unchanged",
        (true, true) => "differs from its table",
        (true, false) => {
            write(&path, &text).with_context(|| format!("writing {}", path.display()))?;
            "written"
        }
    };
    writeln!(out, "{}: {done}", path.display())?;
    Ok(is_new)
}

/// Returns the schema that a file holds, if there is one.
fn known(path: &Path) -> anyhow::Result<Option<Vec<Column>>> {
    match fs::read_to_string(path) {
        Ok(text) => parse_schema(&text)
            .map(Some)
            .map_err(|message| anyhow::anyhow!("{}: {message}", path.display())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("reading {}", path.display())),
    }
}

/// Writes a file as a whole or not at all.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
