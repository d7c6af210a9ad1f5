//! Successful answers: the JSON result, and the headers that every answer has.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::Response;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, VARY};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::error::ApiError;
use crate::warehouse::Rows;

/// The media type of every body.
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");

/// Names the request in logs and error bodies.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// `true` when rows beyond the limit were cut off.
pub(crate) const X_RESULT_TRUNCATED: HeaderName = HeaderName::from_static("x-result-truncated");
/// The parameters that the endpoint does not have.
pub(crate) const X_IGNORED_PARAMETERS: HeaderName = HeaderName::from_static("x-ignored-parameters");
/// How long each phase took.
pub(crate) const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");
const X_CONTENT_TYPE_OPTIONS: HeaderName = HeaderName::from_static("x-content-type-options");

/// The longest `X-Ignored-Parameters`, in bytes.
const IGNORED_BYTES: usize = 1024;

/// What may stand in a listed parameter name as it is; the rest is percent-encoded.
const NAME: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// How long each phase of a request took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Timings {
    /// Checking the token.
    pub(crate) auth: Option<Duration>,
    /// Compiling the query.
    pub(crate) compile: Option<Duration>,
    /// Running it.
    pub(crate) run: Option<Duration>,
    /// Writing the rows.
    pub(crate) encode: Option<Duration>,
    /// What the warehouse bills for, in bytes.
    pub(crate) bytes_billed: Option<u64>,
}

impl Timings {
    /// Returns the `Server-Timing` header: milliseconds of the phases that took place, and what was billed.
    fn header(&self) -> Option<HeaderValue> {
        let phases = [
            ("auth", self.auth),
            ("compile", self.compile),
            ("run", self.run),
            ("encode", self.encode),
        ];
        let billed = self
            .bytes_billed
            .map(|bytes| format!("billed;desc=\"{bytes} bytes\""));
        let parts: Vec<String> = phases
            .iter()
            .filter_map(|(name, time)| {
                time.map(|time| format!("{name};dur={:.3}", time.as_secs_f64() * 1000.0))
            })
            .chain(billed)
            .collect();
        if parts.is_empty() {
            return None;
        }
        HeaderValue::from_str(&parts.join(", ")).ok()
    }
}

/// Writes `{"result":[{column: value, …}, …]}` with every column in every row, in select order.
///
/// # Errors
/// A row that has not one value for each column, which is a fault of the warehouse.
pub(crate) fn encode(rows: &Rows) -> Result<Vec<u8>, ApiError> {
    let fault = |e: serde_json::Error| ApiError::internal(format!("encoding the result: {e}"));
    let keys = rows
        .columns
        .iter()
        .map(|column| serde_json::to_string(column.name.as_str()))
        .collect::<Result<Vec<String>, _>>()
        .map_err(fault)?;
    let mut out = br#"{"result":["#.to_vec();
    for (number, row) in rows.rows.iter().enumerate() {
        if row.len() != keys.len() {
            return Err(ApiError::internal(format!(
                "a row of {} values for {} columns",
                row.len(),
                keys.len()
            )));
        }
        if number > 0 {
            out.push(b',');
        }
        out.push(b'{');
        for (column, (key, value)) in keys.iter().zip(row).enumerate() {
            if column > 0 {
                out.push(b',');
            }
            out.extend_from_slice(key.as_bytes());
            out.push(b':');
            serde_json::to_writer(&mut out, value).map_err(fault)?;
        }
        out.push(b'}');
    }
    out.extend_from_slice(b"]}");
    Ok(out)
}

/// Returns the answer with rows.
pub(crate) fn rows(body: Vec<u8>, truncated: bool, ignored: &[String]) -> Response<Full<Bytes>> {
    let mut response = json(body);
    let headers = response.headers_mut();
    if truncated {
        headers.insert(X_RESULT_TRUNCATED, HeaderValue::from_static("true"));
    }
    if let Some(names) = ignored_parameters(ignored) {
        headers.insert(X_IGNORED_PARAMETERS, names);
    }
    response
}

