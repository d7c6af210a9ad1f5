//! `logboom import`: log files into the data folder of the embedded warehouse.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};

use super::source::Source;
use crate::compiler::Catalog;
use crate::compiler::catalog::parse_schema;
use crate::compiler::ir::{Column, StreamName};
use crate::warehouse::embedded::import::{Imported, Progress, UnknownFields, compact, import_file};
use crate::warehouse::embedded::store::Store;

/// Names of unknown fields that are shown.
const SHOWN_FIELDS: usize = 8;
/// So many small files of a stream are merged after an import.
const MANY_FILES: usize = 64;

/// Imports log files into a stream.
///
/// A file is NDJSON (one JSON object a line; plain, gzip or Zstandard) or Parquet, told from its
/// content. Timestamps are RFC 3339 text or integer microseconds since 1970; parts of a microsecond are
/// cut off. A repeated record is an array or, with one element, a plain object. Fields that the stream's
/// schema does not have are left out and named at the end.
///
/// A file is imported whole or not at all, and each file on its own: one that fails does not keep the
/// others out. Importing the same file twice stores its rows twice. Small files that gather in the local
/// logs are merged now and then, as `logboom compact` does.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The stream, such as `edge`.
    stream: String,
    /// The files.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    logs: Logs,
    /// Prints one JSON object per file.
    #[arg(long)]
    json: bool,
}

/// The local logs and the schemas of their streams.
#[derive(Debug, clap::Args)]
pub struct Logs {
    /// The folder of the local logs.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Where the schemas of the streams are: `streams/<stream>.json` in the folder of endpoints. The
    /// built-in schemas are used where that does not exist.
    #[command(flatten)]
    source: Source,
}

impl Logs {
    /// Returns the schemas and the folder.
    ///
    /// # Errors
    /// The configuration or a schema cannot be read.
    pub fn open(&self) -> anyhow::Result<(Catalog, Store)> {
        let config = self.source.config()?;
        let catalog = catalog(&config.endpoints)?;
        let data = self.data.as_ref().unwrap_or(&config.warehouse.data);
        Ok((catalog, Store::new(data)))
    }
}

/// Imports the files and tells what became of each.
///
/// # Errors
/// The stream is unknown, or a schema cannot be read.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (catalog, store) = args.logs.open()?;
    let (stream, columns) = find(&catalog, &args.stream)?;
    let mut failed = 0;
    for file in &args.files {
        let start = Instant::now();
        let bar = progress_bar(file);
        let result = import_file(
            &store,
            stream,
            columns,
            file,
            &|Progress { rows, bytes }| {
                bar.set_position(bytes);
                bar.set_message(HumanCount(rows).to_string());
            },
        );
        bar.finish_and_clear();
        match result {
            Ok(imported) => report(&args, file, &imported, start.elapsed())?,
            Err(error) => {
                failed += 1;
                let mut error = format!("{:#}", anyhow::Error::from(error));
                let name = file.display().to_string();
                if !error.starts_with(&name) {
                    error = format!("{name}: {error}");
                }
                report_failure(&args, file, &error)?;
            }
        }
    }
    match compact(&store, stream, columns, MANY_FILES) {
        Ok(_) => {}
        // The rows are there, in more files.
        Err(error) => tracing::warn!(error = format!("{error:#}"), "cannot merge small files"),
    }
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Returns a stream with its columns.
///
/// # Errors
/// There is no such stream.
pub fn find<'a>(
    catalog: &'a Catalog,
    name: &str,
) -> anyhow::Result<(&'a StreamName, &'a [Column])> {
    catalog.stream(name).with_context(|| {
        let known: Vec<_> = catalog.streams().map(|(name, _)| name.as_str()).collect();
        format!(
            "there is no stream `{name}`; there are {}",
            known.join(", ")
        )
    })
}

/// Reads the schemas of a folder of endpoints, or takes the built-in ones where there is no folder.
///
/// # Errors
/// A schema that cannot be read.
pub fn catalog(endpoints: &Path) -> anyhow::Result<Catalog> {
    let folder = endpoints.join("streams");
    let mut texts = BTreeMap::new();
    if folder.is_dir() {
        let reading = || format!("reading {}", folder.display());
        for entry in std::fs::read_dir(&folder).with_context(reading)? {
            let path = entry.with_context(reading)?.path();
            if path.extension().is_some_and(|e| e == "json")
                && let Some(stem) = path.file_stem().and_then(|s| s.to_str())
            {
                let text = std::fs::read_to_string(&path)
                    .with_context(|| format!("reading {}", path.display()))?;
                texts.insert(stem.to_owned(), (path.display().to_string(), text));
            }
        }
    } else {
        for (stream, text) in BUILT_IN {
            let place = format!("built-in schema {stream}");
            texts.insert(stream.to_owned(), (place, text.to_owned()));
        }
    }
    let mut catalog = Catalog::default();
    for (stream, (place, text)) in texts {
        let columns = parse_schema(&text).map_err(|e| anyhow::anyhow!("{place}: {e}"))?;
        catalog.insert(StreamName::new(&stream), columns);
    }
    Ok(catalog)
}

