//! Every line of `cases/*.txt` is a call and the value that GoogleSQL's reference implementation gives
//! for it: `name`, the arguments, `=`, the value or `error`, with tabs between them.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringViewArray, StructArray,
    TimestampMicrosecondArray, new_null_array,
};
use arrow::compute::concat;
use arrow::datatypes::{Field, i256};
use arrow::util::pretty::pretty_format_batches;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use datafusion::common::config::ConfigOptions;
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::{ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF};
use datafusion::prelude::{Expr, SessionContext};
use jiff::civil::{Date, DateTime, Time};
use serde_json::Value as Json;

use super::adapt::Udf;
use super::{EvaluationError, all, evaluate, library};

/// Calls a function as the engine does.
pub(super) fn invoke(
    name: &str,
    args: Vec<ColumnarValue>,
    constants: &[ScalarValue],
    rows: usize,
) -> Result<ColumnarValue> {
    let functions = all();
    let Some(function) = functions.iter().find(|function| function.name() == name) else {
        return Err(DataFusionError::Plan(format!("no function {name}")));
    };
    let arg_fields: Vec<_> = args
        .iter()
        .map(|arg| Arc::new(Field::new("arg", arg.data_type(), true)))
        .collect();
    let scalars: Vec<Option<&ScalarValue>> = constants.iter().map(Some).collect();
    let return_field = function.return_field_from_args(ReturnFieldArgs {
        arg_fields: &arg_fields,
        scalar_arguments: &scalars,
    })?;
    let declared = return_field.data_type().clone();
    let result = function.invoke_with_args(ScalarFunctionArgs {
        args,
        arg_fields,
        number_rows: rows,
        return_field,
        config_options: Arc::new(ConfigOptions::default()),
    })?;
    assert_eq!(result.data_type(), declared, "{name}");
    Ok(result)
}

fn days(date: Date) -> i32 {
    (date - Date::constant(1970, 1, 1)).get_days()
}

fn micros(datetime: DateTime) -> i64 {
    i64::from(days(datetime.date())) * 86_400_000_000 + time_micros(datetime.time())
}

fn time_micros(time: Time) -> i64 {
    (time - Time::midnight())
        .total(jiff::Unit::Microsecond)
        .unwrap() as i64
}

fn scaled(text: &str, scale: usize) -> String {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}{fraction:0<scale$}")
}

/// The text that stands for NULL.
const NULL: &str = "\0\0";

/// Reads a value of a type; arrays and their elements are JSON.
fn value(ty: &str, text: &str) -> ScalarValue {
    let null = text == NULL;
    let some = |present: &str| (!null).then(|| present.to_owned());
    match ty {
        "string" | "json" => ScalarValue::Utf8(some(text)),
        "bytes" => ScalarValue::Binary((!null).then(|| STANDARD.decode(text).unwrap())),
        "bool" => ScalarValue::Boolean((!null).then(|| text == "true" || text == "True")),
        "int64" => ScalarValue::Int64((!null).then(|| text.parse().unwrap())),
        "float64" => ScalarValue::Float64((!null).then(|| text.parse().unwrap())),
        "numeric" => {
            ScalarValue::Decimal128((!null).then(|| scaled(text, 9).parse().unwrap()), 38, 9)
        }
        "bignumeric" => ScalarValue::Decimal256(
            (!null).then(|| i256::from_string(&scaled(text, 38)).unwrap()),
            76,
            38,
        ),
        "date" => ScalarValue::Date32((!null).then(|| days(text.parse().unwrap()))),
        "time" => {
            ScalarValue::Time64Microsecond((!null).then(|| time_micros(text.parse().unwrap())))
        }
        "datetime" => {
            ScalarValue::TimestampMicrosecond((!null).then(|| micros(text.parse().unwrap())), None)
        }
        "timestamp" => ScalarValue::TimestampMicrosecond(
            (!null).then(|| micros(text.strip_suffix('Z').unwrap().parse().unwrap())),
            Some(Arc::from("UTC")),
        ),
        _ => {
            let element = ty
                .strip_prefix("array<")
                .and_then(|ty| ty.strip_suffix('>'));
            let element = element.unwrap_or_else(|| panic!("unknown type {ty}"));
            let element_type = value(element, NULL).data_type();
            if null {
                return ScalarValue::try_from(&super::value::list_of(element_type)).unwrap();
            }
            let Ok(Json::Array(items)) = serde_json::from_str(text) else {
                panic!("no array: {text}");
            };
            let items: Vec<ScalarValue> = items
                .iter()
                .map(|item| match item {
                    Json::Null => value(element, NULL),
                    Json::String(text) => value(element, text),
                    item => value(element, &item.to_string()),
                })
                .collect();
            ScalarValue::List(ScalarValue::new_list(&items, &element_type, true))
        }
    }
}

