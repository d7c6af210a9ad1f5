//! One log line per request.
//!
//! The line names the endpoint and the token by their names. It never holds values of parameters, texts
//! of queries or tokens. A request whose caller leaves before the answer is logged as status 499.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use hyper::Method;
use hyper::header::HeaderMap;

use super::cache::Status;
use super::error::ApiError;
use super::ids;
use super::limits::Allowance;
use super::metrics::Metrics;
use super::response::{Timings, X_REQUEST_ID};
use super::route;
use super::span::{Span, Spans};
use super::trace::Trace;
use crate::endpoint::Endpoint;

/// The status of a request whose caller did not wait for the answer.
const CLIENT_CLOSED: u16 = 499;

/// What is known of a request so far. Logged when it is dropped.
pub(crate) struct Record {
    /// Names the request.
    pub(crate) request_id: String,
    /// The route as a template, so that lines can be grouped.
    pub(crate) route: &'static str,
    /// The endpoint, once it is known to exist.
    pub(crate) endpoint: Option<Arc<Endpoint>>,
    /// The name of the token, once it is known to be good.
    pub(crate) token: Option<String>,
    /// How many rows were answered.
    pub(crate) rows: Option<usize>,
    /// How many bytes the body of the answer has.
    pub(crate) bytes: u64,
    /// Where the answer came from.
    pub(crate) cache: Option<Status>,
    /// What the token and the endpoint may still have.
    pub(crate) allowance: Allowance,
    /// The trace it belongs to.
    pub(crate) trace: Trace,
    /// How long each phase took.
    pub(crate) timings: Timings,
    /// When its head was there.
    pub(crate) started: Instant,
    method: Method,
    status: u16,
    /// The code of the first reason of a refusal.
    code: Option<String>,
    metrics: Arc<Metrics>,
    /// Where the span of the request goes, if it is recorded.
    spans: Option<Spans>,
}

impl Record {
    /// Begins the record of a request.
    pub(crate) fn start(
        method: &Method,
        headers: &HeaderMap,
        metrics: &Arc<Metrics>,
        spans: Option<&Spans>,
    ) -> Self {
        let mut trace = Trace::of(headers);
        let spans = spans.filter(|spans| {
            let recorded = spans.samples(trace.trace_id(), trace.parent());
            trace.set_recorded(recorded);
            recorded
        });
        Self {
            request_id: request_id(headers),
            route: "",
            endpoint: None,
            token: None,
            rows: None,
            bytes: 0,
            cache: None,
            allowance: Allowance::default(),
            trace,
            timings: Timings::default(),
            method: method.clone(),
            started: Instant::now(),
            status: CLIENT_CLOSED,
            code: None,
            metrics: Arc::clone(metrics),
            spans: spans.map(Arc::clone),
        }
    }

    /// Notes the status of the answer.
    pub(crate) fn finish(&mut self, status: hyper::StatusCode) {
        self.status = status.as_u16();
    }

    /// Logs why a request failed, with what only the operator may read.
    pub(crate) fn failed(&mut self, error: &ApiError) {
        let codes = error.codes();
        self.code = Some(error.code().to_owned());
        self.timings = self.timings.and(error.timings());
        self.metrics.refused(error.code());
        let detail = error.detail().unwrap_or("");
        let request_id = self.request_id.as_str();
        if error.is_server_error() {
            tracing::error!(request_id, codes, detail, "request failed");
        } else if !detail.is_empty() {
            tracing::warn!(request_id, codes, detail, "request failed");
        } else {
            tracing::debug!(request_id, codes, "request refused");
        }
    }
}

impl Record {
    /// Hands the span to where spans go.
    fn record_span(&self, time: Duration) {
        let Some(spans) = &self.spans else {
            return;
        };
        if route::is_probe(self.route) {
            return;
        }
        spans.record(&Span {
            trace_id: self.trace.trace_id(),
            id: self.trace.span_id(),
            parent: self.trace.parent(),
            began: SystemTime::now() - time,
            time,
            method: self.method.as_str(),
            route: self.route,
            endpoint: self.endpoint.as_ref().map(|e| e.name.as_str()),
            status: self.status,
            code: self.code.as_deref(),
            cache: self.cache.map(Status::name),
            rows: self.rows,
            bytes: self.bytes,
            phases: self.timings.phases().collect(),
            bytes_billed: self.timings.bytes_billed,
            request_id: &self.request_id,
        });
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let elapsed = self.started.elapsed();
        self.record_span(elapsed);
        let endpoint = self.endpoint.as_ref().map(|e| e.name.as_str());
        self.metrics
            .request(self.route, endpoint, self.status, elapsed);
        if let (Some(endpoint), Some(status)) = (endpoint, self.cache) {
            self.metrics.cached(endpoint, status);
        }
        if !tracing::enabled!(target: "access", tracing::Level::INFO) {
            return;
        }
        // An extension method may be any token; what is logged is bounded.
        let method = self.method.as_str();
        let method = method.get(..16).unwrap_or(method);
        tracing::info!(
            target: "access",
            method,
            route = self.route,
            endpoint = endpoint.unwrap_or("-"),
            token = self.token.as_deref().unwrap_or("-"),
            status = self.status,
            ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            cache = self.cache.map_or("-", Status::name),
            rows = self.rows.unwrap_or(0),
            bytes = self.bytes,
            phases = %self.timings,
            bytes_billed = self.timings.bytes_billed.unwrap_or(0),
            request_id = self.request_id,
            trace_id = self.trace.id(),
            "request"
        );
    }
}

/// Returns the id that the caller gave, when it is a harmless one, or else a new one.
fn request_id(headers: &HeaderMap) -> String {
    let harmless = |id: &&str| {
        (1..=128).contains(&id.len())
            && id
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
    };
    headers
        .get(X_REQUEST_ID)
        .and_then(|id| id.to_str().ok())
        .filter(harmless)
        .map_or_else(|| ids::by_time(jiff::Timestamp::now()), str::to_owned)
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn ids_of_callers() {
        #[track_caller]
        fn check(id: &str, kept: bool) {
            let mut headers = HeaderMap::new();
            headers.insert(X_REQUEST_ID, HeaderValue::from_str(id).unwrap());
            assert_eq!(request_id(&headers) == id, kept, "{id}");
        }
        check("abc-1.2_3", true);
        check(&"a".repeat(128), true);
        check(&"a".repeat(129), false);
        check("a b", false);
        check("", false);
        check("a\"b", false);
    }

    #[test]
    fn new_ids_are_of_version_seven() {
        let id = request_id(&HeaderMap::new());
        assert_eq!(Uuid::parse_str(&id).unwrap().get_version_num(), 7);
    }
}
