//! Drives the real binary over a socket, on logs imported for the occasion, with its clock frozen.
#![cfg(feature = "embedded")]
#![expect(
    clippy::indexing_slicing,
    reason = "an answer of another shape fails the test"
)]

mod client;
mod results;
mod server;

use std::thread;

use serde_json::{Value, json};

use client::Call;
use server::{BULK, Server};

const LOGS: &str = "/api/endpoints/query/logs.all";
const COUNTS: &str = "/api/endpoints/query/usage.api-counts";

/// 2026-03-15T11:30:00Z in microseconds.
const A4: i64 = 1_773_574_200_000_000;

#[test]
fn stored_query_of_logs() {
    let server = Server::start();
    let answer = server.logs().answer();
    let rows = answer.rows();
    assert_eq!(rows.len(), 100);
    let ids: Vec<&str> = rows
        .iter()
        .take(6)
        .map(|row| row["id"].as_str().expect("an id"))
        .collect();
    assert_eq!(ids, ["a5", "a4", "a3", "a2", "a1", "bulk-1499"]);
    let columns: Vec<&String> = rows[0].as_object().expect("an object").keys().collect();
    assert_eq!(columns, ["id", "timestamp", "event_message", "metadata"]);
    assert_eq!(rows[1]["timestamp"], A4);
    assert_eq!(rows[1]["event_message"], "500 /rest/v1/items");
    // A repeated record is an array at every level.
    assert_eq!(
        rows[1]["metadata"][0]["request"][0]["headers"][0]["cf_connecting_ip"],
        "192.0.2.7"
    );
    assert_eq!(rows[1]["metadata"][0]["response"][0]["status_code"], 500);
    assert_eq!(rows[1]["metadata"][0]["request"][0]["host"], Value::Null);
    assert_eq!(answer.header("x-result-truncated"), None);
    assert!(
        answer
            .header("server-timing")
            .expect("a header")
            .contains("run;dur=")
    );
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
}

#[test]
fn window_bounds() {
    let server = Server::start();
    let ids = |start: &str, end: &str| {
        server
            .sql("select id from edge_logs order by timestamp")
            .param("iso_timestamp_start", start)
            .param("iso_timestamp_end", end)
            .answer()
            .column("id")
    };
    // The lower bound is exclusive, the upper inclusive.
    let all = ["a1", "a2", "a3", "a4", "a5"];
    assert_eq!(
        ids("2026-03-15T11:00:00Z", "2026-03-15T11:20:00Z"),
        all[1..3]
    );
    assert_eq!(
        ids("2026-03-15T11:00:00.000Z", "2026-03-15T11:19:59.999Z"),
        all[1..2]
    );
    assert_eq!(ids("2026-03-15T10:59:59.999Z", ""), all);
    assert_eq!(ids("2026-03-15T13:00:00+02:00", ""), all[1..]);
    assert_eq!(ids("", "").len(), 1000);
    assert_eq!(ids("", "2026-02-28T00:00:00Z"), Vec::<Value>::new());
    let error = server
        .logs()
        .param("iso_timestamp_start", "yesterday")
        .answer()
        .error(400);
    assert!(!error["message"].as_str().expect("text").is_empty());
}

#[test]
fn usage_counts() {
    let server = Server::start();
    let counts = |interval: &str| {
        server
            .call("GET", COUNTS)
            .param("project", "alpha")
            .param("interval", interval)
            .answer()
    };
    assert_eq!(
        counts("hourly").rows(),
        [json!({
            "timestamp": "2026-03-15T11:00:00",
            "total_rest_requests": 2,
            "total_storage_requests": 1,
            "total_auth_requests": 1,
            "total_realtime_requests": 1,
        })]
    );
    assert_eq!(counts("daily").column("timestamp"), ["2026-03-15T00:00:00"]);
    assert_eq!(counts("minutely").rows().len(), 5);
    let error = counts("weekly").error(400);
    assert_eq!(error["errors"][0]["code"], "LB403");
    let message = error["message"].as_str().expect("text");
    assert!(message.contains("interval"), "{message}");
    assert!(error.to_string().contains("minutely"), "{error}");
}

