//! Texts that are nearly queries: pieces of SQL in any order, corpus queries with damage, queries from a
//! small grammar.

use logboom::compiler::Limits;
use logboom::compiler::googlesql::lexer;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Pieces that readers of SQL disagree about, and common words.
const PIECES: &[&str] = &[
    "'",
    "''",
    "'''",
    "\"",
    "\"\"\"",
    "`",
    "``",
    "\\",
    "\\'",
    "\\\\",
    "r'",
    "b'",
    "rb\"",
    "N'",
    "x'",
    "u&'",
    "$$",
    "--",
    "#",
    "/*",
    "*/",
    "//",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\0",
    "\u{a0}",
    "\u{2028}",
    "é",
    "’",
    "🦀",
    ";",
    ",",
    ".",
    "..",
    "*",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "<<",
    ">>",
    "<>",
    "!=",
    "=",
    "==",
    "||",
    "|",
    "|>",
    "&",
    "&&",
    "^",
    "~",
    "-",
    "- -",
    "+",
    "/",
    "%",
    ":",
    "::",
    "?",
    "@",
    "@@",
    "@x",
    "@project",
    "0x",
    "0x1F",
    "1e",
    "1e5",
    ".5",
    "1.",
    "9223372036854775808",
    "1_000",
    " ",
    "  ",
    "select ",
    "from ",
    "where ",
    "as ",
    "edge_logs",
    "edge",
    "`edge`",
    "metadata",
    "id",
    "timestamp",
    "unnest(",
    "union all ",
    "with ",
    "t as (",
    "null",
    "cast(",
    "case ",
    "when ",
    "then ",
    "end ",
    "interval ",
    "day",
    "limit ",
    "offset ",
    "over ()",
    "group by ",
    "order by ",
    "struct(",
    "array(",
    "safe.",
    "net.",
    "date '2026-01-01'",
];

/// Pieces of SQL in any order.
pub fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![9 => select(PIECES).prop_map(ToOwned::to_owned), 1 => any::<String>()];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// One way to damage a text.
#[derive(Clone, Debug)]
enum Damage {
    /// Leaves a token out.
    Delete(Index),
    /// Writes a token twice.
    Repeat(Index),
    /// Exchanges two tokens.
    Swap(Index, Index),
    /// Puts a token of another query in the place of one.
    Splice(Index, Index, Index),
    /// Puts a piece in front of a token.
    Insert(Index, &'static str),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<Index>;
    prop_oneof![
        at().prop_map(Damage::Delete),
        at().prop_map(Damage::Repeat),
        (at(), at()).prop_map(|(a, b)| Damage::Swap(a, b)),
        (at(), at(), at()).prop_map(|(a, other, b)| Damage::Splice(a, other, b)),
        (at(), select(PIECES)).prop_map(|(a, piece)| Damage::Insert(a, piece)),
    ]
}

/// Queries of a corpus with a few tokens changed.
pub fn damaged(corpus: Vec<String>) -> impl Strategy<Value = String> {
    let corpus: Vec<Vec<String>> = corpus.iter().map(|query| tokens(query)).collect();
    let corpus: Vec<_> = corpus.into_iter().filter(|t| !t.is_empty()).collect();
    let changes = prop::collection::vec(damage(), 1..4);
    (any::<Index>(), changes).prop_map(move |(at, changes)| {
        let mut tokens = at.get(&corpus).clone();
        for change in changes {
            apply(&mut tokens, &change, &corpus);
        }
        tokens.join(" ")
    })
}

fn apply(tokens: &mut Vec<String>, change: &Damage, corpus: &[Vec<String>]) {
    if tokens.is_empty() {
        return;
    }
    let length = tokens.len();
    match change {
        Damage::Delete(at) => {
            tokens.remove(at.index(length));
        }
        Damage::Repeat(at) => {
            let at = at.index(length);
            tokens.insert(at, tokens[at].clone());
        }
        Damage::Swap(a, b) => tokens.swap(a.index(length), b.index(length)),
        Damage::Splice(at, other, from) => {
            tokens[at.index(length)] = from.get(other.get::<Vec<String>>(corpus)).clone();
        }
        Damage::Insert(at, piece) => tokens.insert(at.index(length), (*piece).to_owned()),
    }
}

/// Returns the tokens of a query as they are written; its words when it has none.
fn tokens(query: &str) -> Vec<String> {
    match lexer::lex(query, &Limits::default()) {
        Ok(tokens) => tokens
            .iter()
            .map(|token| query[token.span.start..token.span.end].to_owned())
            .collect(),
        Err(_) => query.split_whitespace().map(ToOwned::to_owned).collect(),
    }
}

/// Queries from a small grammar, most of which are accepted.
pub fn query() -> impl Strategy<Value = String> {
    let clauses = (
        select(&["", "distinct "][..]),
        prop::collection::vec(expr(), 1..4),
        select(FROM),
        prop::option::of(expr()),
        select(GROUP),
        select(ORDER),
    );
    let block = clauses.prop_map(|(distinct, items, from, filter, group, order)| {
        let items: Vec<String> = items
            .iter()
            .enumerate()
            .map(|(i, item)| format!("{item} as c{i}"))
            .collect();
        let filter = filter.map_or(String::new(), |filter| {
            format!("where ({filter}) is not null")
        });
        (
            format!(
                "select {distinct}{} from {from} {filter} {group}",
                items.join(", ")
            ),
            order,
        )
    });
    let set = select(
        &[
            "union all",
            "union distinct",
            "except distinct",
            "intersect distinct",
        ][..],
    );
    let last = (block, prop::option::of(set));
    last.prop_map(|((block, order), set)| match set {
        Some(set) => format!("({block}) {set} ({block}) {order}"),
        None => format!("with w as ({block}) select * from w {order}"),
    })
}

const FROM: &[&str] = &[
    "edge_logs as t",
    "edge_logs as t, t.metadata as m",
    "edge_logs as t cross join unnest(t.metadata) as m with offset as o",
    "edge_logs as t left join unnest(t.metadata) as m left join unnest(m.request) as r",
    "edge_logs as t join auth_logs as a using (id)",
    "edge_logs as t left join (auth_logs as a cross join unnest(a.metadata) as m) on t.id = a.id",
    "(select id, timestamp, 1.5 as event_message from edge_logs) as t",
    "chart_counts as t",
];

const GROUP: &[&str] = &[
    "",
    "",
    "",
    "group by 1",
    "group by all",
    "group by rollup(1)",
];

const ORDER: &[&str] = &[
    "",
    "order by 1",
    "order by c0 desc nulls last limit 7 offset 3",
];

/// Expressions over the names that FROM may bring.
fn expr() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        select(LEAVES).prop_map(ToOwned::to_owned),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| format!("{number:?}")),
    ];
    leaf.prop_recursive(4, 16, 3, |inner| {
        let two = (inner.clone(), select(BINARY), inner.clone());
        let call = (select(CALLS), prop::collection::vec(inner.clone(), 1..4));
        prop_oneof![
            two.prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            (select(UNARY), inner.clone()).prop_map(|(op, a)| op.replace('$', &a)),
            call.prop_map(|(name, args)| format!("{name}({})", args.join(", "))),
            (inner.clone(), inner.clone(), inner)
                .prop_map(|(a, b, c)| format!("case when ({a}) is null then {b} else {c} end")),
        ]
    })
}

