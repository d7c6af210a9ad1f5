//! One log line per request.
//!
//! The line names the endpoint and the token by their names. It never holds values of parameters, texts
//! of queries or tokens. A request whose caller leaves before the answer is logged as status 499.

mod line;
mod writer;

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime};

use hyper::Method;
use hyper::header::{HeaderMap, HeaderValue};

use super::cache::Status;
use super::error::ApiError;
use super::ids::{self, UUID_BYTES};
use super::limits::Allowance;
use super::metrics::Handles;
use super::response::{Timings, X_REQUEST_ID};
use super::route;
use super::span::{Span, Spans};
use super::trace::Trace;
use super::{App, Arrival};
use crate::endpoint::Endpoint;
use line::{Line, Subject};

pub use line::Form;
pub use writer::{Attendant, LogWriter};

/// The status of a request whose caller did not wait for the answer.
const CLIENT_CLOSED: u16 = 499;

/// Where lines of requests go.
#[derive(Clone, Debug)]
pub struct AccessLog {
    /// The place.
    pub writer: LogWriter,
    /// How they are written.
    pub form: Form,
}

/// What is known of a request so far. Logged when it is dropped.
pub(crate) struct Record<'a> {
    /// Names the request.
    pub(crate) request_id: RequestId,
    /// The route as a template, so that lines can be grouped.
    pub(crate) route: &'static str,
    /// The endpoint, once it is known to exist.
    pub(crate) endpoint: Option<Cow<'a, Arc<Endpoint>>>,
    /// The name of the token, once it is known to be good.
    pub(crate) token: Option<Cow<'a, str>>,
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
    /// How long it took, where that is known before it is dropped.
    pub(crate) time: Option<Duration>,
    /// What is the same for requests like it, if there may be more of them.
    pub(crate) kind: Option<&'a Kind>,
    /// The same as `started`, in microseconds since the Unix epoch.
    started_micros: u64,
    method: Method,
    status: u16,
    /// The code of the first reason of a refusal.
    code: Option<String>,
    app: &'a App,
    /// Where the span of the request goes, if it is recorded.
    spans: Option<&'a Spans>,
}

/// What is the same for all requests of one method and token to one endpoint whose result is kept: found once.
#[derive(Debug, Default)]
pub(crate) struct Kind {
    /// Where they are counted.
    handles: Handles,
    /// Their part of a line of the log.
    subject: OnceLock<Box<[u8]>>,
}

/// Names a request in logs, spans and answers.
pub(crate) enum RequestId {
    /// By the caller's word.
    Sent(HeaderValue),
    /// By a new one.
    Made([u8; UUID_BYTES]),
}

impl RequestId {
    /// Returns the id that the caller gave, when it is a harmless one, or else a new one.
    fn of(headers: &HeaderMap, millis: u64) -> Self {
        let harmless = |id: &&HeaderValue| {
            (1..=128).contains(&id.len())
                && id
                    .as_bytes()
                    .iter()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
        };
        match headers.get(X_REQUEST_ID).filter(harmless) {
            Some(id) => Self::Sent(id.clone()),
            None => Self::Made(ids::by_time(millis)),
        }
    }

    /// Returns its text: letters, digits, `.`, `_` and `-`.
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Sent(id) => id.to_str().unwrap_or_default(),
            Self::Made(id) => std::str::from_utf8(id).unwrap_or_default(),
        }
    }

    /// Writes its text.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Sent(id) => out.extend_from_slice(id.as_bytes()),
            Self::Made(id) => out.extend_from_slice(id),
        }
    }
}

impl<'a> Record<'a> {
    /// Begins the record of a request.
    pub(crate) fn start(
        app: &'a App,
        method: &Method,
        headers: &HeaderMap,
        arrival: Arrival,
    ) -> Self {
        let mut trace = Trace::of(headers);
        let spans = app.spans.as_ref().filter(|spans| {
            let recorded = spans.samples(trace.trace_id(), trace.parent());
            trace.set_recorded(recorded);
            recorded
        });
        let started_micros = u64::try_from(arrival.micros).unwrap_or_default();
        Self {
            request_id: RequestId::of(headers, started_micros / 1000),
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
            started: arrival.instant,
            started_micros,
            time: None,
            kind: None,
            status: CLIENT_CLOSED,
            code: None,
            app,
            spans,
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
        self.app.metrics.refused(error.code());
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
            request_id: self.request_id.as_str(),
        });
    }

    fn count(&self, time: Duration) {
        let metrics = &self.app.metrics;
        let endpoint = self.endpoint.as_ref().map_or("", |e| e.name.as_str());
        let Self { route, status, .. } = *self;
        match self.kind {
            Some(kind) => (kind.handles).count(metrics, route, endpoint, status, time),
            None => {
                metrics.request(route, endpoint, status, time);
                if let (Some(_), Some(status)) = (&self.endpoint, self.cache) {
                    metrics.cached(endpoint, status);
                }
            }
        }
    }

    fn log(&self, time: Duration) {
        /// What a line needs at first.
        const LINE_BYTES: usize = 512;
        thread_local! {
            /// Room for a line.
            static ROOM: RefCell<Vec<u8>> = RefCell::default();
        }
        let Some(log) = &self.app.access_log else {
            return;
        };
        if !tracing::enabled!(target: "access", tracing::Level::INFO) {
            return;
        }
        // An extension method may be any token; what is logged is bounded.
        let method = self.method.as_str();
        let subject = Subject::Parts {
            method: method.get(..16).unwrap_or(method),
            route: self.route,
            endpoint: self.endpoint.as_ref().map_or("-", |e| e.name.as_str()),
            token: self.token.as_deref().unwrap_or("-"),
        };
        let known = self.kind.map(|kind| {
            kind.subject.get_or_init(|| {
                let mut text = Vec::new();
                subject.write(log.form, &mut text);
                text.into()
            })
        });
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let line = Line {
            micros: self.started_micros.saturating_add(micros),
            subject: known.map_or(subject, |text| Subject::Written(text)),
            status: self.status,
            millis: micros / 1000,
            cache: self.cache.map_or("-", Status::name),
            rows: u64::try_from(self.rows.unwrap_or(0)).unwrap_or(u64::MAX),
            bytes: self.bytes,
            timings: &self.timings,
            request_id: &self.request_id,
            trace: &self.trace,
        };
        ROOM.with_borrow_mut(|room| {
            room.clear();
            room.reserve(LINE_BYTES);
            line.write(log.form, room);
            log.writer.put(room);
        });
    }
}

impl Drop for Record<'_> {
    fn drop(&mut self) {
        let elapsed = self.time.unwrap_or_else(|| self.started.elapsed());
        self.record_span(elapsed);
        self.count(elapsed);
        self.log(elapsed);
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn ids_of_callers() {
        #[track_caller]
        fn check(id: &str, kept: bool) {
            let mut headers = HeaderMap::new();
            headers.insert(X_REQUEST_ID, HeaderValue::from_str(id).unwrap());
            let given = RequestId::of(&headers, 0);
            assert_eq!(given.as_str() == id, kept, "{id}");
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
        let id = RequestId::of(&HeaderMap::new(), 0);
        let id = Uuid::parse_str(id.as_str()).unwrap();
        assert_eq!(id.get_version_num(), 7);
    }
}
