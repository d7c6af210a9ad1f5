//! What does move below the barrier.

use super::{COMPUTED, PLAIN, SETTINGS, World, compiled, compiled_under, outcome};
use crate::compiler::{Compiled, Redaction};

/// The physical plan, in lines: what is above the barrier, and what is below.
struct Plan {
    above: String,
    below: String,
}

async fn plan(stored: &str, sql: &str) -> Plan {
    plan_of(&compiled(stored, sql, "mine")).await
}

async fn plan_of(query: &Compiled) -> Plan {
    let world = World::of(SETTINGS[1]);
    let text = world.both.explain(query).await.unwrap();
    let (above, below) = text.split_once("SubtableExec").unwrap();
    Plan {
        above: above.to_owned(),
        below: below.to_owned(),
    }
}

#[tokio::test]
async fn what_cannot_fail_reaches_the_scan() {
    for (condition, expected) in [
        (
            "timestamp > TIMESTAMP '2026-01-01 00:00:03Z'",
            "timestamp@1 > 1767225603000000",
        ),
        ("id = 'a'", "id@0 = a"),
        ("n BETWEEN 1 AND 2", "n@6 >= 1 AND n@6 <= 2"),
        ("text IN ('1', '2')", "text@3 = 1 OR text@3 = 2"),
        ("text IS NOT NULL", "text@3 IS NOT NULL"),
        ("text LIKE '%x%y%'", "text@3 LIKE %x%y%"),
        ("NOT (id = 'a' OR n > 1)", "id@0 != a AND n@6 <= 1"),
        (
            "metadata[SAFE_OFFSET(0)].owner = 'x'",
            "get_field(metadata@8, owner) = x",
        ),
    ] {
        let sql = format!("SELECT id FROM logs WHERE {condition}");
        let Plan { above, below } = plan(PLAIN, &sql).await;
        let scan = below.split("predicate=").nth(1).unwrap_or_default();
        assert!(scan.contains(expected), "{condition}: {below}");
        assert!(scan.contains("project@2 = mine"), "{condition}: {below}");
        assert!(!above.contains("FilterExec"), "{condition}: {above}");
    }
}

#[tokio::test]
async fn the_rest_stays_above() {
    for (stored, condition) in [
        (PLAIN, "CAST(text AS INT64) = 1"),
        (PLAIN, "DIV(1, 0) = 1"),
        (PLAIN, "n + 1 > 2"),
        (PLAIN, "id > 'a' OR DIV(1, n) = 1"),
        (PLAIN, "IF(id = 's', DIV(1, 0) = 1, TRUE)"),
        (COMPUTED, "v = 1"),
        (COMPUTED, "tag IS NULL"),
    ] {
        let sql = format!("SELECT id FROM logs WHERE {condition}");
        let Plan { above, below } = plan(stored, &sql).await;
        assert!(above.contains("FilterExec"), "{condition}: {above}");
        let scan = below.split("predicate=").nth(1).unwrap_or_default();
        assert!(
            scan.starts_with("project@2 = mine,") || scan.starts_with("project@2 = mine\n"),
            "{condition}: {below}"
        );
    }
}

#[tokio::test]
async fn conjunctions_are_split() {
    let sql = "SELECT id FROM logs WHERE CAST(text AS INT64) = 1 AND id = 'a'";
    let Plan { above, below } = plan(PLAIN, sql).await;
    assert!(above.contains("cast_to_int64"), "{above}");
    assert!(!above.contains("= a"), "{above}");
    assert!(below.contains("id@0 = a"), "{below}");
}

