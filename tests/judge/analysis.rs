//! What the analyzer says of the printed text and of the caller's own.

use std::collections::BTreeMap;

use logboom::compiler::{Compiled, Limits, Target};
use logboom::endpoint::{Endpoint, Endpoints};
use serde_json::{Map, Value as Json, json};

use super::case;
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
        let Ok(compiled) = case.compile(endpoint, &bigquery()) else {
            continue;
        };
        let reply = judge.ask(&json!({
            "cmd": "analyze",
            "sql": compiled.sql,
            "schema": schema,
            "params": types(&compiled),
        }));
        match reply {
            Err(refusal) => wrong.push(format!("{}: {refusal}", case.name)),
            Ok(reply) => compare(&case.name, &compiled, &reply, &mut wrong),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
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
        if case.query.is_empty() {
            continue;
        }
        let endpoint = endpoints.get(&case.endpoint).expect("the endpoint exists");
        let ours = case.compile(endpoint, &bigquery());
        let theirs = judge.ask(&json!({
            "cmd": "analyze",
            "sql": case.query,
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
