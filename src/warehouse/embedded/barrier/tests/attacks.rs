//! Queries that fail on foreign rows, or ask about them.

use super::{COMPUTED, PLAIN, SETTINGS, World, compiled, outcome};

/// Queries over [`PLAIN`] that work on the caller's rows.
const ATTACKS: &[&str] = &[
    // Casts, arithmetic, parsing, subscripts.
    "SELECT id FROM logs WHERE CAST(text AS INT64) > 0",
    "SELECT CAST(text AS INT64) AS v FROM logs",
    "SELECT id FROM logs WHERE 1 / n > 0",
    "SELECT id FROM logs WHERE DIV(10, n) > 1",
    "SELECT id FROM logs WHERE MOD(10, n) = 0",
    "SELECT id FROM logs WHERE n + 1 > 1",
    "SELECT id FROM logs WHERE -n < 0",
    "SELECT id FROM logs WHERE ABS(n) > 1",
    "SELECT id FROM logs WHERE tags[OFFSET(1)] = 'y'",
    "SELECT id FROM logs WHERE tags[ORDINAL(1)] = 'x'",
    "SELECT id FROM logs WHERE PARSE_DATE('%Y-%m-%d', day) > DATE '2026-01-01'",
    "SELECT id FROM logs WHERE PARSE_TIMESTAMP('%Y-%m-%d', day) IS NOT NULL",
    "SELECT id FROM logs WHERE CAST(day AS DATE) IS NOT NULL",
    "SELECT id FROM logs WHERE TIMESTAMP(day) > TIMESTAMP '2026-01-01'",
    "SELECT id FROM logs WHERE TIMESTAMP_MICROS(n * 4) IS NOT NULL",
    "SELECT id FROM logs WHERE PARSE_JSON(json) IS NOT NULL",
    "SELECT id FROM logs WHERE JSON_VALUE(PARSE_JSON(json), '$.k') = '1'",
    "SELECT id FROM logs WHERE REGEXP_REPLACE(text, '[0-9]', '') = '' AND CAST(text AS INT64) = 1",
    "SELECT id FROM logs WHERE REGEXP_EXTRACT(text, '^[0-9]$') = CAST(CAST(text AS INT64) AS STRING)",
    "SELECT id FROM logs WHERE CHR(n + 60) > 'a' OR n > 0",
    "SELECT id FROM logs WHERE SUBSTR(text, 1, n) = text",
    "SELECT l.id FROM logs AS l, UNNEST(l.metadata) AS m, UNNEST(m.request) AS r WHERE DIV(1000, r.status) > 1",
    // Questions with yes or no.
    "SELECT id FROM logs WHERE 1 / (CASE WHEN text = 'secret' THEN 0 ELSE 1 END) > 0",
    "SELECT id FROM logs WHERE 1 / (CASE WHEN n = 0 THEN 0 ELSE 1 END) > 0",
    "SELECT id FROM logs WHERE 1 / (CASE WHEN STARTS_WITH(text, 'hunter') THEN 0 ELSE 1 END) = 1",
    "SELECT id FROM logs WHERE IF(text = 'secret', DIV(1, 0) = 1, TRUE)",
    "SELECT id FROM logs WHERE n = 0 AND 1 / n > 0",
    "SELECT id FROM logs WHERE text = 'secret' AND CAST(text AS INT64) = 1",
    "SELECT id FROM logs WHERE text LIKE 'hunter%' AND CAST(text AS INT64) = 1",
    "SELECT id FROM logs WHERE id IN ('s', 't') AND CAST(text AS INT64) = 1",
    "SELECT id FROM logs WHERE id BETWEEN 'e' AND 'z' AND CAST(text AS INT64) = 1",
    "SELECT id FROM logs WHERE id > 'd' AND DIV(1, 0) = 1",
    "SELECT id FROM logs WHERE id > 'd' OR DIV(1, n) >= 0",
    "SELECT id FROM owned WHERE 1 / n > 0",
    "SELECT id FROM owned WHERE owner = 'theirs' AND 1 / n > 0",
    "SELECT o.id FROM owned AS o, UNNEST(o.request) AS r WHERE r.path = 'secret' AND 1 / r.status > 0",
    "SELECT text FROM counts WHERE CAST(text AS INT64) > 1",
    "SELECT text FROM counts WHERE DIV(total, n) > 0",
    // Aggregates, groups, windows.
    "SELECT SUM(CAST(text AS INT64)) AS v FROM logs",
    "SELECT SUM(n) AS v FROM logs",
    "SELECT COUNTIF(1 / n > 0) AS v FROM logs",
    "SELECT MAX(DIV(10, n)) AS v, MIN(CAST(text AS INT64)) AS w FROM logs",
    "SELECT DIV(10, n) AS v, COUNT(*) AS c FROM logs GROUP BY v",
    "SELECT n, COUNT(*) AS c FROM logs GROUP BY n HAVING MAX(CAST(text AS INT64)) > 1",
    "SELECT DISTINCT CAST(text AS INT64) AS v FROM logs",
    "SELECT id, ROW_NUMBER() OVER (ORDER BY CAST(text AS INT64), id, timestamp) AS r FROM logs",
    "SELECT id FROM logs WHERE TRUE QUALIFY RANK() OVER (PARTITION BY DIV(10, n) ORDER BY id) = 1",
    // Order and limit.
    "SELECT id FROM logs ORDER BY CAST(text AS INT64) DESC, id DESC, timestamp LIMIT 2",
    "SELECT id, DIV(10, n) AS v FROM logs ORDER BY v, id, timestamp LIMIT 3",
    "SELECT id FROM logs WHERE DIV(10, n) > 0 ORDER BY timestamp DESC LIMIT 2",
    "SELECT CAST(text AS INT64) AS v FROM logs ORDER BY timestamp DESC LIMIT 3",
    "SELECT CAST(text AS INT64) AS v FROM logs ORDER BY timestamp DESC LIMIT 1 OFFSET 1",
    "SELECT id FROM (SELECT id, n, timestamp FROM logs ORDER BY n DESC, id, timestamp LIMIT 3) WHERE DIV(10, n) > 0",
    // Joins, set operations, sub-queries, the caller's own CTEs.
    "SELECT a.id FROM logs AS a JOIN logs AS b ON a.id = b.id WHERE CAST(a.text AS INT64) = b.n",
    "SELECT a.id FROM logs AS a JOIN logs AS b ON CAST(a.text AS INT64) = b.n",
    "SELECT a.id FROM logs AS a JOIN owned AS b ON a.id = b.id AND DIV(10, a.n) >= DIV(10, b.n)",
    "SELECT a.id FROM logs AS a LEFT JOIN counts AS b ON a.n = b.n AND CAST(b.text AS INT64) > 1",
    "SELECT CAST(text AS INT64) AS v FROM logs UNION ALL SELECT DIV(10, n) FROM owned",
    "SELECT id FROM logs WHERE n IN (SELECT CAST(text AS INT64) FROM owned)",
    "SELECT id FROM logs WHERE (SELECT MAX(CAST(o.text AS INT64)) FROM owned AS o) > n",
    "SELECT a.id FROM logs AS a WHERE EXISTS (SELECT 1 FROM owned AS o WHERE o.id = a.id AND DIV(10, o.n) > 1)",
    "WITH w AS (SELECT id, CAST(text AS INT64) AS v FROM logs) SELECT id FROM w WHERE v > 1",
    "WITH w AS (SELECT id, n FROM logs WHERE n > 0) SELECT id FROM w WHERE DIV(10, n) > 1",
    "WITH w AS (SELECT id, DIV(10, n) AS q FROM logs), x AS (SELECT q FROM w WHERE id > 'd') SELECT q FROM x",
];

