//! Callers who send nothing, or not all of the head of a request.
//!
//! hyper has a timeout for heads, which sets a timer and takes it back for every request: a good part of what a
//! request with a kept result costs. Here one task looks at all connections once a second instead. Whatever a
//! connection has to ask at each of its steps is in one place, its [`Pace`]: memory that was not touched lately is what
//! a step spends most of its time on.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Waker;
use std::time::Duration;

use futures::task::AtomicWaker;

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

/// What goes on on a connection, and what it is told. One task writes the former, where requests are not beside each
/// other.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    begun: AtomicU64,
    ended: AtomicU64,
    is_writing: AtomicBool,
    is_multiplexed: AtomicBool,
    is_ending: AtomicBool,
    is_over: AtomicBool,
    task: AtomicWaker,
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
    fn is_multiplexed(&self) -> bool {
        self.is_multiplexed.load(Ordering::Relaxed)
    }

    /// Wakes a task from now on when the connection is told something.
    pub(crate) fn wake(&self, task: &Waker) {
        self.task.register(task);
    }

    /// Returns whether the connection is to end after the requests that it has.
    pub(crate) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Acquire)
    }

    /// Returns whether the connection is to end at once.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }

    fn tell(&self, word: &AtomicBool) {
        word.store(true, Ordering::Release);
        self.task.wake();
    }
}

fn increase(count: &AtomicU64) {
    count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

/// Looks at all connections.
#[derive(Debug)]
pub(crate) struct Patrol {
    tempo: Tempo,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    connections: Vec<Connection>,
    /// Whether all are to end, those that come yet too.
    is_ending: bool,
}

/// What was seen of a connection.
#[derive(Debug)]
struct Connection {
    pace: Weak<Pace>,
    /// Looks without news.
    idle_ticks: u32,
    /// How many requests had begun, and how many had ended; `None` before the first look.
    counts: Option<(u64, u64)>,
}

impl Patrol {
    /// Returns a patrol that has nothing to look at.
    pub(crate) fn new(tempo: Tempo) -> Self {
        Self {
            tempo,
            seen: Mutex::default(),
        }
    }

    /// Looks at a new connection from now on, as long as what is returned is held.
    pub(crate) fn enter(&self) -> Arc<Pace> {
        let mut seen = self.lock();
        let pace = Arc::new(Pace {
            is_ending: AtomicBool::new(seen.is_ending),
            ..Pace::default()
        });
        seen.connections.push(Connection {
            pace: Arc::downgrade(&pace),
            idle_ticks: 0,
            counts: None,
        });
        pace
    }

    /// Looks at each tick, for ever.
    pub(crate) async fn walk(self: Arc<Self>) {
        loop {
            tokio::time::sleep(self.tempo.tick).await;
            self.look();
        }
    }

    /// Ends connections whose head has been waited for long enough.
    fn look(&self) {
        let most_ticks = self.tempo.most_ticks;
        self.lock().connections.retain_mut(|connection| {
            let Some(pace) = connection.pace.upgrade() else {
                return false;
            };
            if connection.idle_ticks(&pace) >= most_ticks && !pace.is_multiplexed() {
                pace.tell(&pace.is_over);
                return false;
            }
            true
        });
    }

    /// Tells all connections to end after the requests that they have.
    pub(crate) fn end(&self) {
        let mut seen = self.lock();
        seen.is_ending = true;
        for pace in seen.connections.iter().filter_map(|c| c.pace.upgrade()) {
            pace.tell(&pace.is_ending);
        }
    }

    /// Nothing that is done under the lock panics.
    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// Looks again, and returns for how many looks there has been no news.
    fn idle_ticks(&mut self, pace: &Pace) -> u32 {
        let begun = pace.begun.load(Ordering::Relaxed);
        let ended = pace.ended.load(Ordering::Relaxed);
        let is_news = self.counts != Some((begun, ended));
        self.counts = Some((begun, ended));
        if is_news || begun != ended || pace.is_writing.load(Ordering::Relaxed) {
            self.idle_ticks = 0;
        } else {
            self.idle_ticks += 1;
        }
        self.idle_ticks
    }
}

#[cfg(test)]
mod tests {
    use hyper::Version;

    use super::*;

    /// Returns after how many looks from now it is over, of twenty.
    fn looks(patrol: &Patrol, pace: &Pace) -> Option<usize> {
        (1..=20).find(|_| {
            patrol.look();
            pace.is_over()
        })
    }

    #[test]
    fn only_a_head_is_waited_for() {
        let tempo = Tempo {
            tick: Duration::from_secs(1),
            most_ticks: 3,
        };
        let patrol = Patrol::new(tempo);
        // The first look may come at once.
        assert_eq!(looks(&patrol, &patrol.enter()), Some(4), "nothing was sent");

        let used = patrol.enter();
        patrol.look();
        patrol.look();
        used.begin(Version::HTTP_11);
        assert_eq!(looks(&patrol, &used), None, "it is worked on");
        used.end();
        used.set_writing(true);
        assert_eq!(looks(&patrol, &used), None, "it is read slowly");
        // However short the requests are, each is news.
        used.set_writing(false);
        for _ in 0..20 {
            used.begin(Version::HTTP_11);
            used.end();
            patrol.look();
            assert!(!used.is_over());
        }
        assert_eq!(looks(&patrol, &used), Some(3), "then nothing comes");

        let multiplexed = patrol.enter();
        multiplexed.begin(Version::HTTP_2);
        multiplexed.end();
        assert_eq!(looks(&patrol, &multiplexed), None, "HTTP/2 has pings");
        drop(multiplexed);
        patrol.look();
        assert!(patrol.lock().connections.is_empty());
    }

    #[test]
    fn all_are_told_of_the_end() {
        let patrol = Patrol::new(Tempo::USUAL);
        let early = patrol.enter();
        assert!(!early.is_ending());
        patrol.end();
        assert!(early.is_ending() && patrol.enter().is_ending());
    }
}
