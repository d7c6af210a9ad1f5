//! The HTTP server: from a request with a token to rows or a refusal.
//!
//! [`listen`] holds connections, [`route`] finds what a path leads to, [`query`] answers a call of an
//! endpoint. The server has no SQL of its own and no engine: it binds, compiles and runs through the
//! rooms below it. Every failure, a panic included, is answered with the body of [`error`].

mod access_log;
pub mod auth;
mod compile_pool;
mod cors;
mod error;
mod listen;
mod query;
mod request;
mod response;
mod route;

#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use compile_pool::CompilePool;

use crate::config::Config;
use crate::endpoint::Endpoints;
use crate::warehouse::Warehouse;
use auth::SharedTokens;

pub use listen::{serve, stop_signal};

/// The stack that a thread needs on which queries are planned or compiled.
pub const STACK_BYTES: usize = compile_pool::STACK_BYTES;

/// Everything a request is answered from.
pub struct App {
    /// The endpoints by id and name.
    endpoints: Endpoints,
    /// Where queries run.
    warehouse: Arc<dyn Warehouse>,
    /// Who may call.
    tokens: SharedTokens,
    /// Settings.
    config: Config,
    /// What time it is.
    clock: Clock,
    /// Where queries are compiled.
    compiler: CompilePool,
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
        match self {
            Self::System => jiff::Timestamp::now().as_microsecond(),
            Self::Frozen(instant) => instant,
        }
    }
}

impl App {
    /// Returns a service that is ready to be served, with its compile threads started.
    ///
    /// # Errors
    /// The system gives no more threads.
    pub fn new(
        endpoints: Endpoints,
        warehouse: Arc<dyn Warehouse>,
        tokens: SharedTokens,
        config: Config,
        clock: Clock,
    ) -> io::Result<Self> {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        Ok(Self {
            endpoints,
            warehouse,
            tokens,
            config,
            clock,
            compiler: CompilePool::start(threads)?,
            draining: AtomicBool::new(false),
        })
    }

    fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App")
            .field("clock", &self.clock)
            .field("draining", &self.is_draining())
            .finish_non_exhaustive()
    }
}
