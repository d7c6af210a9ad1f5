//! Successful answers, and the headers that every answer has.

use std::cell::RefCell;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, VARY,
};
use hyper::{Response, StatusCode};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::App;
use super::access_log::Record;
use super::cache::{Encoded, Freshness, Status};
use super::digits::{decimal, fixed};
use super::error::ApiError;
use super::execute::Answer;
use super::media::Coding;
use super::trace::TRACERESPONSE;

/// The media type of errors and of what is not a result.
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");

/// Names the request in logs and error bodies.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// `true` when rows beyond the limit were cut off.
pub(crate) const X_RESULT_TRUNCATED: HeaderName = HeaderName::from_static("x-result-truncated");
/// The parameters that the endpoint does not have.
pub(crate) const X_IGNORED_PARAMETERS: HeaderName = HeaderName::from_static("x-ignored-parameters");
/// How long each phase took.
pub(crate) const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");
const X_CONTENT_TYPE_OPTIONS: HeaderName = HeaderName::from_static("x-content-type-options");

/// How many headers a result has at most, roughly.
const HEADERS: usize = 24;

/// What each answer has of its own, in the order of their room in [`Encoded::head`].
const OWN: [HeaderName; 3] = [X_REQUEST_ID, SERVER_TIMING, TRACERESPONSE];

/// The longest `X-Ignored-Parameters`, in bytes.
const IGNORED_BYTES: usize = 1024;

/// What may stand in a listed parameter name as it is; the rest is percent-encoded.
const NAME: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// How long each phase of a request took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Timings {
    /// Checking the token.
    pub(crate) auth: Option<Duration>,
    /// Finding the key of the result.
    pub(crate) cache: Option<Duration>,
    /// Compiling the query.
    pub(crate) compile: Option<Duration>,
    /// Waiting until it may run.
    pub(crate) queue: Option<Duration>,
    /// Running it.
    pub(crate) run: Option<Duration>,
    /// Writing the rows.
    pub(crate) encode: Option<Duration>,
    /// What the warehouse bills for, in bytes.
    pub(crate) bytes_billed: Option<u64>,
}

impl Timings {
    /// Returns these times, with those of `later` where these have none.
    pub(crate) fn and(self, later: Self) -> Self {
        let Self {
            auth,
            cache,
            compile,
            queue,
            run,
            encode,
            bytes_billed,
        } = self;
        Self {
            auth: auth.or(later.auth),
            cache: cache.or(later.cache),
            compile: compile.or(later.compile),
            queue: queue.or(later.queue),
            run: run.or(later.run),
            encode: encode.or(later.encode),
            bytes_billed: bytes_billed.or(later.bytes_billed),
        }
    }

    /// Returns the time of each phase that took place, by its name.
    pub(crate) fn phases(&self) -> impl Iterator<Item = (&'static str, Duration)> {
        let phases = [
            ("auth", self.auth),
            ("cache", self.cache),
            ("compile", self.compile),
            ("queue", self.queue),
            ("run", self.run),
            ("encode", self.encode),
        ];
        phases
            .into_iter()
            .filter_map(|(name, time)| Some((name, time?)))
    }

    /// Returns the `Server-Timing` header, if there is anything to tell.
    fn header(&self) -> Option<HeaderValue> {
        let mut text = Vec::new();
        self.write(&mut text);
        if text.is_empty() {
            return None;
        }
        HeaderValue::try_from(text).ok()
    }

    /// Writes milliseconds of the phases that took place and what was billed, as `Server-Timing` has them.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let begin = out.len();
        for (name, time) in self.phases() {
            if out.len() > begin {
                out.extend_from_slice(b", ");
            }
            let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b";dur=");
            decimal(micros / 1000, out);
            out.push(b'.');
            out.extend_from_slice(&fixed::<3>(micros % 1000));
        }
        if let Some(bytes) = self.bytes_billed {
            if out.len() > begin {
                out.extend_from_slice(b", ");
            }
            out.extend_from_slice(b"billed;desc=\"");
            decimal(bytes, out);
            out.extend_from_slice(b" bytes\"");
        }
    }
}

/// Returns the answer with a result, or with nothing where the caller has it already (RFC 9110,
/// section 13.1.2).
pub(crate) async fn result(
    app: &App,
    answer: &Answer,
    coding: Coding,
    unless: Option<&HeaderValue>,
    ignored: Option<&HeaderValue>,
) -> Result<Response<Full<Bytes>>, ApiError> {
    let encoded = &answer.encoded;
    let is_new = encoded.ready(coding).is_none();
    let (coding, body) = encoded.body(coding, &app.memory).await?;
    if is_new {
        answer.grew(&app.cache);
    }
    let mut headers = HeaderMap::with_capacity(HEADERS);
    describe(
        encoded,
        coding,
        answer.status,
        answer.freshness,
        &mut headers,
    );
    let mut response = unless_known(encoded.tag(coding), unless, headers, body);
    if let Some(names) = ignored {
        response
            .headers_mut()
            .insert(X_IGNORED_PARAMETERS, names.clone());
    }
    Ok(response)
}

