//! A BigQuery emulator with tables, and the real binary in a folder of its own that talks to it.
//!
//! The emulator installs itself on first use, as the judge does. Where it cannot run, the test says so on
//! stderr and passes, unless `REQUIRE_BIGQUERY_EMULATOR=1` is set.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Map, Value as Json, json};
use tempfile::TempDir;

use super::python;

/// Fields that the emulator's engine cannot have inside of a record: to it they are keywords.
const KEYWORDS: [&str; 2] = ["authorization", "limit"];

/// A running emulator; it ends with this value.
pub struct Emulator {
    process: Child,
    /// `host:port`.
    pub host: String,
}

impl Emulator {
    /// Starts an emulator with a table for each stream of `folder`, or says on stderr why there is none.
    ///
    /// # Panics
    /// There is none and `REQUIRE_BIGQUERY_EMULATOR=1` is set.
    pub fn start(folder: &Folder, edge: &[Json]) -> Option<Self> {
        match Self::try_start(folder, edge) {
            Ok(emulator) => Some(emulator),
            Err(why) => {
                let required = std::env::var("REQUIRE_BIGQUERY_EMULATOR").is_ok_and(|v| v == "1");
                assert!(!required, "the emulator cannot run: {why}");
                // Not `eprintln`, which is kept back from a test that passes.
                writeln!(
                    std::io::stderr(),
                    "\n*** THE BIGQUERY EMULATOR DID NOT RUN: nothing was tested with it. ***\n{why}\n"
                )
                .expect("stderr can be written");
                None
            }
        }
    }

    fn try_start(folder: &Folder, edge: &[Json]) -> Result<Self, String> {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bigquery/emulator");
        let requirements = sources.join("requirements.txt");
        let python = python::environment("bigquery-emulator", &requirements, |_| Ok(()))?;
        let schema = folder.path("schema.json");
        std::fs::write(&schema, folder.tables().to_string()).map_err(|e| e.to_string())?;
        let rows = folder.path("edge.ndjson");
        let lines: String = edge.iter().map(|row| format!("{row}\n")).collect();
        std::fs::write(&rows, lines).map_err(|e| e.to_string())?;
        let port = free_port();
        let mut process = Command::new(python)
            .arg("-B")
            .arg(sources.join("bq_emulator.py"))
            .args(["--port", &port.to_string(), "--project", "p"])
            .arg("--schema")
            .arg(schema)
            .arg("--rows")
            .arg(format!("d.edge={}", rows.display()))
            .arg("--log")
            .arg(folder.path("emulator.log"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let mut line = String::new();
        let stdout = process.stdout.take().ok_or("no pipe")?;
        let read = BufReader::new(stdout).read_line(&mut line);
        let emulator = Self {
            process,
            host: format!("127.0.0.1:{port}"),
        };
        read.map_err(|error| error.to_string())?;
        if line.is_empty() {
            return Err("it ended before it was ready".to_owned());
        }
        Ok(emulator)
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // It ends its own server when it is asked to, not when it is killed.
        let id = self.process.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &id]).status();
        let _ = self.process.wait();
    }
}

/// Returns a port that nobody listens on just now.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// A folder with the shipped endpoints and a configuration for BigQuery.
pub struct Folder(TempDir);

