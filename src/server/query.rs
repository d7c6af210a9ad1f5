//! A call of an endpoint: authenticate, bind, compile, run, encode.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Body;
use hyper::header::HeaderMap;
use hyper::{Method, Request, Response};
use percent_encoding::percent_decode_str;

use super::access_log::Record;
use super::auth::{Scope, TokenRecord};
use super::compile_pool::PoolError;
use super::error::{ApiError, Fault};
use super::request::{self, Arguments};
use super::{App, response};
use crate::compiler::{self, AdHoc, Call, Code, Compiled, Parameters};
use crate::endpoint::{Argument, Endpoint};

/// How long a query that ignores its deadline is waited for beyond it.
const GRACE: Duration = Duration::from_secs(1);

/// Answers a call of the endpoint with this id or name.
pub(crate) async fn handle<B>(
    app: &Arc<App>,
    name: &str,
    request: Request<B>,
    record: &mut Record,
) -> Result<Response<Full<Bytes>>, ApiError>
where
    B: Body + Send,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let deadline = Instant::now() + Duration::from_secs(app.config.server.request_timeout_seconds);
    let now = app.clock.now();
    let (head, body) = request.into_parts();

    let begun = Instant::now();
    let token = authenticate(app, &head.headers, now)?;
    record.token = Some(token.name.clone());
    let endpoint = find(app, name, &token)?;
    record.endpoint = Some(endpoint.name.clone());
    record.timings.auth = Some(begun.elapsed());

    request::accepts_json(&head.headers)?;
    refuse_redaction(app, &head.headers, &endpoint)?;
    let body = if head.method == Method::POST {
        read_body(app, &head.headers, body).await?
    } else {
        Bytes::new()
    };
    let mut arguments = Arguments::decode(head.uri.query(), &body)?;
    let sent = ad_hoc(&endpoint, token.has_scope(Scope::Sandbox), &mut arguments)?;
    let parameters = pin(&token, &endpoint, arguments.parameters)?;
    let bound = endpoint
        .bind(&parameters)
        .map_err(|diagnostics| ApiError::diagnostics(&diagnostics, None))?;

    let begun = Instant::now();
    let compiled = compile(app, &endpoint, sent, bound.parameters, now).await?;
    record.timings.compile = Some(begun.elapsed());

    let begun = Instant::now();
    let limit = tokio::time::Instant::from_std(deadline + GRACE);
    let rows = tokio::time::timeout_at(limit, app.warehouse.run(&compiled, deadline))
        .await
        .unwrap_or(Err(crate::warehouse::WarehouseError::DeadlineExceeded))?;
    record.timings.run = Some(begun.elapsed());
    record.rows = Some(rows.rows.len());

    let begun = Instant::now();
    let body = response::encode(&rows)?;
    record.timings.encode = Some(begun.elapsed());
    Ok(response::rows(body, rows.truncated, &bound.ignored))
}

fn authenticate(app: &App, headers: &HeaderMap, now: i64) -> Result<TokenRecord, ApiError> {
    let credential = request::credential(headers)?;
    let now = jiff::Timestamp::from_microsecond(now)
        .map_err(|error| ApiError::internal(error.to_string()))?;
    app.tokens
        .current()
        .authenticate(credential, now)
        .cloned()
        .ok_or_else(|| {
            ApiError::new(
                Fault::Unauthenticated,
                "the token is unknown, expired or revoked",
            )
        })
}

/// Finds an endpoint that the token may know. One that it may not know is answered like one that does
/// not exist, so that names cannot be probed.
fn find(app: &App, name: &str, token: &TokenRecord) -> Result<Arc<Endpoint>, ApiError> {
    let name = percent_decode_str(name).decode_utf8_lossy();
    app.endpoints
        .get(&name)
        .filter(|endpoint| token.may_call(&endpoint.name))
        .cloned()
        .ok_or_else(|| {
            ApiError::new(
                Fault::NotFound,
                "there is no such endpoint, or the token does not cover it",
            )
        })
}

/// Refuses what would otherwise give rows that the caller, or the endpoint, wants redacted.
fn refuse_redaction(app: &App, headers: &HeaderMap, endpoint: &Endpoint) -> Result<(), ApiError> {
    let header = format!("{}-ENDPOINT-REDACT-PII", app.config.server.header_prefix);
    let wanted = headers
        .get_all(header)
        .iter()
        .any(|value| !value.as_bytes().eq_ignore_ascii_case(b"false"));
    if wanted || endpoint.redact_pii {
        return Err(ApiError::refusal(
            Code::Unsupported,
            "redaction of personal data is not available yet",
        ));
    }
    Ok(())
}

async fn read_body<B>(app: &App, headers: &HeaderMap, body: B) -> Result<Bytes, ApiError>
where
    B: Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    request::is_json(headers)?;
    let server = &app.config.server;
    let patience = Duration::from_secs(server.request_timeout_seconds);
    request::read_body(body, server.max_body_bytes, patience).await
}

/// A query as a caller sent it.
#[derive(Debug, PartialEq)]
enum Sent {
    Sql(String),
    Lql(String),
}