/// Reads `"text"`, `12`, `true`, `null:type` or `type:text`.
fn literal(text: &str) -> ScalarValue {
    if text.starts_with('"') {
        return value("string", &serde_json::from_str::<String>(text).unwrap());
    }
    match text.split_once(':') {
        Some(("null", ty)) => value(ty, NULL),
        Some((ty, text)) => value(ty, text),
        None if text == "true" || text == "false" => value("bool", text),
        None => value("int64", text),
    }
}

/// Text and bytes in one storage, arrays as the list of their values.
fn comparable(value: &ScalarValue) -> String {
    match value {
        ScalarValue::Utf8(text) | ScalarValue::Utf8View(text) => format!("{text:?}"),
        ScalarValue::Binary(bytes) | ScalarValue::BinaryView(bytes) => format!("{bytes:?}"),
        ScalarValue::Float64(Some(value)) => format!("{value:?}"),
        // A JSON client sees no difference between an empty array and none.
        ScalarValue::List(list) if list.is_null(0) => "[]".to_owned(),
        ScalarValue::List(list) => {
            let items = list.value(0);
            let items: Vec<String> = (0..items.len())
                .map(|i| comparable(&ScalarValue::try_from_array(&items, i).unwrap()))
                .collect();
            format!("[{}]", items.join(", "))
        }
        value => format!("{value:?}"),
    }
}

fn agrees(found: &ScalarValue, expected: &ScalarValue) -> bool {
    if let (ScalarValue::Float64(Some(a)), ScalarValue::Float64(Some(b))) = (found, expected)
        && a.is_finite()
        && *a != 0.0
    {
        // Mathematical functions differ in the last digit from one library to another.
        return (a - b).abs() <= b.abs() * 4.0 * f64::EPSILON;
    }
    found.is_null() && expected.is_null() || comparable(found) == comparable(expected)
}

/// The same value in another storage.
fn restored(value: &ScalarValue) -> ScalarValue {
    match value {
        ScalarValue::Utf8(text) => ScalarValue::Utf8View(text.clone()),
        ScalarValue::Binary(bytes) => ScalarValue::BinaryView(bytes.clone()),
        value => value.clone(),
    }
}

