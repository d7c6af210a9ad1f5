//! A query from request to rows: what is sent, waiting, pages, cancelling.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use logboom::compiler::BoundParameter;
use logboom::compiler::ir::{ParameterName, Type, Value};
use logboom::warehouse::bigquery::{BigQuery, Settings};
use logboom::warehouse::{Terms, Warehouse as _, WarehouseError};
use serde_json::{Value as Json, json};

use super::fake::{Act, Fake, Habits, Op, failure};
use super::{open, query, settings, soon, within};

#[tokio::test]
async fn the_request_says_everything() {
    let fake = Fake::start(Habits::default()).await;
    let warehouse = open(&fake);
    let mut asked = query("a");
    asked.max_rows = 7;
    asked.parameters.push(BoundParameter {
        name: ParameterName::new("codes"),
        ty: Type::array(Type::Int64),
        value: Value::Array(vec![Value::Int64(1), Value::Int64(-2)]),
    });
    asked.parameters.push(BoundParameter {
        name: ParameterName::new("since"),
        ty: Type::Timestamp,
        value: Value::Null,
    });
    let terms = Terms {
        endpoint: "logs.all".into(),
        token: "Grafana".into(),
        labels: vec![("team".into(), "SRE".into())],
        maximum_bytes_billed: Some(123),
        ..soon()
    };
    let rows = warehouse.run(&asked, terms).await.unwrap();
    assert_eq!(rows.rows, [[json!("a"), json!(0)]]);
    assert_eq!(rows.bytes_billed, Some(10_485_760));

    let parameters = json!([
        {"name": "n", "parameterType": {"type": "STRING"}, "parameterValue": {"value": "a"}},
        {"name": "codes", "parameterType": {"type": "ARRAY", "arrayType": {"type": "INT64"}},
         "parameterValue": {"arrayValues": [{"value": "1"}, {"value": "-2"}]}},
        {"name": "since", "parameterType": {"type": "TIMESTAMP"}, "parameterValue": {"value": null}},
    ]);
    let labels = json!({"endpoint": "logs_all", "token": "grafana", "team": "sre"});
    let seen = fake.seen(Op::Query);
    let mut body = seen[0].body.clone();
    assert_eq!(body["requestId"].as_str().unwrap().len(), 36);
    let job_timeout: u64 = body["jobTimeoutMs"].as_str().unwrap().parse().unwrap();
    assert!((20_000..=30_000).contains(&job_timeout), "{job_timeout}");
    for generated in ["requestId", "jobTimeoutMs"] {
        body.as_object_mut().unwrap().remove(generated);
    }
    assert_eq!(
        body,
        json!({
            "query": asked.sql,
            "useLegacySql": false,
            "useQueryCache": true,
            "parameterMode": "NAMED",
            "queryParameters": parameters,
            "maxResults": 8,
            "timeoutMs": 2000,
            "maximumBytesBilled": "123",
            "labels": labels,
            "location": "EU",
            "formatOptions": {"useInt64Timestamp": true},
        })
    );
    let agent = seen[0].headers["user-agent"].to_str().unwrap();
    assert!(
        agent.starts_with("logboom/") && agent.contains("gzip"),
        "{agent}"
    );
    assert_eq!(
        fake.seen(Op::DryRun)[0].body,
        json!({
            "jobReference": {"projectId": "p", "location": "EU"},
            "configuration": {
                "dryRun": true,
                "labels": labels,
                "query": {
                    "query": asked.sql,
                    "useLegacySql": false,
                    "parameterMode": "NAMED",
                    "queryParameters": parameters,
                },
            },
        })
    );
}

#[tokio::test]
async fn a_slow_job_is_waited_for() {
    let habits = Habits {
        polls: 25,
        rows: 3,
        ..Habits::default()
    };
    let fake = Fake::start(habits).await;
    let rows = open(&fake).run(&query("a"), soon()).await.unwrap();
    assert_eq!(rows.rows.len(), 3);
    let polls = fake.seen(Op::Results);
    assert_eq!(polls.len(), 25);
    assert_eq!(polls[0].query["location"], "EU");
    assert_eq!(polls[0].query["timeoutMs"], "10000");
    assert_eq!(polls[0].query["maxResults"], "1001");
    assert_eq!(polls[0].query["formatOptions.useInt64Timestamp"], "true");
    assert_eq!(polls[0].query.get("pageToken"), None);
    assert_eq!(fake.jobs().len(), 1);
    assert!(!fake.jobs()[0].cancelled);
}

fn without_bytes(page: &mut Json) {
    page.as_object_mut().unwrap().remove("totalBytesBilled");
}

fn without_token(page: &mut Json) {
    page.as_object_mut().unwrap().remove("pageToken");
}

