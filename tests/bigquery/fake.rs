//! BigQuery's REST API as a test wants it: jobs, pages, cancelling and tokens by default, and any fault on
//! request. Every request is compared with the discovery document.

mod api;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures::stream;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{CONTENT_LENGTH, HeaderMap};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value as Json, json};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::discovery;

/// What a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Query,
    DryRun,
    Results,
    Cancel,
    Get,
    Table,
    Token,
}

/// What is done instead of, or after, answering as usual.
#[derive(Clone, Debug)]
pub enum Act {
    /// Answers with this status and body.
    Json(u16, Json),
    /// The same with a header.
    JsonWith(u16, &'static str, &'static str, Json),
    /// Answers 200 with this text.
    Text(&'static str),
    /// Closes the connection before any answer.
    Drop,
    /// Does what is asked, then closes the connection before any answer.
    RunThenDrop,
    /// Does what is asked, then closes the connection in the middle of the answer.
    RunThenCut,
    /// Answers after this time.
    After(Duration),
    /// Answers as usual, with changes.
    Change(fn(&mut Json)),
}

/// A failed answer as BigQuery writes it.
pub fn failure(status: u16, reason: &str, message: &str) -> Act {
    Act::Json(
        status,
        json!({"error": {"code": status, "message": message,
            "errors": [{"message": message, "domain": "global", "reason": reason}]}}),
    )
}

/// A request that arrived.
#[derive(Clone, Debug)]
pub struct Seen {
    pub op: Op,
    pub path: String,
    pub query: BTreeMap<String, String>,
    pub headers: HeaderMap,
    pub body: Json,
    pub form: BTreeMap<String, String>,
}

/// A job that was started.
#[derive(Clone, Debug)]
pub struct Job {
    pub id: String,
    pub request: Json,
    pub polls: usize,
    pub cancelled: bool,
}

impl Job {
    pub fn is_running(&self) -> bool {
        self.polls > 0 && !self.cancelled
    }
}

/// What the server does when nothing else is scripted.
#[derive(Clone, Debug)]
pub struct Habits {
    /// How often a job is not complete when it is asked for.
    pub polls: usize,
    /// Rows of every result.
    pub rows: usize,
    /// How long a token is good.
    pub token_seconds: u64,
    /// Whether a token is needed.
    pub needs_token: bool,
    /// The tables that a dry run tells.
    pub tables: Vec<&'static str>,
    /// Whether answers are packed.
    pub gzip: bool,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            polls: 0,
            rows: 1,
            token_seconds: 3600,
            needs_token: false,
            tables: vec!["p.d.edge"],
            gzip: false,
        }
    }
}

type Chooser = Box<dyn FnMut(Op) -> Option<Act> + Send>;

#[derive(Default)]
struct State {
    habits: Habits,
    script: HashMap<Op, VecDeque<Act>>,
    chooser: Option<Chooser>,
    seen: Vec<Seen>,
    jobs: Vec<Job>,
    tokens: usize,
    violations: Vec<String>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    open: AtomicUsize,
    accepted: AtomicUsize,
}

/// A running server; it ends with this value.
pub struct Fake {
    pub address: SocketAddr,
    shared: Arc<Shared>,
    accepting: tokio::task::JoinHandle<()>,
}

type Body = BoxBody<Bytes, io::Error>;

impl Fake {
    /// Starts a server.
    pub async fn start(habits: Habits) -> Self {
        Self::listen(habits, None).await
    }

    /// Starts a server with TLS, as `localhost`.
    pub async fn start_tls(habits: Habits) -> Self {
        let keys = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bigquery/keys");
        let chain = CertificateDer::pem_file_iter(format!("{keys}/server.pem"))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let key = PrivateKeyDer::from_pem_file(format!("{keys}/server.key.pem")).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Self::listen(habits, Some(TlsAcceptor::from(Arc::new(config)))).await
    }

    async fn listen(habits: Habits, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        shared.state.lock().unwrap().habits = habits;
        let accepting = tokio::spawn(accept(listener, tls, Arc::clone(&shared)));
        Self {
            address,
            shared,
            accepting,
        }
    }

    /// Does these things with the next requests of a kind.
    pub fn script(&self, op: Op, acts: impl IntoIterator<Item = Act>) {
        let mut state = self.shared.state.lock().unwrap();
        state.script.entry(op).or_default().extend(acts);
    }

    /// Asks what to do with each request.
    pub fn choose(&self, chooser: impl FnMut(Op) -> Option<Act> + Send + 'static) {
        self.shared.state.lock().unwrap().chooser = Some(Box::new(chooser));
    }

    /// Changes what is done by default.
    pub fn habits(&self, change: impl FnOnce(&mut Habits)) {
        change(&mut self.shared.state.lock().unwrap().habits);
    }

    /// Returns the requests of a kind.
    pub fn seen(&self, op: Op) -> Vec<Seen> {
        let state = self.shared.state.lock().unwrap();
        state.seen.iter().filter(|s| s.op == op).cloned().collect()
    }

    /// Returns every job that was started.
    pub fn jobs(&self) -> Vec<Job> {
        self.shared.state.lock().unwrap().jobs.clone()
    }

    /// Returns how many connections are open, and how many ever were.
    pub fn connections(&self) -> (usize, usize) {
        let load = |n: &AtomicUsize| n.load(Ordering::SeqCst);
        (load(&self.shared.open), load(&self.shared.accepted))
    }

