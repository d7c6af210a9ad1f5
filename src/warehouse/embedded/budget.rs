//! What the values that functions make of one batch may take.
//!
//! The engine's memory limit counts what operators hold. What an expression makes of a batch nobody counts,
//! and a few calls that lengthen text or arrays make gigabytes of a batch of ordinary rows. So our functions
//! count it here, for the thread that evaluates them: a batch begins anew wherever an operator hands one on,
//! with what the batch takes already.

use std::cell::Cell;

use datafusion::error::{DataFusionError, Result};

thread_local! {
    static LIMIT: Cell<usize> = const { Cell::new(usize::MAX) };
    static USED: Cell<usize> = const { Cell::new(0) };
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
/// The batch comes to more than it may.
pub(super) fn charge(bytes: usize) -> Result<()> {
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
