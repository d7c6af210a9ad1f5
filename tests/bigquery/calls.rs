//! Calls of the real service: what BigQuery is told of them, and what callers are told of its failures.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::fake::{Act, Fake, Habits, Op, failure};
use super::service::{Folder, Server};

const SETTINGS: &str = "id = '7f0d9a52-5f0e-4b45-9a0e-0f6f1f2f3f4f'\nmaximum_bytes_billed = 1234\n\
                        labels = ['team']\n[parameters.n]\ntype = 'string'\nrequired = true\n";
const SQL: &str = "WITH t AS (SELECT id FROM edge) SELECT @n AS n, COUNT(*) AS row FROM t";
const PATH: &str = "/api/endpoints/query/count";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.add("count", SETTINGS, SQL);
    folder
}

/// Calls the service from a thread that may wait for it.
async fn get(server: &std::sync::Arc<Server>, headers: &'static str) -> (u16, String, Json) {
    let server = std::sync::Arc::clone(server);
    let call = move || server.get_with(PATH, &[("n", "a")], headers);
    tokio::task::spawn_blocking(call).await.unwrap()
}

#[tokio::test]
async fn a_call_is_accounted_for() {
    let fake = Fake::start(Habits::default()).await;
    let server = folder().serve(&fake.address.to_string()).into();
    let headers = "SVC-ENDPOINT-LABELS: Team=SRE, token=mine, other=x\r\n";
    let (status, head, body) = get(&server, headers).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(body, json!({"result": [{"n": "a", "row": 0}]}));
    assert!(head.contains("billed;desc=\"10485760 bytes\""), "{head}");
    let asked = &fake.seen(Op::Query)[0].body;
    assert_eq!(asked["maximumBytesBilled"], "1234");
    assert_eq!(
        asked["labels"],
        json!({"endpoint": "count", "token": "all", "team": "sre"})
    );
    // An emulator is not asked for tables that it does not know.
    assert!(fake.seen(Op::DryRun).is_empty());
}

#[tokio::test]
async fn failures_are_told_without_names() {
    let fake = Fake::start(Habits::default()).await;
    let server = folder().serve(&fake.address.to_string()).into();
    let secret = "p:d.edge has 10.1.2.3";
    for (reason, http, status, code) in [
        ("notFound", 404, 502, "LB504"),
        ("accessDenied", 403, 502, "LB504"),
        ("accessNotConfigured", 403, 502, "LB504"),
        ("quotaExceeded", 403, 503, "LB504"),
        ("invalidQuery", 400, 400, "LB501"),
        ("resourcesExceeded", 400, 429, "LB502"),
        ("stopped", 400, 504, "LB503"),
    ] {
        fake.script(Op::Query, [failure(http, reason, secret)]);
        let (found, _, body) = get(&server, "").await;
        assert_eq!(found, status, "{reason}: {body}");
        assert_eq!(body["error"]["errors"][0]["code"], code, "{reason}");
        let text = body.to_string();
        assert!(
            !text.contains("edge") && !text.contains("10.1.2.3"),
            "{text}"
        );
    }
    let message = "Query exceeded limit for bytes billed: 1234. 10485760 or higher required.";
    fake.script(
        Op::Query,
        [failure(400, "bytesBilledLimitExceeded", message)],
    );
    let (found, _, body) = get(&server, "").await;
    assert_eq!(found, 400, "{body}");
    let error = &body["error"]["errors"][0];
    assert_eq!(error["code"], "LB505");
    assert_eq!(error["reason"], "bytesBilledLimitExceeded");
    assert_eq!(
        error["help"],
        "it needs 10485760 bytes, the limit is 1234 (maximum_bytes_billed); narrow the time window, or \
         read fewer columns and rows"
    );
}

/// Returns a folder that sends its queries to a server with credentials, as to BigQuery itself.
fn guarded_folder(fake: &Fake) -> Folder {
    let api = format!("http://{}", fake.address);
    let person = json!({
        "type": "authorized_user",
        "client_id": "id",
        "client_secret": "secret",
        "refresh_token": "refresh",
        "token_uri": format!("{api}/token"),
    });
    let folder = folder();
    folder.connect(&api, &person);
    folder
}

/// Returns what is counted of queries that the guard refused.
async fn guard_refusals(server: &std::sync::Arc<Server>) -> String {
    let server = std::sync::Arc::clone(server);
    let (_, _, metrics) = tokio::task::spawn_blocking(move || server.get("/metrics", &[]))
        .await
        .unwrap();
    let metrics = metrics.as_str().unwrap().to_owned();
    let line = metrics
        .lines()
        .find_map(|line| line.strip_prefix("logboom_guard_refusals_total "));
    line.unwrap_or_else(|| panic!("{metrics}")).to_owned()
}

