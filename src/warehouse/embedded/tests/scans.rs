//! Which files a query reads, and that it has each of their rows once.

use std::num::NonZeroUsize;

use super::*;

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
