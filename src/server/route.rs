//! From a request to a response: the routes, and what every answer has in common.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use http_body_util::Full;
use hyper::body::Body;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use serde_json::json;

use super::access_log::Record;
use super::error::{ApiError, Fault};
use super::kept::{self, Last};
use super::metrics::Levels;
use super::{App, Arrival, State, cors, openapi, query, response};
use crate::warehouse::WarehouseError;

/// Where queries are called.
const QUERY: &str = "/api/endpoints/query/";

/// The template of the paths that queries are called by.
pub(crate) const QUERY_TEMPLATE: &str = "/api/endpoints/query/{endpoint}";

/// The text format of OpenMetrics.
const OPENMETRICS: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// How long a probe waits for the warehouse: less than `logboom healthcheck`, so that it is told why not.
const PROBE: Duration = Duration::from_secs(4);

/// Which listener a request came in by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Door {
    /// The one for everybody.
    Public,
    /// The one for operators.
    Admin,
}

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route<'a> {
    /// An endpoint, by its id or name, still percent-encoded.
    Query(&'a str),
    /// Whether the process is alive.
    Health,
    /// Whether it can answer queries.
    Ready,
    /// Counters.
    Metrics,
    /// What the endpoints are.
    OpenApi,
    /// Nothing.
    Unknown,
}

impl<'a> Route<'a> {
    fn of(path: &'a str) -> Self {
        match path {
            "/healthz" => Self::Health,
            "/readyz" => Self::Ready,
            "/metrics" => Self::Metrics,
            "/api/openapi.json" => Self::OpenApi,
            _ => match path.strip_prefix(QUERY) {
                Some(name) if !name.is_empty() && !name.contains('/') => Self::Query(name),
                _ => Self::Unknown,
            },
        }
    }

    /// Returns whether a listener leads there. Where operators have one of their own, counters are there
    /// alone.
    fn is_behind(self, door: Door, has_admin: bool) -> bool {
        match self {
            Self::Health | Self::Ready => true,
            Self::Metrics => door == Door::Admin || !has_admin,
            Self::Query(_) | Self::OpenApi | Self::Unknown => door == Door::Public,
        }
    }

    fn template(self) -> &'static str {
        match self {
            Self::Query(_) => QUERY_TEMPLATE,
            Self::Health => "/healthz",
            Self::Ready => "/readyz",
            Self::Metrics => "/metrics",
            Self::OpenApi => "/api/openapi.json",
            Self::Unknown => "{unknown}",
        }
    }
}

/// Returns whether requests of a route, by its template, only ask how the service is.
pub(crate) fn is_probe(template: &str) -> bool {
    let probes = [Route::Health, Route::Ready, Route::Metrics];
    probes.iter().any(|route| route.template() == template)
}

/// Answers a request at once, where that can be; the others are left to [`respond`]. `last` belongs to the connection.
pub(crate) fn respond_at_once<B>(
    app: &App,
    door: Door,
    last: &Last,
    request: &Request<B>,
) -> Option<Response<Full<Bytes>>> {
    if door != Door::Public {
        return None;
    }
    let kept = AssertUnwindSafe(|| kept::answer(app, last, request));
    // What panicked goes the long way, which tells of it.
    panic::catch_unwind(kept).unwrap_or_default()
}

/// Answers any request. Never fails: a panic on the way is an answer of status 500.
///
/// Dropping the future, as the server does when the caller leaves, cancels the query.
pub(crate) async fn respond<B>(
    app: Arc<App>,
    door: Door,
    request: Request<B>,
) -> Response<Full<Bytes>>
where
    B: Body + Send,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let state = app.state();
    let (method, headers) = (request.method(), request.headers());
    let mut record = Record::start(&app, method, headers, Arrival::now());
    let answering = Answering::of(&state, method, headers);
    let outcome = AssertUnwindSafe(dispatch(&app, &state, door, request, &mut record))
        .catch_unwind()
        .await
        .unwrap_or_else(|_| Err(ApiError::internal("the handler panicked")));
    answering.complete(&mut record, outcome)
}

/// What an answer depends on besides the outcome.
pub(crate) struct Answering<'a> {
    state: &'a State,
    is_head: bool,
    origin: Option<HeaderValue>,
}

impl<'a> Answering<'a> {
    /// Returns what the answer to a request depends on.
    pub(crate) fn of(state: &'a State, method: &Method, headers: &HeaderMap) -> Self {
        Self {
            state,
            is_head: method == Method::HEAD,
            origin: cors::allowed_origin(&state.config, headers),
        }
    }

    /// Returns the answer that an outcome is, and tells the record of it.
    pub(crate) fn complete(
        self,
        record: &mut Record<'_>,
        outcome: Result<Response<Full<Bytes>>, ApiError>,
    ) -> Response<Full<Bytes>> {
        let mut response = outcome.unwrap_or_else(|error| {
            record.failed(&error);
            error.into_response(record.request_id.as_str())
        });
        response::finish(response.headers_mut(), record);
        self.conclude(record, &mut response);
        response
    }

