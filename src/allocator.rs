//! The allocator of the process: the system's, which counts what it gave.

use std::alloc::System;
use std::sync::atomic::{AtomicUsize, Ordering};

use cap::Cap;

/// It never refuses: that would end the process.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Bytes of all that is [set aside](set_aside).
static ASIDE: AtomicUsize = AtomicUsize::new(0);

/// Returns what the process holds on the heap beside what is [set aside](set_aside), in bytes.
#[must_use]
pub fn held() -> usize {
    ALLOCATOR
        .allocated()
        .saturating_sub(ASIDE.load(Ordering::Relaxed))
}

/// Bytes that have a bound of their own, until this is dropped.
#[derive(Debug)]
pub struct Aside(usize);

/// Leaves bytes on the heap out of what is [held], because another bound counts them.
pub fn set_aside(bytes: usize) -> Aside {
    ASIDE.fetch_add(bytes, Ordering::Relaxed);
    Aside(bytes)
}

impl Drop for Aside {
    fn drop(&mut self) {
        ASIDE.fetch_sub(self.0, Ordering::Relaxed);
    }
}
