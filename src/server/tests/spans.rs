//! What is told of requests as spans.

use std::sync::{Arc, Mutex};

use super::scripted::Deed;
use super::service::Service;
use crate::server::span::{Parent, Span, SpanSink};

/// Records every trace but those whose parent is not recorded, and keeps what was told of them.
#[derive(Default)]
struct Sink(Mutex<Vec<Told>>);

/// Parts of a span.
#[derive(Clone, Debug, PartialEq)]
struct Told {
    trace_id: u128,
    parent: Option<Parent>,
    endpoint: Option<String>,
    status: u16,
    code: Option<String>,
    cache: Option<&'static str>,
    rows: Option<usize>,
    phases: Vec<&'static str>,
}

impl SpanSink for Sink {
    fn samples(&self, _: u128, parent: Option<Parent>) -> bool {
        parent.is_none_or(|parent| parent.is_recorded)
    }

    fn record(&self, span: &Span<'_>) {
        self.0.lock().unwrap().push(Told {
            trace_id: span.trace_id,
            parent: span.parent,
            endpoint: span.endpoint.map(str::to_owned),
            status: span.status,
            code: span.code.map(str::to_owned),
            cache: span.cache,
            rows: span.rows,
            phases: span.phases.iter().map(|(name, _)| *name).collect(),
        });
    }
}

fn service() -> (Service, Arc<Sink>) {
    let sink = Arc::new(Sink::default());
    let mut service = Service::new();
    let app = Arc::into_inner(service.app).unwrap();
    service.app = Arc::new(app.with_spans(Some(Arc::clone(&sink) as _)));
    (service, sink)
}

#[tokio::test]
async fn a_request_is_a_span() {
    let (service, sink) = service();
    let last = || sink.0.lock().unwrap().last().cloned().unwrap();
    let answer = service.get("plain?project=a").await;
    assert!(answer.header("traceresponse").ends_with("-01"));
    let told = last();
    assert_eq!(told.parent, None);
    assert_eq!(told.endpoint.as_deref(), Some("plain"));
    assert_eq!((told.status, told.code.as_deref()), (200, None));
    assert_eq!((told.cache, told.rows), (Some("bypass"), Some(1)));
    assert_eq!(told.phases, ["auth", "compile", "queue", "run", "encode"]);

    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    service.warehouse.next(Deed::Fail);
    let failed = service.get("cached?project=b").await;
    assert!(failed.header("server-timing").contains(", run;dur="));
    let told = last();
    assert_eq!((told.status, told.code.as_deref()), (502, Some("LB504")));
    assert_eq!(told.phases, ["auth", "cache", "compile", "queue", "run"]);

    service.get_with("plain", &[("traceparent", parent)]).await;
    let told = last();
    assert_eq!(told.trace_id, 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736);
    assert_eq!(told.parent.unwrap().id, 0x00f0_67aa_0ba9_02b7);
    assert_eq!((told.status, told.code.as_deref()), (400, Some("LB401")));
}

#[tokio::test]
async fn a_caller_who_leaves_has_one_and_probes_have_none() {
    let (service, sink) = service();
    let count = || sink.0.lock().unwrap().len();
    for path in ["/healthz", "/readyz", "/metrics"] {
        service.get(path).await;
    }
    let silent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
    let answer = service
        .get_with("plain?project=a", &[("traceparent", silent)])
        .await;
    assert!(answer.header("traceresponse").ends_with("-00"));
    assert_eq!(count(), 0);

    service.warehouse.next(Deed::Hang);
    let mut call = Box::pin(service.get("plain?project=a"));
    let begun = service.warehouse.until(|warehouse| warehouse.begun() == 2);
    tokio::select! {
        () = begun => (),
        _ = &mut call => panic!("it hangs"),
    }
    drop(call);
    assert_eq!(count(), 1);
    assert_eq!(sink.0.lock().unwrap()[0].status, 499);
}
