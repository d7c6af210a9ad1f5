//! A case of the corpus: reading its file and compiling it.
//!
//! A file is a query as a caller sends it: `.sql`, or `.lql`, where lines that begin with `-- ` are not sent.
//! Lines that begin with `--!` say how it is sent: `endpoint`, `param name=value`, `max_rows` and `redact`.
//! `unordered` says that the order of its rows is only partly fixed, and
//! `nondeterministic <why>` that even which rows it returns is not. An empty query is the stored query alone.

use std::path::{Path, PathBuf};

use logboom::compiler::{
    AdHoc, Call, Compiled, Diagnostics, Limits, Redaction, Target, Trace, compile, explain,
};
use logboom::endpoint::{Argument, Endpoint};

/// 2026-03-02T12:00:00Z, microseconds since the Unix epoch: the instant of every call.
pub const NOW: i64 = 1_772_452_800_000_000;

/// A file of the corpus.
pub struct Case {
    /// Its path without the extension, from the corpus' folder.
    pub name: String,
    /// The endpoint that is called.
    pub endpoint: String,
    /// The arguments of the call.
    pub arguments: Vec<(String, Argument)>,
    /// Rows at most, where it is not what the endpoint says.
    pub max_rows: Option<u64>,
    /// How the result is redacted.
    pub redaction: Option<Redaction>,
    /// How much of the result is the same whoever computes it.
    pub result: Determined,
    /// The language of the caller's query.
    pub language: Language,
    /// The caller's query; empty for the stored one alone.
    pub query: String,
}

/// A language that callers write in, which is also the extension of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// GoogleSQL.
    Sql,
    /// LQL.
    Lql,
}

/// How much of a result a query fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Determined {
    /// The rows, and their order where the query has one.
    Whole,
    /// The rows, but the order of those that compare equal is open.
    Rows,
    /// Not even the rows.
    Nothing,
}

/// Returns every case, in the order of the names.
pub fn read_all() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    files.iter().map(|file| read(&root, file)).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the corpus is a folder") {
        let path = entry.expect("an entry of the corpus").path();
        if path.is_dir() {
            collect(&path, files);
        } else if language(&path).is_some() {
            files.push(path);
        }
    }
}

fn language(file: &Path) -> Option<Language> {
    match file.extension()?.to_str()? {
        "sql" => Some(Language::Sql),
        "lql" => Some(Language::Lql),
        _ => None,
    }
}

fn read(root: &Path, file: &Path) -> Case {
    let text = std::fs::read_to_string(file).expect("a corpus file is UTF-8");
    let name = file.strip_prefix(root).expect("inside the corpus");
    let mut case = Case {
        name: name.with_extension("").to_string_lossy().replace('\\', "/"),
        endpoint: "logs.all".to_owned(),
        arguments: Case::default_arguments(),
        max_rows: None,
        redaction: None,
        result: Determined::Whole,
        language: language(file).expect("a file of the corpus"),
        query: String::new(),
    };
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("--!") {
            Some(setting) => case.set(setting.trim()),
            None if case.language == Language::Lql && line.starts_with("-- ") => {}
            None => case.query.push_str(line),
        }
    }
    let stored = |line: &str| line.starts_with("-- stored:");
    if case.query.lines().all(stored) {
        case.query.clear();
    }
    case
}

impl Case {
    /// Returns the arguments of a call that says nothing else.
    pub fn default_arguments() -> Vec<(String, Argument)> {
        vec![("project".to_owned(), Argument::Text("demo".to_owned()))]
    }

    fn set(&mut self, setting: &str) {
        let (key, value) = setting.split_once(' ').unwrap_or((setting, ""));
        match key {
            "endpoint" => self.endpoint = value.to_owned(),
            "max_rows" => self.max_rows = Some(value.parse().expect("a number")),
            "param" => {
                let (name, value) = value.split_once('=').expect("name=value");
                self.arguments.retain(|(other, _)| other != name);
                self.arguments
                    .push((name.to_owned(), Argument::Text(value.to_owned())));
            }
            "redact" => self.redaction = Some(Redaction::default()),
            "unordered" => self.result = Determined::Rows,
            "nondeterministic" => {
                assert!(!value.is_empty(), "{}: say why", self.name);
                self.result = Determined::Nothing;
            }
            other => panic!("{}: unknown setting {other}", self.name),
        }
    }

    /// Returns the caller's query, if there is one.
    pub fn ad_hoc(&self) -> Option<AdHoc<'_>> {
        let ad_hoc = match self.language {
            Language::Sql => AdHoc::Sql(&self.query),
            Language::Lql => AdHoc::Lql(&self.query),
        };
        (!self.query.is_empty()).then_some(ad_hoc)
    }

    /// Compiles the call for an engine.
    pub fn compile(&self, endpoint: &Endpoint, target: &Target) -> Result<Compiled, Diagnostics> {
        self.compile_redacted(endpoint, target, self.redaction.as_ref(), None)
    }

    /// Compiles the call for an engine with this redaction, whatever the file says, and shows what it is after
    /// each stage.
    pub fn compile_redacted(
        &self,
        endpoint: &Endpoint,
        target: &Target,
        redaction: Option<&Redaction>,
        trace: Option<Trace<'_>>,
    ) -> Result<Compiled, Diagnostics> {
        self.call(endpoint, target, redaction, |call| {
            compile(&endpoint.query, call, trace)
        })
    }

    /// Returns a query in LQL as SQL that a person would write, if it compiles.
    pub fn explain(&self, endpoint: &Endpoint) -> Option<String> {
        let sql = self.call(endpoint, &Target::Embedded, None, |call| {
            explain(&endpoint.query, call)
        });
        sql.ok().flatten()
    }

    fn call<T>(
        &self,
        endpoint: &Endpoint,
        target: &Target,
        redaction: Option<&Redaction>,
        run: impl FnOnce(&Call<'_>) -> Result<T, Diagnostics>,
    ) -> Result<T, Diagnostics> {
        let bound = endpoint.bind(&self.arguments)?;
        run(&Call {
            ad_hoc: self.ad_hoc(),
            parameters: &bound.parameters,
            now: NOW,
            max_rows: self.max_rows.unwrap_or(endpoint.max_rows),
            redaction,
            target,
            limits: &Limits::default(),
        })
    }
}
