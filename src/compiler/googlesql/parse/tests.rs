use proptest::prelude::*;
use sqlparser::ast::{Expr, LimitClause, SelectItem, SetExpr, TableFactor};

use super::*;

fn parsed(text: &str) -> Result<ast::Query, Diagnostics> {
    parse(text, &Limits::default())
}

#[track_caller]
fn accept(text: &str) {
    if let Err(problems) = parsed(text) {
        panic!("{}", problems.render("sql", text));
    }
}

#[track_caller]
fn refuse(text: &str, code: Code, message: &str) {
    let problems = parsed(text)
        .err()
        .unwrap_or_else(|| panic!("accepted: {text}"))
        .0;
    let problem = problems.first().expect("a refusal has a reason");
    assert_eq!(
        (problem.code, problem.message.as_str()),
        (code, message),
        "{text}"
    );
}

/// Parses `SELECT <text>` and returns the tree of the expression, spans left out.
#[track_caller]
fn expression(text: &str) -> Expr {
    let query = parsed(&format!("SELECT {text}")).unwrap_or_else(|e| panic!("{text}: {e}"));
    let SetExpr::Select(select) = *query.body else {
        panic!("{text}: no select");
    };
    match select.projection.into_iter().next() {
        Some(SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) => expr,
        other => panic!("{text}: {other:?}"),
    }
}

/// Writes an expression with its grouping made visible.
fn grouped(expr: &Expr) -> String {
    match expr {
        Expr::BinaryOp { left, op, right } => {
            format!("({} {op} {})", grouped(left), grouped(right))
        }
        Expr::UnaryOp { op, expr } => format!("({op} {})", grouped(expr)),
        Expr::Nested(expr) => grouped(expr),
        Expr::IsNull(expr) => format!("({} IS NULL)", grouped(expr)),
        Expr::Between {
            expr,
            low,
            high,
            negated,
        } => format!(
            "({} {}BETWEEN {} AND {})",
            grouped(expr),
            if *negated { "NOT " } else { "" },
            grouped(low),
            grouped(high)
        ),
        Expr::Like { expr, pattern, .. } => {
            format!("({} LIKE {})", grouped(expr), grouped(pattern))
        }
        other => other.to_string(),
    }
}

#[test]
fn operators_bind_as_in_googlesql() {
    for (text, expected) in [
        ("a || b * c", "(a || (b * c))"),
        ("a * b || c", "((a * b) || c)"),
        ("a + b || c", "(a + (b || c))"),
        ("a || b - c", "((a || b) - c)"),
        ("~a * b", "((~ a) * b)"),
        ("~a || b", "((~ a) || b)"),
        ("-a * b", "((- a) * b)"),
        ("- -a", "(- (- a))"),
        ("-a.b[0] + 1", "((- a.b[0]) + 1)"),
        ("a * b / c", "((a * b) / c)"),
        ("a - b - c", "((a - b) - c)"),
        ("a << b + c", "(a << (b + c))"),
        ("a & b << c", "(a & (b << c))"),
        ("a | b ^ c & d", "(a | (b ^ (c & d)))"),
        ("a | b = c", "((a | b) = c)"),
        ("NOT a = b", "(NOT (a = b))"),
        ("NOT a AND b", "((NOT a) AND b)"),
        ("a OR b AND c", "(a OR (b AND c))"),
        (
            "a = b OR c = d AND e = f",
            "((a = b) OR ((c = d) AND (e = f)))",
        ),
        ("a BETWEEN b AND c AND d", "((a BETWEEN b AND c) AND d)"),
        (
            "a NOT BETWEEN b + 1 AND c OR d",
            "((a NOT BETWEEN (b + 1) AND c) OR d)",
        ),
        ("a LIKE b || c", "(a LIKE (b || c))"),
        ("a + b IS NULL", "((a + b) IS NULL)"),
        ("(a = b) = c", "((a = b) = c)"),
        ("a IS NULL AND b", "((a IS NULL) AND b)"),
    ] {
        assert_eq!(grouped(&expression(text)), expected, "{text}");
    }
    for (text, message) in [
        (
            "SELECT a = b = c",
            "expected parentheses around the operand, found `=`",
        ),
        (
            "SELECT a < b IS TRUE",
            "expected parentheses around the operand, found `IS`",
        ),
        (
            "SELECT a IS NULL = b",
            "expected parentheses around the operand, found `=`",
        ),
        (
            "SELECT a IN (1) LIKE b",
            "expected parentheses around the operand, found `LIKE`",
        ),
        (
            "SELECT a = NOT b",
            "expected parentheses around the operand, found `NOT`",
        ),
        (
            "SELECT a + NOT b",
            "expected parentheses around the operand, found `NOT`",
        ),
    ] {
        refuse(text, Code::Syntax, message);
    }
}

