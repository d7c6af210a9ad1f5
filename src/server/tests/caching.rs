//! What is kept, for whom, and who waits for what.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::Method;
use tokio::task::JoinHandle;

use super::scripted::Deed;
use super::service::{Reply, Service, sql};
use crate::config::Config;
use crate::server::auth::Scope;

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_kept_result_is_served_again() {
    let service = Service::new();
    let first = service.get("cached?project=a").await;
    assert_eq!(first.run(), 1);
    assert_eq!(first.header("cache-status"), "logboom; fwd=miss; stored");
    assert!(
        first
            .header("cache-control")
            .starts_with("private, max-age=")
    );
    let again = service.get("cached?project=a").await;
    assert_eq!(again.run(), 1);
    assert!(
        again
            .header("cache-status")
            .starts_with("logboom; hit; ttl=")
    );
    let age: u64 = again.header("age").parse().unwrap();
    let left = again
        .header("cache-control")
        .strip_prefix("private, max-age=");
    let left: u64 = left.unwrap().parse().unwrap();
    assert!(age + left <= 60 && left > 0, "{again:?}");
    assert_eq!(service.warehouse.begun(), 1);
    // The other endpoint keeps nothing.
    for run in [2, 3] {
        let plain = service.get("plain?project=a").await;
        assert_eq!(plain.run(), run);
        assert_eq!(plain.header("cache-control"), "private, no-store");
        assert_eq!(plain.header("cache-status"), "logboom; fwd=bypass");
        assert!(!plain.headers.contains_key("age"));
    }
}

/// Calls that differ in one thing, and whether they get the result of the first.
#[tokio::test]
async fn what_makes_two_calls_one() {
    let service = Service::new();
    let pinned = service.token("pinned", &[("project", "a")], &[Scope::Sandbox]);
    let same_pin = service.token("same", &[("project", "a")], &[Scope::Sandbox]);
    let select = sql("cached", "select id from t where timestamp > '2026-01-01'");
    let mut runs = 0;
    for (path, headers, is_new) in [
        ("cached?project=a", &[][..], true),
        ("cached?project=a&since=", &[], false),
        ("cached?project=a&unknown=x", &[], false),
        ("cached?project=b", &[], true),
        ("cached?project=a&since=2026-01-01T00:00:00Z", &[], true),
        // Two spellings of one instant.
        (
            "cached?project=a&since=2026-01-01T01:00:00%2B01:00",
            &[],
            false,
        ),
        ("afc4ed8f-6649-4adc-a5cb-55ee7c7884b6?project=a", &[], false),
        ("cached?project=a", &[("accept", "text/csv")], true),
        ("cached?project=a", &[("accept", "text/csv;q=0.5")], false),
        ("cached?project=a", &[("accept-encoding", "gzip")], false),
        ("cached", &[("x-api-key", pinned.as_str())], true),
        ("cached", &[("x-api-key", same_pin.as_str())], false),
        (select.as_str(), &[], true),
        (
            &sql(
                "cached",
                "SELECT id\nFROM t -- all\nWHERE (timestamp > '2026-01-01')",
            ),
            &[],
            false,
        ),
        (
            &sql("cached", "select id from t where timestamp > '2026-01-02'"),
            &[],
            true,
        ),
        (
            &sql(
                "cached",
                "select id as ID from t where timestamp > '2026-01-01'",
            ),
            &[],
            true,
        ),
        (select.as_str(), &[("accept", "application/x-ndjson")], true),
        // Times in LQL mean another time at each call, whatever they come to at one.
        ("cached?project=a&lql=id:x%20t:today", &[], true),
        ("cached?project=a&lql=id:x%20t:this@month", &[], true),
        ("cached?project=a&lql=id:x%20t:today", &[], false),
        (
            "cached?project=a",
            &[("svc-endpoint-redact-pii", "true")],
            true,
        ),
        (
            "cached?project=a",
            &[("svc-endpoint-redact-pii", "TRUE")],
            false,
        ),
        (
            "cached?project=a",
            &[("svc-endpoint-redact-pii", "false")],
            false,
        ),
    ] {
        runs += usize::from(is_new);
        let reply = service.get_with(path, headers).await;
        assert_eq!(reply.status, 200, "{path} {headers:?} {reply:?}");
        assert_eq!(service.warehouse.begun(), runs, "{path} {headers:?}");
    }
    // The same call as a body.
    let headers = [("content-type", "application/json")];
    let body = r#"{"project": "a"}"#;
    let reply = service.call(Method::POST, "cached", &headers, body).await;
    assert_eq!(reply.run(), 1);
}

