//! Media types of results, and writing rows in each.

use hyper::header::{ACCEPT, HeaderMap, HeaderValue};
use serde_json::Value;

use super::accept;
use crate::server::error::{ApiError, Fault};
use crate::warehouse::Rows;

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// `{"result":[{column: value, …}, …]}`.
    Json,
    /// One JSON object a line.
    NdJson,
    /// RFC 4180 with a line of names. NULL is an empty field; records and arrays are JSON text.
    Csv,
}

impl Format {
    /// Every format, the one that is answered to callers without a wish first.
    const ALL: [Self; 3] = [Self::Json, Self::NdJson, Self::Csv];

    /// Returns the format that the caller likes best (RFC 9110, section 12.5.1: of the ranges that
    /// match a type, the most specific decides).
    ///
    /// # Errors
    /// None of them is accepted.
    pub(crate) fn negotiate(headers: &HeaderMap) -> Result<Self, ApiError> {
        let accepted = accept::preferences(headers, &ACCEPT);
        if accepted.is_empty() {
            return Ok(Self::Json);
        }
        let quality = |format: Self| accept::quality(&accepted, format.ranges()).unwrap_or(0);
        Self::ALL
            .into_iter()
            .rev()
            .max_by_key(|format| quality(*format))
            .filter(|format| quality(*format) > 0)
            .ok_or_else(|| {
                ApiError::new(
                    Fault::NotAcceptable,
                    "results are given as application/json, application/x-ndjson or text/csv",
                )
            })
    }

    /// Returns the word for keys.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::NdJson => "ndjson",
            Self::Csv => "csv",
        }
    }

    /// Returns what a caller may write to mean this type, the most specific first.
    fn ranges(self) -> &'static [&'static str] {
        match self {
            Self::Json => &["application/json", "application/*", "*/*", "*"],
            Self::NdJson => &["application/x-ndjson", "application/*", "*/*", "*"],
            Self::Csv => &["text/csv", "text/*", "*/*", "*"],
        }
    }

    /// Returns the value of `Content-Type`.
    pub(crate) fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Json => "application/json; charset=utf-8",
            Self::NdJson => "application/x-ndjson; charset=utf-8",
            Self::Csv => "text/csv; charset=utf-8; header=present",
        })
    }

    /// Writes rows in at most `limit` bytes, every column in every row, in select order.
    ///
    /// # Errors
    /// More bytes than that; a row that has not one value for each column, which is a fault of the
    /// warehouse.
    pub(crate) fn encode(self, rows: &Rows, limit: usize) -> Result<Vec<u8>, ApiError> {
        check_widths(rows)?;
        match self {
            Self::Json => json(rows, limit),
            Self::NdJson => lines(rows, limit),
            Self::Csv => csv(rows, limit),
        }
    }
}

fn check_widths(rows: &Rows) -> Result<(), ApiError> {
    let width = rows.columns.len();
    match rows.rows.iter().find(|row| row.len() != width) {
        None => Ok(()),
        Some(row) => Err(ApiError::internal(format!(
            "a row of {} values for {width} columns",
            row.len()
        ))),
    }
}

fn json(rows: &Rows, limit: usize) -> Result<Vec<u8>, ApiError> {
    let keys = keys(rows)?;
    let mut out = br#"{"result":["#.to_vec();
    for (number, row) in rows.rows.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        object(&mut out, &keys, row)?;
        check_length(&out, limit)?;
    }
    out.extend_from_slice(b"]}");
    Ok(out)
}

fn lines(rows: &Rows, limit: usize) -> Result<Vec<u8>, ApiError> {
    let keys = keys(rows)?;
    let mut out = Vec::new();
    for row in &rows.rows {
        object(&mut out, &keys, row)?;
        out.push(b'\n');
        check_length(&out, limit)?;
    }
    Ok(out)
}

/// Returns the names of the columns as JSON strings.
fn keys(rows: &Rows) -> Result<Vec<String>, ApiError> {
    rows.columns
        .iter()
        .map(|column| serde_json::to_string(column.name.as_str()).map_err(fault))
        .collect()
}

fn object(out: &mut Vec<u8>, keys: &[String], row: &[Value]) -> Result<(), ApiError> {
    out.push(b'{');
    for (column, (key, value)) in keys.iter().zip(row).enumerate() {
        if column > 0 {
            out.push(b',');
        }
        out.extend_from_slice(key.as_bytes());
        out.push(b':');
        serde_json::to_writer(&mut *out, value).map_err(fault)?;
    }
    out.push(b'}');
    Ok(())
}

fn csv(rows: &Rows, limit: usize) -> Result<Vec<u8>, ApiError> {
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(Vec::new());
    let names = rows.columns.iter().map(|column| column.name.as_str());
    writer.write_record(names).map_err(fault)?;
    for row in &rows.rows {
        for value in row {
            match value {
                Value::Null => writer.write_field(""),
                Value::String(text) => writer.write_field(text),
                Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                    writer.write_field(value.to_string())
                }
            }
            .map_err(fault)?;
        }
        writer.write_record(None::<&[u8]>).map_err(fault)?;
        check_length(writer.get_ref(), limit)?;
    }
    let out = writer.into_inner().map_err(fault)?;
    check_length(&out, limit)?;
    Ok(out)
}