    /// Waits until something holds.
    pub async fn wait_until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        for _ in 0..6000 {
            if holds(self) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{what} did not come about");
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.accepting.abort();
        if !std::thread::panicking() {
            let state = self.shared.state.lock().unwrap();
            assert_eq!(state.violations, [""; 0], "of the discovery document");
        }
    }
}

async fn accept(listener: TcpListener, tls: Option<TlsAcceptor>, shared: Arc<Shared>) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let (tls, shared) = (tls.clone(), Arc::clone(&shared));
        tokio::spawn(async move {
            shared.accepted.fetch_add(1, Ordering::SeqCst);
            shared.open.fetch_add(1, Ordering::SeqCst);
            let service = service_fn(|request| answer(Arc::clone(&shared), request));
            let server = auto::Builder::new(TokioExecutor::new());
            // A connection that breaks is the client's to notice.
            let _ = match tls {
                Some(tls) => match tls.accept(stream).await {
                    Ok(stream) => server.serve_connection(TokioIo::new(stream), service).await,
                    Err(_) => Ok(()),
                },
                None => server.serve_connection(TokioIo::new(stream), service).await,
            };
            shared.open.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

async fn answer(
    shared: Arc<Shared>,
    request: Request<Incoming>,
) -> Result<Response<Body>, io::Error> {
    let (head, body) = request.into_parts();
    let raw = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let query: Vec<(String, String)> =
        form_urlencoded::parse(head.uri.query().unwrap_or_default().as_bytes())
            .into_owned()
            .collect();
    let path = head.uri.path().to_owned();
    let json: Json = serde_json::from_slice(&raw).unwrap_or(Json::Null);
    let op = operation(head.method.as_str(), &path);
    let local = path.strip_prefix(&discovery::prefix()).unwrap_or(&path);
    let body = (!raw.is_empty()).then_some(&json);
    let wrong = api_method(op)
        .map(|method| discovery::violations(method, head.method.as_str(), local, &query, body));
    let seen = Seen {
        op,
        path: path.clone(),
        query: query.into_iter().collect(),
        headers: head.headers,
        body: json,
        form: form_urlencoded::parse(&raw).into_owned().collect(),
    };
    let act = {
        let mut state = shared.state.lock().unwrap();
        state.violations.extend(wrong.unwrap_or_default());
        state.seen.push(seen.clone());
        let scripted = state.script.get_mut(&op).and_then(VecDeque::pop_front);
        scripted.or_else(|| state.chooser.as_mut().and_then(|choose| choose(op)))
    };
    if let Some(Act::After(time)) = act {
        tokio::time::sleep(time).await;
    }
    let prepared = shared.state.lock().unwrap().respond(act, &seen);
    match prepared {
        Prepared::Nothing => Err(io::Error::other("dropped")),
        Prepared::Half(text) => Ok(cut(&text)),
        Prepared::Whole {
            status,
            header,
            body,
            gzip,
        } => {
            let mut response = Response::builder().status(status);
            if let Some((name, value)) = header {
                response = response.header(name, value);
            }
            let body = if gzip {
                response = response.header("content-encoding", "gzip");
                packed(body.as_bytes()).await
            } else {
                Bytes::from(body)
            };
            let body = Full::new(body).map_err(|e: Infallible| match e {}).boxed();
            Ok(response.body(body).unwrap())
        }
    }
}

/// An answer before it is written.
enum Prepared {
    Nothing,
    Half(String),
    Whole {
        status: u16,
        header: Option<(&'static str, &'static str)>,
        body: String,
        gzip: bool,
    },
}

/// Returns an answer that promises all of a text and breaks off in the middle.
fn cut(text: &str) -> Response<Body> {
    let half = Bytes::copy_from_slice(&text.as_bytes()[..text.len() / 2]);
    let frames = [Ok(Frame::data(half)), Err(io::Error::other("cut"))];
    Response::builder()
        .header(CONTENT_LENGTH, text.len())
        .body(StreamBody::new(stream::iter(frames)).boxed())
        .unwrap()
}

async fn packed(body: &[u8]) -> Bytes {
    use async_compression::tokio::write::GzipEncoder;
    use tokio::io::AsyncWriteExt as _;

    let mut encoder = GzipEncoder::new(Vec::new());
    encoder.write_all(body).await.unwrap();
    encoder.shutdown().await.unwrap();
    encoder.into_inner().into()
}

fn operation(verb: &str, path: &str) -> Op {
    let last = path.rsplit('/').next().unwrap_or_default();
    match (verb, last) {
        (_, "token") => Op::Token,
        ("POST", "queries") => Op::Query,
        ("POST", "jobs") => Op::DryRun,
        ("POST", "cancel") => Op::Cancel,
        _ if path.contains("/queries/") => Op::Results,
        _ if path.contains("/tables/") => Op::Table,
        _ if path.contains("/jobs/") => Op::Get,
        _ => panic!("{verb} {path}"),
    }
}

fn api_method(op: Op) -> Option<&'static str> {
    match op {
        Op::Query => Some("bigquery.jobs.query"),
        Op::DryRun => Some("bigquery.jobs.insert"),
        Op::Results => Some("bigquery.jobs.getQueryResults"),
        Op::Cancel => Some("bigquery.jobs.cancel"),
        Op::Get => Some("bigquery.jobs.get"),
        Op::Table => Some("bigquery.tables.get"),
        Op::Token => None,
    }
}
