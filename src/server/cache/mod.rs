//! Results that are kept for a while, and queries that are under way for several callers at once.
//!
//! An entry holds encoded bytes, never rows. All entries together stay within a byte budget; the one
//! that was asked for least recently goes first. Calls of one key run one query: the first *begins* a
//! flight, the others *join* it. Whoever polls the flight drives it, and it ends unfinished, its query
//! cancelled, when the last of them leaves. A failure reaches those who wait for it and is not kept.

mod encoded;
mod key;
mod status;
pub(crate) mod warming;

use std::collections::{BTreeSet, HashMap};
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared, WeakShared};
use lru::LruCache;

use super::error::ApiError;
use super::execute::Recipe;
use super::kept::Known;

pub(crate) use encoded::Encoded;
pub(crate) use key::{Key, KeyBuilder};
pub(crate) use status::{Freshness, Status};

/// What an entry weighs beyond its bodies and the caller's text: keys, lists, headers of answers, allocations.
const OVERHEAD_BYTES: usize = 4096;

/// How exactly the order is kept in which entries were asked for, where one is asked for again and again.
const RECENCY: Duration = Duration::from_millis(100);

/// How many spellings of queries, and how many requests, are remembered.
const SPELLINGS: usize = 16 * 1024;

/// A result that may be served again.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The bytes.
    pub(crate) encoded: Arc<Encoded>,
    /// How to make it again.
    pub(crate) recipe: Recipe,
    /// When its query began.
    begun: Instant,
    /// When it was made.
    made: Instant,
    /// How long it may be served from then on.
    lifetime: Duration,
    /// When it is due to be made again ahead of time.
    refresh_at: Option<Instant>,
    /// Whether a caller wanted it since it was made.
    wanted: AtomicBool,
    /// Whether it is what the cache has for its key.
    is_kept: AtomicBool,
    /// When it was noted last that it was asked for, in milliseconds since it was made.
    noted: AtomicU64,
}

/// A query that is under way for everybody who holds a clone.
pub(crate) type Flight = Shared<BoxFuture<'static, Result<Arc<Entry>, ApiError>>>;

/// A flight that is not kept in the air by who holds this.
type WeakFlight = WeakShared<BoxFuture<'static, Result<Arc<Entry>, ApiError>>>;

/// What there is for a key.
pub(crate) enum Found {
    /// A result that may be served.
    Entry(Arc<Entry>),
    /// The query of another caller.
    Joined(Flight),
    /// A query of our own. `stale` tells that there was a result, too old to be served.
    Began {
        /// The query.
        flight: Flight,
        /// Whether there was an entry whose time is over.
        stale: bool,
    },
}

/// The results that are kept. See the module.
pub(crate) struct Cache {
    inner: Mutex<Inner>,
    capacity: AtomicUsize,
}

struct Inner {
    slots: LruCache<Key, Slot>,
    /// The sum of the weights of all slots.
    bytes: usize,
    /// When entries are due to be made again.
    schedule: BTreeSet<(Instant, Key)>,
    flights: HashMap<Key, (u64, WeakFlight)>,
    next_flight: u64,
    /// From the key of a query as it was written to that of its canonical text.
    spellings: LruCache<Key, Key>,
    /// From the key of a request as it was sent to what it came to.
    requests: LruCache<Key, Arc<Known>>,
}

struct Slot {
    entry: Arc<Entry>,
    weight: usize,
}

impl Entry {
    /// Returns a result that was made just now by a query that began at `begun`, to be kept as its
    /// endpoint says. `jitter` in thousandths brings its refresh forward by at most a tenth.
    fn new(recipe: Recipe, encoded: Encoded, begun: Instant, jitter: u32, wanted: bool) -> Self {
        let endpoint = &recipe.endpoint;
        let made = Instant::now();
        let refresh_at = endpoint.cache_warming_seconds.map(|seconds| {
            let interval = Duration::from_secs(seconds);
            made + interval - interval / 10 * jitter.min(1000) / 1000
        });
        Self {
            lifetime: Duration::from_secs(endpoint.cache_seconds),
            encoded: Arc::new(encoded),
            recipe,
            begun,
            made,
            refresh_at,
            wanted: AtomicBool::new(wanted),
            is_kept: AtomicBool::new(false),
            noted: AtomicU64::new(0),
        }
    }

