//! Generated queries: the compiler and the judge accept and refuse the same texts, give the same columns, and the
//! engine gives the rows of the text as it was written.
//!
//! The judge gets the caller's text, with the sub-tables as tables; what is printed for BigQuery is evaluated
//! besides. So neither an error of the analysis that both printers share nor one of a printer stays hidden. Texts
//! are made from seeds: `JUDGE_GENERATED=20000` tries that many, `JUDGE_GENERATED=500..20000` those seeds, and
//! the path of a file its lines. What is found is made small before it is shown; make it a file of the corpus together with the fix.

#[path = "generated/calls.rs"]
mod calls;
#[path = "generated/choices.rs"]
mod choices;
#[path = "generated/expr.rs"]
mod expr;
#[path = "generated/forms.rs"]
mod forms;
#[path = "generated/from.rs"]
mod from;
#[path = "generated/group.rs"]
mod group;
#[path = "generated/lexical.rs"]
mod lexical;
#[path = "generated/query.rs"]
mod query;
#[path = "generated/values.rs"]
mod values;
#[path = "generated/verdict.rs"]
mod verdict;

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use logboom::compiler::ir::Type;
use logboom::compiler::{AdHoc, Call, Compiled, Diagnostics, Limits, Redaction, Target, compile};
use logboom::endpoint::{Endpoint, Endpoints};
use serde_json::{Map, Value as Json, json};

use super::analysis;
use super::case::NOW;
use super::rows::{self, Outcome, World};
use super::service::{Judge, Refusal};
use choices::Choices;
use query::{Query, query};
use verdict::{beyond, deliberate, lacked};

/// Queries that every run of the tests tries.
const SEEDS: Range<u64> = 11..65;

/// What is accepted though GoogleSQL refuses it.
const LOOSE: &str = "only GoogleSQL refuses";

/// How often a finding is tried to be made smaller.
const SMALLER: usize = 80;

/// Findings of one sort that are shown.
const ALIKE: usize = 2;

#[tokio::test(flavor = "multi_thread")]
async fn generated_queries_mean_what_they_mean_in_googlesql() {
    let Some(judge) = Judge::start() else {
        return;
    };
    let mut checker = Checker::new(judge);
    let mut sorts: BTreeMap<String, usize> = BTreeMap::new();
    let mut count: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut shown = Vec::new();
    for (name, text, taken) in texts() {
        let finding = match checker.check(&text).await {
            Ok(outcome) => {
                *count.entry(outcome).or_default() += 1;
                continue;
            }
            Err(finding) => finding,
        };
        *count.entry("found").or_default() += 1;
        let alike = sorts.entry(finding.sort()).or_default();
        *alike += 1;
        if taken.is_some() && *alike > ALIKE {
            continue;
        }
        let (small, finding) = match taken {
            Some(taken) => checker.made_small(taken, finding).await,
            None => (text, finding),
        };
        let report = format!("{name}: {finding}\n  {}", small.text);
        // At once, because a long run is looked at before its end.
        writeln!(std::io::stderr(), "{report}").expect("stderr can be written");
        shown.push(report);
    }
    writeln!(std::io::stderr(), "generated queries: {count:?}").expect("stderr can be written");
    assert!(
        shown.is_empty(),
        "{} found, of {} sorts:\n{}",
        shown.len(),
        sorts.len(),
        shown.join("\n")
    );
    assert!(count.get("same rows") > Some(&0), "no rows were compared");
}

/// The queries of this run: a name, the query, and the choices that it is made of.
fn texts() -> Box<dyn Iterator<Item = (String, Query, Option<Vec<u32>>)>> {
    let told = std::env::var("JUDGE_GENERATED").unwrap_or_default();
    if Path::new(&told).is_file() {
        let lines = std::fs::read_to_string(&told).expect("queries are UTF-8");
        let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
        return Box::new(lines.into_iter().enumerate().map(|(number, text)| {
            let query = Query {
                text,
                ordered: true,
                redacted: true,
            };
            (format!("line {}", number + 1), query, None)
        }));
    }
    let seeds = match told.split_once("..") {
        _ if told.is_empty() => SEEDS,
        Some((first, end)) => number(first)..number(end),
        None => 0..number(&told),
    };
    Box::new(seeds.map(|seed| {
        let (query, taken) = query(Choices::of_seed(seed));
        (format!("seed {seed}"), query, Some(taken))
    }))
}

