//! Predicates at random.

use std::cell::Cell;

use proptest::prelude::*;

use super::{PLAIN, SETTINGS, World, compiled, outcome};

/// Values that work on the caller's rows and fail on some of the others.
fn number() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "n",
        "CAST(text AS INT64)",
        "DIV(6, n)",
        "CAST(6 / n AS INT64)",
        "MOD(7, n)",
        "LENGTH(tags[OFFSET(1)])",
        "EXTRACT(DAY FROM PARSE_DATE('%Y-%m-%d', day))",
        "CAST(JSON_VALUE(PARSE_JSON(json), '$.k') AS INT64)",
        "LENGTH(text)",
        "metadata[SAFE_OFFSET(0)].request[SAFE_OFFSET(0)].status",
        "2",
        "0",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} + {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("IFNULL({a}, {b})")),
            (predicate_leaf(), inner.clone(), inner)
                .prop_map(|(p, a, b)| format!("IF({p}, {a}, {b})")),
        ]
    })
}

/// Comparisons that cannot fail, and questions that fail on one foreign row.
fn predicate_leaf() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "text = 'secret'",
        "text <> '1'",
        "text LIKE 'hunter%'",
        "text IS NULL",
        "id BETWEEN 'b' AND 't'",
        "id IN ('a', 's', 'u')",
        "n > 1",
        "n = 0",
        "timestamp > TIMESTAMP '2026-01-01 00:00:03Z'",
        "timestamp <= TIMESTAMP '2026-01-01 01:00:04Z'",
        "metadata[SAFE_OFFSET(0)].owner = 'theirs'",
        "metadata[SAFE_OFFSET(0)].request[SAFE_OFFSET(0)].path IS NOT NULL",
        "1 / (CASE WHEN text = 'secret' THEN 0 ELSE 1 END) > 0",
        "DIV(1, IF(id = 't', 0, 1)) = 1",
        "REGEXP_CONTAINS(text, '[0-9]')",
    ])
    .prop_map(str::to_owned)
}

fn predicate() -> impl Strategy<Value = String> {
    let comparison = (
        number(),
        prop::sample::select(vec!["=", "<>", "<", ">="]),
        number(),
    )
        .prop_map(|(a, op, b)| format!("{a} {op} {b}"));
    prop_oneof![predicate_leaf(), comparison].prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            3 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} AND {b})")),
            2 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} OR {b})")),
            1 => inner.clone().prop_map(|a| format!("(NOT ({a}))")),
            1 => inner.prop_map(|a| format!("(({a}) IS NOT TRUE)")),
        ]
    })
}

fn query() -> impl Strategy<Value = String> {
    (predicate(), predicate(), number(), 0..8_u8).prop_map(|(p, q, v, form)| match form {
        0 => format!("SELECT id FROM logs WHERE {p} AND {q}"),
        1 => format!("SELECT id, {v} AS v FROM logs WHERE {p}"),
        2 => format!("SELECT COUNTIF({p}) AS c, SUM({v}) AS s FROM logs WHERE {q}"),
        3 => format!("SELECT id FROM logs WHERE {p} ORDER BY IFNULL({v}, -1), id, timestamp LIMIT 3"),
        4 => format!("SELECT {v} AS v, COUNT(*) AS c FROM logs WHERE {p} GROUP BY v"),
        5 => format!("WITH w AS (SELECT *, {v} AS v FROM logs WHERE {p}) SELECT id, v FROM w WHERE {q}"),
        6 => format!("SELECT id FROM logs WHERE id IN (SELECT id FROM logs WHERE {p}) AND {q}"),
        _ => format!(
            "SELECT a.id FROM (SELECT * FROM logs WHERE {p}) AS a JOIN (SELECT * FROM logs WHERE {q}) AS b ON a.id = b.id AND a.n = b.n"
        ),
    })
}

#[test]
fn foreign_rows_change_nothing() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let worlds = SETTINGS.map(World::of);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 80,
        max_shrink_iters: 100,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let answered = Cell::new(0);
    let asked = Cell::new(0);
    runner
        .run(&query(), |sql| {
            let query = compiled(PLAIN, &sql, "mine");
            for world in &worlds {
                let alone = runtime.block_on(outcome(&world.own, &query));
                asked.set(asked.get() + 1);
                answered.set(answered.get() + usize::from(alone.is_ok()));
                let both = runtime.block_on(outcome(&world.both, &query));
                prop_assert_eq!(both, alone, "{}", sql);
            }
            Ok(())
        })
        .unwrap();
    let (answered, asked) = (answered.get(), asked.get());
    assert!(
        answered * 2 > asked,
        "only {answered} of {asked} work on the caller's rows"
    );
}
