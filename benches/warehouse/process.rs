//! The other processes of the bench, and what the system says of their memory and reads.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::work::{NOW, Work};

/// The version of DuckDB that is compared with, and what it needs to give timestamps.
const PACKAGES: [&str; 2] = ["duckdb==2.0.0", "pytz==2025.2"];

/// A process that ends with this value.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a run took.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Milliseconds.
    pub ms: f64,
    /// Rows of the result; 0 over HTTP, where nobody counts them.
    pub rows: usize,
    /// Peak memory of the process, bytes.
    pub memory: u64,
    /// Bytes that it read from files and sockets.
    pub read: u64,
}

/// Memory and reads of a process over some time; zero where the system does not tell.
struct Meter {
    folder: PathBuf,
    read: u64,
}

impl Meter {
    fn start(process: u32) -> Self {
        let folder = PathBuf::from(format!("/proc/{process}"));
        // Begins the peak anew.
        let _ = std::fs::write(folder.join("clear_refs"), "5");
        let read = number(&folder.join("io"), "rchar:");
        Self { folder, read }
    }

    fn stop(&self, ms: f64, rows: usize) -> Run {
        Run {
            ms,
            rows,
            memory: number(&self.folder.join("status"), "VmHWM:") * 1024,
            read: number(&self.folder.join("io"), "rchar:") - self.read,
        }
    }
}

fn number(file: &Path, name: &str) -> u64 {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let digits = line.and_then(|line| line.split_whitespace().next());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// DuckDB in a process of its own.
pub struct Duckdb {
    process: Running,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Duckdb {
    /// Starts it, after installing it into `cache` if nobody has.
    pub fn start(cache: &Path, threads: usize) -> Result<Self> {
        let environment = cache.join(PACKAGES.join("-").replace("==", "-"));
        let python = environment.join("bin/python");
        if !python.exists() {
            run(Command::new("python3")
                .args(["-m", "venv"])
                .arg(&environment))?;
            let install = ["-m", "pip", "install", "--quiet"];
            run(Command::new(&python).args(install).args(PACKAGES))?;
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/warehouse/run_duckdb.py");
        let mut child = Command::new(&python)
            .arg(script)
            .arg(threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("starting DuckDB")?;
        let input = child.stdin.take().context("a pipe")?;
        let output = BufReader::new(child.stdout.take().context("a pipe")?);
        Ok(Self {
            process: Running(child),
            input,
            output,
        })
    }

    /// Runs SQL.
    pub fn run(&mut self, sql: &str) -> Result<Run> {
        let meter = Meter::start(self.process.0.id());
        writeln!(self.input, "{}", Value::from(sql))?;
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            bail!("DuckDB ended on: {sql}");
        }
        let (ms, rows) = serde_json::from_str(&line)?;
        Ok(meter.stop(ms, rows))
    }
}

/// The server in a process of its own.
pub struct Server {
    process: Running,
    address: String,
    token: String,
}

impl Server {
    /// Starts the server over a folder that holds `data`.
    pub fn start(folder: &Path, threads: usize) -> Result<Self> {
        let binary = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_logboom"));
            command.current_dir(folder);
            command
        };
        let tokens = folder.join("tokens.toml");
        if tokens.exists() {
            std::fs::remove_file(&tokens)?;
        }
        std::fs::write(
            folder.join("logboom.toml"),
            format!("[warehouse]\nthreads = {threads}\n[server]\nrequest_timeout_seconds = 300\n"),
        )?;
        let token =
            run(binary().args(["token", "create", "--name", "bench", "--scope", "sandbox"]))?;
        let mut child = binary()
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
            .context("starting the server")?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("a pipe")?).read_line(&mut line)?;
        let address = line
            .trim()
            .strip_prefix("listening on http://")
            .with_context(|| format!("no address: {line}"))?
            .to_owned();
        Ok(Self {
            process: Running(child),
            address,
            token: token.trim().to_owned(),
        })
    }

    /// Calls an endpoint.
    pub fn run(&self, work: &Work) -> Result<Run> {
        let query: String = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(&work.arguments)
            .finish();
        let meter = Meter::start(self.process.0.id());
        let start = Instant::now();
        let mut stream = TcpStream::connect(&self.address)?;
        write!(
            stream,
            "GET /api/endpoints/query/{}?{query} HTTP/1.1\r\nHost: {}\r\nX-API-KEY: {}\r\n\
             Cache-Control: no-cache\r\nConnection: close\r\n\r\n",
            work.endpoint, self.address, self.token
        )?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        let ms = start.elapsed().as_secs_f64() * 1000.0;
        if !answer.starts_with(b"HTTP/1.1 200") {
            bail!("{}: {}", work.name, String::from_utf8_lossy(&answer));
        }
        Ok(meter.stop(ms, 0))
    }
}

fn run(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        bail!("{command:?}: {}", output.status);
    }
    Ok(String::from_utf8(output.stdout)?)
}