impl Sent {
    fn as_ad_hoc(&self) -> AdHoc<'_> {
        match self {
            Sent::Sql(text) => AdHoc::Sql(text),
            Sent::Lql(text) => AdHoc::Lql(text),
        }
    }
}

/// Takes the caller's query, if they sent one and their token allows it. `sql` counts before `lql`.
fn ad_hoc(
    endpoint: &Endpoint,
    allowed: bool,
    arguments: &mut Arguments,
) -> Result<Option<Sent>, ApiError> {
    let (sql, lql) = (arguments.sql.take(), arguments.lql.take());
    if !endpoint.sandbox {
        if sql.is_some() {
            return Err(ApiError::refusal(
                Code::NotSandboxed,
                "this endpoint accepts no query of the caller",
            ));
        }
        // Ignored like a parameter that the endpoint does not have, and named among them.
        let ignored = lql.map(|text| ("lql".to_owned(), Argument::Text(text)));
        arguments.parameters.extend(ignored);
        return Ok(None);
    }
    let Some(sent) = sql.map(Sent::Sql).or(lql.map(Sent::Lql)) else {
        return Ok(None);
    };
    if !allowed {
        return Err(ApiError::new(
            Fault::PermissionDenied,
            "the token does not have the scope `sandbox`, which `sql` and `lql` need",
        ));
    }
    Ok(Some(sent))
}

/// Compiles on a thread made for it.
async fn compile(
    app: &Arc<App>,
    endpoint: &Arc<Endpoint>,
    sent: Option<Sent>,
    parameters: Parameters,
    now: i64,
) -> Result<Compiled, ApiError> {
    let job = {
        let app = Arc::clone(app);
        let endpoint = Arc::clone(endpoint);
        move || {
            let ad_hoc = sent.as_ref().map(Sent::as_ad_hoc);
            let call = Call {
                ad_hoc,
                parameters: &parameters,
                now,
                max_rows: endpoint.max_rows,
                target: app.warehouse.target(),
                limits: &app.config.limits,
            };
            compiler::compile(&endpoint.query, &call, None).map_err(|diagnostics| {
                let text = ad_hoc.map(|ad_hoc| ad_hoc.parts().1);
                ApiError::diagnostics(&diagnostics, text)
            })
        }
    };
    match app.compiler.run(job).await {
        Ok(result) => result,
        Err(PoolError::Full) => Err(ApiError::new(
            Fault::Unavailable,
            "too many queries are waiting to be compiled",
        )),
        Err(PoolError::Panicked) => Err(ApiError::internal("the compiler panicked")),
    }
}

/// Adds the parameters that the token sets. The caller cannot send them, under any spelling.
fn pin(
    token: &TokenRecord,
    endpoint: &Endpoint,
    mut parameters: Vec<(String, Argument)>,
) -> Result<Vec<(String, Argument)>, ApiError> {
    for (name, value) in &token.pins {
        if parameters
            .iter()
            .any(|(sent, _)| sent.eq_ignore_ascii_case(name))
        {
            return Err(ApiError::new(
                Fault::PermissionDenied,
                format!("parameter `{name}` is set by the token and cannot be sent"),
            ));
        }
        // Where the endpoint has no such parameter, the pin would restrict nothing.
        let declared = endpoint.parameters.iter().any(|p| p.name() == name);
        if !declared {
            return Err(ApiError::new(
                Fault::PermissionDenied,
                format!("the token sets `{name}`, which this endpoint does not have"),
            ));
        }
        parameters.push((name.clone(), Argument::Text(value.clone())));
    }
    Ok(parameters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::Limits;
    use crate::endpoint::Endpoints;

    #[test]
    fn queries_of_callers() {
        let endpoints = Endpoints::built_in(&Limits::default());
        let sandboxed = endpoints.get("logs.all").unwrap();
        let closed = Endpoint {
            sandbox: false,
            ..sandboxed.as_ref().clone()
        };
        let given = |endpoint: &Endpoint, allowed, sql: Option<&str>, lql: Option<&str>| {
            let mut arguments = Arguments {
                sql: sql.map(ToOwned::to_owned),
                lql: lql.map(ToOwned::to_owned),
                parameters: Vec::new(),
            };
            let sent = ad_hoc(endpoint, allowed, &mut arguments).ok();
            (sent, arguments.parameters.len())
        };
        let (sql, lql) = (Sent::Sql("s".to_owned()), Sent::Lql("l".to_owned()));
        assert_eq!(given(sandboxed, true, None, None), (Some(None), 0));
        assert_eq!(
            given(sandboxed, true, Some("s"), Some("l")),
            (Some(Some(sql)), 0)
        );
        assert_eq!(
            given(sandboxed, true, None, Some("l")),
            (Some(Some(lql)), 0)
        );
        assert_eq!(given(sandboxed, false, None, Some("l")), (None, 0));
        assert_eq!(given(sandboxed, false, None, None), (Some(None), 0));
        assert_eq!(given(&closed, true, Some("s"), None), (None, 0));
        // One more parameter that the endpoint does not have.
        assert_eq!(given(&closed, true, None, Some("l")), (Some(None), 1));
        assert_eq!(given(&closed, false, None, Some("l")), (Some(None), 1));
    }
}