#[tokio::test]
async fn the_bytes_billed_are_asked_for_where_the_answer_lacks_them() {
    let fake = Fake::start(Habits::default()).await;
    let warehouse = open(&fake);
    for (change, expected, asked) in [
        (without_bytes as fn(&mut Json), Some(20_971_520), 1),
        (|page| page["cacheHit"] = json!(true), Some(0), 1),
    ] {
        fake.script(Op::Query, [Act::Change(change)]);
        let rows = warehouse.run(&query("a"), soon()).await.unwrap();
        assert_eq!(rows.bytes_billed, expected);
        assert_eq!(fake.seen(Op::Get).len(), asked);
    }
    // Not to know it is no failure.
    fake.script(Op::Query, [Act::Change(without_bytes)]);
    fake.script(Op::Get, [failure(403, "accessDenied", "no")]);
    let rows = warehouse.run(&query("a"), soon()).await.unwrap();
    assert_eq!(rows.bytes_billed, None);
}

fn paged(fake: &Fake) -> BigQuery {
    BigQuery::open(Settings {
        page_rows: 10,
        ..settings(fake)
    })
    .unwrap()
}

#[tokio::test]
async fn every_page_is_read() {
    let habits = Habits {
        rows: 35,
        ..Habits::default()
    };
    let fake = Fake::start(habits).await;
    let rows = paged(&fake).run(&query("a"), soon()).await.unwrap();
    let numbers: Vec<u64> = rows.rows.iter().map(|r| r[1].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..35).collect::<Vec<_>>());
    assert!(!rows.truncated);
    let tokens: Vec<String> = fake
        .seen(Op::Results)
        .iter()
        .map(|page| page.query["pageToken"].clone())
        .collect();
    assert_eq!(tokens, ["10", "20", "30"]);
}

#[tokio::test]
async fn rows_beyond_the_limit_are_cut_off() {
    for (limit, total, kept, truncated) in [(7, 8, 7, true), (8, 8, 8, false), (20, 8, 8, false)] {
        let habits = Habits {
            rows: total,
            ..Habits::default()
        };
        let fake = Fake::start(habits).await;
        let mut asked = query("a");
        asked.max_rows = limit;
        let rows = open(&fake).run(&asked, soon()).await.unwrap();
        assert_eq!(
            (rows.rows.len(), rows.truncated),
            (kept, truncated),
            "{limit}"
        );
    }
}

