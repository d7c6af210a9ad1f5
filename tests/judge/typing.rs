//! Texts over a stream with a column of each type: the compiler accepts what the analyzer accepts, with the
//! same types.
//!
//! A stored query reads the stream itself, so the texts are those of stored queries.

use std::collections::BTreeMap;

use logboom::compiler::ir::{Column, ColumnName, Field, StreamName, Type};
use logboom::compiler::{
    Call, Catalog, Compiled, Diagnostics, Limits, Parameters, Target, compile, prepare,
};
use serde_json::{Value as Json, json};

use super::analysis::list;
use super::service::Judge;

/// Columns and constants that meet each other in turn.
const OPERANDS: &[&str] = &[
    "t.bool",
    "t.int",
    "t.float",
    "t.numeric",
    "t.bignumeric",
    "t.string",
    "t.bytes",
    "t.date",
    "t.time",
    "t.datetime",
    "t.timestamp",
    "1",
    "1.5",
    "-(1.5)",
    "NUMERIC '1'",
    "'2024-01-01'",
    "b'x'",
    "DATE '2024-01-01'",
    "DATETIME '2024-01-01 00:00:00'",
    "NULL",
    "CAST(NULL AS INT64)",
];

/// Where two operands meet, all of them in one order.
const MEETINGS: &[&str] = &["{a} = {b}", "COALESCE({a}, {b})"];

/// Where some of them meet, in both orders.
const PLACES: &[&str] = &[
    "{a} < {b}",
    "{a} IN ({b}, {b})",
    "{a} IN (SELECT {b} FROM t AS u)",
    "{a} IN UNNEST([{b}])",
    "{a} BETWEEN {b} AND {b}",
    "{a} IS DISTINCT FROM {b}",
    "{a} LIKE {b}",
    "{a} * {b}",
    "{a} / {b}",
    "MOD({a}, {b})",
    "SAFE_ADD({a}, {b})",
    "POW({a}, {b})",
    "NULLIF({a}, {b})",
    "GREATEST({a}, {b})",
    "IF(t.bool, {a}, {b})",
    "CASE {a} WHEN {b} THEN 1 END",
    "STARTS_WITH({a}, {b})",
    "[{a}, {b}]",
    "ARRAY_CONCAT([{a}], [{b}])",
];