    fn is_fresh(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.made) < self.lifetime
    }

    /// Returns how old the entry is and how long it may still be served.
    pub(crate) fn freshness(&self, now: Instant) -> Freshness {
        let age = now.saturating_duration_since(self.made);
        Freshness {
            age,
            left: self.lifetime.saturating_sub(age),
        }
    }

    /// Notes that a caller wants it.
    fn want(&self) {
        // Who finds it written writes nothing, so that threads do not take the line from each other.
        if !self.wanted.load(Ordering::Relaxed) {
            self.wanted.store(true, Ordering::Relaxed);
        }
    }

    /// Returns whether it is time to note that it was asked for, once for each time.
    fn is_to_be_noted(&self, now: Instant) -> bool {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let age = millis(now.saturating_duration_since(self.made));
        let is_due = age >= self.noted.load(Ordering::Relaxed) + millis(RECENCY);
        if is_due {
            self.noted.store(age, Ordering::Relaxed);
        }
        is_due
    }

    fn weight(&self) -> usize {
        self.encoded.bytes() + self.recipe.bytes() + OVERHEAD_BYTES
    }
}

impl Cache {
    /// Returns an empty cache that holds at most this many bytes.
    pub(crate) fn new(capacity: usize) -> Self {
        let spellings =
            std::num::NonZeroUsize::new(SPELLINGS).unwrap_or(std::num::NonZeroUsize::MIN);
        Self {
            inner: Mutex::new(Inner {
                slots: LruCache::unbounded(),
                bytes: 0,
                schedule: BTreeSet::new(),
                flights: HashMap::new(),
                next_flight: 0,
                spellings: LruCache::new(spellings),
                requests: LruCache::new(spellings),
            }),
            capacity: AtomicUsize::new(capacity),
        }
    }

    /// Changes how many bytes may be held.
    pub(crate) fn resize(&self, capacity: usize) {
        self.capacity.store(capacity, Ordering::Relaxed);
        self.lock().shrink(capacity);
    }

    fn capacity(&self) -> usize {
        self.capacity.load(Ordering::Relaxed)
    }

    /// Returns the result of a key, if there is one that may be served.
    pub(crate) fn find(&self, key: &Key, now: Instant) -> Option<Arc<Entry>> {
        let mut inner = self.lock();
        let entry = &inner.slots.get(key)?.entry;
        if !entry.is_fresh(now) {
            return None;
        }
        entry.want();
        Some(Arc::clone(entry))
    }

    /// Returns whether the result of a key that was [found](Self::find) before is still what would be found. As long as
    /// it is, who asks often need not wait for the others; that it was asked for is noted from time to time.
    pub(crate) fn still_has(&self, key: &Key, entry: &Entry, now: Instant) -> bool {
        if !entry.is_kept.load(Ordering::Acquire) || !entry.is_fresh(now) {
            return false;
        }
        entry.want();
        if entry.is_to_be_noted(now) {
            self.lock().slots.promote(key);
        }
        true
    }

    /// Returns what there is for a key. Where there is nothing, `run` becomes the flight that callers
    /// after this one join.
    pub(crate) fn find_or_begin(
        self: &Arc<Self>,
        key: Key,
        recipe: &Recipe,
        now: Instant,
        run: impl Future<Output = Result<Encoded, ApiError>> + Send + 'static,
    ) -> Found {
        let mut inner = self.lock();
        let stale = match inner.slots.get(&key) {
            Some(slot) if slot.entry.is_fresh(now) => {
                slot.entry.want();
                return Found::Entry(Arc::clone(&slot.entry));
            }
            Some(_) => true,
            None => false,
        };
        if stale {
            inner.remove(&key);
        }
        let joined = inner.flights.get(&key).and_then(|(_, f)| f.upgrade());
        if let Some(flight) = joined {
            if flight.peek().is_none() {
                return Found::Joined(flight);
            }
            // What landed stays with those who waited. It is dropped without the lock: the last holder
            // of a flight that is under way ends it, and that takes the lock.
            drop(inner);
            drop(flight);
            inner = self.lock();
        }
        let number = inner.next_flight;
        inner.next_flight += 1;
        let takeoff = Takeoff {
            cache: Arc::clone(self),
            key,
            number,
        };
        let flight = fly(takeoff, recipe.clone(), now, run).boxed().shared();
        if let Some(weak) = flight.downgrade() {
            inner.flights.insert(key, (number, weak));
        }
        Found::Began { flight, stale }
    }

    /// Keeps a result whose query began at `begun`, unless there is one of a later query, and returns it.
    pub(crate) fn store(
        &self,
        key: Key,
        recipe: Recipe,
        encoded: Encoded,
        begun: Instant,
        wanted: bool,
    ) -> Arc<Entry> {
        let entry = Arc::new(Entry::new(recipe, encoded, begun, key.jitter(), wanted));
        self.lock().insert(key, Arc::clone(&entry), self.capacity());
        entry
    }

    /// Weighs an entry again, after it got another coding of its body.
    pub(crate) fn weigh(&self, key: &Key, entry: &Arc<Entry>) {
        let mut inner = self.lock();
        let weight = entry.weight();
        let before = match inner.slots.peek_mut(key) {
            Some(slot) if Arc::ptr_eq(&slot.entry, entry) => {
                std::mem::replace(&mut slot.weight, weight)
            }
            _ => return,
        };
        inner.bytes = (inner.bytes + weight).saturating_sub(before);
        inner.shrink(self.capacity());
    }

