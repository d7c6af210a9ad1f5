//! Callers who send nothing, or not all of the head of a request.
//!
//! hyper has a timeout for heads, which sets a timer and takes it back for every request: a good part of what a
//! request with a kept result costs. Here each connection is looked at once a second instead.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// How long heads are waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tempo {
    /// How often a connection is looked at.
    pub(crate) tick: Duration,
    /// How many looks without news are enough.
    pub(crate) most_ticks: u32,
}

impl Tempo {
    /// Ten seconds, looked at every second.
    pub(crate) const USUAL: Self = Self {
        tick: Duration::from_secs(1),
        most_ticks: 10,
    };

    /// Returns how long a head is waited for, to the next look.
    pub(crate) fn patience(self) -> Duration {
        self.tick * self.most_ticks
    }
}

/// What goes on on a connection. One task writes it, where requests are not beside each other.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    begun: AtomicU64,
    ended: AtomicU64,
    is_writing: AtomicBool,
    is_multiplexed: AtomicBool,
}

impl Pace {
    /// Notes that the head of a request is there.
    pub(crate) fn begin(&self, version: hyper::Version) {
        increase(&self.begun);
        if version == hyper::Version::HTTP_2 {
            self.is_multiplexed.store(true, Ordering::Relaxed);
        }
    }

    /// Notes that an answer is ready to be written.
    pub(crate) fn end(&self) {
        increase(&self.ended);
    }

    /// Notes whether something waits to be written.
    pub(crate) fn set_writing(&self, is_writing: bool) {
        self.is_writing.store(is_writing, Ordering::Relaxed);
    }

    /// Returns whether the connection has requests beside each other, where none waits for the head of another.
    /// Its protocol has pings to tell whether anybody is there.
    pub(crate) fn is_multiplexed(&self) -> bool {
        self.is_multiplexed.load(Ordering::Relaxed)
    }
}

fn increase(count: &AtomicU64) {
    count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

/// Looks at a connection at each tick.
#[derive(Debug)]
pub(crate) struct Patrol {
    pace: Arc<Pace>,
    most_ticks: u32,
    /// Ticks without news.
    idle_ticks: u32,
    /// How many requests had begun, and how many had ended.
    seen: (u64, u64),
}

impl Patrol {
    /// Waits for a head for so many ticks.
    pub(crate) fn new(pace: Arc<Pace>, most_ticks: u32) -> Self {
        Self {
            pace,
            most_ticks,
            idle_ticks: 0,
            seen: (0, 0),
        }
    }

    /// Returns whether a head has been waited for long enough.
    pub(crate) fn is_over(&mut self) -> bool {
        let begun = self.pace.begun.load(Ordering::Relaxed);
        let ended = self.pace.ended.load(Ordering::Relaxed);
        let is_news = self.seen != (begun, ended);
        self.seen = (begun, ended);
        if is_news || begun != ended || self.pace.is_writing.load(Ordering::Relaxed) {
            self.idle_ticks = 0;
        } else {
            self.idle_ticks += 1;
        }
        self.idle_ticks >= self.most_ticks && !self.pace.is_multiplexed()
    }
}

#[cfg(test)]
mod tests {
    use hyper::Version;

    use super::*;

    /// Returns after how many ticks from now it is over, of twenty.
    fn ticks(patrol: &mut Patrol) -> Option<usize> {
        (1..=20).find(|_| patrol.is_over())
    }

    #[test]
    fn only_a_head_is_waited_for() {
        let pace = Arc::new(Pace::default());
        let patrol = || Patrol::new(Arc::clone(&pace), 3);
        assert_eq!(ticks(&mut patrol()), Some(3), "nothing was ever sent");

        let mut used = patrol();
        assert!(!used.is_over() && !used.is_over());
        pace.begin(Version::HTTP_11);
        assert_eq!(ticks(&mut used), None, "it is worked on");
        pace.end();
        pace.set_writing(true);
        assert_eq!(ticks(&mut used), None, "it is read slowly");
        pace.set_writing(false);
        assert_eq!(ticks(&mut used), Some(3), "then nothing comes");
        // However short the requests are, each is news.
        let mut busy = patrol();
        for _ in 0..20 {
            pace.begin(Version::HTTP_11);
            pace.end();
            assert!(!busy.is_over());
        }
        assert_eq!(ticks(&mut busy), Some(3));

        pace.begin(Version::HTTP_2);
        pace.end();
        assert_eq!(ticks(&mut patrol()), None, "HTTP/2 has pings");
    }
}
