//! Requests as spans, for whoever collects traces.
//!
//! A span has what the log line of a request has but the token, and like it neither parameters nor
//! queries. Probes have none.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Where spans go.
pub type Spans = Arc<dyn SpanSink>;

/// Takes the spans of requests.
pub trait SpanSink: Send + Sync {
    /// Decides whether the span of a request is recorded, by the id of its trace and what it is a part of.
    fn samples(&self, trace_id: u128, parent: Option<Parent>) -> bool;

    /// Takes a span that has ended. Must not wait.
    fn record(&self, span: &Span<'_>);
}

/// The request of another service that a request is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parent {
    /// Its id, never 0.
    pub id: u64,
    /// Whether it is recorded.
    pub is_recorded: bool,
}

/// What is told of one request.
#[derive(Clone, Debug, PartialEq)]
pub struct Span<'a> {
    /// The id of the trace, never 0.
    pub trace_id: u128,
    /// The id of the request in it, never 0.
    pub id: u64,
    /// What it is a part of.
    pub parent: Option<Parent>,
    /// When the head of the request was read.
    pub began: SystemTime,
    /// How long it took from there to its answer.
    pub time: Duration,
    /// The method, which may be any word of a caller.
    pub method: &'a str,
    /// The route as a template.
    pub route: &'static str,
    /// The name of the endpoint, if there is such a one.
    pub endpoint: Option<&'a str>,
    /// The HTTP status; 499 when the caller did not wait.
    pub status: u16,
    /// The code of the first reason of a refusal.
    pub code: Option<&'a str>,
    /// Where the answer came from, a word of RFC 9211.
    pub cache: Option<&'static str>,
    /// How many rows were answered.
    pub rows: Option<usize>,
    /// How many bytes the body of the answer has.
    pub bytes: u64,
    /// How long each phase took, by its name.
    pub phases: Vec<(&'static str, Duration)>,
    /// What the warehouse bills for, in bytes.
    pub bytes_billed: Option<u64>,
    /// Names the request in the log.
    pub request_id: &'a str,
}
