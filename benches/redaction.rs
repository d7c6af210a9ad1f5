//! What redaction costs: calls of the shipped endpoint over 60,000 edge rows, plain and redacted.
//!
//! `cargo bench --bench redaction`. A redacted `logs.all` should take at most 1.3 times as long as the plain one,
//! and a count by hour, which reads no text, the same.

use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use logboom::compiler::{AdHoc, Call, Compiled, Limits, Redaction, Target, compile};
use logboom::endpoint::{Argument, Endpoints};
use logboom::warehouse::embedded::import::import_file;
use logboom::warehouse::embedded::{Embedded, EngineSettings, Store};
use logboom::warehouse::{Rows, Terms, Warehouse as _};
use serde_json::json;

const ROWS: usize = 60_000;
/// 2026-03-02T12:00:00Z, after the last row.
const NOW: i64 = 1_772_452_800_000_000;

const CALLS: &[(&str, Option<&str>)] = &[
    ("logs.all", None),
    (
        "count by hour",
        Some(
            "select timestamp_trunc(timestamp, hour) as hour, count(*) as n from edge_logs group by hour order by hour",
        ),
    ),
    (
        "newest messages",
        Some("select timestamp, event_message from edge_logs order by timestamp desc limit 100"),
    ),
    (
        "group by address",
        Some(
            "select h.cf_connecting_ip as ip, count(*) as n from edge_logs cross join unnest(metadata) as m \
             cross join unnest(m.request) as r cross join unnest(r.headers) as h group by ip order by n desc limit 10",
        ),
    ),
    (
        "search of messages",
        Some(
            "select timestamp, event_message from edge_logs where regexp_contains(event_message, r'timeout|refused')",
        ),
    ),
];

fn redaction(criterion: &mut Criterion) {
    let endpoints = Endpoints::built_in(&Limits::default());
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let (stream, columns) = endpoints.catalog().stream("edge").expect("a stream");
    let file = folder.path().join("edge.ndjson");
    std::fs::write(&file, rows()).expect("writes the rows");
    import_file(&Store::new(&data), stream, columns, &file, &|_| {}).expect("imports");
    let engine = Embedded::open(data, endpoints.catalog(), EngineSettings::default());
    let engine = engine.expect("the engine starts");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    for (name, sql) in CALLS {
        let mut group = criterion.benchmark_group(*name);
        group.sample_size(20);
        for redacted in [false, true] {
            let compiled = compiled(&endpoints, *sql, redacted);
            let run = || runtime.block_on(run(&engine, &compiled));
            assert!(!run().rows.is_empty(), "{name}");
            let label = if redacted { "redacted" } else { "plain" };
            group.bench_function(label, |bencher| bencher.iter(run));
        }
        group.finish();
    }
}

async fn run(engine: &Embedded, compiled: &Compiled) -> Rows {
    let deadline = Instant::now() + Duration::from_secs(60);
    engine
        .run(compiled, Terms::until(deadline))
        .await
        .expect("rows")
}

fn compiled(endpoints: &Endpoints, sql: Option<&str>, redacted: bool) -> Compiled {
    let endpoint = endpoints.get("logs.all").expect("an endpoint");
    let project = ("project".to_owned(), Argument::Text("demo".to_owned()));
    let bound = endpoint.bind(&[project]).expect("parameters");
    let redaction = Redaction::default();
    let call = Call {
        ad_hoc: sql.map(AdHoc::Sql),
        parameters: &bound.parameters,
        now: NOW,
        max_rows: endpoint.max_rows,
        redaction: redacted.then_some(&redaction),
        target: &Target::Embedded,
        limits: &Limits::default(),
    };
    compile(&endpoint.query, &call, None).expect("a query")
}

/// Rows as an edge writes them, one every second, half of them of the project.
fn rows() -> String {
    let mut lines = String::new();
    for n in 0..ROWS {
        let (path, status) = match n % 3 {
            0 => ("/rest/v1/items", 200),
            1 => ("/auth/v1/token", 401),
            _ => ("/storage/v1/o", 504),
        };
        let ip = if n % 5 == 0 {
            format!("2001:db8::{:x}", n % 997)
        } else {
            format!("10.{}.{}.7", n % 13, n % 251)
        };
        let second = NOW / 1_000_000 - (ROWS - n) as i64;
        let time = jiff::Timestamp::from_second(second).expect("an instant");
        let agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36";
        let word = match n % 4 {
            0 => "ok",
            1 => "timeout",
            2 => "done",
            _ => "cached",
        };
        let row = json!({
            "id": format!("{:08x}-9f0c-4a92-8b5c-{:012x}", n * 7919, n),
            "timestamp": time.to_string(),
            "event_message": format!("GET | {status} | {ip} | {n:x} | https://demo.example.com{path}?select=*&id=eq.{n} | {word} | {agent}"),
            "project": if n % 2 == 0 { "demo" } else { "other" },
            "metadata": {
                "request": {
                    "method": "GET", "path": path, "host": "demo.example.com", "protocol": "https:",
                    "search": format!("?select=*&id=eq.{n}"),
                    "url": format!("https://demo.example.com{path}?select=*&id=eq.{n}"),
                    "cf": {"asOrganization": "Example Net", "city": "Berlin", "colo": "FRA", "country": "DE", "timezone": "Europe/Berlin"},
                    "headers": {"accept": "*/*", "cf_connecting_ip": ip, "cf_ipcountry": "DE", "user_agent": agent, "x_forwarded_proto": "https"},
                    "sb": {"jwt": {"authorization": {"payload": {"role": "anon", "issuer": "auth", "algorithm": "HS256"}}}},
                },
                "response": {"status_code": status, "origin_time": n % 90, "headers": {"content_type": "application/json", "cf_cache_status": "DYNAMIC"}},
            },
        });
        lines.push_str(&row.to_string());
        lines.push('\n');
    }
    lines
}

criterion_group!(benches, redaction);
criterion_main!(benches);
