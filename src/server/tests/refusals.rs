//! Requests that are wrong in one way each: every one gets a 4xx that says so.

use hyper::Method;

use super::scripted::Deed;
use super::service::{Service, sql};

const JSON: (&str, &str) = ("content-type", "application/json");

/// Method, path, headers, body, status.
type Case<'a> = (Method, &'a str, &'a [(&'a str, &'a str)], &'a str, u16);

#[tokio::test]
async fn parameters_and_headers() {
    let service = Service::new();
    // A query that gets through would be seen.
    service.warehouse.next(Deed::Panic);
    let long = "x".repeat(70_000);
    let long_sql = format!(r#"{{"project": "a", "sql": "select '{long}' from t"}}"#);
    let deep = "[".repeat(100_000);
    let write = sql("plain", "drop table t");
    let outside = sql("plain", "select * from s");
    let open = sql("plain", "select 'a from t");
    let (get, post) = (Method::GET, Method::POST);
    let cases: &[Case<'_>] = &[
        (get.clone(), "plain", &[], "", 400),
        (get.clone(), "plain?project=", &[], "", 400),
        (get.clone(), "plain?project=a&project=b", &[], "", 400),
        (get.clone(), "plain?project=%ff", &[], "", 400),
        (get.clone(), "plain?%c3%28=1&project=a", &[], "", 400),
        (
            get.clone(),
            "cached?project=a&since=yesterday",
            &[],
            "",
            400,
        ),
        (
            get.clone(),
            "cached?project=a&since=2026-02-30T00:00:00Z",
            &[],
            "",
            400,
        ),
        (
            get.clone(),
            "plain?project=a&sql=select&sql=select",
            &[],
            "",
            400,
        ),
        (get.clone(), "plain?project=a&sql=%00", &[], "", 400),
        (post.clone(), "plain", &[JSON], &long_sql, 400),
        (get.clone(), &write, &[], "", 400),
        (get.clone(), &outside, &[], "", 400),
        (get.clone(), &open, &[], "", 400),
        (
            get.clone(),
            "plain?project=a",
            &[("accept", "text/html")],
            "",
            406,
        ),
        (
            get.clone(),
            "plain?project=a",
            &[("request-timeout", "soon")],
            "",
            400,
        ),
        (
            get.clone(),
            "plain?project=a",
            &[("request-timeout", "-1")],
            "",
            400,
        ),
        (
            get.clone(),
            "plain?project=a",
            &[("x-api-key", "lbk_wrong")],
            "",
            401,
        ),
        (
            get.clone(),
            "plain?project=a",
            &[("x-api-key", "")],
            "",
            401,
        ),
        (
            get.clone(),
            "plain?project=a",
            &[("x-api-key", "a"), ("x-api-key", "b")],
            "",
            401,
        ),
        (get.clone(), "nothing?project=a", &[], "", 404),
        (get.clone(), "shop", &[], "", 404),
        (
            get.clone(),
            "2fc4ed8f-6649-4adc-a5cb-55ee7c7884b6",
            &[],
            "",
            404,
        ),
        (get.clone(), "plain/more?project=a", &[], "", 404),
        (get.clone(), "%ff?project=a", &[], "", 404),
        (get.clone(), "/api/endpoints/query", &[], "", 404),
        (Method::PUT, "plain?project=a", &[], "", 405),
        (Method::DELETE, "plain?project=a", &[], "", 405),
        (Method::CONNECT, "plain?project=a", &[], "", 405),
        (Method::POST, "/healthz", &[], "", 405),
        (Method::POST, "/metrics", &[], "", 405),
        (post.clone(), "plain", &[], "{}", 415),
        (
            post.clone(),
            "plain",
            &[("content-type", "text/plain")],
            "{}",
            415,
        ),
        (
            post.clone(),
            "plain",
            &[("content-type", "application/json; charset=latin1")],
            "{}",
            415,
        ),
        (post.clone(), "plain", &[JSON], "[]", 400),
        (post.clone(), "plain", &[JSON], "{", 400),
        (post.clone(), "plain", &[JSON], "{} {}", 400),
        (
            post.clone(),
            "plain",
            &[JSON],
            r#"{"project": "a", "project": "b"}"#,
            400,
        ),
        (
            post.clone(),
            "plain",
            &[JSON],
            r#"{"project": {"a": 1}}"#,
            400,
        ),
        (
            post.clone(),
            "plain",
            &[JSON],
            r#"{"project": "a", "sql": 7}"#,
            400,
        ),
        (
            post.clone(),
            "plain?project=a",
            &[JSON],
            r#"{"project": "a"}"#,
            400,
        ),
        (post.clone(), "plain", &[JSON], &deep, 400),
        (
            post.clone(),
            "plain",
            &[JSON],
            "{\"project\": \"\u{0}\"}",
            400,
        ),
    ];
    for (method, path, headers, body, status) in cases {
        let shown: String = format!("{method} {path} {headers:?}")
            .chars()
            .take(200)
            .collect();
        let reply = service.call(method.clone(), path, headers, body).await;
        assert_eq!(reply.status, *status, "{shown} {:?}", reply.body);
        let json = reply.json();
        assert_eq!(json["error"]["code"], *status, "{shown}");
        assert!(
            !json["error"]["errors"][0]["message"]
                .as_str()
                .unwrap()
                .is_empty()
        );
        assert_eq!(
            reply.header("cache-control"),
            "private, no-store",
            "{shown}"
        );
    }
    assert_eq!(service.warehouse.begun(), 0);
    assert!(cases.len() > 24);
}

#[tokio::test]
async fn a_body_that_is_too_long() {
    let mut config = crate::config::Config::default();
    config.server.max_body_bytes = 10;
    let service = Service::with(config);
    let reply = service
        .call(Method::POST, "plain", &[JSON], r#"{"project": "a"}"#)
        .await;
    assert_eq!(reply.status, 413);
    let message = reply.json()["message"].as_str().unwrap().to_owned();
    assert!(
        message.contains("10 bytes (server.max_body_bytes)"),
        "{message}"
    );
}