#[test]
fn queries_as_clients_write_them() {
    for text in [
        "select e.timestamp, id, event_message, parsed.error_severity from e cross join unnest(metadata) as m cross join unnest(m.parsed) as parsed where (parsed.error_severity not in ('FATAL', 'PANIC')) order by timestamp desc limit 20",
        "SELECT\n-- chart\n timestamp_trunc(t.timestamp, minute) as timestamp, count(CASE WHEN r.status >= 500 THEN 1 END) as error_count,\nFROM e t where t.timestamp > '2026-03-01T00:00:00.000Z' GROUP BY\ntimestamp\nORDER BY timestamp ASC\n  ",
        "select metadata[0].parsed[0].user_name as db_user from d where metadata[SAFE_OFFSET(0)].parsed[offset(0)].a IN ('A', 'B')",
        "select cast(timestamp as datetime) as timestamp, h.x from e left join unnest(metadata) as m on true left join unnest(m.request) as r on true where h.x is not null",
        "select r.path, count(*) as count, avg(x) as avg from e cross join unnest(metadata) m group by 1 order by 2 desc, path limit 10 offset 5;",
        "SELECT timestamp_trunc(t.timestamp, minute) AS ts FROM e t WHERE t.timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 90 MINUTE) GROUP BY ts",
        "WITH params AS (SELECT TIMESTAMP('2026-03-01T00:00:00Z') AS start_ts), base AS (SELECT ts FROM a, params) SELECT ts, 'x' FROM base UNION ALL SELECT ts, 'y' FROM base ORDER BY ts DESC",
        "select a.id from a left join ( b as eg cross join unnest (metadata) as m cross join unnest (m.response) as r ) on a.id = eg.id left join unnest(a.x) as x left join unnest(x.y) as y where true",
        "SELECT ARRAY_AGG(STRUCT(l.id, l.level AS level) ORDER BY l.id DESC LIMIT 5) as lines, STRING_AGG(DISTINCT a, ',') FROM l",
        "select ip, rank() over (partition by a order by hits desc rows between unbounded preceding and current row) as position from (select h.ip AS ip, COUNT(*) AS hits from t group by ip) where hits >= 1 qualify row_number() over w = 1 window w as (order by ip)",
        "select 'hello' as world, true as flag, 1.5 as ratio, null as nothing",
        "select date '2026-01-01', timestamp '2026-01-01 00:00:00+00', datetime '2026-01-01T00:00:00', numeric '1.5', json '{}', b'a'",
        "select extract(week(monday) from ts at time zone 'UTC'), date_trunc(d, week(monday)), extract(date from ts), extract(isoyear from ts) from x",
        "select * except (a) replace (b + 1 as b), t.* except (c) from t",
        "select x, off from unnest([1, 2]) as x with offset as off cross join unnest([3])",
        "select x, offset from unnest([1]) x with offset cross join unnest([3]) y with offset o2",
        "(select 1)",
        "((select 1) union all (select 2)) order by 1",
        "select if(a, 1, 2), left(b, 1), right(b, 1), grouping(a), string(j.x), int64(j), bool(j), date(ts), timestamp(d), replace(a, b, c) from t",
        "select a is not distinct from b, a is unknown, a in unnest([1]), exists(select 1), array(select 1), [1, 2], struct<a int64, b array<struct<c string>>>(1, []) from t",
        "select any_value(a having max b), count(distinct a), first_value(a ignore nulls) over (order by b), array_agg(a ignore nulls) from t group by rollup(a, b)",
        "select current_date, current_timestamp, current_datetime, current_time, current_date('UTC')",
        "select safe_cast(a as array<int64>), cast(a as numeric(10, 2)), net.host(a), safe.parse_timestamp('%F', a), hll_count.init(a) from t",
        "select distinct a from t intersect distinct select b from t except distinct select c from t",
        "select a from t where exists (select 1 from t.arr as x where x = a) and a not like '%x' and not b is null",
        "select t.a.b.c, (select as struct 1 as x).x, t.select, t.timestamp.date from t",
        "select json_value(a, '$.b') = @p, a between @lo and @hi from t limit @n offset @m",
        "select a from t group by all having count(*) > 1 order by a nulls last",
    ] {
        accept(text);
    }
}

