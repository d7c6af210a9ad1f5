//! Nothing of what is redacted can be told from an answer.
//!
//! Two engines hold the same rows, except that every text has another address or e-mail address in it. Whatever
//! a caller asks of them under redaction, the answers are the same: rows, their order, and kinds of errors.
#![expect(clippy::indexing_slicing, reason = "a wrong index fails the test")]

use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use logboom::compiler::catalog::parse_schema;
use logboom::compiler::ir::{Column, ParameterName, StreamName, Type, Value};
use logboom::compiler::{
    AdHoc, Call, Catalog, Compiled, Declaration, Limits, Parameters, Redaction, StoredQuery,
    Target, compile, prepare,
};
use logboom::endpoint::Endpoints;
use logboom::warehouse::embedded::import::import_file;
use logboom::warehouse::embedded::{Embedded, EngineSettings, Store};
use logboom::warehouse::{Terms, Warehouse as _, WarehouseError};
use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};
use tempfile::TempDir;

use super::case;

const SCHEMA: &str = r#"[
    {"name": "id", "type": "STRING"},
    {"name": "timestamp", "type": "TIMESTAMP", "mode": "REQUIRED"},
    {"name": "project", "type": "STRING"},
    {"name": "text", "type": "STRING"},
    {"name": "json", "type": "JSON"},
    {"name": "bytes", "type": "BYTES"},
    {"name": "n", "type": "INTEGER"},
    {"name": "tags", "type": "STRING", "mode": "REPEATED"},
    {"name": "metadata", "type": "RECORD", "mode": "REPEATED", "singleton": true, "fields": [
        {"name": "ip", "type": "STRING"},
        {"name": "request", "type": "RECORD", "mode": "REPEATED", "singleton": true, "fields": [
            {"name": "path", "type": "STRING"},
            {"name": "status", "type": "INTEGER"},
            {"name": "headers", "type": "RECORD", "mode": "REPEATED", "fields": [
                {"name": "name", "type": "STRING"},
                {"name": "value", "type": "STRING"}]}]}]}
]"#;

const STORED: &str = "
    WITH logs AS (
        SELECT t.id, t.timestamp, t.text, t.json, t.bytes, t.n, t.tags, t.metadata,
          STRUCT(t.text AS x, t.n AS n) AS s, UPPER(t.text) AS loud
        FROM edge AS t WHERE t.project = @project ORDER BY t.timestamp DESC),
    by_text AS (SELECT t.timestamp, t.text, t.n FROM edge AS t WHERE t.project = @project ORDER BY t.text)
    SELECT text, json, bytes, tags, metadata, n FROM logs";

/// Where a text comes from: FROM, and the text.
const SOURCES: &[(&str, &str)] = &[
    ("logs as t", "t.text"),
    ("logs as t", "t.id"),
    ("logs as t", "t.loud"),
    ("logs as t", "t.s.x"),
    ("logs as t", "to_json_string(t)"),
    ("logs as t", "to_json_string(t.s)"),
    ("logs as t", "to_json_string(t.metadata)"),
    ("logs as t", "to_json_string(t.json)"),
    ("logs as t", "json_value(t.json, '$.a')"),
    ("logs as t", "to_hex(t.bytes)"),
    ("logs as t", "safe_convert_bytes_to_string(t.bytes)"),
    ("logs as t", "array_to_string(t.tags, ' ')"),
    ("logs as t", "t.tags[safe_offset(1)]"),
    ("logs as t", "t.tags[safe_offset(length(t.text) - 10)]"),
    ("logs as t", "t.metadata[safe_offset(0)].ip"),
    ("logs as t", "format('%T', t.s)"),
    ("logs as t cross join unnest(t.tags) as g", "g"),
    (
        "logs as t cross join unnest(t.metadata) as m cross join unnest(m.request) as r",
        "r.path",
    ),
    (
        "logs as t cross join unnest(t.metadata) as m cross join unnest(m.request) as r",
        "to_json_string(r)",
    ),
    (
        "logs as t cross join unnest(t.metadata) as m cross join unnest(m.request) as r cross join unnest(r.headers) as h",
        "h.value",
    ),
    ("logs as t left join by_text as o on t.n = o.n", "o.text"),
    ("logs as t join by_text as o using (text)", "text"),
    ("(select text as y, timestamp, n from logs) as t", "t.y"),
    (
        "(select metadata as md, timestamp, n from logs) as t cross join unnest(t.md) as m",
        "m.ip",
    ),
    (
        "(select text as y, timestamp, n from logs union all select text, timestamp, n from by_text) as t",
        "t.y",
    ),
    ("by_text as t", "t.text"),
];

