//! A call of an endpoint: authenticate, negotiate, bind, compile; [`execute`] has the rest.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Body;
use hyper::header::{HeaderMap, HeaderValue, IF_NONE_MATCH};
use hyper::{Method, Request, Response};
use percent_encoding::percent_decode_str;

use super::access_log::Record;
use super::auth::{Scope, TokenRecord, TokenStore};
use super::compile_pool::{PoolError, QUEUE};
use super::error::{ApiError, Fault};
use super::execute::{self, Recipe};
use super::kept::{self, Outcome};
use super::limits::Patience;
use super::media::{Coding, Format};
use super::request::{self, Arguments};
use super::{App, State, response};
use crate::compiler::{self, AdHoc, Call, Code, Compiled, Redaction, Target};
use crate::endpoint::{Argument, Endpoint};

/// Answers a call of the endpoint with this id or name.
pub(crate) async fn handle<B>(
    app: &Arc<App>,
    state: &Arc<State>,
    name: &str,
    request: Request<B>,
    record: &mut Record<'_>,
) -> Result<Response<Full<Bytes>>, ApiError>
where
    B: Body + Send,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let arrived = record.started;
    let (head, body) = request.into_parts();

    // Asked for first, so that what is remembered is never of tokens newer than those it was decided by.
    let tokens_version = app.tokens.version_at(arrived);
    let tokens = app.tokens.current();
    let token = authenticate(app, &tokens, &head.headers)?;
    record.token = Some(token.name.clone().into());
    let endpoint = find(state, name, token)?;
    record.endpoint = Some(Cow::Owned(Arc::clone(&endpoint)));
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
    let asked = state.asked_redaction(&head.headers);
    let asked: Vec<&[u8]> = asked.map(HeaderValue::as_bytes).collect();
    let may_loosen = token.has_scope(Scope::Unredacted);
    let redaction =
        is_redacted(&asked, endpoint.redact_pii, may_loosen).then_some(&state.config.redaction);
    let refresh = token.has_scope(Scope::Refresh) && request::wants_refresh(&head.headers);
    let is_post = head.method == Method::POST;
    let body = match is_post {
        true => read_body(state, &head.headers, body).await?,
        false => Bytes::new(),
    };
    let arguments = Arguments::decode(head.uri.query(), &body)?;
    let caller = Caller {
        token,
        headers: &head.headers,
        redaction,
        format,
    };
    let (recipe, ignored) = recipe(state, Arc::clone(&endpoint), &caller, arguments)?;
    let ignored = response::ignored_parameters(&ignored);
    let answer = execute::answer(app, state, recipe, deadline, refresh, record).await;
    let answer = answer.map_err(|error| patience.explain(error))?;
    record.rows = Some(answer.encoded.rows);
    record.cache = Some(answer.status);
    let unless = head.headers.get(IF_NONE_MATCH).filter(|_| !is_post);
    let mut response = response::result(app, &answer, coding, unless, ignored.as_ref()).await?;
    patience.write(response.headers_mut());
    if let (false, Some(key)) = (refresh, answer.key()) {
        let outcome = Outcome {
            key,
            tokens: tokens_version,
            token,
            endpoint,
            coding,
            patience,
            ignored,
        };
        kept::remember(app, state, &head, outcome);
    }
    Ok(response)
}

/// What a recipe is made from besides the arguments.
struct Caller<'a> {
    token: &'a TokenRecord,
    headers: &'a HeaderMap,
    redaction: Option<&'a Redaction>,
    format: Format,
}

/// Reads what the caller sent. Returns how to make the result, and the parameters that are ignored.
fn recipe(
    state: &State,
    endpoint: Arc<Endpoint>,
    caller: &Caller<'_>,
    mut arguments: Arguments,
) -> Result<(Recipe, Vec<String>), ApiError> {
    let Caller {
        token,
        headers,
        redaction,
        format,
    } = *caller;
    let sent = ad_hoc(&endpoint, token.has_scope(Scope::Sandbox), &mut arguments)?;
    let parameters = pin(token, &endpoint, arguments.parameters)?;
    let bound = endpoint
        .bind(&parameters)
        .map_err(|diagnostics| ApiError::diagnostics(&diagnostics, None))?;
    let recipe = Recipe {
        version: version(state, &endpoint)?,
        sent,
        parameters: bound.parameters,
        pins: token.pins.clone().into_iter().collect(),
        redaction: redaction.cloned(),
        format,
        token: token.name.clone(),
        labels: request::labels(
            headers,
            &state.config.server.header_prefix,
            &endpoint.labels,
        ),
        endpoint,
    };
    Ok((recipe, bound.ignored))
}

/// Returns the version of an endpoint that was found in this state.
fn version(state: &State, endpoint: &Endpoint) -> Result<[u8; 32], ApiError> {
    let version = state.version(endpoint);
    version.ok_or_else(|| ApiError::internal("an endpoint of another state"))
}

/// Finds the token of a request and notes that it was used.
pub(crate) fn authenticate<'a>(
    app: &App,
    tokens: &'a TokenStore,
    headers: &HeaderMap,
) -> Result<&'a TokenRecord, ApiError> {
    let credential = request::credential(headers)?;
    let now = jiff::Timestamp::from_microsecond(app.clock.now())
        .map_err(|error| ApiError::internal(error.to_string()))?;
    let token = tokens.authenticate(credential, now).ok_or_else(|| {
        ApiError::new(
            Fault::Unauthenticated,
            "the token is unknown, expired or revoked",
        )
    })?;
    app.tokens.note(&token.name, now);
    Ok(token)
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

/// Decides by the values of the header, the endpoint's setting and whether the token may see everything. The
/// header can always turn redaction on; it can turn off that of the endpoint only with such a token, and from
/// anyone else it is ignored.
fn is_redacted(asked: &[&[u8]], demanded: bool, may_loosen: bool) -> bool {
    let is_true = |value: &&[u8]| value.trim_ascii().eq_ignore_ascii_case(b"true");
    asked.iter().any(is_true) || demanded && (asked.is_empty() || !may_loosen)
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

/// A query as a caller sent it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sent {
    /// In GoogleSQL.
    Sql(String),
    /// In LQL.
    Lql(String),
}

impl Sent {
    /// Returns the query for the compiler.
    pub(crate) fn as_ad_hoc(&self) -> AdHoc<'_> {
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
            let ad_hoc = recipe.sent.as_ref().map(Sent::as_ad_hoc);
            let call = Call {
                ad_hoc,
                parameters: &recipe.parameters,
                now,
                max_rows: recipe.endpoint.max_rows,
                redaction: recipe.redaction.as_ref(),
                target: &target,
                limits: &state.config.limits,
            };
            compiler::compile(&recipe.endpoint.query, &call, None).map_err(|diagnostics| {
                let text = ad_hoc.map(|ad_hoc| ad_hoc.parts().1);
                ApiError::diagnostics(&diagnostics, text)
            })
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
