//! Threads that compile queries.
//!
//! A compiler walks trees that a caller has shaped. Its limits bound their depth; these threads have
//! large stacks besides, so that no text overflows a thread that serves connections, and so that a
//! long compilation does not hold one up.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use tokio::sync::{mpsc, oneshot};

/// The stack of each thread.
pub(crate) const STACK_BYTES: usize = 16 * 1024 * 1024;

/// Jobs that may wait for a thread; a caller beyond them is sent away.
pub(crate) const QUEUE: usize = 256;

type Job = Box<dyn FnOnce() + Send>;

/// A fixed number of threads with a bounded queue. The threads end when the pool is dropped.
#[derive(Debug)]
pub(crate) struct CompilePool {
    jobs: mpsc::Sender<Job>,
}

/// Why a job has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PoolError {
    /// Too many jobs are waiting.
    Full,
    /// The job panicked.
    Panicked,
}

impl CompilePool {
    /// Starts the threads.
    ///
    /// # Errors
    /// The system gives no more threads.
    pub(crate) fn start(threads: usize) -> io::Result<Self> {
        let (jobs, queue) = mpsc::channel::<Job>(QUEUE);
        let queue = Arc::new(Mutex::new(queue));
        for number in 0..threads.max(1) {
            let queue = Arc::clone(&queue);
            std::thread::Builder::new()
                .name(format!("compile-{number}"))
                .stack_size(STACK_BYTES)
                .spawn(move || work(&queue))?;
        }
        Ok(Self { jobs })
    }

    /// Runs a job on one of the threads. A job whose caller has left before it begins is skipped.
    ///
    /// # Errors
    /// The queue is full, or the job panicked.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PoolError> {
        let (sender, receiver) = oneshot::channel();
        let job: Job = Box::new(move || {
            if sender.is_closed() {
                return;
            }
            if let Ok(result) = catch_unwind(AssertUnwindSafe(job)) {
                // The caller may have left meanwhile.
                let _ = sender.send(result);
            }
        });
        self.jobs.try_send(job).map_err(|_| PoolError::Full)?;
        receiver.await.map_err(|_| PoolError::Panicked)
    }
}

fn work(queue: &Mutex<mpsc::Receiver<Job>>) {
    loop {
        // The lock is released before the job runs; a poisoned lock cannot be, as receiving does not
        // panic.
        let job = queue
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .blocking_recv();
        match job {
            Some(job) => job(),
            None => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_costs_one_job_only() {
        let pool = CompilePool::start(1).unwrap();
        let failed = pool.run(|| -> u8 { panic!("on purpose") }).await;
        assert_eq!(failed, Err(PoolError::Panicked));
        assert_eq!(pool.run(|| 7).await, Ok(7));
    }

    #[tokio::test]
    async fn deep_recursion_fits() {
        // Some 8 MiB of stack: four times what a server thread has by default.
        fn deep(n: usize) -> usize {
            let frame = std::hint::black_box([n; 128]);
            if n == 0 {
                0
            } else {
                deep(n - 1) + usize::from(frame.len() == 128)
            }
        }
        let pool = CompilePool::start(2).unwrap();
        assert_eq!(pool.run(|| deep(4_000)).await, Ok(4_000));
    }
}