#[track_caller]
fn check(cases: &str) {
    let mut failures = Vec::new();
    for line in cases.lines() {
        let (call, expected) = line.split_once("\t=\t").unwrap();
        let mut fields = call.split('\t');
        let name = fields.next().unwrap();
        let args: Vec<ScalarValue> = fields.map(literal).collect();
        let found = evaluate(name, &args);
        // The same call on a column of this value, none, and this value again. A name of JSON_OBJECT
        // cannot be none.
        let gap = if name == "json_object" { 0 } else { 1 };
        let columns = args
            .iter()
            .map(|arg| {
                let one = restored(arg).to_array().unwrap();
                let none = new_null_array(one.data_type(), gap);
                ColumnarValue::Array(concat(&[&one, &none, &one]).unwrap())
            })
            .collect();
        let in_column = invoke(name, columns, &args, gap + 2)
            .and_then(|column| ScalarValue::try_from_array(&column.to_array(gap + 2)?, gap + 1));
        let matches = |found: &Result<ScalarValue>| match found {
            Ok(value) => expected != "error" && agrees(value, &literal(expected)),
            Err(DataFusionError::External(error)) => {
                expected == "error" && error.is::<EvaluationError>()
            }
            Err(_) => false,
        };
        if !matches(&found) {
            failures.push(format!("{line}\n    found {found:?}"));
        } else if !matches(&in_column) {
            failures.push(format!("{line}\n    found in a column {in_column:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

macro_rules! families {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check(include_str!(concat!("cases/", stringify!($name), ".txt")));
            }
        )*
    };
}

families! { cast math string regex time format_time parse_time json array bytes net printf }

#[test]
fn errors_are_null_under_the_safe_prefix() {
    let text = ScalarValue::Utf8(Some("x".to_owned()));
    assert!(evaluate("cast_to_int64", std::slice::from_ref(&text)).is_err());
    assert!(evaluate("safe_cast_to_int64", &[text]).unwrap().is_null());
}

#[test]
fn untyped_nulls_are_taken() {
    for name in [
        "length",
        "cast_to_int64",
        "lower",
        "abs",
        "array_length",
        "array_reverse",
    ] {
        let value = evaluate(name, &[ScalarValue::Null]);
        assert!(value.unwrap().is_null(), "{name}");
    }
}

#[test]
fn dictionaries_are_computed_once_per_value() {
    let values: ArrayRef = Arc::new(arrow::array::StringArray::from(vec!["12", "x", "3"]));
    let keys = Int32Array::from(vec![Some(2), None, Some(0)]);
    // No row holds the value that is no number, so it is no error.
    let column: ArrayRef = Arc::new(DictionaryArray::new(keys, values));
    let found = invoke("cast_to_int64", vec![ColumnarValue::Array(column)], &[], 3).unwrap();
    let found = found.to_array(3).unwrap();
    let expected: ArrayRef = Arc::new(arrow::array::Int64Array::from(vec![
        Some(3),
        None,
        Some(12),
    ]));
    assert_eq!(&found, &expected);
}

#[test]
fn values_do_not_grow_beyond_their_limit() {
    let text = |length: usize| ScalarValue::Utf8(Some("a".repeat(length)));
    let number = |value| ScalarValue::Int64(Some(value));
    for (name, args) in [
        ("repeat", vec![text(1_000), number(2_000)]),
        ("lpad", vec![text(1), number(1 << 21)]),
        ("rpad", vec![text(1), number(i64::MAX)]),
        ("concat", vec![text(1 << 20), text(1)]),
        ("replace", vec![text(1 << 19), text(1), text(3)]),
        ("regexp_replace", vec![text(1 << 19), text(1), text(3)]),
    ] {
        let error = evaluate(name, &args).unwrap_err();
        assert!(
            matches!(&error, DataFusionError::External(error) if error.is::<EvaluationError>()),
            "{name}"
        );
    }
    // A value that is long already may stay as long.
    assert!(evaluate("lower", &[text(3 << 20)]).is_ok());
}

#[test]
fn names_are_unique() {
    let mut names: Vec<String> = all().iter().map(|f| f.name().to_owned()).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn records_are_written_as_json() {
    let record = |fields: &[(&str, ScalarValue)]| {
        let (fields, columns): (Vec<_>, Vec<_>) = fields
            .iter()
            .map(|(name, value)| {
                let field = Field::new(*name, value.data_type(), true);
                (Arc::new(field), value.to_array().unwrap())
            })
            .unzip();
        ScalarValue::Struct(Arc::new(StructArray::new(fields.into(), columns, None)))
    };
    let inner = record(&[("c", ScalarValue::Int64(Some(1)))]);
    let list = ScalarValue::new_list(std::slice::from_ref(&inner), &inner.data_type(), true);
    let outer = record(&[
        ("b", ScalarValue::Int64(Some(1))),
        ("a", ScalarValue::Utf8(Some("x".to_owned()))),
        ("d", ScalarValue::List(list)),
        ("e", ScalarValue::Utf8(None)),
    ]);
    let text = |name: &str, args: &[ScalarValue]| {
        let value = evaluate(name, args).unwrap();
        value.try_as_str().flatten().unwrap().to_owned()
    };
    let written = text("to_json_string", std::slice::from_ref(&outer));
    assert_eq!(written, r#"{"b":1,"a":"x","d":[{"c":1}],"e":null}"#);
    let written = text("to_json", std::slice::from_ref(&outer));
    assert_eq!(written, r#"{"a":"x","b":1,"d":[{"c":1}],"e":null}"#);
    let written = text("to_json_string", &[inner, ScalarValue::Boolean(Some(true))]);
    assert_eq!(written, "{\n  \"c\": 1\n}");
}

/// Runs a query over one column of texts and one of instants and shows its rows.
fn query(sql: &str) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let context = SessionContext::new();
        for function in all() {
            context.register_udf(function);
        }
        let texts = StringViewArray::from(vec![Some("10"), None, Some("x")]);
        let instants = TimestampMicrosecondArray::from(vec![Some(0), Some(3_600_000_000), None])
            .with_timezone("UTC");
        let batch = RecordBatch::try_from_iter([
            ("s", Arc::new(texts) as ArrayRef),
            ("ts", Arc::new(instants) as ArrayRef),
        ]);
        context.register_batch("t", batch.unwrap()).unwrap();
        let rows = context.sql(sql).await.unwrap().collect().await;
        match rows {
            Ok(rows) => pretty_format_batches(&rows).unwrap().to_string(),
            Err(error) => format!("{:?}", error.find_root()),
        }
    })
}

#[test]
fn the_engine_plans_calls() {
    let rows = query(
        "SELECT safe_cast_to_int64(s) AS n, regexp_contains(s, '^[0-9]+$') AS r,
         \"extract\"('HOUR', ts) AS h, \"extract\"('DATE', ts, 'Asia/Tokyo') AS d,
         \"substring\"(s, 1, 1) AS c, array_at(split('a,b', ','), 1) AS e,
         timestamp_trunc(ts, 'DAY') AS day
         FROM t ORDER BY \"extract\"('HOUR', ts) NULLS LAST",
    );
    let expected = "\
+----+-------+---+------------+---+---+----------------------+
| n  | r     | h | d          | c | e | day                  |
+----+-------+---+------------+---+---+----------------------+
| 10 | true  | 0 | 1970-01-01 | 1 | b | 1970-01-01T00:00:00Z |
|    |       | 1 | 1970-01-01 |   | b | 1970-01-01T00:00:00Z |
|    | false |   |            | x | b |                      |
+----+-------+---+------------+---+---+----------------------+";
    assert_eq!(rows, expected);
    let counts = query(
        "SELECT \"extract\"('YEAR', ts) AS y, count(*) AS n FROM t WHERE ts IS NOT NULL
         GROUP BY \"extract\"('YEAR', ts)",
    );
    assert!(counts.contains("| 1970 | 2 |"), "{counts}");
}

#[test]
fn a_refused_value_is_an_evaluation_error() {
    for sql in [
        "SELECT cast_to_int64(s) FROM t",
        "SELECT count(*) FROM t WHERE divide_float64(1.0, 0.0) > 1.0 AND s IS NOT NULL",
        "SELECT array_at(split(s, ','), 7) FROM t",
    ] {
        let error = query(sql);
        assert!(error.contains("EvaluationError"), "{sql}: {error}");
    }
}

#[test]
fn quoted_names_reach_the_library() {
    // Unquoted, the engine's parser takes some names (EXTRACT, SUBSTR) for syntax of its own.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let context = SessionContext::new();
        for function in all() {
            context.register_udf(function);
        }
        for function in library() {
            let name = function.name();
            let first = if name.contains("array_") {
                "make_array('x')"
            } else {
                "'x'"
            };
            let sql = format!("SELECT \"{name}\"({first}, 'y')");
            let plan = context.state().create_logical_plan(&sql).await.unwrap();
            let expressions = plan.expressions();
            let [Expr::ScalarFunction(call)] = expressions.as_slice() else {
                panic!("{sql}: {plan}");
            };
            assert!(call.func.inner().is::<Udf>(), "{sql}");
            assert_eq!(call.name(), name);
        }
    });
}

