use super::*;

const SCHEMA: &str = r#"[
    {"name": "timestamp", "type": "TIMESTAMP", "mode": "REQUIRED"},
    {"name": "text", "type": "STRING"},
    {"name": "n", "type": "INTEGER"},
    {"name": "x", "type": "FLOAT"},
    {"name": "b", "type": "BOOLEAN"},
    {"name": "d", "type": "NUMERIC"},
    {"name": "j", "type": "JSON"},
    {"name": "raw", "type": "BYTES"},
    {"name": "tags", "type": "STRING", "mode": "REPEATED"},
    {"name": "metadata", "type": "RECORD", "mode": "REPEATED", "singleton": true, "fields": [
        {"name": "request", "type": "RECORD", "mode": "REPEATED", "singleton": true, "fields": [
            {"name": "status_code", "type": "INTEGER"}]}]},
    {"name": "many", "type": "RECORD", "mode": "REPEATED", "fields": [
        {"name": "k", "type": "STRING"}]}
]"#;

/// Decodes rows that each get a timestamp, and returns them as the engine's results show them.
fn decode(rows: &[&str]) -> Result<Vec<String>, String> {
    let columns = crate::compiler::catalog::parse_schema(SCHEMA)?;
    let mut decoder = Decoder::new(&columns);
    for row in rows {
        let row = row.replacen('{', r#"{"timestamp": 7, "#, 1);
        decoder.push(row.replace(", }", "}").as_bytes())?;
    }
    let batch = decoder.finish().map_err(|e| e.to_string())?;
    let shown = super::super::super::rows::encode(&columns, &batch).map_err(|e| e.to_string())?;
    Ok(shown
        .into_iter()
        .map(|values| {
            columns
                .iter()
                .zip(values)
                .skip(1)
                .filter(|(_, v)| !v.is_null() && *v != serde_json::json!([]))
                .map(|(c, v)| format!("{}={v}", c.name))
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect())
}

#[track_caller]
fn check(row: &str, expected: &str) {
    assert_eq!(decode(&[row]), Ok(vec![expected.to_owned()]), "{row}");
}

#[track_caller]
fn refuse(row: &str, expected: &str) {
    assert_eq!(decode(&[row]), Err(expected.to_owned()), "{row}");
}

#[test]
fn values_are_kept_exactly() {
    for (row, expected) in [
        (r"{}", ""),
        (r#"{"text":"é\n"}"#, r#"text="é\n""#),
        (r#"{"n":-9223372036854775808}"#, "n=-9223372036854775808"),
        (r#"{"n":"42","TEXT":"a"}"#, r#"text="a" n=42"#),
        (r#"{"x":0.1}"#, "x=0.1"),
        (r#"{"x":7}"#, "x=7.0"),
        (r#"{"x":"NaN"}"#, r#"x="NaN""#),
        (r#"{"x":"-Infinity","b":false}"#, r#"x="-Infinity" b=false"#),
        (r#"{"d":12.50}"#, r#"d="12.5""#),
        (r#"{"d":"-0.000000001"}"#, r#"d="-0.000000001""#),
        (r#"{"d":1e3}"#, r#"d="1000""#),
        (r#"{"j":{"a":[1,null]}}"#, r#"j={"a":[1,null]}"#),
        (r#"{"raw":"/wA="}"#, r#"raw="/wA=""#),
        (r#"{"tags":["a","b"]}"#, r#"tags=["a","b"]"#),
        (r#"{"many":{"k":"v"}}"#, r#"many=[{"k":"v"}]"#),
        (
            r#"{"many":[{"k":"v"},{}]}"#,
            r#"many=[{"k":"v"},{"k":null}]"#,
        ),
        (
            r#"{"metadata":{"request":{"status_code":200}}}"#,
            r#"metadata=[{"request":[{"status_code":200}]}]"#,
        ),
        (
            r#"{"metadata":[{"request":[{"status_code":200}]}]}"#,
            r#"metadata=[{"request":[{"status_code":200}]}]"#,
        ),
        (
            r#"{"metadata":[{"request":[]}]}"#,
            r#"metadata=[{"request":[]}]"#,
        ),
        (r#"{"metadata":[]}"#, ""),
        (r#"{"metadata":null}"#, ""),
    ] {
        check(row, expected);
    }
}

#[test]
fn a_value_of_another_type_is_refused_with_its_path() {
    for (row, expected) in [
        (
            r#"{"metadata":{"request":{"status_code":"abc"}}}"#,
            r#"metadata.request.status_code: expected INT64, found "abc""#,
        ),
        (r#"{"n":1.5}"#, "n: expected INT64, found 1.5"),
        (
            r#"{"n":9223372036854775808}"#,
            "n: expected INT64, found 9223372036854775808",
        ),
        (r#"{"text":5}"#, "text: expected STRING, found 5"),
        (r#"{"text":true}"#, "text: expected STRING, found true"),
        (r#"{"text":{}}"#, "text: expected STRING, found an object"),
        (r#"{"x":"abc"}"#, r#"x: expected FLOAT64, found "abc""#),
        (
            r#"{"d":0.0000000001}"#,
            "d: expected NUMERIC, found 0.0000000001",
        ),
        (r#"{"tags":"a"}"#, r#"tags: expected an array, found "a""#),
        (
            r#"{"tags":["a",null]}"#,
            "tags[1]: an array cannot hold null",
        ),
        (r#"{"tags":["a",1]}"#, "tags[1]: expected STRING, found 1"),
        (r#"{"n":1,"n":2}"#, "n: the field is there twice"),
        (
            r#"{"metadata":"x"}"#,
            r#"metadata: expected an object, or an array of at most one object, found "x""#,
        ),
        (
            r#"{"metadata":{"request":[{},{}]}}"#,
            "metadata.request: holds more than one element, but the stream's schema marks the \
             record as `singleton`: split the row in two, or remove `singleton` from the field \
             and import the stream's files again",
        ),
    ] {
        refuse(row, expected);
    }
}

#[test]
fn rows_may_differ_in_their_fields() {
    assert_eq!(
        decode(&[
            r#"{"n":1}"#,
            "{}",
            r#"{"metadata":{"request":{"status_code":1}},"tags":["a"]}"#,
            r#"{"text":"late"}"#,
            r#"{"metadata":[{}],"many":[{"k":"v"}]}"#,
        ]),
        Ok(vec![
            "n=1".into(),
            String::new(),
            r#"tags=["a"] metadata=[{"request":[{"status_code":1}]}]"#.into(),
            r#"text="late""#.into(),
            r#"metadata=[{"request":[]}] many=[{"k":"v"}]"#.into(),
        ])
    );
}

#[test]
fn the_timestamp_is_required() {
    let columns = crate::compiler::catalog::parse_schema(SCHEMA).unwrap();
    for (row, expected) in [
        ("{}", "timestamp: is required and missing"),
        (
            r#"{"timestamp":null}"#,
            "timestamp: is required and missing",
        ),
        (
            r#"{"timestamp":"yesterday"}"#,
            "timestamp: expected TIMESTAMP as RFC 3339 text or integer microseconds, found \"yesterday\"",
        ),
        ("[]", "expected one JSON object a line, found an array"),
        ("3", "expected one JSON object a line, found 3"),
        (
            r#"{"timestamp":1"#,
            "column 14: not JSON: EOF while parsing an object",
        ),
        (
            r#"{"timestamp":1} x"#,
            "column 17: not JSON: trailing characters",
        ),
    ] {
        let message = Decoder::new(&columns).push(row.as_bytes()).unwrap_err();
        assert_eq!(message, expected, "{row}");
    }
}

#[test]
fn unknown_fields_are_counted_by_path() {
    let columns = crate::compiler::catalog::parse_schema(SCHEMA).unwrap();
    let mut decoder = Decoder::new(&columns);
    for _ in 0..2 {
        decoder
            .push(br#"{"timestamp":1,"new":{"a":1},"metadata":{"request":{"zone":"x"}}}"#)
            .unwrap();
    }
    let unknown = decoder.take_unknown();
    assert_eq!(
        unknown.paths.into_iter().collect::<Vec<_>>(),
        [("metadata.request.zone".into(), 2), ("new".into(), 2)]
    );
}
