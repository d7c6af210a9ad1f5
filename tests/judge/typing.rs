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

/// Whole queries, one a line.
const QUERIES: &str = include_str!("typing/queries.sql");

/// Expressions over a row of `t`, one a line.
const EXPRESSIONS: &str = include_str!("typing/expressions.sql");

/// Returns the texts of a file, without comments.
fn lines(text: &str) -> impl Iterator<Item = String> {
    let lines = text.lines().filter(|line| !line.starts_with("--"));
    lines.map(ToOwned::to_owned)
}

fn columns() -> Vec<(&'static str, Type)> {
    let a = Field {
        name: Some(ColumnName::new("a")),
        ty: Type::Int64,
    };
    let b = Field {
        name: Some(ColumnName::new("b")),
        ty: Type::String,
    };
    let k = Field {
        name: Some(ColumnName::new("k")),
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
        ("list", Type::array(Type::Int64)),
        ("rows", Type::array(Type::record([k]))),
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
    expressions.extend(lines(EXPRESSIONS));
    let mut texts: Vec<String> = expressions
        .into_iter()
        .map(|expression| format!("SELECT {expression} AS x FROM t"))
        .collect();
    texts.extend(lines(QUERIES));
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
