use std::sync::Arc;

use proptest::prelude::*;

use crate::compiler::diagnostic::Span;
use crate::compiler::googlesql::lexer::{TokenKind, lex};
use crate::compiler::googlesql::parse::parse;
use crate::compiler::ir::{
    BinaryOp, CaseBranch, Column, ColumnName, Cte, CteName, DatePart, ExprKind, Field, Item,
    ParameterName, RangeId, RangeName, SubqueryKind, SubscriptMode, Type, UnaryOp, Value,
};
use crate::compiler::limits::Limits;

use super::*;

fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr::new(kind, ty, Span::default())
}

fn literal(value: Value, ty: Type) -> Expr {
    expr(ExprKind::Literal(value), ty)
}

fn int(value: i64) -> Expr {
    literal(Value::Int64(value), Type::Int64)
}

fn string(value: &str) -> Expr {
    literal(Value::string(value), Type::String)
}

fn column(range: u32, name: &str, ty: Type) -> Expr {
    let column = ColumnName::new(name);
    expr(
        ExprKind::Column {
            range: RangeId(range),
            column,
        },
        ty,
    )
}

fn binary(op: BinaryOp, left: Expr, right: Expr, ty: Type) -> Expr {
    let (left, right) = (Box::new(left), Box::new(right));
    expr(ExprKind::Binary { op, left, right }, ty)
}

fn key(index: usize, ty: Type) -> Expr {
    expr(ExprKind::GroupKey(index), ty)
}

fn record() -> Type {
    Type::record([
        Field {
            name: Some(ColumnName::new("path")),
            ty: Type::String,
        },
        Field {
            name: None,
            ty: Type::Int64,
        },
    ])
}

fn table(range: u32, name: &str, source: Source, columns: &[(&str, Type)]) -> From {
    From::Table(Table {
        range: RangeId(range),
        name: RangeName::new(name),
        source,
        columns: columns
            .iter()
            .map(|(name, ty)| Column {
                name: ColumnName::new(name),
                ty: ty.clone(),
            })
            .collect(),
    })
}

fn stream(range: u32, name: &str) -> From {
    let columns = [
        ("id", Type::String),
        ("timestamp", Type::Timestamp),
        ("metadata", Type::singleton(record())),
    ];
    table(
        range,
        name,
        Source::Stream(StreamName::new("edge")),
        &columns,
    )
}

fn unnest(range: u32, name: &str, array: Expr, offset: Option<&str>) -> From {
    From::Unnest(Unnest {
        range: RangeId(range),
        name: RangeName::new(name),
        array,
        offset: offset.map(ColumnName::new),
    })
}

fn join(kind: JoinKind, left: From, right: From, on: Option<Expr>) -> From {
    From::Join(Box::new(Join {
        kind,
        left,
        right,
        on,
    }))
}

fn block(items: Vec<(&str, Expr)>, from: Option<From>) -> Select {
    Select {
        distinct: false,
        items: items
            .into_iter()
            .map(|(name, expr)| Item {
                name: ColumnName::new(name),
                expr,
            })
            .collect(),
        from,
        filter: None,
        group_by: None,
        having: None,
        qualify: None,
    }
}

fn query(select: Select) -> Query {
    Query {
        body: Body::Select(Box::new(select)),
        order_by: Vec::new(),
        limit: None,
        offset: None,
        span: Span::default(),
    }
}

fn sort(expr: Expr, descending: bool, nulls_first: bool) -> SortKey {
    SortKey {
        expr,
        descending,
        nulls_first,
    }
}

/// Checks the text of a statement, and that our own parser reads it.
#[track_caller]
fn check_statement(statement: &Statement, expected: &str) {
    let tables = BTreeMap::from([(StreamName::new("edge"), "my-project.logs.edge".to_owned())]);
    let text = print(statement, &tables);
    assert_eq!(text, expected);
    assert_eq!(print(statement, &tables), text);
    let readable = text.replace("`my-project`", "`my_project`");
    if let Err(problems) = parse(&readable, &Limits::default()) {
        panic!("{}", problems.render("sql", &readable));
    }
}

#[track_caller]
fn check_query(query: Query, expected: &str) {
    let statement = Statement {
        ctes: Vec::new(),
        query,
    };
    check_statement(&statement, expected);
}

#[track_caller]
fn check(expression: Expr, expected: &str) {
    let query = query(block(vec![("x", expression)], None));
    check_query(query, &format!("SELECT {expected} AS `x`"));
}

