//! Limits, and what a refusal says of them.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::sync::Arc;

use super::scripted::Deed;
use super::service::Service;
use crate::config::{Config, RateLimit};

fn rate(requests: u32) -> Option<RateLimit> {
    Some(RateLimit {
        requests: NonZeroU32::new(requests).unwrap(),
        seconds: NonZeroU64::new(3600).unwrap(),
    })
}

#[tokio::test]
async fn rates() {
    let mut config = Config::default();
    config.rate_limits.token = rate(2);
    config.rate_limits.endpoint = rate(3);
    let service = Service::with(config);
    let first = service.get("cached?project=a").await;
    assert_eq!(first.status, 200);
    assert_eq!(
        first.header("ratelimit-policy"),
        "\"token\";q=2;w=3600, \"endpoint\";q=3;w=3600"
    );
    assert!(first.header("ratelimit").starts_with("\"token\";r=1;"));
    assert_eq!(service.get("plain?project=a").await.status, 200);
    let refused = service.get("cached?project=a").await;
    assert_eq!(refused.status, 429);
    assert!(refused.header("retry-after").parse::<u64>().unwrap() > 0);
    assert!(refused.header("ratelimit").starts_with("\"token\";r=0;"));
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    for part in ["2 requests", "3600 seconds", "rate_limits.token"] {
        assert!(message.contains(part), "{message}");
    }
    let other = service.token("other", &[], &[]);
    let other = [("x-api-key", other.as_str())];
    // Also where the result is kept.
    for (status, left) in [(200, 1), (200, 0), (429, 0)] {
        let reply = service.get_with("cached?project=a", &other).await;
        assert_eq!(reply.status, status);
        let left = format!("\"token\";r={left};");
        assert!(reply.header("ratelimit").starts_with(&left), "{reply:?}");
        assert_eq!(reply.headers.contains_key("retry-after"), status == 429);
    }
    // Probes and strangers are not counted.
    assert_eq!(service.get("/healthz").await.status, 200);
    let stranger = [("x-api-key", "lbk_none")];
    assert_eq!(
        service.get_with("cached?project=a", &stranger).await.status,
        401
    );
}

#[tokio::test]
async fn queries_beyond_the_queue() {
    let mut config = Config::default();
    config.server.max_queries = NonZeroUsize::MIN;
    config.server.max_queued_queries = 1;
    let service = Arc::new(Service::with(config));
    service.warehouse.next(Deed::Wait);
    let call = |project: &'static str| {
        let service = Arc::clone(&service);
        tokio::spawn(async move { service.get(&format!("plain?project={project}")).await })
    };
    let running = call("a");
    service.warehouse.until(|w| w.begun() == 1).await;
    let waiting = call("b");
    while service.app.gate.load() != (1, 1) {
        tokio::task::yield_now().await;
    }
    let refused = service.get("plain?project=c").await;
    assert_eq!(refused.status, 503);
    assert_eq!(refused.header("retry-after"), "1");
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    for part in [
        "server.max_queries",
        "server.max_queued_queries",
        "1 queries",
    ] {
        assert!(message.contains(part), "{message}");
    }
    service.warehouse.next(Deed::Answer);
    service.warehouse.release();
    assert_eq!(running.await.unwrap().status, 200);
    assert_eq!(waiting.await.unwrap().status, 200);
    assert_eq!(service.app.gate.load(), (0, 0));
}

#[tokio::test]
async fn deadlines() {
    let service = Service::new();
    service.warehouse.next(Deed::Hang);
    for header in [("request-timeout", "0.02"), ("prefer", "wait=1")] {
        for path in ["cached?project=a", "plain?project=a"] {
            let reply = service.get_with(path, &[header]).await;
            assert_eq!(reply.status, 504, "{path} {header:?}");
            let error = reply.json()["error"].clone();
            assert_eq!(error["status"], "DEADLINE_EXCEEDED");
            let message = error["message"].as_str().unwrap();
            let source = ["Request-Timeout", "Prefer"]
                .into_iter()
                .find(|source| source.eq_ignore_ascii_case(header.0));
            let named = format!("seconds ({})", source.unwrap());
            assert!(message.ends_with(&named), "{message}");
        }
    }
    assert_eq!(service.warehouse.begun(), service.warehouse.cancelled());
    service.warehouse.next(Deed::Answer);
    let reply = service
        .get_with("plain?project=a", &[("prefer", "wait=3")])
        .await;
    assert_eq!(reply.header("preference-applied"), "wait=3");
    // The endpoint has 5 seconds: more cannot be had.
    let reply = service
        .get_with("plain?project=a", &[("prefer", "wait=6")])
        .await;
    assert!(!reply.headers.contains_key("preference-applied"));
}

#[tokio::test]
async fn result_bytes() {
    let mut config = Config::default();
    config.server.max_result_bytes = 1000;
    let service = Service::with(config);
    service.warehouse.next(Deed::Many(1000));
    for accept in ["application/json", "application/x-ndjson", "text/csv"] {
        let reply = service
            .get_with("cached?project=a", &[("accept", accept)])
            .await;
        assert_eq!(reply.status, 400, "{accept}");
        let message = reply.json()["message"].as_str().unwrap().to_owned();
        assert!(
            message.contains("1000 bytes (server.max_result_bytes)"),
            "{message}"
        );
    }
    assert_eq!(service.app.cache.size(), (0, 0));
}
