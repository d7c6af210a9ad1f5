//! What operators and tools are told: metrics, the description of endpoints, traces, the use of tokens.

use super::scripted::Deed;
use super::service::{Service, sql};
use crate::server::auth::{Scope, last_use};

#[tokio::test]
async fn the_description_is_of_what_the_token_may_call() {
    let service = Service::new();
    let all = service.get("/api/openapi.json").await;
    assert_eq!(all.status, 200);
    let all = all.json();
    assert_eq!(all["openapi"], "3.1.0");
    let paths = all["paths"].as_object().unwrap();
    let names: Vec<String> = paths.keys().cloned().collect();
    assert_eq!(
        names,
        ["cached", "plain", "warm"].map(|name| format!("/api/endpoints/query/{name}"))
    );
    let cached = &all["paths"]["/api/endpoints/query/cached"];
    let parameters = |get: &serde_json::Value| -> Vec<String> {
        let list = get["parameters"].as_array().unwrap();
        let in_query = list.iter().filter(|p| p["in"] == "query");
        in_query
            .map(|p| p["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        parameters(&cached["get"]),
        ["project", "since", "sql", "lql"]
    );
    let row = &cached["get"]["responses"]["200"]["content"]["application/json"]["schema"];
    let id = &row["properties"]["result"]["items"]["properties"]["id"];
    assert_eq!(id["anyOf"][0]["type"], "string");
    // The name of a stream is nobody's business.
    assert!(!all.to_string().contains("\"s\""), "{all}");

    let pinned = service.token("pinned", &[("project", "a")], &[]);
    let headers = [("x-api-key", pinned.as_str())];
    let less = service.get_with("/api/openapi.json", &headers).await.json();
    let cached = &less["paths"]["/api/endpoints/query/cached"];
    assert_eq!(parameters(&cached["get"]), ["since"]);
    assert_eq!(
        service
            .get_with("/api/openapi.json", &[("x-api-key", "x")])
            .await
            .status,
        401
    );
}

#[tokio::test]
async fn metrics_hold_no_values() {
    let service = Service::new();
    service.get("cached?project=private-project").await;
    service.get("cached?project=private-project").await;
    service
        .get(&sql("plain", "select private_column from t"))
        .await;
    service.get("private-endpoint?project=a").await;
    service.get("/private/path").await;
    service.warehouse.next(Deed::Fail);
    service.get("plain?project=a").await;
    let reply = service.get("/metrics").await;
    assert_eq!(reply.status, 200);
    assert!(
        reply
            .header("content-type")
            .starts_with("application/openmetrics-text")
    );
    let text = String::from_utf8(reply.body.to_vec()).unwrap();
    for line in [
        "logboom_cache_answers_total{endpoint=\"cached\",status=\"hit\"} 1",
        "logboom_cache_answers_total{endpoint=\"cached\",status=\"miss\"} 1",
        "logboom_cache_entries 1",
        "logboom_query_seconds_count{endpoint=\"cached\"} 1",
        "logboom_requests_total{route=\"/api/endpoints/query/{endpoint}\",endpoint=\"plain\",status=\"502\"} 1",
        "logboom_requests_total{route=\"/api/endpoints/query/{endpoint}\",endpoint=\"\",status=\"404\"} 1",
        "logboom_requests_total{route=\"{unknown}\",endpoint=\"\",status=\"404\"} 1",
        "logboom_refusals_total{code=\"LB202\"} 1",
        "logboom_queries_running 0",
    ] {
        assert!(text.lines().any(|l| l == line), "{line}\n{text}");
    }
    assert!(!text.contains("private"), "{text}");
    assert!(!text.contains(&service.token), "{text}");
}

#[tokio::test]
async fn traces_go_on() {
    let service = Service::new();
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let reply = service
        .get_with("plain?project=a", &[("traceparent", parent)])
        .await;
    let answer = reply.header("traceresponse");
    assert!(
        answer.starts_with("00-4bf92f3577b34da6a3ce929d0e0e4736-"),
        "{answer}"
    );
    assert!(
        answer.ends_with("-01") && !answer.contains("00f067aa0ba902b7"),
        "{answer}"
    );
}

#[tokio::test]
async fn the_last_use_of_tokens_is_kept() {
    let service = Service::new();
    service.token("unused", &[], &[Scope::Sandbox]);
    service.get("plain?project=a").await;
    service
        .get_with("plain?project=a", &[("x-api-key", "lbk_wrong")])
        .await;
    service.app.tokens.write_last_use().unwrap();
    let used = last_use(&service.folder.path().join("tokens.toml"));
    // The clock of the service stands at the epoch.
    let expected = [("all".to_owned(), jiff::Timestamp::UNIX_EPOCH)];
    assert_eq!(used, expected.into());
}

#[tokio::test]
async fn a_slow_reader_holds_memory_that_is_counted() {
    let mut config = crate::config::Config::default();
    config.cache.capacity_bytes = 0;
    config.server.max_outgoing_bytes = 64 * 1024;
    let service = Service::with(config);
    service.warehouse.next(Deed::Many(5_000));
    let first = service.get("plain?project=a").await;
    assert_eq!(first.status, 200);
    assert!(first.body.len() > 40_000);
    // The body is still held, as if its reader were slow.
    let headers = [("request-timeout", "0.05")];
    let refused = service.get_with("plain?project=a", &headers).await;
    assert_eq!(refused.status, 503);
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("server.max_outgoing_bytes"), "{message}");
    drop(first);
    assert_eq!(service.get("plain?project=a").await.status, 200);
}
