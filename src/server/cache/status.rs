//! What an answer says of the cache: `Cache-Status` (RFC 9211), `Age` and `Cache-Control` (RFC 9111).
//!
//! `max-age` is what is left of an entry's lifetime and `Age` what is over. Whoever follows RFC 9111, section
//! 4.2.3, counts the age against `max-age`, and so asks again sooner than they would have to, when more than half
//! of the time is over at once. That errs on the safe side: nothing is used for longer than it is kept here, not
//! even by a client that passes over `Age`, and to ask again with the entity tag costs a 304. `max-age` as the
//! whole lifetime would be exact for the former and too long for the latter. The exact rest is the `ttl` of
//! `Cache-Status`.

use std::time::Duration;

use hyper::header::{AGE, CACHE_CONTROL, HeaderMap, HeaderName, HeaderValue};

const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");

/// Where an answer came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Status {
    /// The endpoint's results are not kept.
    Bypass,
    /// From an entry.
    Hit,
    /// There was no entry.
    Miss,
    /// There was an entry whose time was over.
    Stale,
    /// From the query that another caller began.
    Collapsed,
    /// The caller wanted no entry.
    Request,
}

/// How old an entry is and how long it may still be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Freshness {
    /// Since it was made.
    pub(crate) age: Duration,
    /// Until it may be served no more.
    pub(crate) left: Duration,
}

impl Status {
    /// Returns the word for metrics and logs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bypass => "bypass",
            Self::Hit => "hit",
            Self::Miss => "miss",
            Self::Stale => "stale",
            Self::Collapsed => "collapsed",
            Self::Request => "request",
        }
    }

    /// Writes the headers of an answer; one that is not kept has no freshness.
    pub(crate) fn write(self, freshness: Option<Freshness>, headers: &mut HeaderMap) {
        let left = freshness.map(|f| f.left.as_secs().to_string());
        let status = match (self, &left) {
            (Self::Hit, Some(left)) => HeaderValue::try_from(["logboom; hit; ttl=", left].concat()),
            (Self::Hit, None) => Ok(HeaderValue::from_static("logboom; hit")),
            (Self::Bypass, _) => Ok(HeaderValue::from_static("logboom; fwd=bypass")),
            (Self::Miss, _) => Ok(HeaderValue::from_static("logboom; fwd=miss; stored")),
            (Self::Stale, _) => Ok(HeaderValue::from_static("logboom; fwd=stale; stored")),
            (Self::Collapsed, _) => Ok(HeaderValue::from_static("logboom; fwd=miss; collapsed")),
            (Self::Request, _) => Ok(HeaderValue::from_static("logboom; fwd=request; stored")),
        };
        if let Ok(status) = status {
            headers.insert(CACHE_STATUS, status);
        }
        if let Some((freshness, left)) = freshness.zip(left) {
            headers.insert(AGE, HeaderValue::from(freshness.age.as_secs()));
            let left = HeaderValue::try_from(["private, max-age=", &left].concat());
            if let Ok(left) = left {
                headers.insert(CACHE_CONTROL, left);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let freshness = Freshness {
            age: Duration::from_millis(2_900),
            left: Duration::from_millis(7_100),
        };
        for (status, freshness, expected) in [
            (Status::Hit, Some(freshness), "logboom; hit; ttl=7"),
            (Status::Miss, Some(freshness), "logboom; fwd=miss; stored"),
            (
                Status::Collapsed,
                Some(freshness),
                "logboom; fwd=miss; collapsed",
            ),
            (Status::Bypass, None, "logboom; fwd=bypass"),
        ] {
            let mut headers = HeaderMap::new();
            status.write(freshness, &mut headers);
            assert_eq!(headers[CACHE_STATUS], expected);
            if freshness.is_some() {
                assert_eq!(headers[AGE], "2");
                assert_eq!(headers[CACHE_CONTROL], "private, max-age=7");
            } else {
                assert!(!headers.contains_key(AGE), "{expected}");
            }
        }
    }
}
