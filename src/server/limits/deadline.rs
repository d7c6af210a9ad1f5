//! How long a caller will wait: `Request-Timeout`, or `Prefer: wait=` (RFC 7240, section 4.3).
//!
//! Both lower the deadline of the endpoint and never raise it.

use std::time::Duration;

use hyper::header::{HeaderMap, HeaderName, HeaderValue};

use crate::server::error::{ApiError, Fault};

/// How long a caller waits, in seconds.
pub(crate) const REQUEST_TIMEOUT: HeaderName = HeaderName::from_static("request-timeout");
/// What a caller would like.
pub(crate) const PREFER: HeaderName = HeaderName::from_static("prefer");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// The longest number that is read; a thousand million seconds are forever.
const DIGITS: usize = 9;

/// How long a request may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience {
    /// That long.
    pub(crate) limit: Duration,
    /// The seconds of `Prefer: wait=`, where they are what counts.
    preferred: Option<u64>,
    /// What says so.
    source: &'static str,
}

impl Patience {
    /// Reads the headers of a request to an endpoint that gives it so long; `source` is the setting that
    /// says so.
    ///
    /// # Errors
    /// A `Request-Timeout` that is not a number of seconds above 0. A preference that cannot be read is
    /// passed over, as its standard wants.
    pub(crate) fn of(
        headers: &HeaderMap,
        most: Duration,
        source: &'static str,
    ) -> Result<Self, ApiError> {
        let mut patience = Self {
            limit: most,
            preferred: None,
            source,
        };
        for value in headers.get_all(REQUEST_TIMEOUT) {
            let seconds = value.to_str().ok().and_then(seconds).ok_or_else(|| {
                ApiError::new(
                    Fault::Malformed,
                    "the header Request-Timeout must be a number of seconds above 0",
                )
            })?;
            if seconds < patience.limit {
                patience.limit = seconds;
                patience.source = "Request-Timeout";
            }
        }
        if let Some(wait) = wait(headers) {
            let wished = Duration::from_secs(wait);
            if wished < patience.limit {
                patience.limit = wished;
                patience.preferred = Some(wait);
                patience.source = "Prefer";
            }
        }
        Ok(patience)
    }

    /// Names the limit in the answer to a request that took longer.
    pub(crate) fn explain(self, error: ApiError) -> ApiError {
        let seconds = self.limit.as_secs_f64();
        error.explain_deadline(&format!(
            "the query ran longer than {seconds} seconds ({})",
            self.source
        ))
    }

    /// Writes that the preference counted.
    pub(crate) fn write(self, headers: &mut HeaderMap) {
        let applied = self.preferred.map(|wait| format!("wait={wait}"));
        if let Some(applied) = applied.and_then(|text| HeaderValue::from_str(&text).ok()) {
            headers.insert(PREFERENCE_APPLIED, applied);
        }
    }
}

/// Reads whole seconds, or seconds with a decimal fraction.
fn seconds(text: &str) -> Option<Duration> {
    let text = text.trim();
    let is_number = text.len() <= DIGITS
        && text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let seconds: f64 = is_number.then(|| text.parse().ok())??;
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|duration| !duration.is_zero())
}

/// Returns the first preference `wait` that can be read.
fn wait(headers: &HeaderMap) -> Option<u64> {
    let values = headers.get_all(PREFER).iter();
    let mut values = values.filter_map(|value| value.to_str().ok());
    values.find_map(|value| {
        value.split(',').find_map(|preference| {
            let preference = preference.split(';').next()?;
            let (name, value) = preference.split_once('=')?;
            let value = value.trim().trim_matches('"');
            let is_wait = name.trim().eq_ignore_ascii_case("wait")
                && value.len() <= DIGITS
                && value.bytes().all(|b| b.is_ascii_digit());
            let seconds = is_wait.then(|| value.parse::<u64>().ok())??;
            (seconds > 0).then_some(seconds)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_lower_the_deadline() {
        #[track_caller]
        fn check(headers: &[(HeaderName, &'static str)], expected: Option<(u64, Option<&str>)>) {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(name, HeaderValue::from_static(value));
            }
            let patience = Patience::of(&map, Duration::from_secs(30), "x").ok();
            let found = patience.map(|patience| {
                let mut out = HeaderMap::new();
                patience.write(&mut out);
                let applied = out.get(PREFERENCE_APPLIED);
                let applied = applied.map(|v| v.to_str().unwrap().to_owned());
                (patience.limit.as_millis(), applied)
            });
            let expected =
                expected.map(|(ms, applied)| (u128::from(ms), applied.map(String::from)));
            assert_eq!(found, expected, "{headers:?}");
        }
        check(&[], Some((30_000, None)));
        check(&[(REQUEST_TIMEOUT, "5")], Some((5_000, None)));
        check(&[(REQUEST_TIMEOUT, " 0.25 ")], Some((250, None)));
        check(&[(REQUEST_TIMEOUT, "60")], Some((30_000, None)));
        check(&[(REQUEST_TIMEOUT, "999999999")], Some((30_000, None)));
        for wrong in [
            "",
            "0",
            "-1",
            "soon",
            "1e9",
            "NaN",
            "inf",
            "1.2.3",
            "9999999999",
            "0x5",
        ] {
            check(&[(REQUEST_TIMEOUT, wrong)], None);
        }
        check(&[(PREFER, "wait=10")], Some((10_000, Some("wait=10"))));
        check(
            &[(PREFER, "respond-async, Wait = \"7\"; x=y")],
            Some((7_000, Some("wait=7"))),
        );
        check(&[(PREFER, "wait=60")], Some((30_000, None)));
        for unread in ["wait", "wait=0", "wait=-1", "wait=x", "waits=3"] {
            check(&[(PREFER, unread)], Some((30_000, None)));
        }
        check(
            &[(REQUEST_TIMEOUT, "3"), (PREFER, "wait=10")],
            Some((3_000, None)),
        );
    }
}