/// Queries over [`COMPUTED`].
const ON_COMPUTED: &[&str] = &[
    "SELECT id FROM logs WHERE v = 1",
    "SELECT id FROM logs WHERE v IS NULL",
    "SELECT id FROM logs WHERE q > 3",
    "SELECT id FROM logs WHERE tag = 'y'",
    "SELECT id FROM logs WHERE id > 'e' AND v = 1",
    "SELECT id FROM logs WHERE id = 's' OR v = 1",
    "SELECT id FROM logs ORDER BY v DESC, id LIMIT 2",
    "SELECT id FROM logs ORDER BY q, id LIMIT 2",
    "SELECT a.id FROM logs AS a JOIN logs AS b ON a.v = b.n",
    "SELECT MIN(v) AS v, MAX(q) AS q FROM logs",
];

/// Queries that fail on the caller's own rows if it has any.
const FAILING: &[&str] = &[
    "SELECT id FROM logs WHERE DIV(1, 0) = 1",
    "SELECT id FROM logs WHERE CAST('x' AS INT64) = n",
    "SELECT DIV(1, 0) AS v FROM logs",
    "SELECT id FROM logs WHERE DIV(1, n - n) = 1",
    "SELECT id FROM logs ORDER BY DIV(1, n - n) LIMIT 1",
    "SELECT SUM(DIV(1, n - n)) AS v FROM logs",
    "SELECT a.id FROM logs AS a JOIN owned AS b ON a.id = b.id WHERE DIV(1, a.n - b.n) = 1",
];

