//! Spans over the OpenTelemetry protocol: OTLP over HTTP, as protobuf.
//!
//! Batches, sampling, limits, headers and the names of the service are those of OpenTelemetry's own
//! library, which reads its standard variables. Ids are ours: an answer names its span before it is sent,
//! and log lines have the same id of the trace, so spans are made here and not by a tracer.

mod sender;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use opentelemetry::trace::{
    SpanContext, SpanId, SpanKind, Status, TraceContextExt as _, TraceFlags, TraceId, TraceState,
};
use opentelemetry::{Context, InstrumentationScope, Key, KeyValue};
use opentelemetry_otlp::{SpanExporter, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{
    BatchSpanProcessor, Config, SamplingDecision, ShouldSample, SpanData, SpanEvents, SpanLinks,
    SpanProcessor as _,
};

use self::sender::Sender;
use crate::server::span::{Parent, Span, SpanSink};

/// The name of the service where the environment has none.
const SERVICE: &str = "logboom";

/// How long the end waits for what was not sent yet.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Sends spans in batches, from a thread of its own.
#[derive(Debug)]
pub(crate) struct Exporter {
    processor: BatchSpanProcessor,
    sampler: Box<dyn ShouldSample>,
    scope: InstrumentationScope,
}

impl Exporter {
    /// Begins to send what it gets to where the environment says. Needs a tokio runtime.
    ///
    /// # Errors
    /// A variable that cannot be followed.
    pub(crate) fn open() -> anyhow::Result<Self> {
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Sender::new()?)
            .build()
            .context("reading the variables of OpenTelemetry")?;
        let mut processor = BatchSpanProcessor::builder(exporter).build();
        processor.set_resource(&resource());
        Ok(Self {
            processor,
            sampler: Config::default().sampler,
            scope: InstrumentationScope::builder(SERVICE)
                .with_version(env!("CARGO_PKG_VERSION"))
                .build(),
        })
    }

    /// Sends what was not sent yet.
    pub(crate) async fn close(self: Arc<Self>) {
        // It waits for its thread.
        let closing = move || self.processor.shutdown_with_timeout(CLOSE_TIMEOUT);
        match tokio::task::spawn_blocking(closing).await {
            Ok(Ok(())) => (),
            Ok(Err(error)) => tracing::warn!(%error, "not every span was sent"),
            Err(error) => tracing::warn!(%error, "not every span was sent"),
        }
    }
}

impl SpanSink for Exporter {
    fn samples(&self, trace_id: u128, parent: Option<Parent>) -> bool {
        let trace_id = TraceId::from(trace_id);
        let context = parent.map(|Parent { id, is_recorded }| {
            let flags = TraceFlags::default().with_sampled(is_recorded);
            let state = TraceState::default();
            let parent = SpanContext::new(trace_id, SpanId::from(id), flags, true, state);
            Context::new().with_remote_span_context(parent)
        });
        // What the request is about is not known yet: the standard samplers do not ask.
        let name = "";
        let kind = SpanKind::Server;
        let result =
            (self.sampler).should_sample(context.as_ref(), trace_id, name, &kind, &[], &[]);
        result.decision == SamplingDecision::RecordAndSample
    }

    fn record(&self, span: &Span<'_>) {
        let context = SpanContext::new(
            TraceId::from(span.trace_id),
            SpanId::from(span.id),
            TraceFlags::SAMPLED,
            false,
            TraceState::default(),
        );
        let parent = span.parent.map(|parent| SpanId::from(parent.id));
        let method = method(span.method);
        let verb = if method == OTHER { "HTTP" } else { method };
        self.processor.on_end(SpanData {
            span_context: context,
            parent_span_id: parent.unwrap_or(SpanId::INVALID),
            parent_span_is_remote: parent.is_some(),
            span_kind: SpanKind::Server,
            name: format!("{verb} {}", span.route).into(),
            start_time: span.began,
            end_time: span.began + span.time,
            attributes: attributes(span, method),
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: match span.status {
                500.. => Status::error(span.code.unwrap_or_default().to_owned()),
                _ => Status::Unset,
            },
            instrumentation_scope: self.scope.clone(),
        });
    }
}

/// What a method is called that HTTP does not define.
const OTHER: &str = "_OTHER";

/// Returns the name of a method (OpenTelemetry's semantic conventions for HTTP spans, 1.23).
fn method(sent: &str) -> &'static str {
    let known = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
    ];
    known
        .into_iter()
        .find(|name| *name == sent)
        .unwrap_or(OTHER)
}

/// Returns what is told of a request, by the names of the same conventions where they have one.
fn attributes(span: &Span<'_>, method: &'static str) -> Vec<KeyValue> {
    let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let rows = span
        .rows
        .map(|rows| i64::try_from(rows).unwrap_or(i64::MAX));
    let mut attributes = vec![
        KeyValue::new("http.request.method", method),
        KeyValue::new("http.route", span.route),
        KeyValue::new("http.response.status_code", i64::from(span.status)),
        KeyValue::new("http.response.body.size", number(span.bytes)),
        KeyValue::new("logboom.request_id", span.request_id.to_owned()),
    ];
    let endpoint = span.endpoint.map(ToOwned::to_owned);
    attributes.extend(endpoint.map(|name| KeyValue::new("logboom.endpoint", name)));
    let code = span.code.map(ToOwned::to_owned);
    if span.status >= 500 {
        attributes.extend(code.clone().map(|code| KeyValue::new("error.type", code)));
    }
    attributes.extend(code.map(|code| KeyValue::new("logboom.code", code)));
    attributes.extend(span.cache.map(|c| KeyValue::new("logboom.cache", c)));
    attributes.extend(rows.map(|rows| KeyValue::new("logboom.rows", rows)));
    let billed = span.bytes_billed.map(number);
    attributes.extend(billed.map(|bytes| KeyValue::new("logboom.bytes_billed", bytes)));
    for (phase, time) in &span.phases {
        let key = Key::new(format!("logboom.phase.{phase}_ms"));
        attributes.push(KeyValue::new(key, time.as_secs_f64() * 1000.0));
    }
    attributes
}

/// Returns what is told of this process.
fn resource() -> Resource {
    let named = Resource::builder().build();
    let key = Key::from_static_str("service.name");
    let is_named = (named.get(&key)).is_some_and(|name| !name.as_str().starts_with("unknown_"));
    let mut builder = Resource::builder();
    if !is_named {
        builder = builder.with_service_name(SERVICE);
    }
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    builder.with_attribute(version).build()
}