#[tokio::test]
async fn what_one_token_may_another_may_not() {
    let service = Service::new();
    let pinned = service.token("pinned", &[("project", "a")], &[Scope::Sandbox]);
    let plain = service.token("plain", &[], &[]);
    let select = sql("cached", "select id from t");
    for (path, token, status) in [
        (select.as_str(), &plain, 403),
        ("cached?project=a", &pinned, 403),
        ("cached?project=a", &plain, 200),
    ] {
        // The result is kept, and so is what the request came to.
        for _ in 0..2 {
            assert_eq!(service.get(path).await.status, 200, "{path}");
        }
        let headers = [("x-api-key", token.as_str())];
        for _ in 0..2 {
            let reply = service.get_with(path, &headers).await;
            assert_eq!(reply.status, status, "{path}");
        }
    }
    // Names that are ignored are told again.
    for _ in 0..2 {
        let reply = service.get("cached?project=a&other=1").await;
        assert_eq!(reply.header("x-ignored-parameters"), "other");
    }
    let redact = [("svc-endpoint-redact-pii", "true")];
    let reply = service.get_with("cached?project=a", &redact).await;
    let status = reply.headers.get("cache-status");
    let is_hit = status.is_some_and(|status| status.to_str().unwrap().contains("hit"));
    assert!(!is_hit, "{reply:?}");
}

#[tokio::test]
async fn the_instant_of_a_call_is_in_the_query_and_not_in_the_key() {
    let service = Service::new();
    let path = sql(
        "cached",
        "select id from t where timestamp < current_timestamp()",
    );
    for _ in 0..2 {
        assert_eq!(service.get(&path).await.run(), 1);
    }
    let queries = service.warehouse.queries();
    assert_eq!(queries.len(), 1);
    assert!(
        !queries[0].to_lowercase().contains("current_timestamp"),
        "{queries:?}"
    );
}

#[tokio::test]
async fn known_results_are_not_sent_again() {
    let service = Service::new();
    service.warehouse.next(Deed::Many(500));
    let first = service.get("cached?project=a").await;
    let tag = first.header("etag").to_owned();
    let gzip = [("accept-encoding", "gzip")];
    let coded = service.get_with("cached?project=a", &gzip).await;
    assert_eq!(coded.header("content-encoding"), "gzip");
    assert!(coded.body.len() < first.body.len());
    let coded_tag = coded.header("etag").to_owned();
    assert_ne!(tag, coded_tag);
    for (headers, status) in [
        (&[("if-none-match", tag.as_str())][..], 304),
        (&[("if-none-match", &coded_tag)], 200),
        (&[("if-none-match", &coded_tag), gzip[0]], 304),
        (&[("if-none-match", "\"other\"")], 200),
        (&[("if-none-match", "*")], 304),
    ] {
        let reply = service.get_with("cached?project=a", headers).await;
        assert_eq!(reply.status, status, "{headers:?}");
        if status == 304 {
            assert!(reply.body.is_empty());
            assert!(!reply.headers.contains_key("content-type"));
            assert!(reply.header("vary").contains("Accept-Encoding"));
            assert!(
                reply
                    .header("cache-control")
                    .starts_with("private, max-age=")
            );
        }
        assert!(reply.headers.contains_key("etag"));
    }
    let head = service
        .call(Method::HEAD, "cached?project=a", &[], "")
        .await;
    assert_eq!(head.status, 200);
    assert!(head.body.is_empty());
    assert_eq!(head.header("content-length"), first.body.len().to_string());
    assert_eq!(head.header("etag"), tag);
    assert_eq!(service.warehouse.begun(), 1);
}