#[test]
fn constants() {
    let timestamp = 1_704_164_645_678_901;
    let strings = Type::array(Type::String);
    for (value, ty, expected) in [
        (Value::Null, Type::Int64, "NULL"),
        (Value::Null, Type::String, "CAST(NULL AS STRING)"),
        (
            Value::Null,
            record(),
            "CAST(NULL AS STRUCT<`path` STRING, INT64>)",
        ),
        (Value::Bool(true), Type::Bool, "TRUE"),
        (Value::Int64(5), Type::Int64, "5"),
        (Value::Int64(-5), Type::Int64, "(-5)"),
        (
            Value::Int64(i64::MIN),
            Type::Int64,
            "(-9223372036854775808)",
        ),
        (Value::Float64(1.0), Type::Float64, "1.0"),
        (Value::Float64(-0.0), Type::Float64, "(-0.0)"),
        (Value::Float64(5e-324), Type::Float64, "5e-324"),
        (Value::Float64(1e300), Type::Float64, "1e300"),
        (
            Value::Float64(f64::NAN),
            Type::Float64,
            "CAST('nan' AS FLOAT64)",
        ),
        (
            Value::Float64(f64::NEG_INFINITY),
            Type::Float64,
            "CAST('-inf' AS FLOAT64)",
        ),
        (
            Value::Decimal(Arc::from("-12.5")),
            Type::Numeric,
            "NUMERIC '-12.5'",
        ),
        (
            Value::Decimal(Arc::from("1")),
            Type::BigNumeric,
            "BIGNUMERIC '1'",
        ),
        (
            Value::string("it's \\ \"`\n\u{0}é\u{1f600}"),
            Type::String,
            "'it\\'s \\\\ \"`\\u000a\\u0000\\u00e9\\U0001f600'",
        ),
        (
            Value::Bytes(Arc::from([0, b'a', b'\'', b'\\', 255])),
            Type::Bytes,
            "b'\\x00a\\'\\\\\\xff'",
        ),
        (Value::Date(0), Type::Date, "DATE '1970-01-01'"),
        (Value::Date(-1), Type::Date, "DATE '1969-12-31'"),
        (Value::Date(11_016), Type::Date, "DATE '2000-02-29'"),
        (Value::Date(-719_162), Type::Date, "DATE '0001-01-01'"),
        (Value::Date(2_932_896), Type::Date, "DATE '9999-12-31'"),
        (
            Value::Date(2_932_897),
            Type::Date,
            "DATE_FROM_UNIX_DATE(2932897)",
        ),
        (Value::Time(1), Type::Time, "TIME '00:00:00.000001'"),
        (Value::Time(86_399_000_000), Type::Time, "TIME '23:59:59'"),
        (
            Value::Datetime(-1),
            Type::Datetime,
            "DATETIME '1969-12-31 23:59:59.999999'",
        ),
        (
            Value::Timestamp(timestamp),
            Type::Timestamp,
            "TIMESTAMP '2024-01-02 03:04:05.678901+00'",
        ),
        (
            Value::Timestamp(0),
            Type::Timestamp,
            "TIMESTAMP '1970-01-01 00:00:00+00'",
        ),
        (
            Value::Timestamp(i64::MAX),
            Type::Timestamp,
            "TIMESTAMP_MICROS(9223372036854775807)",
        ),
        (
            Value::Timestamp(i64::MIN),
            Type::Timestamp,
            "TIMESTAMP_MICROS(-9223372036854775808)",
        ),
        (
            Value::Json(Arc::from("{\"a\": 1}")),
            Type::Json,
            "JSON '{\"a\": 1}'",
        ),
        (
            Value::Array(vec![]),
            strings.clone(),
            "CAST([] AS ARRAY<STRING>)",
        ),
        (
            Value::Array(vec![Value::string("a"), Value::Null]),
            strings,
            "['a', CAST(NULL AS STRING)]",
        ),
    ] {
        check(literal(value, ty), expected);
    }
}

