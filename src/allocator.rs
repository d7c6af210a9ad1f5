//! The allocator of the process: the system's, which counts what it gave.

use std::alloc::System;

use cap::Cap;

/// It never refuses: that would end the process.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Returns what the process holds on the heap, in bytes.
#[must_use]
pub fn allocated() -> usize {
    ALLOCATOR.allocated()
}
