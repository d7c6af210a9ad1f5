//! What the process holds while queries run.
//!
//! The engine counts what its operators hold, but not what they make on the way: the batch at hand, lists
//! that grow inside of aggregates, the copy that becomes a result. So what the process holds on the heap
//! counts, too, and a query that finds it to be too much ends. What was freed counts for the system until the
//! allocator gives it back, which it is told to when it keeps much.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use datafusion::error::{DataFusionError, Result};

use crate::allocator;

/// Until a query that ended has given back what it held, others do not end for it.
const PATIENCE: Duration = Duration::from_millis(50);
/// How often it is asked what the allocator keeps.
const LOOK: Duration = Duration::from_millis(10);

/// The most that the process may hold.
#[derive(Debug)]
pub(super) struct Ceiling {
    /// Bytes.
    most: usize,
    begin: Instant,
    /// Until when nothing ends, in microseconds since `begin`.
    patient_until: AtomicU64,
    /// What the allocator may keep beside what it could not give back, in bytes.
    spare: usize,
    /// What the allocator could not give back, in bytes.
    stuck: AtomicUsize,
    /// When it is looked at next, in microseconds since `begin`.
    next_look: AtomicU64,
}

impl Ceiling {
    /// Returns a ceiling so many bytes above what the process holds now, below which the allocator may keep `spare` bytes.
    pub(super) fn above(bytes: usize, spare: usize) -> Self {
        Self {
            most: allocator::held().saturating_add(bytes),
            begin: Instant::now(),
            patient_until: AtomicU64::new(0),
            spare,
            stuck: AtomicUsize::new(allocator::kept().unwrap_or(0)),
            next_look: AtomicU64::new(0),
        }
    }

    /// Fails when the process holds more than it may.
    pub(super) fn check(&self) -> Result<()> {
        let now = micros(self.begin.elapsed());
        if is_turn(&self.next_look, now, LOOK) {
            self.tidy();
        }
        let held = allocator::held();
        // Of the threads that see it one ends its query.
        if held <= self.most || !is_turn(&self.patient_until, now, PATIENCE) {
            return Ok(());
        }
        Err(DataFusionError::ResourcesExhausted(format!(
            "the process holds {held} bytes, and may hold {}",
            self.most
        )))
    }

    /// Has the allocator give back what it keeps, if that is much.
    pub(super) fn tidy(&self) {
        let Some(kept) = allocator::kept() else {
            return;
        };
        let stuck = self.stuck.fetch_min(kept, Ordering::Relaxed).min(kept);
        if kept - stuck > self.spare {
            allocator::give_back();
            let stuck = allocator::kept().unwrap_or(0);
            self.stuck.store(stuck, Ordering::Relaxed);
        }
    }
}

/// Returns whether something is due that happens at most once in a while, and for one thread; it then counts as done.
fn is_turn(due: &AtomicU64, now: u64, every: Duration) -> bool {
    let (at, next, order) = (
        due.load(Ordering::Relaxed),
        now + micros(every),
        Ordering::Relaxed,
    );
    now >= at && due.compare_exchange(at, next, order, order).is_ok()
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_past_the_ceiling_is_told() {
        let ceiling = Ceiling::above(1 << 30, 1 << 30);
        ceiling.check().expect("nothing was made yet");
        let made: Vec<u8> = Vec::with_capacity(2 << 30);
        let error = ceiling.check().expect_err("it holds more");
        assert!(matches!(error, DataFusionError::ResourcesExhausted(_)));
        ceiling.check().expect("one query ends, not all");
        drop(made);
        std::thread::sleep(PATIENCE);
        ceiling.check().expect("all was given back");
    }

    #[test]
    fn what_was_freed_goes_back_to_the_system() {
        const PIECE: usize = 4 << 10;
        let ceiling = Ceiling::above(1 << 30, 64 << 20);
        let Some(before) = allocator::kept() else {
            return;
        };
        let mut pieces: Vec<Vec<u8>> = (0..(1 << 30) / PIECE).map(|_| vec![1; PIECE]).collect();
        // One piece of many is left, so that nothing is freed from one end of the heap to the other.
        pieces.retain({
            let mut n = 0;
            move |_| {
                n += 1;
                n % 64 == 0
            }
        });
        ceiling.tidy();
        let after = allocator::kept().expect("as before");
        assert!(after < before + (512 << 20), "{after} after {before}");
        drop(pieces);
    }
}
