//! `logboom compact`: small files of the embedded warehouse into larger ones.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::bail;
use indicatif::HumanCount;

use super::import::{Logs, find};
use crate::compiler::ir::StreamName;
use crate::warehouse::embedded::import::{self, Compacted};

/// Merges small files of the local logs.
///
/// Many small files make queries slow. Queries and imports may go on meanwhile: a query sees each row once.
/// Files that were replaced are removed by a later run, when no query can be reading them. `import` does the
/// same by itself when a stream has many small files.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The streams, such as `edge`; all of them when absent.
    streams: Vec<String>,
    #[command(flatten)]
    logs: Logs,
    /// Prints one JSON object per stream.
    #[arg(long)]
    json: bool,
}

/// Merges small files and tells what became of each stream.
///
/// # Errors
/// A stream is unknown, a schema cannot be read, or a file cannot be read or written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (catalog, store) = args.logs.open()?;
    let streams: Vec<_> = if args.streams.is_empty() {
        catalog.streams().collect()
    } else {
        let named = args.streams.iter().map(|name| find(&catalog, name));
        named.collect::<anyhow::Result<_>>()?
    };
    for (stream, columns) in streams {
        if !store.folder(stream).is_dir() {
            continue;
        }
        match import::compact(&store, stream, columns, 2)? {
            Some(done) if args.json => report_json(stream, &done)?,
            Some(done) => report(stream, &done)?,
            None => bail!("{stream}: another process merges its files"),
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn report(stream: &StreamName, done: &Compacted) -> std::io::Result<()> {
    let (replaced, files) = (done.replaced as u64, done.files.len() as u64);
    if replaced > 0 {
        let (replaced, files) = (HumanCount(replaced), HumanCount(files));
        let rows = HumanCount(done.rows);
        writeln!(
            std::io::stdout(),
            "{stream}: {replaced} small files with {rows} rows became {files}"
        )?;
    } else {
        writeln!(std::io::stdout(), "{stream}: nothing to merge")?;
    }
    for (file, reason) in &done.skipped {
        let file = file.display();
        writeln!(std::io::stderr(), "{file}: warning: left alone: {reason}")?;
    }
    Ok(())
}

fn report_json(stream: &StreamName, done: &Compacted) -> std::io::Result<()> {
    let skipped = done.skipped.iter();
    let skipped: Vec<_> = skipped
        .map(|(file, reason)| serde_json::json!({"file": file, "reason": reason}))
        .collect();
    let line = serde_json::json!({
        "stream": stream.as_str(),
        "replaced": done.replaced,
        "files": done.files,
        "rows": done.rows,
        "skipped": skipped,
    });
    writeln!(std::io::stdout(), "{line}")
}