    /// Returns the key of the canonical text of a query that was written like this before.
    pub(crate) fn canonical(&self, spelling: &Key) -> Option<Key> {
        self.lock().spellings.get(spelling).copied()
    }

    /// Remembers the key of the canonical text of a query that was written like this.
    pub(crate) fn remember(&self, spelling: Key, canonical: Key) {
        self.lock().spellings.put(spelling, canonical);
    }

    /// Returns what a request came to that was sent just like this.
    pub(crate) fn recall(&self, sent: &Key) -> Option<Arc<Known>> {
        self.lock().requests.get(sent).map(Arc::clone)
    }

    /// Remembers what a request came to that was sent like this.
    pub(crate) fn remember_request(&self, sent: Key, known: Known) {
        self.lock().requests.put(sent, Arc::new(known));
    }

    /// Drops every entry whose endpoint is not of one of these versions, and all spellings.
    pub(crate) fn retain(&self, versions: &BTreeSet<[u8; 32]>) {
        let mut inner = self.lock();
        inner.spellings.clear();
        inner.requests.clear();
        let gone: Vec<Key> = inner
            .slots
            .iter()
            .filter(|(_, slot)| !versions.contains(&slot.entry.recipe.version))
            .map(|(key, _)| *key)
            .collect();
        for key in gone {
            inner.remove(&key);
        }
    }

    /// Returns how many entries there are and what they weigh, in bytes.
    pub(crate) fn size(&self) -> (usize, usize) {
        let inner = self.lock();
        (inner.slots.len(), inner.bytes)
    }

    /// Returns how many hold on to flights.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        let inner = self.lock();
        let flights: Vec<Flight> = (inner.flights.values())
            .filter_map(|(_, flight)| flight.upgrade())
            .collect();
        drop(inner);
        let held = flights.iter().filter_map(Flight::strong_count);
        held.map(|count| count - 1).sum()
    }

    /// A panic cannot leave the lists half changed: nothing that is called under the lock panics.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn insert(&mut self, key: Key, entry: Arc<Entry>, capacity: usize) {
        let weight = entry.weight();
        let superseded = (self.slots.peek(&key)).is_some_and(|slot| slot.entry.begun > entry.begun);
        // An entry above the budget would push out all others and then itself.
        if superseded || weight > capacity {
            return;
        }
        self.remove(&key);
        if let Some(at) = entry.refresh_at {
            self.schedule.insert((at, key));
        }
        self.bytes += weight;
        entry.is_kept.store(true, Ordering::Release);
        self.slots.put(key, Slot { entry, weight });
        self.shrink(capacity);
    }

    fn remove(&mut self, key: &Key) {
        if let Some(slot) = self.slots.pop(key) {
            self.forget(key, &slot);
        }
    }

    fn shrink(&mut self, capacity: usize) {
        while self.bytes > capacity {
            let Some((key, slot)) = self.slots.pop_lru() else {
                return;
            };
            self.forget(&key, &slot);
        }
    }

    fn forget(&mut self, key: &Key, slot: &Slot) {
        slot.entry.is_kept.store(false, Ordering::Release);
        self.bytes = self.bytes.saturating_sub(slot.weight);
        if let Some(at) = slot.entry.refresh_at {
            self.schedule.remove(&(at, *key));
        }
    }
}

/// Runs a query for everybody who waits, and keeps its result before anybody sees it.
async fn fly(
    takeoff: Takeoff,
    recipe: Recipe,
    begun: Instant,
    run: impl Future<Output = Result<Encoded, ApiError>> + Send,
) -> Result<Arc<Entry>, ApiError> {
    let outcome = AssertUnwindSafe(run)
        .catch_unwind()
        .await
        .unwrap_or_else(|_| Err(ApiError::internal("the query panicked")));
    let cache = Arc::clone(&takeoff.cache);
    outcome.map(|encoded| cache.store(takeoff.key, recipe, encoded, begun, true))
}

/// Takes a flight off the list when it has landed or is given up.
struct Takeoff {
    cache: Arc<Cache>,
    key: Key,
    number: u64,
}

impl Drop for Takeoff {
    fn drop(&mut self) {
        let mut inner = self.cache.lock();
        let ours = (inner.flights.get(&self.key)).is_some_and(|(n, _)| *n == self.number);
        // The list holds the flight weakly, so that taking it off here drops nothing that locks.
        if ours {
            inner.flights.remove(&self.key);
        }
    }
}

impl std::fmt::Debug for Cache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (entries, bytes) = self.size();
        f.debug_struct("Cache")
            .field("entries", &entries)
            .field("bytes", &bytes)
            .field("capacity", &self.capacity())
            .finish_non_exhaustive()
    }
}
