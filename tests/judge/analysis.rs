//! What the analyzer says of the printed text and of the caller's own.

use std::collections::BTreeMap;

use logboom::compiler::{Compiled, Limits, Redaction, Target};
use logboom::endpoint::{Endpoint, Endpoints};
use serde_json::{Map, Value as Json, json};

use super::case::{self, Case, Language};
use super::differences::Differences;
use super::service::{Judge, streams};

fn bigquery() -> Target {
    Target::BigQuery {
        tables: BTreeMap::new(),
    }
}

#[test]
fn printed_queries_are_what_the_compiler_says_they_are() {
    let Some(mut judge) = Judge::start() else {
        return;
    };
    let endpoints = Endpoints::built_in(&Limits::default());
    let schema = streams();
    let mut wrong = Vec::new();
    for case in case::read_all() {
        let endpoint = endpoints.get(&case.endpoint).expect("the endpoint exists");
        let redaction = Redaction::default();
        for redaction in [None, Some(&redaction)] {
            let mut columns = String::new();
            let mut trace = |stage: &str, text: &str| {
                if stage == "reads" {
                    columns = text.to_owned();
                }
            };
            let target = bigquery();
            let compiled = case.compile_redacted(endpoint, &target, redaction, Some(&mut trace));
            let Ok(compiled) = compiled else {
                continue;
            };
            let name = name_under(&case, redaction);
            let reply = judge.ask(&json!({
                "cmd": "analyze",
                "sql": compiled.sql,
                "schema": schema,
                "params": types(&compiled),
            }));
            match reply {
                Err(refusal) => wrong.push(format!("{name}: {refusal}")),
                Ok(reply) => {
                    compare(&name, &compiled, &reply, &mut wrong);
                    let theirs = columns_read(&reply);
                    if columns != theirs {
                        wrong.push(format!("{name}: columns read\n{columns}\nnot\n{theirs}"));
                    }
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The name of a case as it is compiled with a redaction or without.
pub fn name_under(case: &Case, redaction: Option<&Redaction>) -> String {
    match redaction {
        Some(_) => format!("{} redacted", case.name),
        None => case.name.clone(),
    }
}

/// The types of a query's parameters, as the judge wants them.
pub fn types(compiled: &Compiled) -> Map<String, Json> {
    compiled
        .parameters
        .iter()
        .map(|parameter| (parameter.name.to_string(), json!(parameter.ty.to_string())))
        .collect()
}

fn compare(name: &str, compiled: &Compiled, reply: &Json, wrong: &mut Vec<String>) {
    let ours: Vec<Json> = compiled
        .columns
        .iter()
        .map(|column| json!([column.name.as_str(), column.ty.to_string()]))
        .collect();
    let theirs: Vec<Json> = list(&reply["columns"])
        .map(|column| json!([column["name"], column["sql_type"]]))
        .collect();
    if ours != theirs {
        let (ours, theirs) = (json!(ours), json!(theirs));
        wrong.push(format!(
            "{name}: columns\n  ours   {ours}\n  theirs {theirs}"
        ));
    }
    let ours: Vec<&str> = compiled.reads.iter().map(|s| s.as_str()).collect();
    let theirs: Vec<&str> = list(&reply["reads"]["tables"])
        .filter_map(Json::as_str)
        .collect();
    if ours != theirs {
        wrong.push(format!("{name}: reads {ours:?}, not {theirs:?}"));
    }
}

/// The columns that the judge says are in use, a line for each stream.
fn columns_read(reply: &Json) -> String {
    let streams = reply["reads"]["columns"].as_object().into_iter().flatten();
    let lines: BTreeMap<&String, String> = streams
        .map(|(stream, columns)| {
            let mut columns: Vec<&str> = list(columns).filter_map(Json::as_str).collect();
            columns.sort_unstable();
            (stream, format!("{stream}: {}", columns.join(", ")))
        })
        .collect();
    lines.into_values().collect::<Vec<_>>().join("\n")
}

pub fn list(json: &Json) -> impl Iterator<Item = &Json> {
    json.as_array().into_iter().flatten()
}

#[test]
fn callers_texts_are_accepted_and_refused_as_in_googlesql() {
    let Some(mut judge) = Judge::start() else {
        return;
    };
    let endpoints = Endpoints::built_in(&Limits::default());
    let mut found = BTreeMap::new();
    for case in case::read_all() {
        let endpoint = endpoints.get(&case.endpoint).expect("the endpoint exists");
        // GoogleSQL cannot read LQL, but what explains it.
        let text = match case.language {
            Language::Sql => Some(case.query.clone()).filter(|query| !query.is_empty()),
            Language::Lql => case.explain(endpoint),
        };
        let Some(text) = text else {
            continue;
        };
        let ours = case.compile(endpoint, &bigquery());
        let theirs = judge.ask(&json!({
            "cmd": "analyze",
            "sql": text,
            "schema": subtables(endpoint),
        }));
        let what = match (ours, theirs) {
            (Ok(_), Err(refusal)) => format!("{}: only GoogleSQL refuses: {refusal}", case.name),
            (Err(diagnostics), Ok(_)) => {
                let first = diagnostics.0.first().map_or("", |d| d.message.as_str());
                format!("{}: only the compiler refuses: {first}", case.name)
            }
            (Ok(_), Ok(_)) | (Err(_), Err(_)) => continue,
        };
        found.insert(case.name, what);
    }
    Differences::read().verdict.check(&found);
}

/// The published sub-tables as if they were tables.
fn subtables(endpoint: &Endpoint) -> Json {
    let tables: Map<String, Json> = endpoint
        .query
        .subtables()
        .iter()
        .map(|table| {
            let columns = table
                .columns
                .iter()
                .map(|column| json!({"name": column.name.as_str(), "type": column.ty.to_string()}));
            (table.name.to_string(), Json::Array(columns.collect()))
        })
        .collect();
    json!({"tables": tables})
}