/// Whole queries: without FROM, with computed keys, and with columns that have no name or one twice.
const QUERIES: &[&str] = &[
    "SELECT 1 AS x",
    "SELECT 1 AS x WHERE TRUE",
    "SELECT 1 AS x GROUP BY x",
    "SELECT 1 AS x HAVING TRUE",
    "SELECT 1 AS x ORDER BY x",
    "SELECT 1 AS x LIMIT 1",
    "SELECT DISTINCT 1 AS x",
    "SELECT COUNT(*) AS x",
    "SELECT 1 AS x UNION DISTINCT SELECT 2 ORDER BY x",
    "(SELECT 1 AS x) ORDER BY x",
    "SELECT int FROM t WHERE EXISTS (SELECT t.int WHERE TRUE)",
    "SELECT int FROM t HAVING int > 1",
    "SELECT COUNT(*) AS n FROM t HAVING COUNT(*) > 1",
    "SELECT int FROM t ORDER BY COUNT(*)",
    "SELECT int FROM t QUALIFY TRUE",
    "SELECT int FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY int) = 1",
    "SELECT ROW_NUMBER() OVER (ORDER BY int) AS n FROM t QUALIFY n = 1",
    "SELECT int + 1 AS x FROM t GROUP BY int",
    "SELECT int + 1 AS x FROM t GROUP BY int + 1",
    "SELECT int + 1 + 1 AS x FROM t GROUP BY int + 1",
    "SELECT UPPER(string) || 'x' AS x FROM t GROUP BY UPPER(string)",
    "SELECT UPPER(string) AS x FROM t GROUP BY 1 ORDER BY UPPER(string)",
    "SELECT UPPER(string) AS x FROM t GROUP BY 1 ORDER BY UPPER(string) || 'x'",
    "SELECT UPPER(string) AS x FROM t GROUP BY x HAVING x > 'a'",
    "SELECT UPPER(string) AS x FROM t GROUP BY x HAVING UPPER(string) > 'a'",
    "SELECT UPPER(string) AS x FROM t GROUP BY x HAVING x || 'a' > 'a'",
    "SELECT UPPER(string) AS x FROM t GROUP BY ALL HAVING x > 'a'",
    "SELECT int + 1 AS x FROM t GROUP BY x QUALIFY RANK() OVER (ORDER BY x) = 1",
    "SELECT int + 1 AS x FROM t GROUP BY x QUALIFY RANK() OVER (ORDER BY int + 1) = 1",
    "SELECT int + 1 AS x, RANK() OVER (ORDER BY int + 1) AS r FROM t GROUP BY x",
    "SELECT COUNT(*) AS n FROM t GROUP BY int + 1 ORDER BY int + 1",
    "SELECT record.a + 1 AS x FROM t GROUP BY record.a",
    "SELECT record.a AS x FROM t GROUP BY record.a HAVING record.a + 1 > 1",
    "SELECT record.b AS x FROM t GROUP BY record.a",
    "SELECT record AS x FROM t GROUP BY record.a",
    "SELECT f0_ FROM (SELECT 1)",
    "SELECT s.f0_ FROM (SELECT 1, 2 AS x) AS s",
    "SELECT * FROM (SELECT 1, 2)",
    "SELECT *, 3 FROM (SELECT 1, 2 AS x)",
    "SELECT a.*, b.* FROM (SELECT 1) AS a, (SELECT 2) AS b",
    "SELECT * EXCEPT (f0_) FROM (SELECT 1, 2 AS x)",
    "SELECT 1 UNION ALL SELECT 2 ORDER BY f0_",
    "SELECT 1, 2 AS f0_",
    "SELECT int_1 FROM (SELECT int, int FROM t AS u) AS s",
    "SELECT x FROM (SELECT NULL AS x) WHERE x = 1",
    "SELECT x FROM (SELECT NULL AS x) WHERE x = 'a'",
    "SELECT NULL AS x UNION ALL SELECT date FROM t",
    "SELECT x FROM UNNEST(NULL) AS x",
];

/// Expressions of NULL and of date parts.
const EXPRESSIONS: &[&str] = &[
    "NOT NULL",
    "NOT (NULL)",
    "-NULL",
    "-CAST(NULL AS INT64)",
    "~NULL",
    "NULL IS NULL",
    "NULL AND TRUE",
    "CAST(NULL AS INT64) AND TRUE",
    "NULL IN (1)",
    "t.int IN (NULL)",
    "t.string BETWEEN NULL AND 'a'",
    "COALESCE([t.date], [NULL])",
    "COALESCE([t.float], [NULL])",
    "ARRAY_CONCAT([t.date], ['2024-01-01', NULL])",
    "t.date IN UNNEST(['2024-01-01', NULL])",
    "NULLIF(JSON '1', NULL)",
    "UNIX_SECONDS(t.date)",
    "UNIX_SECONDS('2024-01-01')",
    "UNIX_SECONDS(CAST(NULL AS INT64))",
    "DATE(t.date, 'UTC')",
    "STRING(t.datetime, 'UTC')",
    "DATE_ADD(t.date, INTERVAL 1 HOUR)",
    "DATE_ADD(t.date, INTERVAL 1 DAY)",
    "DATE_TRUNC(t.date, HOUR)",
    "DATETIME_TRUNC(t.date, HOUR)",
    "DATETIME_TRUNC(t.date, DAY)",
    "TIMESTAMP_ADD(t.date, INTERVAL 1 HOUR)",
    "TIMESTAMP_DIFF(t.date, t.date, HOUR)",
    "TIMESTAMP_DIFF(t.timestamp, t.date, DAY)",
    "EXTRACT(HOUR FROM t.date)",
    "EXTRACT(HOUR FROM t.datetime)",
    "EXTRACT(DAY FROM '2024-01-01')",
    "TO_HEX('x')",
    "MD5('x')",
];

