//! Cross-origin calls from browsers (the Fetch standard, "CORS protocol"). Off unless configured.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ALLOW, HeaderMap, HeaderValue, ORIGIN,
    VARY,
};
use hyper::{Response, StatusCode};

use crate::config::Config;

const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, OPTIONS");

/// Returns whether any origin may call.
pub(crate) fn is_enabled(config: &Config) -> bool {
    !config.server.cors_origins.is_empty()
}

/// Returns the value that names the caller's origin as allowed, if it is.
pub(crate) fn allowed_origin(config: &Config, headers: &HeaderMap) -> Option<HeaderValue> {
    let allowed = &config.server.cors_origins;
    if allowed.is_empty() {
        return None;
    }
    let origin = headers.get(ORIGIN)?;
    if allowed.iter().any(|o| o == "*") {
        return Some(HeaderValue::from_static("*"));
    }
    allowed
        .iter()
        .any(|o| o.as_bytes() == origin.as_bytes())
        .then(|| origin.clone())
}

/// Returns the answer to a browser that asks before it calls.
pub(crate) fn preflight(config: &Config) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ALLOW, METHODS);
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    let prefix = &config.server.header_prefix;
    let allowed = format!(
        "Authorization, X-API-KEY, Content-Type, X-Request-Id, Request-Timeout, Prefer, \
         Cache-Control, If-None-Match, traceparent, {prefix}-ENDPOINT-REDACT-PII, \
         {prefix}-ENDPOINT-LABELS"
    );
    if let Ok(allowed) = HeaderValue::from_str(&allowed) {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    }
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    response
}

/// Adds what a browser needs to hand the answer to its page.
pub(crate) fn finish(config: &Config, origin: Option<HeaderValue>, headers: &mut HeaderMap) {
    if !is_enabled(config) {
        return;
    }
    headers.append(VARY, HeaderValue::from_static("Origin"));
    if let Some(origin) = origin {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(
            ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(
                "X-Request-Id, X-Result-Truncated, X-Ignored-Parameters, Server-Timing, Retry-After, \
                 ETag, Age, Cache-Status, RateLimit, RateLimit-Policy, traceresponse",
            ),
        );
    }
}
