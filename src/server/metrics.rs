//! Counters for Prometheus.
//!
//! Every label has a bounded set of values: names of endpoints that exist, templates of routes, HTTP
//! statuses, diagnostic codes, words from a list. No token, parameter or query is in them.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use super::cache::Status;
use crate::warehouse::WarehouseError;

/// Upper bounds of the classes of times, in seconds.
const SECONDS: [f64; 12] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 2.5, 10.0, 30.0,
];

type Times<L> = Family<L, Histogram, fn() -> Histogram>;

/// What is counted.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Request, Counter>,
    request_seconds: Times<Route>,
    refusals: Family<Code, Counter>,
    cache_answers: Family<CacheAnswer, Counter>,
    query_seconds: Times<Endpoint>,
    result_bytes: Family<Endpoint, Counter>,
    billed_bytes: Family<Endpoint, Counter>,
    guard_refusals: Counter,
    refreshes: Family<Refresh, Counter>,
    reloads: Family<Outcome, Counter>,
    reload_failed: Gauge,
    cache_entries: Gauge<u64, AtomicU64>,
    cache_bytes: Gauge<u64, AtomicU64>,
    queries_running: Gauge<u64, AtomicU64>,
    queries_waiting: Gauge<u64, AtomicU64>,
}

/// Where requests are counted that are kept results to one endpoint: looked up once.
#[derive(Debug, Default)]
pub(crate) struct Handles {
    found: OnceLock<Counter>,
    known: OnceLock<Counter>,
    hit: OnceLock<Counter>,
    seconds: OnceLock<Histogram>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    route: &'static str,
    endpoint: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Endpoint {
    endpoint: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Code {
    code: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CacheAnswer {
    endpoint: String,
    status: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Refresh {
    endpoint: String,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Outcome {
    outcome: &'static str,
}

/// What is looked up when somebody asks, not counted on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Levels {
    /// Results that are kept.
    pub(crate) cache_entries: usize,
    /// What they weigh.
    pub(crate) cache_bytes: usize,
    /// Queries that run.
    pub(crate) queries_running: usize,
    /// Queries that wait.
    pub(crate) queries_waiting: usize,
}

impl Metrics {
    /// Returns counters at zero.
    pub(crate) fn new() -> Self {
        fn times() -> Histogram {
            Histogram::new(SECONDS)
        }
        let mut metrics = Self {
            registry: Registry::with_prefix("logboom"),
            requests: Family::default(),
            request_seconds: Family::new_with_constructor(times),
            refusals: Family::default(),
            cache_answers: Family::default(),
            query_seconds: Family::new_with_constructor(times),
            result_bytes: Family::default(),
            billed_bytes: Family::default(),
            guard_refusals: Counter::default(),
            refreshes: Family::default(),
            reloads: Family::default(),
            reload_failed: Gauge::default(),
            cache_entries: Gauge::default(),
            cache_bytes: Gauge::default(),
            queries_running: Gauge::default(),
            queries_waiting: Gauge::default(),
        };
        metrics.register();
        metrics
    }

    fn register(&mut self) {
        let registry = &mut self.registry;
        registry.register(
            "requests",
            "Requests by route, endpoint and status",
            self.requests.clone(),
        );
        registry.register_with_unit(
            "request",
            "From the head of a request to its answer",
            Unit::Seconds,
            self.request_seconds.clone(),
        );
        registry.register(
            "refusals",
            "Reasons of failed requests",
            self.refusals.clone(),
        );
        registry.register(
            "cache_answers",
            "Answers by what the cache had for them",
            self.cache_answers.clone(),
        );
        registry.register_with_unit(
            "query",
            "Queries on the warehouse",
            Unit::Seconds,
            self.query_seconds.clone(),
        );
        registry.register_with_unit(
            "result",
            "Bodies of results before compression",
            Unit::Bytes,
            self.result_bytes.clone(),
        );
        registry.register_with_unit(
            "billed",
            "What the warehouse bills queries for",
            Unit::Bytes,
            self.billed_bytes.clone(),
        );
        registry.register(
            "guard_refusals",
            "Queries that would have read other tables than the compiler says, and did not run",
            self.guard_refusals.clone(),
        );
        registry.register(
            "cache_refreshes",
            "Refreshes ahead of time",
            self.refreshes.clone(),
        );
        registry.register(
            "reloads",
            "Reloads of endpoints and configuration",
            self.reloads.clone(),
        );
        registry.register(
            "reload_failed",
            "1 while the files have mistakes and the last good set is served",
            self.reload_failed.clone(),
        );
        registry.register(
            "cache_entries",
            "Results that are kept",
            self.cache_entries.clone(),
        );
        registry.register_with_unit(
            "cache",
            "Weight of the results that are kept",
            Unit::Bytes,
            self.cache_bytes.clone(),
        );
        registry.register(
            "queries_running",
            "Queries that run",
            self.queries_running.clone(),
        );
        registry.register(
            "queries_waiting",
            "Queries that wait",
            self.queries_waiting.clone(),
        );
    }

    /// Counts a request that has ended; the name of the endpoint is empty where there is none.
    pub(crate) fn request(&self, route: &'static str, endpoint: &str, status: u16, time: Duration) {
        self.requests_of(route, endpoint, status).inc();
        self.seconds_of(route).observe(time.as_secs_f64());
    }

    fn requests_of(&self, route: &'static str, endpoint: &str, status: u16) -> Counter {
        let request = Request {
            route,
            endpoint: endpoint.to_owned(),
            status,
        };
        self.requests.get_or_create(&request).clone()
    }

    fn seconds_of(&self, route: &'static str) -> Histogram {
        let seconds = self.request_seconds.get_or_create(&Route { route });
        seconds.clone()
    }

    fn answers_of(&self, endpoint: &str, status: Status) -> Counter {
        let answer = CacheAnswer {
            endpoint: endpoint.to_owned(),
            status: status.name(),
        };
        self.cache_answers.get_or_create(&answer).clone()
    }

    /// Counts a reason of a failed request, one of the codes of diagnostics.
    pub(crate) fn refused(&self, code: &str) {
        let code = Code {
            code: code.to_owned(),
        };
        self.refusals.get_or_create(&code).inc();
    }

    /// Counts where an answer came from.
    pub(crate) fn cached(&self, endpoint: &str, status: Status) {
        self.answers_of(endpoint, status).inc();
    }

    /// Counts a query that gave a result of so many bytes, and the bytes that it is billed for.
    pub(crate) fn query(&self, endpoint: &str, time: Duration, bytes: usize, billed: Option<u64>) {
        let endpoint = Endpoint {
            endpoint: endpoint.to_owned(),
        };
        let seconds = self.query_seconds.get_or_create(&endpoint);
        seconds.observe(time.as_secs_f64());
        drop(seconds);
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.result_bytes.get_or_create(&endpoint).inc_by(bytes);
        if let Some(billed) = billed {
            self.billed_bytes.get_or_create(&endpoint).inc_by(billed);
        }
    }

    /// Counts a query that gave no result, where it is a matter of security. There is no label, so that
    /// the counter is there, at 0, before the first.
    pub(crate) fn query_failed(&self, error: &WarehouseError) {
        if let WarehouseError::OtherTables(_) = error {
            self.guard_refusals.inc();
        }
    }

    /// Counts a refresh of a kept result.
    pub(crate) fn warmed(&self, endpoint: &str, succeeded: bool) {
        let refresh = Refresh {
            endpoint: endpoint.to_owned(),
            outcome: outcome(succeeded),
        };
        self.refreshes.get_or_create(&refresh).inc();
    }

    /// Counts a reload.
    pub(crate) fn reloaded(&self, succeeded: bool) {
        let outcome = Outcome {
            outcome: outcome(succeeded),
        };
        self.reloads.get_or_create(&outcome).inc();
        self.reload_failed.set(i64::from(!succeeded));
    }

    /// Returns all of it in the text format of OpenMetrics 1.0.
    pub(crate) fn text(&self, levels: Levels) -> Result<String, fmt::Error> {
        let Levels {
            cache_entries,
            cache_bytes,
            queries_running,
            queries_waiting,
        } = levels;
        for (gauge, level) in [
            (&self.cache_entries, cache_entries),
            (&self.cache_bytes, cache_bytes),
            (&self.queries_running, queries_running),
            (&self.queries_waiting, queries_waiting),
        ] {
            gauge.set(u64::try_from(level).unwrap_or(u64::MAX));
        }
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

impl Handles {
    /// Counts a request that a kept result, or that it is known, was the answer to. Any other is counted as each
    /// is.
    pub(crate) fn count(
        &self,
        metrics: &Metrics,
        route: &'static str,
        endpoint: &str,
        status: u16,
        time: Duration,
    ) {
        let requests = match status {
            200 => &self.found,
            304 => &self.known,
            _ => return metrics.request(route, endpoint, status, time),
        };
        let requests = requests.get_or_init(|| metrics.requests_of(route, endpoint, status));
        requests.inc();
        let seconds = self.seconds.get_or_init(|| metrics.seconds_of(route));
        seconds.observe(time.as_secs_f64());
        let hit = &self.hit;
        hit.get_or_init(|| metrics.answers_of(endpoint, Status::Hit))
            .inc();
    }
}

fn outcome(succeeded: bool) -> &'static str {
    if succeeded { "ok" } else { "failed" }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_everything() {
        let metrics = Metrics::new();
        let time = Duration::from_millis(20);
        metrics.request("/healthz", "", 200, time);
        metrics.request("/q", "logs.all", 503, time);
        metrics.refused("LB613");
        metrics.cached("logs.all", Status::Hit);
        let handles = Handles::default();
        for status in [200, 200, 304, 429] {
            handles.count(&metrics, "/q", "logs.all", status, time);
        }
        metrics.query("logs.all", time, 4096, Some(10));
        metrics.query_failed(&WarehouseError::DeadlineExceeded);
        metrics.query_failed(&WarehouseError::OtherTables("p.d.t".into()));
        metrics.warmed("logs.all", false);
        metrics.reloaded(false);
        let text = metrics
            .text(Levels {
                cache_bytes: 77,
                ..Levels::default()
            })
            .unwrap();
        for line in [
            "logboom_requests_total{route=\"/healthz\",endpoint=\"\",status=\"200\"} 1",
            "logboom_requests_total{route=\"/q\",endpoint=\"logs.all\",status=\"503\"} 1",
            "logboom_requests_total{route=\"/q\",endpoint=\"logs.all\",status=\"200\"} 2",
            "logboom_requests_total{route=\"/q\",endpoint=\"logs.all\",status=\"304\"} 1",
            "logboom_requests_total{route=\"/q\",endpoint=\"logs.all\",status=\"429\"} 1",
            "logboom_request_seconds_bucket{le=\"0.025\",route=\"/q\"} 5",
            "logboom_refusals_total{code=\"LB613\"} 1",
            "logboom_cache_answers_total{endpoint=\"logs.all\",status=\"hit\"} 4",
            "logboom_query_seconds_count{endpoint=\"logs.all\"} 1",
            "logboom_result_bytes_total{endpoint=\"logs.all\"} 4096",
            "logboom_billed_bytes_total{endpoint=\"logs.all\"} 10",
            "logboom_guard_refusals_total 1",
            "logboom_cache_refreshes_total{endpoint=\"logs.all\",outcome=\"failed\"} 1",
            "logboom_reloads_total{outcome=\"failed\"} 1",
            "logboom_reload_failed 1",
            "logboom_cache_bytes 77",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\n{text}");
        }
    }
}
