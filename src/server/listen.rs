//! Connections: accepting them, TLS, HTTP/1.1 and HTTP/2 on one port, and an orderly end.
//!
//! When a caller closes the connection, hyper drops the future that works on the request, and with it
//! the query. Nothing here is spawned per request, so nothing outlives its caller.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures::future::{self, Either};
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::task::AbortOnDropHandle;

use super::App;
use super::cache::warming;
use super::kept::Last;
use super::pace::{Pace, Patrol, Tempo};
use super::route::{self, Door};
use super::stall::Stalling;
use crate::config;

/// How long to wait before accepting again when the system is out of descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// hyper panics on a smaller buffer.
const LEAST_BUFFER: usize = 8 * 1024;

/// Where requests come in.
#[derive(Debug)]
pub struct Listeners {
    /// For everybody; over TLS when that is configured.
    pub public: TcpListener,
    /// For operators, over plain HTTP.
    pub admin: Option<TcpListener>,
}

/// Serves until `stop` resolves. Then readiness fails; after the configured delay no connection is accepted
/// any more, and running requests may end: as long as a request may take, no longer.
///
/// Returns whether all of them did.
pub async fn serve(listeners: Listeners, app: Arc<App>, stop: impl Future<Output = ()>) -> bool {
    serve_at(Tempo::USUAL, listeners, app, stop).await
}

/// Does so with another patience for callers who send no head.
pub(crate) async fn serve_at(
    tempo: Tempo,
    listeners: Listeners,
    app: Arc<App>,
    stop: impl Future<Output = ()>,
) -> bool {
    let connections = GracefulShutdown::new();
    let patrol = Arc::new(Patrol::new(tempo));
    let _walking = AbortOnDropHandle::new(tokio::spawn(Arc::clone(&patrol).walk()));
    let refreshes = Arc::clone(app.refreshes.semaphore());
    let warming = warming::run(Arc::downgrade(&app), refreshes);
    // Both end with this function, so that nothing is begun that nobody will get.
    let _warming = AbortOnDropHandle::new(tokio::spawn(warming));
    let tokens = Arc::clone(&app.tokens);
    let _noting = AbortOnDropHandle::new(tokio::spawn({
        let tokens = Arc::clone(&tokens);
        async move { tokens.keep_last_use().await }
    }));
    {
        let hall = Hall {
            app: &app,
            connections: &connections,
            patrol: &patrol,
            head_patience: tempo.patience(),
        };
        let Listeners { public, admin } = listeners;
        let tls = app
            .tls
            .as_ref()
            .map(|c| TlsAcceptor::from(Arc::clone(c.config())));
        let admitting = async {
            let admin = async {
                match admin {
                    Some(listener) => hall.admit(&listener, Door::Admin, None).await,
                    None => std::future::pending().await,
                }
            };
            tokio::join!(hall.admit(&public, Door::Public, tls), admin)
        };
        let mut admitting = pin!(admitting);
        tokio::select! {
            () = stop => (),
            _ = &mut admitting => (),
        }
        app.drain();
        let delay = Duration::from_secs(app.state().config.server.shutdown_delay_seconds);
        // It admits until the time is over.
        let _ = tokio::time::timeout(delay, &mut admitting).await;
    }
    let patience = patience(&app.state().config.server);
    tracing::info!(connections = connections.count(), "shutting down");
    patrol.end();
    let in_time = tokio::time::timeout(patience, connections.shutdown())
        .await
        .is_ok();
    if let Err(error) = tokens.write_last_use() {
        tracing::debug!(%error, "the last use of tokens is not written down");
    }
    in_time
}

/// What connections have in common.
struct Hall<'a> {
    app: &'a Arc<App>,
    /// Counts who is left. Its own way to tell connections of the end asks at each step of them whether there is any
    /// news, at some cost; the patrol tells them.
    connections: &'a GracefulShutdown,
    patrol: &'a Patrol,
    head_patience: Duration,
}

/// The stay of a connection.
struct Visit {
    pace: Arc<Pace>,
    /// While it is held the connection counts.
    _watcher: Watcher,
    /// Of those that there may be.
    _permit: OwnedSemaphorePermit,
}

