//! BigQuery: the client against a scripted server and against an emulator.
//!
//! The scripted server ([`fake`]) does what no emulator can: slow jobs, storms of failures, connections
//! that break, tokens that expire. The emulator ([`emulator`]) runs the real binary's queries.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "what is not as expected fails the test"
)]

#[path = "bigquery/auth.rs"]
mod auth;
#[path = "bigquery/calls.rs"]
mod calls;
#[path = "bigquery/cost.rs"]
mod cost;
#[path = "bigquery/discovery.rs"]
mod discovery;
#[path = "bigquery/emulator.rs"]
mod emulator;
#[path = "bigquery/fake.rs"]
mod fake;
#[path = "bigquery/faults.rs"]
mod faults;
#[path = "bigquery/guard.rs"]
mod guard;
#[path = "bigquery/jobs.rs"]
mod jobs;
#[path = "python/mod.rs"]
mod python;
#[path = "bigquery/service.rs"]
mod service;
#[path = "bigquery/soak.rs"]
mod soak;
#[path = "bigquery/transport.rs"]
mod transport;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use logboom::compiler::ir::{Column, ColumnName, ParameterName, StreamName, Type, Value};
use logboom::compiler::{BoundParameter, Compiled};
use logboom::warehouse::Terms;
use logboom::warehouse::bigquery::{Backoff, BigQuery, Settings};

use fake::Fake;

/// Settings for a scripted server, with pauses as short as tests want them.
fn settings(fake: &Fake) -> Settings {
    let tables = BTreeMap::from([(StreamName::new("edge"), "p.d.edge".to_owned())]);
    Settings {
        api: format!("http://{}", fake.address),
        location: Some("EU".into()),
        backoff: Backoff {
            first: Duration::from_millis(1),
            greatest: Duration::from_millis(5),
            attempts: 10,
        },
        ..Settings::new("p", tables)
    }
}

/// What a query may be billed for where its terms say nothing.
fn settings_limit() -> u64 {
    logboom::warehouse::bigquery::MAXIMUM_BYTES_BILLED
}

fn open(fake: &Fake) -> BigQuery {
    BigQuery::open(settings(fake)).expect("opens")
}

/// A query whose text is known by `n`, which is also the first column of every row.
fn query(n: &str) -> Compiled {
    let column = |name: &str, ty| Column {
        name: ColumnName::new(name),
        ty,
    };
    Compiled {
        sql: "SELECT @n AS n, row FROM `p.d.edge`".into(),
        parameters: vec![BoundParameter {
            name: ParameterName::new("n"),
            ty: Type::String,
            value: Value::string(n),
        }],
        columns: vec![column("n", Type::String), column("row", Type::Int64)],
        reads: vec![StreamName::new("edge")],
        subtables: Vec::new(),
        max_rows: 1000,
    }
}

fn soon() -> Terms {
    Terms::until(Instant::now() + Duration::from_secs(30))
}

fn within(time: Duration) -> Terms {
    Terms::until(Instant::now() + time)
}
