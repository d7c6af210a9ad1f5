//! Queries that would break an engine that trusts its callers, one after the other against one server:
//! it stays alive, within one and a half times its memory limit, and is done with each at its deadline.
#![cfg(feature = "embedded")]

#[path = "../http/client.rs"]
#[expect(
    dead_code,
    clippy::indexing_slicing,
    reason = "not all of the client is needed here, and a missing part fails the test"
)]
mod client;

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use client::{Answer, Call};
use logboom::cli::demo::generate_stream;
use logboom::compiler::Limits;
use logboom::endpoint::Endpoints;
use logboom::warehouse::embedded::Store;

const NOW: &str = "2026-03-15T12:00:00Z";
const ROWS: u64 = 100_000;
const MEMORY: u64 = 256 << 20;
const DEADLINE: Duration = Duration::from_secs(1);
/// What may pass between the deadline and the answer, on a machine that does other things, too.
const GRACE: Duration = Duration::from_secs(2);

/// A process that does nothing for this long is done.
const REST: Duration = Duration::from_millis(100);
/// How long a query may be at work after its answer: with its current batch, or giving back what it held.
const LAST_BATCH: Duration = Duration::from_secs(1);
/// What the process may come to above its start: what queries hold stays below the limit, and the allocator keeps a part
/// of what was freed before.
const MOST: u64 = MEMORY + MEMORY / 2;

/// Queries by name.
fn queries() -> Vec<(&'static str, String)> {
    let mut queries: Vec<(&str, String)> = Vec::new();
    for line in include_str!("queries.sql").lines() {
        if let Some(name) = line.strip_prefix("-- # ") {
            queries.push((name, String::new()));
        } else if let Some((_, text)) = queries.last_mut() {
            text.push_str(line);
        }
    }
    queries
}

#[test]
fn no_query_breaks_the_server() {
    let server = Server::start();
    assert_eq!(
        server.sql("select count(*) as n from edge_logs").status,
        200
    );
    let baseline = server.memory("VmRSS:");
    let mut broken = Vec::new();
    for (name, sql) in queries() {
        server.begin_peak();
        let start = Instant::now();
        let answer = server.sql(&sql);
        let elapsed = start.elapsed();
        let peak = server.memory("VmHWM:").saturating_sub(baseline);
        let expected: &[u16] = match name.split_once(' ') {
            Some(("no", _)) => &[400],
            _ => &[200, 400, 413, 429, 503, 504],
        };
        let ended = server.ended();
        let kept = server.memory("VmRSS:").saturating_sub(baseline);
        let fine = expected.contains(&answer.status)
            && elapsed < DEADLINE + GRACE
            && ended < LAST_BATCH
            && peak < MOST
            && server.next();
        let line = format!(
            "{} {:5} ms and {:4} ms {:4} MB then {:4} MB  {name} {}",
            answer.status,
            elapsed.as_millis(),
            ended.as_millis(),
            peak >> 20,
            kept >> 20,
            if answer.status == 400 {
                String::from_utf8_lossy(&answer.body)
            } else {
                "".into()
            },
        );
        eprintln!("{}{line}", if fine { "" } else { "BROKEN " });
        if !fine {
            broken.push(line);
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// A running server; it ends with this value.
struct Server {
    child: Child,
    address: SocketAddr,
    token: String,
    _folder: tempfile::TempDir,
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let endpoints = Endpoints::built_in(&Limits::default());
        let now = NOW.parse().expect("an instant");
        let store = Store::new(folder.path().join("data"));
        generate_stream(&store, endpoints.catalog(), now, "edge", ROWS, &|_| ())
            .expect("sample logs");
        let config = format!(
            "[server]\nrequest_timeout_seconds = {}\n[warehouse]\nmemory_limit_bytes = {MEMORY}\nthreads = 2\n",
            DEADLINE.as_secs()
        );
        std::fs::write(folder.path().join("logboom.toml"), config).expect("writes");
        let create = ["token", "create", "--name", "all", "--scope", "sandbox"];
        let token = binary(folder.path()).args(create).output().expect("runs");
        let mut child = binary(folder.path())
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--data",
                "data",
                "--now",
                NOW,
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening on http://");
        Self {
            child,
            address: address.expect("an address").parse().expect("an address"),
            token: String::from_utf8(token.stdout)
                .expect("text")
                .trim()
                .to_owned(),
            _folder: folder,
        }
    }

    fn sql(&self, sql: &str) -> Answer {
        let body = serde_json::json!({"project": "demo", "sql": sql}).to_string();
        Call::new(self.address, "POST", "/api/endpoints/query/logs.all")
            .header("X-API-KEY", &self.token)
            .json(&body)
            .answer()
    }

    /// Returns whether a plain query is answered, at last: what was cut off may be at work on a last batch.
    fn next(&self) -> bool {
        (0..20).any(|_| self.sql("select id from edge_logs limit 1").status == 200)
    }

    /// Waits until the process rests, and returns how long it went on.
    fn ended(&self) -> Duration {
        let start = Instant::now();
        let mut busy = self.ticks();
        let mut ended = start.elapsed();
        while start.elapsed() < 2 * LAST_BATCH && ended + REST > start.elapsed() {
            std::thread::sleep(REST / 5);
            let now = self.ticks();
            if now > busy {
                (busy, ended) = (now, start.elapsed());
            }
        }
        ended
    }

    /// Returns the time that the process was at work, in the system's units; 0 where the system does not tell.
    fn ticks(&self) -> u64 {
        let file = format!("/proc/{}/stat", self.child.id());
        let text = std::fs::read_to_string(file).unwrap_or_default();
        // Of the process itself, not of its children: the 14th and 15th field, of which the second is in
        // parentheses and may have spaces.
        let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields);
        let times = fields.split_whitespace().skip(11).take(2);
        times.filter_map(|time| time.parse::<u64>().ok()).sum()
    }

    /// Returns a size of the process in bytes; 0 where the system does not tell.
    fn memory(&self, name: &str) -> u64 {
        let file = format!("/proc/{}/status", self.child.id());
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kilobytes.unwrap_or(0) * 1024
    }

    /// Begins the peak of the memory anew.
    fn begin_peak(&self) {
        // Where this cannot be written there is no peak to read either.
        let _ = std::fs::write(format!("/proc/{}/clear_refs", self.child.id()), "5");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn binary(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_logboom"));
    // The configuration of whoever runs the tests must not count.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("LOGBOOM_") {
            command.env_remove(name);
        }
    }
    command.current_dir(folder).stdin(Stdio::null());
    command
}
