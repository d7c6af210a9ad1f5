//! The calls of BigQuery's REST API, each with its token and its repetitions.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, StatusCode, Uri};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use super::auth::{Token, Tokens};
use super::error::{CallError, Refusal};
use super::http::Http;
use super::settings::{Backoff, Credentials, OpenError, Settings};
use super::wire::{DryRunRequest, Job, JobReference, QueryRequest, QueryResponse, Table};

/// What may stand in a part of a path as it is (RFC 3986, unreserved).
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The API, as one project uses it.
#[derive(Debug)]
pub(super) struct Client {
    http: Arc<Http>,
    tokens: Option<Tokens>,
    /// `https://host/bigquery/v2`.
    base: String,
    project: String,
    location: Option<String>,
    patience: Duration,
    backoff: Backoff,
}

/// Until when a call goes on.
#[derive(Clone, Debug)]
pub(super) struct Until {
    /// No request begins later.
    pub(super) deadline: Instant,
    /// How much longer a request that is under way is waited for.
    pub(super) grace: Duration,
    /// Cancelled when nobody waits for the answer. A request is then repeated only where it may have been
    /// done, to learn the name of what is to be cancelled.
    pub(super) left: CancellationToken,
}

impl From<Instant> for Until {
    fn from(deadline: Instant) -> Self {
        Self {
            deadline,
            grace: Duration::ZERO,
            left: CancellationToken::new(),
        }
    }
}

/// A request that can be made many times.
struct Call {
    method: Method,
    uri: Uri,
    body: Bytes,
    /// How long the server was asked to wait before it answers.
    wait: Duration,
}

impl Client {
    /// Returns a client; nothing is sent yet.
    pub(super) fn open(settings: &Settings) -> Result<Self, OpenError> {
        let api = settings.api.trim_end_matches('/');
        let address = api
            .parse::<Uri>()
            .ok()
            .filter(|uri| matches!(uri.scheme_str(), Some("http" | "https")))
            .ok_or_else(|| OpenError::Api(settings.api.clone()))?;
        if settings.credentials != Credentials::None && !is_private(&address) {
            return Err(OpenError::PlainApi(settings.api.clone()));
        }
        let http = Arc::new(Http::new(&settings.proxy, settings.ca_file.as_deref())?);
        let tokens = Tokens::open(&settings.credentials, Arc::clone(&http), settings.backoff)?;
        Ok(Self {
            http,
            tokens,
            base: format!("{api}/bigquery/v2"),
            project: settings.project.clone(),
            location: settings.location.clone(),
            patience: settings.patience,
            backoff: settings.backoff,
        })
    }

    /// jobs.query.
    pub(super) async fn query(
        &self,
        request: &QueryRequest,
        until: Until,
    ) -> Result<QueryResponse, CallError> {
        let path = format!("/projects/{}/queries", escaped(&self.project));
        let wait = Duration::from_millis(request.timeout_ms);
        let call = self.post(&path, request, wait)?;
        let (page, bytes) = self.call(call, until).await?;
        Ok(QueryResponse { bytes, ..page })
    }

    /// jobs.getQueryResults: the rows of a page, after a wait of at most `wait`.
    pub(super) async fn results(
        &self,
        job: &JobReference,
        page_token: Option<&str>,
        max_results: u32,
        wait: Duration,
        deadline: Instant,
    ) -> Result<QueryResponse, CallError> {
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("maxResults", &max_results.to_string())
            .append_pair("timeoutMs", &wait.as_millis().to_string())
            .append_pair("formatOptions.useInt64Timestamp", "true")
            .extend_pairs(self.location_of(job).map(|location| ("location", location)))
            .extend_pairs(page_token.map(|token| ("pageToken", token)))
            .finish();
        let path = format!(
            "/projects/{}/queries/{}?{query}",
            escaped(&job.project_id),
            escaped(&job.job_id),
        );
        let (page, bytes) = self.call(self.get(&path, wait)?, deadline.into()).await?;
        Ok(QueryResponse { bytes, ..page })
    }

