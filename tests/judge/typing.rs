//! Texts over a stream with a column of each type: the compiler accepts what the analyzer accepts, with the
//! same types.
//!
//! A stored query reads the stream itself, so the texts are those of stored queries.

use std::collections::BTreeMap;

use logboom::compiler::ir::{Column, ColumnName, Field, StreamName, Type};
use logboom::compiler::{
    Call, Catalog, Compiled, Diagnostics, Limits, Parameters, Target, compile, prepare,
};
use serde_json::{Value as Json, json};

use super::analysis::list;
use super::service::Judge;

/// Columns and constants that meet each other in turn.
const OPERANDS: &[&str] = &[
    "t.bool",
    "t.int",
    "t.float",
    "t.numeric",
    "t.bignumeric",
    "t.string",
    "t.bytes",
    "t.date",
    "t.time",
    "t.datetime",
    "t.timestamp",
    "1",
    "1.5",
    "-(1.5)",
    "NUMERIC '1'",
    "'2024-01-01'",
    "b'x'",
    "DATE '2024-01-01'",
    "DATETIME '2024-01-01 00:00:00'",
    "NULL",
    "CAST(NULL AS INT64)",
];

/// Where two operands meet, all of them in one order.
const MEETINGS: &[&str] = &["{a} = {b}", "COALESCE({a}, {b})"];

/// Where some of them meet, in both orders.
const PLACES: &[&str] = &[
    "{a} < {b}",
    "{a} IN ({b}, {b})",
    "{a} IN (SELECT {b} FROM t AS u)",
    "{a} IN UNNEST([{b}])",
    "{a} BETWEEN {b} AND {b}",
    "{a} IS DISTINCT FROM {b}",
    "{a} LIKE {b}",
    "{a} * {b}",
    "{a} / {b}",
    "MOD({a}, {b})",
    "SAFE_ADD({a}, {b})",
    "POW({a}, {b})",
    "NULLIF({a}, {b})",
    "GREATEST({a}, {b})",
    "IF(t.bool, {a}, {b})",
    "CASE {a} WHEN {b} THEN 1 END",
    "STARTS_WITH({a}, {b})",
    "[{a}, {b}]",
    "ARRAY_CONCAT([{a}], [{b}])",
];