#[test]
fn operators() {
    let x = || column(9, "x", Type::Int64);
    let boxed = |e: Expr| Box::new(e);
    for (kind, expected) in [
        (
            ExprKind::Unary {
                op: UnaryOp::Minus,
                operand: boxed(int(-1)),
            },
            "(-((-1)))",
        ),
        (
            ExprKind::Unary {
                op: UnaryOp::Not,
                operand: boxed(x()),
            },
            "(NOT (`range_9`.`x`))",
        ),
        (
            ExprKind::And(vec![x(), x(), x()]),
            "(`range_9`.`x` AND `range_9`.`x` AND `range_9`.`x`)",
        ),
        (
            ExprKind::IsNull {
                operand: boxed(x()),
                negated: true,
            },
            "(`range_9`.`x` IS NOT NULL)",
        ),
        (
            ExprKind::IsBool {
                operand: boxed(x()),
                value: false,
                negated: true,
            },
            "(`range_9`.`x` IS NOT FALSE)",
        ),
        (
            ExprKind::IsDistinct {
                left: boxed(x()),
                right: boxed(int(1)),
                negated: false,
            },
            "(`range_9`.`x` IS DISTINCT FROM 1)",
        ),
        (
            ExprKind::InList {
                operand: boxed(x()),
                list: vec![int(1), int(2)],
                negated: true,
            },
            "(`range_9`.`x` NOT IN (1, 2))",
        ),
        (
            ExprKind::Between {
                operand: boxed(x()),
                low: boxed(int(1)),
                high: boxed(int(2)),
                negated: false,
            },
            "(`range_9`.`x` BETWEEN 1 AND 2)",
        ),
        (
            ExprKind::Like {
                operand: boxed(x()),
                pattern: boxed(string("a\\%")),
                negated: true,
            },
            "(`range_9`.`x` NOT LIKE 'a\\\\%')",
        ),
        (
            ExprKind::Case {
                operand: None,
                branches: vec![CaseBranch {
                    condition: Expr::bool(true),
                    value: int(1),
                }],
                otherwise: Some(boxed(int(2))),
            },
            "(CASE WHEN TRUE THEN 1 ELSE 2 END)",
        ),
        (
            ExprKind::Cast {
                operand: boxed(string("1")),
                safe: true,
            },
            "SAFE_CAST('1' AS INT64)",
        ),
        (
            ExprKind::Cast {
                operand: boxed(x()),
                safe: false,
            },
            "`range_9`.`x`",
        ),
        (
            ExprKind::Interval {
                value: boxed(int(-5)),
                part: DatePart::Day,
            },
            "INTERVAL (-5) DAY",
        ),
        (ExprKind::Parameter(ParameterName::new("p")), "@p"),
        (
            ExprKind::Field {
                base: boxed(column(9, "r", record())),
                index: 0,
            },
            "`range_9`.`r`.`path`",
        ),
        (
            ExprKind::Field {
                base: boxed(column(9, "r", record())),
                index: 1,
            },
            "`range_9`.`r`[OFFSET(1)]",
        ),
        (
            ExprKind::Field {
                base: boxed(expr(ExprKind::Struct(vec![string("a"), int(1)]), record())),
                index: 0,
            },
            "(STRUCT('a' AS `path`, 1)).`path`",
        ),
        (
            ExprKind::Subscript {
                base: boxed(column(9, "r", Type::array(Type::Int64))),
                index: boxed(int(0)),
                mode: SubscriptMode::SafeOffset,
            },
            "`range_9`.`r`[SAFE_OFFSET(0)]",
        ),
        (ExprKind::Array(vec![int(1), int(2)]), "[1, 2]"),
        (
            ExprKind::Subquery {
                kind: SubqueryKind::Exists,
                query: boxed_query(query(block(vec![("a", int(1))], None))),
            },
            "EXISTS(SELECT 1 AS `a`)",
        ),
    ] {
        check(expr(kind, Type::Int64), expected);
    }
    check(
        binary(BinaryOp::Concat, string("a"), string("b"), Type::String),
        "('a' || 'b')",
    );
    let scalar = expr(
        ExprKind::Subquery {
            kind: SubqueryKind::Scalar,
            query: boxed_query(query(block(vec![("a", int(1))], None))),
        },
        Type::Int64,
    );
    check(
        expr(
            ExprKind::InList {
                operand: boxed(int(1)),
                list: vec![scalar],
                negated: false,
            },
            Type::Bool,
        ),
        "(1 = (SELECT 1 AS `a`))",
    );
}

fn boxed_query(query: Query) -> Box<Query> {
    Box::new(query)
}