macro_rules! built_in {
    ($($stream:literal),* $(,)?) => {
        [$(($stream, include_str!(concat!("../../endpoints/streams/", $stream, ".json")))),*]
    };
}

/// The schemas that ship with the binary.
const BUILT_IN: [(&str, &str); 9] = built_in![
    "auth",
    "database",
    "edge",
    "function",
    "function_edge",
    "pooler",
    "realtime",
    "rest_api",
    "storage",
];

fn progress_bar(file: &Path) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let size = std::fs::metadata(file).map_or(0, |m| m.len());
    let template = "{prefix} [{bar:30}] {bytes}/{total_bytes}, {msg} rows, {eta} left";
    let style = ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ");
    ProgressBar::new(size)
        .with_style(style)
        .with_prefix(file.display().to_string())
}

fn report(args: &Args, file: &Path, imported: &Imported, elapsed: Duration) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let Imported {
        rows,
        bytes,
        files,
        unknown,
    } = imported;
    if args.json {
        let line = serde_json::json!({
            "file": file,
            "stream": args.stream,
            "rows": rows,
            "bytes": bytes,
            "seconds": elapsed.as_secs_f64(),
            "files": files,
            "unknown_fields": unknown.paths,
            "other_unknown_fields": unknown.others,
        });
        return writeln!(out, "{line}");
    }
    writeln!(
        out,
        "{}: {} rows into {} ({}, {:.1} s)",
        file.display(),
        HumanCount(*rows),
        args.stream,
        HumanBytes(*bytes),
        elapsed.as_secs_f64(),
    )?;
    if let Some(warning) = warning(unknown) {
        writeln!(std::io::stderr(), "{}: warning: {warning}", file.display())?;
    }
    Ok(())
}

/// Names the most frequent of the fields that were left out.
fn warning(unknown: &UnknownFields) -> Option<String> {
    let mut fields: Vec<_> = unknown.paths.iter().collect();
    if fields.is_empty() {
        return None;
    }
    fields.sort_by_key(|(path, count)| (std::cmp::Reverse(**count), *path));
    let shown: Vec<_> = fields
        .iter()
        .take(SHOWN_FIELDS)
        .map(|(path, count)| format!("{path} ({})", HumanCount(**count)))
        .collect();
    let hidden = fields.len().saturating_sub(SHOWN_FIELDS);
    let more = match (hidden, unknown.others) {
        (0, 0) => String::new(),
        (hidden, 0) => format!(" and {hidden} more"),
        (hidden, _) => format!(" and more than {hidden} others"),
    };
    Some(format!(
        "left out fields that the stream's schema does not have: {}{more}",
        shown.join(", ")
    ))
}

fn report_failure(args: &Args, file: &Path, error: &str) -> std::io::Result<()> {
    if args.json {
        let line = serde_json::json!({"file": file, "stream": args.stream, "error": error});
        return writeln!(std::io::stdout(), "{line}");
    }
    writeln!(std::io::stderr(), "error: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_schemas_are_complete() {
        let catalog = catalog(Path::new("/nowhere")).unwrap();
        assert_eq!(catalog.streams().count(), BUILT_IN.len());
    }

    #[test]
    fn the_most_frequent_unknown_fields_are_named() {
        let mut unknown = UnknownFields::default();
        assert_eq!(warning(&unknown), None);
        for n in 0..10 {
            unknown.paths.insert(format!("f{n}"), 1000 + n);
        }
        assert_eq!(
            warning(&unknown).unwrap(),
            "left out fields that the stream's schema does not have: f9 (1,009), f8 (1,008), \
             f7 (1,007), f6 (1,006), f5 (1,005), f4 (1,004), f3 (1,003), f2 (1,002) and 2 more"
        );
    }

    #[derive(clap::Parser)]
    struct Command {
        #[command(flatten)]
        args: Args,
    }

    fn import(arguments: &[&str]) -> anyhow::Result<ExitCode> {
        let arguments = std::iter::once("import").chain(arguments.iter().copied());
        run(<Command as clap::Parser>::try_parse_from(arguments)?.args)
    }

    #[test]
    fn one_bad_file_does_not_keep_the_others_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(path("good"), "{\"timestamp\":1}\n").unwrap();
        std::fs::write(path("bad"), "{}\n").unwrap();
        let (data, endpoints) = (path("data"), path("endpoints"));
        let folders = ["--data", &data, "--endpoints", &endpoints];
        for (files, expected, stored) in [
            (vec!["good"], ExitCode::SUCCESS, 1),
            (vec!["bad", "good", "missing"], ExitCode::FAILURE, 2),
        ] {
            let files: Vec<_> = files.into_iter().map(path).collect();
            let mut arguments = vec!["edge"];
            arguments.extend(files.iter().map(String::as_str));
            arguments.extend(folders);
            assert_eq!(import(&arguments).unwrap(), expected);
            let stream = StreamName::new("edge");
            let files = Store::new(folder.path().join("data")).files(&stream);
            assert_eq!(files.unwrap().len(), stored);
        }
        let mut arguments = vec!["edges", "x"];
        arguments.extend(folders);
        let message = import(&arguments).unwrap_err().to_string();
        assert!(
            message.starts_with("there is no stream `edges`; there are auth, database, edge, ")
        );
    }
}
