//! Making results again before their time is over, for callers who keep asking.
//!
//! An entry that a caller wanted since it was made is made again each `cache_warming_seconds`, brought
//! forward by up to a tenth so that entries made together are not all due together. One that nobody
//! wanted stays until its time is over. Callers never wait for this work: it goes on beside the flights
//! they join, and a failure leaves the entry as it is.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::{Cache, Entry, Key};
use crate::server::{App, execute};

/// How often is looked for work when there is none.
const IDLE: Duration = Duration::from_millis(500);

impl Cache {
    /// Takes the next entry whose refresh is due; `None` when there is none yet.
    pub(crate) fn next_due(&self, now: Instant) -> Option<(Key, Arc<Entry>)> {
        let mut inner = self.lock();
        loop {
            let (at, key) = *inner.schedule.first()?;
            if at > now {
                return None;
            }
            inner.schedule.pop_first();
            if let Some(slot) = inner.slots.peek(&key)
                && slot.entry.is_fresh(now)
                && slot.entry.wanted.load(Ordering::Relaxed)
            {
                return Some((key, Arc::clone(&slot.entry)));
            }
        }
    }

    /// Puts an entry that could not be made again back on the list, while it is the current one and has
    /// time left.
    pub(crate) fn postpone(&self, key: Key, entry: &Arc<Entry>, now: Instant) {
        let Some(seconds) = entry.recipe.endpoint.cache_warming_seconds else {
            return;
        };
        let at = now + Duration::from_secs(seconds);
        let mut inner = self.lock();
        let is_current =
            (inner.slots.peek(&key)).is_some_and(|slot| Arc::ptr_eq(&slot.entry, entry));
        if is_current && entry.is_fresh(at) {
            inner.schedule.insert((at, key));
        }
    }
}

/// Makes due entries again, for as long as the service lives.
pub(crate) async fn run(app: Weak<App>, permits: Arc<Semaphore>) {
    let mut refreshes = JoinSet::new();
    loop {
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else {
            return;
        };
        while refreshes.try_join_next().is_some() {}
        let Some(app) = app.upgrade() else {
            return;
        };
        let due = if app.is_draining() {
            None
        } else {
            app.cache.next_due(Instant::now())
        };
        match due {
            Some((key, entry)) => {
                refreshes.spawn(async move {
                    refresh(&app, key, &entry).await;
                    drop(permit);
                });
            }
            None => {
                drop((app, permit));
                tokio::time::sleep(IDLE).await;
            }
        }
    }
}

/// Makes one entry again.
pub(crate) async fn refresh(app: &Arc<App>, key: Key, entry: &Arc<Entry>) {
    let state = app.state();
    let recipe = &entry.recipe;
    // An edited endpoint starts clean: nothing of the old one is made again.
    if !state.has(&recipe.endpoint, &recipe.version) {
        return;
    }
    let begun = Instant::now();
    let deadline = begun + state.patience(&recipe.endpoint);
    let endpoint = recipe.endpoint.name.as_str();
    match execute::run(app, &state, recipe, deadline).await {
        Ok(encoded) => {
            app.cache.store(key, recipe.clone(), encoded, begun, false);
            app.metrics.warmed(endpoint, true);
            tracing::debug!(endpoint, "cached result refreshed");
        }
        Err(error) => {
            app.cache.postpone(key, entry, Instant::now());
            app.metrics.warmed(endpoint, false);
            let (codes, detail) = (error.codes(), error.detail().unwrap_or(""));
            tracing::warn!(
                endpoint,
                codes,
                detail,
                "cached result not refreshed, the old one stays until its time is over"
            );
        }
    }
}
