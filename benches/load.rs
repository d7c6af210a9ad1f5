//! Load on the server, in one process with its callers.
//!
//! `cargo bench --no-default-features --bench load` serves cached results to 256 connections and compares
//! with a bare hyper server that answers the same bytes, head and body, turn by turn in the same run: by
//! answers a second, and by processor time an answer, which counts also where the machine has other work and
//! where the callers cannot keep a server busy. Each server has one thread, as have all callers together; they
//! send bytes and compare what they get with the bytes they expect. Then it lets callers who never read hold on
//! to a large cached result and prints what that costs in memory.
//!
//! The server logs as it does unless told otherwise, a line of text for each request, to `/dev/null`; the processor
//! time of the thread that attends to the lines is a part of the server's. `-- --no-log` leaves that out, to see its
//! price.
//! `-- --turns N` sets the number of turns of each server, and `-- --readers N` that of slow readers, each of which takes
//! two file descriptors.

#![expect(clippy::print_stdout, reason = "the figures are what it is for")]

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::fs::File;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use async_trait::async_trait;
use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CONTENT_LENGTH, DATE, HeaderMap, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use logboom::compiler::{Compiled, Limits, Target};
use logboom::config::Config;
use logboom::endpoint::Endpoints;
use logboom::server::auth::{NewToken, SharedTokens, TokenStore};
use logboom::server::{AccessLog, App, Clock, Form, Listeners, LogWriter, State, serve};
use logboom::warehouse::{Rows, Terms, Warehouse, WarehouseError};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tracing_subscriber::EnvFilter;

const CONNECTIONS: usize = 256;
/// How often each server has its turn, unless told otherwise.
const TURNS: usize = 61;
/// Short, as the machine may be faster or slower in the next.
const TURN: Duration = Duration::from_millis(250);
/// Slow readers, unless told otherwise.
const READERS: usize = 5_000;
/// Rows of the small result: some 10 KB.
const SMALL_ROWS: usize = 60;
/// Rows of the large result: some 1.7 MB.
const LARGE_ROWS: usize = 10_000;

/// Answers every query with rows of usage counts.
struct Counts;

#[async_trait]
impl Warehouse for Counts {
    fn target(&self) -> &Target {
        &Target::Embedded
    }

    async fn ready(&self) -> Result<(), WarehouseError> {
        Ok(())
    }

    async fn run(&self, query: &Compiled, _: Terms) -> Result<Rows, WarehouseError> {
        let is_large = query
            .parameters
            .iter()
            .any(|p| format!("{:?}", p.value).contains("large"));
        let count = if is_large { LARGE_ROWS } else { SMALL_ROWS };
        let row = |number: usize| {
            let mut row = vec![json!(format!("2026-03-15T11:{:02}:00", number % 60))];
            row.resize(query.columns.len(), json!(number));
            row
        };
        Ok(Rows {
            columns: query.columns.clone(),
            rows: (0..count).map(row).collect(),
            truncated: false,
            bytes_billed: None,
        })
    }
}

fn main() -> anyhow::Result<()> {
    let flags: Vec<String> = std::env::args().skip(1).collect();
    let number = |flag: &str, default: usize| {
        let at = flags.iter().position(|other| other == flag);
        let given = at.and_then(|at| flags.get(at + 1)?.parse().ok());
        given.unwrap_or(default)
    };
    let (turns, readers) = (number("--turns", TURNS), number("--readers", READERS));
    let log = (!flags.iter().any(|flag| flag == "--no-log"))
        .then(log)
        .transpose()?;
    let attendant = log.as_ref().map(|log| log.writer.attend()).transpose()?;
    let folder = tempfile::tempdir()?;
    let tokens = folder.path().join("tokens.toml");
    let token = TokenStore::open(&tokens)?.create(NewToken {
        name: "load".into(),
        created: jiff::Timestamp::now(),
        expires: None,
        endpoints: Vec::new(),
        pins: BTreeMap::new(),
        scopes: BTreeSet::new(),
    })?;
    // One thread each for the server that is measured and for its callers.
    let (ours, bare, callers) = (runtime()?, runtime()?, runtime()?);
    let address = ours.block_on(start(SharedTokens::open(&tokens)?, log))?;
    let request = |project: &str| {
        format!(
            "GET /api/endpoints/query/usage.api-counts?interval=minutely&project={project} HTTP/1.1\r\n\
             Host: {address}\r\nX-API-KEY: {token}\r\nAccept: */*\r\n\r\n"
        )
    };
    let small = request("small");
    // A runtime of one thread goes on only while it is driven.
    let stop = Arc::new(AtomicBool::new(false));
    let ours = drive(OURS[0], ours, &stop)?;
    // The first answer is made, the second is a hit.
    callers.block_on(once(address, &small))?;
    let hit = callers.block_on(once(address, &small))?;
    let bare_address = bare.block_on(start_bare(hit.clone()))?;
    let Answer { headers, body } = hit;
    let servers = [ours, drive(BARE[0], bare, &stop)?];

    println!(
        "{} bytes a result, {} headers, {CONNECTIONS} connections, turns of {TURN:?}",
        body.len(),
        headers.len()
    );
    let (mut rates, mut times) = (Vec::new(), Vec::new());
    // They stay open, so that no turn begins with what a new connection costs.
    let mut bare_callers = callers.block_on(connect(bare_address))?;
    let mut our_callers = callers.block_on(connect(address))?;
    for _ in 0..turns {
        let bare = callers.block_on(load(&mut bare_callers, &small, &body, &BARE))?;
        let ours = callers.block_on(load(&mut our_callers, &small, &body, &OURS))?;
        let (rate, time) = (ours.rate / bare.rate, bare.micros / ours.micros);
        println!(
            "bare hyper {:>8.0}/s {:>5.1} us   logboom {:>8.0}/s {:>5.1} us   ratio {rate:.3} (by time {time:.3})",
            bare.rate, bare.micros, ours.rate, ours.micros,
        );
        rates.push(rate);
        times.push(time);
    }
    println!(
        "median ratio {:.3} (by time {:.3})",
        median(rates)?,
        median(times)?
    );

    drop((bare_callers, our_callers));

    if readers == 0 {
        return Ok(());
    }
    let large = request("large");
    let length = callers.block_on(once(address, &large))?.body.len();
    let before = resident()?;
    let held = callers.block_on(hold(address, &large, readers))?;
    let after = resident()?;
    println!(
        "{} callers hold a result of {length} bytes unread: {:.1} MB more, {:.1} KB each",
        held.len(),
        (after.saturating_sub(before)) as f64 / 1e6,
        (after.saturating_sub(before)) as f64 / 1e3 / held.len() as f64,
    );
    let alive = callers.block_on(once(address, &small))?;
    ensure!(alive.body == body, "the others are served meanwhile");
    stop.store(true, Ordering::Relaxed);
    drop(held);
    for server in servers {
        if server.join().is_err() {
            bail!("a server panicked");
        }
    }
    drop(attendant);
    Ok(())
}

