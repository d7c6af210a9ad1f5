//! The text of a line of the access log.
//!
//! It is what `tracing-subscriber` makes of an event with these fields, written without its machinery: one line for
//! each request is most of what a server under load has to log.

use std::cell::Cell;

use super::RequestId;
use crate::server::digits::{decimal, fixed};
use crate::server::response::Timings;
use crate::server::trace::Trace;

/// How lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people.
    Text {
        /// Whether the terminal shows colours.
        colours: bool,
    },
    /// One JSON object a line.
    Json,
}

/// What a line tells of a request.
pub(super) struct Line<'a> {
    /// When the answer was there, in microseconds since the Unix epoch.
    pub(super) micros: u64,
    pub(super) subject: Subject<'a>,
    pub(super) status: u16,
    pub(super) millis: u64,
    /// A word.
    pub(super) cache: &'static str,
    pub(super) rows: u64,
    pub(super) bytes: u64,
    pub(super) timings: &'a Timings,
    pub(super) request_id: &'a RequestId,
    pub(super) trace: &'a Trace,
}

/// What a line tells of who asks for what: the part that is the same in many lines.
#[derive(Clone, Copy)]
pub(super) enum Subject<'a> {
    Parts {
        method: &'a str,
        route: &'static str,
        endpoint: &'a str,
        token: &'a str,
    },
    /// As it was [written](Self::write) before in the same form.
    Written(&'a [u8]),
}

impl Line<'_> {
    /// Writes the line with its end.
    pub(super) fn write(&self, form: Form, out: &mut Vec<u8>) {
        match form {
            Form::Text { colours: false } => plain::line(self, out),
            Form::Text { colours: true } => coloured::line(self, out),
            Form::Json => json::line(self, out),
        }
    }
}

impl Subject<'_> {
    /// Writes this part of a line.
    pub(super) fn write(self, form: Form, out: &mut Vec<u8>) {
        match form {
            Form::Text { colours: false } => plain::subject(self, out),
            Form::Text { colours: true } => coloured::subject(self, out),
            Form::Json => json::subject(self, out),
        }
    }
}

/// Makes what writes in one form, from how it escapes a text and from what it has before and after the time, before and
/// after the name of a field, around the phases, and at the end. Every value but numbers and phases is quoted.
///
/// What stands between the values is a literal where it is written: to copy what has a known length needs no call, and
/// a line has many parts.
macro_rules! form {
    (
        $form:ident, $escape:ident,
        $begin:literal, $level:expr, $before:literal, $after:literal, $phase:literal, $end:literal
    ) => {
        mod $form {
            use super::{Line, Subject, decimal, write_text, write_time};

            pub(super) fn subject(subject: Subject<'_>, out: &mut Vec<u8>) {
                let (method, route, endpoint, token) = match subject {
                    Subject::Written(text) => return out.extend_from_slice(text),
                    Subject::Parts {
                        method,
                        route,
                        endpoint,
                        token,
                    } => (method, route, endpoint, token),
                };
                for (before, text) in [
                    (concat!($level, $before, "method", $after, "\""), method),
                    (concat!("\"", $before, "route", $after, "\""), route),
                    (concat!("\"", $before, "endpoint", $after, "\""), endpoint),
                    (concat!("\"", $before, "token", $after, "\""), token),
                ] {
                    out.extend_from_slice(before.as_bytes());
                    write_text(text, super::$escape, out);
                }
            }

            pub(super) fn line(line: &Line<'_>, out: &mut Vec<u8>) {
                out.extend_from_slice($begin.as_bytes());
                write_time(line.micros, out);
                subject(line.subject, out);
                out.extend_from_slice(concat!("\"", $before, "status", $after).as_bytes());
                decimal(line.status.into(), out);
                out.extend_from_slice(concat!($before, "ms", $after).as_bytes());
                decimal(line.millis, out);
                out.extend_from_slice(concat!($before, "cache", $after, "\"").as_bytes());
                out.extend_from_slice(line.cache.as_bytes());
                out.extend_from_slice(concat!("\"", $before, "rows", $after).as_bytes());
                decimal(line.rows, out);
                out.extend_from_slice(concat!($before, "bytes", $after).as_bytes());
                decimal(line.bytes, out);
                out.extend_from_slice(concat!($before, "phases", $after, $phase).as_bytes());
                line.timings.write(out);
                out.extend_from_slice(concat!($phase, $before, "bytes_billed", $after).as_bytes());
                decimal(line.timings.bytes_billed.unwrap_or(0), out);
                out.extend_from_slice(concat!($before, "request_id", $after, "\"").as_bytes());
                line.request_id.write(out);
                out.extend_from_slice(concat!("\"", $before, "trace_id", $after, "\"").as_bytes());
                line.trace.write_id(out);
                out.extend_from_slice($end.as_bytes());
            }
        }
    };
}