/// Values at the edges of their types, and texts that mean something to some function.
fn edges() -> Vec<ScalarValue> {
    let text = |text: &str| ScalarValue::Utf8(Some(text.to_owned()));
    let timestamp =
        |micros| ScalarValue::TimestampMicrosecond(Some(micros), Some(Arc::from("UTC")));
    let (first, last) = (-62_135_596_800_000_000, 253_402_300_799_999_999);
    let mut edges: Vec<ScalarValue> = [
        "",
        "é",
        "\\",
        "(a",
        "[",
        "a{1000}",
        "%",
        "%E",
        "%Y%j%p%s%Ez%Q%U",
        "%E9S",
        "%9999999d",
        "%.99999f",
        "%*.*d",
        "$",
        "$.a[0]",
        "{\"a\":[",
        "-9223372036854775808",
        "0x8000000000000000",
        "1e-999999999999",
        "9999-12-31 23:59:60",
        "0001-01-01 00:00:00+14",
        "HOUR",
        "WEEK(MONDAY)",
        "ISOYEAR",
        "DATE",
        "YEAR",
        "DAY",
        "QUARTER",
        "America/New_York",
        "+14:00",
        "http://[@:",
        "\u{0}\u{7f}",
    ]
    .iter()
    .map(|t| text(t))
    .collect();
    edges.extend(
        [i64::MIN, i64::MIN + 1, -1, 0, 1, 40, i64::MAX].map(|v| ScalarValue::Int64(Some(v))),
    );
    edges.extend(
        [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            -0.0,
            f64::MAX,
            f64::MIN_POSITIVE,
            0.5,
        ]
        .map(|v| ScalarValue::Float64(Some(v))),
    );
    edges.extend([-719_162, 0, 2_932_896].map(|v| ScalarValue::Date32(Some(v))));
    edges.extend([first, -1, 0, last].map(timestamp));
    edges.extend([first, 0, last].map(|v| ScalarValue::TimestampMicrosecond(Some(v), None)));
    edges.extend([0, 86_399_999_999].map(|v| ScalarValue::Time64Microsecond(Some(v))));
    let most = 10_i128.pow(38) - 1;
    edges.extend([-most, -1, 0, most].map(|v| ScalarValue::Decimal128(Some(v), 38, 9)));
    edges.extend(
        [&b""[..], b"\xff(", b"\x01\x02\x03\x04"].map(|v| ScalarValue::Binary(Some(v.to_vec()))),
    );
    for list in [
        "array<int64>:[]",
        "array<int64>:[-9223372036854775808,9223372036854775807,null]",
        "array<string>:[\"a\",null]",
        "array<float64>:[1.5,null]",
    ] {
        edges.push(literal(list));
    }
    edges.extend([ScalarValue::Null, ScalarValue::Boolean(Some(true))]);
    edges
}

