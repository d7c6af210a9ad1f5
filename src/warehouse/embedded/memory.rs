//! What the process holds while queries run.
//!
//! The engine counts what its operators hold, but not what they make on the way: the batch at hand, lists
//! that grow inside of aggregates, the copy that becomes a result. So what the process holds on the heap
//! counts, too, and a query that finds it to be too much ends.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use datafusion::error::{DataFusionError, Result};

use crate::allocator;

/// Until a query that ended has given back what it held, others do not end for it.
const PATIENCE: Duration = Duration::from_millis(50);

/// The most that the process may hold.
#[derive(Debug)]
pub(super) struct Ceiling {
    /// Bytes.
    most: usize,
    begin: Instant,
    /// Until when nothing ends, in microseconds since `begin`.
    patient_until: AtomicU64,
}

impl Ceiling {
    /// Returns a ceiling so many bytes above what the process holds now.
    pub(super) fn above(bytes: usize) -> Self {
        Self {
            most: allocator::held().saturating_add(bytes),
            begin: Instant::now(),
            patient_until: AtomicU64::new(0),
        }
    }

    /// Fails when the process holds more than it may.
    pub(super) fn check(&self) -> Result<()> {
        let held = allocator::held();
        if held <= self.most {
            return Ok(());
        }
        let now = micros(self.begin.elapsed());
        let until = self.patient_until.load(Ordering::Relaxed);
        let next = now + micros(PATIENCE);
        // Of the threads that see it one ends its query.
        let order = Ordering::Relaxed;
        if now < until
            || self
                .patient_until
                .compare_exchange(until, next, order, order)
                .is_err()
        {
            return Ok(());
        }
        Err(DataFusionError::ResourcesExhausted(format!(
            "the process holds {held} bytes, and may hold {}",
            self.most
        )))
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_past_the_ceiling_is_told() {
        let ceiling = Ceiling::above(1 << 30);
        ceiling.check().expect("nothing was made yet");
        let made: Vec<u8> = Vec::with_capacity(2 << 30);
        let error = ceiling.check().expect_err("it holds more");
        assert!(matches!(error, DataFusionError::ResourcesExhausted(_)));
        ceiling.check().expect("one query ends, not all");
        drop(made);
        std::thread::sleep(PATIENCE);
        ceiling.check().expect("all was given back");
    }
}
