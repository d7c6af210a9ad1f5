//! Every row is either one of a filter in LQL or one of its negation, and never of both.

use std::collections::BTreeMap;

use logboom::compiler::{AdHoc, Call, Limits, Target, compile};
use logboom::endpoint::{Argument, Endpoint, Endpoints};
use serde_json::json;

use super::analysis::types;
use super::case::NOW;
use super::data;
use super::service::{Judge, streams};

const FILTERS: &[(&str, &[&str])] = &[
    (
        "edge_logs",
        &[
            "GET",
            "~^GET",
            "event_message:aaa",
            "m.request:NULL",
            "m.request.method:GET",
            "m.request.method:NULL",
            "m.request.path:~^/rest",
            "m.response.status_code:>=400",
            "m.response.status_code:<250.5",
            "m.response.status_code:200..299",
            "m.request.cf.botManagement.detectionIds:@>1",
            "m.request.cf.botManagement.detectionIds:NULL",
            "t:today",
            "t:2024-02-29",
            "t:last@2y",
            "(m.request.method:GET OR m.response.status_code:>=500)",
            "(m.request.method:GET GET)",
        ],
    ),
    (
        "pooler_logs",
        &[
            "m.level:error",
            "m.level:warning..critical",
            "m.context.mfa:@>\"\"",
            "m.context.mfa:@>~.",
            "m.peer_ip:0..5",
        ],
    ),
    (
        "storage_logs",
        &["m.responseTime:>0.5", "m.executionTime:<=100"],
    ),
    ("auth_logs", &["m.metering:true"]),
];

#[test]
fn a_filter_and_its_negation_divide_the_rows() {
    let Some(mut judge) = Judge::start() else {
        return;
    };
    let endpoints = Endpoints::built_in(&Limits::default());
    let endpoint = endpoints.get("logs.all").expect("the endpoint exists");
    let mut ids = |lql: &str| ids(&mut judge, endpoint, lql);
    for (subtable, filters) in FILTERS {
        let all = ids(&format!("f:{subtable} s:id"));
        for filter in *filters {
            let mut ours = ids(&format!("f:{subtable} s:id {filter}"));
            assert!(!ours.is_empty(), "{filter} finds nothing");
            ours.extend(ids(&format!("f:{subtable} s:id -{filter}")));
            ours.sort();
            assert_eq!(ours, all, "{filter}");
        }
    }
}

/// Returns the ids of the rows of a query in LQL, sorted.
fn ids(judge: &mut Judge, endpoint: &Endpoint, lql: &str) -> Vec<String> {
    let project = Argument::Text("demo".to_owned());
    let bound = endpoint
        .bind(&[("project".to_owned(), project)])
        .expect("binds");
    let tables = BTreeMap::new();
    let call = Call {
        ad_hoc: Some(AdHoc::Lql(lql)),
        parameters: &bound.parameters,
        now: NOW,
        max_rows: endpoint.max_rows,
        redaction: None,
        target: &Target::BigQuery { tables },
        limits: &Limits::default(),
    };
    let compiled = compile(&endpoint.query, &call, None).expect("compiles");
    let reply = judge.ask(&json!({
        "cmd": "evaluate",
        "sql": compiled.sql,
        "schema": streams(),
        "params": types(&compiled),
        "values": {"project": "demo"},
        "rows": data::rows(),
    }));
    let reply = reply.unwrap_or_else(|refusal| panic!("{lql}: {refusal}"));
    let rows = reply["rows"].as_array().expect("rows");
    let mut ids: Vec<String> = rows.iter().map(|row| row["id"].to_string()).collect();
    ids.sort();
    ids
}
