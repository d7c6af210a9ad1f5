//! A warehouse that does as it is told and counts what it was asked.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::compiler::{Compiled, Target};
use crate::warehouse::{Rows, Terms, Warehouse, WarehouseError};

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    /// Gives one row whose values are the number of the run.
    Answer,
    /// Gives that many rows.
    Many(usize),
    /// Waits for [`Scripted::release`], then answers.
    Wait,
    /// Waits for [`Scripted::release`], then fails.
    WaitAndFail,
    /// Waits for [`Scripted::release`], then says that the deadline has passed.
    WaitAndExpire,
    /// Fails at once.
    Fail,
    /// Panics.
    Panic,
    /// Never ends.
    Hang,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Scripted {
    target: Target,
    deed: Mutex<Deed>,
    begun: AtomicUsize,
    ended: AtomicUsize,
    cancelled: AtomicUsize,
    changed: Notify,
    released: Notify,
    queries: Mutex<Vec<Compiled>>,
}

impl Default for Scripted {
    fn default() -> Self {
        Self {
            target: Target::Embedded,
            deed: Mutex::new(Deed::Answer),
            begun: AtomicUsize::default(),
            ended: AtomicUsize::default(),
            cancelled: AtomicUsize::default(),
            changed: Notify::new(),
            released: Notify::new(),
            queries: Mutex::default(),
        }
    }
}

impl Scripted {
    /// Says what runs do from now on.
    pub(super) fn next(&self, deed: Deed) {
        *self.deed.lock().unwrap() = deed;
    }

    /// Lets the runs that wait go on.
    pub(super) fn release(&self) {
        self.released.notify_waiters();
    }

    /// Returns how many runs have begun.
    pub(super) fn begun(&self) -> usize {
        self.begun.load(Ordering::SeqCst)
    }

    /// Returns how many runs were cancelled.
    pub(super) fn cancelled(&self) -> usize {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// Returns the texts that were run.
    pub(super) fn queries(&self) -> Vec<String> {
        let queries = self.queries.lock().unwrap();
        queries.iter().map(|query| query.sql.clone()).collect()
    }

    /// Waits until something is true of the runs.
    pub(super) async fn until(&self, is_true: impl Fn(&Self) -> bool) {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            if is_true(self) {
                return;
            }
            changed.await;
        }
    }
}

/// Counts a run that is dropped before its end.
struct Run<'a>(&'a Scripted);

impl Drop for Run<'_> {
    fn drop(&mut self) {
        let begun = self.0.begun.load(Ordering::SeqCst);
        let over = self.0.ended.load(Ordering::SeqCst) + self.0.cancelled();
        if over < begun {
            self.0.cancelled.fetch_add(1, Ordering::SeqCst);
        }
        self.0.changed.notify_waiters();
    }
}

#[async_trait]
impl Warehouse for Scripted {
    fn target(&self) -> &Target {
        &self.target
    }

    async fn ready(&self) -> Result<(), WarehouseError> {
        Ok(())
    }

    async fn run(&self, query: &Compiled, _: Terms) -> Result<Rows, WarehouseError> {
        let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        self.queries.lock().unwrap().push(query.clone());
        let _run = Run(self);
        let released = self.released.notified();
        let mut released = std::pin::pin!(released);
        released.as_mut().enable();
        self.changed.notify_waiters();
        let deed = *self.deed.lock().unwrap();
        if matches!(deed, Deed::Wait | Deed::WaitAndFail | Deed::WaitAndExpire) {
            released.await;
        }
        let rows = |count: usize| Rows {
            columns: query.columns.clone(),
            rows: vec![vec![json!(number); query.columns.len()]; count],
            truncated: false,
            bytes_billed: None,
        };
        let outcome = match deed {
            Deed::Answer | Deed::Wait => Ok(rows(1)),
            Deed::Many(count) => Ok(rows(count)),
            Deed::Fail | Deed::WaitAndFail => {
                Err(WarehouseError::Failure("secret 10.1.2.3".into()))
            }
            Deed::WaitAndExpire => Err(WarehouseError::DeadlineExceeded),
            Deed::Panic => panic!("on purpose"),
            Deed::Hang => std::future::pending().await,
        };
        self.ended.fetch_add(1, Ordering::SeqCst);
        outcome
    }
}

/// Returns the number of the run that gave a JSON result.
pub(super) fn run_number(body: &Value) -> u64 {
    body["result"][0]
        .as_object()
        .and_then(|row| row.values().next())
        .and_then(Value::as_u64)
        .unwrap_or_else(|| panic!("no row: {body}"))
}
