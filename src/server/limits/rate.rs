//! Requests in a time: of one token, and of one endpoint.
//!
//! What is left is told in `RateLimit` and `RateLimit-Policy`
//! (draft-ietf-httpapi-ratelimit-headers). A request that is not allowed by one of the two is not
//! counted by the other where that can be helped: the token is asked first.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};

use crate::config::{RateLimit, RateLimits};
use crate::server::error::{ApiError, Fault};

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

type Limiter =
    RateLimiter<String, DefaultKeyedStateStore<String>, DefaultClock, StateInformationMiddleware>;

/// The limits on request rates; either may be absent. Names are those of tokens and endpoints that
/// exist, so that there are not more of them than were configured.
#[derive(Debug)]
pub(crate) struct Rates {
    limits: RateLimits,
    token: Option<Rate>,
    endpoint: Option<Rate>,
}

#[derive(Debug)]
struct Rate {
    /// What is limited; also the name of the policy and the configuration key.
    what: &'static str,
    limit: RateLimit,
    limiter: Limiter,
}

/// What is left to the caller after a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allowance {
    left: String,
    policy: String,
}

impl Rates {
    /// Returns limits of which nothing is used.
    pub(crate) fn new(limits: &RateLimits) -> Self {
        Self {
            limits: limits.clone(),
            token: limits.token.map(|limit| Rate::new("token", limit)),
            endpoint: limits.endpoint.map(|limit| Rate::new("endpoint", limit)),
        }
    }

    /// Returns what these limits were made from.
    pub(crate) fn limits(&self) -> &RateLimits {
        &self.limits
    }

    /// Counts a request and writes down in `allowance` what is left.
    ///
    /// # Errors
    /// A limit that is used up.
    pub(crate) fn admit(
        &self,
        token: &str,
        endpoint: &str,
        allowance: &mut Allowance,
    ) -> Result<(), ApiError> {
        let rates = [(&self.token, token), (&self.endpoint, endpoint)];
        for (rate, name) in rates {
            if let Some(rate) = rate {
                rate.admit(name, allowance)?;
            }
        }
        Ok(())
    }
}

impl Rate {
    fn new(what: &'static str, limit: RateLimit) -> Self {
        let quota = quota(limit);
        Self {
            what,
            limit,
            limiter: RateLimiter::dashmap(quota).with_middleware(),
        }
    }

    fn admit(&self, name: &str, allowance: &mut Allowance) -> Result<(), ApiError> {
        let Self {
            what,
            limit,
            limiter,
        } = self;
        let RateLimit { requests, seconds } = *limit;
        match limiter.check_key(&name.to_owned()) {
            Ok(state) => {
                let left = state.remaining_burst_capacity();
                let used = u64::from(requests.get().saturating_sub(left));
                // Until all of it is there again.
                let reset = (used * seconds.get()).div_ceil(u64::from(requests.get()));
                allowance.add(what, *limit, left, reset);
                Ok(())
            }
            Err(until) => {
                let wait = until.wait_time_from(DefaultClock::default().now());
                let wait = (wait + Duration::from_millis(999)).as_secs().max(1);
                allowance.add(what, *limit, 0, wait);
                Err(ApiError::new(
                    Fault::RateLimited,
                    format!(
                        "more than {requests} requests in {seconds} seconds by one {what} (rate_limits.{what})"
                    ),
                )
                .retry_after(wait))
            }
        }
    }
}

impl Allowance {
    fn add(&mut self, what: &str, limit: RateLimit, left: u32, reset: u64) {
        let RateLimit { requests, seconds } = limit;
        let separator = if self.left.is_empty() { "" } else { ", " };
        self.left
            .push_str(&format!("{separator}\"{what}\";r={left};t={reset}"));
        self.policy
            .push_str(&format!("{separator}\"{what}\";q={requests};w={seconds}"));
    }

    /// Writes the headers, if there is any limit.
    pub(crate) fn write(&self, headers: &mut HeaderMap) {
        for (name, text) in [(RATE_LIMIT, &self.left), (RATE_LIMIT_POLICY, &self.policy)] {
            if let Ok(value) = HeaderValue::from_str(text)
                && !text.is_empty()
            {
                headers.insert(name, value);
            }
        }
    }
}

/// Spreads the requests evenly over the time, and allows all of them at once after a pause.
fn quota(limit: RateLimit) -> Quota {
    let period = Duration::from_secs(limit.seconds.get()) / limit.requests.get();
    // A period of nothing is more than a thousand million requests a second.
    Quota::with_period(period)
        .unwrap_or(Quota::per_second(NonZeroU32::MAX))
        .allow_burst(limit.requests)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;

    fn limit(requests: u32, seconds: u64) -> Option<RateLimit> {
        Some(RateLimit {
            requests: NonZeroU32::new(requests).unwrap(),
            seconds: NonZeroU64::new(seconds).unwrap(),
        })
    }

    #[test]
    fn each_token_and_each_endpoint_has_its_own() {
        let rates = Rates::new(&RateLimits {
            token: limit(2, 3600),
            endpoint: limit(3, 3600),
        });
        let admit = |token: &str, endpoint: &str| {
            let mut allowance = Allowance::default();
            let outcome = rates.admit(token, endpoint, &mut allowance);
            let mut headers = HeaderMap::new();
            allowance.write(&mut headers);
            let left = headers[RATE_LIMIT].to_str().unwrap().to_owned();
            (outcome.map_err(|error| error.into_response("id")), left)
        };
        let (first, left) = admit("a", "x");
        assert!(first.is_ok());
        assert_eq!(left, "\"token\";r=1;t=1800, \"endpoint\";r=2;t=1200");
        assert!(admit("a", "x").0.is_ok());
        let (refused, left) = admit("a", "x");
        let refused = refused.unwrap_err();
        assert_eq!(refused.status(), 429);
        let wait: u64 = refused.headers()["retry-after"]
            .to_str()
            .unwrap()
            .parse()
            .unwrap();
        assert!((1..=1800).contains(&wait), "{wait}");
        assert!(format!("{:?}", refused.body()).contains("rate_limits.token"));
        assert!(left.starts_with("\"token\";r=0;"), "{left}");
        // Another token has its own requests; the endpoint has one left.
        assert!(admit("b", "x").0.is_ok());
        let refused = admit("b", "x").0.unwrap_err();
        assert!(format!("{:?}", refused.body()).contains("rate_limits.endpoint"));
        assert!(admit("a", "x").0.is_err());
    }

    #[test]
    fn no_limit_says_nothing() {
        let rates = Rates::new(&RateLimits::default());
        let mut allowance = Allowance::default();
        assert!(rates.admit("a", "x", &mut allowance).is_ok());
        let mut headers = HeaderMap::new();
        allowance.write(&mut headers);
        assert!(headers.is_empty());
    }
}