#[test]
fn no_arguments_are_a_panic() {
    let edges = edges();
    let functions = all();
    let call = |function: &ScalarUDF, args: &[ScalarValue]| {
        let arg_fields: Vec<_> = args
            .iter()
            .map(|arg| Arc::new(Field::new("arg", arg.data_type(), true)))
            .collect();
        let scalars: Vec<Option<&ScalarValue>> = args.iter().map(Some).collect();
        let Ok(return_field) = function.return_field_from_args(ReturnFieldArgs {
            arg_fields: &arg_fields,
            scalar_arguments: &scalars,
        }) else {
            return;
        };
        // The result does not matter, only that there is one.
        let _ = function.invoke_with_args(ScalarFunctionArgs {
            args: args.iter().cloned().map(ColumnarValue::Scalar).collect(),
            arg_fields,
            number_rows: 1,
            return_field,
            config_options: Arc::new(ConfigOptions::default()),
        });
    };
    for function in functions.iter().filter(|f| !f.name().starts_with("safe_")) {
        call(function, &[]);
        for (number, first) in edges.iter().enumerate() {
            call(function, std::slice::from_ref(first));
            for (other, second) in edges.iter().enumerate() {
                call(function, &[first.clone(), second.clone()]);
                // A third argument for some of the pairs, another one each time.
                let third = (number * 31 + other * 17) % edges.len();
                call(
                    function,
                    &[first.clone(), second.clone(), edges[third].clone()],
                );
            }
        }
    }
}

#[test]
fn the_shorter_way_gives_the_same() {
    #[track_caller]
    fn check(name: &str, column: ArrayRef, constant: &str) {
        let rows = column.len();
        let constant = ScalarValue::Utf8(Some(constant.to_owned()));
        let call = |second: ColumnarValue| {
            let args = vec![ColumnarValue::Array(Arc::clone(&column)), second];
            let result = invoke(name, args, &[], rows).map_err(|error| error.to_string())?;
            result.into_array(rows).map_err(|error| error.to_string())
        };
        let repeated = constant.to_array_of_size(rows).unwrap();
        let short = call(ColumnarValue::Scalar(constant.clone()));
        assert_eq!(
            short,
            call(ColumnarValue::Array(repeated)),
            "{name} {constant}"
        );
    }
    let texts = [
        Some(""),
        None,
        Some("a/rest/b"),
        Some("été\n"),
        Some("\0"),
        Some("REST"),
    ];
    let views: ArrayRef = Arc::new(StringViewArray::from(texts.to_vec()));
    let plain: ArrayRef = Arc::new(arrow::array::StringArray::from(texts.to_vec()));
    for pattern in [
        "",
        "/rest",
        "(?i)rest$",
        "^.t.$",
        r"^.t.\n",
        r"\x00",
        "(",
        "^[^a]*$",
    ] {
        check("regexp_contains", Arc::clone(&views), pattern);
        check("regexp_contains", Arc::clone(&plain), pattern);
        check("safe_regexp_contains", Arc::clone(&views), pattern);
    }
    let first = micros(DateTime::constant(1, 1, 1, 0, 0, 0, 0));
    let last = micros(DateTime::constant(9999, 12, 31, 23, 59, 59, 999_999_000));
    let instants = [
        first,
        first + 1,
        -86_400_000_001,
        -1,
        0,
        1,
        1_773_576_000_000_001,
        last,
    ];
    let mut instants: Vec<_> = instants.into_iter().map(Some).collect();
    instants.push(None);
    let instants: ArrayRef =
        Arc::new(TimestampMicrosecondArray::from(instants).with_timezone("UTC"));
    let parts = [
        "MICROSECOND",
        "MILLISECOND",
        "SECOND",
        "MINUTE",
        "HOUR",
        "DAY",
        "WEEK",
    ];
    for part in parts
        .into_iter()
        .chain(["MONTH", "ISOYEAR", "WEEK(MONDAY)", "CENTURY"])
    {
        check("timestamp_trunc", Arc::clone(&instants), part);
    }
}
