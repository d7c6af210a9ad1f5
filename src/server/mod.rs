//! The HTTP server: from a request with a token to rows or a refusal.
//!
//! [`listen`] holds connections, [`route`] finds what a path leads to, [`query`] answers a call of an
//! endpoint, [`execute`] takes its result from the [`cache`] or runs it. The server has no SQL of its own
//! and no engine: it binds, compiles and runs through the rooms below it. Every failure, a panic
//! included, is answered with the body of [`error`].

mod access_log;
pub mod auth;
mod cache;
mod compile_pool;
mod cors;
mod digits;
mod error;
mod execute;
mod ids;
mod kept;
mod limits;
mod listen;
mod media;
mod metrics;
mod openapi;
mod pace;
mod query;
pub mod reload;
mod replaced;
mod request;
mod response;
mod route;
pub mod span;
mod stall;
mod state;
mod tls;
mod trace;

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arc_swap::{ArcSwap, ArcSwapOption};

use auth::SharedTokens;
use cache::Cache;
use compile_pool::CompilePool;
use limits::{Gate, Memory, Permits, Rates};
use metrics::Metrics;
use reload::Fixed;
use replaced::Replaced;
use span::Spans;
use tls::Certificate;

use crate::config::Config;

pub use access_log::{AccessLog, Attendant, Form, LogWriter};
pub use listen::{Listeners, serve, stop_signal};
pub use state::State;
pub use tls::TlsError;

/// The stack that a thread needs on which queries are planned or compiled.
pub const STACK_BYTES: usize = compile_pool::STACK_BYTES;

/// Everything a request is answered from.
pub struct App {
    /// What a reload replaces.
    state: ArcSwap<State>,
    /// What reloads have replaced and is not over yet.
    replaced: Replaced,
    /// Who may call.
    tokens: Arc<SharedTokens>,
    /// What time it is.
    clock: Clock,
    /// Where queries are compiled.
    compiler: CompilePool,
    /// Results that are kept.
    cache: Arc<Cache>,
    /// How many queries run.
    gate: Gate,
    /// How many bytes of results there may be.
    memory: Memory,
    /// How many connections there may be.
    connections: Permits,
    /// How many kept results are refreshed at a time.
    refreshes: Permits,
    /// How many requests there may be.
    rates: ArcSwap<Rates>,
    /// What is counted.
    metrics: Arc<Metrics>,
    /// The settings that no reload changes.
    fixed: Fixed,
    /// Where spans of requests go, if anywhere.
    spans: Option<Spans>,
    /// Where a line for each request goes, if anywhere.
    access_log: Option<AccessLog>,
    /// What HTTPS is served with.
    tls: Option<Certificate>,
    /// Since when the files have mistakes, if they have.
    reload_failed: ArcSwapOption<jiff::Timestamp>,
    /// Whether the service is ending; it then reports not to be ready.
    draining: AtomicBool,
}

/// Tells the instant of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The system's clock.
    System,
    /// Always this instant, microseconds since the Unix epoch.
    Frozen(i64),
}

impl Clock {
    /// Returns the instant, microseconds since the Unix epoch.
    #[must_use]
    pub fn now(self) -> i64 {
        self.at(Arrival::now())
    }

    /// Returns the instant at which a request arrived, microseconds since the Unix epoch.
    fn at(self, arrival: Arrival) -> i64 {
        match self {
            Self::System => arrival.micros,
            Self::Frozen(instant) => instant,
        }
    }
}

/// When a request arrived.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    instant: Instant,
    /// By the system's clock, in microseconds since the Unix epoch.
    micros: i64,
}

impl Arrival {
    fn now() -> Self {
        /// For so long what the one clock says follows from the other.
        const STEP: Duration = Duration::from_millis(10);
        thread_local! {
            /// When both were read last.
            static BOTH: Cell<Option<Arrival>> = const { Cell::new(None) };
        }
        let instant = Instant::now();
        if let Some(both) = BOTH.get() {
            let since = instant.saturating_duration_since(both.instant);
            if since < STEP {
                let since = i64::try_from(since.as_micros()).unwrap_or_default();
                let micros = both.micros + since;
                return Self { instant, micros };
            }
        }
        let micros = jiff::Timestamp::now().as_microsecond();
        let both = Self { instant, micros };
        BOTH.set(Some(both));
        both
    }
}

