//! The dry run before a new text runs.

use logboom::warehouse::{Warehouse as _, WarehouseError};
use serde_json::json;

use super::fake::{Act, Fake, Habits, Op};
use super::{open, query, soon};

#[tokio::test]
async fn a_text_is_dry_run_once() {
    let fake = Fake::start(Habits::default()).await;
    let warehouse = open(&fake);
    for n in ["a", "b", "c"] {
        warehouse.run(&query(n), soon()).await.unwrap();
    }
    assert_eq!(fake.seen(Op::DryRun).len(), 1);
    let mut other = query("a");
    other.sql.push_str(" WHERE TRUE");
    warehouse.run(&other, soon()).await.unwrap();
    assert_eq!(fake.seen(Op::DryRun).len(), 2);
    assert_eq!(fake.seen(Op::Query).len(), 4);
}

#[tokio::test]
async fn a_text_that_reads_other_tables_does_not_run() {
    for tables in [
        vec![],
        vec!["p.d.other"],
        vec!["p.d.edge", "p.d.other"],
        vec!["q.d.edge"],
    ] {
        let fake = Fake::start(Habits {
            tables: tables.clone(),
            ..Habits::default()
        })
        .await;
        let warehouse = open(&fake);
        for _ in 1..=2 {
            let failed = warehouse.run(&query("a"), soon()).await;
            assert!(
                matches!(failed, Err(WarehouseError::OtherTables(_))),
                "{tables:?}: {failed:?}"
            );
        }
        assert!(fake.seen(Op::Query).is_empty(), "{tables:?}");
    }
}

#[tokio::test]
async fn a_text_with_other_columns_does_not_run() {
    let fake = Fake::start(Habits::default()).await;
    fake.script(
        Op::DryRun,
        [Act::Change(|job| {
            job["statistics"]["query"]["schema"]["fields"][0]["type"] = json!("BYTES");
        })],
    );
    let warehouse = open(&fake);
    let failed = warehouse.run(&query("a"), soon()).await;
    match failed {
        Err(WarehouseError::Failure(message)) => {
            assert_eq!(message, "dry run: column n: BYTES instead of STRING");
        }
        other => panic!("{other:?}"),
    }
    assert!(fake.seen(Op::Query).is_empty());
}

#[tokio::test]
async fn an_estimate_is_a_dry_run_and_nothing_more() {
    let fake = Fake::start(Habits::default()).await;
    let warehouse = open(&fake);
    let bytes = warehouse
        .estimate(&query("a"), soon().deadline)
        .await
        .unwrap();
    assert_eq!(bytes, 1_048_576);
    assert!(fake.seen(Op::Query).is_empty());
    fake.habits(|habits| habits.tables = vec!["p.d.other"]);
    warehouse
        .estimate(&query("a"), soon().deadline)
        .await
        .unwrap_err();
}