#[tokio::test]
async fn bounds_and_keys_reach_the_scan_if_reading_them_cannot_fail() {
    let world = World::of(SETTINGS[1]);
    for (stored, sql, reaches) in [
        (
            PLAIN,
            "SELECT id FROM logs ORDER BY timestamp DESC LIMIT 2",
            true,
        ),
        (
            PLAIN,
            "SELECT id FROM logs WHERE DIV(1, n) = 1 ORDER BY timestamp DESC LIMIT 2",
            true,
        ),
        (
            PLAIN,
            "SELECT id FROM logs ORDER BY DIV(10, n) LIMIT 2",
            false,
        ),
        (
            PLAIN,
            "SELECT id, CAST(text AS INT64) AS v FROM logs ORDER BY v LIMIT 2",
            false,
        ),
        (
            COMPUTED,
            "SELECT id FROM logs ORDER BY v DESC LIMIT 2",
            false,
        ),
        (
            PLAIN,
            "SELECT a.id FROM logs AS a JOIN logs AS b ON a.n = b.n",
            true,
        ),
        (
            PLAIN,
            "SELECT a.id FROM logs AS a JOIN logs AS b ON DIV(10, a.n) = CAST(b.text AS INT64)",
            false,
        ),
        (
            COMPUTED,
            "SELECT a.id FROM logs AS a JOIN logs AS b ON a.v = b.q",
            false,
        ),
    ] {
        let query = compiled(stored, sql, "mine");
        let plan = world.both.explain(&query).await.unwrap();
        let mut scans = plan.lines().filter(|line| line.contains("DataSourceExec"));
        assert_eq!(
            scans.any(|scan| scan.contains("DynamicFilter")),
            reaches,
            "{sql}: {plan}"
        );
    }
}

#[tokio::test]
async fn the_latest_rows_are_read_first_behind_conditions() {
    let world = World::of(SETTINGS[0]);
    for (stored, sql, in_order) in [
        (
            PLAIN,
            "SELECT id FROM logs ORDER BY timestamp DESC LIMIT 2",
            true,
        ),
        (
            PLAIN,
            "SELECT id FROM logs WHERE DIV(1, n) = 1 ORDER BY timestamp DESC LIMIT 2",
            true,
        ),
        (
            PLAIN,
            "SELECT UPPER(x.text) AS text, x.seen FROM (
                SELECT text, timestamp AS seen FROM logs WHERE REGEXP_CONTAINS(text, '1')
            ) AS x ORDER BY x.seen DESC LIMIT 2",
            true,
        ),
        (
            PLAIN,
            "SELECT id FROM logs WHERE DIV(1, n) = 1 ORDER BY id LIMIT 2",
            false,
        ),
        (
            PLAIN,
            "SELECT n, MAX(timestamp) AS last FROM logs WHERE DIV(1, n) = 1 GROUP BY n ORDER BY last DESC LIMIT 2",
            false,
        ),
    ] {
        let query = compiled(stored, sql, "mine");
        let plan = world.both.explain(&query).await.unwrap();
        assert_eq!(
            plan.contains("reverse_row_groups=true"),
            in_order,
            "{sql}: {plan}"
        );
    }
}

