//! The command line: results on standard output, the rest on standard error, exit codes.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// What a command did.
struct Done {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs the binary in a folder, without the configuration of whoever runs the tests.
fn run_in(folder: &Path, args: &[&str]) -> Done {
    let mut command = Command::new(env!("CARGO_BIN_EXE_logboom"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("LOGBOOM_") {
            command.env_remove(name);
        }
    }
    let output = command
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("runs");
    Done {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

/// Runs the binary in an empty folder, where the built-in endpoints count.
fn run(args: &[&str]) -> Done {
    let folder = TempDir::new().expect("a folder");
    run_in(folder.path(), args)
}

#[track_caller]
fn check(args: &[&str], code: i32, stdout: &[&str], stderr: &[&str]) {
    let done = run(args);
    let all = format!("{args:?}\n{}\n{}", done.stdout, done.stderr);
    assert_eq!(done.code, Some(code), "{all}");
    for part in stdout {
        assert!(done.stdout.contains(part), "{part:?} in {all}");
    }
    for part in stderr {
        assert!(done.stderr.contains(part), "{part:?} in {all}");
    }
}

const NOW: &str = "2026-03-15T12:00:00Z";
const COMPILE: &[&str] = &[
    "compile",
    "logs.all",
    "--param",
    "project=abc",
    "--now",
    NOW,
];

fn compile<'a>(more: &[&'a str]) -> Vec<&'a str> {
    COMPILE.iter().chain(more).copied().collect()
}

#[test]
fn wrong_usage_is_two() {
    check(&[], 2, &[], &["Usage"]);
    check(&["no-such-command"], 2, &[], &["no-such-command"]);
    check(&["serve", "--listen", "nowhere"], 2, &[], &["--listen"]);
    check(
        &["compile", "logs.all", "--param", "x"],
        2,
        &[],
        &["NAME=VALUE"],
    );
    check(&compile(&["--sql", "a", "--lql", "b"]), 2, &[], &["--lql"]);
    check(&["query", "logs.all", "--now", "noon"], 2, &[], &["--now"]);
    check(&["--version"], 0, &["logboom"], &[]);
}

#[test]
fn compile_prints_the_query() {
    check(&compile(&[]), 0, &["SELECT"], &["project STRING = \"abc\""]);
    check(
        &compile(&["--target", "bigquery", "--sql", "select id from edge_logs"]),
        0,
        &["SELECT", "`id`", "@project"],
        &[],
    );
    let lql = ["--lql", "f:edge_logs refused s:id"];
    check(&compile(&lql), 0, &["STRPOS", "`event_message`"], &[]);
    let embedded = ["--target", "embedded", lql[0], lql[1]];
    check(
        &compile(&embedded),
        0,
        &["\"strpos\"", "\"event_message\""],
        &[],
    );
    let first = run(&compile(&[]));
    assert_eq!(first.stdout, run(&compile(&[])).stdout);
    assert_eq!(first.stdout.trim().lines().count(), 1, "{}", first.stdout);
}

#[test]
fn compile_explains_lql() {
    let lql = "f:edge_logs (m.request.method:GET OR \"é\") -m.request.path:/health s:id";
    let explained = "\n\nSELECT t.id\n\
        FROM edge_logs AS t\n\
        LEFT JOIN UNNEST(t.metadata) AS metadata\n\
        LEFT JOIN UNNEST(metadata.request) AS request\n\
        WHERE (request.method = 'GET' OR STRPOS(t.event_message, 'é') > 0)\n  \
        AND (request.path IS NULL OR NOT request.path = '/health')\n";
    check(&compile(&["--explain", "--lql", lql]), 0, &[explained], &[]);
    let done = run(&compile(&["--json", "--explain", "--lql", lql]));
    let object: Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert_eq!(object["explained"].as_str(), Some(explained.trim()));
    check(
        &compile(&["--explain", "--sql", "select 1"]),
        2,
        &[],
        &["--lql"],
    );
}

#[test]
fn compile_prints_json() {
    let done = run(&compile(&[
        "--json",
        "--sql",
        "select id, 1 as one from edge_logs",
    ]));
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let object: Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert!(object["sql"].as_str().expect("text").contains("SELECT"));
    assert_eq!(object["columns"][0]["name"], "id");
    assert_eq!(object["columns"][1]["type"], "INT64");
    assert_eq!(object["parameters"][0]["value"], "abc");
    assert_eq!(object["reads"][0], "edge");
}

#[test]
fn compile_traces_every_stage() {
    check(&compile(&["--trace"]), 0, &["SELECT"], &["-- "]);
}

#[test]
fn refused_queries_are_drawn() {
    check(
        &compile(&["--sql", "select id, nope from edge_logs"]),
        1,
        &[],
        &[
            "LB202",
            "--> sql:1:12",
            "select id, nope from edge_logs",
            "^^^^",
        ],
    );
    check(&["compile", "logs.all"], 1, &[], &["LB401", "project"]);
    check(
        &["compile", "nothing"],
        1,
        &[],
        &["logs.all", "usage.api-counts"],
    );
    check(
        &compile(&["--lql", "f:edge_logs m.requst.path:x"]),
        1,
        &[],
        &["LB202", "--> lql:1:15", "^^^^^^", "did you mean `request`?"],
    );
}

#[test]
fn compile_shows_what_is_redacted() {
    let sql = ["--sql", "select upper(event_message) as e from edge_logs"];
    let redacted = |more: &[&'static str]| {
        let args: Vec<&str> = sql.iter().chain(more).copied().collect();
        compile(&args)
    };
    let trace = redacted(&["--redact", "--trace"]);
    check(
        &trace,
        0,
        &["\"redact\"("],
        &["UPPER(REDACT(`edge_logs_2`.`event_message`))"],
    );
    let bigquery = redacted(&["--redact", "--target", "bigquery"]);
    check(
        &bigquery,
        0,
        &["@redact_ip", "@redact_email"],
        &["redact_ip STRING ="],
    );
    let plain = run(&redacted(&[]));
    assert!(!plain.stdout.contains("redact"), "{}", plain.stdout);
}

#[test]
fn an_endpoint_demands_redaction_under_rules_of_the_operator() {
    let folder = TempDir::new().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("writes");
    };
    std::fs::create_dir_all(folder.path().join("endpoints")).expect("a folder");
    let settings = "id = \"0d9f1a6e-58b5-4a92-9f0c-2f6a4c1f7f10\"\nredact_pii = true\n";
    write("endpoints/a.toml", settings);
    write(
        "endpoints/a.sql",
        "SELECT 'acct-1' AS a, b'x' AS b, 1 AS n UNION ALL SELECT 'acct-2', b'y', 2",
    );
    write(
        "logboom.toml",
        "[redaction]\nrules = []\n[redaction.patterns]\naccount = 'acct-[0-9]'\n",
    );
    let done = run_in(folder.path(), &["compile", "a"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stdout.contains("'=acct-[0-9]'"), "{}", done.stdout);
    write("logboom.toml", "[redaction.patterns]\naccount = 'x*'\n");
    let done = run_in(folder.path(), &["compile", "a"]);
    assert_eq!(done.code, Some(1), "{}", done.stdout);
    assert!(
        done.stderr
            .contains("logboom.toml:1:2: the pattern `account` can match the empty text"),
        "{}",
        done.stderr
    );
}

#[test]
fn redact_shows_what_each_rule_catches() {
    let text = "10.0.0.1 bob@example.com +14155550123";
    let expected = [
        "ip      on   10.0.0.1\n",
        "email   on   bob@example.com\n",
        "phone   off  +14155550123\n",
        "card    off\n",
        "\nREDACTED REDACTED +14155550123\n",
    ];
    check(&["redact", text], 0, &expected, &[]);
    let done = run(&["redact", text, "--json"]);
    let json: Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert_eq!(json["rules"][0]["caught"][0], "10.0.0.1");
    assert_eq!(json["redacted"], "REDACTED REDACTED +14155550123");
}

#[test]
fn broken_endpoints_stop_everything() {
    let folder = TempDir::new().expect("a folder");
    let endpoints = folder.path().join("endpoints");
    std::fs::create_dir_all(&endpoints).expect("a folder");
    std::fs::write(endpoints.join("a.toml"), "idd = 1\n").expect("writes");
    std::fs::write(endpoints.join("a.sql"), "select 1").expect("writes");
    for command in [&["check"] as &[&str], &["serve"], &["compile", "a"]] {
        let done = run_in(folder.path(), command);
        assert_eq!(done.code, Some(1), "{command:?}: {}", done.stderr);
        let told = format!("{}{}", done.stdout, done.stderr);
        assert!(told.contains("a.toml"), "{command:?}: {told}");
        assert!(!done.stdout.contains("listening"), "{command:?}");
    }
}

#[test]
fn shipped_endpoints_are_sound() {
    check(&["check"], 0, &[], &[]);
}

#[cfg(feature = "embedded")]
#[test]
fn no_token_and_an_open_address() {
    check(
        &["serve", "--listen", "0.0.0.0:0", "--data", "data"],
        1,
        &[],
        &["token create"],
    );
}

#[cfg(feature = "embedded")]
#[test]
fn query_prints_rows() {
    let folder = TempDir::new().expect("a folder");
    let row = r#"{"id":"a1","timestamp":"2026-03-15T11:00:00Z","event_message":"one\u001b[2J","project":"abc","metadata":[{}]}"#;
    std::fs::write(folder.path().join("edge.ndjson"), row).expect("writes");
    let import = ["import", "edge", "edge.ndjson", "--data", "data"];
    let done = run_in(folder.path(), &import);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let sql = "select id, timestamp, event_message from edge_logs";
    let query = [
        "query",
        "logs.all",
        "--param",
        "project=abc",
        "--sql",
        sql,
        "--data",
        "data",
        "--now",
        NOW,
    ];
    let done = run_in(folder.path(), &query);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert!(lines[0].starts_with("id  timestamp"), "{}", done.stdout);
    assert_eq!(lines[2], "a1  2026-03-15T11:00:00Z  one\\u{1b}[2J");

    let json: Vec<&str> = query.iter().chain(&["--json"]).copied().collect();
    let done = run_in(folder.path(), &json);
    let rows: Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert_eq!(rows[0]["timestamp"], 1_773_572_400_000_000_i64);
}

#[cfg(not(feature = "embedded"))]
#[test]
fn commands_that_need_the_engine_say_so() {
    for command in [&["query", "logs.all"] as &[&str], &["serve"]] {
        check(command, 1, &[], &["embedded"]);
    }
}
