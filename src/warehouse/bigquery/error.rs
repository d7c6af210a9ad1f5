//! Failures of the API: which may pass, and what each means for a caller.
//!
//! Source: BigQuery documentation, "Error messages" (the table of `reason`s).

use std::time::Duration;

use hyper::StatusCode;
use hyper::header::{HeaderMap, RETRY_AFTER};

use super::auth::AuthError;
use super::http::{HttpError, Reply};
use super::wire::{ErrorProto, Failure};
use crate::warehouse::WarehouseError;

/// Why a call of the API gave nothing. `Display` is for the operator.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallError {
    /// The deadline passed.
    #[error("deadline exceeded")]
    Deadline,
    /// No answer, or one that was cut off.
    #[error("no answer: {0}")]
    Transport(String),
    /// An answer that is too long.
    #[error("{0}")]
    TooLarge(String),
    /// No access token.
    #[error(transparent)]
    Credentials(#[from] AuthError),
    /// The API said no.
    #[error(transparent)]
    Refused(Box<Refusal>),
}

/// What the API said.
#[derive(Clone, Debug, thiserror::Error)]
#[error("BigQuery answers HTTP {status} {reason}: {message}{}", advice(.reason, .status))]
pub(super) struct Refusal {
    /// The HTTP status; 200 where a job failed whose state was asked for.
    pub(super) status: u16,
    /// One word, such as `notFound`; empty where an answer is not the API's own.
    pub(super) reason: String,
    /// A sentence. It may hold names of tables and values of rows.
    pub(super) message: String,
    /// How long the API wants to be left alone.
    pub(super) retry_after: Option<Duration>,
}

impl From<HttpError> for CallError {
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::Transport(message) => Self::Transport(message),
            HttpError::TooLarge => Self::TooLarge(error.to_string()),
        }
    }
}

impl Refusal {
    /// Reads a failed answer.
    pub(super) fn read(reply: &Reply) -> Self {
        let status = reply.status.as_u16();
        let retry_after = retry_after(&reply.headers, jiff::Timestamp::now());
        match serde_json::from_slice::<Failure>(&reply.body) {
            Ok(Failure { error }) => {
                let first = error.errors.first();
                let reason = first.map(|e| e.reason.as_str()).unwrap_or_default();
                Self {
                    status,
                    reason: if reason.is_empty() {
                        &error.status
                    } else {
                        reason
                    }
                    .to_owned(),
                    message: error.message,
                    retry_after,
                }
            }
            // Something between us and the API answers.
            Err(_) => Self {
                status,
                reason: String::new(),
                message: "an answer that is not the API's own".into(),
                retry_after,
            },
        }
    }

    /// Returns the failure of a job.
    pub(super) fn of_job(error: ErrorProto) -> Self {
        Self {
            status: StatusCode::OK.as_u16(),
            reason: error.reason,
            message: error.message,
            retry_after: None,
        }
    }

    /// Returns whether a job failed that may succeed when it is started anew.
    pub(super) fn is_of_job(&self) -> bool {
        matches!(
            self.reason.as_str(),
            "jobBackendError" | "jobInternalError" | "jobRateLimitExceeded"
        )
    }

    /// Returns whether the same request may succeed later.
    pub(super) fn may_pass(&self) -> bool {
        // The state of a job that failed does not change.
        if self.is_of_job() {
            return false;
        }
        matches!(self.status, 408 | 429 | 500 | 502 | 503 | 504)
            || matches!(self.reason.as_str(), "rateLimitExceeded" | "backendError")
    }
}

impl CallError {
    /// Returns whether the same request may succeed later.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::Transport(_) => true,
            Self::Refused(refusal) => refusal.may_pass(),
            // Fetching a token has repeated its own requests.
            Self::Deadline | Self::TooLarge(_) | Self::Credentials(_) => false,
        }
    }

    /// Returns whether the request may have been done although it failed.
    pub(super) fn leaves_open(&self) -> bool {
        match self {
            Self::Transport(_) => true,
            Self::Refused(refusal) => refusal.status >= 500,
            Self::Deadline | Self::TooLarge(_) | Self::Credentials(_) => false,
        }
    }

    /// Returns how long the API wants to be left alone.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused(refusal) => refusal.retry_after,
            _ => None,
        }
    }
}

/// What the failed call was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The query is looked at, not run: what is wrong is its text.
    DryRun,
    /// The query runs.
    Run,
}

impl CallError {
    /// Returns what the failure means for the caller of a query that may be billed for `limit` bytes.
    pub(super) fn for_query(self, step: Step, limit: u64) -> WarehouseError {
        let text = self.to_string();
        match self {
            Self::Deadline => WarehouseError::DeadlineExceeded,
            Self::Transport(_) | Self::Credentials(AuthError::Passing(_)) => {
                WarehouseError::Unavailable(text)
            }
            Self::TooLarge(_) => WarehouseError::ResourcesExceeded(text),
            Self::Credentials(AuthError::Failed(_)) => WarehouseError::Failure(text),
            Self::Refused(refusal) => match refusal.reason.as_str() {
                "bytesBilledLimitExceeded" => WarehouseError::BytesBilledExceeded {
                    limit,
                    estimate: estimate(&refusal.message),
                    detail: text,
                },
                // A text that BigQuery cannot read does not get past the dry run.
                "invalidQuery" if step == Step::Run => WarehouseError::Evaluation(text),
                "resourcesExceeded" | "responseTooLarge" | "billingTierLimitExceeded" => {
                    WarehouseError::ResourcesExceeded(text)
                }
                "stopped" | "timeout" | "jobTimeout" => WarehouseError::DeadlineExceeded,
                "quotaExceeded" | "rateLimitExceeded" | "backendError" | "internalError"
                | "tableUnavailable" => WarehouseError::Unavailable(text),
                _ if refusal.may_pass() || refusal.is_of_job() => WarehouseError::Unavailable(text),
                _ => WarehouseError::Failure(text),
            },
        }
    }
}

