//! The straight way of requests whose result is kept: it answers what the long way would.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{HeaderMap, Method, Request};

use super::service::{Reply, Service, new_token_until, sql};
use crate::config::Config;
use crate::server::auth::{Scope, TokenStore};
use crate::server::kept::{self, Last};

/// Headers that differ between any two answers.
const OWN: [&str; 3] = ["x-request-id", "server-timing", "traceresponse"];

/// Calls by the straight way on a new connection; `None` where it does not lead to an answer.
async fn straight(
    service: &Service,
    method: &Method,
    path: &str,
    headers: &[(&str, &str)],
) -> Option<Reply> {
    straight_on(&Last::default(), service, method, path, headers).await
}

/// The same on a connection.
async fn straight_on(
    last: &Last,
    service: &Service,
    method: &Method,
    path: &str,
    headers: &[(&str, &str)],
) -> Option<Reply> {
    let path = format!("/api/endpoints/query/{path}");
    let mut request = Request::builder().method(method).uri(path);
    if !headers.iter().any(|(name, _)| *name == "x-api-key") {
        request = request.header("x-api-key", &service.token);
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::<Bytes>::default()).unwrap();
    let (head, body) = kept::answer(&service.app, last, &request)?.into_parts();
    Some(Reply {
        status: head.status.as_u16(),
        headers: head.headers,
        body: body.collect().await.unwrap().to_bytes(),
    })
}

/// Returns the headers but those that differ between any two answers, in the order of their names.
fn common(headers: &HeaderMap) -> Vec<(String, String)> {
    let mut common: Vec<(String, String)> = headers
        .iter()
        .filter(|(name, _)| !OWN.contains(&name.as_str()))
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    common.sort();
    common
}

/// Whether two answers tell the same; that a second went by between them does not count.
fn is_same(long: &Reply, straight: &Reply) -> bool {
    let timeless = |reply: &Reply| {
        let mut headers = common(&reply.headers);
        headers
            .retain(|(name, _)| !["age", "cache-control", "cache-status"].contains(&name.as_str()));
        headers
    };
    (long.status, &long.body) == (straight.status, &straight.body)
        && timeless(long) == timeless(straight)
}

#[tokio::test]
async fn answers_are_those_of_the_long_way() {
    let mut config = Config::default();
    config.server.cors_origins = vec!["https://a.test".into()];
    let service = Service::with(config);
    service.warehouse.next(super::scripted::Deed::Many(500));
    let first = service.get("cached?project=a").await;
    let tag = first.header("etag").to_owned();
    let select = sql("cached", "select id from t");
    for (path, headers) in [
        ("cached?project=a", &[][..]),
        ("cached?project=a&other=1", &[]),
        ("afc4ed8f-6649-4adc-a5cb-55ee7c7884b6?project=a", &[]),
        ("cached?project=a", &[("accept", "text/csv")]),
        ("cached?project=a", &[("accept-encoding", "gzip")]),
        ("cached?project=a", &[("accept-encoding", "zstd")]),
        ("cached?project=a", &[("if-none-match", tag.as_str())]),
        ("cached?project=a", &[("if-none-match", "\"other\"")]),
        ("cached?project=a", &[("origin", "https://a.test")]),
        ("cached?project=a", &[("origin", "https://b.test")]),
        ("cached?project=a", &[("prefer", "wait=3")]),
        ("cached?project=a", &[("request-timeout", "3")]),
        ("cached?project=a", &[("svc-endpoint-redact-pii", "true")]),
        (select.as_str(), &[]),
    ] {
        for method in [Method::GET, Method::HEAD] {
            let case = format!("{method} {path} {headers:?}");
            // The first makes the result; the second finds it, but not by this way.
            service.call(method.clone(), path, headers, "").await;
            let long = service.call(Method::POST, path, headers, "").await;
            let reply = straight(&service, &method, path, headers).await;
            let reply = reply.unwrap_or_else(|| panic!("{case}"));
            assert!(
                reply
                    .header("cache-status")
                    .starts_with("logboom; hit; ttl=")
            );
            assert!(
                reply.header("server-timing").starts_with("auth;dur="),
                "{case}"
            );
            assert_eq!(reply.header("x-request-id").len(), 36, "{case}");
            assert_eq!(reply.header("traceresponse").len(), 55, "{case}");
            let is_conditional = headers.iter().any(|(name, _)| *name == "if-none-match");
            if method == Method::GET && !is_conditional {
                assert!(is_same(&long, &reply), "{case}\n{long:?}\n{reply:?}");
            }
            // What the caller named is told as they named it.
            let named = [headers, &[("x-request-id", "mine")]].concat();
            let reply = straight(&service, &method, path, &named).await.unwrap();
            assert_eq!(reply.header("x-request-id"), "mine", "{case}");
        }
    }
    let known = [("if-none-match", tag.as_str())];
    let reply = straight(&service, &Method::GET, "cached?project=a", &known).await;
    let reply = reply.unwrap();
    assert_eq!((reply.status, reply.body.len()), (304, 0));
    assert!(!reply.headers.contains_key("content-type"));
}