const LEAVES: &[&str] = &[
    "id",
    "t.id",
    "timestamp",
    "t.timestamp",
    "event_message",
    "metadata",
    "t",
    "m",
    "r.path",
    "o",
    "null",
    "true",
    "''",
    "'\\\\'",
    "'\\n--'",
    "b'\\xff'",
    "r'\\'",
    "[]",
    "[1, null]",
    "date '2024-02-29'",
    "timestamp '0001-01-01'",
    "numeric '-0.000000001'",
    "json '{\"a\":1}'",
    "count(*)",
    "total_auth_requests",
    "-9223372036854775808",
    "(select 1)",
    "struct(1 as a, 'b')",
];

const BINARY: &[&str] = &[
    "+",
    "-",
    "*",
    "/",
    "||",
    "=",
    "!=",
    "<",
    ">=",
    "and",
    "or",
    "in",
    "like",
    "&",
    "|",
    "^",
    "<<",
    "is distinct from",
];

const UNARY: &[&str] = &[
    "(not $)",
    "- $",
    "~$",
    "($ is null)",
    "($ is not true)",
    "($ between $ and 3)",
    "($ in ($, 1))",
    "cast($ as string)",
    "safe_cast($ as int64)",
    "array($)",
    "exists(select $)",
    "[$]",
    "$[safe_offset(0)]",
    "row_number() over (partition by $ order by id)",
    "sum($) over ()",
    "(select max($) from auth_logs)",
    "timestamp_add($, interval 1 day)",
    "extract(year from $)",
];

const CALLS: &[&str] = &[
    "if",
    "coalesce",
    "concat",
    "lower",
    "substr",
    "greatest",
    "count",
    "max",
    "string_agg",
    "array_agg",
    "approx_quantiles",
    "timestamp_trunc",
    "format_timestamp",
    "regexp_contains",
    "json_value",
    "struct",
    "safe.substr",
    "net.host",
    "ifnull",
    "nullif",
];