/// Why a service cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The system gives no more threads.
    #[error("starting the compile threads: {0}")]
    Threads(#[from] io::Error),
    /// The certificate cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
}

impl App {
    /// Returns a service that is ready to be served, with its compile threads started.
    ///
    /// # Errors
    /// The system gives no more threads, or the certificate cannot be used.
    pub fn new(state: State, tokens: SharedTokens, clock: Clock) -> Result<Self, StartError> {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        let config = &state.config;
        Ok(Self {
            cache: Arc::new(Cache::new(config.cache.capacity_bytes)),
            gate: Gate::new(config.server.max_queries, config.server.max_queued_queries),
            memory: Memory::new(result_bytes(config)),
            connections: Permits::new(config.server.max_connections.get()),
            refreshes: Permits::new(config.cache.warming_concurrency.get()),
            fixed: Fixed::of(config),
            spans: None,
            access_log: None,
            rates: ArcSwap::from_pointee(Rates::new(&config.rate_limits)),
            tls: config
                .server
                .tls
                .as_ref()
                .map(Certificate::open)
                .transpose()?,
            reload_failed: ArcSwapOption::empty(),
            state: ArcSwap::from_pointee(state),
            replaced: Replaced::default(),
            tokens: Arc::new(tokens),
            clock,
            compiler: CompilePool::start(threads)?,
            metrics: Arc::new(Metrics::new()),
            draining: AtomicBool::new(false),
        })
    }

    /// Sends spans of requests somewhere.
    #[must_use]
    pub fn with_spans(self, spans: Option<Spans>) -> Self {
        Self { spans, ..self }
    }

    /// Logs a line for each request. Events of the target `access` have to be enabled too.
    #[must_use]
    pub fn with_access_log(self, access_log: Option<AccessLog>) -> Self {
        Self { access_log, ..self }
    }

    /// Returns what to answer a request from. It stays the same until the request ends.
    pub fn state(&self) -> Arc<State> {
        self.state.load_full()
    }

    /// Answers from now on from another state. What was kept of endpoints that are not in it is dropped,
    /// requests that are under way end as they began, and limits that are the same stay used up.
    fn replace(&self, state: State) {
        let versions = state.versions();
        let (server, cache) = (&state.config.server, &state.config.cache);
        self.gate
            .resize(server.max_queries, server.max_queued_queries);
        self.memory.resize(result_bytes(&state.config));
        self.connections.resize(server.max_connections.get());
        self.refreshes.resize(cache.warming_concurrency.get());
        self.cache.resize(cache.capacity_bytes);
        if *self.rates().limits() != state.config.rate_limits {
            self.rates
                .store(Arc::new(Rates::new(&state.config.rate_limits)));
        }
        let state = Arc::new(state);
        let before = self.state.swap(Arc::clone(&state));
        if !Arc::ptr_eq(&before.warehouse, &state.warehouse) {
            self.replaced.add(Arc::clone(&before.warehouse));
        }
        self.cache.retain(&versions);
    }

    /// Waits until the engines know of every query that was cancelled, those that a reload replaced too. Called once
    /// nothing is served any more.
    pub async fn close(&self) {
        let state = self.state();
        tokio::join!(state.warehouse.close(), self.replaced.close());
    }

    /// Returns the limits on request rates.
    fn rates(&self) -> arc_swap::Guard<Arc<Rates>> {
        self.rates.load()
    }

    fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }
}

/// Returns how many bytes of results there may be, kept or on their way.
fn result_bytes(config: &Config) -> usize {
    let Config { server, cache, .. } = config;
    cache
        .capacity_bytes
        .saturating_add(server.max_outgoing_bytes)
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App")
            .field("clock", &self.clock)
            .field("draining", &self.is_draining())
            .finish_non_exhaustive()
    }
}
