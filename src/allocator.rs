//! The allocator of the process: the system's, which counts what it gave and gives back what it keeps when asked.

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

/// Returns what the process has of the system's memory beside what it [holds](held) on the heap, in bytes: above all what
/// was freed and the allocator keeps. The program's own pages do not count. `None` where the system does not tell.
#[must_use]
pub fn kept() -> Option<usize> {
    // proc_pid_status(5): anonymous pages alone, in kibibytes.
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))?;
    let own = line.split_whitespace().next()?.parse::<usize>().ok()? * 1024;
    Some(own.saturating_sub(ALLOCATOR.allocated()))
}

/// Gives freed memory back to the system. Other threads may wait meanwhile, for milliseconds.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[expect(unsafe_code, reason = "no crate wraps it")]
    // SAFETY: malloc_trim(3) may be called at any time, from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
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