fn number(text: &str) -> u64 {
    text.parse()
        .expect("JUDGE_GENERATED is a number, a range of numbers or a file")
}

/// How the two differ over a query.
#[derive(Debug)]
struct Finding {
    kind: &'static str,
    what: String,
}

impl Finding {
    fn new(kind: &'static str, what: impl fmt::Display) -> Self {
        let what = what.to_string();
        Self { kind, what }
    }

    /// Returns what findings of one cause mostly share: the kind, and the message without names and values.
    fn sort(&self) -> String {
        let first = self.what.lines().next().unwrap_or_default();
        let words = first
            .split_whitespace()
            .filter(|word| !word.contains(|c: char| c.is_ascii_digit() || "`'.()".contains(c)));
        let words: Vec<&str> = words.take(12).collect();
        format!("{}: {}", self.kind, words.join(" "))
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.what)
    }
}

/// The judge and the engine over the same rows.
struct Checker {
    judge: Judge,
    world: World,
    endpoint: Arc<Endpoint>,
    schema: Json,
    rows: Json,
    /// The same with the sub-tables redacted.
    redacted: Json,
}

impl Checker {
    fn new(judge: Judge) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judge/generated");
        let endpoints = Endpoints::load(&folder.join("endpoint"), &Limits::default());
        let endpoints = endpoints.expect("the endpoint loads");
        let endpoint = endpoints.get("generated").expect("the endpoint exists");
        let streams = ["rows_t", "rows_u"].map(|name| (name, read(&folder, name)));
        let world = World::of(endpoints.catalog(), object(&streams));
        // The judge knows the sub-tables, which callers' texts read, and the streams, which printed ones read.
        let mut schema = Map::new();
        for (name, columns) in endpoints.catalog().streams() {
            let columns = columns
                .iter()
                .map(|column| json!({"name": column.name.as_str(), "type": column.ty.to_string()}));
            let columns: Json = columns.collect();
            schema.insert(name.as_str().replace("rows_", ""), columns.clone());
            schema.insert(name.as_str().to_owned(), columns);
        }
        let [(_, t), (_, u)] = &streams;
        let subtables = [("t", t.clone()), ("u", u.clone())];
        let mut checker = Self {
            judge,
            world,
            endpoint: Arc::clone(endpoint),
            schema: json!({"tables": schema}),
            rows: object(&[streams.as_slice(), &subtables].concat()),
            redacted: Json::Null,
        };
        let redacted = ["t", "u"].map(|table| (table, checker.redacted(table)));
        checker.redacted = object(&redacted);
        checker
    }

    /// Returns the rows of a sub-table as a caller sees them when they are redacted.
    fn redacted(&mut self, table: &str) -> Json {
        let text = format!("SELECT * FROM {table}");
        let compiled = self.compile(&text, &bigquery(), Some(&Redaction::default()));
        let compiled = compiled.expect("a sub-table can be read");
        let reply = self.printed(&compiled).expect("the judge has its rows");
        let mut rows = reply["rows"].clone();
        for row in rows.as_array_mut().into_iter().flatten() {
            for column in compiled.columns.iter().filter(|c| c.ty == Type::Json) {
                let value = &mut row[column.name.as_str()];
                if let Some(text) = value.as_str() {
                    *value = serde_json::from_str(text).expect("the judge gives JSON as its text");
                }
            }
        }
        rows
    }

    /// Returns what came out when nothing differs.
    async fn check(&mut self, query: &Query) -> Result<&'static str, Finding> {
        let ours = match self.compile(&query.text, &bigquery(), None) {
            Ok(ours) => ours,
            Err(refusal) => {
                let theirs = self.ask("analyze", &query.text).err();
                return refused(&refusal, theirs.as_ref());
            }
        };
        let written = self.ask("evaluate", &query.text);
        match &written {
            Err(refusal) if refusal.is_engine() => return Ok("lost by the judge"),
            Err(refusal) if refusal.code != "OUT_OF_RANGE" => {
                match self.ask("analyze", &query.text) {
                    Err(refusal) if beyond(&refusal.message) => return Ok("beyond the judge"),
                    Err(refusal) => return Err(Finding::new(LOOSE, refusal)),
                    Ok(_) => {}
                }
            }
            Err(_) => {}
            Ok(reply) => same_columns(&ours, reply)?,
        }
        if lacks(&written) {
            return Ok("not evaluated by the judge");
        }
        let ordered = query.ordered && written.as_ref().is_ok_and(|reply| reply["ordered"] == true);
        let written = rows::expected(&ours, written);
        let engine = self.engine(query, &written, ordered, None).await?;
        self.same_printed(&query.text, &ours, &written, ordered)
            .map_err(|what| Finding::new("the printed GoogleSQL differs", what))?;
        if query.redacted {
            self.check_redacted(query, ordered).await?;
        }
        Ok(engine)
    }

    /// Compares what comes out of redacted sub-tables.
    async fn check_redacted(&mut self, query: &Query, ordered: bool) -> Result<(), Finding> {
        let redaction = Redaction::default();
        let ours = self.compile(&query.text, &bigquery(), Some(&redaction));
        let ours = ours.map_err(|refusal| {
            Finding::new("only with redaction the compiler refuses", first(&refusal))
        })?;
        let written = self.judge.try_ask(&json!({
            "cmd": "evaluate",
            "sql": query.text,
            "schema": self.schema,
            "rows": self.redacted,
            "now": rows::timestamp(NOW),
        }));
        if lacks(&written) {
            return Ok(());
        }
        let written = rows::expected(&ours, written);
        let redacted = |finding: Finding| Finding::new("redacted", finding);
        let engine = self
            .engine(query, &written, ordered, Some(&redaction))
            .await;
        engine.map_err(redacted)?;
        self.same_printed(&query.text, &ours, &written, ordered)
            .map_err(|what| Finding::new("redacted, the printed GoogleSQL differs", what))
    }

    /// Compares the rows of what is printed for BigQuery.
    fn same_printed(
        &mut self,
        text: &str,
        ours: &Compiled,
        written: &Outcome,
        ordered: bool,
    ) -> Result<(), String> {
        let printed = self.printed(ours);
        if lacks(&printed) {
            return Ok(());
        }
        let printed = rows::expected(ours, printed);
        match rows::difference(printed.clone(), written.clone(), ordered) {
            None => Ok(()),
            // What no row of the result needs is not printed.
            Some(_) if printed.is_ok() && written.is_err() && text.contains("(SELECT") => Ok(()),
            Some(what) => Err(format!("{what}\n  {}", ours.sql)),
        }
    }

    /// Compares the rows of the engine.
    async fn engine(
        &self,
        query: &Query,
        written: &Outcome,
        ordered: bool,
        redaction: Option<&Redaction>,
    ) -> Result<&'static str, Finding> {
        let embedded = match self.compile(&query.text, &Target::Embedded, redaction) {
            Ok(embedded) => embedded,
            Err(refusal) if deliberate(&refusal) => return Ok("lacked by the engine"),
            Err(refusal) => return Err(Finding::new("the engine lacks", first(&refusal))),
        };
        let given = rows::given(&self.world.engine, &embedded).await;
        let kind = match (&given, written) {
            // What no row of the result needs may be computed or not.
            (Ok(rows), Err(_)) if rows.is_empty() || query.text.contains("(SELECT") => {
                return Ok("only the judge fails");
            }
            (Ok(_), Err(_)) => "only the judge fails",
            (Err(_), Ok(_)) => {
                let why = rows::lacking(&self.world.engine, &embedded).await;
                if why.is_some_and(|why| lacked(&why)) {
                    return Ok("lacked by the engine");
                }
                "only the engine fails"
            }
            _ => "the engine differs",
        };
        match rows::difference(given, written.clone(), ordered) {
            Some(what) => {
                let what = format!("{what}\n  {}", embedded.sql);
                Err(Finding::new(kind, what))
            }
            None if written.is_err() => Ok("both fail"),
            None => Ok("same rows"),
        }
    }

    /// Returns a smaller query with such a finding.
    async fn made_small(&mut self, taken: Vec<u32>, finding: Finding) -> (Query, Finding) {
        let (mut smallest, mut taken) = query(Choices::given(taken));
        let mut finding = finding;
        let mut left = SMALLER;
        'again: loop {
            let before = taken.clone();
            for candidate in choices::simpler(&before) {
                let (small, used) = query(Choices::given(candidate));
                if small.text.len() >= smallest.text.len() {
                    continue;
                }
                if left == 0 {
                    break 'again;
                }
                left -= 1;
                if let Err(found) = self.check(&small).await
                    && found.kind == finding.kind
                {
                    (smallest, taken, finding) = (small, used, found);
                    continue 'again;
                }
            }
            break;
        }
        (smallest, finding)
    }

    fn compile(
        &self,
        text: &str,
        target: &Target,
        redaction: Option<&Redaction>,
    ) -> Result<Compiled, Diagnostics> {
        let bound = self.endpoint.bind(&[]).expect("there are no parameters");
        let call = Call {
            ad_hoc: Some(AdHoc::Sql(text)),
            parameters: &bound.parameters,
            now: NOW,
            max_rows: self.endpoint.max_rows,
            redaction,
            target,
            limits: &Limits::default(),
        };
        compile(&self.endpoint.query, &call, None)
    }

    /// Evaluates what is printed for BigQuery.
    fn printed(&mut self, compiled: &Compiled) -> Result<Json, Refusal> {
        self.judge.try_ask(&json!({
            "cmd": "evaluate",
            "sql": compiled.sql,
            "schema": self.schema,
            "params": analysis::types(compiled),
            "values": rows::values(compiled),
            "rows": self.rows,
            "now": rows::timestamp(NOW),
        }))
    }

    fn ask(&mut self, command: &str, text: &str) -> Result<Json, Refusal> {
        self.judge.try_ask(&json!({
            "cmd": command,
            "sql": text,
            "schema": self.schema,
            "rows": self.rows,
            "now": rows::timestamp(NOW),
        }))
    }
}

