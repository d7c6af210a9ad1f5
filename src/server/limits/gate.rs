//! How many queries run at a time, and how many wait for that.

use std::num::NonZeroUsize;
use std::time::Instant;

use tokio::sync::SemaphorePermit;

use super::Permits;
use crate::server::error::{ApiError, Fault};
use crate::warehouse::WarehouseError;

/// Lets a bounded number of queries run; a bounded number waits; the rest is sent away.
#[derive(Debug)]
pub(crate) struct Gate {
    running: Permits,
    /// One permit for each query that runs or waits.
    present: Permits,
}

/// The right to run a query while it is held.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    _running: SemaphorePermit<'a>,
    _present: SemaphorePermit<'a>,
}

impl Gate {
    /// Returns a gate for so many queries at a time and so many that wait.
    pub(crate) fn new(max_queries: NonZeroUsize, max_queued: usize) -> Self {
        Self {
            running: Permits::new(max_queries.get()),
            present: Permits::new(max_queries.get().saturating_add(max_queued)),
        }
    }

    /// Changes how many there may be. Needs a tokio runtime.
    pub(crate) fn resize(&self, max_queries: NonZeroUsize, max_queued: usize) {
        self.running.resize(max_queries.get());
        self.present
            .resize(max_queries.get().saturating_add(max_queued));
    }

    /// Waits for a place until `deadline`.
    ///
    /// # Errors
    /// Too many wait already, or the deadline has passed.
    pub(crate) async fn enter(&self, deadline: Instant) -> Result<Place<'_>, ApiError> {
        let present = self.present.semaphore().try_acquire().map_err(|_| {
            let max_queries = self.running.size();
            let max_queued = self.present.size().saturating_sub(max_queries);
            ApiError::new(
                Fault::Busy,
                format!(
                    "{max_queries} queries run (server.max_queries) and {max_queued} wait \
                     (server.max_queued_queries), which is as many as may"
                ),
            )
        })?;
        let running = self.running.semaphore().acquire();
        let running = tokio::time::timeout_at(deadline.into(), running)
            .await
            .map_err(|_| ApiError::from(WarehouseError::DeadlineExceeded))?
            .map_err(|error| ApiError::internal(error.to_string()))?;
        Ok(Place {
            _running: running,
            _present: present,
        })
    }

    /// Returns how many queries run and how many wait.
    pub(crate) fn load(&self) -> (usize, usize) {
        let running = self.running.held();
        (running, self.present.held().saturating_sub(running))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn one_runs_one_waits_one_is_sent_away() {
        let gate = Gate::new(NonZeroUsize::MIN, 1);
        let far = Instant::now() + Duration::from_secs(60);
        let first = gate.enter(far).await.unwrap();
        assert_eq!(gate.load(), (1, 0));
        let mut second = Box::pin(gate.enter(far));
        assert!(futures::poll!(&mut second).is_pending());
        assert_eq!(gate.load(), (1, 1));
        let third = gate.enter(far).await.unwrap_err();
        assert_eq!(third.codes(), "LB613");
        let message = third.into_response("id").into_body();
        let text = format!("{message:?}");
        assert!(text.contains("server.max_queued_queries"), "{text}");
        drop(first);
        let place = second.await.unwrap();
        assert_eq!(gate.load(), (1, 0));
        drop(place);
        assert_eq!(gate.load(), (0, 0));
    }

    #[tokio::test]
    async fn waiting_ends_at_the_deadline_and_gives_the_place_back() {
        let gate = Gate::new(NonZeroUsize::MIN, 1);
        let _first = gate.enter(Instant::now()).await.unwrap();
        let late = gate.enter(Instant::now()).await.unwrap_err();
        assert_eq!(late.codes(), "LB503");
        assert_eq!(gate.load(), (1, 0));
    }
}
