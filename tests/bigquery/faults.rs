//! Failures that pass, failures that do not, and what a caller is told of them.

use std::time::{Duration, Instant};

use logboom::warehouse::bigquery::{BigQuery, Settings};
use logboom::warehouse::{Warehouse as _, WarehouseError};
use serde_json::json;

use super::fake::{Act, Fake, Habits, Op, failure};
use super::{open, query, settings, soon};

#[tokio::test]
async fn a_storm_passes_and_the_query_is_one() {
    let storm = || {
        [
            failure(429, "rateLimitExceeded", "slow down"),
            failure(500, "internalError", "oops"),
            failure(502, "badGateway", "oops"),
            failure(503, "backendError", "oops"),
            failure(403, "rateLimitExceeded", "Exceeded rate limits"),
            Act::Text("<html>503</html>"),
            Act::RunThenDrop,
        ]
    };
    let fake = Fake::start(Habits {
        polls: 1,
        ..Habits::default()
    })
    .await;
    for op in [Op::DryRun, Op::Query, Op::Results] {
        fake.script(op, storm());
    }
    let rows = open(&fake).run(&query("a"), soon()).await.unwrap();
    assert_eq!(rows.rows, [[json!("a"), json!(0)]]);
    assert_eq!(fake.seen(Op::DryRun).len(), 8);
    let asked = fake.seen(Op::Query);
    assert_eq!(asked.len(), 8);
    assert!(
        asked
            .iter()
            .all(|seen| seen.body["requestId"] == asked[0].body["requestId"])
    );
    assert_eq!(fake.jobs().len(), 1);
}

#[tokio::test]
async fn broken_answers_are_asked_for_again() {
    let faults = || {
        [
            Act::Drop,
            Act::RunThenCut,
            Act::Text(""),
            Act::Text("{\"jobComplete\": tr"),
            Act::Text("null"),
            Act::JsonWith(200, "content-encoding", "gzip", json!({})),
            Act::JsonWith(200, "content-encoding", "br", json!({})),
        ]
    };
    for gzip in [false, true] {
        let fake = Fake::start(Habits {
            polls: 2,
            gzip,
            ..Habits::default()
        })
        .await;
        fake.script(Op::Query, faults());
        fake.script(Op::Results, faults());
        open(&fake).run(&query("a"), soon()).await.unwrap();
        assert_eq!(fake.jobs().len(), 1, "gzip {gzip}");
    }
}

#[tokio::test]
async fn a_server_that_falls_silent_is_asked_again() {
    let fake = Fake::start(Habits {
        polls: 1,
        ..Habits::default()
    })
    .await;
    for op in [Op::DryRun, Op::Query, Op::Results] {
        fake.script(op, [Act::After(Duration::from_secs(60))]);
    }
    let warehouse = BigQuery::open(Settings {
        first_wait: Duration::from_millis(1),
        poll_wait: Duration::from_millis(1),
        patience: Duration::from_millis(500),
        ..settings(&fake)
    })
    .unwrap();
    let begun = Instant::now();
    warehouse.run(&query("a"), soon()).await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(25));
    assert!(fake.seen(Op::Query).len() >= 2);
}

#[tokio::test]
async fn nothing_is_repeated_beyond_the_deadline() {
    let fake = Fake::start(Habits::default()).await;
    fake.choose(|_| Some(Act::JsonWith(503, "retry-after", "60", json!({}))));
    let begun = Instant::now();
    let failed = open(&fake).run(&query("a"), soon()).await;
    // The next attempt would be too late, so it is given up at once.
    assert!(
        matches!(failed, Err(WarehouseError::Unavailable(_))),
        "{failed:?}"
    );
    assert!(begun.elapsed() < Duration::from_secs(25));
    assert_eq!(fake.seen(Op::DryRun).len(), 1);
    assert!(fake.seen(Op::Query).is_empty());
}