/// Whole queries: without FROM, with computed keys, and with columns that have no name or one twice.
const QUERIES: &[&str] = &[
    "SELECT 1 AS x",
    "SELECT 1 AS x WHERE TRUE",
    "SELECT 1 AS x GROUP BY x",
    "SELECT 1 AS x HAVING TRUE",
    "SELECT 1 AS x ORDER BY x",
    "SELECT 1 AS x LIMIT 1",
    "SELECT DISTINCT 1 AS x",
    "SELECT COUNT(*) AS x",
    "SELECT 1 AS x UNION DISTINCT SELECT 2 ORDER BY x",
    "(SELECT 1 AS x) ORDER BY x",
    "SELECT int FROM t WHERE EXISTS (SELECT t.int WHERE TRUE)",
    "SELECT int FROM t HAVING int > 1",
    "SELECT COUNT(*) AS n FROM t HAVING COUNT(*) > 1",
    "SELECT int FROM t ORDER BY COUNT(*)",
    "SELECT int FROM t QUALIFY TRUE",
    "SELECT int FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY int) = 1",
    "SELECT ROW_NUMBER() OVER (ORDER BY int) AS n FROM t QUALIFY n = 1",
    "SELECT int + 1 AS x FROM t GROUP BY int",
    "SELECT int + 1 AS x FROM t GROUP BY int + 1",
    "SELECT int + 1 + 1 AS x FROM t GROUP BY int + 1",
    "SELECT UPPER(string) || 'x' AS x FROM t GROUP BY UPPER(string)",
    "SELECT UPPER(string) AS x FROM t GROUP BY 1 ORDER BY UPPER(string)",
    "SELECT UPPER(string) AS x FROM t GROUP BY 1 ORDER BY UPPER(string) || 'x'",
    "SELECT UPPER(string) AS x FROM t GROUP BY x HAVING x > 'a'",
    "SELECT UPPER(string) AS x FROM t GROUP BY x HAVING UPPER(string) > 'a'",
    "SELECT UPPER(string) AS x FROM t GROUP BY x HAVING x || 'a' > 'a'",
    "SELECT UPPER(string) AS x FROM t GROUP BY ALL HAVING x > 'a'",
    "SELECT int + 1 AS x FROM t GROUP BY x QUALIFY RANK() OVER (ORDER BY x) = 1",
    "SELECT int + 1 AS x FROM t GROUP BY x QUALIFY RANK() OVER (ORDER BY int + 1) = 1",
    "SELECT int + 1 AS x, RANK() OVER (ORDER BY int + 1) AS r FROM t GROUP BY x",
    "SELECT COUNT(*) AS n FROM t GROUP BY int + 1 ORDER BY int + 1",
    "SELECT record.a + 1 AS x FROM t GROUP BY record.a",
    "SELECT record.a AS x FROM t GROUP BY record.a HAVING record.a + 1 > 1",
    "SELECT record.b AS x FROM t GROUP BY record.a",
    "SELECT record AS x FROM t GROUP BY record.a",
    "SELECT f0_ FROM (SELECT 1)",
    "SELECT s.f0_ FROM (SELECT 1, 2 AS x) AS s",
    "SELECT * FROM (SELECT 1, 2)",
    "SELECT *, 3 FROM (SELECT 1, 2 AS x)",
    "SELECT a.*, b.* FROM (SELECT 1) AS a, (SELECT 2) AS b",
    "SELECT * EXCEPT (f0_) FROM (SELECT 1, 2 AS x)",
    "SELECT 1 UNION ALL SELECT 2 ORDER BY f0_",
    "SELECT 1, 2 AS f0_",
    "SELECT int_1 FROM (SELECT int, int FROM t AS u) AS s",
    "SELECT x FROM (SELECT NULL AS x) WHERE x = 1",
    "SELECT x FROM (SELECT NULL AS x) WHERE x = 'a'",
    "SELECT NULL AS x UNION ALL SELECT date FROM t",
    "SELECT x FROM UNNEST(NULL) AS x",
    "SELECT record.a + 1 AS x FROM t GROUP BY (record).a",
    "SELECT COUNT(*) AS x FROM t GROUP BY (SELECT t.int)",
    "SELECT COUNT(*) AS x FROM t GROUP BY (SELECT 1)",
    "SELECT int, (SELECT MAX(int) FROM t) AS m FROM t GROUP BY int, (SELECT MAX(int) FROM t)",
    "SELECT STRUCT(date) AS x FROM t UNION ALL SELECT STRUCT(NULL)",
    "SELECT STRUCT(NULL) AS x UNION ALL SELECT STRUCT(date) FROM t",
    "SELECT [date] AS x FROM t UNION ALL SELECT [NULL]",
    "SELECT STRUCT(int) AS x FROM t UNION ALL SELECT STRUCT(NULL)",
    "SELECT STRUCT(int) AS x FROM t UNION ALL SELECT STRUCT(float) FROM t",
    "SELECT STRUCT(int) AS x FROM t UNION ALL SELECT STRUCT(1)",
    "SELECT STRUCT(int AS a) AS x FROM t UNION ALL SELECT STRUCT(1 AS b)",
    "SELECT STRUCT(date AS a) AS x FROM t UNION ALL SELECT STRUCT('2024-01-01' AS b)",
    "SELECT STRUCT(date AS a) AS x FROM t UNION ALL SELECT NULL",
    "SELECT DISTINCT int AS x FROM t GROUP BY int ORDER BY int + 1",
    "SELECT DISTINCT int AS x FROM t GROUP BY int ORDER BY int",
    "SELECT DISTINCT int AS x FROM t GROUP BY x ORDER BY x",
    "SELECT DISTINCT int AS x FROM t GROUP BY int ORDER BY x + 1",
    "SELECT DISTINCT int + 1 AS x FROM t GROUP BY int ORDER BY int + 1",
    "SELECT DISTINCT int + 1 AS x FROM t GROUP BY x ORDER BY int + 1",
    "SELECT DISTINCT int + 1 AS x FROM t ORDER BY int + 1",
    "SELECT DISTINCT int AS x FROM t ORDER BY int + 1",
    "SELECT DISTINCT int AS x, COUNT(*) AS n FROM t GROUP BY int ORDER BY COUNT(*)",
    "SELECT DISTINCT int AS x, COUNT(*) AS n FROM t GROUP BY int ORDER BY n",
    "SELECT DISTINCT int AS x FROM t GROUP BY int ORDER BY COUNT(*)",
    "SELECT c.f0_ FROM (SELECT 1, 2) AS c",
    "WITH c AS (SELECT 1, 2 AS f0_) SELECT * FROM c",
    "WITH c AS (SELECT 1 AS f0_, 2) SELECT * FROM c",
    "SELECT int FROM t GROUP BY ROLLUP(int)",
    "SELECT COUNT(*) AS n FROM t GROUP BY ROLLUP((SELECT MAX(int) FROM t))",
    "SELECT int, COUNT(*) AS n FROM t GROUP BY ROLLUP(int, (SELECT MAX(int) FROM t))",
    "SELECT (int) + 1 AS x, COUNT(*) AS n FROM t GROUP BY ROLLUP((int) + 1, (string))",
    "SELECT int, string FROM t GROUP BY ROLLUP((int), string)",
    "SELECT x FROM t, UNNEST(t.list) x WITH OFFSET GROUP BY ROLLUP(x, MOD(offset, 2))",
    "SELECT x.b FROM t, int.b AS x WITH OFFSET",
    "SELECT (SELECT MAX(o) FROM t.list AS b WITH OFFSET o) AS m FROM t",
    "SELECT b FROM t, list AS b WITH OFFSET",
    "SELECT b FROM t, t.list AS b WITH OFFSET WHERE offset = 1",
    "SELECT k FROM UNNEST([STRUCT(1 AS k), STRUCT(2)])",
    "SELECT k FROM UNNEST([STRUCT(1), STRUCT(2 AS k)])",
    "SELECT k FROM UNNEST([STRUCT(1 AS k), STRUCT(2 AS l)])",
    "SELECT b, o FROM t, t.list AS b WITH OFFSET AS o",
    "SELECT b, offset FROM t, t.list AS b WITH OFFSET",
    "SELECT b FROM t, t.list AS b WITH OFFSET",
    "SELECT b, o FROM t LEFT JOIN t.list AS b WITH OFFSET AS o",
    "SELECT b, o FROM t CROSS JOIN t.list AS b WITH OFFSET o",
    "SELECT list, o FROM t, t.list WITH OFFSET o",
    "SELECT b.k, o FROM t, t.rows AS b WITH OFFSET o",
];