impl Hall<'_> {
    /// Accepts connections for as long as it is polled.
    async fn admit(&self, listener: &TcpListener, door: Door, tls: Option<TlsAcceptor>) {
        loop {
            match accept(listener, self.app.connections.semaphore()).await {
                Ok((stream, permit)) => {
                    let app = Arc::clone(self.app);
                    let state = app.state();
                    let server = &state.config.server;
                    let head_patience = self.head_patience;
                    let builder = builder(server, head_patience);
                    let pace = self.patrol.enter();
                    let visit = Visit {
                        pace: Arc::clone(&pace),
                        _watcher: self.connections.watcher(),
                        _permit: permit,
                    };
                    // A caller may take no byte of an answer for as long as a request may take.
                    let stream = Stalling::new(stream, patience(server), pace);
                    // Two kinds of tasks, so that one without TLS has no room for it.
                    match tls.clone() {
                        None => tokio::spawn(connection(stream, app, door, builder, visit)),
                        Some(tls) => tokio::spawn(async move {
                            match handshake(&tls, stream, head_patience).await {
                                Ok(stream) => connection(stream, app, door, builder, visit).await,
                                Err(error) => tracing::debug!(%error, "no TLS with a caller"),
                            }
                        }),
                    };
                }
                Err(error) => {
                    tracing::warn!(%error, "accepting a connection failed");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }
}

async fn accept(
    listener: &TcpListener,
    permits: &Arc<Semaphore>,
) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let permit = Arc::clone(permits)
        .acquire_owned()
        .await
        .map_err(io::Error::other)?;
    let (stream, _peer) = listener.accept().await?;
    stream.set_nodelay(true)?;
    Ok((stream, permit))
}

async fn handshake(
    tls: &TlsAcceptor,
    stream: Stalling<TcpStream>,
    patience: Duration,
) -> io::Result<TlsStream<Stalling<TcpStream>>> {
    tokio::time::timeout(patience, tls.accept(stream))
        .await
        .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// Returns how long a request may take.
fn patience(server: &config::Server) -> Duration {
    Duration::from_secs(server.request_timeout_seconds)
}

fn builder(server: &config::Server, head_patience: Duration) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        // See `pace`.
        .header_read_timeout(None)
        .max_buf_size(server.max_head_bytes.max(LEAST_BUFFER));
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(u32::try_from(server.max_head_bytes).unwrap_or(u32::MAX))
        .keep_alive_interval(head_patience);
    builder
}

async fn connection<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    app: Arc<App>,
    door: Door,
    builder: auto::Builder<TokioExecutor>,
    visit: Visit,
) {
    let last = Last::default();
    let pace = Arc::clone(&visit.pace);
    let service = service_fn(move |request: Request<Incoming>| {
        pace.begin(request.version());
        if let Some(response) = route::respond_at_once(&app, door, &last, &request) {
            pace.end();
            return Either::Left(future::ready(Ok::<_, Infallible>(response)));
        }
        let (app, pace) = (Arc::clone(&app), Arc::clone(&pace));
        // On the heap, so that an answer at once does not carry the room for it.
        Either::Right(Box::pin(async move {
            let response = route::respond(app, door, request).await;
            pace.end();
            Ok(response)
        }))
    });
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let (mut is_new, mut is_ending) = (true, false);
    let serving = poll_fn(|cx| {
        // From then on this task is woken when there is something to be told.
        if std::mem::take(&mut is_new) {
            visit.pace.wake(cx.waker());
        }
        if visit.pace.is_over() {
            return Poll::Ready(None);
        }
        if !is_ending && visit.pace.is_ending() {
            is_ending = true;
            connection.as_mut().graceful_shutdown();
        }
        connection.as_mut().poll(cx).map(Some)
    });
    match serving.await {
        Some(Ok(())) => (),
        Some(Err(error)) => tracing::debug!(error = %error, "connection ended"),
        None => tracing::debug!("a caller did not send the head of a request in time"),
    }
}

/// Resolves when the process is asked to end: SIGTERM, or ctrl-c.
///
/// # Errors
/// The system does not let us listen for signals.
pub fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        Ok(async move {
            tokio::select! {
                _ = terminate.recv() => (),
                _ = interrupt.recv() => (),
            }
        })
    }
    #[cfg(not(unix))]
    {
        Ok(async {
            // Without the signal there is nothing to wait for but the end of the process.
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }
}