#[tokio::test]
async fn pages_that_do_not_add_up_are_a_failure() {
    let wrong: [(&str, Op, Vec<Act>, &str); 7] = [
        (
            "a token again",
            Op::Results,
            vec![Act::Change(|page| page["pageToken"] = json!("10")); 2],
            "a page token that came before",
        ),
        (
            "a token that is refused",
            Op::Results,
            vec![failure(400, "invalid", "Invalid page token")],
            "Invalid page token",
        ),
        (
            "the end too early",
            Op::Results,
            vec![Act::Change(without_token)],
            "20 rows arrived of 35",
        ),
        (
            "more rows than LIMIT",
            Op::Query,
            vec![Act::Change(|page| page["totalRows"] = json!("5000"))],
            "5000 rows, where LIMIT allows 1000 and one",
        ),
        (
            "no number of rows",
            Op::Query,
            vec![Act::Change(|page| page["totalRows"] = json!(null))],
            "a result without number of rows",
        ),
        (
            "another column",
            Op::Query,
            vec![Act::Change(|page| {
                page["schema"]["fields"][1]["type"] = json!("FLOAT")
            })],
            "column row: FLOAT instead of INT64",
        ),
        (
            "no job",
            Op::Query,
            vec![Act::Change(|page| page["jobReference"] = json!(null))],
            "an answer that does not name its job",
        ),
    ];
    for (name, op, acts, expected) in wrong {
        let habits = Habits {
            rows: 35,
            ..Habits::default()
        };
        let fake = Fake::start(habits).await;
        fake.script(op, acts);
        match paged(&fake).run(&query("a"), soon()).await {
            Err(WarehouseError::Failure(message)) => {
                assert!(message.contains(expected), "{name}: {message}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_job_that_fails_while_it_is_waited_for() {
    let fake = Fake::start(Habits {
        polls: 5,
        ..Habits::default()
    })
    .await;
    fake.script(
        Op::Results,
        [failure(400, "invalidQuery", "division by zero: 1 / 0")],
    );
    let failed = open(&fake).run(&query("a"), soon()).await;
    assert!(
        matches!(failed, Err(WarehouseError::Evaluation(_))),
        "{failed:?}"
    );
    // It is over, so there is nothing to cancel.
    assert!(fake.seen(Op::Cancel).is_empty());
}

#[tokio::test]
async fn a_job_that_fails_through_no_fault_of_ours_is_started_anew() {
    let fake = Fake::start(Habits {
        polls: 1,
        ..Habits::default()
    })
    .await;
    let broken = || failure(503, "jobBackendError", "The job encountered an error");
    fake.script(Op::Results, [broken(), broken()]);
    let warehouse = open(&fake);
    warehouse.run(&query("a"), soon()).await.unwrap();
    let ids: BTreeSet<String> = fake
        .seen(Op::Query)
        .iter()
        .map(|seen| seen.body["requestId"].to_string())
        .collect();
    assert_eq!(ids.len(), 3);
    assert_eq!(fake.jobs().len(), 3);

    fake.script(Op::Results, [broken(), broken(), broken()]);
    let failed = warehouse.run(&query("a"), soon()).await;
    assert!(
        matches!(failed, Err(WarehouseError::Unavailable(_))),
        "{failed:?}"
    );
    assert!(fake.seen(Op::Cancel).is_empty());
}

#[tokio::test]
async fn a_failure_inside_of_an_answer_is_one() {
    let fake = Fake::start(Habits::default()).await;
    fake.script(
        Op::Query,
        [Act::Change(|page| {
            page["schema"] = json!({"fields": []});
            page["errors"] = json!([{"reason": "resourcesExceeded", "message": "too much"}]);
        })],
    );
    let failed = open(&fake).run(&query("a"), soon()).await;
    assert!(
        matches!(failed, Err(WarehouseError::ResourcesExceeded(_))),
        "{failed:?}"
    );
    // A warning beside rows is none.
    fake.script(
        Op::Query,
        [Act::Change(|page| {
            page["errors"] = json!([{"reason": "invalid", "message": "a warning"}])
        })],
    );
    open(&fake).run(&query("a"), soon()).await.unwrap();
}

/// Returns a warehouse that knows the text of [`query`], on a server whose jobs run without end from now on.
async fn endless(fake: &Fake) -> BigQuery {
    let warehouse = open(fake);
    warehouse.run(&query("known"), soon()).await.unwrap();
    fake.habits(|habits| habits.polls = usize::MAX);
    warehouse
}

#[tokio::test]
async fn a_job_is_cancelled_at_the_deadline() {
    let fake = Fake::start(Habits::default()).await;
    let warehouse = endless(&fake).await;
    let begun = Instant::now();
    let failed = warehouse
        .run(&query("a"), within(Duration::from_secs(1)))
        .await;
    assert!(
        matches!(failed, Err(WarehouseError::DeadlineExceeded)),
        "{failed:?}"
    );
    assert!(begun.elapsed() < Duration::from_secs(20));
    warehouse.close().await;
    let cancelled = fake.seen(Op::Cancel);
    assert_eq!(cancelled.len(), 1);
    assert_eq!(
        cancelled[0].path,
        "/bigquery/v2/projects/p/jobs/job-1/cancel"
    );
    assert_eq!(cancelled[0].query["location"], "EU");
    // Google's servers refuse a POST without it.
    assert_eq!(cancelled[0].headers["content-length"], "0");
    assert!(fake.jobs()[1].cancelled);
    assert_eq!(warehouse.running(), 0);
}

#[tokio::test]
async fn a_job_is_cancelled_when_nobody_waits_for_it() {
    let fake = Fake::start(Habits::default()).await;
    let warehouse = endless(&fake).await;
    let asked = query("a");
    let run = warehouse.run(&asked, soon());
    tokio::select! {
        outcome = run => panic!("{outcome:?}"),
        () = fake.wait_until("a poll", |fake| fake.seen(Op::Results).len() > 1) => {}
    }
    warehouse.close().await;
    assert!(fake.jobs()[1].cancelled);
}

#[tokio::test]
async fn a_job_that_has_no_name_yet_is_cancelled_once_it_has() {
    let fake = Fake::start(Habits::default()).await;
    let warehouse = endless(&fake).await;
    fake.script(Op::Query, [Act::After(Duration::from_secs(2))]);
    let failed = warehouse
        .run(&query("a"), within(Duration::from_secs(1)))
        .await;
    assert!(
        matches!(failed, Err(WarehouseError::DeadlineExceeded)),
        "{failed:?}"
    );
    assert_eq!(fake.jobs().len(), 1);
    warehouse.close().await;
    assert!(fake.jobs()[1].cancelled);
    assert!(fake.seen(Op::Results).is_empty());
}

#[tokio::test]
async fn cancelling_is_repeated_like_any_request() {
    let fake = Fake::start(Habits::default()).await;
    fake.script(
        Op::Cancel,
        [Act::Drop, failure(503, "backendError", "later")],
    );
    let warehouse = endless(&fake).await;
    let failed = warehouse
        .run(&query("a"), within(Duration::from_secs(1)))
        .await;
    assert!(failed.is_err());
    warehouse.close().await;
    assert_eq!(fake.seen(Op::Cancel).len(), 3);
    assert!(fake.jobs()[1].cancelled);
}
