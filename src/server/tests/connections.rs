//! Connections, probes and what every answer has, over a warehouse without endpoints.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Method, Request, Response};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::compiler::{Compiled, Target};
use crate::config::Config;
use crate::endpoint::Endpoints;
use crate::server::auth::SharedTokens;
use crate::server::listen::serve_at;
use crate::server::pace::Tempo;
use crate::server::{App, Clock, Listeners, State};
use crate::warehouse::{Rows, Terms, Warehouse, WarehouseError};

/// What `ready` does; calls of endpoints are tested with the real engine.
enum Fake {
    Ready,
    Unready,
    Panics,
    /// Never ends; tells when it begins, and when it is cancelled.
    Hangs(Mutex<Option<(oneshot::Sender<()>, oneshot::Sender<()>)>>),
}

#[async_trait]
impl Warehouse for Fake {
    fn target(&self) -> &Target {
        &Target::Embedded
    }

    async fn ready(&self) -> Result<(), WarehouseError> {
        match self {
            Self::Ready => Ok(()),
            Self::Unready => Err(WarehouseError::Unavailable("host 10.1.2.3".into())),
            Self::Panics => panic!("on purpose"),
            Self::Hangs(signals) => {
                let (begun, _cancelled) = signals.lock().unwrap().take().unwrap();
                begun.send(()).unwrap();
                std::future::pending().await
            }
        }
    }

    async fn run(&self, _query: &Compiled, _terms: Terms) -> Result<Rows, WarehouseError> {
        Err(WarehouseError::Failure("not part of these tests".into()))
    }
}

fn app(warehouse: Fake, config: Config) -> Arc<App> {
    let tokens = SharedTokens::open(Path::new("/nowhere/tokens.toml")).unwrap();
    let state = State::new(config, Endpoints::default(), Arc::new(warehouse));
    Arc::new(App::new(state, tokens, Clock::Frozen(0)).unwrap())
}

async fn answer(app: &Arc<App>, method: Method, path: &str) -> (Response<()>, Value) {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("x-api-key", "wrong")
        .header("x-request-id", "mine")
        .header("origin", "https://a.test")
        .body(Full::<Bytes>::default())
        .unwrap();
    let (head, body) = super::respond(app, request).await.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    let json = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    (Response::from_parts(head, ()), json)
}

#[tokio::test]
async fn refusals_before_any_query() {
    let app = app(Fake::Ready, Config::default());
    for (method, path, status) in [
        (Method::GET, "/", 404),
        (Method::GET, "/api/endpoints/query/", 404),
        (Method::GET, "/api/endpoints/query/logs.all", 401),
        (Method::PUT, "/api/endpoints/query/logs.all", 405),
        (Method::OPTIONS, "/api/endpoints/query/logs.all", 405),
        (Method::POST, "/healthz", 405),
    ] {
        let (head, body) = answer(&app, method.clone(), path).await;
        assert_eq!(head.status().as_u16(), status, "{method} {path}");
        assert_eq!(body["error"]["code"], status, "{method} {path}");
        assert_eq!(body["error"]["request_id"], "mine", "{method} {path}");
        assert_eq!(body["message"], body["error"]["message"]);
        let headers = head.headers();
        assert_eq!(headers["x-request-id"], "mine");
        assert_eq!(headers["cache-control"], "private, no-store");
        assert_eq!(headers.contains_key("allow"), status == 405);
        assert_eq!(headers.contains_key("www-authenticate"), status == 401);
        assert!(!headers.contains_key("access-control-allow-origin"));
    }
}

#[tokio::test]
async fn readiness() {
    for (warehouse, status) in [
        (Fake::Ready, 200),
        (Fake::Unready, 503),
        // A panic is one failed request.
        (Fake::Panics, 500),
    ] {
        let app = app(warehouse, Config::default());
        let (head, body) = answer(&app, Method::GET, "/readyz").await;
        assert_eq!(head.status().as_u16(), status);
        assert!(!body.to_string().contains("10.1.2.3"));
        let (head, _) = answer(&app, Method::GET, "/healthz").await;
        assert_eq!(head.status().as_u16(), 200);
        app.drain();
        let (head, _) = answer(&app, Method::GET, "/readyz").await;
        assert_eq!(head.status().as_u16(), 503);
    }
}