/// From text to text.
const CHANGES: &[&str] = &[
    "{}",
    "reverse({})",
    "upper({})",
    "lower({})",
    "to_hex(cast({} as bytes))",
    "to_base64(cast({} as bytes))",
    "to_base32(cast({} as bytes))",
    "to_hex(md5({}))",
    "to_hex(sha256({}))",
    "substr({}, 2, 1)",
    "substr({}, -3)",
    "left({}, 4)",
    "right({}, 2)",
    "split({}, '.')[safe_offset(1)]",
    "split({}, '')[safe_offset(3)]",
    "replace({}, '1', 'x')",
    "replace({}, '.', '')",
    "translate({}, '0123456789', 'abcdefghij')",
    "trim({}, '0123456789.')",
    "ltrim({}, 'a')",
    "lpad({}, 40, 'x')",
    "repeat({}, 2)",
    "concat('a', {}, 'b')",
    "{} || {}",
    "coalesce({}, 'none')",
    "regexp_replace({}, r'[^0-9]', '')",
    "regexp_replace({}, r'(\\d)', r'<\\1>')",
    "regexp_extract({}, r'(\\d+)\\.')",
    "regexp_extract({}, r'[0-9a-f:]+:')",
    "array_to_string(regexp_extract_all({}, r'\\d'), '')",
    "array_to_string(split({}, '.'), '-')",
    "code_points_to_string(to_code_points({}))",
    "json_value({}, '$.a')",
    "json_query({}, '$')",
    "to_json_string({})",
    "format('%T', {})",
    "format('%s-%s', {}, {})",
    "net.host({})",
    "initcap({})",
    "normalize({})",
    "if({} < '5', 'low', 'high')",
    "case when {} like '%1%' then 'one' else 'none' end",
    "nullif({}, '10.0.0.1')",
    "greatest({}, '5')",
    "cast(length({}) as string)",
    "cast(safe_cast({} as int64) as string)",
    "(select {})",
    "[{}, 'x'][offset(0)]",
    "struct({} as f).f",
];

/// From text to anything.
const VALUES: &[&str] = &[
    "{}",
    "length({})",
    "byte_length({})",
    "strpos({}, '1')",
    "instr({}, '.', 1, 2)",
    "ascii({})",
    "{} = '10.0.0.1'",
    "{} > '192'",
    "{} between '1' and '3'",
    "{} in ('10.0.0.1', '10.0.0.2')",
    "{} like '%10.%'",
    "{} like '_0%'",
    "starts_with({}, '1')",
    "ends_with({}, '1')",
    "regexp_contains({}, r'10\\.0')",
    "regexp_instr({}, r'\\d')",
    "{} is null",
    "{} is distinct from 'x'",
    "cast({} as int64)",
    "cast({} as bytes)",
    "cast({} as bytes) > b'1'",
    "safe_cast({} as float64)",
    "1 / (length({}) - 12)",
    "div(10, strpos({}, '9'))",
    "substr({}, 1, length({}) - 9)",
    "split({}, '.')[offset(2)]",
    "farm_fingerprint({})",
    "mod(farm_fingerprint({}), 2)",
    "to_code_points({})[safe_offset(0)]",
    "array_length(split({}, '1'))",
    "split({}, '.')",
    "timestamp({})",
    "parse_json({})",
    "generate_array(1, length({}))",
    "net.safe_ip_from_string({})",
    "struct({} as a, 1 as b)",
    "[{}, {}]",
    "exists (select 1 from logs where text = {})",
    "(select count(*) from by_text as b where b.text < {})",
    "{} in (select text from by_text)",
];