fn median(mut values: Vec<f64>) -> anyhow::Result<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().context("no turn")
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// Names of threads: those that work for each of the two servers.
const OURS: [&str; 2] = ["logboom", "log"];
const BARE: [&str; 1] = ["bare"];

/// Drives a server on a thread of its own.
fn drive(
    name: &str,
    runtime: Runtime,
    stop: &Arc<AtomicBool>,
) -> io::Result<thread::JoinHandle<()>> {
    let stop = Arc::clone(stop);
    thread::Builder::new().name(name.into()).spawn(move || {
        runtime.block_on(async {
            while !stop.load(Ordering::Relaxed) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        });
    })
}

/// Returns the processor time so far of the threads of these names, in nanoseconds. What a thread that runs did since
/// it began to run is not in it.
fn spent(names: &[&str]) -> anyhow::Result<u64> {
    let mut nanos = 0;
    for task in std::fs::read_dir("/proc/self/task").context("this needs Linux")? {
        let task = task?.path();
        let name = std::fs::read_to_string(task.join("comm"))?;
        if names.contains(&name.trim_end()) {
            let stat = std::fs::read_to_string(task.join("schedstat"))?;
            let first = stat.split(' ').next().context("schedstat is empty")?;
            nanos += first.parse::<u64>()?;
        }
    }
    Ok(nanos)
}

/// Starts the log, as `logboom serve` does.
fn log() -> anyhow::Result<AccessLog> {
    let writer = LogWriter::new(File::options().write(true).open("/dev/null")?);
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new("info"))
        .with_ansi(false)
        .with_writer(writer.clone())
        .init();
    let form = Form::Text { colours: false };
    Ok(AccessLog { writer, form })
}

async fn start(tokens: SharedTokens, log: Option<AccessLog>) -> anyhow::Result<SocketAddr> {
    let endpoints = Endpoints::built_in(&Limits::default());
    let state = State::new(Config::default(), endpoints, Arc::new(Counts));
    let app = Arc::new(App::new(state, tokens, Clock::System)?.with_access_log(log));
    let public = TcpListener::bind("127.0.0.1:0").await?;
    let address = public.local_addr()?;
    let listeners = Listeners {
        public,
        admin: None,
    };
    tokio::spawn(serve(listeners, app, std::future::pending()));
    Ok(address)
}

/// Serves an answer by hyper alone, which adds date and length itself.
async fn start_bare(answer: Answer) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder.http1().timer(TokioTimer::new());
        let builder = Arc::new(builder);
        while let Ok((stream, _)) = listener.accept().await {
            let (builder, answer) = (Arc::clone(&builder), answer.clone());
            if stream.set_nodelay(true).is_err() {
                continue;
            }
            tokio::spawn(async move {
                let service = service_fn(move |_: Request<hyper::body::Incoming>| {
                    let mut response = Response::new(Full::new(answer.body.clone()));
                    *response.headers_mut() = answer.headers.clone();
                    async move { Ok::<_, Infallible>(response) }
                });
                // A caller who leaves is no news.
                let _ = builder
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
            });
        }
    });
    Ok(address)
}

/// What a turn came to.
struct Turn {
    /// Answers a second.
    rate: f64,
    /// Processor time of the server for one answer, in microseconds.
    micros: f64,
}