    /// Adds the headers that are not known before, and tells the record of the answer.
    pub(crate) fn conclude(self, record: &mut Record<'_>, response: &mut Response<Full<Bytes>>) {
        let headers = response.headers_mut();
        record.allowance.write(headers);
        cors::finish(&self.state.config, self.origin, headers);
        if self.is_head {
            leave_body_out(response);
        }
        record.bytes = response.body().size_hint().lower();
        record.finish(response.status());
    }
}

/// Takes the body away and leaves its length (RFC 9110, section 9.3.2).
fn leave_body_out(response: &mut Response<Full<Bytes>>) {
    let body = std::mem::take(response.body_mut());
    if response.status() != StatusCode::NOT_MODIFIED {
        let length = HeaderValue::from(body.size_hint().lower());
        response.headers_mut().insert(CONTENT_LENGTH, length);
    }
}

async fn dispatch<B>(
    app: &Arc<App>,
    state: &Arc<State>,
    door: Door,
    request: Request<B>,
    record: &mut Record<'_>,
) -> Result<Response<Full<Bytes>>, ApiError>
where
    B: Body + Send,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let path = request.uri().path().to_owned();
    let route = match Route::of(&path) {
        route if route.is_behind(door, app.fixed.has_admin()) => route,
        _ => Route::Unknown,
    };
    record.route = route.template();
    let method = request.method().clone();
    match route {
        Route::Query(_) | Route::OpenApi
            if method == Method::OPTIONS && cors::is_enabled(&state.config) =>
        {
            Ok(cors::preflight(&state.config))
        }
        Route::Query(name) => {
            if ![Method::GET, Method::HEAD, Method::POST].contains(&method) {
                return Err(ApiError::method_not_allowed("GET, HEAD, POST"));
            }
            query::handle(app, state, name, request, record).await
        }
        Route::Health | Route::Ready | Route::Metrics | Route::OpenApi
            if ![Method::GET, Method::HEAD].contains(&method) =>
        {
            Err(ApiError::method_not_allowed("GET, HEAD"))
        }
        Route::Health => Ok(response::json(r#"{"status":"ok"}"#)),
        Route::Ready => ready(app, state).await,
        Route::Metrics => metrics(app),
        Route::OpenApi => {
            let tokens = app.tokens.current();
            let token = query::authenticate(app, &tokens, request.headers())?;
            record.token = Some(token.name.clone().into());
            Ok(response::json(openapi::document(state, token).to_string()))
        }
        Route::Unknown => Err(ApiError::new(
            Fault::NotFound,
            "there is nothing at this path",
        )),
    }
}

async fn ready(app: &App, state: &State) -> Result<Response<Full<Bytes>>, ApiError> {
    if app.is_draining() {
        return Err(ApiError::new(
            Fault::Unavailable,
            "the service is shutting down",
        ));
    }
    let ready = tokio::time::timeout(PROBE, state.warehouse.ready())
        .await
        .unwrap_or(Err(WarehouseError::DeadlineExceeded));
    ready.map_err(|error| {
        ApiError::new(Fault::Unavailable, "the log warehouse is not ready").detail_of(&error)
    })?;
    // The endpoints that are served are good ones, so that a file with a mistake takes no service away.
    let body = match app.reload_failed.load().as_deref() {
        None => json!({"status": "ok"}),
        Some(since) => json!({"status": "ok", "reload": "failed", "since": since.to_string()}),
    };
    Ok(response::json(body.to_string()))
}

fn metrics(app: &App) -> Result<Response<Full<Bytes>>, ApiError> {
    let (cache_entries, cache_bytes) = app.cache.size();
    let (queries_running, queries_waiting) = app.gate.load();
    let text = app.metrics.text(Levels {
        cache_entries,
        cache_bytes,
        queries_running,
        queries_waiting,
    });
    let text = text.map_err(|error| ApiError::internal(error.to_string()))?;
    let mut response = Response::new(Full::new(Bytes::from(text)));
    response.headers_mut().insert(CONTENT_TYPE, OPENMETRICS);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        for (path, route) in [
            ("/api/endpoints/query/logs.all", Route::Query("logs.all")),
            ("/api/endpoints/query/a%2Fb", Route::Query("a%2Fb")),
            ("/api/endpoints/query/", Route::Unknown),
            ("/api/endpoints/query/a/", Route::Unknown),
            ("/api/endpoints/query/a/b", Route::Unknown),
            ("/api/endpoints/query", Route::Unknown),
            ("/healthz", Route::Health),
            ("/readyz", Route::Ready),
            ("/metrics", Route::Metrics),
            ("/", Route::Unknown),
        ] {
            assert_eq!(Route::of(path), route, "{path}");
        }
    }
}
