//! Time of the compiler on a caller's query, beside that of the parser library alone on the same text.
//!
//! `cargo bench --no-default-features --bench compile`

use criterion::{Criterion, criterion_group, criterion_main};
use logboom::compiler::ir::{ParameterName, Value};
use logboom::compiler::{AdHoc, Call, Limits, Parameters, Target, compile};
use logboom::endpoint::Endpoints;
use sqlparser::dialect::BigQueryDialect;
use sqlparser::parser::Parser;

/// That of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Callers' queries over `logs.all`, by size.
const QUERIES: [(&str, &str); 3] = [
    (
        "1 line",
        "select id, timestamp, event_message from edge_logs limit 10",
    ),
    (
        "6 lines",
        "select r.path, count(*) as n\nfrom edge_logs\ncross join unnest(metadata) as m\n\
         cross join unnest(m.request) as r\ngroup by path\norder by n desc limit 5",
    ),
    (
        "20 lines",
        "with requests as (\n  select\n    timestamp_trunc(t.timestamp, hour) as bucket,\n    r.method,\n    r.path,\n    \
         s.status_code as status\n  from edge_logs as t\n  cross join unnest(t.metadata) as m\n  \
         cross join unnest(m.request) as r\n  cross join unnest(m.response) as s\n  \
         where t.timestamp > '2026-03-01' and s.status_code >= 400\n)\nselect\n  bucket,\n  method,\n  \
         count(*) as n,\n  countif(status >= 500) as failures\nfrom requests\ngroup by bucket, method\n\
         order by bucket desc, n desc limit 100",
    ),
];

fn bench(criterion: &mut Criterion) {
    let limits = Limits::default();
    let endpoints = Endpoints::built_in(&limits);
    let stored = &endpoints.get("logs.all").expect("it ships").query;
    let parameters: Parameters = [(ParameterName::new("project"), Value::string("demo"))].into();
    for (name, sql) in QUERIES {
        let mut group = criterion.benchmark_group(name);
        group.bench_function("sqlparser", |b| {
            b.iter(|| Parser::parse_sql(&BigQueryDialect {}, sql).expect("it parses"));
        });
        for (target_name, target) in [
            (
                "compile for bigquery",
                Target::BigQuery {
                    tables: Default::default(),
                },
            ),
            ("compile for embedded", Target::Embedded),
        ] {
            let call = Call {
                ad_hoc: Some(AdHoc::Sql(sql)),
                parameters: &parameters,
                now: 0,
                max_rows: 1000,
                redaction: None,
                target: &target,
                limits: &limits,
            };
            group.bench_function(target_name, |b| {
                b.iter(|| compile(stored, &call, None).expect("it compiles"));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