#[tokio::test]
async fn foreign_rows_change_no_answer() {
    for setting in SETTINGS {
        let world = World::of(setting);
        let plain = ATTACKS.iter().map(|sql| (PLAIN, *sql));
        let computed = ON_COMPUTED.iter().map(|sql| (COMPUTED, *sql));
        for (stored, sql) in plain.chain(computed) {
            let query = compiled(stored, sql, "mine");
            let alone = outcome(&world.own, &query).await;
            assert!(alone.is_ok(), "{sql}: {alone:?}");
            assert_eq!(
                outcome(&world.both, &query).await,
                alone,
                "{setting:?} {sql}"
            );
        }
    }
}

#[tokio::test]
async fn foreign_rows_change_no_error() {
    for setting in SETTINGS {
        let world = World::of(setting);
        for sql in FAILING {
            for (project, fails) in [("mine", true), ("nobody", false)] {
                let query = compiled(PLAIN, sql, project);
                let alone = outcome(&world.own, &query).await;
                if project == "mine" {
                    assert_eq!(alone.is_err(), fails, "{sql}: {alone:?}");
                }
                assert_eq!(
                    outcome(&world.both, &query).await,
                    alone,
                    "{setting:?} {project} {sql}"
                );
            }
        }
    }
}

/// What the tests above are worth: without the barrier they fail.
#[tokio::test]
async fn without_the_barrier_foreign_rows_show() {
    let mut leaks = 0;
    for setting in SETTINGS {
        let world = World::of(setting);
        for sql in ATTACKS {
            let mut query = compiled(PLAIN, sql, "mine");
            query.subtables.clear();
            let alone = outcome(&world.own, &query).await;
            let both = outcome(&world.both, &query).await;
            leaks += usize::from(both != alone);
        }
    }
    assert!(leaks > 10, "{leaks} leaks");
}

/// A sub-table whose own condition fails on a foreign row.
const FALLIBLE: &str = "
    WITH logs AS (
        SELECT t.id, t.timestamp, t.n FROM edge AS t
        WHERE CAST(t.text AS INT64) > 0 AND t.project = @project)
    SELECT id FROM logs";

/// Queries over [`FALLIBLE`] that would try its condition on other rows each.
const CHOICES: &[&str] = &[
    "SELECT id FROM logs",
    "SELECT id FROM logs WHERE id = 'a'",
    "SELECT id FROM logs WHERE id > 'z'",
    "SELECT id FROM logs WHERE timestamp < TIMESTAMP '2026-01-01 00:00:02+00'",
    "SELECT id FROM logs WHERE timestamp > TIMESTAMP '2027-01-01 00:00:00+00'",
    "SELECT id FROM logs WHERE n = 1",
    "SELECT id FROM logs LIMIT 1",
    "SELECT id FROM logs ORDER BY timestamp LIMIT 1",
    "SELECT id FROM logs ORDER BY n DESC, id LIMIT 1",
    "SELECT MAX(timestamp) AS t FROM logs",
    "SELECT a.id FROM logs AS a JOIN logs AS b ON a.id = b.id WHERE b.n = 3",
];

#[tokio::test]
async fn whether_a_subtable_itself_fails_is_not_the_callers_choice() {
    let mut failing = 0;
    for setting in SETTINGS {
        let world = World::of(setting);
        let mut fails = None;
        for sql in CHOICES {
            let query = compiled(FALLIBLE, sql, "mine");
            assert!(outcome(&world.own, &query).await.is_ok(), "{sql}");
            let both = outcome(&world.both, &query).await;
            let same = *fails.get_or_insert(both.is_err());
            assert_eq!(both.is_err(), same, "{setting:?} {sql}: {both:?}");
        }
        failing += usize::from(fails == Some(true));
    }
    assert!(
        failing > 0,
        "no setting tries the condition on a foreign row"
    );
}
