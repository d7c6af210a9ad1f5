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
/// The process may hold all but this part of the memory limit above what it holds at rest, and the allocator keep this
/// part of what was freed.
const KEPT_SHARE: usize = 8;
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
    /// What the process may have of the system's memory before the allocator has to give back what it keeps, in bytes.
    resident: usize,
    /// What makes giving back worth its time, in bytes.
    spare: usize,
    /// What the allocator could not give back, in bytes.
    stuck: AtomicUsize,
    /// When it is looked at next, in microseconds since `begin`.
    next_look: AtomicU64,
}

impl Ceiling {
    /// Returns a ceiling for what is held above what is held now. It is as much below a limit of so many bytes as the
    /// allocator may keep.
    pub(super) fn below(limit: usize) -> Self {
        let (held, kept) = (allocator::held(), allocator::kept().unwrap_or(0));
        let spare = limit / KEPT_SHARE;
        Self {
            most: held.saturating_add(limit - spare),
            begin: Instant::now(),
            patient_until: AtomicU64::new(0),
            resident: held.saturating_add(kept).saturating_add(limit),
            spare,
            stuck: AtomicUsize::new(kept),
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

    /// Has the allocator give back what it keeps, where the process has too much with it. What it keeps otherwise the
    /// next query need not ask the system for.
    pub(super) fn tidy(&self) {
        let Some(kept) = allocator::kept() else {
            return;
        };
        let stuck = self.stuck.fetch_min(kept, Ordering::Relaxed).min(kept);
        if kept - stuck > self.spare && allocator::held().saturating_add(kept) > self.resident {
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
        let ceiling = Ceiling::below(1 << 30);
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
        let ceiling = Ceiling::below(128 << 20);
        let Some(before) = allocator::kept() else {
            return;
        };
        let mut pieces: Vec<Vec<u8>> = (0..(256 << 20) / PIECE).map(|_| vec![1; PIECE]).collect();
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
        assert!(after < before + (128 << 20), "{after} after {before}");
        drop(pieces);
    }
}
