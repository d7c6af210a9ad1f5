//! W3C Trace Context: the trace that a request belongs to.
//!
//! `traceparent` (level 1, section 3.2) is continued when it is well formed and begun when it is not.
//! The answer names our part of the trace in `traceresponse` (level 2), and log lines have both ids.

use hyper::header::{HeaderMap, HeaderName, HeaderValue};

use super::digits::{hexadecimal, hexadecimal_byte};
use super::ids;
use super::span::Parent;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
/// Our part of the trace.
pub(crate) const TRACERESPONSE: HeaderName = HeaderName::from_static("traceresponse");

/// How long the text of a place in a trace is.
const TEXT_BYTES: usize = 55;

/// The place of one request in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trace {
    /// Of the whole trace, never 0.
    trace: u128,
    /// Of this request, never 0.
    span: u64,
    /// The request of which this one is a part.
    parent: Option<Parent>,
    /// The caller's flags; bit 0 says that the trace is recorded.
    flags: u8,
}

impl Trace {
    /// Continues the trace of a request, or begins one.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut values = headers.get_all(TRACEPARENT).iter();
        let sent = values.next().filter(|_| values.next().is_none());
        let parent = sent.and_then(|value| parse(value.to_str().ok()?));
        let begin = || u128::from(ids::bits()) << 64 | u128::from(ids::bits()) | 1;
        let (trace, parent, flags) = match parent {
            Some((trace, parent)) => (trace, Some(parent), u8::from(parent.is_recorded)),
            None => (begin(), None, 0),
        };
        Self {
            trace,
            span: ids::bits() | 1,
            parent,
            flags,
        }
    }

    /// Says whether our part of the trace is recorded.
    pub(crate) fn set_recorded(&mut self, recorded: bool) {
        self.flags = u8::from(recorded);
    }

    /// Returns the id of the trace.
    pub(crate) fn trace_id(&self) -> u128 {
        self.trace
    }

    /// Returns the id of this request.
    pub(crate) fn span_id(&self) -> u64 {
        self.span
    }

    /// Returns the request of which this one is a part.
    pub(crate) fn parent(&self) -> Option<Parent> {
        self.parent
    }

    /// Writes the id of the trace, 32 hexadecimal digits.
    pub(crate) fn write_id(&self, out: &mut Vec<u8>) {
        let [high, low] = [self.trace >> 64, self.trace & u128::from(u64::MAX)];
        for half in [high, low] {
            hexadecimal(u64::try_from(half).unwrap_or_default(), out);
        }
    }

    /// Writes the header of the answer.
    pub(crate) fn write(&self, headers: &mut HeaderMap) {
        let mut text = Vec::with_capacity(TEXT_BYTES);
        self.write_text(&mut text);
        if let Ok(value) = HeaderValue::try_from(text) {
            headers.insert(TRACERESPONSE, value);
        }
    }

    /// Writes version, trace, span and flags as both headers have them.
    pub(crate) fn write_text(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"00-");
        self.write_id(out);
        out.push(b'-');
        hexadecimal(self.span, out);
        out.push(b'-');
        hexadecimal_byte(self.flags, out);
    }
}

/// Returns the id of the trace, and the parent. A later version may have more behind the flags.
fn parse(text: &str) -> Option<(u128, Parent)> {
    let mut parts = text.trim().splitn(5, '-');
    let version = hex(parts.next()?, 2)?;
    let trace = hex(parts.next()?, 32)?;
    let parent = hex(parts.next()?, 16)?;
    let flags = hex(parts.next()?, 2)?;
    let has_more = parts.next().is_some();
    let is_known = version != 0xff && (version > 0 || !has_more);
    if !is_known || trace == 0 || parent == 0 {
        return None;
    }
    // Only the flag that level 1 knows is handed on.
    let parent = Parent {
        id: u64::try_from(parent).ok()?,
        is_recorded: flags & 1 == 1,
    };
    Some((trace, parent))
}

fn hex(text: &str, digits: usize) -> Option<u128> {
    let is_hex = text.len() == digits
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    is_hex.then(|| u128::from_str_radix(text, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_well_formed_parent_is_continued() {
        const ID: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
        for (parent, expected) in [
            (format!("00-{ID}-00f067aa0ba902b7-01"), Some("01")),
            (format!("00-{ID}-00f067aa0ba902b7-02"), Some("00")),
            (
                format!("cc-{ID}-00f067aa0ba902b7-01-what-the-future"),
                Some("01"),
            ),
            (format!("00-{ID}-00f067aa0ba902b7-01-x"), None),
            (format!("ff-{ID}-00f067aa0ba902b7-01"), None),
            (format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)), None),
            (format!("00-{ID}-0000000000000000-01"), None),
            (
                format!("00-{}-00f067aa0ba902b7-01", ID.to_uppercase()),
                None,
            ),
            (format!("00-{ID}-00f067aa0ba902b7"), None),
            (String::new(), None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(TRACEPARENT, HeaderValue::from_str(&parent).unwrap());
            let trace = Trace::of(&headers);
            let written = |write: &dyn Fn(&mut Vec<u8>)| {
                let mut out = Vec::new();
                write(&mut out);
                String::from_utf8(out).unwrap()
            };
            let text = written(&|out| trace.write_text(out));
            assert_eq!(text.len(), TEXT_BYTES, "{text}");
            assert!(
                !text.contains("00f067aa0ba902b7"),
                "the span is ours: {text}"
            );
            let continued = written(&|out| trace.write_id(out)) == ID;
            let part_of = trace.parent().map(|parent| parent.id);
            let expected_id = continued.then_some(0x00f0_67aa_0ba9_02b7);
            assert_eq!(part_of, expected_id, "{parent}");
            assert_eq!(continued, expected.is_some(), "{parent}");
            if let Some(flags) = expected {
                assert!(text.ends_with(flags), "{text}");
            }
            let mut answer = HeaderMap::new();
            trace.write(&mut answer);
            assert_eq!(answer[TRACERESPONSE], text);
        }
    }
}