#[tokio::test]
async fn retry_after_is_heeded() {
    let fake = Fake::start(Habits::default()).await;
    fake.script(
        Op::Query,
        [Act::JsonWith(429, "retry-after", "1", json!({}))],
    );
    let begun = Instant::now();
    open(&fake).run(&query("a"), soon()).await.unwrap();
    assert!(
        begun.elapsed() >= Duration::from_secs(1),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test]
async fn a_storm_without_end_is_given_up() {
    let fake = Fake::start(Habits::default()).await;
    fake.choose(|op| (op == Op::Query).then(|| failure(503, "backendError", "oops")));
    let failed = open(&fake).run(&query("a"), soon()).await;
    assert!(
        matches!(failed, Err(WarehouseError::Unavailable(_))),
        "{failed:?}"
    );
    assert_eq!(fake.seen(Op::Query).len(), 10);
}

#[tokio::test]
async fn what_does_not_pass_is_said_once() {
    type Expected = fn(&WarehouseError) -> bool;
    let cases: [(Op, Act, Expected, &str); 8] = [
        (
            Op::DryRun,
            failure(404, "notFound", "Not found: Project nowhere"),
            |e| matches!(e, WarehouseError::Failure(_)),
            "see `project` and `location`",
        ),
        (
            Op::DryRun,
            failure(
                403,
                "accessDenied",
                "User does not have bigquery.jobs.create",
            ),
            |e| matches!(e, WarehouseError::Failure(_)),
            "the credentials need bigquery.jobs.create",
        ),
        (
            Op::DryRun,
            failure(403, "accessNotConfigured", "BigQuery API has not been used"),
            |e| matches!(e, WarehouseError::Failure(_)),
            "switch on the BigQuery API",
        ),
        (
            Op::DryRun,
            failure(400, "invalidQuery", "Syntax error"),
            |e| matches!(e, WarehouseError::Failure(_)),
            "Syntax error",
        ),
        (
            Op::Query,
            failure(400, "invalidQuery", "Bad int64 value: x"),
            |e| matches!(e, WarehouseError::Evaluation(_)),
            "Bad int64 value",
        ),
        (
            Op::Query,
            failure(403, "quotaExceeded", "Custom quota exceeded"),
            |e| matches!(e, WarehouseError::Unavailable(_)),
            "a quota of the project is used up",
        ),
        (
            Op::Query,
            failure(
                400,
                "bytesBilledLimitExceeded",
                "Query exceeded limit for bytes billed: 10. 10485760 or higher required.",
            ),
            |e| {
                let limit = super::settings_limit();
                matches!(e, WarehouseError::BytesBilledExceeded { limit: found, estimate: Some(10_485_760), .. }
                    if *found == limit)
            },
            "10485760 or higher required",
        ),
        (
            Op::Query,
            failure(
                400,
                "resourcesExceeded",
                "Resources exceeded during query execution",
            ),
            |e| matches!(e, WarehouseError::ResourcesExceeded(_)),
            "Resources exceeded",
        ),
    ];
    for (op, act, is_expected, text) in cases {
        let fake = Fake::start(Habits::default()).await;
        fake.script(op, [act]);
        let error = open(&fake).run(&query("a"), soon()).await.unwrap_err();
        assert!(is_expected(&error), "{error:?}");
        assert!(error.to_string().contains(text), "{error}");
        assert_eq!(fake.seen(op).len(), 1, "{error}");
    }
}

#[tokio::test]
async fn readiness_follows_the_api_and_is_not_asked_for_each_time() {
    let fake = Fake::start(Habits::default()).await;
    let warehouse = open(&fake);
    for _ in 0..20 {
        warehouse.ready().await.unwrap();
    }
    assert_eq!(fake.seen(Op::DryRun).len(), 1);
    let broken = open(&fake);
    fake.script(Op::DryRun, [failure(403, "accessDenied", "no")]);
    let error = broken.ready().await.unwrap_err();
    assert!(error.to_string().contains("accessDenied"), "{error}");
}