fn columns() -> Vec<(&'static str, Type)> {
    let a = Field {
        name: Some(ColumnName::new("a")),
        ty: Type::Int64,
    };
    let b = Field {
        name: Some(ColumnName::new("b")),
        ty: Type::String,
    };
    vec![
        ("bool", Type::Bool),
        ("int", Type::Int64),
        ("float", Type::Float64),
        ("numeric", Type::Numeric),
        ("bignumeric", Type::BigNumeric),
        ("string", Type::String),
        ("bytes", Type::Bytes),
        ("date", Type::Date),
        ("time", Type::Time),
        ("datetime", Type::Datetime),
        ("timestamp", Type::Timestamp),
        ("record", Type::record([a, b])),
    ]
}

fn texts() -> Vec<String> {
    let pairs = || {
        let with = |a| OPERANDS.iter().map(move |b| (a, *b));
        OPERANDS.iter().flat_map(move |a| with(*a))
    };
    let meet = |place: &str, (a, b): (&str, &str)| place.replace("{a}", a).replace("{b}", b);
    let mut expressions: Vec<String> = Vec::new();
    for place in MEETINGS {
        let all = OPERANDS.iter().enumerate().flat_map(|(number, a)| {
            let rest = OPERANDS.iter().skip(number);
            rest.map(move |b| (*a, *b))
        });
        expressions.extend(all.map(|pair| meet(place, pair)));
    }
    for (number, place) in PLACES.iter().enumerate() {
        // Every place sees other pairs, and all of them many.
        let some = pairs().skip(number).step_by(17);
        expressions.extend(some.map(|pair| meet(place, pair)));
    }
    expressions.extend(EXPRESSIONS.iter().map(|text| (*text).to_owned()));
    let mut texts: Vec<String> = expressions
        .into_iter()
        .map(|expression| format!("SELECT {expression} AS x FROM t"))
        .collect();
    texts.extend(QUERIES.iter().map(|text| (*text).to_owned()));
    texts
}

fn ours(text: &str, catalog: &Catalog) -> Result<Compiled, Diagnostics> {
    let limits = Limits::default();
    let target = Target::BigQuery {
        tables: BTreeMap::new(),
    };
    let call = Call {
        ad_hoc: None,
        parameters: &Parameters::default(),
        now: 0,
        max_rows: 10,
        redaction: None,
        target: &target,
        limits: &limits,
    };
    compile(&prepare(text, catalog, &[], None, &limits)?, &call, None)
}

/// Names and types of the columns of a result.
fn shape(reply: &Json) -> Json {
    list(&reply["columns"])
        .map(|column| json!([column["name"], column["sql_type"]]))
        .collect()
}

#[test]
fn types_meet_and_names_resolve_as_in_googlesql() {
    let Some(mut judge) = Judge::start() else {
        return;
    };
    let mut catalog = Catalog::default();
    let of_stream = columns().into_iter().map(|(name, ty)| Column {
        name: ColumnName::new(name),
        ty,
    });
    catalog.insert(StreamName::new("t"), of_stream.collect());
    let schema: Json = columns()
        .iter()
        .map(|(name, ty)| json!({"name": name, "type": ty.to_string()}))
        .collect();
    let schema = json!({"tables": {"t": schema}});
    let mut ask = |sql: &str| judge.ask(&json!({"cmd": "analyze", "sql": sql, "schema": schema}));
    let mut wrong = Vec::new();
    for text in texts() {
        match (ours(&text, &catalog), ask(&text)) {
            (Ok(compiled), Ok(reply)) => {
                let columns: Json = compiled
                    .columns
                    .iter()
                    .map(|column| json!([column.name.as_str(), column.ty.to_string()]))
                    .collect();
                let printed = ask(&compiled.sql).map(|reply| shape(&reply));
                if columns != shape(&reply) {
                    wrong.push(format!("{text}: {columns}, not {}", shape(&reply)));
                } else if printed.as_ref().ok() != Some(&columns) {
                    wrong.push(format!("{text}: printed as {}: {printed:?}", compiled.sql));
                }
            }
            (Ok(_), Err(refusal)) => {
                wrong.push(format!("{text}: only GoogleSQL refuses: {refusal}"))
            }
            (Err(diagnostics), Ok(_)) => {
                let first = diagnostics.0.first().map_or("", |d| d.message.as_str());
                wrong.push(format!("{text}: only the compiler refuses: {first}"));
            }
            (Err(_), Err(_)) => {}
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