/// Returns whether the reference evaluator cannot evaluate a query, whatever the rows.
fn lacks(reply: &Result<Json, Refusal>) -> bool {
    reply.as_ref().is_err_and(|refusal| {
        refusal.is_engine() || ["UNIMPLEMENTED", "INTERNAL"].contains(&refusal.code.as_str())
    })
}

/// Returns what it means that the compiler refuses a text.
fn refused(ours: &Diagnostics, theirs: Option<&Refusal>) -> Result<&'static str, Finding> {
    match theirs {
        Some(refusal) if refusal.is_engine() => Ok("lost by the judge"),
        Some(_) => Ok("refused"),
        None if deliberate(ours) => Ok("refused on purpose"),
        None => Err(Finding::new("only the compiler refuses", first(ours))),
    }
}

fn same_columns(ours: &Compiled, theirs: &Json) -> Result<(), Finding> {
    let ours: Vec<Json> = ours
        .columns
        .iter()
        .map(|column| json!([column.name.as_str(), column.ty.to_string()]))
        .collect();
    let theirs: Vec<Json> = analysis::list(&theirs["columns"])
        .map(|column| json!([column["name"], column["sql_type"]]))
        .collect();
    if ours == theirs {
        return Ok(());
    }
    let what = format!("{}, not {}", json!(ours), json!(theirs));
    Err(Finding::new("the columns differ", what))
}

fn first(refusal: &Diagnostics) -> String {
    let first = refusal.0.first();
    first.map_or_else(String::new, |d| format!("{:?}: {}", d.code, d.message))
}

fn bigquery() -> Target {
    Target::BigQuery {
        tables: BTreeMap::new(),
    }
}

fn read(folder: &Path, stream: &str) -> Json {
    let file: PathBuf = folder.join(format!("data/{stream}.ndjson"));
    let text = std::fs::read_to_string(file).expect("a file for each stream");
    let rows: Result<Vec<Json>, _> = text.lines().map(serde_json::from_str).collect();
    json!(rows.expect("rows are JSON"))
}

fn object(entries: &[(&str, Json)]) -> Json {
    let entries = entries.iter();
    Json::Object(
        entries
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect(),
    )
}
