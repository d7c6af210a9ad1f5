//! What holds of every LQL text: nothing panics, every byte counts, and a printed tree reads back.

use std::collections::BTreeMap;

use jiff::civil::Date;
use logboom::compiler::catalog::parse_schema;
use logboom::compiler::ir::{BinaryOp, DatePart, StreamName};
use logboom::compiler::lql::ast::{
    Aggregate, Chart, FieldTest, Filter, Instant, LEVELS, Moment, Name, Path, Pattern, Query,
    Scalar, ScalarKind, Select, Test, TestKind, TimeTest, Unit,
};
use logboom::compiler::lql::parse::parse;
use logboom::compiler::{
    AdHoc, Call, Catalog, Code, Compiled, Diagnostics, Limits, Parameters, Span, StoredQuery,
    Target, compile, explain, prepare,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const NOW: i64 = 1_772_452_800_000_000;

/// Parts of texts that meet in ways nobody has thought of.
const PARTS: &[&str] = &[
    "m.qty:",
    "m.sku:",
    "m.flags:@>",
    "sku:",
    "t:",
    "f:",
    "s:",
    "c:",
    "f:carts",
    "s:sku",
    "s:sku@x",
    "c:count(*)",
    "c:p95(m.ms)",
    "c:group_by(t::h)",
    "5",
    "-3.5",
    "5..9",
    "NULL",
    "true",
    "vip",
    "today",
    "last@5m",
    "now",
    "2026-03-02",
    "T08:00:00",
    "Z",
    "..",
    "{1..2}",
    "{",
    "}",
    "\"",
    "\\\"",
    "\\",
    "(",
    ")",
    " ",
    " ",
    " ",
    "\t",
    "\n",
    "-",
    "~",
    ">",
    "<",
    "=",
    "@",
    ":",
    "OR",
    "(m.qty:1",
    "word",
    "[a-z]+",
    "*",
    ".",
    "é",
    "日本",
    "\u{0}",
    "\u{2028}",
    "metadata.level:",
    "error..alert",
    "event_message:",
];

fn shop() -> StoredQuery {
    let mut catalog = Catalog::default();
    let columns = parse_schema(include_str!("lql/shop.json")).expect("a schema");
    catalog.insert(StreamName::new("shop"), columns);
    let sql = "WITH carts AS (SELECT * FROM shop) SELECT id FROM carts";
    prepare(sql, &catalog, &[], None, &Limits::default()).expect("a stored query")
}

fn run(stored: &StoredQuery, query: AdHoc<'_>) -> Result<Compiled, Diagnostics> {
    on_bigquery(query, |call| compile(stored, call, None))
}

fn on_bigquery<T>(query: AdHoc<'_>, compile: impl FnOnce(&Call<'_>) -> T) -> T {
    let tables = BTreeMap::new();
    compile(&Call {
        ad_hoc: Some(query),
        parameters: &Parameters::new(),
        now: NOW,
        max_rows: 100,
        redaction: None,
        target: &Target::BigQuery { tables },
        limits: &Limits::default(),
    })
}

/// Returns the places of the filter clauses of a tree.
fn places(filter: &Filter, out: &mut Vec<Span>) {
    match filter {
        Filter::All(filters) | Filter::Any(filters) => filters.iter().for_each(|f| places(f, out)),
        Filter::Not(filter) => places(filter, out),
        Filter::Test(test) => out.push(test.span),
    }
}

/// Returns what of a text is no filter clause, word by word.
fn remainder(text: &str, query: &Query) -> Vec<String> {
    let mut spans = Vec::new();
    query
        .filters
        .iter()
        .for_each(|filter| places(filter, &mut spans));
    let outside = |at: usize| {
        !spans
            .iter()
            .any(|span| (span.start..span.end).contains(&at))
    };
    let left: String = text
        .char_indices()
        .map(|(at, character)| if outside(at) { character } else { ' ' })
        .collect();
    left.split([' ', '\t', '\r', '\n'])
        .filter(|w| !w.is_empty())
        .map(ToOwned::to_owned)
        .collect()
}