#[test]
fn words_that_are_no_reserved_ones_are_names() {
    for word in [
        "count",
        "timestamp",
        "date",
        "time",
        "hour",
        "day",
        "value",
        "values",
        "first",
        "last",
        "offset",
        "row",
        "replace",
        "pivot",
        "table",
        "index",
        "key",
        "user",
        "position",
        "level",
        "type",
        "format",
        "minus",
        "semi",
        "anti",
        "filter",
        "interpolate",
        "sample",
        "top",
        "div",
        "match",
        "json",
        "string",
        "int64",
        "safe_cast",
        "current_date",
        "zone",
        "sets",
        "min",
        "max",
        "unknown",
        "begin",
        "trim",
        "ceil",
        "substr",
        "convert",
        "overlay",
        "xor",
        "start",
        "connect",
        "cluster",
        "sort",
        "final",
        "prewhere",
        "settings",
        "global",
        "asof",
        "use",
        "force",
        "returning",
        "view",
        "lambda",
        "map",
        "prior",
    ] {
        accept(&format!(
            "SELECT 1 AS {word}, 2 {word}, {word}, t.{word}, {word}.a + 1 FROM {word} AS {word} WHERE {word} = 1 GROUP BY {word} ORDER BY {word} DESC"
        ));
        accept(&format!(
            "SELECT x FROM t {word} JOIN u {word} ON {word}.a = 1 CROSS JOIN UNNEST([1]) {word}"
        ));
        accept(&format!(
            "WITH {word} AS (SELECT 1) SELECT {word} FROM {word}, UNNEST([1]) WITH OFFSET {word}"
        ));
    }
    for word in [
        "all",
        "and",
        "any",
        "array",
        "as",
        "asc",
        "at",
        "between",
        "by",
        "case",
        "cast",
        "collate",
        "contains",
        "create",
        "cross",
        "cube",
        "current",
        "default",
        "define",
        "desc",
        "distinct",
        "else",
        "end",
        "enum",
        "escape",
        "except",
        "exclude",
        "exists",
        "extract",
        "false",
        "fetch",
        "following",
        "for",
        "from",
        "full",
        "group",
        "grouping",
        "groups",
        "hash",
        "having",
        "if",
        "ignore",
        "in",
        "inner",
        "intersect",
        "interval",
        "into",
        "is",
        "join",
        "lateral",
        "left",
        "like",
        "limit",
        "lookup",
        "merge",
        "natural",
        "new",
        "no",
        "not",
        "null",
        "nulls",
        "of",
        "on",
        "or",
        "order",
        "outer",
        "over",
        "partition",
        "preceding",
        "proto",
        "qualify",
        "range",
        "recursive",
        "respect",
        "right",
        "rollup",
        "rows",
        "select",
        "set",
        "some",
        "struct",
        "tablesample",
        "then",
        "to",
        "treat",
        "true",
        "unbounded",
        "union",
        "unnest",
        "using",
        "when",
        "where",
        "window",
        "with",
        "within",
    ] {
        assert!(parsed(&format!("SELECT 1 AS {word}")).is_err(), "{word}");
        assert!(
            parsed(&format!("SELECT x FROM t AS {word}")).is_err(),
            "{word}"
        );
        accept(&format!(
            "SELECT 1 AS `{word}`, `{word}` + 1, t.{word}, t.{word}.{word} FROM `{word}` AS `{word}`"
        ));
    }
}

#[test]
fn functions_are_plain_calls() {
    for name in [
        "SUBSTR",
        "SUBSTRING",
        "TRIM",
        "CEIL",
        "FLOOR",
        "CONVERT",
        "OVERLAY",
        "POSITION",
        "REPLACE",
        "LEFT",
        "RIGHT",
        "DATE",
        "TIMESTAMP",
        "STRING",
        "CURRENT_DATE",
        "CURRENT_TIMESTAMP",
        "IF",
        "TRY_CAST",
        "MATCH",
        "NORMALIZE",
        "FORMAT",
        "MOD",
        "DIV",
    ] {
        for prefix in ["", "SAFE."] {
            let text = format!("{prefix}{name}(a, 1)");
            let expr = expression(&text);
            let Expr::Function(function) = &expr else {
                panic!("{text}: {expr:?}");
            };
            assert_eq!(
                function.name.to_string(),
                format!("{prefix}{name}"),
                "{text}"
            );
        }
    }
    for name in [
        "CURRENT_DATE",
        "CURRENT_TIME",
        "CURRENT_DATETIME",
        "CURRENT_TIMESTAMP",
    ] {
        assert!(matches!(expression(name), Expr::Function(_)), "{name}");
    }
}

