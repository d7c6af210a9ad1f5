//! A call of an endpoint: authenticate, negotiate, bind, compile; [`execute`] has the rest.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Body;
use hyper::header::{HeaderMap, IF_NONE_MATCH};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response};
use percent_encoding::percent_decode_str;

use super::access_log::Record;
use super::auth::{Scope, TokenRecord, TokenStore};
use super::cache::{Key, KeyBuilder, Known};
use super::compile_pool::{PoolError, QUEUE};
use super::error::{ApiError, Fault};
use super::execute::{self, Answer, Recipe};
use super::limits::Patience;
use super::media::{Coding, Format};
use super::request::{self, Arguments};
use super::{App, State, response};
use crate::compiler::{self, AdHoc, Call, Code, Compiled, Target};
use crate::endpoint::{Argument, Endpoint};

/// Answers a call of the endpoint with this id or name.
pub(crate) async fn handle<B>(
    app: &Arc<App>,
    state: &Arc<State>,
    name: &str,
    request: Request<B>,
    record: &mut Record,
) -> Result<Response<Full<Bytes>>, ApiError>
where
    B: Body + Send,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let arrived = Instant::now();
    let (head, body) = request.into_parts();

    let tokens = app.tokens.current();
    let token = authenticate(app, &tokens, &head.headers)?;
    app.tokens.note(&token.name, app.clock.now());
    record.token = Some(token.name.clone());
    let endpoint = find(state, name, token)?;
    record.endpoint = Some(endpoint.name.clone());
    app.rates()
        .admit(&token.name, &endpoint.name, &mut record.allowance)?;
    record.timings.auth = Some(arrived.elapsed());

    let format = Format::negotiate(&head.headers)?;
    let coding = Coding::negotiate(&head.headers);
    let patience = Patience::of(
        &head.headers,
        state.patience(&endpoint),
        state.patience_source(&endpoint),
    )?;
    let deadline = arrived + patience.limit;
    refuse_redaction(state, &head.headers, &endpoint)?;
    let refresh = token.has_scope(Scope::Refresh) && request::wants_refresh(&head.headers);
    let version = version(state, &endpoint)?;
    let unless = match head.method {
        Method::POST => None,
        _ => head.headers.get(IF_NONE_MATCH),
    };
    let sent = (head.method != Method::POST && !refresh)
        .then(|| sent(state, &head, &version, token, format));
    let known = sent.and_then(|sent| app.cache.recall(&sent, arrived));
    let (answer, ignored) = match known {
        Some((known, entry)) => (Answer::kept(known.key, entry), known.ignored),
        None => {
            let body = if head.method == Method::POST {
                read_body(state, &head.headers, body).await?
            } else {
                Bytes::new()
            };
            let arguments = Arguments::decode(head.uri.query(), &body)?;
            let (recipe, ignored) = recipe(state, endpoint, token, arguments, format)?;
            // On the heap, so that a request whose result is kept does not carry the room for it.
            let answer = execute::answer(app, state, recipe, deadline, refresh, record);
            let answer = Box::pin(answer).await;
            let answer = answer.map_err(|error| patience.explain(error))?;
            if let (Some(sent), Some(key)) = (sent, answer.key()) {
                let ignored = Arc::clone(&ignored);
                app.cache.remember_request(sent, Known { key, ignored });
            }
            (answer, ignored)
        }
    };
    record.rows = Some(answer.encoded.rows);
    record.cache = Some(answer.status);
    let mut response = response::result(app, &answer, coding, unless, &ignored).await?;
    patience.write(response.headers_mut());
    Ok(response)
}

