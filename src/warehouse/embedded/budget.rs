//! What the values that functions make of one batch may take, and whether they are still wanted.
//!
//! The engine's memory limit counts what operators hold. What an expression makes of a batch nobody counts,
//! and a few calls that lengthen text or arrays make gigabytes of a batch of ordinary rows. So our functions
//! count it here, for the thread that evaluates them: a batch begins anew wherever an operator hands one on,
//! with what the batch takes already. A batch may keep a function busy for long, so it learns here, too, that
//! its query has ended.

use std::cell::{Cell, RefCell};

use datafusion::error::{DataFusionError, Result};

use super::interrupt::Interrupt;

thread_local! {
    static LIMIT: Cell<usize> = const { Cell::new(usize::MAX) };
    static USED: Cell<usize> = const { Cell::new(0) };
    static RUNNING: RefCell<Option<Interrupt>> = const { RefCell::new(None) };
}

/// The query whose values this thread makes, until it is dropped.
#[derive(Debug)]
pub(super) struct Running {
    before: Option<Interrupt>,
}

/// Tells whose values this thread is about to make.
pub(super) fn run(query: &Interrupt) -> Running {
    Running {
        before: RUNNING.replace(Some(query.clone())),
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.set(self.before.take());
    }
}

/// Sets the bytes that a batch may come to on this thread.
pub(super) fn limit(bytes: usize) {
    LIMIT.set(bytes);
}

/// Begins the work on a batch of this size.
pub(super) fn begin(bytes: usize) {
    // A batch that is large already must still allow for something to be made of it.
    USED.set(bytes.min(LIMIT.get() / 2));
}

/// Counts bytes that are about to be made.
///
/// # Errors
/// The batch comes to more than it may, or nobody waits for the query any more.
pub(super) fn charge(bytes: usize) -> Result<()> {
    RUNNING.with_borrow(|query| query.as_ref().map_or(Ok(()), Interrupt::check))?;
    let used = USED.get().saturating_add(bytes);
    USED.set(used);
    if used > LIMIT.get() {
        return Err(DataFusionError::ResourcesExhausted(format!(
            "the values made of one batch take more than {} bytes",
            LIMIT.get()
        )));
    }
    Ok(())
}