#[test]
fn literals_arrive_decoded_and_are_never_names() {
    let value = |text: &str| match expression(text) {
        Expr::Value(value) => value.value,
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(text_of(&value(r"'a\'\\\x41'")), Some("a'\\A"));
    let ast::Value::SingleQuotedByteStringLiteral(bytes) = value(r"b'\xff\x00a'") else {
        panic!("bytes expected");
    };
    assert_eq!(bytes_of(&bytes), [0xff, 0, b'a']);
    assert_eq!(value("0x1F"), ast::Value::Number("31".to_owned(), false));
    assert_eq!(value("@P"), ast::Value::Placeholder("@p".to_owned()));
    for text in [
        "SELECT 1 'a'",
        "SELECT 1 AS 'a'",
        "SELECT a.'b' FROM t",
        "SELECT a.1 FROM t",
        "SELECT a.@b FROM t",
        "SELECT 1 FROM 't'",
        "SELECT 1 FROM a, 't'",
        "SELECT 1 FROM a 't'",
        "SELECT 1 FROM @t",
        "SELECT 1 FROM b't'",
        "SELECT * EXCEPT ('a') FROM t",
        "SELECT 1 FROM a JOIN b USING ('id')",
        "WITH 'a' AS (SELECT 1) SELECT 1",
        "SELECT SUM(1) OVER 'w'",
    ] {
        assert!(parsed(text).is_err(), "{text}");
    }
}

#[test]
fn spans_are_byte_offsets() {
    let text = "SELECT 'é', `name` FROM tbl";
    let query = parsed(text).expect("a query");
    let SetExpr::Select(select) = *query.body else {
        panic!("a select");
    };
    let Some(SelectItem::UnnamedExpr(Expr::Identifier(name))) = select.projection.get(1) else {
        panic!("a name");
    };
    let span = span_of(name.span);
    assert_eq!(text.get(span.start..span.end), Some("`name`"));
    assert_eq!((name.value.as_str(), name.quote_style), ("name", Some('`')));
    let Some(TableFactor::Table { name, .. }) = select.from.first().map(|t| &t.relation) else {
        panic!("a table");
    };
    let span = span_of(name.0[0].as_ident().expect("a name").span);
    assert_eq!(text.get(span.start..span.end), Some("tbl"));
    assert!(span_of(sql::Span::empty()).is_empty());
}

#[test]
fn with_offset_has_a_name() {
    for (text, expected) in [
        ("SELECT 1 FROM UNNEST(a) WITH OFFSET", "offset"),
        (
            "SELECT 1 FROM UNNEST(a) AS x WITH OFFSET CROSS JOIN b",
            "offset",
        ),
        ("SELECT 1 FROM UNNEST(a) AS x WITH OFFSET WHERE b", "offset"),
        ("SELECT 1 FROM UNNEST(a) AS x WITH OFFSET, b", "offset"),
        ("SELECT 1 FROM UNNEST(a) AS x WITH OFFSET AS o", "o"),
        (
            "SELECT 1 FROM UNNEST(a) AS x WITH OFFSET pos JOIN b ON c",
            "pos",
        ),
        ("SELECT 1 FROM UNNEST(a) AS x WITH OFFSET `join`", "join"),
    ] {
        let query = parsed(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let SetExpr::Select(select) = *query.body else {
            panic!("{text}");
        };
        let Some(TableFactor::UNNEST {
            with_offset_alias, ..
        }) = select.from.first().map(|t| &t.relation)
        else {
            panic!("{text}");
        };
        let alias = with_offset_alias.as_ref().map(|a| a.value.as_str());
        assert_eq!(alias, Some(expected), "{text}");
    }
}

#[test]
fn limit_and_offset() {
    let query = parsed("SELECT 1 LIMIT 5 OFFSET 2").expect("a query");
    assert!(matches!(
        query.limit_clause,
        Some(LimitClause::LimitOffset {
            limit: Some(_),
            offset: Some(_),
            ..
        })
    ));
}

#[test]
fn only_one_query_is_accepted() {
    for (text, message) in [
        ("delete from auth_logs where true", "DELETE is no query"),
        ("DROP TABLE x", "DROP is no query"),
        ("set x = 1", "SET is no query"),
        ("values (1)", "VALUES is no query"),
        (
            "select 1; drop table x",
            "the text has more than one statement",
        ),
        ("select 1;;", "the text has more than one statement"),
        (";select 1", "the text has more than one statement"),
    ] {
        refuse(text, Code::NotAQuery, message);
    }
    refuse(
        "from t |> where a",
        Code::Unsupported,
        "a query that begins with FROM is not accepted",
    );
    refuse(
        "select 1 |> where a",
        Code::Unsupported,
        "pipe syntax is not accepted",
    );
    refuse(
        "  -- not written yet\n",
        Code::EmptyQuery,
        "the text has no query",
    );
    refuse(
        "frobnicate",
        Code::Syntax,
        "a query begins with SELECT or WITH",
    );
    for text in [
        "with a as (delete from t) select 1",
        "with a as (select 1) insert into t select 1",
        "select 1 union all table t",
        "(table t)",
        "select * from (values (1))",
        "select (insert into t values (1))",
        "explain select 1",
        "select 1 into t",
        "select * from t for update",
        "select * from t tablesample system (1 percent)",
        "select * from lateral (select 1)",
        "select a => 1",
        "select f(1 => 2)",
        "select f(=> 1)",
        "select (*) from t",
        "select timestamp 5",
        "select date null",
        "with case as (select 1) select 1",
        "select 1 from t join true on a",
    ] {
        assert!(parsed(text).is_err(), "{text}");
    }
}

#[test]
fn messages_are_in_our_words() {
    for (text, message, help) in [
        (
            "select",
            "expected an expression, found the end of the query",
            "",
        ),
        (
            "select a from",
            "expected a name, found the end of the query",
            "",
        ),
        (
            "select a from t where",
            "expected an expression, found the end of the query",
            "",
        ),
        ("select a b c from t", "unexpected `c`", ""),
        ("select from t", "expected an expression, found `from`", ""),
        ("select a from t group a", "unexpected `group`", ""),
        (
            "select a from where b",
            "expected a table, found the reserved word WHERE",
            "put it in backticks if it is a name",
        ),
        ("select cast(a as) from t", "expected a type, found `)`", ""),
        (
            "select cast(a, int64) from t",
            "expected `AS`, found `,`",
            "",
        ),
        (
            "select a ilike 'x' from t",
            "unexpected a string literal",
            "write LOWER(x) LIKE '%text%'",
        ),
        (
            "select a from t where a ilike 'x'",
            "unexpected `ilike`",
            "write LOWER(x) LIKE '%text%'",
        ),
        (
            "select a from t where a ~ 'x'",
            "unexpected `~`",
            "a pattern is matched by REGEXP_CONTAINS(x, r'…')",
        ),
        (
            "select a from t limit 1, 2",
            "unexpected `,`",
            "write LIMIT count OFFSET skip",
        ),
        (
            "select top 5 a from t",
            "unexpected `5`",
            "write LIMIT count at the end of the query",
        ),
        (
            "select interval '5 days'",
            "expected a unit after the interval, found the end of the query",
            "write INTERVAL 15 MINUTE: a number and a unit in the singular",
        ),
        (
            "select extract(epoch from t)",
            "expected a date part such as DAY, found `epoch`",
            "write UNIX_SECONDS(timestamp)",
        ),
        (
            "select a from t order by a natural",
            "NATURAL is a reserved word for a form that is not accepted here",
            "name the columns: JOIN … USING (id)",
        ),
        (
            "select a from t cross b",
            "expected `JOIN` after CROSS, found `b`",
            "",
        ),
        ("select 'at Line: 1, Column: 3' 5", "unexpected `5`", ""),
    ] {
        let problems = parsed(text)
            .err()
            .unwrap_or_else(|| panic!("accepted: {text}"))
            .0;
        let problem = problems.first().expect("a refusal has a reason");
        let help_of = problem.help.as_deref().unwrap_or("");
        assert_eq!(
            (problem.message.as_str(), help_of),
            (message, help),
            "{text}"
        );
    }
}

/// Runs on the stack of a thread of the server, in a debug build.
#[test]
fn hostile_texts_do_not_exhaust_the_stack() {
    let limits = Limits::default();
    let mut texts = vec![
        format!("SELECT {}1", "1+".repeat(3900)),
        format!("SELECT {}a", "a||".repeat(3900)),
        format!("SELECT a{}", " AND a".repeat(3900)),
        format!("SELECT a{}", " IS NULL".repeat(3000)),
        format!("SELECT a{}", ".a".repeat(3900)),
        format!("SELECT a{}", "[0]".repeat(2600)),
        format!("SELECT 1{}", " UNION ALL SELECT 1".repeat(1900)),
        format!("SELECT 1{}", ",1".repeat(3900)),
        format!("SELECT {}1", "- ".repeat(7000)),
        format!("SELECT {}1", "NOT ".repeat(7000)),
        format!("SELECT {}1", "~".repeat(7000)),
        format!("SELECT {}1", "CASE ".repeat(7000)),
        format!("SELECT {}1", "CASE WHEN ".repeat(3000)),
        format!("SELECT {}1", "INTERVAL ".repeat(7000)),
        format!("SELECT CAST(a AS {}INT64", "ARRAY<".repeat(3000)),
        format!("SELECT {}1", "STRUCT<a ".repeat(2500)),
        format!("SELECT * FROM t{}", " JOIN t".repeat(3000)),
        format!("SELECT * FROM t{}", " LEFT JOIN t ON a".repeat(1500)),
        format!("SELECT {}", "CASE-".repeat(3500)),
        format!("SELECT a{}", " a".repeat(7000)),
        format!("SELECT a{}", " BETWEEN a AND a".repeat(1900)),
        format!("WITH {} SELECT 1", vec!["a AS (SELECT 1)"; 1100].join(",")),
    ];
    for open in [
        "(",
        "[",
        "f(",
        "(SELECT ",
        "ARRAY(SELECT ",
        "a IN (",
        "a[",
        "STRUCT(",
        "CAST(",
        "EXISTS(SELECT ",
    ] {
        texts.push(format!("SELECT {}1", open.repeat(3000)));
        let depth = limits.nesting;
        let close = if open.contains('[') { "]" } else { ")" };
        texts.push(format!(
            "SELECT {}1{}",
            open.repeat(depth),
            close.repeat(depth)
        ));
    }
    for open in ["(", "(SELECT * FROM ", "(t JOIN "] {
        let depth = limits.nesting;
        texts.push(format!(
            "SELECT * FROM {}t{}",
            open.repeat(depth),
            ")".repeat(depth)
        ));
    }
    let run = move || {
        for text in texts {
            let _ = parse(&text, &Limits::default());
        }
    };
    std::thread::Builder::new()
        .stack_size(2 * 1024 * 1024)
        .spawn(run)
        .expect("a thread")
        .join()
        .expect("no panic");
}

fn words() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "select",
        "from",
        "where",
        "group by",
        "having",
        "order by",
        "limit",
        "offset",
        "with",
        "as",
        "a",
        "`b`",
        "t",
        "join",
        "left join",
        "cross join",
        "unnest",
        "on",
        "using",
        "union all",
        "except",
        "intersect",
        "distinct",
        "case",
        "when",
        "then",
        "else",
        "end",
        "not",
        "and",
        "or",
        "in",
        "like",
        "between",
        "is",
        "null",
        "exists",
        "array",
        "struct",
        "cast",
        "safe_cast",
        "extract",
        "interval",
        "day",
        "timestamp",
        "date",
        "current_date",
        "over",
        "partition by",
        "rows",
        "range",
        "qualify",
        "window",
        "all",
        "any",
        "*",
        ",",
        ".",
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
        ">>",
        "<<",
        "=",
        "!=",
        "+",
        "-",
        "~",
        "||",
        "|",
        ";",
        "1",
        "1.5",
        "'s'",
        "b'x'",
        "@p",
        "if",
        "replace",
        "value",
        "first",
        "nulls",
        "pivot",
        "count",
        "safe",
        "rollup",
    ]);
    prop::collection::vec(word, 0..40).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// A problem has a place inside the text and says something.
    #[test]
    fn any_sequence_of_words_is_parsed_or_refused(rest in words(), closed in any::<bool>()) {
        let open = rest.matches('(').count();
        let text = if closed {
            format!("SELECT {rest}{}", ")".repeat(open.saturating_sub(rest.matches(')').count())))
        } else {
            format!("SELECT {rest}")
        };
        if let Err(problems) = parsed(&text) {
            prop_assert!(!problems.0.is_empty());
            for problem in problems.0 {
                prop_assert!(!problem.message.is_empty());
                if let Some(span) = problem.span {
                    prop_assert!(text.get(span.start..span.end).is_some(), "{:?}", problem);
                }
            }
        }
    }
}