/// Returns the answer with a kept result, as one of [`result`] is when it is [finished](finish): with the headers
/// that all answers of a second have in common, and those that `record` tells of this one.
pub(crate) fn kept(
    encoded: &Encoded,
    (coding, body): (Coding, Bytes),
    freshness: Freshness,
    unless: Option<&HeaderValue>,
    record: &Record<'_>,
) -> Response<Full<Bytes>> {
    thread_local! {
        static ROOM: RefCell<Vec<u8>> = RefCell::default();
    }
    let mut headers = encoded.head(coding, freshness, || {
        let mut headers = HeaderMap::with_capacity(HEADERS);
        for name in OWN {
            headers.insert(name, HeaderValue::from_static(""));
        }
        describe(encoded, coding, Status::Hit, Some(freshness), &mut headers);
        common(&mut headers);
        headers
    });
    ROOM.with_borrow_mut(|text| {
        let mut own = headers.values_mut();
        let mut next = |write: &dyn Fn(&mut Vec<u8>)| {
            text.clear();
            write(text);
            let written = HeaderValue::from_bytes(text).ok();
            if let Some((value, written)) = own.next().zip(written) {
                *value = written;
            }
        };
        next(&|text| record.request_id.write(text));
        next(&|text| record.timings.write(text));
        next(&|text| record.trace.write_text(text));
    });
    unless_known(encoded.tag(coding), unless, headers, body)
}

/// Writes the headers that tell what a result is.
fn describe(
    encoded: &Encoded,
    coding: Coding,
    status: Status,
    freshness: Option<Freshness>,
    headers: &mut HeaderMap,
) {
    headers.insert(CONTENT_TYPE, encoded.format.content_type());
    if let Some(name) = coding.name() {
        headers.insert(CONTENT_ENCODING, name);
    }
    if let Some(tag) = encoded.tag(coding) {
        headers.insert(ETAG, tag.clone());
    }
    status.write(freshness, headers);
    if encoded.truncated {
        headers.insert(X_RESULT_TRUNCATED, HeaderValue::from_static("true"));
    }
}

/// Returns an answer with these headers and this body, or without it where the caller names its tag.
fn unless_known(
    tag: Option<&HeaderValue>,
    unless: Option<&HeaderValue>,
    mut headers: HeaderMap,
    body: Bytes,
) -> Response<Full<Bytes>> {
    let is_known = unless
        .zip(tag)
        .is_some_and(|(tags, tag)| mentions(tags, tag));
    let mut response = if is_known {
        headers.remove(CONTENT_TYPE);
        headers.remove(CONTENT_ENCODING);
        let mut response = Response::new(Full::default());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        Response::new(Full::new(body))
    };
    *response.headers_mut() = headers;
    response
}

/// Returns whether the value of `If-None-Match` names this tag. Tags are compared weakly.
fn mentions(tags: &HeaderValue, tag: &HeaderValue) -> bool {
    let Ok(tags) = tags.to_str() else {
        return false;
    };
    tags.split(',')
        .map(str::trim)
        .any(|sent| sent == "*" || sent.strip_prefix("W/").unwrap_or(sent) == tag)
}

/// Returns an answer of JSON.
pub(crate) fn json(body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

/// Adds the headers that every answer has.
pub(crate) fn finish(headers: &mut HeaderMap, record: &Record<'_>) {
    if let Ok(id) = HeaderValue::from_str(record.request_id.as_str()) {
        headers.insert(X_REQUEST_ID, id);
    }
    if let Some(timing) = record.timings.header() {
        headers.insert(SERVER_TIMING, timing);
    }
    record.trace.write(headers);
    common(headers);
}

/// Adds the headers that are the same in every answer.
fn common(headers: &mut HeaderMap) {
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("private, no-store"));
    headers.append(
        VARY,
        HeaderValue::from_static("Accept, Accept-Encoding, Authorization, X-API-KEY"),
    );
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
}

/// Returns the names of parameters as a header: percent-encoded, comma separated, as many as fit.
pub(crate) fn ignored_parameters(names: &[String]) -> Option<HeaderValue> {
    let mut list = String::new();
    for name in names {
        let encoded = utf8_percent_encode(name, NAME).to_string();
        let separator = if list.is_empty() { "" } else { ", " };
        if list.len() + separator.len() + encoded.len() > IGNORED_BYTES {
            continue;
        }
        list.push_str(separator);
        list.push_str(&encoded);
    }
    if list.is_empty() {
        return None;
    }
    HeaderValue::from_str(&list).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags() {
        for (sent, expected) in [
            ("\"a\"", true),
            ("W/\"a\"", true),
            ("\"b\", \"a\"", true),
            ("*", true),
            ("\"a-gzip\"", false),
            ("a", false),
            ("", false),
        ] {
            let sent = HeaderValue::from_str(sent).unwrap();
            let tag = HeaderValue::from_static("\"a\"");
            assert_eq!(mentions(&sent, &tag), expected, "{sent:?}");
        }
    }

    #[test]
    fn names_in_headers() {
        #[track_caller]
        fn check(names: &[&str], expected: Option<&str>) {
            let names: Vec<String> = names.iter().map(|&n| n.to_owned()).collect();
            let header = ignored_parameters(&names);
            assert_eq!(
                header.as_ref().map(|h| h.to_str().unwrap()),
                expected,
                "{names:?}"
            );
        }
        check(&[], None);
        check(&["a", "b_c-d.e"], Some("a, b_c-d.e"));
        check(
            &["a b,\r\nX-Evil: é"],
            Some("a%20b%2C%0D%0AX-Evil%3A%20%C3%A9"),
        );
        check(&[&"x".repeat(2000), "short"], Some("short"));
    }

    #[test]
    fn timings() {
        let timings = Timings {
            auth: Some(Duration::from_micros(50)),
            run: Some(Duration::from_millis(12)),
            bytes_billed: Some(10_485_760),
            ..Timings::default()
        };
        assert_eq!(
            timings.header().unwrap(),
            "auth;dur=0.050, run;dur=12.000, billed;desc=\"10485760 bytes\""
        );
        assert_eq!(Timings::default().header(), None);
    }
}