async fn connect(address: SocketAddr) -> io::Result<Vec<Caller>> {
    let mut callers = Vec::with_capacity(CONNECTIONS);
    for _ in 0..CONNECTIONS {
        callers.push(Caller::connect(address).await?);
    }
    Ok(callers)
}

/// Asks on all connections for a turn.
async fn load(
    callers: &mut Vec<Caller>,
    request: &str,
    body: &Bytes,
    server: &[&str],
) -> anyhow::Result<Turn> {
    let before = spent(server)?;
    let answers = Arc::new(AtomicU64::new(0));
    let end = Instant::now() + TURN;
    let mut tasks = tokio::task::JoinSet::new();
    for mut caller in callers.drain(..) {
        let (answers, request, body) = (Arc::clone(&answers), request.to_owned(), body.clone());
        tasks.spawn(async move {
            while Instant::now() < end {
                caller.ask_for(&request, &body).await?;
                answers.fetch_add(1, Ordering::Relaxed);
            }
            anyhow::Ok(caller)
        });
    }
    let begun = Instant::now();
    while let Some(outcome) = tasks.join_next().await {
        callers.push(outcome??);
    }
    let answers = answers.load(Ordering::Relaxed) as f64;
    let rate = answers / begun.elapsed().as_secs_f64();
    // Until the server has nothing left to do, not even to log.
    tokio::time::sleep(Duration::from_millis(120)).await;
    let micros = (spent(server)? - before) as f64 / 1e3 / answers;
    Ok(Turn { rate, micros })
}

/// An answer of status 200.
#[derive(Clone)]
struct Answer {
    /// All but those that hyper adds.
    headers: HeaderMap,
    body: Bytes,
}

async fn once(address: SocketAddr, request: &str) -> anyhow::Result<Answer> {
    let mut caller = Caller::connect(address).await?;
    caller.stream.write_all(request.as_bytes()).await?;
    let mut filled = 0;
    loop {
        filled += caller.read_after(filled).await?;
        let received = caller.buffer.get(..filled).context("room")?;
        if let Some(answer) = answer(received)? {
            return Ok(answer);
        }
    }
}

/// Asks on many connections and reads no more than the first bytes of each answer.
async fn hold(
    address: SocketAddr,
    request: &str,
    readers: usize,
) -> anyhow::Result<Vec<TcpStream>> {
    let mut held = Vec::with_capacity(readers);
    for _ in 0..readers {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(request.as_bytes()).await?;
        let mut start = [0; 12];
        stream.read_exact(&mut start).await?;
        ensure!(
            &start == b"HTTP/1.1 200",
            "{}",
            String::from_utf8_lossy(&start)
        );
        held.push(stream);
    }
    Ok(held)
}

/// A connection that does as little as it can with an answer.
struct Caller {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Caller {
    async fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: vec![0; 64 * 1024],
        })
    }

    /// Waits for an answer that ends with this body.
    async fn ask_for(&mut self, request: &str, body: &[u8]) -> anyhow::Result<()> {
        self.stream.write_all(request.as_bytes()).await?;
        let mut filled = 0;
        loop {
            filled += self.read_after(filled).await?;
            let received = self.buffer.get(..filled).context("room")?;
            let head = received.strip_suffix(body);
            if head.is_some_and(|head| head.ends_with(b"\r\n\r\n")) {
                ensure!(received.starts_with(b"HTTP/1.1 200"), "no success");
                return Ok(());
            }
        }
    }

    /// Reads more behind the first bytes of the buffer; returns how much.
    async fn read_after(&mut self, filled: usize) -> anyhow::Result<usize> {
        if filled == self.buffer.len() {
            self.buffer.resize(filled * 2, 0);
        }
        let rest = self.buffer.get_mut(filled..).context("room")?;
        let read = self.stream.read(rest).await?;
        ensure!(read > 0, "the server closed the connection");
        Ok(read)
    }
}

/// Reads an answer, once all of it is there.
fn answer(received: &[u8]) -> anyhow::Result<Option<Answer>> {
    ensure!(
        received.len() < 12 || received.starts_with(b"HTTP/1.1 200"),
        "no success"
    );
    let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = std::str::from_utf8(received.get(..end).context("a head")?)?;
    let mut headers = HeaderMap::new();
    for (name, value) in head.lines().filter_map(|line| line.split_once(':')) {
        let name: HeaderName = name.parse()?;
        headers.append(name, HeaderValue::from_str(value.trim())?);
    }
    headers.remove(DATE);
    let length = headers.remove(CONTENT_LENGTH).context("no length")?;
    let length: usize = length.to_str()?.parse()?;
    let body = received.get(end + 4..end + 4 + length);
    Ok(body.map(|body| Answer {
        headers,
        body: Bytes::copy_from_slice(body),
    }))
}

/// Returns the bytes of memory that the process occupies.
fn resident() -> anyhow::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status").context("this needs Linux")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line
        .and_then(|line| line.split_whitespace().next())
        .context("no VmRSS")?;
    Ok(kilobytes.parse::<u64>()? * 1024)
}