#[tokio::test]
async fn cross_origin_calls() {
    let mut config = Config::default();
    config.server.cors_origins = vec!["https://a.test".into()];
    let app = app(Fake::Ready, config);
    let path = "/api/endpoints/query/logs.all";
    for path in [path, "/api/openapi.json"] {
        let (head, _) = answer(&app, Method::OPTIONS, path).await;
        assert_eq!(head.status().as_u16(), 204, "{path}");
        let allowed = head.headers()["access-control-allow-headers"].to_str();
        let allowed = allowed.unwrap();
        for name in ["X-API-KEY", "SVC-ENDPOINT-REDACT-PII"] {
            assert!(allowed.contains(name), "{allowed}");
        }
    }
    let (head, _) = answer(&app, Method::GET, path).await;
    assert_eq!(head.status().as_u16(), 401);
    assert_eq!(
        head.headers()["access-control-allow-origin"],
        "https://a.test"
    );
}

/// Serves until the returned sender is used or dropped.
pub(super) async fn start(
    app: Arc<App>,
) -> (
    SocketAddr,
    oneshot::Sender<()>,
    tokio::task::JoinHandle<bool>,
) {
    start_at(Tempo::USUAL, app).await
}

async fn start_at(
    tempo: Tempo,
    app: Arc<App>,
) -> (
    SocketAddr,
    oneshot::Sender<()>,
    tokio::task::JoinHandle<bool>,
) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let listeners = Listeners {
        public: listener,
        admin: None,
    };
    let server = tokio::spawn(serve_at(tempo, listeners, app, async move {
        // Dropping the sender stops as well.
        let _ = stopped.await;
    }));
    (address, stop, server)
}

#[tokio::test]
async fn leaving_cancels() {
    let (begun, has_begun) = oneshot::channel();
    let (guard, cancelled) = oneshot::channel();
    let warehouse = Fake::Hangs(Mutex::new(Some((begun, guard))));
    let (address, _stop, _server) = start(app(warehouse, Config::default())).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream
        .write_all(b"GET /readyz HTTP/1.1\r\nhost: a\r\n\r\n")
        .await
        .unwrap();
    has_begun.await.unwrap();
    drop(stream);
    // The sender lives in the future of the request; its end tells of the cancellation.
    let ended = tokio::time::timeout(Duration::from_secs(2), cancelled).await;
    assert!(ended.expect("cancelled in time").is_err());
}

#[tokio::test]
async fn who_sends_no_head_is_left() {
    let tempo = Tempo {
        tick: Duration::from_millis(20),
        most_ticks: 5,
    };
    let (begun, has_begun) = oneshot::channel();
    let (guard, _cancelled) = oneshot::channel();
    let warehouse = Fake::Hangs(Mutex::new(Some((begun, guard))));
    let (address, _stop, _server) = start_at(tempo, app(warehouse, Config::default())).await;
    for (sent, is_answered) in [
        ("", false),
        ("GET /healthz HTTP/1.1\r\nhost", false),
        ("GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n", true),
        ("GET /healthz HTTP/1.1\r\nhost: a\r\n\r\nGET /", true),
    ] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let ended = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut answer));
        ended.await.expect("left in time").unwrap();
        assert_eq!(answer.starts_with(b"HTTP/1.1 200"), is_answered, "{sent}");
        assert_eq!(answer.is_empty(), !is_answered, "{sent}");
    }
    // One whose request is worked on is not.
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = b"GET /readyz HTTP/1.1\r\nhost: a\r\n\r\n";
    stream.write_all(request).await.unwrap();
    has_begun.await.unwrap();
    let more = tokio::time::timeout(4 * tempo.patience(), stream.read_u8()).await;
    assert!(more.is_err(), "{more:?}");
}

#[tokio::test]
async fn orderly_end() {
    let (address, stop, server) = start(app(Fake::Ready, Config::default())).await;
    // An idle connection does not hold up the end.
    let idle = TcpStream::connect(address).await.unwrap();
    let mut used = TcpStream::connect(address).await.unwrap();
    used.write_all(b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n")
        .await
        .unwrap();
    let mut answer = [0; 12];
    used.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");
    stop.send(()).unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(20), server).await;
    assert!(ended.expect("ends in time").unwrap());
    drop((idle, used));
}

#[tokio::test]
async fn a_head_that_is_too_long() {
    let (address, _stop, _server) = start(app(Fake::Ready, Config::default())).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let target = "x".repeat(64 * 1024);
    // The server may answer and close before it has read everything.
    let _ = stream
        .write_all(format!("GET /?{target} HTTP/1.1\r\nhost: a\r\n\r\n").as_bytes())
        .await;
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await.unwrap();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert!(
        ["HTTP/1.1 431", "HTTP/1.1 414"].contains(&answer.as_str()),
        "{answer}"
    );
}