#[test]
fn two_levels_of_unnest() {
    let server = Server::start();
    let answer = server
        .sql(
            "select r.path, count(*) as n from edge_logs cross join unnest(metadata) as m \
             cross join unnest(m.request) as r where timestamp > '2026-03-15' \
             group by path order by n desc, path limit 5",
        )
        .answer();
    assert_eq!(
        answer.rows(),
        [
            json!({"path": "/rest/v1/items", "n": 2}),
            json!({"path": "/auth/v1/token", "n": 1}),
            json!({"path": "/realtime/v1/socket", "n": 1}),
            json!({"path": "/storage/v1/object", "n": 1}),
        ]
    );
}

#[test]
fn rows_of_other_projects_stay_out() {
    let server = Server::start();
    for sql in [
        "select count(*) as n from edge_logs where id in ('b1', 'b2')",
        "select count(*) as n from edge_logs where event_message like '%secret%' or 1 = 1 and id like 'b_'",
        "with edge as (select * from edge_logs) select count(*) as n from edge where id like 'b_'",
    ] {
        assert_eq!(server.sql(sql).answer().column("n"), [0], "{sql}");
    }
    let mine = server
        .call("GET", LOGS)
        .param("project", "beta")
        .param("sql", "select id from edge_logs order by id")
        .answer();
    assert_eq!(mine.column("id"), ["b1", "b2"]);
}

#[test]
fn refused_queries_name_the_place() {
    let server = Server::start();
    let error = server
        .sql("select id,\n  event_mesage\nfrom edge_logs")
        .answer()
        .error(400);
    assert_eq!(error["status"], "INVALID_ARGUMENT");
    let first = &error["errors"][0];
    assert_eq!(first["code"], "LB202");
    assert_eq!(first["reason"], "invalidQuery");
    assert_eq!(
        (
            &first["line"],
            &first["column"],
            &first["offset"],
            &first["length"]
        ),
        (&json!(2), &json!(3), &json!(13), &json!(12))
    );
    assert!(
        first["help"]
            .as_str()
            .expect("help")
            .contains("event_message")
    );

    let error = server.sql("select * from edge").answer().error(400);
    assert_eq!(error["errors"][0]["code"], "LB201");
    let text = error.to_string();
    for subtable in [
        "edge_logs",
        "database_logs",
        "pooler_logs",
        "function_edge_logs",
    ] {
        assert!(text.contains(subtable), "{text}");
    }
    // The one mention of the stream is the caller's own.
    for stream in ["`database`", "`pooler`", "`function_edge`"] {
        assert!(!text.contains(stream), "{text}");
    }

    for (sql, code) in [
        ("-- nothing", "LB106"),
        ("select 1; drop table edge_logs", "LB301"),
        ("select 'it", "LB102"),
    ] {
        let error = server.sql(sql).answer().error(400);
        assert_eq!(error["errors"][0]["code"], code, "{sql}: {error}");
    }
    // A blank `sql` is none, as a form sends it.
    assert_eq!(server.sql(" ").answer().rows().len(), 100);
    assert_eq!(server.sql("").answer().rows().len(), 100);
}

#[test]
fn at_most_max_rows() {
    let server = Server::start();
    let answer = server
        .sql("select id from edge_logs order by timestamp limit 5000")
        .answer();
    assert_eq!(answer.rows().len(), 1000);
    assert_eq!(answer.header("x-result-truncated"), Some("true"));
    let answer = server.sql("select id from edge_logs limit 1000").answer();
    assert_eq!(answer.rows().len(), 1000);
    assert_eq!(answer.header("x-result-truncated"), None);
    let answer = server.sql("select count(*) as n from edge_logs").answer();
    assert_eq!(answer.column("n"), [BULK + 5]);
}

