//! Failed requests: which HTTP status they have and what their body says.
//!
//! [`ApiError`] is the one builder of error bodies. What a caller may read is in its items; what only
//! the operator may read (an engine's own text) is kept apart and goes to the log under the request id.

use std::fmt;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};
use serde::Serialize;

use super::response::Timings;
use crate::compiler::redaction::Redactor;
use crate::compiler::{Code, Diagnostic, Diagnostics, Position, Redaction};
use crate::warehouse::WarehouseError;

/// What a caller who met a passing condition is told to wait, in seconds.
const RETRY_SECONDS: u32 = 1;

macro_rules! faults {
    ($($(#[doc = $doc:literal])+ $name:ident = $number:literal, $http:ident, $status:literal, $reason:literal;)+) => {
        /// Every way a request fails that is not about a query. The number continues those of
        /// [`Code`]; it is stable and never reused once released.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Fault {
            $($(#[doc = $doc])+ $name = $number,)+
        }

        impl Fault {
            /// Returns the HTTP status, its name in the body, and the reason that clients switch on.
            fn answer(self) -> (StatusCode, &'static str, &'static str) {
                match self {
                    $(Fault::$name => (StatusCode::$http, $status, $reason),)+
                }
            }
        }
    };
}

faults! {
    /// No token, or one that is unknown, expired or revoked.
    Unauthenticated = 601, UNAUTHORIZED, "UNAUTHENTICATED", "unauthenticated";
    /// The token does not allow this.
    PermissionDenied = 602, FORBIDDEN, "PERMISSION_DENIED", "accessDenied";
    /// A path or endpoint that does not exist, as far as this token may know.
    NotFound = 603, NOT_FOUND, "NOT_FOUND", "notFound";
    /// A method that the path does not have.
    MethodNotAllowed = 604, METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", "methodNotAllowed";
    /// None of the accepted media types can be answered.
    NotAcceptable = 605, NOT_ACCEPTABLE, "NOT_ACCEPTABLE", "notAcceptable";
    /// A body that is not declared as JSON.
    UnsupportedMediaType = 606, UNSUPPORTED_MEDIA_TYPE, "UNSUPPORTED_MEDIA_TYPE", "unsupportedMediaType";
    /// A body that is too long.
    BodyTooLarge = 607, PAYLOAD_TOO_LARGE, "PAYLOAD_TOO_LARGE", "limitExceeded";
    /// A body or query string that cannot be read.
    Malformed = 608, BAD_REQUEST, "INVALID_ARGUMENT", "parseError";
    /// The service cannot take the request now.
    Unavailable = 609, SERVICE_UNAVAILABLE, "UNAVAILABLE", "backendError";
    /// A body that did not arrive in time.
    BodyTimeout = 610, REQUEST_TIMEOUT, "DEADLINE_EXCEEDED", "timeout";
    /// A result of more bytes than may be answered.
    ResultTooLarge = 611, BAD_REQUEST, "INVALID_ARGUMENT", "limitExceeded";
    /// More requests in a time than the token or the endpoint may have.
    RateLimited = 612, TOO_MANY_REQUESTS, "RESOURCE_EXHAUSTED", "rateLimitExceeded";
    /// Too many queries run and wait already.
    Busy = 613, SERVICE_UNAVAILABLE, "UNAVAILABLE", "concurrencyLimitExceeded";
    /// A fault of this service.
    Internal = 699, INTERNAL_SERVER_ERROR, "INTERNAL", "internalError";
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LB{}", *self as u16)
    }
}

/// A failed request, ready to be answered.
#[derive(Clone, Debug)]
pub(crate) struct ApiError {
    http: StatusCode,
    status: &'static str,
    items: Vec<Item>,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// For the operator's log only.
    detail: Option<String>,
    /// How long it took to fail.
    timings: Option<Box<Timings>>,
}

/// One reason, as the body shows it.
#[derive(Clone, Debug, Serialize)]
struct Item {
    code: String,
    reason: &'static str,
    message: String,
    #[serde(flatten)]
    place: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

/// A place in the text that the caller sent.
#[derive(Clone, Debug, Serialize)]
struct Place {
    line: usize,
    column: usize,
    offset: usize,
    length: usize,
}

#[derive(Serialize)]
struct Body<'a> {
    error: ErrorObject<'a>,
    message: &'a str,
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    code: u16,
    status: &'a str,
    message: &'a str,
    errors: &'a [Item],
    request_id: &'a str,
}

impl ApiError {
    /// Returns the answer to a request that fails for one reason.
    pub(crate) fn new(fault: Fault, message: impl Into<String>) -> Self {
        let (http, status, reason) = fault.answer();
        let mut headers = Vec::new();
        if fault == Fault::Unauthenticated {
            headers.push((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")));
        }
        if matches!(fault, Fault::Unavailable | Fault::Busy) {
            headers.push((RETRY_AFTER, HeaderValue::from(RETRY_SECONDS)));
        }
        Self {
            http,
            status,
            items: vec![Item {
                code: fault.to_string(),
                reason,
                message: message.into(),
                place: None,
                help: None,
            }],
            headers,
            detail: None,
            timings: None,
        }
    }

    /// Returns the answer to a method that the path does not have.
    pub(crate) fn method_not_allowed(allow: &'static str) -> Self {
        let mut error = Self::new(
            Fault::MethodNotAllowed,
            format!("the method is not allowed here, use one of {allow}"),
        );
        error.headers.push((ALLOW, HeaderValue::from_static(allow)));
        error
    }

    /// Returns the same failure without the personal data in what is logged of it, if that is to be redacted.
    pub(crate) fn redacted(mut self, redaction: Option<&Redaction>) -> Self {
        if let (Some(redaction), Some(detail)) = (redaction, &mut self.detail) {
            *detail = Redactor::from(redaction).redact(detail).into_owned();
        }
        self
    }

    /// Returns the answer to a fault of this service; `detail` is for the log.
    pub(crate) fn internal(detail: impl Into<String>) -> Self {
        let mut error = Self::new(Fault::Internal, "an internal error occurred");
        error.detail = Some(detail.into());
        error
    }

    /// Returns the answer to one refusal that is not about a place in a text.
    pub(crate) fn refusal(code: Code, message: impl Into<String>) -> Self {
        Self::diagnostics(&Diagnostic::general(code, message).into(), None)
    }

    /// Returns the answer to a refused query or parameter.
    ///
    /// `text` is the caller's query. Without one, places are left out: they are in a stored text, which
    /// no caller sees.
    pub(crate) fn diagnostics(diagnostics: &Diagnostics, text: Option<&str>) -> Self {
        let items = diagnostics
            .0
            .iter()
            .map(|diagnostic| Item {
                code: diagnostic.code.to_string(),
                reason: diagnostic.code.reason(),
                message: diagnostic.message.clone(),
                place: text.zip(diagnostic.span).map(|(text, span)| {
                    let position = Position::of(text, span.start);
                    Place {
                        line: position.line,
                        column: position.column,
                        offset: span.start,
                        length: span.len(),
                    }
                }),
                help: diagnostic.help.clone(),
            })
            .collect();
        Self {
            http: StatusCode::BAD_REQUEST,
            status: "INVALID_ARGUMENT",
            items,
            headers: Vec::new(),
            detail: None,
            timings: None,
        }
    }

    /// Says what to do instead.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        if let Some(item) = self.items.first_mut() {
            item.help = Some(help.into());
        }
        self
    }

    /// Says what deadline has passed, if that is what is wrong.
    pub(crate) fn explain_deadline(mut self, message: &str) -> Self {
        if self.is_deadline()
            && let Some(item) = self.items.first_mut()
        {
            item.message = message.to_owned();
        }
        self
    }

    /// Says after how many seconds to try again, instead of what the fault says by itself.
    pub(crate) fn retry_after(mut self, seconds: u64) -> Self {
        self.headers.retain(|(name, _)| name != RETRY_AFTER);
        self.headers.push((RETRY_AFTER, HeaderValue::from(seconds)));
        self
    }

    /// Keeps an error for the log, and for nobody else.
    pub(crate) fn detail_of(mut self, error: &dyn std::error::Error) -> Self {
        self.detail = Some(error.to_string());
        self
    }

    /// Tells how long the phases took that led here.
    pub(crate) fn after(mut self, timings: Timings) -> Self {
        self.timings = Some(Box::new(timings));
        self
    }

    /// Returns how long the phases took that led here.
    pub(crate) fn timings(&self) -> Timings {
        self.timings.as_deref().copied().unwrap_or_default()
    }

    /// Returns what the log, and nobody else, is told.
    pub(crate) fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }

    /// Returns whether a deadline has passed.
    pub(crate) fn is_deadline(&self) -> bool {
        self.http == StatusCode::GATEWAY_TIMEOUT
    }

    /// Returns whether it passes when others are done.
    pub(crate) fn is_busy(&self) -> bool {
        self.code() == Fault::Busy.to_string()
    }

    /// Returns whether the fault lies with this service or what it stands on.
    pub(crate) fn is_server_error(&self) -> bool {
        self.http.is_server_error()
    }

    /// Returns the code of the first reason, for metrics.
    pub(crate) fn code(&self) -> &str {
        self.items.first().map_or("", |item| item.code.as_str())
    }

    /// Returns the codes, for the log.
    pub(crate) fn codes(&self) -> String {
        let codes: Vec<&str> = self.items.iter().map(|item| item.code.as_str()).collect();
        codes.join(",")
    }

    /// Returns the response, with the request id in its body.
    pub(crate) fn into_response(self, request_id: &str) -> Response<Full<Bytes>> {
        let message = match self.items.as_slice() {
            [] => "the request failed".to_owned(),
            [one] => one.message.clone(),
            [first, rest @ ..] => format!("{} (and {} more)", first.message, rest.len()),
        };
        let body = Body {
            error: ErrorObject {
                code: self.http.as_u16(),
                status: self.status,
                message: &message,
                errors: &self.items,
                request_id,
            },
            message: &message,
        };
        let bytes = serde_json::to_vec(&body).expect("strings and numbers are always JSON");
        let mut response = Response::new(Full::new(Bytes::from(bytes)));
        *response.status_mut() = self.http;
        response
            .headers_mut()
            .insert(CONTENT_TYPE, super::response::JSON);
        for (name, value) in self.headers {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

impl From<WarehouseError> for ApiError {
    /// Answers a query that gave no rows. The engine's words stay in the log.
    fn from(error: WarehouseError) -> Self {
        let (http, status, code, message) = match &error {
            WarehouseError::Evaluation(_) => (
                StatusCode::BAD_REQUEST,
                "INVALID_ARGUMENT",
                Code::Evaluation,
                "the query failed on a value, such as a failed cast, a division by zero or an overflow",
            ),
            WarehouseError::ResourcesExceeded(_) => (
                StatusCode::TOO_MANY_REQUESTS,
                "RESOURCE_EXHAUSTED",
                Code::ResourcesExceeded,
                "the query needs more memory than it may have",
            ),
            WarehouseError::BytesBilledExceeded { .. } => (
                StatusCode::BAD_REQUEST,
                "INVALID_ARGUMENT",
                Code::BytesBilledExceeded,
                "the query would read more than it may be billed for",
            ),
            WarehouseError::DeadlineExceeded => (
                StatusCode::GATEWAY_TIMEOUT,
                "DEADLINE_EXCEEDED",
                Code::DeadlineExceeded,
                "the query ran longer than it may",
            ),
            WarehouseError::Unavailable(_) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "UNAVAILABLE",
                Code::EngineFailure,
                "the log warehouse is unavailable",
            ),
            WarehouseError::OtherTables(_) | WarehouseError::Failure(_) => (
                StatusCode::BAD_GATEWAY,
                "UNAVAILABLE",
                Code::EngineFailure,
                "the log warehouse failed to run the query",
            ),
        };
        let narrow = "narrow the time window, or read fewer columns and rows";
        let help = match &error {
            WarehouseError::Evaluation(_) => Some(
                "use SAFE_CAST, SAFE_DIVIDE or a SAFE. function to get NULL instead".to_owned(),
            ),
            WarehouseError::ResourcesExceeded(_) | WarehouseError::DeadlineExceeded => {
                Some(narrow.to_owned())
            }
            WarehouseError::BytesBilledExceeded {
                limit, estimate, ..
            } => {
                let estimate =
                    estimate.map_or_else(String::new, |bytes| format!("it needs {bytes} bytes, "));
                Some(format!(
                    "{estimate}the limit is {limit} (maximum_bytes_billed); {narrow}"
                ))
            }
            WarehouseError::Unavailable(_)
            | WarehouseError::OtherTables(_)
            | WarehouseError::Failure(_) => None,
        };
        let mut diagnostic = Diagnostic::general(code, message);
        diagnostic.help = help;
        let mut answer = Self::diagnostics(&diagnostic.into(), None);
        answer.http = http;
        answer.status = status;
        if matches!(
            error,
            WarehouseError::ResourcesExceeded(_) | WarehouseError::Unavailable(_)
        ) {
            answer
                .headers
                .push((RETRY_AFTER, HeaderValue::from(RETRY_SECONDS)));
        }
        answer.detail = Some(error.to_string());
        answer
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;
    use crate::compiler::Span;

    async fn check(error: ApiError, http: u16, body: &str) {
        let response = error.into_response("id-1");
        assert_eq!(response.status().as_u16(), http, "{body}");
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(String::from_utf8_lossy(&bytes), body);
    }

    #[tokio::test]
    async fn bodies() {
        let mut unknown = Diagnostic::new(Code::UnknownColumn, Span::new(10, 12), "no column `x`");
        unknown.help = Some("did you mean `y`?".into());
        check(
            ApiError::diagnostics(&unknown.clone().into(), Some("select\n é x")),
            400,
            r#"{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"no column `x`","errors":[{"code":"LB202","reason":"invalidQuery","message":"no column `x`","line":2,"column":3,"offset":10,"length":2,"help":"did you mean `y`?"}],"request_id":"id-1"},"message":"no column `x`"}"#,
        )
        .await;
        let second = Diagnostic::general(Code::MissingParameter, "`project` is required");
        check(
            ApiError::diagnostics(&Diagnostics(vec![unknown, second]), None),
            400,
            r#"{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"no column `x` (and 1 more)","errors":[{"code":"LB202","reason":"invalidQuery","message":"no column `x`","help":"did you mean `y`?"},{"code":"LB401","reason":"required","message":"`project` is required"}],"request_id":"id-1"},"message":"no column `x` (and 1 more)"}"#,
        )
        .await;
        check(
            ApiError::new(Fault::Unauthenticated, "no token"),
            401,
            r#"{"error":{"code":401,"status":"UNAUTHENTICATED","message":"no token","errors":[{"code":"LB601","reason":"unauthenticated","message":"no token"}],"request_id":"id-1"},"message":"no token"}"#,
        )
        .await;
    }

    #[test]
    fn what_is_logged_is_redacted_too() {
        let error = || ApiError::from(WarehouseError::Evaluation("no number: '10.1.2.3'".into()));
        let redaction = Redaction::default();
        let logged = |redaction| error().redacted(redaction).detail().map(str::to_owned);
        assert_eq!(
            logged(Some(&redaction)).as_deref(),
            Some("evaluation failed: no number: 'REDACTED'")
        );
        assert_eq!(
            logged(None).as_deref(),
            Some("evaluation failed: no number: '10.1.2.3'")
        );
    }

    #[tokio::test]
    async fn engine_text_stays_in_the_log() {
        let secret = "value 10.1.2.3";
        for (error, http, retry) in [
            (WarehouseError::Evaluation(secret.into()), 400, false),
            (WarehouseError::ResourcesExceeded(secret.into()), 429, true),
            (
                WarehouseError::BytesBilledExceeded {
                    limit: 1,
                    estimate: Some(2),
                    detail: secret.into(),
                },
                400,
                false,
            ),
            (WarehouseError::DeadlineExceeded, 504, false),
            (WarehouseError::Unavailable(secret.into()), 503, true),
            (WarehouseError::OtherTables(secret.into()), 502, false),
            (WarehouseError::Failure(secret.into()), 502, false),
        ] {
            let answer = ApiError::from(error);
            assert!(answer.detail().is_some(), "{http}");
            let response = answer.into_response("id-1");
            assert_eq!(response.status().as_u16(), http);
            assert_eq!(
                response.headers().contains_key(RETRY_AFTER),
                retry,
                "{http}"
            );
            let bytes = response.into_body().collect().await.unwrap().to_bytes();
            assert!(!String::from_utf8_lossy(&bytes).contains("10.1.2.3"));
        }
    }
}