/// Expressions of NULL and of date parts.
const EXPRESSIONS: &[&str] = &[
    "NOT NULL",
    "NOT (NULL)",
    "-NULL",
    "-CAST(NULL AS INT64)",
    "~NULL",
    "NULL IS NULL",
    "NULL AND TRUE",
    "CAST(NULL AS INT64) AND TRUE",
    "NULL IN (1)",
    "t.int IN (NULL)",
    "t.string BETWEEN NULL AND 'a'",
    "COALESCE([t.date], [NULL])",
    "COALESCE([t.float], [NULL])",
    "ARRAY_CONCAT([t.date], ['2024-01-01', NULL])",
    "t.date IN UNNEST(['2024-01-01', NULL])",
    "NULLIF(JSON '1', NULL)",
    "UNIX_SECONDS(t.date)",
    "UNIX_SECONDS('2024-01-01')",
    "UNIX_SECONDS(CAST(NULL AS INT64))",
    "DATE(t.date, 'UTC')",
    "STRING(t.datetime, 'UTC')",
    "DATE_ADD(t.date, INTERVAL 1 HOUR)",
    "DATE_ADD(t.date, INTERVAL 1 DAY)",
    "DATE_TRUNC(t.date, HOUR)",
    "DATETIME_TRUNC(t.date, HOUR)",
    "DATETIME_TRUNC(t.date, DAY)",
    "TIMESTAMP_ADD(t.date, INTERVAL 1 HOUR)",
    "TIMESTAMP_DIFF(t.date, t.date, HOUR)",
    "TIMESTAMP_DIFF(t.timestamp, t.date, DAY)",
    "EXTRACT(HOUR FROM t.date)",
    "EXTRACT(HOUR FROM t.datetime)",
    "EXTRACT(DAY FROM '2024-01-01')",
    "TO_HEX('x')",
    "MD5('x')",
    "DATE_DIFF('2024-01-01', t.datetime, DAY)",
    "DATE_DIFF(t.datetime, '2024-01-01', DAY)",
    "DATE_DIFF(t.date, '2024-01-01', DAY)",
    "DATE_DIFF('2024-01-01', t.date, DAY)",
    "DATE_DIFF(t.timestamp, '2024-01-01', DAY)",
    "DATE_DIFF('2024-01-01', t.timestamp, DAY)",
    "DATE_DIFF('2024-01-01', '2024-01-01', DAY)",
    "DATE_DIFF(t.date, t.datetime, DAY)",
    "DATE_DIFF(t.date, t.timestamp, DAY)",
    "DATE_DIFF(t.timestamp, t.timestamp, DAY)",
    "DATE_DIFF(t.datetime, t.datetime, DAY)",
    "DATE_DIFF(t.date, NULL, DAY)",
    "DATE_DIFF(NULL, t.timestamp, DAY)",
    "DATE_DIFF(NULL, NULL, DAY)",
    "DATE_DIFF(NULL, '2024-01-01', DAY)",
    "TIMESTAMP_DIFF(t.timestamp, '2024-01-01', DAY)",
    "TIMESTAMP_DIFF('2024-01-01', t.timestamp, DAY)",
    "TIMESTAMP_DIFF('2024-01-01', '2024-01-01', DAY)",
    "TIMESTAMP_DIFF(t.date, '2024-01-01', DAY)",
    "TIMESTAMP_DIFF('2024-01-01', t.date, DAY)",
    "TIMESTAMP_DIFF(t.datetime, '2024-01-01', DAY)",
    "TIMESTAMP_DIFF('2024-01-01', t.datetime, DAY)",
    "TIMESTAMP_DIFF(t.datetime, t.datetime, DAY)",
    "TIMESTAMP_DIFF(t.datetime, t.timestamp, DAY)",
    "TIMESTAMP_DIFF(NULL, t.date, DAY)",
    "TIMESTAMP_DIFF(NULL, NULL, DAY)",
    "DATETIME_DIFF(t.datetime, '2024-01-01', DAY)",
    "DATETIME_DIFF('2024-01-01', t.date, DAY)",
    "DATETIME_DIFF(t.date, '2024-01-01', DAY)",
    "DATETIME_DIFF(t.timestamp, '2024-01-01', DAY)",
    "DATETIME_DIFF('2024-01-01', '2024-01-01', DAY)",
    "TIME_DIFF(t.time, '10:00:00', HOUR)",
    "EXTRACT(DATETIME FROM NULL)",
    "EXTRACT(DATE FROM NULL)",
    "EXTRACT(TIME FROM NULL)",
    "EXTRACT(DAY FROM NULL)",
    "EXTRACT(HOUR FROM NULL)",
    "EXTRACT(ISOWEEK FROM NULL)",
    "EXTRACT(DATETIME FROM t.timestamp)",
    "EXTRACT(DATETIME FROM CAST(NULL AS TIMESTAMP))",
    "EXTRACT(DATETIME FROM t.datetime)",
    "EXTRACT(DATE FROM t.datetime)",
    "EXTRACT(DAY FROM NULL AT TIME ZONE 'UTC')",
    "JSON_QUERY(NULL, '$.a')",
    "JSON_VALUE(NULL, '$.a')",
    "JSON_EXTRACT(NULL, '$.a')",
    "JSON_EXTRACT_SCALAR(NULL, '$.a')",
    "JSON_QUERY_ARRAY(NULL, '$.a')",
    "JSON_VALUE_ARRAY(NULL, '$.a')",
    "JSON_EXTRACT_ARRAY(NULL, '$.a')",
    "JSON_EXTRACT_STRING_ARRAY(NULL, '$.a')",
    "JSON_QUERY(t.string, NULL)",
    "JSON_QUERY(JSON '1', '$.a')",
    "JSON_TYPE(NULL)",
    "TO_JSON_STRING(NULL)",
    "TO_JSON(NULL)",
    "PARSE_JSON(NULL)",
    "SIGN(CAST(NULL AS NUMERIC))",
    "SIGN(NULL)",
    "SIGN(t.numeric)",
    "SIGN(t.bignumeric)",
    "SIGN(1)",
    "SIGN(t.float)",
    "ABS(NULL)",
    "ROUND(NULL)",
    "CEIL(CAST(NULL AS NUMERIC))",
    "ABS(CAST(NULL AS NUMERIC))",
    "t.date IN UNNEST([])",
    "t.string IN UNNEST([])",
    "t.int IN UNNEST([])",
    "t.float IN UNNEST([])",
    "t.numeric IN UNNEST([])",
    "t.bool IN UNNEST([])",
    "t.bytes IN UNNEST([])",
    "t.timestamp IN UNNEST([])",
    "t.string IN UNNEST([NULL])",
    "t.string IN UNNEST(NULL)",
    "NULL IN UNNEST([])",
    "'a' IN UNNEST([])",
    "t.string NOT IN UNNEST([])",
    "t.date - 1",
    "t.date + 1",
    "1 + t.date",
    "1 - t.date",
    "t.date * 2",
    "t.timestamp - 1",
    "t.timestamp + 1",
    "t.datetime - 1",
    "t.date + t.date",
    "ARRAY_LENGTH(NULL)",
    "ARRAY_LENGTH([])",
    "ARRAY_LENGTH([NULL])",
    "ARRAY_REVERSE(NULL)",
    "ARRAY_REVERSE([])",
    "ARRAY_TO_STRING(NULL, ',')",
    "ARRAY_TO_STRING([], ',')",
    "ARRAY_TO_STRING([NULL], ',')",
    "ARRAY_CONCAT(NULL)",
    "ARRAY_CONCAT(NULL, [1])",
    "ARRAY_CONCAT([1], NULL)",
    "ARRAY_CONCAT([], ['a'])",
    "ARRAY_FIRST(NULL)",
    "ARRAY_LAST(NULL)",
    "NULL[OFFSET(0)]",
    "[][OFFSET(0)]",
    "[NULL][OFFSET(0)]",
    "DATE_TRUNC('2024-01-01', DAY)",
    "TIMESTAMP_TRUNC('2024-01-01', HOUR)",
    "TIMESTAMP_TRUNC(NULL, HOUR)",
    "DATE_TRUNC(NULL, DAY)",
    "DATETIME_TRUNC('2024-01-01', HOUR)",
    "DATETIME_TRUNC(NULL, HOUR)",
    "[STRUCT(1 AS k), STRUCT(2)]",
    "[STRUCT(1), STRUCT(2 AS k)]",
    "[STRUCT(1 AS k), STRUCT(2 AS l)]",
    "[STRUCT(1 AS k), STRUCT(2.5 AS l)]",
    "[STRUCT(1 AS k), STRUCT(NULL)]",
    "[NULL, STRUCT(1 AS k), STRUCT(2 AS l)]",
    "COALESCE(STRUCT(1 AS k), STRUCT(2 AS l))",
    "COALESCE(STRUCT(1), STRUCT(2 AS l))",
    "COALESCE(STRUCT(1 AS k), STRUCT(t.float AS l))",
    "COALESCE(STRUCT(t.int AS k), STRUCT(t.float AS l))",
    "COALESCE(STRUCT(t.float AS k), STRUCT(t.int AS l))",
    "COALESCE(STRUCT(t.int AS k, t.float AS m), STRUCT(t.float AS l, t.int AS n))",
    "COALESCE(STRUCT('2024-01-01' AS k), STRUCT(t.date AS l))",
    "IF(t.bool, STRUCT(1 AS k), STRUCT(2 AS l))",
    "IF(t.bool, STRUCT(t.int AS k), STRUCT(1.5 AS l))",
    "IF(t.bool, t.record, STRUCT(1 AS c, 'x' AS d))",
    "CASE WHEN t.bool THEN t.record ELSE STRUCT(1, 'x') END",
    "NULLIF(STRUCT(1 AS k), STRUCT(2 AS l))",
    "[STRUCT(t.int AS k), STRUCT(2 AS l)]",
    "[STRUCT(1 AS k), STRUCT(t.int AS l)]",
    "ARRAY_CONCAT([STRUCT(1 AS k)], [STRUCT(2 AS l)])",
    "STRING_AGG(t.string, NULL)",
    "STRING_AGG(t.string, CAST(NULL AS STRING))",
    "STRING_AGG(t.bytes, NULL)",
    "STRING_AGG(NULL, ',')",
    "STRING_AGG(NULL)",
    "STRING_AGG(NULL, NULL)",
    "HLL_COUNT.INIT(NULL, 12)",
    "HLL_COUNT.INIT(NULL)",
    "HLL_COUNT.INIT(t.int, 12)",
    "HLL_COUNT.INIT(t.int, NULL)",
    "HLL_COUNT.INIT(t.int, 9)",
    "HLL_COUNT.INIT(NULL, 1)",
    "APPROX_QUANTILES(t.int, NULL)",
    "APPROX_QUANTILES(NULL, 2)",
    "APPROX_TOP_COUNT(NULL, 2)",
    "APPROX_TOP_COUNT(t.int, NULL)",
    "ARRAY_AGG(NULL)",
    "SUM(NULL)",
    "MAX(NULL)",
    "COUNTIF(NULL)",
    "LOGICAL_OR(NULL)",
    "AVG(NULL)",
];