#[test]
fn tokens() {
    let server = Server::with_tokens(&[
        &[
            "--name",
            "counts",
            "--endpoint",
            "usage.api-counts",
            "--scope",
            "none",
        ],
        &[
            "--name",
            "beta",
            "--pin",
            "project=beta",
            "--scope",
            "sandbox",
        ],
        &["--name", "foreign", "--pin", "tenant=x"],
    ]);
    let [counts, pinned, foreign] = server.tokens.as_slice() else {
        panic!("three tokens");
    };
    let answer = server.anonymous(LOGS).param("project", "alpha").answer();
    assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    assert_eq!(answer.error(401)["status"], "UNAUTHENTICATED");
    let with = |token: &str| {
        server
            .anonymous(LOGS)
            .header("authorization", &format!("Bearer {token}"))
    };
    with("wrong").param("project", "alpha").answer().error(401);
    let rows = with(&server.token).param("project", "alpha").answer();
    assert_eq!(rows.rows().len(), 100);

    // Names cannot be probed: an endpoint that a token may not know does not exist for it.
    let hidden = with(counts).param("project", "alpha").answer().error(404);
    let missing = server
        .anonymous("/api/endpoints/query/none")
        .header("X-API-KEY", counts)
        .answer()
        .error(404);
    assert_eq!(hidden["message"], missing["message"]);

    // A token without the scope may call, but may not bring a query.
    let error = server
        .anonymous(COUNTS)
        .header("X-API-KEY", counts)
        .param("project", "alpha")
        .param("interval", "daily")
        .param("sql", "select 1")
        .answer()
        .error(403);
    assert_eq!(error["status"], "PERMISSION_DENIED");

    let ids = with(pinned)
        .param("sql", "select id from edge_logs order by id")
        .answer();
    assert_eq!(ids.column("id"), ["b1", "b2"]);
    for name in ["project", "PROJECT"] {
        with(pinned).param(name, "alpha").answer().error(403);
    }
    // A pin that the endpoint has no parameter for would restrict nothing.
    with(foreign).param("project", "alpha").answer().error(403);
}

#[test]
fn parameters() {
    let server = Server::start();
    let error = server.call("GET", LOGS).answer().error(400);
    assert_eq!(error["errors"][0]["code"], "LB401");
    assert_eq!(error["errors"][0]["reason"], "required");
    assert!(error["message"].as_str().expect("text").contains("project"));

    let answer = server
        .logs()
        .param("zone", "x")
        .param("a b,c", "y")
        .answer();
    assert_eq!(answer.rows().len(), 100);
    assert_eq!(
        answer.header("x-ignored-parameters"),
        Some("zone, a%20b%2Cc")
    );

    let error = server.logs().param("project", "beta").answer().error(400);
    assert_eq!(error["errors"][0]["code"], "LB407");

    let raw = server.anonymous(&format!("{LOGS}?project=%FF"));
    raw.header("X-API-KEY", &server.token).answer().error(400);
}

#[test]
fn by_id() {
    let server = Server::start();
    let id = shipped_id();
    let answer = server
        .call("GET", &format!("/api/endpoints/query/{id}"))
        .param("project", "alpha")
        .header("content-type", "application/json; charset=utf-8")
        .answer();
    assert_eq!(answer.body, server.logs().answer().body);
    let error = server
        .call(
            "GET",
            "/api/endpoints/query/00000000-0000-4000-8000-000000000000",
        )
        .answer()
        .error(404);
    assert_eq!(error["status"], "NOT_FOUND");
}

/// Returns the id of `logs.all` as shipped.
fn shipped_id() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/endpoints/logs.all.toml");
    let text = std::fs::read_to_string(path).expect("the shipped endpoint");
    let definition: toml::Table = text.parse().expect("TOML");
    definition["id"].as_str().expect("an id").to_owned()
}

#[test]
fn post_with_a_json_object() {
    let server = Server::start();
    let sql = "select id from edge_logs where timestamp > '2026-03-15' order by id limit 2";
    let body = json!({"project": "alpha", "sql": sql}).to_string();
    let answer = server.call("POST", LOGS).json(&body).answer();
    assert_eq!(answer.column("id"), ["a1", "a2"]);

    // The two places may be mixed; `sql` of the query string counts first.
    let answer = server
        .call("POST", LOGS)
        .param("sql", "select count(*) as n from edge_logs")
        .json(&body)
        .answer();
    assert_eq!(answer.column("n"), [BULK + 5]);

    server
        .call("POST", LOGS)
        .body("text/plain", body.as_bytes())
        .answer()
        .error(415);
    for broken in ["[]", "{", r#"{"project":"alpha","project":"beta"}"#] {
        server.call("POST", LOGS).json(broken).answer().error(400);
    }
    let long = json!({"project": "alpha", "sql": "x".repeat(4 << 20)}).to_string();
    let error = server.call("POST", LOGS).json(&long).answer().error(413);
    assert!(
        error["message"]
            .as_str()
            .expect("text")
            .contains("max_body_bytes")
    );
}

