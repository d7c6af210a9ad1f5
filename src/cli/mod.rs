//! The command line: one module per command.
//!
//! Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 failed,
//! 2 wrong usage.

mod bigquery;
pub mod check;
#[cfg(feature = "embedded")]
pub mod compact;
pub mod compile;
#[cfg(feature = "embedded")]
pub mod demo;
#[cfg(feature = "embedded")]
pub mod demo_server;
pub mod healthcheck;
#[cfg(feature = "embedded")]
pub mod import;
mod live;
mod output;
pub mod query;
pub mod redact;
pub mod schema;
pub mod serve;
mod source;
mod telemetry;
pub mod token;

use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::OnceLock;

use clap::{Parser, Subcommand, ValueEnum};
use tracing_subscriber::EnvFilter;

use crate::server::{AccessLog, Form, LogWriter, STACK_BYTES};

/// Stored, parameterised queries over a log warehouse, served as read-only HTTP endpoints.
#[derive(Debug, Parser)]
#[command(name = "logboom", version, about, max_term_width = 100)]
struct Cli {
    /// How log lines are written to standard error.
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text")]
    log_format: LogFormat,
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LogFormat {
    /// A line for people.
    Text,
    /// A JSON object a line.
    Json,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the endpoints over HTTP.
    Serve(serve::Args),
    /// Try it out: sample logs, a token and a server, with nothing to configure.
    #[cfg(feature = "embedded")]
    Demo(demo_server::Args),
    /// Try it out (not in this build).
    #[cfg(not(feature = "embedded"))]
    Demo(source::NoEngine),
    /// Report every mistake in the endpoint files.
    Check(check::Args),
    /// Print what a call compiles to.
    Compile(compile::Args),
    /// Run a call on the local logs or on BigQuery and print its rows.
    Query(query::Args),
    /// Read log files into the local store.
    #[cfg(feature = "embedded")]
    Import(import::Args),
    /// Read log files into the local store (not in this build).
    #[cfg(not(feature = "embedded"))]
    Import(source::NoEngine),
    /// Merge small files of the local store.
    #[cfg(feature = "embedded")]
    Compact(compact::Args),
    /// Merge small files of the local store (not in this build).
    #[cfg(not(feature = "embedded"))]
    Compact(source::NoEngine),
    /// Show what each rule of redaction catches in a text.
    Redact(redact::Args),
    /// Take the schemas of the streams from their tables.
    Schema(schema::Args),
    /// Create, list and revoke tokens.
    Token(token::Args),
    /// Ask a server of this machine whether it is ready.
    Healthcheck(healthcheck::Args),
}

/// Runs the command line of this process and returns its exit code.
///
/// # Panics
/// The system does not give the process a single thread.
#[must_use]
pub fn main() -> ExitCode {
    // Queries are compiled here too, see `server::STACK_BYTES`.
    let worker = std::thread::Builder::new()
        .name("main".into())
        .stack_size(STACK_BYTES)
        .spawn(run)
        .expect("a process may start a thread");
    // A panic has told about itself already.
    worker.join().unwrap_or(ExitCode::FAILURE)
}

fn run() -> ExitCode {
    let cli = Cli::parse();
    start_log(cli.log_format);
    let outcome = match cli.command {
        Command::Serve(args) => serve::run(args),
        #[cfg(feature = "embedded")]
        Command::Demo(args) => demo_server::run(args),
        #[cfg(feature = "embedded")]
        Command::Import(args) => import::run(args),
        #[cfg(feature = "embedded")]
        Command::Compact(args) => compact::run(&args),
        #[cfg(not(feature = "embedded"))]
        Command::Demo(_) | Command::Import(_) | Command::Compact(_) => source::no_engine(),
        Command::Check(args) => check::run(args),
        Command::Compile(args) => compile::run(args),
        Command::Query(args) => query::run(args),
        Command::Redact(args) => redact::run(args),
        Command::Schema(args) => schema::run(args),
        Command::Token(args) => token::run(args),
        Command::Healthcheck(args) => healthcheck::run(args),
    };
    match outcome {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether the reader of our output had enough, as `head` has.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    })
}

/// Where the log of this process goes, once it is started.
static LOG: OnceLock<AccessLog> = OnceLock::new();

fn start_log(format: LogFormat) {
    let writer = LogWriter::new(io::stderr());
    let filter = EnvFilter::try_from_env("LOGBOOM_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer.clone());
    let colours = io::stderr().is_terminal();
    let form = match format {
        LogFormat::Text => {
            log.with_ansi(colours).init();
            Form::Text { colours }
        }
        LogFormat::Json => {
            log.json().flatten_event(true).init();
            Form::Json
        }
    };
    // It is started once.
    LOG.get_or_init(|| AccessLog { writer, form });
}
