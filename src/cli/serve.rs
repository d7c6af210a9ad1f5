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

use super::bigquery;
use super::source::{self, Source};
use crate::config::{Config, WarehouseKind};
use crate::endpoint::Endpoints;
use crate::server::auth::SharedTokens;
use crate::server::{self, App};
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
    /// Freeze the clock at this instant, for tests.
    #[arg(long, value_name = "RFC3339")]
    now: Option<Timestamp>,
}

/// Serves until asked to end. Prints one line, `listening on http://ADDR`, when it is ready.
///
/// # Errors
/// Something needed at the start cannot be used.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (mut config, endpoints) = args.source.load()?;
    if let Some(listen) = args.listen {
        config.server.listen = listen;
    }
    if let Some(data) = args.data {
        config.warehouse.data = data;
    }
    if let Some(tokens) = args.tokens {
        config.tokens = tokens;
    }
    let tokens = SharedTokens::open(&config.tokens)?;
    if tokens.current().is_empty() {
        if !config.server.listen.ip().is_loopback() {
            bail!(
                "there is no token, so nobody could call {}; create one with `logboom token create`",
                config.server.listen
            );
        }
        tracing::warn!("there is no token yet; create one with `logboom token create`");
    }
    let runtime = runtime()?;
    runtime.block_on(async {
        let warehouse = warehouse(&config, &endpoints)?;
        let service = Service {
            config,
            endpoints,
            warehouse,
            tokens,
            now: args.now,
        };
        service
            .serve(|address| {
                let mut out = io::stdout().lock();
                writeln!(out, "listening on http://{address}")?;
                out.flush()
            })
            .await
    })
}

/// Everything that a server is started with.
pub(super) struct Service {
    /// The settings.
    pub(super) config: Config,
    /// The endpoints.
    pub(super) endpoints: Endpoints,
    /// Where queries run.
    pub(super) warehouse: Arc<dyn Warehouse>,
    /// Who may call.
    pub(super) tokens: SharedTokens,
    /// The instant at which the clock stands, if it does.
    pub(super) now: Option<Timestamp>,
}

impl Service {
    /// Serves until asked to end; calls `ready` once requests are accepted.
    pub(super) async fn serve(
        self,
        ready: impl FnOnce(SocketAddr) -> io::Result<()>,
    ) -> anyhow::Result<ExitCode> {
        let listen = self.config.server.listen;
        let stop = server::stop_signal().context("listening for signals")?;
        let warehouse = Arc::clone(&self.warehouse);
        let app = App::new(
            self.endpoints,
            self.warehouse,
            self.tokens,
            self.config,
            source::clock(self.now),
        )
        .context("starting the compile threads")?;
        let listener = TcpListener::bind(listen)
            .await
            .with_context(|| format!("listening on {listen}"))?;
        ready(listener.local_addr()?).context("telling the address")?;
        if !server::serve(listener, Arc::new(app), stop).await {
            tracing::warn!("some requests did not end in time");
        }
        warehouse.close().await;
        Ok(ExitCode::SUCCESS)
    }
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