fn check_length(out: &[u8], limit: usize) -> Result<(), ApiError> {
    if out.len() <= limit {
        return Ok(());
    }
    Err(ApiError::new(
        Fault::ResultTooLarge,
        format!("the result is longer than {limit} bytes (server.max_result_bytes)"),
    )
    .help("select fewer columns, or set a lower LIMIT"))
}

fn fault(error: impl std::fmt::Display) -> ApiError {
    ApiError::internal(format!("encoding the result: {error}"))
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

    fn rows() -> Rows {
        Rows {
            columns: columns(&["z", "a", "q\"\n"]),
            rows: vec![
                vec![json!(1), json!(null), json!("x\u{2028},\"y\"")],
                vec![json!([]), json!({"b": [1.5]}), json!("NaN")],
            ],
            truncated: false,
            bytes_billed: None,
        }
    }

    #[track_caller]
    fn check(format: Format, rows: &Rows, expected: &str) {
        let bytes = format.encode(rows, 1000).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), expected, "{format:?}");
    }

    #[test]
    fn every_column_in_every_row_in_select_order() {
        check(
            Format::Json,
            &rows(),
            "{\"result\":[{\"z\":1,\"a\":null,\"q\\\"\\n\":\"x\u{2028},\\\"y\\\"\"},{\"z\":[],\"a\":{\"b\":[1.5]},\"q\\\"\\n\":\"NaN\"}]}",
        );
        check(
            Format::NdJson,
            &rows(),
            "{\"z\":1,\"a\":null,\"q\\\"\\n\":\"x\u{2028},\\\"y\\\"\"}\n{\"z\":[],\"a\":{\"b\":[1.5]},\"q\\\"\\n\":\"NaN\"}\n",
        );
        check(
            Format::Csv,
            &rows(),
            "z,a,\"q\"\"\n\"\r\n1,,\"x\u{2028},\"\"y\"\"\"\r\n[],\"{\"\"b\"\":[1.5]}\",NaN\r\n",
        );
    }

    #[test]
    fn no_rows() {
        let none = Rows {
            columns: columns(&["a", "b"]),
            ..Rows::default()
        };
        check(Format::Json, &none, r#"{"result":[]}"#);
        check(Format::NdJson, &none, "");
        check(Format::Csv, &none, "a,b\r\n");
    }

    #[test]
    fn a_short_row_is_a_fault_of_ours() {
        for format in Format::ALL {
            let rows = Rows {
                columns: columns(&["a", "b"]),
                rows: vec![vec![json!(1)]],
                truncated: false,
                bytes_billed: None,
            };
            assert!(format.encode(&rows, 1000).unwrap_err().is_server_error());
        }
    }

    #[test]
    fn a_result_beyond_its_bytes_is_refused() {
        let many = Rows {
            columns: columns(&["a"]),
            rows: vec![vec![json!("0123456789")]; 1000],
            truncated: false,
            bytes_billed: None,
        };
        for format in Format::ALL {
            assert!(format.encode(&many, 100_000).is_ok(), "{format:?}");
            let error = format.encode(&many, 5_000).unwrap_err();
            assert_eq!(error.codes(), "LB611", "{format:?}");
        }
    }

    #[test]
    fn negotiation() {
        #[track_caller]
        fn check(accept: &[&'static str], expected: Option<Format>) {
            let mut headers = HeaderMap::new();
            for value in accept {
                headers.append(ACCEPT, HeaderValue::from_static(value));
            }
            assert_eq!(Format::negotiate(&headers).ok(), expected, "{accept:?}");
        }
        check(&[], Some(Format::Json));
        check(&[""], Some(Format::Json));
        check(&["*/*"], Some(Format::Json));
        check(&["application/json"], Some(Format::Json));
        check(
            &["application/json;charset=utf-8;q=0.2"],
            Some(Format::Json),
        );
        check(&["text/html, application/*;q=0.5"], Some(Format::Json));
        check(&["text/html", "*/*;q=0.1"], Some(Format::Json));
        check(&["text/csv"], Some(Format::Csv));
        check(&["text/*"], Some(Format::Csv));
        check(&["Application/X-NDJSON"], Some(Format::NdJson));
        check(&["text/csv;q=0.5, application/json"], Some(Format::Json));
        check(&["text/csv, application/json;q=0.5"], Some(Format::Csv));
        check(&["*/*, application/json;q=0.1"], Some(Format::NdJson));
        check(&["application/json;q=0, */*;q=0.1"], Some(Format::NdJson));
        check(&["application/json;q=0"], None);
        check(&["text/html"], None);
        check(&["application/json;q=nonsense"], None);
    }
}
