//! Permits whose number may change while they are held.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Semaphore;

/// More than there can be memory for, and few enough that no sum of two overflows the semaphore.
const MOST: usize = Semaphore::MAX_PERMITS / 4;

/// So many permits, handed out in the order of those who wait.
#[derive(Debug)]
pub(crate) struct Permits {
    semaphore: Arc<Semaphore>,
    size: AtomicUsize,
}

impl Permits {
    /// Returns this many permits, all of them free.
    pub(crate) fn new(size: usize) -> Self {
        let size = size.min(MOST);
        Self {
            semaphore: Arc::new(Semaphore::new(size)),
            size: AtomicUsize::new(size),
        }
    }

    /// Returns how many there are, held or not.
    pub(crate) fn size(&self) -> usize {
        self.size.load(Ordering::Relaxed)
    }

    /// Returns how many are held.
    pub(crate) fn held(&self) -> usize {
        self.size()
            .saturating_sub(self.semaphore.available_permits())
    }

    /// Returns what hands them out.
    pub(crate) fn semaphore(&self) -> &Arc<Semaphore> {
        &self.semaphore
    }

    /// Changes how many there are. Those that are held and too many go as they are given back, after whoever
    /// waits already has got theirs. Needs a tokio runtime.
    pub(crate) fn resize(&self, size: usize) {
        let size = size.min(MOST);
        let before = self.size.swap(size, Ordering::Relaxed);
        if size >= before {
            self.semaphore.add_permits(size - before);
            return;
        }
        let surplus = before - size;
        let mut held = surplus - self.semaphore.forget_permits(surplus);
        while held > 0 {
            let part = u32::try_from(held).unwrap_or(u32::MAX);
            held -= part as usize;
            let given_back = Arc::clone(&self.semaphore).acquire_many_owned(part);
            tokio::spawn(async move {
                // The semaphore is never closed.
                if let Ok(permits) = given_back.await {
                    permits.forget();
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn more_are_there_at_once_and_fewer_when_they_are_given_back() {
        let permits = Permits::new(2);
        let take = || Arc::clone(permits.semaphore()).try_acquire_owned();
        let (first, second) = (take().unwrap(), take().unwrap());
        assert!(take().is_err());
        permits.resize(3);
        let third = take().unwrap();
        assert_eq!((permits.size(), permits.held()), (3, 3));
        permits.resize(1);
        // What gets hold of those that are too many has begun to wait.
        tokio::task::yield_now().await;
        drop(first);
        drop(second);
        tokio::task::yield_now().await;
        assert!(take().is_err(), "the third is the only one");
        drop(third);
        assert_eq!(permits.held(), 0);
        let only = take().unwrap();
        assert!(take().is_err());
        permits.resize(2);
        let _other = take().unwrap();
        drop(only);
        assert_eq!((permits.size(), permits.held()), (2, 1));
    }

    #[tokio::test]
    async fn a_size_without_bound_is_no_panic() {
        let permits = Permits::new(usize::MAX);
        permits.resize(1);
        permits.resize(usize::MAX);
        assert_eq!(permits.held(), 0);
    }
}
