//! Which files a query reads, and that it has each of their rows once.

use std::num::NonZeroUsize;

use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::physical_plan::filter::FilterExec;

use super::*;
use crate::compiler::ir::CteName;

/// Files of an hour each.
const HOURS: i64 = 5;
/// Rows of a file.
const ROWS: i64 = 40;

fn hours() -> (Fixture, Embedded) {
    let fixture = Fixture::new();
    for hour in 0..HOURS {
        let row = |n| {
            let at = (hour * 3600 + n) * 1_000_000;
            format!("{{\"id\":\"{hour}-{n}\",\"timestamp\":{at}}}\n")
        };
        let text: String = (0..ROWS).map(row).collect();
        let file = fixture.write(&format!("{hour}.json"), text.as_bytes());
        fixture.import(&file).unwrap();
    }
    let engine = fixture.engine_with(EngineSettings {
        threads: NonZeroUsize::new(2),
        ..EngineSettings::default()
    });
    (fixture, engine)
}

#[tokio::test]
async fn files_without_rows_for_the_query_are_left_out() {
    let (fixture, engine) = hours();
    assert_eq!(fixture.stored().len(), 5);
    for (condition, files, expected) in [
        ("TRUE", 5, HOURS * ROWS),
        (
            r#""timestamp" >= to_timestamp_micros(7200000000)"#,
            3,
            3 * ROWS,
        ),
        (
            r#""timestamp" < to_timestamp_micros(3601000000)"#,
            2,
            ROWS + 1,
        ),
        (r#""timestamp" < to_timestamp_micros(0)"#, 0, 0),
        (r#""id" = '3-7'"#, 1, 1),
    ] {
        let sql = format!(r#"SELECT max("id" || 'x'), count(*) FROM "edge" WHERE {condition}"#);
        let query = query(&sql, &[("id", Type::String), ("n", Type::Int64)], 1);
        let plan = engine.explain(&query).await.unwrap();
        assert_eq!(plan.matches(".parquet").count(), files, "{plan}");
        assert_eq!(
            rows(&engine, &query).await[0][1],
            json!(expected),
            "{condition}"
        );
    }
}

#[tokio::test]
async fn threads_share_files_unless_these_must_come_in_order() {
    let (_fixture, engine) = hours();
    let numbered = |order: &str| {
        format!(
            r#"SELECT "id", row_number() OVER (ORDER BY "timestamp" {order}) AS "n" FROM "edge""#
        )
    };
    let numbers: Vec<i64> = (1..=HOURS * ROWS).collect();
    let ids: Vec<String> = (0..HOURS * ROWS)
        .map(|n| format!("{}-{}", n / ROWS, n % ROWS))
        .collect();
    for order in ["ASC", "DESC"] {
        let sql = format!(
            r#"SELECT "id", "n" FROM ({}) ORDER BY "n""#,
            numbered(order)
        );
        let query = query(&sql, &[("id", Type::String), ("n", Type::Int64)], 1000);
        let mut expected = ids.clone();
        if order == "DESC" {
            expected.reverse();
        }
        let expected: Vec<_> = expected.iter().zip(&numbers).collect();
        assert_eq!(rows(&engine, &query).await, json!(expected), "{order}");
    }
    for (order, expected) in [("ASC", ["0-0", "0-1"]), ("DESC", ["4-39", "4-38"])] {
        let sql = format!(r#"SELECT "id" FROM "edge" ORDER BY "timestamp" {order} LIMIT 2"#);
        let query = query(&sql, &[("id", Type::String)], 10);
        let expected: Vec<_> = expected.iter().map(|id| [id]).collect();
        assert_eq!(rows(&engine, &query).await, json!(expected), "{order}");
    }
}

#[tokio::test]
async fn a_sort_that_wants_few_rows_gets_them_soon() {
    let (_fixture, engine) = hours();
    let ordered = r#"ORDER BY "timestamp" DESC LIMIT 2"#;
    for (rest, is_prompt) in [
        (ordered, true),
        (r#"ORDER BY "id" || 'x' LIMIT 2"#, false),
        ("", false),
    ] {
        let sql = format!(
            r#"WITH "s" AS (SELECT "id", "timestamp" FROM "edge")
                SELECT "id" FROM "s" WHERE "id" || 'x' > '1' {rest}"#
        );
        let query = Compiled {
            subtables: vec![CteName::new("s")],
            ..query(&sql, &[("id", Type::String)], 10)
        };
        let plan = engine.physical_plan(&query).await.unwrap();
        let mut gathered = Vec::new();
        plan.apply(|node| {
            gathered.extend(
                node.downcast_ref::<FilterExec>()
                    .map(FilterExec::batch_size),
            );
            Ok(TreeNodeRecursion::Continue)
        })
        .unwrap();
        assert_eq!(gathered.len(), 1, "{plan:?}");
        assert_eq!(gathered[0] <= 128, is_prompt, "{rest}");
    }
}