fn columns() -> Vec<(&'static str, Type)> {
    let a = Field {
        name: Some(ColumnName::new("a")),
        ty: Type::Int64,
    };
    let b = Field {
        name: Some(ColumnName::new("b")),
        ty: Type::String,
    };
    let k = Field {
        name: Some(ColumnName::new("k")),
        ty: Type::String,
    };
    vec![
        ("bool", Type::Bool),
        ("int", Type::Int64),
        ("float", Type::Float64),
        ("numeric", Type::Numeric),
        ("bignumeric", Type::BigNumeric),
        ("string", Type::String),
        ("bytes", Type::Bytes),
        ("date", Type::Date),
        ("time", Type::Time),
        ("datetime", Type::Datetime),
        ("timestamp", Type::Timestamp),
        ("record", Type::record([a, b])),
        ("list", Type::array(Type::Int64)),
        ("rows", Type::array(Type::record([k]))),
    ]
}

fn texts() -> Vec<String> {
    let pairs = || {
        let with = |a| OPERANDS.iter().map(move |b| (a, *b));
        OPERANDS.iter().flat_map(move |a| with(*a))
    };
    let meet = |place: &str, (a, b): (&str, &str)| place.replace("{a}", a).replace("{b}", b);
    let mut expressions: Vec<String> = Vec::new();
    for place in MEETINGS {
        let all = OPERANDS.iter().enumerate().flat_map(|(number, a)| {
            let rest = OPERANDS.iter().skip(number);
            rest.map(move |b| (*a, *b))
        });
        expressions.extend(all.map(|pair| meet(place, pair)));
    }
    for (number, place) in PLACES.iter().enumerate() {
        // Every place sees other pairs, and all of them many.
        let some = pairs().skip(number).step_by(17);
        expressions.extend(some.map(|pair| meet(place, pair)));
    }
    expressions.extend(EXPRESSIONS.iter().map(|text| (*text).to_owned()));
    let mut texts: Vec<String> = expressions
        .into_iter()
        .map(|expression| format!("SELECT {expression} AS x FROM t"))
        .collect();
    texts.extend(QUERIES.iter().map(|text| (*text).to_owned()));
    texts
}