form!(
    plain,
    escape_for_people,
    "",
    "  INFO access: request",
    " ",
    "=",
    "",
    "\"\n"
);
form!(
    coloured,
    escape_for_people,
    "\x1b[2m",
    "\x1b[0m \x1b[32m INFO\x1b[0m \x1b[2maccess\x1b[0m\x1b[2m:\x1b[0m request",
    " \x1b[3m",
    "\x1b[0m\x1b[2m=\x1b[0m",
    "",
    "\"\n"
);
form!(
    json,
    escape_for_programs,
    "{\"timestamp\":\"",
    "\",\"level\":\"INFO\",\"message\":\"request\"",
    ",\"",
    "\":",
    "\"",
    "\",\"target\":\"access\"}\n"
);

/// Writes any text; `escape` quotes one that has to be escaped.
fn write_text(text: &str, escape: impl FnOnce(&str) -> String, out: &mut Vec<u8>) {
    if text.bytes().all(is_plain) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    let quoted = escape(text);
    let escaped = quoted.get(1..quoted.len() - 1).unwrap_or_default();
    out.extend_from_slice(escaped.as_bytes());
}

fn escape_for_people(text: &str) -> String {
    format!("{text:?}")
}

fn escape_for_programs(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\'
}

/// Writes an instant as RFC 3339 has it, in UTC and to the microsecond.
fn write_time(micros: u64, out: &mut Vec<u8>) {
    /// `2026-03-15T11:00:00`
    const SECOND_BYTES: usize = 19;
    thread_local! {
        /// The second that was written last, and its text.
        static SECOND: Cell<(u64, [u8; SECOND_BYTES])> = const { Cell::new((u64::MAX, [0; SECOND_BYTES])) };
    }
    let second = micros / 1_000_000;
    let (last, mut text) = SECOND.get();
    if last != second {
        let time = i64::try_from(second).ok();
        let time = time.and_then(|second| jiff::Timestamp::from_second(second).ok());
        let time = time.unwrap_or_default().to_string();
        let known = time.as_bytes().first_chunk();
        text = *known.unwrap_or(b"0000-00-00T00:00:00");
        SECOND.set((second, text));
    }
    out.extend_from_slice(&text);
    out.push(b'.');
    out.extend_from_slice(&fixed::<6>(micros % 1_000_000));
    out.push(b'Z');
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use hyper::HeaderMap;
    use hyper::header::HeaderValue;
    use tracing_subscriber::fmt::time::FormatTime;

    use super::*;

    /// What is logged.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A clock that stands.
    struct Stopped;

    impl FormatTime for Stopped {
        fn format_time(
            &self,
            w: &mut tracing_subscriber::fmt::format::Writer<'_>,
        ) -> std::fmt::Result {
            write!(w, "2026-03-15T11:00:07.000123Z")
        }
    }

    #[test]
    fn lines_are_those_of_the_other_events() {
        let trace = Trace::of(&HeaderMap::new());
        for endpoint in ["logs.all", "a \"b\" \\ \u{1b}[31m ü\n"] {
            for form in [
                Form::Text { colours: false },
                Form::Text { colours: true },
                Form::Json,
            ] {
                let kept = Kept::default();
                let writer = kept.clone();
                let log = tracing_subscriber::fmt()
                    .with_timer(Stopped)
                    .with_writer(move || writer.clone());
                let log: Box<dyn tracing::Subscriber + Send + Sync> = match form {
                    Form::Text { colours } => Box::new(log.with_ansi(colours).finish()),
                    Form::Json => Box::new(log.json().flatten_event(true).finish()),
                };
                let phases = "auth;dur=0.012, run;dur=3.000";
                let timings = Timings {
                    auth: Some(Duration::from_micros(12)),
                    run: Some(Duration::from_millis(3)),
                    ..Timings::default()
                };
                let mut trace_id = Vec::new();
                trace.write_id(&mut trace_id);
                tracing::subscriber::with_default(log, || {
                    tracing::info!(
                        target: "access",
                        method = "GET",
                        route = "/healthz",
                        endpoint,
                        token = "-",
                        status = 200_u16,
                        ms = 3_u64,
                        cache = "hit",
                        rows = 60_usize,
                        bytes = 10_240_u64,
                        phases = %phases,
                        bytes_billed = 0_u64,
                        request_id = "abc",
                        trace_id = std::str::from_utf8(&trace_id).unwrap(),
                        "request"
                    );
                });
                let subject = Subject::Parts {
                    method: "GET",
                    route: "/healthz",
                    endpoint,
                    token: "-",
                };
                let mut written = Vec::new();
                subject.write(form, &mut written);
                let theirs = kept.0.lock().unwrap().clone();
                for subject in [subject, Subject::Written(&written)] {
                    let line = Line {
                        micros: 1_773_572_407_000_123,
                        subject,
                        status: 200,
                        millis: 3,
                        cache: "hit",
                        rows: 60,
                        bytes: 10_240,
                        timings: &timings,
                        request_id: &RequestId::Sent(HeaderValue::from_static("abc")),
                        trace: &trace,
                    };
                    let mut ours = Vec::new();
                    line.write(form, &mut ours);
                    assert_eq!(
                        String::from_utf8_lossy(&ours),
                        String::from_utf8_lossy(&theirs),
                        "{form:?}"
                    );
                }
            }
        }
    }
}