impl Folder {
    /// Makes the folder.
    pub fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("endpoints");
        let endpoints = folder.path().join("endpoints");
        std::fs::create_dir_all(endpoints.join("streams")).unwrap();
        let mut config =
            String::from("[warehouse]\nkind = 'bigquery'\nproject = 'p'\nprice_per_tib = 6.25\n");
        for path in files(&shipped) {
            std::fs::copy(&path, endpoints.join(path.file_name().unwrap())).unwrap();
        }
        for path in files(&shipped.join("streams")) {
            let fields: Json = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            let name = path.file_name().unwrap();
            let copy = endpoints.join("streams").join(name);
            std::fs::write(copy, possible(&fields).to_string()).unwrap();
            let stream = path.file_stem().unwrap().to_str().unwrap();
            config.push_str(&format!("[streams.{stream}]\ntable = 'p.d.{stream}'\n"));
        }
        std::fs::write(folder.path().join("logboom.toml"), config).unwrap();
        Self(folder)
    }

    /// Adds an endpoint.
    pub fn add(&self, name: &str, settings: &str, sql: &str) {
        let endpoints = self.path("endpoints");
        std::fs::write(endpoints.join(format!("{name}.toml")), settings).unwrap();
        std::fs::write(endpoints.join(format!("{name}.sql")), sql).unwrap();
    }

    /// Configures an address of the API and credentials for it. Serve with an empty emulator then.
    pub fn connect(&self, api: &str, credentials: &Json) {
        std::fs::write(self.path("credentials.json"), credentials.to_string()).unwrap();
        let config = std::fs::read_to_string(self.path("logboom.toml")).unwrap();
        let lines = format!("[warehouse]\napi = '{api}'\ncredentials = 'credentials.json'\n");
        let config = config.replace("[warehouse]\n", &lines);
        std::fs::write(self.path("logboom.toml"), config).unwrap();
    }

    /// Returns what the server logged so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.path("serve.log")).unwrap()
    }

    /// Returns a path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns the tables of the emulator: the streams, as `tables.insert` wants them.
    fn tables(&self) -> Json {
        let mut tables = Map::new();
        for path in files(&self.path("endpoints/streams")) {
            let fields: Json = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            let stream = path.file_stem().unwrap().to_str().unwrap();
            tables.insert(format!("d.{stream}"), plain(&fields));
        }
        json!({"tables": tables})
    }

    fn command(&self, host: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_logboom"));
        // The configuration of whoever runs the tests must not count.
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if name.starts_with("LOGBOOM_") {
                command.env_remove(name.as_ref());
            }
        }
        command
            .env("BIGQUERY_EMULATOR_HOST", host)
            .current_dir(self.0.path())
            .stdin(Stdio::null());
        command
    }

    /// Runs the binary: exit code, standard output, standard error.
    pub fn run(&self, host: &str, args: &[&str]) -> (Option<i32>, String, String) {
        let output = self.command(host).args(args).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    }

    /// Starts the server.
    pub fn serve(&self, host: &str) -> Server {
        let create = ["token", "create", "--name", "all", "--scope", "sandbox"];
        let (_, token, _) = self.run(host, &create);
        let mut process = self
            .command(host)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(File::create(self.path("serve.log")).unwrap())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = process.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let address = line.trim().rsplit('/').next().unwrap().to_owned();
        Server {
            process,
            address,
            token: token.trim().to_owned(),
        }
    }
}

/// Returns the files of a folder, in the order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    paths
}

/// Returns the fields that the emulator can have.
fn possible(fields: &Json) -> Json {
    let fields = fields.as_array().unwrap().iter();
    fields
        .filter(|field| !KEYWORDS.contains(&field["name"].as_str().unwrap()))
        .map(|field| {
            let mut field = field.clone();
            if let Some(inner) = field.get("fields").map(possible) {
                field["fields"] = inner;
            }
            field
        })
        .collect()
}

/// Returns fields without what only we know.
fn plain(fields: &Json) -> Json {
    let fields = fields.as_array().unwrap().iter();
    fields
        .map(|field| {
            let mut field = field.clone();
            field.as_object_mut().unwrap().remove("singleton");
            if let Some(inner) = field.get("fields").map(plain) {
                field["fields"] = inner;
            }
            field
        })
        .collect()
}

/// A running server; it ends with this value.
pub struct Server {
    process: Child,
    /// `host:port`.
    pub address: String,
    token: String,
}

impl Server {
    /// Calls a path with parameters, and returns the status, the head and the body; one that is not JSON
    /// as a text.
    pub fn get(&self, path: &str, parameters: &[(&str, &str)]) -> (u16, String, Json) {
        self.get_with(path, parameters, "")
    }

    /// The same with more lines of headers.
    pub fn get_with(
        &self,
        path: &str,
        parameters: &[(&str, &str)],
        headers: &str,
    ) -> (u16, String, Json) {
        let mut stream = self.send(path, parameters, headers);
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let body = serde_json::from_str(body).unwrap_or_else(|_| Json::from(body));
        (status, head.to_owned(), body)
    }

    /// Sends a request and does not wait for the answer.
    pub fn send(&self, path: &str, parameters: &[(&str, &str)], headers: &str) -> TcpStream {
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(parameters)
            .finish();
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "GET {path}?{query} HTTP/1.1\r\nHost: x\r\nX-API-KEY: {}\r\n{headers}Connection: close\r\n\r\n",
            self.token
        )
        .unwrap();
        stream
    }

    /// Returns the rows of a call of an endpoint.
    #[track_caller]
    pub fn rows(&self, endpoint: &str, parameters: &[(&str, &str)]) -> Json {
        let path = format!("/api/endpoints/query/{endpoint}");
        let (status, _, body) = self.get(&path, parameters);
        assert_eq!(status, 200, "{parameters:?}: {body}");
        body["result"].clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