    /// jobs.cancel.
    pub(super) async fn cancel(
        &self,
        job: &JobReference,
        deadline: Instant,
    ) -> Result<(), CallError> {
        let path = format!("{}/cancel{}", self.job_path(job), self.job_query(job));
        let call = Call {
            method: Method::POST,
            uri: self.uri(&path)?,
            body: Bytes::new(),
            wait: Duration::ZERO,
        };
        self.call::<serde::de::IgnoredAny>(call, deadline.into())
            .await?;
        Ok(())
    }

    /// jobs.get.
    pub(super) async fn job(
        &self,
        job: &JobReference,
        deadline: Instant,
    ) -> Result<Job, CallError> {
        let path = format!("{}{}", self.job_path(job), self.job_query(job));
        let call = self.get(&path, Duration::ZERO)?;
        Ok(self.call(call, deadline.into()).await?.0)
    }

    /// jobs.insert of a dry run: nothing runs, nothing is billed.
    pub(super) async fn dry_run(
        &self,
        request: &DryRunRequest,
        deadline: Instant,
    ) -> Result<Job, CallError> {
        let path = format!("/projects/{}/jobs", escaped(&self.project));
        let call = self.post(&path, request, Duration::ZERO)?;
        let (job, _): (Job, _) = self.call(call, deadline.into()).await?;
        match job.status.unwrap_or_default().error_result {
            Some(error) => Err(CallError::Refused(Box::new(Refusal::of_job(error)))),
            None => Ok(Job {
                status: None,
                ..job
            }),
        }
    }

    /// tables.get: what is known of `project.dataset.table`, without its rows.
    pub(super) async fn table(&self, table: &str, deadline: Instant) -> Result<Table, CallError> {
        let mut parts = table.split('.').map(escaped);
        let mut part = || parts.next().unwrap_or_default();
        let path = format!("/projects/{}/datasets/{}/tables/{}", part(), part(), part());
        let call = self.get(&path, Duration::ZERO)?;
        Ok(self.call(call, deadline.into()).await?.0)
    }

    /// Returns the project that queries run in.
    pub(super) fn project(&self) -> &str {
        &self.project
    }

    /// Returns the location that queries run in, if it is configured.
    pub(super) fn location(&self) -> Option<&str> {
        self.location.as_deref()
    }

    fn location_of<'a>(&'a self, job: &'a JobReference) -> Option<&'a str> {
        job.location.as_deref().or(self.location.as_deref())
    }

    fn job_path(&self, job: &JobReference) -> String {
        let (project, id) = (escaped(&job.project_id), escaped(&job.job_id));
        format!("/projects/{project}/jobs/{id}")
    }

    fn job_query(&self, job: &JobReference) -> String {
        self.location_of(job)
            .map(|location| format!("?location={}", escaped(location)))
            .unwrap_or_default()
    }

    fn uri(&self, path: &str) -> Result<Uri, CallError> {
        let text = format!("{}{path}", self.base);
        text.parse()
            .map_err(|_| CallError::TooLarge("a request address that is too long".into()))
    }

    fn get(&self, path: &str, wait: Duration) -> Result<Call, CallError> {
        Ok(Call {
            method: Method::GET,
            uri: self.uri(path)?,
            body: Bytes::new(),
            wait,
        })
    }

    fn post(
        &self,
        path: &str,
        body: &impl serde::Serialize,
        wait: Duration,
    ) -> Result<Call, CallError> {
        let body = serde_json::to_vec(body).expect("strings, numbers and maps of strings are JSON");
        Ok(Call {
            method: Method::POST,
            uri: self.uri(path)?,
            body: body.into(),
            wait,
        })
    }