#[test]
fn methods() {
    let server = Server::start();
    let get = server.logs().answer();
    let head = server.call("HEAD", LOGS).param("project", "alpha").answer();
    assert_eq!(head.status, 200);
    assert_eq!(head.body, b"");
    assert_eq!(head.header("content-length"), get.header("content-length"));
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS"] {
        let answer = server.call(method, LOGS).param("project", "alpha").answer();
        assert_eq!(answer.header("allow"), Some("GET, HEAD, POST"), "{method}");
        answer.error(405);
    }
    server
        .logs()
        .header("accept", "text/html")
        .answer()
        .error(406);
    server
        .logs()
        .header("accept", "text/html, */*;q=0.1")
        .answer()
        .rows();
}

#[test]
fn redaction_by_header() {
    let server = Server::start();
    let ip = |value: Option<&str>| {
        let mut call = server.logs();
        if let Some(value) = value {
            call = call.header("svc-endpoint-redact-pii", value);
        }
        let answer = call.answer();
        let rows = answer.rows();
        assert_eq!(rows.len(), 100);
        assert_eq!(rows[0]["id"], "a5");
        assert_eq!(rows[0]["event_message"], "101 /realtime/v1/socket");
        rows[0]["metadata"][0]["request"][0]["headers"][0]["cf_connecting_ip"].clone()
    };
    assert_eq!(ip(None), "192.0.2.7");
    assert_eq!(ip(Some("false")), "192.0.2.7");
    assert_eq!(ip(Some("true")), "REDACTED");
    assert_eq!(ip(Some("TRUE")), "REDACTED");
    let sql = "select reverse(h.cf_connecting_ip) as ip, count(*) as n from edge_logs cross join unnest(metadata) as m \
               cross join unnest(m.request) as r cross join unnest(r.headers) as h group by ip";
    let call = server.sql(sql).header("SVC-ENDPOINT-REDACT-PII", "True");
    assert_eq!(
        call.answer().rows(),
        [json!({"ip": "DETCADER", "n": BULK + 5})]
    );
}

/// An engine tells the value that it cannot cast; neither the caller nor the log of a redacted call sees it.
#[test]
fn failures_under_redaction() {
    let server = Server::start();
    let sql = "select cast(h.cf_connecting_ip as int64) as n from edge_logs cross join unnest(metadata) as m \
               cross join unnest(m.request) as r cross join unnest(r.headers) as h";
    let call = server.sql(sql).header("SVC-ENDPOINT-REDACT-PII", "true");
    let error = call.header("x-request-id", "failed-1").answer().error(400);
    assert!(!error.to_string().contains("192.0"), "{error}");
    let lines = server.log_until("status=400");
    assert!(
        lines
            .iter()
            .any(|line| line.contains("request failed") && line.contains("REDACTED")),
        "{lines:?}"
    );
    assert!(
        !lines.iter().any(|line| line.contains("192.0.2")),
        "{lines:?}"
    );
}

#[test]
fn redaction_that_an_endpoint_demands() {
    let tokens: &[&[&str]] = &[
        &["--name", "some"],
        &["--name", "every", "--scope", "unredacted"],
    ];
    let settings = "id = \"0d9f1a6e-58b5-4a92-9f0c-2f6a4c1f7f10\"\nredact_pii = true\n";
    let sql = "SELECT h.cf_connecting_ip AS ip FROM edge AS t CROSS JOIN UNNEST(t.metadata) AS m CROSS JOIN \
               UNNEST(m.request) AS r CROSS JOIN UNNEST(r.headers) AS h WHERE t.id = 'a1'";
    let server = Server::with_endpoint(tokens, "ips", settings, sql);
    let ip = |token: usize, value: Option<&str>| {
        let mut call = server
            .anonymous("/api/endpoints/query/ips")
            .header("X-API-KEY", &server.tokens[token]);
        if let Some(value) = value {
            call = call.header("SVC-ENDPOINT-REDACT-PII", value);
        }
        call.answer().column("ip")
    };
    assert_eq!(ip(0, None), ["REDACTED"]);
    assert_eq!(ip(0, Some("false")), ["REDACTED"]);
    assert_eq!(ip(1, None), ["REDACTED"]);
    assert_eq!(ip(1, Some("true")), ["REDACTED"]);
    assert_eq!(ip(1, Some("false")), ["192.0.2.7"]);
}