/// What is done with a value: `F` is FROM, `V` the value.
const SHAPES: &[&str] = &[
    "select V as v from F order by t.timestamp, to_json_string(V)",
    "select V as v from F limit 3",
    "select t.timestamp as moment from F order by to_json_string(V), t.timestamp",
    "select t.timestamp as moment from F order by to_json_string(V) limit 2",
    "select count(*) as n from F where to_json_string(V) > '\"2'",
    "select count(*) as n from F where to_json_string(V) like '%1%'",
    "select t.timestamp as moment from F where regexp_contains(to_json_string(V), r'\\d') order by moment",
    "select countif(starts_with(to_json_string(V), '\"1')) as n, count(distinct to_json_string(V)) as d from F",
    "select to_json_string(V) as v, count(*) as n from F group by v order by n desc, v",
    "select count(*) as n from (select 1 from F group by to_json_string(V))",
    "select max(to_json_string(V)) as a, min(to_json_string(V)) as b from F",
    "select max_by(t.timestamp, to_json_string(V)) as a from F",
    "select string_agg(to_json_string(V), '|' order by t.timestamp, to_json_string(V)) as s from F",
    "select array_agg(t.timestamp order by to_json_string(V), t.timestamp) as s from F",
    "select distinct to_json_string(V) as v from F order by v",
    "select t.timestamp as moment, row_number() over (order by to_json_string(V), t.timestamp) as n from F order by moment, n",
    "select t.timestamp as moment, count(*) over (partition by to_json_string(V)) as n from F order by moment, n",
    "select t.timestamp as moment from F qualify rank() over (order by to_json_string(V)) = 1 order by moment",
    "with c as (select V as v, t.timestamp as moment from F) select to_json_string(v) as v from c order by moment, v",
    "with c as (select to_json_string(V) as v from F) select count(*) as n from c as a join c as b on a.v = b.v",
    "select to_json_string(V) as v from F union distinct select '\"x\"' order by v",
    "select to_json_string(V) as v from F intersect distinct select to_json_string(text) from logs order by v",
    "select t.n as k, max(to_json_string(V)) as m from F group by k having max(to_json_string(V)) > '\"3' order by k",
    "select case when to_json_string(V) > '\"5' then cast('x' as int64) else 1 end as v from F",
    "select (select to_json_string(V) from F order by t.timestamp limit 1) as v",
    "select n from logs where to_json_string(n) in (select to_json_string(V) from F)",
];

/// An address, or an e-mail address, of one of two worlds. What is less in one is greater in the other.
fn secret(world: usize, n: usize) -> String {
    let m = 5000 - n;
    match (n % 4, world) {
        (0, 0) => format!("user{n}@example.com"),
        (0, _) => format!("a.longer+name{m}@mail.example.co.uk"),
        (1, 0) => format!("10.0.{}.{}", n / 256, n % 256),
        (1, _) => format!("192.168.{}.{}", 100 + m / 256, m % 256),
        (2, 0) => format!("10.1.{}.{}", n / 256, n % 256),
        (2, _) => format!("2001:db8::{m:x}"),
        (_, 0) => format!("fe80::{n}"),
        (_, _) => format!("2001:db8:{m:x}:2:3:4:5:{n:x}"),
    }
}

/// The same surrounding for the same text of both worlds.
fn text(world: usize, n: usize) -> String {
    let (a, b) = (secret(world, n), secret(world, n + 400));
    match n % 7 {
        0 => a,
        1 => format!("from {a} port 80"),
        2 => format!("{{\"a\":\"{a}\",\"b\":[1,\"{b}\"]}}"),
        3 => format!("http://x/?a={a}&b={b}"),
        4 => format!("{a},{b}"),
        5 => format!("\"{a}\""),
        _ => format!("[{a}] 12:34:56 v1.2.3"),
    }
}

/// A row of a stream, with its own text in every leaf.
struct Rows {
    world: usize,
    next: usize,
}