#[test]
fn a_statement() {
    let metadata = || column(0, "metadata", Type::singleton(record()));
    let sub_table = block(
        vec![
            ("id", column(0, "id", Type::String)),
            ("metadata", metadata()),
        ],
        Some(stream(0, "t")),
    );
    let source = Source::Cte(CteId(7));
    let columns = [
        ("id", Type::String),
        ("metadata", Type::singleton(record())),
    ];
    let from = join(
        JoinKind::Left,
        join(
            JoinKind::Cross,
            table(1, "edge_logs", source, &columns),
            unnest(
                2,
                "id",
                column(1, "metadata", Type::singleton(record())),
                Some("pos"),
            ),
            None,
        ),
        join(
            JoinKind::Inner,
            stream(3, "T"),
            stream(4, "t"),
            Some(Expr::bool(true)),
        ),
        None,
    );
    let path = expr(
        ExprKind::Field {
            base: Box::new(expr(ExprKind::Element(RangeId(2)), record())),
            index: 0,
        },
        Type::String,
    );
    let mut select = block(
        vec![
            ("path", path),
            ("t", expr(ExprKind::Offset(RangeId(2)), Type::Int64)),
            ("row", expr(ExprKind::Row(RangeId(4)), record())),
        ],
        Some(from),
    );
    select.filter = Some(Expr::bool(true));
    let mut outer = query(select);
    outer.order_by = vec![
        sort(expr(ExprKind::Output(0), Type::String), true, false),
        sort(int(1), false, true),
        sort(column(1, "id", Type::String), false, false),
    ];
    outer.limit = Some(10);
    outer.offset = Some(5);
    let statement = Statement {
        ctes: vec![Cte {
            id: CteId(7),
            name: CteName::new("edge_logs"),
            query: query(sub_table),
        }],
        query: outer,
    };
    check_statement(
        &statement,
        "WITH `edge_logs` AS (SELECT `t_2`.`id` AS `id`, `t_2`.`metadata` AS `metadata` FROM \
         `my-project`.`logs`.`edge` AS `t_2`) SELECT `id_2`.`path` AS `path`, `pos` AS `t`, `t_4` AS `row` \
         FROM `edge_logs` AS `edge_logs_2` CROSS JOIN UNNEST(`edge_logs_2`.`metadata`) AS `id_2` \
         WITH OFFSET AS `pos` LEFT JOIN (`my-project`.`logs`.`edge` AS `T_3` INNER JOIN \
         `my-project`.`logs`.`edge` AS `t_4` ON TRUE) ON TRUE WHERE TRUE ORDER BY `path` DESC, \
         `edge_logs_2`.`id` ASC NULLS LAST LIMIT 10 OFFSET 5",
    );
}

#[test]
fn group_keys() {
    let upper = || {
        binary(
            BinaryOp::Concat,
            column(0, "id", Type::String),
            string("x"),
            Type::String,
        )
    };
    let grouped = |items: Vec<(&str, Expr)>, keys: Vec<Expr>, rollup: bool| {
        let mut select = block(items, Some(stream(0, "e")));
        select.group_by = Some(GroupBy { keys, rollup });
        select
    };
    let id = || column(0, "id", Type::String);
    let text = || key(0, Type::String);

    // A path is written as it is, wherever it is used.
    let mut select = grouped(vec![("a", text())], vec![id()], true);
    select.having = Some(binary(BinaryOp::Equal, text(), string("y"), Type::Bool));
    check_query(
        query(select),
        "SELECT `e`.`id` AS `a` FROM `my-project`.`logs`.`edge` AS `e` GROUP BY ROLLUP(`e`.`id`) \
         HAVING (`e`.`id` = 'y')",
    );

    // One output column, and its name in ORDER BY.
    let mut outer = query(grouped(
        vec![("n", int(1)), ("a", text())],
        vec![upper()],
        false,
    ));
    outer.order_by = vec![sort(text(), false, true)];
    check_query(
        outer,
        "SELECT 1 AS `n`, (`e`.`id` || 'x') AS `a` FROM `my-project`.`logs`.`edge` AS `e` GROUP BY 2 \
         ORDER BY `a` ASC",
    );

    // Any other use makes a column of it; so does a key that is no output.
    let item = binary(BinaryOp::Concat, text(), string("y"), Type::String);
    check_query(
        query(grouped(
            vec![("keys", item)],
            vec![upper(), string("k")],
            false,
        )),
        "SELECT (`keys_2`.`key_1` || 'y') AS `keys` FROM `my-project`.`logs`.`edge` AS `e` CROSS JOIN \
         UNNEST([STRUCT((`e`.`id` || 'x') AS `key_1`, 'k' AS `key_2`)]) AS `keys_2` GROUP BY \
         `keys_2`.`key_1`, `keys_2`.`key_2`",
    );

    // All rows are one group although no function is left that says so.
    check_query(
        query(grouped(vec![("n", int(1))], vec![], false)),
        "SELECT 1 AS `n` FROM `my-project`.`logs`.`edge` AS `e` GROUP BY ()",
    );
}