    /// Makes a call, again while it fails in passing and there is time. Returns the answer and its bytes.
    async fn call<T: DeserializeOwned>(
        &self,
        call: Call,
        until: Until,
    ) -> Result<(T, usize), CallError> {
        let mut attempt = 1;
        let mut renewed = false;
        let mut may_be_done = false;
        if Instant::now() >= until.deadline {
            return Err(CallError::Deadline);
        }
        loop {
            let error = match self.attempt(&call, &until, &mut renewed).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            if !error.may_pass() || attempt >= self.backoff.attempts {
                return Err(error);
            }
            let pause = self.backoff.pause(attempt);
            let pause = pause.max(error.retry_after().unwrap_or_default());
            if Instant::now() + pause >= until.deadline {
                return Err(error);
            }
            tracing::debug!(%error, attempt, "a call of BigQuery failed, trying again");
            may_be_done |= error.leaves_open();
            if may_be_done {
                tokio::time::sleep(pause).await;
            } else {
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    () = until.left.cancelled() => return Err(error),
                }
            }
            attempt += 1;
        }
    }

    /// Makes a call once; twice when the token was refused, as one may be that was good a moment ago.
    async fn attempt<T: DeserializeOwned>(
        &self,
        call: &Call,
        until: &Until,
        renewed: &mut bool,
    ) -> Result<(T, usize), CallError> {
        let last = until.deadline + until.grace;
        loop {
            let patience = last.min(Instant::now() + call.wait + self.patience);
            let exchange = async {
                let token = self.token().await?;
                let reply = self.http.send(request(call, token.as_ref())).await?;
                Ok::<_, CallError>((token, reply))
            };
            let (token, reply) = match tokio::time::timeout_at(patience.into(), exchange).await {
                Ok(exchanged) => exchanged?,
                Err(_) if patience == last => return Err(CallError::Deadline),
                Err(_) => return Err(CallError::Transport("no answer in time".into())),
            };
            if reply.status == StatusCode::UNAUTHORIZED
                && let (Some(tokens), Some(token)) = (&self.tokens, token)
                && !*renewed
            {
                *renewed = true;
                tokens.refused(&token);
                continue;
            }
            if !reply.status.is_success() {
                return Err(CallError::Refused(Box::new(Refusal::read(&reply))));
            }
            // What serde says of half an answer could quote rows; where it ends is enough.
            let bytes = reply.body.len();
            let answer = serde_json::from_slice(&reply.body).map_err(|error| {
                CallError::Transport(format!(
                    "an answer of {bytes} bytes that cannot be read at line {}, column {}",
                    error.line(),
                    error.column()
                ))
            })?;
            return Ok((answer, bytes));
        }
    }

    async fn token(&self) -> Result<Option<Token>, CallError> {
        match &self.tokens {
            Some(tokens) => Ok(Some(tokens.get().await?)),
            None => Ok(None),
        }
    }
}

fn request(call: &Call, token: Option<&Token>) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(call.body.clone()));
    *request.method_mut() = call.method.clone();
    *request.uri_mut() = call.uri.clone();
    let headers = request.headers_mut();
    if !call.body.is_empty() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    } else if call.method == Method::POST {
        // Google's servers refuse a POST that does not tell its length.
        headers.insert(CONTENT_LENGTH, HeaderValue::from(0));
    }
    if let Some(token) = token {
        headers.insert(AUTHORIZATION, token.header.clone());
    }
    request
}

/// Returns whether what is sent to an address stays between the two: over TLS, or on this machine.
fn is_private(address: &Uri) -> bool {
    let host = address.host().unwrap_or_default();
    let ip = host.trim_matches(['[', ']']).parse::<IpAddr>();
    address.scheme_str() == Some("https")
        || host == "localhost"
        || ip.is_ok_and(|ip| ip.is_loopback())
}

/// Returns a name as a part of a path or query.
fn escaped(name: &str) -> String {
    utf8_percent_encode(name, UNRESERVED).to_string()
}
