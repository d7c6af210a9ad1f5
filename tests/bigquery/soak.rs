//! Thousands of queries while every fifth request meets a fault.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use logboom::warehouse::Warehouse as _;
use logboom::warehouse::bigquery::{Backoff, BigQuery, Settings};
use serde_json::json;
use tokio::sync::Semaphore;

use super::fake::{Act, Fake, Habits, Op, failure};
use super::{query, settings, soon};

const QUERIES: usize = 2000;
const AT_A_TIME: usize = 40;
/// One query in so many is left by its caller.
const LEFT: usize = 20;

/// Returns faults for every fifth request, in an order that looks random and is always the same.
fn faults() -> impl FnMut(Op) -> Option<Act> {
    let mut random: u64 = 0x9e37_79b9_7f4a_7c15;
    move |_| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        if !random.is_multiple_of(5) {
            return None;
        }
        Some(match random / 5 % 8 {
            0 => failure(503, "backendError", "oops"),
            1 => failure(500, "internalError", "oops"),
            2 => failure(429, "rateLimitExceeded", "slow down"),
            3 => failure(403, "rateLimitExceeded", "slow down"),
            4 => Act::Drop,
            5 => Act::RunThenDrop,
            6 => Act::RunThenCut,
            _ => Act::Text("{\"jobCompl"),
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_answer_is_lost_and_nothing_is_billed_twice() {
    let fake = Fake::start(Habits {
        polls: 2,
        rows: 5,
        ..Habits::default()
    })
    .await;
    fake.choose(faults());
    let metrics = tokio::runtime::Handle::current().metrics();
    let tasks = metrics.num_alive_tasks();
    let warehouse = Arc::new(
        BigQuery::open(Settings {
            page_rows: 3,
            backoff: Backoff {
                first: Duration::from_micros(100),
                greatest: Duration::from_millis(2),
                attempts: 40,
            },
            ..settings(&fake)
        })
        .unwrap(),
    );
    let places = Arc::new(Semaphore::new(AT_A_TIME));
    let mut running = Vec::with_capacity(QUERIES);
    for n in 0..QUERIES {
        let place = Arc::clone(&places).acquire_owned().await.unwrap();
        let warehouse = Arc::clone(&warehouse);
        running.push(tokio::spawn(async move {
            let n_text = n.to_string();
            let asked = query(&n_text);
            let answer = warehouse.run(&asked, soon());
            let answer = if n % LEFT == 0 {
                let patience = Duration::from_micros(200 * (n / LEFT % 20) as u64);
                tokio::time::timeout(patience, answer).await.ok()
            } else {
                Some(answer.await)
            };
            drop(place);
            if let Some(answer) = answer {
                let expected: Vec<_> = (0..5).map(|row| vec![json!(n_text), json!(row)]).collect();
                assert_eq!(answer.unwrap().rows, expected);
            }
        }));
    }
    for one in running {
        one.await.unwrap();
    }
    warehouse.close().await;
    assert_eq!(warehouse.running(), 0);

    let jobs = fake.jobs();
    let of = |job: &super::fake::Job| {
        job.request["queryParameters"][0]["parameterValue"]["value"].clone()
    };
    let asked: BTreeSet<String> = jobs.iter().map(|job| of(job).to_string()).collect();
    assert_eq!(asked.len(), jobs.len(), "a query was started twice");
    let not_left = QUERIES - QUERIES / LEFT;
    assert!(jobs.len() >= not_left, "{} jobs", jobs.len());
    let forgotten: Vec<_> = jobs.iter().filter(|job| job.is_running()).collect();
    assert!(
        forgotten.is_empty(),
        "{} jobs run on: {:?}",
        forgotten.len(),
        forgotten[0]
    );

    // Connections: a few for what runs at a time, and a new one for each that a fault broke.
    drop(warehouse);
    fake.wait_until("the end of all connections", |fake| {
        fake.connections().0 == 0
    })
    .await;
    fake.wait_until("the end of all tasks", |_| {
        metrics.num_alive_tasks() <= tasks
    })
    .await;
}
