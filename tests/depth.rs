//! No text overflows the stack that the service gives a query, in a debug build as well: every construct
//! that can be nested or chained, at the limits and far beyond them.

use std::collections::BTreeMap;

use logboom::compiler::{AdHoc, Call, Diagnostics, Limits, Target, compile, invariant};
use logboom::endpoint::{Argument, Endpoints};
use logboom::server::STACK_BYTES;

/// A construct: what goes before, around on both sides, in the middle and after it.
struct Construct(
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

impl Construct {
    fn nested(&self, depth: usize) -> String {
        let Construct(before, left, middle, right, after) = self;
        format!(
            "{before}{}{middle}{}{after}",
            left.repeat(depth),
            right.repeat(depth)
        )
    }
}

const CONSTRUCTS: &[Construct] = &[
    Construct("select ", "(", "1", ")", " as x"),
    Construct("select ", "- ", "1", "", " as x"),
    Construct("select ", "~", "1", "", " as x"),
    Construct("select ", "not ", "true", "", " as x"),
    Construct("select ", "(not ", "true", ")", " as x"),
    Construct("select ", "case when true then ", "1", " end", " as x"),
    Construct("select ", "case ", "1", " when 1 then 1 end", " as x"),
    Construct("select ", "if(true, ", "1", ", 2)", " as x"),
    Construct("select ", "coalesce(", "1", ")", " as x"),
    Construct("select ", "abs(", "1", ")", " as x"),
    Construct("select ", "cast(", "1", " as int64)", " as x"),
    Construct("select ", "safe_cast(", "1", " as string)", " as x"),
    Construct("select ", "[", "1", "]", " as x"),
    Construct("select ", "array(select ", "1", ")", " as x"),
    Construct("select ", "struct(", "1", ")", " as x"),
    Construct("select ", "(select ", "1", ")", " as x"),
    Construct("select ", "exists(select ", "1", ")", " as x"),
    Construct("select ", "1 in (select ", "1", ")", " as x"),
    Construct("select ", "1 in (", "1", ")", " as x"),
    Construct("select ", "1 in unnest([", "1", "])", " as x"),
    Construct(
        "select ",
        "extract(year from ",
        "current_timestamp()",
        ")",
        " as x",
    ),
    Construct("select ", "interval ", "1", " day", " as x"),
    Construct("select ", "[1][offset(", "0", ")]", " as x"),
    Construct("select ", "sum(", "1", ") over ()", " as x"),
    Construct(
        "select sum(1) over (order by ",
        "(",
        "id",
        ")",
        ") as x from edge_logs",
    ),
    Construct("select cast(null as ", "array<", "int64", ">", ") as x"),
    Construct("select cast(null as ", "struct<a ", "int64", ">", ") as x"),
    Construct("select ", "1 + ", "1", "", " as x"),
    Construct("select 1", "", "", " + 1", " as x"),
    Construct("select 'a'", "", "", " || 'a'", " as x"),
    Construct("select 1", "", "", " * 1 + 1", " as x"),
    Construct("select true", "", "", " and true", " as x"),
    Construct("select true", "", "", " or true and false", " as x"),
    Construct("select ", "(true and ", "true", ")", " as x"),
    Construct("select true", "", "", " is true", " as x"),
    Construct("select 1", "", "", " is null", " as x"),
    Construct("select 1", "", "", " = 1", " as x"),
    Construct("select 1", "", "", " between 1 and 2", " as x"),
    Construct("select 'a'", "", "", " like 'a'", " as x"),
    Construct("select 1", "", "", " in (1)", " as x"),
    Construct("select 1", "", "", " is distinct from 1", " as x"),
    Construct("select [1]", "", "", "[offset(0)]", " as x"),
    Construct("select (1)", "", "", ".a", " as x"),
    Construct(
        "select metadata",
        "",
        "",
        "[0].request",
        " as x from edge_logs",
    ),
    Construct("select id", "", "", ".id", " as x from edge_logs"),
    Construct("select id as x from edge_logs", "", "", ".id", ""),
    Construct("select 1 as x", "", "", ", 1", ""),
    Construct("select x -> ", "x -> ", "1", "", ""),
    Construct("", "select * from (", "select 1 as x", ")", ""),
    Construct("", "(", "select 1 as x", ")", ""),
    Construct("", "(", "select 1 as x", " union all select 2)", ""),
    Construct("", "select 1 as x union all (", "select 1", ")", ""),
    Construct("select 1 as x", "", "", " union all select 1", ""),
    Construct("select 1 as x", "", "", " except distinct select 1", ""),
    Construct("", "with t as (", "select 1 as x", ") select * from t", ""),
    Construct(
        "with t as (select 1 as x)",
        "",
        "",
        ", t as (select * from t)",
        " select * from t",
    ),
    Construct(
        "select 1 as x from ",
        "(edge_logs as a join ",
        "edge_logs",
        " on true)",
        "",
    ),
    Construct(
        "select 1 as x from edge_logs",
        "",
        "",
        " cross join edge_logs",
        "",
    ),
    Construct("select 1 as x from edge_logs", "", "", ", edge_logs", ""),
    Construct(
        "select 1 as x from edge_logs",
        " join edge_logs",
        "",
        " on true",
        "",
    ),
    Construct("select (1, 2) in ((1, 2)", "", "", ", (1, 2)", ") as x"),
    Construct("select ", "(", "1", ", 2) = (1, 2)", " as x"),
    Construct(
        "select r = r as x from (select ",
        "struct(",
        "1",
        " as a)",
        " as r)",
    ),
    Construct(
        "select distinct id from edge_logs order by id",
        "",
        "",
        " || id",
        "",
    ),
    Construct(
        "select 1 as x from edge_logs",
        "",
        "",
        " left join edge_logs on true",
        "",
    ),
    Construct(
        "select 1 as x from edge_logs ",
        "join edge_logs ",
        "",
        " on true",
        "",
    ),
    Construct("select 1 as x from edge_logs", "", "", ", unnest([1])", ""),
    Construct(
        "select 1 as x from ",
        "unnest(array(select 1 from ",
        "edge_logs",
        "))",
        "",
    ),
    Construct("select 1 as x", "", "", ";", ""),
    Construct("", "select ", "1", "", ""),
    Construct("select ", "/*", "1", "*/", ""),
    Construct(
        "select count(*) as x from edge_logs group by id",
        "",
        "",
        ", id",
        "",
    ),
    Construct(
        "select 1 as x from edge_logs order by id",
        "",
        "",
        ", id",
        "",
    ),
    Construct("select case", "", "", " when true then 1", " end as x"),
    Construct("select ", "struct(1 as a, ", "1 as b", ")", ".a as x"),
    Construct(
        "select 1 as x from edge_logs where ",
        "id in (select id from edge_logs where ",
        "true",
        ")",
        "",
    ),
    Construct("select ", "regexp_contains('a', r'", "a", "')", " as x"),
    Construct("select regexp_contains('a', r'", "(", "a", ")", "') as x"),
    Construct("select json_value('{}', '$", "", "", ".a", "') as x"),
];

/// How often each construct is nested: around the limits of nesting, of the parser and of chains, and as
/// often as the limit on the text allows.
const DEPTHS: &[usize] = &[1, 2, 15, 31, 32, 49, 50, 300, 301, 1_000, MOST];

/// No construct is accepted as often as this.
const MOST: usize = 60_000;

/// Returns texts that combine what is bounded by itself: chains in brackets inside of chains, and long FROM
/// clauses inside of one another.
fn combined(limits: &Limits) -> Vec<String> {
    let mut texts = Vec::new();
    for levels in [2, 3, 5, 10, 20, 30, 60] {
        for length in [limits.chain / levels, limits.chain] {
            for (operator, operand) in [
                (" + ", "1"),
                (" || ", "'a'"),
                (" and ", "true"),
                (" = ", "1"),
            ] {
                let chain = format!("{operator}{operand}").repeat(length);
                let left = "(".repeat(levels) + operand + &format!("{chain})").repeat(levels);
                let right = format!("({operand}{chain}{operator}").repeat(levels);
                let right = right + operand + &")".repeat(levels);
                let middle = format!("({operand}{operator}").repeat(levels);
                let middle = middle + operand + &format!("{chain})").repeat(levels);
                for text in [left, middle, right] {
                    texts.push(format!("select {text} as x"));
                }
            }
        }
        let unnests: String = (0..limits.from_items.saturating_sub(1))
            .map(|index| format!(" left join unnest([1]) as u{index} on d.x = u{index}"))
            .collect();
        let open = "select 1 as x from (".repeat(levels);
        let close = format!(") as d{unnests}").repeat(levels);
        texts.push(format!("{open}select 1 as x{close}"));
        let structs = "select struct(s, s, s, s, s, s, s, s) as s from (".repeat(levels);
        let close = ")".repeat(levels);
        texts.push(format!(
            "select s = s as x from ({structs}select 1 as s{close})"
        ));
    }
    texts
}

fn outcome(
    endpoints: &Endpoints,
    sql: &str,
    target: &Target,
    limits: &Limits,
) -> Result<(), Diagnostics> {
    let endpoint = endpoints.get("logs.all").expect("it ships");
    let project = ("project".to_owned(), Argument::Text("demo".to_owned()));
    let bound = endpoint.bind(&[project]).expect("the argument is right");
    let call = Call {
        ad_hoc: Some(AdHoc::Sql(sql)),
        parameters: &bound.parameters,
        now: 0,
        max_rows: 1000,
        redaction: None,
        target,
        limits,
    };
    compile(&endpoint.query, &call, None).map(|_| ())
}

/// Runs on a stack as large as the service gives a query.
fn on_a_query_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    thread
        .spawn(test)
        .expect("there are threads")
        .join()
        .expect("it ends");
}