fn ours(text: &str, catalog: &Catalog) -> Result<Compiled, Diagnostics> {
    let limits = Limits::default();
    let target = Target::BigQuery {
        tables: BTreeMap::new(),
    };
    let call = Call {
        ad_hoc: None,
        parameters: &Parameters::default(),
        now: 0,
        max_rows: 10,
        redaction: None,
        target: &target,
        limits: &limits,
    };
    compile(&prepare(text, catalog, &[], None, &limits)?, &call, None)
}

/// Names and types of the columns of a result.
fn shape(reply: &Json) -> Json {
    list(&reply["columns"])
        .map(|column| json!([column["name"], column["sql_type"]]))
        .collect()
}

#[test]
fn types_meet_and_names_resolve_as_in_googlesql() {
    let Some(mut judge) = Judge::start() else {
        return;
    };
    let mut catalog = Catalog::default();
    let of_stream = columns().into_iter().map(|(name, ty)| Column {
        name: ColumnName::new(name),
        ty,
    });
    catalog.insert(StreamName::new("t"), of_stream.collect());
    let schema: Json = columns()
        .iter()
        .map(|(name, ty)| json!({"name": name, "type": ty.to_string()}))
        .collect();
    let schema = json!({"tables": {"t": schema}});
    let mut ask = |sql: &str| judge.ask(&json!({"cmd": "analyze", "sql": sql, "schema": schema}));
    let mut wrong = Vec::new();
    for text in texts() {
        match (ours(&text, &catalog), ask(&text)) {
            (Ok(compiled), Ok(reply)) => {
                let columns: Json = compiled
                    .columns
                    .iter()
                    .map(|column| json!([column.name.as_str(), column.ty.to_string()]))
                    .collect();
                let printed = ask(&compiled.sql).map(|reply| shape(&reply));
                if columns != shape(&reply) {
                    wrong.push(format!("{text}: {columns}, not {}", shape(&reply)));
                } else if printed.as_ref().ok() != Some(&columns) {
                    wrong.push(format!("{text}: printed as {}: {printed:?}", compiled.sql));
                }
            }
            (Ok(_), Err(refusal)) => {
                wrong.push(format!("{text}: only GoogleSQL refuses: {refusal}"))
            }
            (Err(diagnostics), Ok(_)) => {
                let first = diagnostics.0.first().map_or("", |d| d.message.as_str());
                wrong.push(format!("{text}: only the compiler refuses: {first}"));
            }
            (Err(_), Err(_)) => {}
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