#[tokio::test]
async fn the_callers_part_knows_no_stream() {
    let world = World::of(SETTINGS[0]);
    let mut query = compiled(PLAIN, "SELECT id FROM logs", "mine");
    query.sql = query.sql.replace(r#"FROM "logs""#, r#"FROM "edge""#);
    assert!(
        query.sql.contains(r#"FROM "edge" AS "logs""#),
        "{}",
        query.sql
    );
    assert!(world.both.explain(&query).await.is_err());
    query.subtables.clear();
    assert!(world.both.explain(&query).await.is_ok());
}

#[tokio::test]
async fn subtables_may_be_called_anything() {
    let stored = "
        WITH edge AS (SELECT t.id, t.text FROM edge AS t WHERE t.project = @project),
        Mine AS (SELECT e.id, e.text FROM EDGE AS e WHERE e.text IS NOT NULL)
        SELECT id FROM mine";
    let world = World::of(SETTINGS[1]);
    for sql in [
        "SELECT id FROM edge WHERE CAST(text AS INT64) = 1",
        "SELECT id FROM mine WHERE CAST(text AS INT64) = 1",
        "WITH MINE AS (SELECT id FROM Mine WHERE CAST(text AS INT64) = 1) SELECT id FROM mine",
        "SELECT m.id FROM mine AS edge JOIN edge AS m ON m.id = edge.id WHERE CAST(m.text AS INT64) = 1",
    ] {
        let answer = outcome(&world.both, &compiled(stored, sql, "mine")).await;
        let Ok(rows) = answer else {
            panic!("{sql}: {answer:?}");
        };
        assert!(
            !rows.is_empty() && rows.iter().all(|row| row[0] == "a"),
            "{sql}: {rows:?}"
        );
    }
}

#[test]
fn the_compiler_names_the_subtables() {
    for (sql, expected) in [
        ("SELECT id FROM owned", &["owned"][..]),
        ("SELECT n FROM counts", &["logs", "counts"]),
        (
            "WITH w AS (SELECT id FROM logs) SELECT id FROM w",
            &["logs"],
        ),
        ("SELECT 1 AS one", &[]),
    ] {
        let names = compiled(PLAIN, sql, "mine").subtables;
        let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
        assert_eq!(names, expected, "{sql}");
    }
}

#[tokio::test]
async fn long_and_deep_predicates_are_planned() {
    let world = World::of(SETTINGS[0]);
    let long: Vec<String> = (0..290).map(|i| format!("n = {i}")).collect();
    let nots = "NOT (".repeat(20) + "n = 1" + &")".repeat(20);
    for condition in [long.join(" OR "), long.join(" AND "), nots] {
        let sql = format!("SELECT id FROM logs WHERE {condition}");
        let query = compiled(PLAIN, &sql, "mine");
        let answer = outcome(&world.both, &query).await;
        assert!(answer.is_ok(), "{answer:?}");
    }
}

#[tokio::test]
async fn only_the_fields_that_are_read_are_decoded() {
    for sql in [
        "SELECT metadata[SAFE_OFFSET(0)].request[SAFE_OFFSET(0)].path AS p, COUNT(*) AS c
        FROM logs WHERE metadata[SAFE_OFFSET(0)].owner = 'mine' GROUP BY p",
        "SELECT r.path, COUNT(*) AS c
        FROM logs AS l, UNNEST(l.metadata) AS m, UNNEST(m.request) AS r GROUP BY r.path",
    ] {
        let Plan { below, .. } = plan(PLAIN, sql).await;
        let (_, scan) = below.split_once("DataSourceExec").unwrap();
        let (_, list) = scan.split_once("projection=[").unwrap();
        let (list, _) = list.split_once("], file_type").unwrap();
        assert!(
            list.contains("get_field(metadata@8, request, path)"),
            "{list}"
        );
        assert!(
            !list.split(", ").any(|column| column == "metadata"),
            "{list}"
        );
    }
}

#[tokio::test]
async fn redaction_is_above_the_barrier_and_behind_the_limit() {
    let redaction = Redaction::default();
    let late = "TIMESTAMP '2026-01-01 00:00:03Z'";
    let sql = format!(
        "SELECT text, metadata FROM logs WHERE timestamp > {late} AND text LIKE '%1%' ORDER BY timestamp DESC LIMIT 2"
    );
    let query = compiled_under(PLAIN, &sql, "mine", Some(&redaction));
    let Plan { above, below } = plan_of(&query).await;
    let scan = below.split("predicate=").nth(1).unwrap_or_default();
    assert!(scan.contains("timestamp@1 > 1767225603000000"), "{below}");
    assert!(!below.contains("redact"), "{below}");
    let (outputs, rows) = above.split_once("TopK(fetch=2)").unwrap();
    assert!(
        outputs.contains("redact(") && outputs.contains("metadata"),
        "{above}"
    );
    let filter = rows.split_once("FilterExec").unwrap().1;
    assert!(filter.contains("redact(text@"), "{above}");
    assert_eq!(
        rows.matches("redact(").count(),
        filter.matches("redact(").count(),
        "{above}"
    );
}