#[tokio::test]
async fn a_caller_who_may_gets_a_new_result() {
    let service = Service::new();
    let plain = service.token("plain", &[], &[]);
    assert_eq!(service.get("cached?project=a").await.run(), 1);
    let no_cache = ("cache-control", "no-cache");
    let unheard = [("x-api-key", plain.as_str()), no_cache];
    assert_eq!(
        service.get_with("cached?project=a", &unheard).await.run(),
        1
    );
    let renewed = service.get_with("cached?project=a", &[no_cache]).await;
    assert_eq!(renewed.run(), 2);
    assert_eq!(
        renewed.header("cache-status"),
        "logboom; fwd=request; stored"
    );
    // Everybody gets it from now on.
    assert_eq!(service.get("cached?project=a").await.run(), 2);
}

#[tokio::test]
async fn identical_calls_run_once() {
    let service = Arc::new(Service::new());
    service.warehouse.next(Deed::Wait);
    let calls: Vec<_> = (0..20).map(|_| call(&service)).collect();
    service.warehouse.until(|w| w.begun() == 1).await;
    waiting(&service, 20).await;
    service.warehouse.release();
    let mut collapsed = 0;
    for call in calls {
        let reply = call.await.unwrap();
        assert_eq!(reply.run(), 1);
        collapsed += usize::from(reply.header("cache-status") == "logboom; fwd=miss; collapsed");
    }
    assert_eq!(collapsed, 19);
    assert_eq!(service.warehouse.begun(), 1);
}

#[tokio::test]
async fn a_failure_reaches_those_who_wait_and_nobody_else() {
    let service = Arc::new(Service::new());
    for deed in [Deed::WaitAndFail, Deed::Panic] {
        let before = service.warehouse.begun();
        service.warehouse.next(deed);
        let calls = [call(&service), call(&service)];
        if deed == Deed::WaitAndFail {
            service.warehouse.until(|w| w.begun() == before + 1).await;
            waiting(&service, 2).await;
            service.warehouse.release();
        }
        for call in calls {
            let reply = call.await.unwrap();
            assert!(reply.status >= 500, "{reply:?}");
            assert!(!String::from_utf8_lossy(&reply.body).contains("10.1.2.3"));
            assert_eq!(reply.header("cache-control"), "private, no-store");
        }
        service.warehouse.next(Deed::Answer);
        let project = format!("cached?project={deed:?}");
        assert_eq!(service.get(&project).await.status, 200);
    }
    assert_eq!(service.get("cached?project=a").await.status, 200);
}

#[tokio::test]
async fn each_caller_has_their_own_deadline_and_the_last_one_cancels() {
    let service = Arc::new(Service::new());
    service.warehouse.next(Deed::Hang);
    let call = |timeout: &'static str| {
        let service = Arc::clone(&service);
        tokio::spawn(async move {
            let headers = [("request-timeout", timeout)];
            service.get_with("cached?project=a", &headers).await
        })
    };
    // The one that began the query leaves; the query goes on for the other.
    let patient = call("20");
    service.warehouse.until(|w| w.begun() == 1).await;
    let hasty = call("0.05");
    assert_eq!(hasty.await.unwrap().status, 504);
    assert_eq!(service.warehouse.cancelled(), 0);
    let other = call("20");
    waiting(&service, 2).await;
    patient.abort();
    assert!(patient.await.unwrap_err().is_cancelled());
    assert_eq!(service.warehouse.cancelled(), 0);
    other.abort();
    assert!(other.await.unwrap_err().is_cancelled());
    service.warehouse.until(|w| w.cancelled() == 1).await;
    // The next one begins anew.
    service.warehouse.next(Deed::Answer);
    assert_eq!(service.get("cached?project=a").await.run(), 2);
}

/// Begins to call for a result.
fn call(service: &Arc<Service>) -> JoinHandle<Reply> {
    let service = Arc::clone(service);
    tokio::spawn(async move { service.get("cached?project=a").await })
}

/// Calls for one result twice, the second time when the query of the first has begun.
async fn two_on_one_flight(service: &Arc<Service>) -> (JoinHandle<Reply>, JoinHandle<Reply>) {
    let first = call(service);
    service.warehouse.until(|w| w.begun() == 1).await;
    let second = call(service);
    waiting(service, 2).await;
    (first, second)
}