fn belongs(word: &str) -> bool {
    let prefixes = ["f:", "from:", "s:", "select:", "c:", "chart:"];
    let bare = word.trim_matches(['(', ')', '-']);
    bare.is_empty() || bare == "OR" || prefixes.iter().any(|prefix| word.starts_with(prefix))
}

fn check_text(text: &str) -> Result<(), TestCaseError> {
    match parse(text, &Limits::default()) {
        Ok(query) => {
            for word in remainder(text, &query) {
                prop_assert!(belongs(&word), "{word:?} of {text:?} was dropped");
            }
            let printed = query.to_string();
            let again = parse(&printed, &Limits::default());
            prop_assert_eq!(
                again.as_ref(),
                Ok(&query),
                "{:?} printed as {:?}",
                text,
                printed
            );
        }
        Err(refusal) => {
            prop_assert!(!refusal.0.is_empty());
            for diagnostic in &refusal.0 {
                // The grammar takes any text apart; what is wrong with it has a name of its own.
                prop_assert!(diagnostic.code != Code::Syntax, "{text:?}");
                let span = diagnostic.span.unwrap_or_default();
                prop_assert!(
                    text.get(span.start..span.end).is_some(),
                    "{diagnostic:?} of {text:?}"
                );
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_whole_or_refused(characters in vec(any::<char>(), 0..60)) {
        check_text(&characters.into_iter().collect::<String>())?;
    }

    #[test]
    fn any_mixture_is_read_whole_or_refused(parts in vec(select(PARTS), 0..14)) {
        check_text(&parts.concat())?;
    }

    #[test]
    fn a_printed_tree_reads_back(query in query()) {
        let printed = query.to_string();
        let read = parse(&printed, &Limits::default());
        prop_assert_eq!(read.as_ref(), Ok(&query), "{}", printed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_printed_text_means_the_same(clauses in vec(select(CLAUSES), 1..6)) {
        let (shop, text) = (shop(), clauses.join(" "));
        if let Ok(compiled) = run(&shop, AdHoc::Lql(&text)) {
            let query = parse(&text, &Limits::default()).expect("it has compiled");
            let printed = query.to_string();
            let again = run(&shop, AdHoc::Lql(&printed));
            prop_assert_eq!(again.as_ref(), Ok(&compiled), "{:?} printed as {:?}", text, printed);
        }
    }

    #[test]
    fn any_text_can_be_explained(text in text(), clauses in vec(select(CLAUSES), 0..4)) {
        let shop = shop();
        let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
        let lql = format!("m.sku:\"{quoted}\" -\"{quoted}\" {}", clauses.join(" "));
        if let Ok(compiled) = run(&shop, AdHoc::Lql(&lql)) {
            let sql = on_bigquery(AdHoc::Lql(&lql), |call| explain(&shop, call));
            let sql = sql.expect("it compiles").expect("it is LQL");
            let again = run(&shop, AdHoc::Sql(&sql));
            prop_assert_eq!(again.as_ref(), Ok(&compiled), "{:?} explained as {}", lql, sql);
        }
    }

    #[test]
    fn the_order_of_clauses_has_no_meaning_for_what_is_refused(clauses in vec(select(CLAUSES), 1..6)) {
        let shop = shop();
        let forwards = run(&shop, AdHoc::Lql(&clauses.join(" ")));
        let backwards: Vec<&str> = clauses.iter().rev().copied().collect();
        prop_assert_eq!(forwards.is_ok(), run(&shop, AdHoc::Lql(&backwards.join(" "))).is_ok(), "{:?}", clauses);
    }
}

/// Whole clauses over the table of the examples, and some that are wrong.
const CLAUSES: &[&str] = &[
    "refused",
    "\"card refused\"",
    "-retry",
    "~^GET",
    "m.qty:5",
    "-m.qty:5..9",
    "m.zip:0042",
    "m.price:>=1.5",
    "m.gift:true",
    "m.note:NULL",
    "-m.note:NULL",
    "m.flags:@>vip",
    "m.level:info..error",
    "m.buyer.address.city:Oslo",
    "m.user.id:9",
    "t:today",
    "-t:last@2h",
    "t:2026-03-{01..02}",
    "t:>2026-03-01",
    "(m.qty:1 OR m.status:>=500)",
    "-(m.qty:1 (refused OR ~x))",
    "((m.qty:1 OR m.qty:2) m.tier:gold)",
    "s:sku",
    "s:m.user.id@uid",
    "s:*",
    "c:count(*)",
    "c:p95(m.ms)",
    "c:group_by(t::day)",
    "f:carts",
    "m.nope:1",
    "m.qty:x",
    "f:other",
    "m.shop:(Tea House)",
];

fn text() -> impl Strategy<Value = String> {
    vec(any::<char>(), 0..12).prop_map(|characters| characters.into_iter().collect())
}

fn identifier() -> impl Strategy<Value = String> {
    let names = [
        "sku", "qty", "metadata", "user", "id", "_x9", "Level", "order", "group", "tt", "mm", "ff",
    ];
    select(names.to_vec()).prop_map(ToOwned::to_owned)
}

fn named(text: String) -> Name {
    Name {
        text,
        span: Span::default(),
    }
}

fn path() -> impl Strategy<Value = Path> {
    vec(identifier(), 1..4).prop_map(|names| Path(names.into_iter().map(named).collect()))
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let patterns = [
        "",
        "a",
        "^(a|b) c$",
        "\\d{3}\\\\",
        "\"[^\"]+\"",
        "(?i)é",
        "a:b",
    ];
    select(patterns.to_vec()).prop_map(|text| Pattern {
        text: text.to_owned(),
        span: Span::default(),
    })
}

fn scalar() -> impl Strategy<Value = Scalar> {
    let kinds = prop_oneof![
        text().prop_map(|text| (text, ScalarKind::Text)),
        number(),
        any::<bool>().prop_map(|value| (value.to_string(), ScalarKind::Bool)),
    ];
    kinds.prop_map(scalar_of)
}

fn number() -> impl Strategy<Value = (String, ScalarKind)> {
    prop_oneof![
        any::<i64>().prop_map(|value| (value.to_string(), ScalarKind::Integer)),
        (any::<i32>(), 0..1_000_u32)
            .prop_map(|(whole, part)| (format!("{whole}.{part}"), ScalarKind::Decimal)),
    ]
}

fn scalar_of((text, kind): (String, ScalarKind)) -> Scalar {
    Scalar {
        text,
        kind,
        span: Span::default(),
    }
}

fn comparison() -> impl Strategy<Value = BinaryOp> {
    select(
        &[
            BinaryOp::Equal,
            BinaryOp::Less,
            BinaryOp::LessOrEqual,
            BinaryOp::Greater,
            BinaryOp::GreaterOrEqual,
        ][..],
    )
}

fn field() -> impl Strategy<Value = TestKind> {
    let test = prop_oneof![
        (comparison(), scalar()).prop_map(|(op, value)| FieldTest::Compare(op, value)),
        (number(), number())
            .prop_map(|(low, high)| FieldTest::Between(scalar_of(low), scalar_of(high))),
        (date(), date()).prop_map(|(low, high)| {
            let end = |date: Date| scalar_of((date.to_string(), ScalarKind::Text));
            FieldTest::Between(end(low), end(high))
        }),
        pattern().prop_map(FieldTest::Matches),
        scalar().prop_map(FieldTest::Has),
        pattern().prop_map(FieldTest::HasMatch),
        Just(FieldTest::IsNull),
    ];
    let levels = (0..LEVELS.len(), 0..LEVELS.len()).prop_map(|(a, b)| {
        let path = Path(vec![
            named("metadata".to_owned()),
            named("level".to_owned()),
        ]);
        TestKind::Field(
            path,
            FieldTest::Levels(
                LEVELS
                    .iter()
                    .take(a.max(b) + 1)
                    .skip(a.min(b))
                    .copied()
                    .collect(),
            ),
        )
    });
    prop_oneof![
        8 => (path(), test).prop_map(|(path, test)| TestKind::Field(path, test)),
        1 => levels,
    ]
}

fn date() -> impl Strategy<Value = Date> {
    (1..9_999_i16, 1..13_i8, 1..29_i8).prop_map(|(y, m, d)| Date::new(y, m, d).expect("a date"))
}

fn point(zoned: bool) -> impl Strategy<Value = Instant> {
    (-62_135_596_800_000_000..253_402_200_000_000_000_i64)
        .prop_map(move |micros| Instant::Point { micros, zoned })
}

fn time() -> impl Strategy<Value = TestKind> {
    let civil = || prop_oneof![date().prop_map(Instant::Day), point(false)];
    let moment = prop_oneof![
        Just(Moment::Now),
        prop_oneof![civil(), point(true)].prop_map(Moment::At)
    ];
    let unit = || select(Unit::ALL);
    let test = prop_oneof![
        (comparison(), moment).prop_map(|(op, moment)| match (op, moment) {
            (BinaryOp::Equal, Moment::At(Instant::Day(date))) => TimeTest::Day(date),
            (op, moment) => TimeTest::Compare(op, moment),
        }),
        (civil(), civil()).prop_map(|(from, to)| TimeTest::Between(from, to)),
        (point(true), point(true)).prop_map(|(from, to)| TimeTest::Between(from, to)),
        Just(TimeTest::Today),
        Just(TimeTest::Yesterday),
        unit().prop_map(|unit| match unit {
            Unit::Second => TimeTest::This(Unit::Minute),
            unit => TimeTest::This(unit),
        }),
        (0..10_000, unit()).prop_map(|(count, unit)| TimeTest::Last(count, unit)),
    ];
    test.prop_map(TestKind::Time)
}

fn filter() -> impl Strategy<Value = Filter> {
    let test = prop_oneof![
        text().prop_map(TestKind::Contains),
        pattern().prop_map(TestKind::Matches),
        field(),
        time(),
    ];
    let leaf = test.prop_map(|kind| {
        Filter::Test(Test {
            kind,
            span: Span::default(),
        })
    });
    leaf.prop_recursive(4, 20, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 2..4).prop_map(Filter::All),
            vec(inner.clone(), 2..4).prop_map(Filter::Any),
            inner.prop_map(|filter| Filter::Not(Box::new(filter))),
        ]
    })
}

fn columns() -> impl Strategy<Value = Vec<Select>> {
    vec(path(), 0..4).prop_map(|paths| {
        let numbered = paths.into_iter().enumerate();
        let columns = numbered.map(|(index, path)| Select {
            path,
            name: format!("c{index}"),
            span: Span::default(),
        });
        columns.collect()
    })
}

fn chart() -> impl Strategy<Value = Chart> {
    let aggregate = prop_oneof![
        proptest::option::of(path()).prop_map(Aggregate::Count),
        proptest::option::of(path()).prop_map(Aggregate::CountDistinct),
        (select(&["AVG", "SUM", "MIN", "MAX"][..]), path())
            .prop_map(|(name, path)| Aggregate::Of(name, path)),
        (select(&[50_u8, 95, 99][..]), path())
            .prop_map(|(percent, path)| Aggregate::Percentile(percent, path)),
    ];
    let periods = [
        DatePart::Second,
        DatePart::Minute,
        DatePart::Hour,
        DatePart::Day,
    ];
    (aggregate, select(periods.to_vec())).prop_map(|(aggregate, period)| Chart {
        aggregate,
        period,
        span: Span::default(),
    })
}

fn query() -> impl Strategy<Value = Query> {
    (
        vec(filter(), 0..4),
        proptest::option::of(identifier()),
        any::<bool>(),
        columns(),
        proptest::option::of(chart()),
    )
        .prop_map(|(filters, from, star, selects, chart)| Query {
            filters,
            from: from.map(named),
            star,
            selects,
            chart,
        })
}