#[test]
fn other_forms() {
    let one = || query(block(vec![("a", int(1))], None));
    let mut set = one();
    set.body = Body::Set(Box::new(SetOperation {
        operator: SetOperator::Union,
        all: true,
        arms: vec![one(), one(), one()],
        columns: one().columns(),
    }));
    set.order_by = vec![sort(expr(ExprKind::Output(0), Type::Int64), true, true)];
    set.offset = Some(1);
    check_query(
        set,
        "(SELECT 1 AS `a`) UNION ALL (SELECT 1 AS `a`) UNION ALL (SELECT 1 AS `a`) ORDER BY `a` DESC \
         NULLS FIRST LIMIT 9223372036854775807 OFFSET 1",
    );

    let mut select = block(vec![("a", int(1))], None);
    select.filter = Some(Expr::bool(false));
    check_query(
        query(select),
        "SELECT 1 AS `a` FROM (SELECT NULL) WHERE FALSE",
    );

    let derived = From::Derived {
        range: RangeId(0),
        name: RangeName::new("a"),
        query: Box::new(one()),
    };
    let filtered = From::Filtered {
        input: Box::new(derived),
        condition: Expr::bool(true),
    };
    check_query(
        query(block(
            vec![("b", column(0, "a", Type::Int64))],
            Some(filtered),
        )),
        "SELECT `a_2`.`a` AS `b` FROM (SELECT 1 AS `a`) AS `a_2` INNER JOIN (SELECT NULL) ON TRUE",
    );
}

/// A stream without a table, and names that no lexer of ours lets through.
#[test]
fn names_cannot_end_early() {
    let source = Source::Stream(StreamName::new("a`b"));
    let from = table(0, "x` AS y, `z\\", source, &[("c", Type::Int64)]);
    let statement = Statement {
        ctes: Vec::new(),
        query: query(block(vec![("d", column(0, "c`", Type::Int64))], Some(from))),
    };
    assert_eq!(
        print(&statement, &BTreeMap::new()),
        "SELECT `x\\` AS y, \\`z\\\\`.`c\\`` AS `d` FROM `a\\`b` AS `x\\` AS y, \\`z\\\\`"
    );
}

proptest! {
    #[test]
    fn any_string_is_read_back(text in any::<String>()) {
        let mut out = Out::default();
        super::literal::string(&mut out, &text);
        let (out, _) = out.finish();
        prop_assert!(out.bytes().all(|b| (b' '..=b'~').contains(&b)));
        let tokens = lex(&out, &Limits { literal_bytes: usize::MAX, query_bytes: usize::MAX, ..Limits::default() });
        let kinds: Vec<TokenKind> = tokens.expect("a literal").into_iter().map(|t| t.kind).collect();
        prop_assert_eq!(kinds, vec![TokenKind::String(text)]);
    }

    #[test]
    fn any_bytes_are_read_back(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let mut out = Out::default();
        super::literal::value(&mut out, &Value::Bytes(Arc::from(bytes.as_slice())), &Type::Bytes);
        let (out, _) = out.finish();
        let tokens = lex(&out, &Limits::default()).expect("a literal");
        prop_assert_eq!(&tokens[0].kind, &TokenKind::Bytes(bytes));
        prop_assert_eq!(tokens.len(), 1);
    }

    #[test]
    fn any_float_is_read_back(number in any::<f64>()) {
        prop_assume!(number.is_finite());
        let mut out = Out::default();
        super::literal::value(&mut out, &Value::Float64(number.abs()), &Type::Float64);
        let (out, _) = out.finish();
        let tokens = lex(&out, &Limits::default()).expect("a literal");
        let TokenKind::Number(text) = &tokens[0].kind else {
            return Err(TestCaseError::fail(out));
        };
        prop_assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(number.abs().to_bits()));
    }
}