impl Rows {
    fn record<'c>(
        &mut self,
        columns: impl Iterator<Item = (&'c str, &'c Type)>,
        row: usize,
    ) -> Json {
        let mut object = Map::new();
        for (name, ty) in columns {
            let value = match name {
                "project" | "project_ref" => json!("demo"),
                "timestamp" => json!(format!("2026-01-01T00:00:{row:02}Z")),
                _ => self.value(ty, row),
            };
            object.insert(name.to_owned(), value);
        }
        Json::Object(object)
    }

    fn value(&mut self, ty: &Type, row: usize) -> Json {
        self.next += 1;
        let n = self.next;
        match ty {
            Type::String => json!(text(self.world, n)),
            Type::Json => json!({"a": text(self.world, n), secret(self.world, n): n}),
            Type::Bytes => {
                use base64::Engine as _;
                json!(base64::engine::general_purpose::STANDARD.encode(text(self.world, n)))
            }
            Type::Bool => json!(n.is_multiple_of(2)),
            Type::Float64 => json!(0.5),
            Type::Timestamp => json!("2026-01-01T00:00:00Z"),
            Type::Array(array) => {
                let length = if array.singleton { 1 } else { row % 4 };
                (0..length)
                    .map(|_| self.value(&array.element, row))
                    .collect()
            }
            Type::Struct(fields) => {
                let fields = fields
                    .iter()
                    .filter_map(|f| Some((f.name.as_ref()?.as_str(), &f.ty)));
                self.record(fields, row)
            }
            _ => json!(row % 5),
        }
    }
}

/// Rows of a project in one of two worlds.
fn rows(columns: &[Column], world: usize) -> String {
    let mut rows = Rows { world, next: 0 };
    let mut lines = String::new();
    for row in 0..12 {
        let columns = columns
            .iter()
            .map(|column| (column.name.as_str(), &column.ty));
        lines.push_str(&rows.record(columns, row).to_string());
        lines.push('\n');
    }
    lines
}

/// The same streams in two worlds.
struct Worlds {
    engines: [Embedded; 2],
    _folders: [TempDir; 2],
}

impl Worlds {
    fn of(catalog: &Catalog) -> Self {
        let (engines, folders) = [0, 1]
            .map(|world| {
                let folder = TempDir::new().expect("a folder");
                let data = folder.path().join("data");
                let store = Store::new(&data);
                for (stream, columns) in catalog.streams() {
                    let file = folder.path().join(format!("{stream}.ndjson"));
                    std::fs::write(&file, rows(columns, world)).expect("writes");
                    import_file(&store, stream, columns, &file, &|_| {}).expect("imports");
                }
                // On one thread the order of equal rows is fixed.
                let settings = EngineSettings {
                    threads: Some(NonZeroUsize::MIN),
                    ..EngineSettings::default()
                };
                (
                    Embedded::open(data, catalog, settings).expect("starts"),
                    folder,
                )
            })
            .into_iter()
            .unzip::<_, _, Vec<_>, Vec<_>>();
        let two = "two worlds";
        Self {
            engines: engines.try_into().unwrap_or_else(|_| panic!("{two}")),
            _folders: folders.try_into().unwrap_or_else(|_| panic!("{two}")),
        }
    }

    /// What each world answers; `None` for a query that is refused.
    fn answers(
        &self,
        stored: &StoredQuery,
        ad_hoc: Option<&str>,
        redacted: bool,
    ) -> Option<[Answer; 2]> {
        let redaction = Redaction::default();
        let call = Call {
            ad_hoc: ad_hoc.map(AdHoc::Sql),
            parameters: &Parameters::from([(ParameterName::new("project"), Value::string("demo"))]),
            now: 0,
            max_rows: 1000,
            redaction: redacted.then_some(&redaction),
            target: &Target::Embedded,
            limits: &Limits::default(),
        };
        Some(self.ask(&compile(stored, &call, None).ok()?))
    }

    fn ask(&self, compiled: &Compiled) -> [Answer; 2] {
        [0, 1].map(|world| {
            runtime().block_on(async {
                let deadline = Instant::now() + Duration::from_secs(60);
                match self.engines[world]
                    .run(compiled, Terms::until(deadline))
                    .await
                {
                    Ok(rows) => Ok(rows.rows),
                    Err(WarehouseError::Evaluation(_)) => Err("evaluation".to_owned()),
                    // The engine's own words, which name its files, are for the log.
                    Err(error) => Err(format!("{:?}", std::mem::discriminant(&error))),
                }
            })
        })
    }
}

/// All that a caller is told.
type Answer = Result<Vec<Vec<Json>>, String>;

fn runtime() -> &'static tokio::runtime::Runtime {
    static RUNTIME: OnceLock<tokio::runtime::Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| tokio::runtime::Runtime::new().expect("a runtime"))
}

