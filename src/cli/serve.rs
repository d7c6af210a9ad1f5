//! `logboom serve`: the endpoints over HTTP.

use std::io::{self, Write};
use std::net::SocketAddr;
#[cfg(feature = "embedded")]
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use jiff::Timestamp;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_util::task::AbortOnDropHandle;

use super::bigquery;
use super::source::{self, Source};
use super::telemetry::Telemetry;
use crate::config::{Config, WarehouseKind};
use crate::endpoint::Endpoints;
use crate::server::auth::SharedTokens;
use crate::server::reload::{Sources, watch};
use crate::server::{self, App, Listeners, State};
use crate::warehouse::Warehouse;
#[cfg(feature = "embedded")]
use crate::warehouse::embedded::{Embedded, EngineSettings};

/// The flags of `serve`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    source: Source,
    /// The address to listen on; port 0 takes a free one.
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
    /// The folder of the local logs.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The file of the tokens.
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,
    /// Listen on a public address although there is no valid token yet.
    #[arg(long)]
    allow_no_tokens: bool,
    /// Freeze the clock at this instant, for tests.
    #[arg(long, value_name = "RFC3339")]
    now: Option<Timestamp>,
}

/// Serves until asked to end. Prints one line, `listening on http://ADDR`, when it is ready.
///
/// # Errors
/// Something needed at the start cannot be used.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (config, endpoints) = args.load()?;
    let tokens = SharedTokens::open(&config.tokens)?;
    let now = args.now.unwrap_or_else(Timestamp::now);
    if !tokens.current().has_valid(now) {
        if !config.server.listen.ip().is_loopback() && !args.allow_no_tokens {
            bail!(
                "there is no valid token, so nobody could call {}; create one with `logboom token create`, \
                 or say --allow-no-tokens to create one later",
                config.server.listen
            );
        }
        tracing::warn!("there is no valid token; create one with `logboom token create`");
    }
    let scheme = match config.server.tls {
        Some(_) => "https",
        None => "http",
    };
    let runtime = runtime()?;
    runtime.block_on(async {
        let warehouse = warehouse(&config, &endpoints)?;
        let args = Arc::new(args);
        let followed = Arc::clone(&args);
        let service = Service {
            state: State::new(config, endpoints, warehouse),
            tokens,
            now: args.now,
            sources: Some(Sources {
                paths: Box::new(move |in_force| followed.paths(in_force)),
                load: Box::new(move |state| args.reload(state).map_err(|e| format!("{e:#}"))),
            }),
        };
        service
            .serve(|address| {
                let mut out = io::stdout().lock();
                writeln!(out, "listening on {scheme}://{address}")?;
                out.flush()
            })
            .await
    })
}

impl Args {
    /// Reads configuration and endpoints, with the flags on top.
    fn load(&self) -> anyhow::Result<(Config, Endpoints)> {
        let (mut config, endpoints) = self.source.load()?;
        if let Some(listen) = self.listen {
            config.server.listen = listen;
        }
        if let Some(data) = &self.data {
            config.warehouse.data.clone_from(data);
        }
        if let Some(tokens) = &self.tokens {
            config.tokens.clone_from(tokens);
        }
        Ok((config, endpoints))
    }

    /// Returns the files to follow: those that the configuration names now, so that a mistake in one is
    /// mended there; while it has mistakes itself, those that it named before.
    fn paths(&self, in_force: &Config) -> Vec<PathBuf> {
        let config = self.source.config().ok();
        self.source.paths(config.as_ref().unwrap_or(in_force))
    }

    /// Reads everything again. The warehouse goes on where nothing changed for it.
    fn reload(&self, state: &State) -> anyhow::Result<State> {
        let (config, endpoints) = self.load()?;
        let warehouse = match state.warehouse_for(&config, &endpoints) {
            Some(warehouse) => warehouse,
            None => warehouse(&config, &endpoints)?,
        };
        Ok(State::new(config, endpoints, warehouse))
    }
}

/// Everything that a server is started with.
pub(super) struct Service {
    /// What requests are answered from at first.
    pub(super) state: State,
    /// Who may call.
    pub(super) tokens: SharedTokens,
    /// The instant at which the clock stands, if it does.
    pub(super) now: Option<Timestamp>,
    /// The files to follow, if any.
    pub(super) sources: Option<Sources>,
}

impl Service {
    /// Serves until asked to end; calls `ready` once requests are accepted.
    pub(super) async fn serve(
        self,
        ready: impl FnOnce(SocketAddr) -> io::Result<()>,
    ) -> anyhow::Result<ExitCode> {
        let server = self.state.config().server.clone();
        let stop = server::stop_signal().context("listening for signals")?;
        let telemetry = Telemetry::open()?;
        let log = super::LOG.get();
        // What waits is written when this ends, however it does.
        let attendant = log.map(|log| log.writer.attend()).transpose();
        let _attendant = attendant.context("starting the log")?;
        let app = App::new(self.state, self.tokens, source::clock(self.now))?
            .with_spans(telemetry.spans())
            .with_access_log(log.cloned());
        let public = listen(server.listen).await?;
        let admin = match server.admin_listen {
            Some(address) => Some(listen(address).await?),
            None => None,
        };
        let app = Arc::new(app);
        let _watch = self
            .sources
            .map(|sources| AbortOnDropHandle::new(tokio::spawn(watch(Arc::clone(&app), sources))));
        ready(public.local_addr()?).context("telling the address")?;
        if !server::serve(Listeners { public, admin }, Arc::clone(&app), stop).await {
            tracing::warn!("some requests did not end in time");
        }
        app.close().await;
        telemetry.close().await;
        Ok(ExitCode::SUCCESS)
    }
}

async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address)
        .await
        .with_context(|| format!("listening on {address}"))
}

/// Returns a runtime whose threads have room for the planning of queries.
pub(super) fn runtime() -> anyhow::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(server::STACK_BYTES)
        .build()
        .context("starting the runtime")
}

/// Opens the warehouse that is configured.
pub(super) fn warehouse(
    config: &Config,
    endpoints: &Endpoints,
) -> anyhow::Result<Arc<dyn Warehouse>> {
    match config.warehouse.kind {
        WarehouseKind::BigQuery => Ok(Arc::new(bigquery::open(config, endpoints)?)),
        #[cfg(feature = "embedded")]
        WarehouseKind::Embedded => Ok(Arc::new(embedded(config, endpoints)?)),
        #[cfg(not(feature = "embedded"))]
        WarehouseKind::Embedded => source::no_engine(),
    }
}

/// Opens the local logs.
#[cfg(feature = "embedded")]
pub(super) fn embedded(config: &Config, endpoints: &Endpoints) -> anyhow::Result<Embedded> {
    let warehouse = &config.warehouse;
    let positive = |number: usize| NonZeroUsize::new(number).context("a limit of 0");
    let defaults = EngineSettings::default();
    let settings = EngineSettings {
        memory_limit_bytes: warehouse.memory_limit_bytes,
        threads: warehouse.threads.map(positive).transpose()?,
        spill_dir: warehouse.spill_dir.clone(),
        max_concurrent: positive(warehouse.max_concurrent)?,
        ..defaults
    };
    let data = warehouse.data.clone();
    Ok(Embedded::open(data, endpoints.catalog(), settings)?)
}
