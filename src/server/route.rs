//! From a request to a response: the routes, and what every answer has in common.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use http_body_util::Full;
use hyper::body::Body;
use hyper::{Method, Request, Response};

use super::access_log::Record;
use super::error::{ApiError, Fault};
use super::{App, cors, query, response};
use crate::warehouse::WarehouseError;

/// Where queries are called.
const QUERY: &str = "/api/endpoints/query/";

/// How long a probe waits for the warehouse.
const PROBE: Duration = Duration::from_secs(5);

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route<'a> {
    /// An endpoint, by its id or name, still percent-encoded.
    Query(&'a str),
    /// Whether the process is alive.
    Health,
    /// Whether it can answer queries.
    Ready,
    /// Nothing.
    Unknown,
}

impl<'a> Route<'a> {
    fn of(path: &'a str) -> Self {
        match path {
            "/healthz" => Self::Health,
            "/readyz" => Self::Ready,
            _ => match path.strip_prefix(QUERY) {
                Some(name) if !name.is_empty() && !name.contains('/') => Self::Query(name),
                _ => Self::Unknown,
            },
        }
    }

    fn template(self) -> &'static str {
        match self {
            Self::Query(_) => "/api/endpoints/query/{endpoint}",
            Self::Health => "/healthz",
            Self::Ready => "/readyz",
            Self::Unknown => "{unknown}",
        }
    }
}

/// Answers one request. Never fails: a panic on the way is an answer of status 500.
///
/// Dropping the future, as the server does when the caller leaves, cancels the query.
pub(crate) async fn respond<B>(app: &Arc<App>, request: Request<B>) -> Response<Full<Bytes>>
where
    B: Body + Send,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let mut record = Record::start(request.method(), request.headers());
    let origin = cors::allowed_origin(&app.config, request.headers());
    let outcome = AssertUnwindSafe(dispatch(app, request, &mut record))
        .catch_unwind()
        .await
        .unwrap_or_else(|_| Err(ApiError::internal("the handler panicked")));
    let mut response = outcome.unwrap_or_else(|error| {
        record.failed(&error);
        error.into_response(&record.request_id)
    });
    response::finish(response.headers_mut(), &record.request_id, &record.timings);
    cors::finish(&app.config, origin, response.headers_mut());
    record.finish(response.status());
    response
}

async fn dispatch<B>(
    app: &Arc<App>,
    request: Request<B>,
    record: &mut Record,
) -> Result<Response<Full<Bytes>>, ApiError>
where
    B: Body + Send,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let path = request.uri().path().to_owned();
    let route = Route::of(&path);
    record.route = route.template();
    let method = request.method().clone();
    match route {
        Route::Query(name) => {
            if method == Method::OPTIONS && cors::is_enabled(&app.config) {
                return Ok(cors::preflight(&app.config));
            }
            if ![Method::GET, Method::HEAD, Method::POST].contains(&method) {
                return Err(ApiError::method_not_allowed("GET, HEAD, POST"));
            }
            query::handle(app, name, request, record).await
        }
        Route::Health | Route::Ready if ![Method::GET, Method::HEAD].contains(&method) => {
            Err(ApiError::method_not_allowed("GET, HEAD"))
        }
        Route::Health => Ok(response::json(r#"{"status":"ok"}"#)),
        Route::Ready => ready(app).await,
        Route::Unknown => Err(ApiError::new(
            Fault::NotFound,
            "there is nothing at this path",
        )),
    }
}

async fn ready(app: &App) -> Result<Response<Full<Bytes>>, ApiError> {
    if app.is_draining() {
        return Err(ApiError::new(
            Fault::Unavailable,
            "the service is shutting down",
        ));
    }
    let ready = tokio::time::timeout(PROBE, app.warehouse.ready())
        .await
        .unwrap_or(Err(WarehouseError::DeadlineExceeded));
    ready.map_err(|error| {
        ApiError::new(Fault::Unavailable, "the log warehouse is not ready").detail_of(&error)
    })?;
    Ok(response::json(r#"{"status":"ok"}"#))
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
            ("/", Route::Unknown),
        ] {
            assert_eq!(Route::of(path), route, "{path}");
        }
    }
}