#[tokio::test]
async fn a_query_that_would_read_other_tables_is_a_security_event() {
    let fake = Fake::start(Habits {
        needs_token: true,
        ..Habits::default()
    })
    .await;
    let folder = guarded_folder(&fake);
    let server = folder.serve("").into();
    assert_eq!(guard_refusals(&server).await, "0");
    fake.habits(|habits| habits.tables = vec!["p.d.edge", "p.d.secret"]);
    let (status, _, body) = get(&server, "").await;
    assert_eq!(status, 502, "{body}");
    assert!(!body.to_string().contains("p.d"), "{body}");
    assert!(fake.seen(Op::Query).is_empty());
    fake.habits(|habits| habits.tables = vec!["p.d.edge"]);
    let (status, _, body) = get(&server, "").await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(fake.seen(Op::DryRun).len(), 2);
    let log = folder.log();
    let event = log.lines().find(|line| line.contains("ERROR security"));
    let event = event.unwrap_or_else(|| panic!("{log}"));
    for told in ["p.d.secret", "endpoint=\"count\"", "token=\"all\""] {
        assert!(event.contains(told), "{event}");
    }
    assert!(!log.contains("SELECT"), "{log}");
    assert_eq!(guard_refusals(&server).await, "1");
}

#[tokio::test]
async fn a_view_in_place_of_a_table_is_named() {
    let fake = Fake::start(Habits {
        tables: vec!["p.d.base"],
        ..Habits::default()
    })
    .await;
    let folder = guarded_folder(&fake);
    fake.choose(|op| {
        let as_view = |table: &mut Json| table["type"] = json!("VIEW");
        (op == Op::Table).then_some(Act::Change(as_view))
    });
    let commands = move || {
        let check = folder.run("", &["check", "--live"]);
        (check, folder.run("", &["schema", "pull", "edge"]))
    };
    let (check, pull) = tokio::task::spawn_blocking(commands).await.unwrap();
    let (code, out, err) = check;
    assert_eq!(code, Some(1), "{out}{err}");
    for told in [
        "  count  failed: refused: the dry run reads p.d.base, the compiler says p.d.edge; where p.d.edge \
         is a view, BigQuery tells the tables behind it: a stream must be a table\n",
        "  edge  p.d.edge is a VIEW: BigQuery tells the tables behind it, so that every query over it is \
         refused; a stream must be a table\n",
    ] {
        assert!(out.contains(told), "{out}");
    }
    // Nothing was about to run.
    assert!(!err.contains("security"), "{err}");
    let (code, out, err) = pull;
    assert_eq!(code, Some(1), "{out}{err}");
    assert!(err.contains("p.d.edge is a VIEW"), "{err}");
}

#[tokio::test]
async fn a_caller_who_leaves_cancels_the_job() {
    let fake = Fake::start(Habits {
        polls: usize::MAX,
        ..Habits::default()
    })
    .await;
    let server = folder().serve(&fake.address.to_string());
    fake.script(Op::Query, [Act::After(Duration::from_millis(50))]);
    let connection = server.send(PATH, &[("n", "a")], "");
    fake.wait_until("a job", |fake| !fake.jobs().is_empty())
        .await;
    drop(connection);
    fake.wait_until("its end", |fake| fake.jobs()[0].cancelled)
        .await;
}

#[tokio::test]
async fn what_is_missing_is_said_at_the_start() {
    let folder = Folder::new();
    for (config, expected) in [
        (
            "[warehouse]\nkind = 'bigquery'\n",
            "`project` of [warehouse] is missing",
        ),
        (
            "[warehouse]\nkind = 'bigquery'\nproject = 'p'\n[streams.edge]\ntable = 'p.d.e'\n",
            "the endpoints read streams without a `table`; add one to [streams.auth], [streams.database]",
        ),
    ] {
        std::fs::write(folder.path("logboom.toml"), config).unwrap();
        for command in [["serve", "--listen=127.0.0.1:0"], ["check", "--live"]] {
            let (code, _, err) = folder.run("127.0.0.1:1", &command);
            assert_eq!(code, Some(1), "{err}");
            assert!(err.contains(expected), "{command:?}: {err}");
        }
    }
    let (code, _, err) = folder.run("127.0.0.1:1", &["schema", "pull", "--endpoints", "nowhere"]);
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("there is no folder nowhere"), "{err}");
    std::fs::write(folder.path("logboom.toml"), "").unwrap();
    for command in [vec!["check", "--live"], vec!["schema", "pull"]] {
        let (code, _, err) = folder.run("127.0.0.1:1", &command);
        assert_eq!(code, Some(1), "{err}");
        assert!(
            err.contains("set `kind = \"bigquery\"` in [warehouse]"),
            "{err}"
        );
    }
}