#[tokio::test]
async fn a_deadline_that_passed_for_the_first_has_not_for_the_others() {
    let service = Arc::new(Service::new());
    service.warehouse.next(Deed::WaitAndExpire);
    let (first, second) = two_on_one_flight(&service).await;
    // The run under way knows what it does; the next one answers.
    service.warehouse.next(Deed::Answer);
    service.warehouse.release();
    assert_eq!(first.await.unwrap().status, 504);
    assert_eq!(second.await.unwrap().run(), 2);
}

#[tokio::test]
async fn the_one_who_polls_may_leave() {
    let service = Arc::new(Service::new());
    service.warehouse.next(Deed::Wait);
    let (first, second) = two_on_one_flight(&service).await;
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    service.warehouse.release();
    let reply = tokio::time::timeout(PATIENCE, second).await;
    assert_eq!(reply.unwrap().unwrap().run(), 1);
    assert_eq!(service.warehouse.cancelled(), 0);
}

#[tokio::test]
async fn a_warehouse_in_trouble_leaves_kept_results_alone() {
    let mut config = Config::default();
    config.server.max_queries = std::num::NonZeroUsize::MIN;
    config.server.max_queued_queries = 0;
    let service = Arc::new(Service::with(config));
    assert_eq!(service.get("cached?project=a").await.run(), 1);
    for deed in [Deed::Fail, Deed::Panic, Deed::Hang] {
        service.warehouse.next(deed);
        let stuck = {
            let service = Arc::clone(&service);
            tokio::spawn(async move { service.get("plain?project=a").await })
        };
        if deed == Deed::Hang {
            service.warehouse.until(|w| w.begun() == 4).await;
            // There is no place for another query, and none is needed.
            assert_eq!(service.get("cached?project=b").await.status, 503);
        } else {
            assert!(stuck.await.unwrap().status >= 500);
        }
        assert_eq!(service.get("cached?project=a").await.run(), 1, "{deed:?}");
    }
}

#[tokio::test]
async fn an_edited_endpoint_starts_clean() {
    let service = Service::new();
    assert_eq!(service.get("cached?project=a").await.run(), 1);
    let file = service.folder.path().join("endpoints/cached.sql");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text} LIMIT 7")).unwrap();
    service.app.replace(service.load());
    assert_eq!(service.app.cache.size(), (0, 0));
    assert_eq!(service.get("cached?project=a").await.run(), 2);
    // The same files again: what was kept meanwhile stays.
    service.app.replace(service.load());
    assert_eq!(service.get("cached?project=a").await.run(), 2);
}

#[tokio::test]
async fn the_cache_stays_within_its_bytes() {
    let mut config = Config::default();
    config.cache.capacity_bytes = 40_000;
    let service = Service::with(config);
    service.warehouse.next(Deed::Many(500));
    for project in 0..20 {
        let reply = service.get(&format!("cached?project=p{project}")).await;
        assert_eq!(reply.status, 200);
        let (entries, bytes) = service.app.cache.size();
        assert!(entries > 0 && bytes <= 40_000, "{entries} {bytes}");
    }
    // The last is there, the first is not.
    service.get("cached?project=p19").await;
    assert_eq!(service.warehouse.begun(), 20);
    service.get("cached?project=p0").await;
    assert_eq!(service.warehouse.begun(), 21);
    // Codings count.
    let before = service.app.cache.size().1;
    let gzip = [("accept-encoding", "gzip")];
    service.get_with("cached?project=p0", &gzip).await;
    let after = service.app.cache.size().1;
    assert!(after > before && after <= 40_000, "{before} {after}");
    // What is larger than all of it is answered and not kept.
    service.warehouse.next(Deed::Many(5000));
    for run in [22, 23] {
        let large = service.get("cached?project=large").await;
        assert_eq!(large.run(), run);
    }
}

