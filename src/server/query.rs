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
use crate::compiler::{self, AdHoc, Call, Code, Compiled, Parameters, Redaction};
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
    let redaction = redaction(app, &head.headers, &endpoint, &token);
    let body = if head.method == Method::POST {
        read_body(app, &head.headers, body).await?
    } else {
        Bytes::new()
    };
    let arguments = Arguments::decode(head.uri.query(), &body)?;
    let sql = ad_hoc(&endpoint, &token, &arguments)?;
    let parameters = pin(&token, &endpoint, arguments.parameters)?;
    let bound = endpoint
        .bind(&parameters)
        .map_err(|diagnostics| ApiError::diagnostics(&diagnostics, None))?;

    let begun = Instant::now();
    let compiled = compile(app, &endpoint, sql, redaction, bound.parameters, now).await?;
    record.timings.compile = Some(begun.elapsed());

    let begun = Instant::now();
    let limit = tokio::time::Instant::from_std(deadline + GRACE);
    let rows = tokio::time::timeout_at(limit, app.warehouse.run(&compiled, deadline))
        .await
        .unwrap_or(Err(crate::warehouse::WarehouseError::DeadlineExceeded))
        .map_err(|error| ApiError::from(error).redacted(redaction))?;
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

/// Returns how the answer is redacted, if it is.
fn redaction<'a>(
    app: &'a App,
    headers: &HeaderMap,
    endpoint: &Endpoint,
    token: &TokenRecord,
) -> Option<&'a Redaction> {
    let header = format!("{}-ENDPOINT-REDACT-PII", app.config.server.header_prefix);
    let asked: Vec<&[u8]> = headers
        .get_all(header)
        .iter()
        .map(|v| v.as_bytes())
        .collect();
    let may_loosen = token.has_scope(Scope::Unredacted);
    is_redacted(&asked, endpoint.redact_pii, may_loosen).then_some(&app.config.redaction)
}

/// Decides by the values of the header, the endpoint's setting and whether the token may see everything. The
/// header can always turn redaction on; it can turn off that of the endpoint only with such a token, and from
/// anyone else it is ignored.
fn is_redacted(asked: &[&[u8]], demanded: bool, may_loosen: bool) -> bool {
    let is_true = |value: &&[u8]| value.trim_ascii().eq_ignore_ascii_case(b"true");
    asked.iter().any(is_true) || demanded && (asked.is_empty() || !may_loosen)
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

/// Returns the caller's query, if they sent one and may.
fn ad_hoc(
    endpoint: &Endpoint,
    token: &TokenRecord,
    arguments: &Arguments,
) -> Result<Option<String>, ApiError> {
    if arguments.sql.is_none() && arguments.lql.is_none() {
        return Ok(None);
    }
    if !endpoint.sandbox {
        return Err(ApiError::refusal(
            Code::NotSandboxed,
            "this endpoint accepts no query of the caller",
        ));
    }
    if !token.has_scope(Scope::Sandbox) {
        return Err(ApiError::new(
            Fault::PermissionDenied,
            "the token does not have the scope `sandbox`, which `sql` and `lql` need",
        ));
    }
    if arguments.sql.is_none() {
        return Err(ApiError::refusal(
            Code::Unsupported,
            "`lql` is not available yet, use `sql`",
        ));
    }
    Ok(arguments.sql.clone())
}

/// Compiles on a thread made for it.
async fn compile(
    app: &Arc<App>,
    endpoint: &Arc<Endpoint>,
    sql: Option<String>,
    redaction: Option<&Redaction>,
    parameters: Parameters,
    now: i64,
) -> Result<Compiled, ApiError> {
    let job = {
        let redaction = redaction.cloned();
        let app = Arc::clone(app);
        let endpoint = Arc::clone(endpoint);
        move || {
            let call = Call {
                ad_hoc: sql.as_deref().map(AdHoc::Sql),
                parameters: &parameters,
                now,
                max_rows: endpoint.max_rows,
                redaction: redaction.as_ref(),
                target: app.warehouse.target(),
                limits: &app.config.limits,
            };
            compiler::compile(&endpoint.query, &call, None)
                .map_err(|diagnostics| ApiError::diagnostics(&diagnostics, sql.as_deref()))
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

    #[test]
    fn redaction_by_header_setting_and_scope() {
        // Values of the header, then whether it is redacted: by nobody's demand, by that of the endpoint, and
        // by it with a token that may see everything.
        for (asked, expected) in [
            (&[][..], [false, true, true]),
            (&["true"], [true, true, true]),
            (&["TRUE"], [true, true, true]),
            (&[" True "], [true, true, true]),
            (&["false"], [false, true, false]),
            (&[""], [false, true, false]),
            (&["1"], [false, true, false]),
            (&["yes"], [false, true, false]),
            (&["truee"], [false, true, false]),
            (&["false", "true"], [true, true, true]),
            (&["false", "no"], [false, true, false]),
        ] {
            let values: Vec<&[u8]> = asked.iter().map(|value| value.as_bytes()).collect();
            let settings = [(false, false), (true, false), (true, true)];
            let given = settings.map(|(demanded, may)| is_redacted(&values, demanded, may));
            assert_eq!(given, expected, "{asked:?}");
            assert_eq!(is_redacted(&values, false, true), expected[0], "{asked:?}");
        }
    }
}
