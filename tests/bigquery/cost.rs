//! What saves money: the text that BigQuery gets has bare conditions on the column that tables are
//! partitioned by, and reads the tables that the caller asked for.

use std::collections::BTreeMap;

use logboom::compiler::ir::StreamName;
use logboom::compiler::{AdHoc, Call, Compiled, Limits, Target, compile};
use logboom::endpoint::{Argument, Endpoints};

fn compiled(endpoint: &str, parameters: &[(&str, &str)], sql: Option<&str>) -> Compiled {
    let endpoints = Endpoints::built_in(&Limits::default());
    let endpoint = endpoints.get(endpoint).unwrap();
    let arguments: Vec<(String, Argument)> = parameters
        .iter()
        .map(|(name, value)| ((*name).to_owned(), Argument::Text((*value).to_owned())))
        .collect();
    let tables: BTreeMap<StreamName, String> = endpoints
        .catalog()
        .streams()
        .map(|(name, _)| (name.clone(), format!("p.d.{name}")))
        .collect();
    let call = Call {
        ad_hoc: sql.map(AdHoc::Sql),
        parameters: &endpoint.bind(&arguments).unwrap().parameters,
        now: 0,
        max_rows: endpoint.max_rows,
        redaction: None,
        target: &Target::BigQuery { tables },
        limits: &Limits::default(),
    };
    compile(&endpoint.query, &call, None).unwrap()
}

#[track_caller]
fn check(compiled: &Compiled, filter: &str, tables: &[&str]) {
    assert!(
        compiled.sql.contains(filter),
        "{filter} in {}",
        compiled.sql
    );
    let reads: Vec<&str> = compiled.reads.iter().map(StreamName::as_str).collect();
    assert_eq!(reads, tables);
    let named = compiled.sql.matches("`p`.`d`.").count();
    assert_eq!(named, tables.len(), "{}", compiled.sql);
    for table in tables {
        assert!(
            compiled.sql.contains(&format!("`p`.`d`.`{table}`")),
            "{}",
            compiled.sql
        );
    }
}

#[test]
fn a_window_is_a_bare_range_and_only_named_tables_are_read() {
    let start = ("iso_timestamp_start", "2026-03-01T00:00:00Z");
    let end = ("iso_timestamp_end", "2026-03-02T00:00:00Z");
    let project = ("project", "a");
    let range = "WHERE ((`t`.`project` = @project) AND (`t`.`timestamp` > @iso_timestamp_start) \
                 AND (`t`.`timestamp` <= @iso_timestamp_end))";
    check(
        &compiled("logs.all", &[project, start, end], None),
        range,
        &["edge"],
    );
    check(
        &compiled(
            "logs.all",
            &[project, start, end],
            Some("select id from auth_logs"),
        ),
        range,
        &["auth"],
    );
    check(
        &compiled(
            "logs.all",
            &[project, start, end],
            Some("select a.id from auth_logs as a join database_logs as b on a.id = b.id"),
        ),
        range,
        &["auth", "database"],
    );
    check(
        &compiled("logs.all", &[project, start], None),
        "WHERE ((`t`.`project` = @project) AND (`t`.`timestamp` > @iso_timestamp_start))",
        &["edge"],
    );
    let all = compiled("logs.all", &[project], None);
    check(&all, "WHERE (`t`.`project` = @project)", &["edge"]);
    let used: Vec<&str> = all.parameters.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(used, ["project"]);
}

#[test]
fn an_interval_leaves_one_bare_bound() {
    for (interval, bound) in [
        ("minutely", "INTERVAL 60 MINUTE"),
        ("hourly", "INTERVAL 1 HOUR"),
        ("daily", "INTERVAL 7 DAY"),
    ] {
        let parameters = [("project", "a"), ("interval", interval)];
        let compiled = compiled("usage.api-counts", &parameters, None);
        let filter = format!("(`t`.`timestamp` >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), {bound}))");
        check(&compiled, &filter, &["edge"]);
        assert!(!compiled.sql.contains("CASE"), "{}", compiled.sql);
    }
}