#[tokio::test]
async fn what_is_asked_for_by_who_holds_it_stays() {
    let service = Service::new();
    service.get("cached?project=a").await;
    service.get("cached?project=b").await;
    let cache = &service.app.cache;
    let now = Instant::now();
    let due = now + Duration::from_secs(21);
    let (used, held) = cache.next_due(due).unwrap();
    let (other, _) = cache.next_due(due).unwrap();
    for key in [used, other] {
        assert!(cache.find(&key, now).is_some());
    }
    assert!(cache.still_has(&used, &held, now + Duration::from_secs(1)));
    // The one that was asked for less recently goes.
    cache.resize(cache.size().1 - 1);
    assert!(cache.still_has(&used, &held, now));
    assert!(cache.find(&other, now).is_none());
    assert!(!cache.still_has(&used, &held, now + Duration::from_secs(61)));
    cache.resize(0);
    assert!(!cache.still_has(&used, &held, now));
}

#[tokio::test]
async fn results_end_and_are_made_again_for_those_who_ask() {
    let service = Service::new();
    service.get("cached?project=a").await;
    service.get("cached?project=b").await;
    let cache = &service.app.cache;
    let now = Instant::now();
    let at = |seconds: u64| now + Duration::from_secs(seconds);
    assert!(cache.next_due(at(17)).is_none(), "not before nine tenths");
    let mut due = Vec::new();
    while let Some(entry) = cache.next_due(at(21)) {
        due.push(entry);
    }
    assert_eq!(due.len(), 2);
    // One is made again, the other fails and is tried again later.
    let (key, entry) = due.remove(0);
    let (failed_key, failed) = due.remove(0);
    crate::server::cache::warming::refresh(&service.app, key, &entry).await;
    assert_eq!(service.warehouse.begun(), 3);
    service.warehouse.next(Deed::Fail);
    crate::server::cache::warming::refresh(&service.app, failed_key, &failed).await;
    assert_eq!(service.warehouse.begun(), 4);
    assert_eq!(service.app.cache.size().0, 2);
    // Nobody asked for the first since; the second is still wanted.
    let again: Vec<_> = std::iter::from_fn(|| cache.next_due(at(42))).collect();
    assert_eq!(again.len(), 1);
    assert!(Arc::ptr_eq(&again[0].1, &failed));
    // Callers get what is there.
    let project = |name: &str| format!("cached?project={name}");
    let mut runs = [
        service.get(&project("a")).await.run(),
        service.get(&project("b")).await.run(),
    ];
    runs.sort_unstable();
    assert!(runs == [2, 3] || runs == [1, 3], "{runs:?}");
    // Nothing is due once the time of all is over.
    assert!(cache.next_due(at(3600)).is_none());
}

#[tokio::test]
async fn what_is_wanted_is_kept_warm_while_the_service_runs() {
    let service = Service::new();
    let (_address, stop, server) = super::connections::start(service.app.clone()).await;
    assert_eq!(service.get("warm").await.run(), 1);
    let warmed = service.warehouse.until(|w| w.begun() == 2);
    tokio::time::timeout(PATIENCE, warmed)
        .await
        .expect("it is made again");
    // The refresh is seen once it has landed; nobody waits for it.
    let seen = async { while service.get("warm").await.run() == 1 {} };
    tokio::time::timeout(PATIENCE, seen)
        .await
        .expect("the new one is served");
    stop.send(()).unwrap();
    assert!(server.await.unwrap());
}

#[tokio::test]
async fn nothing_of_an_edited_endpoint_is_made_again() {
    let service = Service::new();
    service.get("cached?project=a").await;
    let due = service
        .app
        .cache
        .next_due(Instant::now() + Duration::from_secs(30));
    let (key, entry) = due.unwrap();
    let file = service.folder.path().join("endpoints/cached.sql");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text} LIMIT 7")).unwrap();
    service.app.replace(service.load());
    crate::server::cache::warming::refresh(&service.app, key, &entry).await;
    assert_eq!(service.warehouse.begun(), 1);
    assert_eq!(service.app.cache.size(), (0, 0));
}

/// Waits until so many callers wait for the query under way. Every one of them has a task that is past
/// its first poll by then: each yields only there.
async fn waiting(service: &Service, callers: usize) {
    let all = async {
        while service.app.cache.waiting() < callers {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, all)
        .await
        .expect("callers wait");
}