fn own() -> &'static (Worlds, StoredQuery) {
    static OWN: OnceLock<(Worlds, StoredQuery)> = OnceLock::new();
    OWN.get_or_init(|| {
        let mut catalog = Catalog::default();
        catalog.insert(
            StreamName::new("edge"),
            parse_schema(SCHEMA).expect("a schema"),
        );
        let declaration = Declaration {
            name: ParameterName::new("project"),
            ty: Type::String,
        };
        let stored = prepare(STORED, &catalog, &[declaration], None, &Limits::default());
        (Worlds::of(&catalog), stored.expect("a stored query"))
    })
}

/// Asks both worlds; returns whether the query was answered.
fn check(sql: Option<&str>) -> bool {
    let (worlds, stored) = own();
    let Some([first, second]) = worlds.answers(stored, sql, true) else {
        return false;
    };
    assert_eq!(first, second, "{sql:?}");
    match &first {
        Ok(rows) => {
            let shown = format!("{rows:?}");
            for part in ["10.0.", "192.168", "2001:", "db8", "fe80", "example"] {
                assert!(!shown.contains(part), "{sql:?}: {part} in {shown}");
            }
            true
        }
        Err(error) => error == "evaluation",
    }
}

fn query(source: usize, changes: &[usize], value: usize, shape: usize) -> String {
    let (from, text) = SOURCES[source];
    let text = changes.iter().fold(text.to_owned(), |text, change| {
        CHANGES[*change].replace("{}", &text)
    });
    let value = VALUES[value].replace("{}", &text);
    SHAPES[shape].replace('F', from).replace('V', &value)
}

/// Every attack of the tables by itself, and every way of using a value.
fn each() -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    all.extend((0..SOURCES.len()).map(|source| query(source, &[], 0, 0)));
    all.extend((0..CHANGES.len()).map(|change| query(0, &[change], 0, 0)));
    all.extend((0..VALUES.len()).map(|value| query(0, &[], value, 0)));
    all.extend((0..SHAPES.len()).map(|shape| query(0, &[], 0, shape)));
    all
}

#[test]
fn every_attack_of_the_table_fails() {
    let all = each();
    let refused: Vec<&String> = all.iter().filter(|sql| !check(Some(sql))).collect();
    // A refusal proves nothing, so most of them must run.
    assert!(refused.len() * 6 < all.len(), "{refused:#?}");
    assert!(check(None));
}

/// Without redaction the same queries tell the two worlds apart, so the attacks are attacks.
#[test]
fn the_attacks_work_without_redaction() {
    let (worlds, stored) = own();
    let all = each();
    let answers = all
        .iter()
        .filter_map(|sql| worlds.answers(stored, Some(sql), false));
    let told: Vec<bool> = answers.map(|[first, second]| first != second).collect();
    let count = told.iter().filter(|told| **told).count();
    assert!(count * 3 > told.len() * 2, "{count} of {}", told.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn combined_attacks_fail(
        source in 0..SOURCES.len(),
        changes in proptest::collection::vec(0..CHANGES.len(), 0..3),
        value in 0..VALUES.len(),
        shape in 0..SHAPES.len(),
    ) {
        check(Some(&query(source, &changes, value, shape)));
    }
}

/// The whole corpus, over streams as they ship.
#[test]
fn the_corpus_tells_nothing() {
    let endpoints = Endpoints::built_in(&Limits::default());
    let worlds = Worlds::of(endpoints.catalog());
    let redaction = Redaction::default();
    let mut answered = 0;
    for case in case::read_all() {
        let endpoint = endpoints.get(&case.endpoint).expect("an endpoint");
        // The filters of a stored query see what is there, and that of the usage counts is on a URL.
        if case.endpoint != "logs.all" {
            continue;
        }
        let compiled = case.compile_redacted(endpoint, &Target::Embedded, Some(&redaction), None);
        if let Ok(compiled) = compiled {
            let mut answers = worlds.ask(&compiled);
            if case.result == case::Determined::Rows {
                for rows in answers.iter_mut().flatten() {
                    rows.sort_by_cached_key(|row| json!(row).to_string());
                }
            }
            let [first, second] = answers;
            assert_eq!(first, second, "{}", case.name);
            answered += 1;
        }
    }
    assert!(answered >= 100, "{answered}");
}
