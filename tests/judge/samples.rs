//! Arguments that hurt: NULL, empty, zero, negative, the ends of each range, text outside of ASCII, NUL, quotes
//! and backslashes, JSON and what only looks like it, changes of the clock and leap days.

use logboom::compiler::analyze::functions::{Arg, Function, T};

/// Returns whether an argument is written out in the call, not read from a row.
pub fn is_literal(arg: &Arg) -> bool {
    matches!(
        arg,
        Arg::LiteralInt(_)
            | Arg::LiteralString
            | Arg::Pattern
            | Arg::BytesPattern
            | Arg::Part(_)
            | Arg::Interval(_)
            | Arg::Constant(_)
            | Arg::AnyConstant
            | Arg::Fraction(_)
            | Arg::Named(..)
            | Arg::Mode
    )
}

/// Returns values for an argument as GoogleSQL texts.
pub fn of(function: &Function, index: usize, arg: &Arg) -> Vec<String> {
    if let Some(special) = special(function.name, index, arg) {
        return texts(special);
    }
    match arg {
        Arg::Of(ty) | Arg::NoLiteral(ty) => of_type(*ty),
        Arg::Any | Arg::Orderable | Arg::FreeOrderable => {
            texts(&["'b'", "'a'", "''", "'Grüße'", "CAST(NULL AS STRING)", "'a'"])
        }
        Arg::Free => texts(&["1", "-3", "9007199254740993", "CAST(NULL AS INT64)"]),
        Arg::AnyArray => texts(&["[2, 1]", "[3]", "CAST([] AS ARRAY<INT64>)"]),
        Arg::ArrayOf(ty) => vec![
            format!("[{}]", of_type(*ty)[0]),
            format!("[{}, {}]", of_type(*ty)[1], of_type(*ty)[2]),
            format!("CAST([] AS ARRAY<{}>)", ty.ty()),
        ],
        Arg::ArrayOfAny => texts(&["['a', 'b', 'c']", "['b']", "CAST([] AS ARRAY<STRING>)"]),
        Arg::Part(parts) => parts.iter().map(|part| part.as_str().to_owned()).collect(),
        Arg::Interval(parts) => parts
            .iter()
            .flat_map(|part| [1, 7].map(|count| format!("INTERVAL {count} {}", part.as_str())))
            .collect(),
        Arg::Pattern => texts(&["r'[a-c]'", "r'(.)$'", "r'^'", "r'(?i)GR(?:Ü|ü)'", "r'x*'"]),
        Arg::BytesPattern => texts(&[
            r"br'[\x80-\xff]'",
            r"br'(?i)G(.)\xc3'",
            r"br'^'",
            r"br'\x00|(?s).$'",
            r"br'[^\w\n]*'",
            r"br'(?i)[a-c\xe9]|\xfc+?|\b[[:upper:]]'",
        ]),
        Arg::LiteralString => texts(&["'$'", "'$.a'", "'$.a[0]'", "'$.b.c'", "'$[0]'"]),
        Arg::LiteralInt(_) => texts(&["2", "1", "5"]),
        Arg::AnyConstant => texts(&["'none'"]),
        Arg::Constant(ty) => constants(*ty, index),
        Arg::Fraction(ty @ (T::Numeric | T::BigNumeric)) => ["0.3", "0", "1", "0.5"]
            .map(|value| format!("{} '{value}'", ty.ty()))
            .into(),
        Arg::Fraction(_) => texts(&["0.3", "0", "1", "0.5"]),
        Arg::Named(name, ty) => named(name, *ty),
        Arg::Mode => texts(&["NFC", "NFKC", "NFD", "NFKD"]),
    }
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

pub fn of_type(ty: T) -> Vec<String> {
    texts(match ty {
        T::Bool => &["TRUE", "FALSE", "CAST(NULL AS BOOL)"],
        T::Int64 => &[
            "1",
            "0",
            "-1",
            "3",
            "-9223372036854775808",
            "9223372036854775807",
            "65",
            "CAST(NULL AS INT64)",
        ],
        T::Float64 => &[
            "1.5",
            "0.0",
            "-2.5",
            "1e308",
            "5e-324",
            "CAST('nan' AS FLOAT64)",
            "CAST('inf' AS FLOAT64)",
            "CAST('-inf' AS FLOAT64)",
            "100.0",
            "0.1",
            "CAST(NULL AS FLOAT64)",
        ],
        T::Numeric => &[
            "NUMERIC '1.5'",
            "NUMERIC '0'",
            "NUMERIC '-2.345678901'",
            "NUMERIC '99999999999999999999999999999.999999999'",
            "NUMERIC '-0.000000001'",
            "NUMERIC '4'",
            "CAST(NULL AS NUMERIC)",
        ],
        T::BigNumeric => &[
            "BIGNUMERIC '1.5'",
            "BIGNUMERIC '-0.00000000000000000001'",
            "CAST(NULL AS BIGNUMERIC)",
        ],
        T::String => &[
            "'abc'",
            "''",
            "'Grüße 🦀'",
            "'a\\\\b\\'\"'",
            "'\\x00x\\n'",
            "' b c '",
            "'{\"a\": [1, null], \"b\": {\"c\": true}}'",
            "'{\"a\":'",
            "'c'",
            "CAST(NULL AS STRING)",
        ],
        T::Bytes => &[
            "b'abc'",
            "b''",
            "b'\\xff\\x00'",
            "b'c'",
            "CAST(NULL AS BYTES)",
        ],
        T::Date => &[
            "DATE '2024-02-29'",
            "DATE '1970-01-01'",
            "DATE '2023-12-31'",
            "DATE '0001-01-01'",
            "DATE '9999-12-31'",
            "CAST(NULL AS DATE)",
        ],
        T::Time => &[
            "TIME '01:02:03.000004'",
            "TIME '00:00:00'",
            "TIME '23:59:59.999999'",
            "CAST(NULL AS TIME)",
        ],
        T::Datetime => &[
            "DATETIME '2024-02-29 23:59:59.5'",
            "DATETIME '1970-01-01 00:00:00'",
            "DATETIME '2024-03-10 02:30:00'",
            "DATETIME '0001-01-01 00:00:00'",
            "DATETIME '9999-12-31 23:59:59.999999'",
            "CAST(NULL AS DATETIME)",
        ],
        T::Timestamp => &[
            "TIMESTAMP '2024-02-29 23:59:59.5+00'",
            "TIMESTAMP '1970-01-01 00:00:00+00'",
            "TIMESTAMP '2024-03-10 07:30:00+00'",
            "TIMESTAMP '2024-11-03 06:30:00.000001+00'",
            "TIMESTAMP '1969-12-31 23:59:59.999999+00'",
            "TIMESTAMP '9999-12-31 23:59:59.999999+00'",
            "CAST(NULL AS TIMESTAMP)",
        ],
        T::Json => &[
            "JSON '{\"a\":[1,null,\"x\"],\"b\":{\"c\":true},\"\\\\u00e9\":1.5}'",
            "JSON '\"s\"'",
            "JSON '12'",
            "JSON '-1.5e10'",
            "JSON 'true'",
            "JSON 'null'",
            "JSON '[]'",
            "JSON '9007199254740993'",
            "CAST(NULL AS JSON)",
        ],
    })
}

/// Literals for the bounds and the step of a sequence.
fn constants(ty: T, index: usize) -> Vec<String> {
    let (start, end, step): (&[&str], &[&str], &[&str]) = match ty {
        T::Bytes => (&[], &["b', '"], &[]),
        T::Int64 => (&["1", "-3"], &["5", "1", "-7"], &["2", "-1", "0"]),
        T::Float64 => (&["1.5"], &["2.5", "1.0"], &["0.25", "-0.5"]),
        T::Numeric => (&["NUMERIC '1'"], &["NUMERIC '2'"], &["NUMERIC '0.3'"]),
        T::BigNumeric => (
            &["BIGNUMERIC '1'"],
            &["BIGNUMERIC '2'"],
            &["BIGNUMERIC '1'"],
        ),
        T::Date => (
            &["DATE '2024-01-31'"],
            &["DATE '2024-05-31'", "DATE '2023-01-01'"],
            &["1"],
        ),
        T::Timestamp => (
            &["TIMESTAMP '2024-03-10 00:00:00+00'"],
            &["TIMESTAMP '2024-03-10 00:00:00.000009+00'"],
            &["1"],
        ),
        other => panic!("no function takes literals of {}", other.ty()),
    };
    texts([start, end, step][index])
}

fn named(name: &str, ty: T) -> Vec<String> {
    let values: &[&str] = match (name, ty) {
        ("wide_number_mode", _) => &["'round'", "'exact'"],
        ("mode", _) => &["'strict'", "'lax'", "'lax recursive'"],
        (_, T::Bool) => &["TRUE", "FALSE"],
        _ => panic!("no samples for {name}"),
    };
    values
        .iter()
        .map(|value| format!("{name} => {value}"))
        .collect()
}

const ZONES: &[&str] = &[
    "'America/New_York'",
    "'+05:30'",
    "'Asia/Kathmandu'",
    "'nowhere'",
];

const FORMATS: &[&str] = &[
    "'%Y-%m-%d %H:%M:%E*S'",
    "'%a %b %e %j %U %V %G %p'",
    "'%s|%%|%Q'",
    "'%-d|%_m|%0e|%-j|%_C'",
    "''",
];

const FORMATS_OF_TIME: &[&str] = &["'%H:%M:%E*S'", "'%a|%I %p'", "'%-H|%_M|%0S|%-I'", "''"];

/// Returns a query of calls of FORMAT with so many values.
pub fn formats(values: usize) -> String {
    let calls: Vec<String> = match values {
        0 => texts(&["FORMAT('a%%')", "FORMAT('')"]),
        1 => FORMATTED
            .iter()
            .flat_map(|(directives, values)| {
                directives.iter().flat_map(move |directive| {
                    values
                        .iter()
                        .map(move |value| format!("FORMAT('{directive}|', {value})"))
                })
            })
            .collect(),
        _ => texts(&[
            "FORMAT('%d %s', 1, 'a')",
            "FORMAT('%*d|', 7, 1)",
            "FORMAT('%-*d|', 7, 1)",
            "FORMAT('%*d|', -7, 1)",
            "FORMAT('%.*f', 2, 1.005)",
            "FORMAT('%t%%%T', 'a', 'a')",
        ]),
    };
    let columns: Vec<String> = calls
        .iter()
        .enumerate()
        .map(|(number, call)| format!("{call} AS c{number}"))
        .collect();
    format!("SELECT {}", columns.join(", "))
}

/// Directives of FORMAT and values for each of them.
const FORMATTED: &[(&[&str], &[&str])] = &[
    (
        &[
            "%d", "%i", "%x", "%X", "%o", "%5d", "%-5d", "%05d", "%+d", "% d", "%\\'d", "%#x",
            "%.3d",
        ],
        &["0", "-1234567", "9223372036854775807"],
    ),
    (
        &[
            "%f", "%F", "%e", "%E", "%g", "%G", "%.2f", "%.0f", "%10.3f", "%-10.1f", "%+.1e",
            "%\\'.2f", "%010.2f",
        ],
        &[
            "1234567.125",
            "-0.5",
            "NUMERIC '-12345678901234567890.123456789'",
            "NUMERIC '0.000000005'",
            "NUMERIC '12'",
        ],
    ),
    (
        &["%f", "%g", "%5.1e"],
        &[
            "CAST('nan' AS FLOAT64)",
            "CAST('-inf' AS FLOAT64)",
            "1e300",
            "5e-324",
        ],
    ),
    (
        &["%s", "%5s", "%-5s", "%.2s"],
        &["'Grüße'", "''", "CAST(NULL AS STRING)"],
    ),
    (
        &["%t", "%T"],
        &[
            "1",
            "-1.5",
            "3.0",
            "1e20",
            "CAST('nan' AS FLOAT64)",
            "CAST('inf' AS FLOAT64)",
            "TRUE",
            "NUMERIC '1.10'",
            "'a\\'b'",
            "'a\"b\\x00\\n\\\\é'",
            "'\\x7f\u{ad}'",
            "b'a\\xff\\n\"'",
            "DATE '2024-02-29'",
            "DATETIME '2024-02-29 01:02:03.5'",
            "TIME '01:02:03.000001'",
            "TIMESTAMP '2024-02-29 01:02:03.25+00'",
            "[1, NULL]",
            "['a', NULL]",
            "CAST([] AS ARRAY<STRING>)",
            "STRUCT(1 AS a, 'x' AS b)",
            "STRUCT(1 AS a)",
            "[STRUCT('x' AS a, [DATE '2024-02-29'] AS b)]",
            "JSON '{\"b\":1,\"a\":\"x\"}'",
            "CAST(NULL AS INT64)",
            "CAST(NULL AS JSON)",
        ],
    ),
    (&["%10t", "%-10T", "%.2t", "%.2T"], &["'abc'", "12345"]),
    (
        &["%p", "%P"],
        &["JSON '{\"b\":[1],\"a\":{}}'", "CAST(NULL AS JSON)"],
    ),
];

/// Values that mean something to this function.
pub fn special(name: &str, index: usize, arg: &Arg) -> Option<&'static [&'static str]> {
    let text = matches!(arg, Arg::Of(T::String));
    Some(match (name, index) {
        ("FORMAT", _) => &[
            "1",
            "'é\"\\x00\\\\'",
            "1.5",
            "[1, 2]",
            "DATE '2024-02-29'",
            "CAST(NULL AS STRING)",
        ],
        ("FROM_HEX", _) => &["'00ff'", "'f'", "'xy'", "''"],
        ("FROM_BASE64", _) => &["'YWI='", "'YWI'", "'*'", "''"],
        ("FROM_BASE32", _) => &["'MFRGG==='", "'M'", "''"],
        ("NET.HOST" | "NET.REG_DOMAIN" | "NET.PUBLIC_SUFFIX", _) => &[
            "'http://user@Example.com:80/x?y#z'",
            "'//[::1]:80'",
            "'mailto:a@b.c'",
            "' a b '",
            "''",
        ],
        ("NET.IP_FROM_STRING" | "NET.SAFE_IP_FROM_STRING", _) => &[
            "'1.2.3.4'",
            "'::ffff:1.2.3.4'",
            "'2001:db8::1'",
            "'1.2.3'",
            "''",
        ],
        ("NET.IP_TO_STRING" | "NET.IPV4_TO_INT64", _) | ("NET.IP_TRUNC", 0) => &[
            "b'\\x01\\x02\\x03\\x04'",
            "b'\\x20\\x01\\x0d\\xb8\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01'",
            "b'x'",
        ],
        ("NET.IP_TRUNC", 1) => &["8", "0", "33", "-1"],
        ("NET.IP_NET_MASK", 0) => &["4", "16", "5"],
        ("NET.IP_NET_MASK", 1) => &["0", "13", "32", "129"],
        ("NET.IPV4_FROM_INT64", _) => &["0", "16909060", "-1", "4294967296"],
        ("PARSE_JSON", 0) => &[
            "'{\"b\":1,\"a\":[1.0,1e3]}'",
            "'9007199254740993.1'",
            "'{'",
            "''",
        ],
        (
            "TIMESTAMP_SECONDS" | "TIMESTAMP_MILLIS" | "TIMESTAMP_MICROS" | "DATE_FROM_UNIX_DATE",
            _,
        ) => &["0", "-1", "86401", "9223372036854775807"],
        ("CODE_POINTS_TO_STRING", _) => {
            &["[97, 128640]", "[55296]", "[0]", "CAST([] AS ARRAY<INT64>)"]
        }
        ("DATE" | "DATETIME" | "TIME", 0..=5) if matches!(arg, Arg::Of(T::Int64)) => match index {
            0 => &["2024", "23", "1"],
            1 => &["2", "13", "59"],
            2 => &["29", "30", "60"],
            _ => &["1", "59", "60"],
        },
        // A literal would be a TIMESTAMP.
        ("DATE", 0) if matches!(arg, Arg::NoLiteral(T::String)) => &[
            "CONCAT('2024-02-29', ' 23:30:00-08')",
            "CONCAT('2024-', '1-2')",
            "CONCAT('2024-02-', '30')",
            "CONCAT('', '')",
            "CAST(NULL AS STRING)",
        ],
        ("PARSE_DATE", 0) => &["'%Y-%m-%d'"],
        ("PARSE_DATE", 1) => &["'2024-02-29'", "' 2024-2-3'", "'2023-02-29'", "''"],
        ("PARSE_TIME", 0) => &["'%H:%M:%E*S'"],
        ("PARSE_TIME", 1) => &["'23:59:59.25'", "'24:00:00'", "''"],
        ("PARSE_DATETIME" | "PARSE_TIMESTAMP", 0) => &["'%Y-%m-%d %H:%M:%S'"],
        ("PARSE_DATETIME" | "PARSE_TIMESTAMP", 1) => &[
            "'2024-03-10 02:30:00'",
            "'2024-02-30 00:00:00'",
            "'2024-11-03 01:30:00'",
            "'x'",
        ],
        ("TIMESTAMP" | "DATETIME", 0) if text => &[
            "'2024-03-10 02:30:00'",
            "'2024-02-29T01:02:03.25'",
            "'2024-02-30'",
            "'x'",
        ],
        ("FORMAT_DATE" | "FORMAT_DATETIME" | "FORMAT_TIMESTAMP", 0) => FORMATS,
        ("FORMAT_TIME", 0) => FORMATS_OF_TIME,
        ("CURRENT_DATE" | "CURRENT_DATETIME" | "CURRENT_TIME", 0) => {
            &["'America/New_York'", "'UTC'"]
        }
        ("STRING" | "DATE" | "TIME" | "DATETIME" | "TIMESTAMP", 1) if text => ZONES,
        ("EXTRACT", 2) => &["'America/New_York'", "'+05:30'", "'Asia/Kathmandu'"],
        ("TIMESTAMP_TRUNC" | "DATETIME_TRUNC" | "DATE_TRUNC", 2) if text => ZONES,
        ("FORMAT_DATE" | "FORMAT_DATETIME" | "FORMAT_TIMESTAMP" | "PARSE_TIMESTAMP", 2) if text => {
            ZONES
        }
        ("STRING_AGG", 1) if !matches!(arg, Arg::Constant(_)) => &["'|é'"],
        ("REGEXP_REPLACE", 2) if text => &["'<\\\\0>'", "''", "'\\\\1'", "'é'"],
        ("REGEXP_REPLACE", 2) => &["b'<\\\\0>'", "b''", "b'\\\\1'", "b'\\xc3'"],
        ("INSTR" | "REGEXP_EXTRACT" | "REGEXP_INSTR", 2 | 3) => &["1", "2", "0", "-1"],
        ("REGEXP_INSTR", 4) => &["0", "1", "2"],
        ("LPAD" | "RPAD" | "REPEAT", 1) => &["0", "2", "7"],
        ("HLL_COUNT.INIT", 1) => &["12"],
        ("ROUND" | "TRUNC", 1) => &["0", "2", "-1", "30"],
        ("JSON_KEYS", 1) if matches!(arg, Arg::Of(T::Int64)) => &["1", "0", "CAST(NULL AS INT64)"],
        _ => return None,
    })
}