/// Compiles a text for both engines; returns whether one accepts it.
fn is_accepted(endpoints: &Endpoints, sql: &str, limits: &Limits) -> bool {
    let tables = BTreeMap::new();
    let outcomes = [Target::BigQuery { tables }, Target::Embedded].map(|target| {
        let outcome = outcome(endpoints, sql, &target, limits);
        if let Err(refused) = &outcome {
            invariant::diagnostics(sql, refused).expect("it can be shown");
        }
        outcome.is_ok()
    });
    outcomes.contains(&true)
}

fn check_constructs(limits: &Limits, depths: &[usize]) {
    let endpoints = Endpoints::built_in(&Limits::default());
    for construct in CONSTRUCTS {
        for depth in depths {
            let sql = construct.nested(*depth);
            let accepted = is_accepted(&endpoints, &sql, limits);
            assert!(!accepted || *depth < MOST, "{depth} times in {sql:.80}");
        }
    }
    let texts = combined(limits);
    let accepted = texts
        .iter()
        .filter(|sql| is_accepted(&endpoints, sql, limits));
    assert!(accepted.count() > 20, "most are beyond a limit");
}

#[test]
fn as_many_operators_inside_of_one_another_as_in_one_chain_are_accepted() {
    on_a_query_stack(|| {
        let limits = Limits::default();
        let endpoints = Endpoints::built_in(&limits);
        for (third, accepted) in [(limits.chain / 3, true), (limits.chain / 3 + 1, false)] {
            let chain = " + 1".repeat(third);
            let sql = format!("select (((1{chain}){chain}){chain}) as x");
            assert_eq!(is_accepted(&endpoints, &sql, &limits), accepted, "{sql}");
        }
    });
}

#[test]
fn no_construct_overflows_the_stack() {
    on_a_query_stack(|| check_constructs(&Limits::default(), DEPTHS));
}

#[test]
fn no_construct_overflows_the_stack_under_the_deepest_limits() {
    let Limits {
        nesting,
        depth,
        chain,
        tokens,
        ..
    } = Limits::DEEPEST;
    let depths = [nesting - 1, depth - 1, chain - 1, chain, tokens / 2, MOST];
    on_a_query_stack(move || {
        let limits = Limits {
            query_bytes: usize::MAX,
            table_references: usize::MAX,
            cross_joins: usize::MAX,
            set_arms: usize::MAX,
            output_bytes: usize::MAX,
            ..Limits::DEEPEST
        };
        check_constructs(&limits, &depths);
    });
}
