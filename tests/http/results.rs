//! How results are given: kept, in formats, to tools.

use crate::server::{BULK, Server};
use crate::{COUNTS, LOGS};

#[test]
fn results_of_usage_counts_are_kept() {
    let server = Server::start();
    let counts = |sql: &str| {
        let call = server.call("GET", COUNTS).param("project", "alpha");
        call.param("interval", "hourly").param("sql", sql)
    };
    let first = counts("").answer();
    assert_eq!(first.rows().len(), 1);
    assert_eq!(
        first.header("cache-status"),
        Some("logboom; fwd=miss; stored")
    );
    assert!(
        first
            .header("cache-control")
            .expect("a header")
            .starts_with("private, max-age=")
    );
    let again = counts("").answer();
    assert!(
        again
            .header("cache-status")
            .expect("a header")
            .starts_with("logboom; hit; ttl=")
    );
    assert_eq!(again.body, first.body);
    let tag = first.header("etag").expect("a tag");
    let known = counts("").header("if-none-match", tag).answer();
    assert_eq!((known.status, known.body.len()), (304, 0));

    let sql = "select sum(total_rest_requests) as n from chart_counts";
    assert_eq!(counts(sql).answer().column("n"), [2]);
    let respelt =
        counts("SELECT SUM(total_rest_requests) AS n -- again\nFROM chart_counts").answer();
    assert_eq!(respelt.column("n"), [2]);
    assert!(
        respelt
            .header("cache-status")
            .expect("a header")
            .contains("hit")
    );
    // Logs are not kept.
    let logs = server.logs().answer();
    assert_eq!(logs.header("cache-status"), Some("logboom; fwd=bypass"));
    assert_eq!(logs.header("cache-control"), Some("private, no-store"));
}

#[test]
fn formats_and_codings() {
    let server = Server::start();
    let call = |accept: &str| {
        let sql = "select id, timestamp, null as nothing, metadata from edge_logs \
                   where id in ('a1', 'a2') order by id";
        server.sql(sql).header("accept", accept)
    };
    let csv = call("text/csv").answer();
    assert_eq!(csv.status, 200);
    let text = String::from_utf8(csv.body.clone()).expect("text");
    let lines: Vec<&str> = text.split("\r\n").collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0], "id,timestamp,nothing,metadata");
    assert!(
        lines[1].starts_with("a1,1773572400000000,,\"[{\"\""),
        "{text}"
    );
    let lines = call("application/x-ndjson").answer();
    let text = String::from_utf8(lines.body.clone()).expect("text");
    let rows: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(rows, call("application/json").answer().rows());

    let all = server.sql("select id from edge_logs order by id");
    let plain = all.answer();
    for coding in ["gzip", "zstd"] {
        let coded = server
            .sql("select id from edge_logs order by id")
            .header("accept-encoding", coding)
            .answer();
        assert_eq!(coded.header("content-encoding"), Some(coding));
        assert!(coded.body.len() * 2 < plain.body.len(), "{coding}");
        assert_ne!(coded.header("etag"), plain.header("etag"));
    }
    const { assert!(BULK > 1000, "there is something to compress") };
}

#[test]
fn what_tools_are_told() {
    let server = Server::start();
    server.logs().answer().rows();
    let description = server.call("GET", "/api/openapi.json").answer().json();
    let paths = description["paths"].as_object().expect("paths");
    let names: Vec<&str> = paths.keys().map(String::as_str).collect();
    assert_eq!(names, [LOGS, COUNTS]);
    let metrics = server.anonymous("/metrics").answer();
    let text = String::from_utf8(metrics.body.clone()).expect("text");
    let count = "logboom_query_seconds_count{endpoint=\"logs.all\"} 1";
    assert!(text.lines().any(|line| line == count), "{text}");
    assert_eq!(server.healthcheck().trim(), "{\"status\":\"ok\"}");
}