#[test]
fn lql_reads_a_sub_table() {
    let server = Server::start();
    let lql = |text: &str| server.logs().param("lql", text).answer();
    let rows = lql("f:edge_logs s:id s:m.request.method@method m.request.method:~.").rows();
    let columns: Vec<&String> = rows[0].as_object().expect("a row").keys().collect();
    assert_eq!(columns, ["id", "method"]);
    // A text of nothing is none.
    assert_eq!(lql("  ").rows().len(), 100);
    // `sql` counts before `lql`.
    let both = server.sql("select 1 as one").param("lql", "f:").answer();
    assert_eq!(both.column("one"), [1]);
    let refused = lql("f:edge_logs -m.request.method:>NULL").error(400);
    let error = &refused["errors"][0];
    assert_eq!(error["code"], "LB156");
    assert_eq!(error["offset"], 12);
    assert_eq!(error["length"], 23);
}

#[test]
fn request_ids() {
    let server = Server::start();
    let answer = server.logs().header("x-request-id", "mine-1").answer();
    assert_eq!(answer.header("x-request-id"), Some("mine-1"));
    let answer = server.logs().header("x-request-id", "not mine").answer();
    let id = answer.header("x-request-id").expect("an id");
    assert_eq!(id.len(), 36, "{id}");
}

#[test]
fn long_queries_in_the_url() {
    let server = Server::start();
    let comment = "/* é+ */".repeat(1800);
    let sql = format!("select {comment} id from edge_logs order by timestamp desc limit 1");
    assert!(sql.len() > 16_000);
    assert_eq!(server.sql(&sql).answer().column("id"), ["a5"]);
    let answer = server.sql(&"x".repeat(200_000)).send();
    drop(answer);
    assert_eq!(server.logs().answer().rows().len(), 100);
}

#[test]
fn health() {
    let server = Server::start();
    for path in ["/healthz", "/readyz"] {
        let answer = server.anonymous(path).answer();
        assert_eq!(
            (answer.status, answer.json()),
            (200, json!({"status": "ok"}))
        );
    }
    server.anonymous("/").answer().error(404);
    server
        .anonymous("/api/endpoints/query/")
        .answer()
        .error(404);
}

#[test]
fn leaving_ends_the_query() {
    let server = Server::start();
    let heavy = "select count(*) as n from edge_logs a cross join edge_logs b cross join edge_logs c \
                 where a.event_message < b.event_message and b.id < c.id and c.id < a.id";
    let left: Vec<_> = (0..3).map(|_| server.sql(heavy).send()).collect();
    // Connections are accepted in turn, so by now the three are at work.
    assert_eq!(server.logs().answer().rows().len(), 100);
    drop(left);
    for _ in 0..3 {
        server.wait_for_log("status=499");
    }
    assert_eq!(server.logs().answer().rows().len(), 100);
}

#[test]
fn many_at_once() {
    let server = Server::start();
    thread::scope(|scope| {
        let calls: Vec<_> = (0..10)
            .map(|n| {
                let call: Call<'static> = server.sql(&format!(
                    "select id from edge_logs order by timestamp desc limit {}",
                    n + 1
                ));
                (n + 1, scope.spawn(move || call.answer()))
            })
            .collect();
        for (n, call) in calls {
            assert_eq!(call.join().expect("an answer").rows().len(), n);
        }
    });
}

#[cfg(unix)]
#[test]
fn orderly_end() {
    let server = Server::start();
    assert_eq!(server.logs().answer().status, 200);
    assert_eq!(server.terminate(), Some(0));
}