/// Returns an answer of JSON.
pub(crate) fn json(body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

/// Adds the headers that every answer has.
pub(crate) fn finish(headers: &mut HeaderMap, request_id: &str, timings: &Timings) {
    if let Ok(id) = HeaderValue::from_str(request_id) {
        headers.insert(X_REQUEST_ID, id);
    }
    if let Some(timing) = timings.header() {
        headers.insert(SERVER_TIMING, timing);
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    headers.append(
        VARY,
        HeaderValue::from_static("Accept, Authorization, X-API-KEY"),
    );
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
}

/// Returns the names as a header: percent-encoded, comma separated, as many as fit.
fn ignored_parameters(names: &[String]) -> Option<HeaderValue> {
    let mut list = String::new();
    for name in names {
        let encoded = utf8_percent_encode(name, NAME).to_string();
        let separator = if list.is_empty() { "" } else { ", " };
        if list.len() + separator.len() + encoded.len() > IGNORED_BYTES {
            continue;
        }
        list.push_str(separator);
        list.push_str(&encoded);
    }
    if list.is_empty() {
        return None;
    }
    HeaderValue::from_str(&list).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::compiler::ir::{Column, ColumnName, Type};

    fn columns(names: &[&str]) -> Vec<Column> {
        names
            .iter()
            .map(|name| Column {
                name: ColumnName::new(name),
                ty: Type::String,
            })
            .collect()
    }

    #[test]
    fn every_column_in_every_row_in_select_order() {
        let rows = Rows {
            columns: columns(&["z", "a", "q\"\n"]),
            rows: vec![
                vec![json!(1), json!(null), json!("x\u{2028}")],
                vec![json!([]), json!({"b": [1.5]}), json!("NaN")],
            ],
            truncated: false,
            bytes_billed: None,
        };
        assert_eq!(
            String::from_utf8(encode(&rows).unwrap()).unwrap(),
            "{\"result\":[{\"z\":1,\"a\":null,\"q\\\"\\n\":\"x\u{2028}\"},{\"z\":[],\"a\":{\"b\":[1.5]},\"q\\\"\\n\":\"NaN\"}]}"
        );
        assert_eq!(encode(&Rows::default()).unwrap(), br#"{"result":[]}"#);
    }

    #[test]
    fn a_short_row_is_a_fault_of_ours() {
        let rows = Rows {
            columns: columns(&["a", "b"]),
            rows: vec![vec![json!(1)]],
            truncated: false,
            bytes_billed: None,
        };
        assert!(encode(&rows).unwrap_err().is_server_error());
    }

    #[test]
    fn names_in_headers() {
        #[track_caller]
        fn check(names: &[&str], expected: Option<&str>) {
            let names: Vec<String> = names.iter().map(|&n| n.to_owned()).collect();
            let header = ignored_parameters(&names);
            assert_eq!(
                header.as_ref().map(|h| h.to_str().unwrap()),
                expected,
                "{names:?}"
            );
        }
        check(&[], None);
        check(&["a", "b_c-d.e"], Some("a, b_c-d.e"));
        check(
            &["a b,\r\nX-Evil: é"],
            Some("a%20b%2C%0D%0AX-Evil%3A%20%C3%A9"),
        );
        check(&[&"x".repeat(2000), "short"], Some("short"));
    }

    #[test]
    fn timings() {
        let timings = Timings {
            auth: Some(Duration::from_micros(50)),
            run: Some(Duration::from_millis(12)),
            bytes_billed: Some(10_485_760),
            ..Timings::default()
        };
        assert_eq!(
            timings.header().unwrap(),
            "auth;dur=0.050, run;dur=12.000, billed;desc=\"10485760 bytes\""
        );
        assert_eq!(Timings::default().header(), None);
    }
}
