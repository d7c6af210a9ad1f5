//! The real binary over logs of its own in a folder of its own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use crate::client::Call;

/// The instant at which the server's clock stands.
pub const NOW: &str = "2026-03-15T12:00:00Z";
/// Rows of the project `alpha` besides [`EDGE`], all older than a week.
pub const BULK: usize = 1500;

/// Rows of the edge stream: id, project, timestamp, path, status code.
const EDGE: &[(&str, &str, &str, &str, i64)] = &[
    ("a1", "alpha", "2026-03-15T11:00:00Z", "/rest/v1/items", 200),
    ("a2", "alpha", "2026-03-15T11:10:00Z", "/auth/v1/token", 401),
    (
        "a3",
        "alpha",
        "2026-03-15T11:20:00Z",
        "/storage/v1/object",
        200,
    ),
    ("a4", "alpha", "2026-03-15T11:30:00Z", "/rest/v1/items", 500),
    (
        "a5",
        "alpha",
        "2026-03-15T11:59:59.500Z",
        "/realtime/v1/socket",
        101,
    ),
    ("b1", "beta", "2026-03-15T11:05:00Z", "/rest/v1/secret", 200),
    ("b2", "beta", "2026-03-15T11:50:00Z", "/rest/v1/secret", 200),
];

/// A running server; it ends with this value.
pub struct Server {
    child: Child,
    address: SocketAddr,
    /// A token without restrictions.
    pub token: String,
    /// The tokens that the test asked for.
    pub tokens: Vec<String>,
    log: Receiver<String>,
    folder: TempDir,
}

impl Server {
    /// Imports the logs, creates a token and starts the server.
    pub fn start() -> Self {
        Self::with_tokens(&[])
    }

    /// The same with more tokens, each given by the flags of `token create`.
    pub fn with_tokens(flags: &[&[&str]]) -> Self {
        Self::in_folder(TempDir::new().expect("a folder"), flags)
    }

    /// The same with one endpoint of its own in place of those that ship.
    pub fn with_endpoint(flags: &[&[&str]], name: &str, settings: &str, sql: &str) -> Self {
        let folder = TempDir::new().expect("a folder");
        let endpoints = folder.path().join("endpoints");
        std::fs::create_dir_all(endpoints.join("streams")).expect("a folder");
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("endpoints/streams/edge.json");
        std::fs::copy(shipped, endpoints.join("streams/edge.json")).expect("copies");
        std::fs::write(endpoints.join(format!("{name}.toml")), settings).expect("writes");
        std::fs::write(endpoints.join(format!("{name}.sql")), sql).expect("writes");
        Self::in_folder(folder, flags)
    }

    fn in_folder(folder: TempDir, flags: &[&[&str]]) -> Self {
        let logs = folder.path().join("edge.ndjson");
        std::fs::write(&logs, edge_rows()).expect("writes the logs");
        run(
            folder.path(),
            &["import", "edge", "edge.ndjson", "--data", "data"],
        );
        let token = create_token(folder.path(), &["--name", "all", "--scope", "sandbox"]);
        let tokens = flags
            .iter()
            .map(|flags| create_token(folder.path(), flags))
            .collect();
        let (child, address, log) = serve(folder.path());
        Self {
            child,
            address,
            token,
            tokens,
            log,
            folder,
        }
    }

    /// Returns a GET without a token.
    pub fn anonymous(&self, path: &str) -> Call<'static> {
        Call::new(self.address, "GET", path)
    }

    /// Returns a request with the token.
    pub fn call(&self, method: &'static str, path: &str) -> Call<'static> {
        Call::new(self.address, method, path).header("X-API-KEY", &self.token)
    }

    /// Returns a call of `logs.all` for the project `alpha`.
    pub fn logs(&self) -> Call<'static> {
        self.call("GET", "/api/endpoints/query/logs.all")
            .param("project", "alpha")
    }

    /// Returns a call of `logs.all` for the project `alpha` with a query of the caller.
    pub fn sql(&self, sql: &str) -> Call<'static> {
        self.logs().param("sql", sql)
    }

    /// Returns what `logboom healthcheck` prints.
    pub fn healthcheck(&self) -> String {
        let address = self.address.to_string();
        run(self.folder.path(), &["healthcheck", "--listen", &address])
    }

    /// Waits for a log line that holds this text.
    #[track_caller]
    pub fn wait_for_log(&self, part: &str) {
        self.log_until(part);
    }

    /// Returns the log lines up to the first that holds this text.
    #[track_caller]
    pub fn log_until(&self, part: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.log.recv_timeout(Duration::from_secs(60));
            lines.push(line.expect("a line in time"));
            if lines.last().is_some_and(|line| line.contains(part)) {
                return lines;
            }
        }
    }

    /// Asks the server to end, and returns its exit code.
    #[cfg(unix)]
    pub fn terminate(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        let status = Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .expect("sends the signal");
        assert!(status.success());
        self.child.wait().expect("ends").code()
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

fn run(folder: &Path, args: &[&str]) -> String {
    let output = binary(folder).args(args).output().expect("runs");
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}

fn create_token(folder: &Path, flags: &[&str]) -> String {
    let mut args = vec!["token", "create", "--tokens", "tokens.toml"];
    args.extend(flags);
    run(folder, &args).trim().to_owned()
}

fn serve(folder: &Path) -> (Child, SocketAddr, Receiver<String>) {
    let mut child = binary(folder)
        .args(["serve", "--listen", "127.0.0.1:0", "--data", "data"])
        .args(["--tokens", "tokens.toml", "--now", NOW])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let stdout = child.stdout.take().expect("a pipe");
    let mut line = String::new();
    BufReader::new(stdout)
        .read_line(&mut line)
        .expect("a first line");
    let address = line
        .trim()
        .strip_prefix("listening on http://")
        .unwrap_or_else(|| panic!("no address: {line:?}"))
        .parse()
        .expect("an address");
    // The pipe is emptied whether or not the test looks, so that the server never waits for it.
    let (sender, log) = mpsc::channel();
    let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    thread::spawn(move || {
        for line in stderr.lines().map_while(Result::ok) {
            // The test may have ended.
            let _ = sender.send(line);
        }
    });
    (child, address, log)
}

fn edge_rows() -> String {
    let mut lines = String::new();
    let mut push = |id: &str, project: &str, time: &str, path: &str, status: i64| {
        let row = json!({
            "id": id,
            "timestamp": time,
            "event_message": format!("{status} {path}"),
            "project": project,
            "metadata": [{
                "request": [{
                    "method": "GET",
                    "path": path,
                    "url": format!("https://{project}.example.test{path}"),
                    "headers": [{"cf_connecting_ip": "192.0.2.7"}],
                }],
                "response": [{"status_code": status}],
            }],
        });
        lines.push_str(&row.to_string());
        lines.push('\n');
    };
    for (id, project, time, path, status) in EDGE {
        push(id, project, time, path, *status);
    }
    for n in 0..BULK {
        let time = format!(
            "2026-03-01T{:02}:{:02}:{:02}Z",
            n / 3600,
            n / 60 % 60,
            n % 60
        );
        push(&format!("bulk-{n}"), "alpha", &time, "/rest/v1/bulk", 200);
    }
    lines
}
