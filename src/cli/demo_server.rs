//! `logboom demo`: sample logs, a token and a server, with nothing to configure.
//!
//! Everything it makes lies in one folder: `logs/` is a data folder, `tokens.toml` holds the token of
//! the last start, `demo.json` says when the logs were made. The logs are around the instant they were
//! made, so they are made anew when they are old.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use indicatif::ProgressBar;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::demo;
use super::serve::{self, Service};
use crate::config::Config;
use crate::endpoint::Endpoints;
use crate::server::State;
use crate::server::auth::{NewToken, Scope, SharedTokens, TokenStore};
use crate::warehouse::embedded::store::Store;

/// Logs older than this are made anew: the usage counts look one hour back.
const FRESH: Duration = Duration::from_secs(30 * 60);

const MARKER: &str = "demo.json";

/// The flags of `demo`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder that sample logs and token are kept in.
    #[arg(long, value_name = "DIR", default_value = "data/demo")]
    data: PathBuf,
    /// How many rows to make, over all streams.
    #[arg(long, value_name = "N", default_value_t = 300_000)]
    rows: u64,
    /// The address to listen on; port 0 takes a free one.
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
}

/// What the logs in the folder are.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Marker {
    made: Timestamp,
    rows: u64,
}

/// Makes the logs if need be, creates a token, serves, and prints three calls to try.
///
/// # Errors
/// The folder cannot be used, or the server cannot start.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut config = Config {
        tokens: args.data.join("tokens.toml"),
        ..Config::default()
    };
    config.warehouse.data = args.data.join("logs");
    if let Some(listen) = args.listen {
        config.server.listen = listen;
    }
    let endpoints = Endpoints::built_in(&config.limits);
    prepare(&args, &endpoints)?;
    let token = create_token(&config.tokens)?;
    let tokens = SharedTokens::open(&config.tokens)?;
    let runtime = serve::runtime()?;
    runtime.block_on(async {
        let warehouse = serve::warehouse(&config, &endpoints)?;
        let service = Service {
            state: State::new(config, endpoints, warehouse),
            tokens,
            now: None,
            sources: None,
        };
        service.serve(|address| greet(address, &token)).await
    })
}

/// Makes the token of this start, in place of that of the last: only digests are kept, so the last
/// cannot be shown again.
fn create_token(path: &Path) -> anyhow::Result<String> {
    let name = "demo";
    let mut store = TokenStore::open(path)?;
    store.revoke(name)?;
    let token = store.create(NewToken {
        name: name.into(),
        created: Timestamp::now(),
        expires: None,
        endpoints: Vec::new(),
        pins: BTreeMap::new(),
        scopes: BTreeSet::from([Scope::Sandbox]),
    })?;
    Ok(token)
}

fn greet(address: SocketAddr, token: &str) -> io::Result<()> {
    let base = format!("http://{address}");
    let mut out = io::stdout().lock();
    writeln!(out, "listening on {base}\n")?;
    for (shows, line) in demo::curl_examples(&base, token) {
        writeln!(out, "# {shows}\n{line}\n")?;
    }
    writeln!(out, "Stop with ctrl-c.")?;
    out.flush()
}

/// Makes the logs, unless there are fresh ones of that size.
fn prepare(args: &Args, endpoints: &Endpoints) -> anyhow::Result<()> {
    let folder = &args.data;
    let now = Timestamp::now();
    match marker(folder)? {
        Some(marker) if is_fresh(&marker, args.rows, now) => {
            eprintln!("using the sample logs in {}", folder.display());
            return Ok(());
        }
        Some(_) => {
            let logs = folder.join("logs");
            // Without the marker the folder is not taken for complete, should this be interrupted.
            let removed = fs::remove_dir_all(&logs);
            if let Err(error) = removed
                && error.kind() != io::ErrorKind::NotFound
            {
                return Err(error).with_context(|| format!("removing {}", logs.display()));
            }
        }
        None => {}
    }
    let marker = Marker {
        made: now,
        rows: args.rows,
    };
    let writing = || format!("writing sample logs to {}", folder.display());
    // The marker comes first, so that a start that was interrupted is recognised as ours; it then says
    // that there are no rows.
    write_marker(folder, &Marker { rows: 0, ..marker }).with_context(writing)?;
    generate(&folder.join("logs"), endpoints, args.rows, now).with_context(writing)?;
    write_marker(folder, &marker).with_context(writing)
}

fn generate(folder: &Path, endpoints: &Endpoints, rows: u64, now: Timestamp) -> anyhow::Result<()> {
    eprintln!("making {rows} rows of sample logs in {}", folder.display());
    let bar = if io::stderr().is_terminal() {
        ProgressBar::new(rows)
    } else {
        ProgressBar::hidden()
    };
    let store = Store::new(folder);
    demo::generate(&store, endpoints.catalog(), now, rows, &|done| {
        bar.set_position(done);
    })?;
    bar.finish_and_clear();
    Ok(())
}

fn is_fresh(marker: &Marker, rows: u64, now: Timestamp) -> bool {
    let age = now.duration_since(marker.made);
    marker.rows == rows && !age.is_negative() && age.unsigned_abs() < FRESH
}

/// Returns what the folder holds; nothing when it is new.
fn marker(folder: &Path) -> anyhow::Result<Option<Marker>> {
    let path = folder.join(MARKER);
    match fs::read(&path) {
        Ok(text) => serde_json::from_slice(&text)
            .map(Some)
            .with_context(|| format!("reading {}", path.display())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let occupied = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
            if occupied {
                bail!(
                    "{} is not a folder of sample logs; name another with --data",
                    folder.display()
                );
            }
            Ok(None)
        }
        Err(error) => Err(error).with_context(|| format!("reading {}", path.display())),
    }
}

fn write_marker(folder: &Path, marker: &Marker) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join(MARKER), serde_json::to_vec(marker)?)
}