#[tokio::test]
async fn what_differs_goes_the_long_way() {
    let service = Service::new();
    let other = service.token("other", &[], &[]);
    for _ in 0..2 {
        service.get("cached?project=a").await;
    }
    let get = Method::GET;
    let is_straight = async |method: &Method, path: &str, headers: &[(&str, &str)]| {
        straight(&service, method, path, headers).await.is_some()
    };
    assert!(is_straight(&get, "cached?project=a", &[]).await);
    // What no answer depends on.
    for header in [
        ("user-agent", "x"),
        ("cookie", "y"),
        ("x-forwarded-for", "z"),
    ] {
        assert!(is_straight(&get, "cached?project=a", &[header]).await);
    }
    for (method, path, headers) in [
        (Method::POST, "cached?project=a", &[][..]),
        (Method::HEAD, "cached?project=a", &[]),
        (get.clone(), "cached?project=b", &[]),
        (get.clone(), "plain?project=a", &[]),
        (get.clone(), "cached?project=a&", &[]),
        (get.clone(), "cached?project=a", &[("accept", "*/*")]),
        (
            get.clone(),
            "cached?project=a",
            &[("accept-encoding", "br")],
        ),
        (
            get.clone(),
            "cached?project=a",
            &[("cache-control", "no-cache")],
        ),
        (
            get.clone(),
            "cached?project=a",
            &[("x-api-key", other.as_str())],
        ),
        (
            get.clone(),
            "cached?project=a",
            &[("x-api-key", "lbk_none")],
        ),
        (
            get.clone(),
            "cached?project=a",
            &[("authorization", "Bearer x")],
        ),
        (get.clone(), "cached?project=a", &[("prefer", "wait=3")]),
        (get.clone(), "cached?project=a", &[("request-timeout", "x")]),
        (
            get.clone(),
            "cached?project=a",
            &[("svc-endpoint-redact-pii", "true")],
        ),
        (
            get.clone(),
            "cached?project=a",
            &[("origin", "https://a.test")],
        ),
    ] {
        assert!(
            !is_straight(&method, path, headers).await,
            "{method} {path} {headers:?}"
        );
    }
    // A caller who may have a new result gets one, however often they ask.
    let no_cache = [("cache-control", "no-cache")];
    for run in [2, 3] {
        let reply = service.get_with("cached?project=a", &no_cache).await;
        assert_eq!(reply.run(), run);
        assert!(!is_straight(&get, "cached?project=a", &no_cache).await);
    }
}

#[tokio::test]
async fn what_is_not_allowed_any_more_is_refused() {
    let service = Service::new();
    let path = "cached?project=a";
    let file = service.folder.path().join("tokens.toml");
    let status = async |token: &str| {
        let headers = [("x-api-key", token)];
        let straight = straight(&service, &Method::GET, path, &headers).await;
        (
            straight.is_some(),
            service.get_with(path, &headers).await.status,
        )
    };
    let revoked = service.token("revoked", &[], &[Scope::Sandbox]);
    assert_eq!(status(&revoked).await, (false, 200));
    assert_eq!(status(&revoked).await, (true, 200));
    TokenStore::open(&file).unwrap().revoke("revoked").unwrap();
    service.app.tokens.reload();
    assert_eq!(status(&revoked).await, (false, 401));
    assert_eq!(status(&revoked).await, (false, 401));

    // The clock stands at the epoch.
    let soon = jiff::Timestamp::from_second(1).unwrap();
    let expiring = new_token_until(&file, "expiring", soon);
    service.app.tokens.reload();
    assert_eq!(status(&expiring).await, (false, 200));
    assert_eq!(status(&expiring).await, (true, 200));
    let later = service.at(soon);
    let headers = [("x-api-key", expiring.as_str())];
    assert!(
        straight(&later, &Method::GET, path, &headers)
            .await
            .is_none()
    );
    assert_eq!(later.get_with(path, &headers).await.status, 401);

    // Whatever is loaded again counts at once.
    for _ in 0..2 {
        assert_eq!(later.get(path).await.status, 200);
    }
    assert!(straight(&later, &Method::GET, path, &[]).await.is_some());
    later.app.replace(later.load());
    assert!(straight(&later, &Method::GET, path, &[]).await.is_none());
    assert_eq!(later.get(path).await.status, 200);
    assert!(straight(&later, &Method::GET, path, &[]).await.is_some());
}

#[tokio::test]
async fn a_connection_follows_what_is_kept() {
    let service = Service::new();
    for project in ["a", "b"] {
        service.get(&format!("cached?project={project}")).await;
    }
    let last = Last::default();
    let run = async |project: &str| {
        let path = format!("cached?project={project}");
        let reply = straight_on(&last, &service, &Method::GET, &path, &[]).await;
        reply.map(|reply| reply.run())
    };
    for project in ["a", "a", "b", "a"] {
        let expected = if project == "a" { 1 } else { 2 };
        assert_eq!(run(project).await, Some(expected), "{project}");
    }
    let no_cache = [("cache-control", "no-cache")];
    service.get_with("cached?project=a", &no_cache).await;
    assert_eq!(run("a").await, Some(3));
    assert_eq!(run("a").await, Some(3));
    service.app.cache.resize(0);
    assert_eq!(run("a").await, None);
}