/// Returns what a query would be billed for, from `… 10485760 or higher required`.
fn estimate(message: &str) -> Option<u64> {
    let (before, _) = message.split_once(" or higher required")?;
    before.rsplit(' ').next()?.parse().ok()
}

/// Returns what an operator may look at.
fn advice(reason: &str, status: &u16) -> &'static str {
    match reason {
        "notFound" => {
            " (see `project` and `location` of [warehouse] and the `table` of each stream: a dataset is \
             found in its own location only)"
        }
        "accessDenied" | "PERMISSION_DENIED" => {
            " (the credentials need bigquery.jobs.create in the project, and \
             bigquery.tables.get and bigquery.tables.getData on each table)"
        }
        "accessNotConfigured" | "SERVICE_DISABLED" => {
            " (switch on the BigQuery API in the project)"
        }
        "billingNotEnabled" => " (switch on billing in the project)",
        "quotaExceeded" => " (a quota of the project is used up)",
        _ if *status == 401 => " (see `credentials` of [warehouse])",
        _ => "",
    }
}

/// Reads `Retry-After`: seconds or a date (RFC 9110 section 10.2.3).
fn retry_after(headers: &HeaderMap, now: jiff::Timestamp) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new()
        .parse_timestamp(text)
        .ok()?;
    Some(Duration::try_from(date.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn refused(status: u16, body: &str) -> CallError {
        CallError::Refused(Box::new(Refusal::read(&Reply {
            status: StatusCode::from_u16(status).unwrap(),
            headers: HeaderMap::new(),
            body: Bytes::copy_from_slice(body.as_bytes()),
        })))
    }

    fn body(reason: &str, message: &str) -> String {
        serde_json::json!({"error": {
            "code": 0,
            "message": message,
            "errors": [{"message": message, "domain": "global", "reason": reason}],
        }})
        .to_string()
    }

    #[test]
    fn each_reason_has_its_meaning() {
        for (status, reason, step, passes, expected) in [
            (400, "invalidQuery", Step::Run, false, "Evaluation"),
            (400, "invalidQuery", Step::DryRun, false, "Failure"),
            (
                400,
                "bytesBilledLimitExceeded",
                Step::Run,
                false,
                "BytesBilledExceeded",
            ),
            (
                400,
                "resourcesExceeded",
                Step::Run,
                false,
                "ResourcesExceeded",
            ),
            (
                403,
                "responseTooLarge",
                Step::Run,
                false,
                "ResourcesExceeded",
            ),
            (400, "stopped", Step::Run, false, "DeadlineExceeded"),
            (403, "rateLimitExceeded", Step::Run, true, "Unavailable"),
            (403, "quotaExceeded", Step::Run, false, "Unavailable"),
            (503, "backendError", Step::Run, true, "Unavailable"),
            (500, "internalError", Step::Run, true, "Unavailable"),
            (404, "notFound", Step::DryRun, false, "Failure"),
            (403, "accessDenied", Step::DryRun, false, "Failure"),
            (403, "accessNotConfigured", Step::DryRun, false, "Failure"),
            (401, "authError", Step::Run, false, "Failure"),
        ] {
            let error = refused(status, &body(reason, "m"));
            assert_eq!(error.may_pass(), passes, "{status} {reason}");
            let found = format!("{:?}", error.for_query(step, 1));
            assert!(found.starts_with(expected), "{status} {reason}: {found}");
        }
    }

    #[test]
    fn the_operator_is_told_what_to_look_at() {
        let error = refused(404, &body("notFound", "Not found: Dataset p:d"));
        assert_eq!(
            error.to_string(),
            "BigQuery answers HTTP 404 notFound: Not found: Dataset p:d (see `project` and `location` of \
             [warehouse] and the `table` of each stream: a dataset is found in its own location only)"
        );
        let error = refused(502, "<html>Bad gateway</html>");
        assert!(error.may_pass());
        assert_eq!(
            error.to_string(),
            "BigQuery answers HTTP 502 : an answer that is not the API's own"
        );
    }

    #[test]
    fn the_estimate_is_read_from_the_message() {
        let message =
            "Query exceeded limit for bytes billed: 1000000. 10485760 or higher required.";
        let error = refused(400, &body("bytesBilledLimitExceeded", message));
        let WarehouseError::BytesBilledExceeded {
            limit, estimate, ..
        } = error.for_query(Step::Run, 1_000_000)
        else {
            panic!("another meaning");
        };
        assert_eq!((limit, estimate), (1_000_000, Some(10_485_760)));
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = "2026-01-31T12:00:00Z".parse().unwrap();
        for (text, expected) in [
            ("3", Some(3)),
            ("Sat, 31 Jan 2026 12:00:09 GMT", Some(9)),
            ("Sat, 31 Jan 2026 11:00:00 GMT", Some(0)),
            ("soon", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, text.parse().unwrap());
            let found = retry_after(&headers, now);
            assert_eq!(found, expected.map(Duration::from_secs), "{text}");
        }
    }
}