/// Reads what the caller sent. Returns how to make the result, and the parameters that are ignored.
fn recipe(
    state: &State,
    endpoint: Arc<Endpoint>,
    token: &TokenRecord,
    arguments: Arguments,
    format: Format,
) -> Result<(Recipe, Arc<[String]>), ApiError> {
    let sql = ad_hoc(&endpoint, token, &arguments)?;
    let parameters = pin(token, &endpoint, arguments.parameters)?;
    let bound = endpoint
        .bind(&parameters)
        .map_err(|diagnostics| ApiError::diagnostics(&diagnostics, None))?;
    let recipe = Recipe {
        version: version(state, &endpoint)?,
        sql,
        parameters: bound.parameters,
        pins: token.pins.clone().into_iter().collect(),
        redact: endpoint.redact_pii,
        format,
        endpoint,
    };
    Ok((recipe, bound.ignored.into()))
}

/// Returns the version of an endpoint that was found in this state.
fn version(state: &State, endpoint: &Endpoint) -> Result<[u8; 32], ApiError> {
    let version = state.version(endpoint);
    version.ok_or_else(|| ApiError::internal("an endpoint of another state"))
}

/// Returns a key of everything in a request without body that its answer depends on, as it was sent. What
/// would be refused gets no answer to remember, so that a request that is remembered is allowed.
fn sent(
    state: &State,
    head: &Parts,
    version: &[u8; 32],
    token: &TokenRecord,
    format: Format,
) -> Key {
    let mut key = KeyBuilder::new("request")
        .part(version)
        .part(head.uri.query().unwrap_or_default())
        .part(format.name());
    for value in head.headers.get_all(redaction_header(state)) {
        key = key.part("redact").part(value);
    }
    for scope in &token.scopes {
        key = key.part("scope").part(scope.name());
    }
    for (name, value) in &token.pins {
        key = key.part("pin").part(name).part(value);
    }
    key.finish()
}

/// Returns the name of the header that asks for redaction.
fn redaction_header(state: &State) -> String {
    format!("{}-ENDPOINT-REDACT-PII", state.config.server.header_prefix)
}

/// Finds the token of a request.
pub(crate) fn authenticate<'a>(
    app: &App,
    tokens: &'a TokenStore,
    headers: &HeaderMap,
) -> Result<&'a TokenRecord, ApiError> {
    let credential = request::credential(headers)?;
    let now = jiff::Timestamp::from_microsecond(app.clock.now())
        .map_err(|error| ApiError::internal(error.to_string()))?;
    tokens.authenticate(credential, now).ok_or_else(|| {
        ApiError::new(
            Fault::Unauthenticated,
            "the token is unknown, expired or revoked",
        )
    })
}

/// Finds an endpoint that the token may know. One that it may not know is answered like one that does
/// not exist, so that names cannot be probed.
fn find(state: &State, name: &str, token: &TokenRecord) -> Result<Arc<Endpoint>, ApiError> {
    let name = percent_decode_str(name).decode_utf8_lossy();
    state
        .endpoints
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
fn refuse_redaction(
    state: &State,
    headers: &HeaderMap,
    endpoint: &Endpoint,
) -> Result<(), ApiError> {
    let wanted = headers
        .get_all(redaction_header(state))
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

async fn read_body<B>(state: &State, headers: &HeaderMap, body: B) -> Result<Bytes, ApiError>
where
    B: Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    request::is_json(headers)?;
    let server = &state.config.server;
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
pub(crate) async fn compile(
    app: &App,
    state: &Arc<State>,
    recipe: &Recipe,
    target: Target,
    now: i64,
) -> Result<Compiled, ApiError> {
    let job = {
        let state = Arc::clone(state);
        let recipe = recipe.clone();
        move || {
            let sql = recipe.sql.as_deref();
            let call = Call {
                ad_hoc: sql.map(AdHoc::Sql),
                parameters: &recipe.parameters,
                now,
                max_rows: recipe.endpoint.max_rows,
                target: &target,
                limits: &state.config.limits,
            };
            compiler::compile(&recipe.endpoint.query, &call, None)
                .map_err(|diagnostics| ApiError::diagnostics(&diagnostics, sql))
        }
    };
    match app.compiler.run(job).await {
        Ok(result) => result,
        Err(PoolError::Full) => Err(ApiError::new(
            Fault::Unavailable,
            format!("{QUEUE} queries wait to be compiled, which is as many as may"),
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
