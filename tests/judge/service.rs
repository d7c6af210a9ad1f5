//! The judge's process: one JSON line for a request, one for its reply.

use std::fmt::Display;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Map, Value as Json, json};

use super::install;

/// A running judge. It ends with its standard input, that is when this is dropped.
pub struct Judge {
    process: Child,
    requests: Option<ChildStdin>,
    replies: BufReader<ChildStdout>,
}

impl Judge {
    /// Starts a judge, or says on stderr why there is none.
    ///
    /// # Panics
    /// There is none and `REQUIRE_GOOGLESQL_JUDGE=1` is set.
    pub fn start() -> Option<Self> {
        match Self::try_start() {
            Ok(judge) => Some(judge),
            Err(why) => {
                let required = std::env::var("REQUIRE_GOOGLESQL_JUDGE").is_ok_and(|v| v == "1");
                assert!(!required, "the judge cannot run: {why}");
                // Not `eprintln`, which is kept back from a test that passes.
                writeln!(
                    std::io::stderr(),
                    "\n*** THE JUDGE DID NOT RUN: nothing was compared with GoogleSQL. ***\n{why}\n"
                )
                .expect("stderr can be written");
                None
            }
        }
    }

    fn try_start() -> Result<Self, String> {
        let mut process = Command::new(install::python()?)
            .arg("-B")
            .arg(install::sources().join("oracle.py"))
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let mut judge = Self {
            requests: process.stdin.take(),
            replies: BufReader::new(process.stdout.take().ok_or("no pipe")?),
            process,
        };
        let info = judge.exchange(&json!({"cmd": "info"}))?;
        match info["ok"].as_bool() {
            Some(true) => Ok(judge),
            _ => Err(info.to_string()),
        }
    }

    /// Asks for one thing.
    ///
    /// # Errors
    /// What the judge has against the SQL. Everything else that may go wrong panics.
    pub fn ask(&mut self, request: &Json) -> Result<Json, Refusal> {
        self.try_ask(request)
            .inspect_err(|refusal| assert!(!refusal.is_engine(), "the judge failed: {refusal}"))
    }

    /// Asks for one thing that the judge's engine may be unable to do.
    ///
    /// # Errors
    /// What the judge has against the SQL, or that its engine trapped or ran out of time and was replaced.
    pub fn try_ask(&mut self, request: &Json) -> Result<Json, Refusal> {
        let reply = self.exchange(request).expect("the judge runs");
        if reply["ok"] == true {
            return Ok(reply);
        }
        let error = &reply["error"];
        let code = match error["kind"].as_str() {
            Some("sql") => error["code"].as_str().unwrap_or_default(),
            Some("engine") => ENGINE,
            _ => panic!("the judge failed: {error}"),
        };
        Err(Refusal {
            code: code.to_owned(),
            message: error["message"].as_str().unwrap_or_default().to_owned(),
        })
    }

    fn exchange(&mut self, request: &Json) -> Result<Json, String> {
        let mut reply = String::new();
        let requests = self.requests.as_mut().ok_or("closed")?;
        writeln!(requests, "{request}").map_err(|error| error.to_string())?;
        self.replies
            .read_line(&mut reply)
            .map_err(|error| error.to_string())?;
        serde_json::from_str(&reply).map_err(|error| format!("{error}: {reply:?}"))
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        drop(self.requests.take());
        let _ = self.process.wait();
    }
}

/// The code of what the judge's engine could not do.
const ENGINE: &str = "ENGINE";

/// Why the judge refuses a text, or why it has no result.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The engine's status, such as `OUT_OF_RANGE`.
    pub code: String,
    /// Its message.
    pub message: String,
}

impl Refusal {
    /// Returns whether it says nothing about the SQL: the judge's engine trapped or ran out of time.
    pub fn is_engine(&self) -> bool {
        self.code == ENGINE
    }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

/// Returns the shipped streams as the judge wants tables: name to fields.
pub fn streams() -> Json {
    let folder = install::sources().join("../../endpoints/streams");
    let mut tables = Map::new();
    for entry in std::fs::read_dir(folder).expect("there are schemas") {
        let path = entry.expect("a schema").path();
        let text = std::fs::read_to_string(&path).expect("a schema is UTF-8");
        let name = path.file_stem().expect("a name").to_string_lossy();
        tables.insert(
            name.into_owned(),
            serde_json::from_str(&text).expect("a schema is JSON"),
        );
    }
    json!({"tables": tables})
}
