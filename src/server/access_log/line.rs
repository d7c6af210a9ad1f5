//! The text of a line of the access log.
//!
//! It is what `tracing-subscriber` makes of an event with these fields, written without its machinery: one line for
//! each request is most of what a server under load has to log.

use std::cell::Cell;

use crate::server::digits::{decimal, padded};

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
    /// What a [`Subject`] has written in the same form.
    pub(super) subject: &'a [u8],
    pub(super) status: u16,
    pub(super) millis: u64,
    pub(super) cache: &'a str,
    pub(super) rows: u64,
    pub(super) bytes: u64,
    /// As `Server-Timing` has them.
    pub(super) phases: &'a [u8],
    pub(super) bytes_billed: u64,
    /// Letters, digits and some signs.
    pub(super) request_id: &'a [u8],
    /// Hexadecimal digits.
    pub(super) trace_id: &'a [u8],
}

/// What a line tells of who asks for what: the part that is the same in many lines.
pub(super) struct Subject<'a> {
    pub(super) method: &'a str,
    pub(super) route: &'a str,
    pub(super) endpoint: &'a str,
    pub(super) token: &'a str,
}

/// What stands before the time, before each value in the order of [`Subject`] and [`Line`], and at the end.
struct Frame {
    begin: &'static str,
    subject: [&'static str; 4],
    before: [&'static str; 9],
    end: &'static str,
}

/// Every value but numbers and phases is quoted; for programs, phases are too.
macro_rules! frame {
    ($begin:literal, $level:expr, $before:literal, $after:literal, $phase:literal, $end:literal) => {
        Frame {
            begin: $begin,
            subject: [
                concat!($level, $before, "method", $after, "\""),
                concat!("\"", $before, "route", $after, "\""),
                concat!("\"", $before, "endpoint", $after, "\""),
                concat!("\"", $before, "token", $after, "\""),
            ],
            before: [
                concat!("\"", $before, "status", $after),
                concat!($before, "ms", $after),
                concat!($before, "cache", $after, "\""),
                concat!("\"", $before, "rows", $after),
                concat!($before, "bytes", $after),
                concat!($before, "phases", $after, $phase),
                concat!($phase, $before, "bytes_billed", $after),
                concat!($before, "request_id", $after, "\""),
                concat!("\"", $before, "trace_id", $after, "\""),
            ],
            end: $end,
        }
    };
}

static PLAIN: Frame = frame!("", "  INFO access: request", " ", "=", "", "\"\n");
static COLOURED: Frame = frame!(
    "\x1b[2m",
    "\x1b[0m \x1b[32m INFO\x1b[0m \x1b[2maccess\x1b[0m\x1b[2m:\x1b[0m request",
    " \x1b[3m",
    "\x1b[0m\x1b[2m=\x1b[0m",
    "",
    "\"\n"
);
static JSON: Frame = frame!(
    "{\"timestamp\":\"",
    "\",\"level\":\"INFO\",\"message\":\"request\"",
    ",\"",
    "\":",
    "\"",
    "\",\"target\":\"access\"}\n"
);

/// A value of a field.
enum Value<'a> {
    /// Any text.
    Text(&'a str),
    /// Text that holds nothing to escape.
    Plain(&'a [u8]),
    Number(u64),
}

impl Form {
    fn frame(self) -> &'static Frame {
        match self {
            Self::Text { colours: false } => &PLAIN,
            Self::Text { colours: true } => &COLOURED,
            Self::Json => &JSON,
        }
    }
}

impl Subject<'_> {
    /// Writes this part of a line.
    pub(super) fn write(&self, form: Form, out: &mut Vec<u8>) {
        let Self {
            method,
            route,
            endpoint,
            token,
        } = *self;
        let values = [
            Value::Text(method),
            Value::Plain(route.as_bytes()),
            Value::Text(endpoint),
            Value::Text(token),
        ];
        for (before, value) in form.frame().subject.iter().zip(values) {
            out.extend_from_slice(before.as_bytes());
            value.write(form, out);
        }
    }
}

impl Line<'_> {
    /// Writes the line with its end.
    pub(super) fn write(&self, form: Form, out: &mut Vec<u8>) {
        let Self {
            micros,
            subject,
            status,
            millis,
            cache,
            rows,
            bytes,
            phases,
            bytes_billed,
            request_id,
            trace_id,
        } = *self;
        let frame = form.frame();
        out.extend_from_slice(frame.begin.as_bytes());
        write_time(micros, out);
        out.extend_from_slice(subject);
        let values = [
            Value::Number(status.into()),
            Value::Number(millis),
            Value::Plain(cache.as_bytes()),
            Value::Number(rows),
            Value::Number(bytes),
            Value::Plain(phases),
            Value::Number(bytes_billed),
            Value::Plain(request_id),
            Value::Plain(trace_id),
        ];
        for (before, value) in frame.before.iter().zip(values) {
            out.extend_from_slice(before.as_bytes());
            value.write(form, out);
        }
        out.extend_from_slice(frame.end.as_bytes());
    }
}

impl Value<'_> {
    fn write(&self, form: Form, out: &mut Vec<u8>) {
        match *self {
            Self::Number(number) => decimal(number, out),
            Self::Plain(text) => out.extend_from_slice(text),
            Self::Text(text) if text.bytes().all(is_plain) => {
                out.extend_from_slice(text.as_bytes());
            }
            Self::Text(text) => {
                let quoted = match form {
                    Form::Json => serde_json::Value::from(text).to_string(),
                    Form::Text { .. } => format!("{text:?}"),
                };
                let escaped = quoted.get(1..quoted.len() - 1).unwrap_or_default();
                out.extend_from_slice(escaped.as_bytes());
            }
        }
    }
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
    padded(micros % 1_000_000, 6, out);
    out.push(b'Z');
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

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
                        trace_id = "00ff",
                        "request"
                    );
                });
                let subject = Subject {
                    method: "GET",
                    route: "/healthz",
                    endpoint,
                    token: "-",
                };
                let mut written = Vec::new();
                subject.write(form, &mut written);
                let line = Line {
                    micros: 1_773_572_407_000_123,
                    subject: &written,
                    status: 200,
                    millis: 3,
                    cache: "hit",
                    rows: 60,
                    bytes: 10_240,
                    phases: phases.as_bytes(),
                    bytes_billed: 0,
                    request_id: b"abc",
                    trace_id: b"00ff",
                };
                let mut ours = Vec::new();
                line.write(form, &mut ours);
                let theirs = kept.0.lock().unwrap().clone();
                assert_eq!(
                    String::from_utf8_lossy(&ours),
                    String::from_utf8_lossy(&theirs),
                    "{form:?}"
                );
            }
        }
    }
}
