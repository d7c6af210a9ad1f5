//! From a call that is allowed to the bytes of its result: out of the cache, or by running it.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::access_log::Record;
use super::cache::{Cache, Encoded, Entry, Found, Freshness, Key, KeyBuilder, Status};
use super::error::ApiError;
use super::media::Format;
use super::query::{self, Sent};
use super::response::Timings;
use super::{App, State};
use crate::compiler::{Parameters, Redaction, Target};
use crate::endpoint::Endpoint;
use crate::warehouse::{Terms, WarehouseError};

/// How long a query that ignores its deadline is waited for beyond it.
const GRACE: Duration = Duration::from_secs(1);

/// Everything that a result depends on but the logs and the time.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    /// The endpoint.
    pub(crate) endpoint: Arc<Endpoint>,
    /// Its version, see [`State::version`].
    pub(crate) version: [u8; 32],
    /// The caller's own query.
    pub(crate) sent: Option<Sent>,
    /// The values of the parameters, those that the token sets included.
    pub(crate) parameters: Parameters,
    /// The parameters that the token sets: results are shared between tokens that set the same.
    pub(crate) pins: Vec<(String, String)>,
    /// How personal data is redacted, if it is.
    pub(crate) redaction: Option<Redaction>,
    /// What the result is written as.
    pub(crate) format: Format,
    /// The name of the token that asked first, for the warehouse's books.
    pub(crate) token: String,
    /// Labels for the warehouse's books.
    pub(crate) labels: Vec<(String, String)>,
}

impl Recipe {
    /// Returns roughly how many bytes of memory the texts of the recipe take.
    pub(crate) fn bytes(&self) -> usize {
        let pins = self
            .pins
            .iter()
            .map(|(name, value)| name.len() + value.len());
        let values = self
            .parameters
            .values()
            .map(|value| format!("{value:?}").len());
        let sent = self.sent.as_ref().map(|sent| sent.as_ad_hoc().parts().1);
        sent.map_or(0, str::len) + pins.sum::<usize>() + values.sum::<usize>()
    }

    /// Returns a key of everything but the query, to be completed by it.
    fn key(&self, kind: &str) -> KeyBuilder {
        let mut key = KeyBuilder::new(kind)
            .part(self.version)
            .part(self.format.name())
            .part([u8::from(self.redaction.is_some())]);
        for rule in self.redaction.iter().flat_map(Redaction::rules) {
            key = key.part(rule.key().as_bytes());
        }
        for (name, value) in &self.pins {
            key = key.part(name).part(value);
        }
        // The debug form of a value tells its type, and quotes and escapes texts.
        key.part(format!("{:?}", self.parameters))
    }
}

/// A result with what the cache says about it.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The bytes.
    pub(crate) encoded: Arc<Encoded>,
    /// Where they came from.
    pub(crate) status: Status,
    /// How long they are good; absent when results of the endpoint are not kept.
    pub(crate) freshness: Option<Freshness>,
    /// The entry they are of.
    entry: Option<(Key, Arc<Entry>)>,
}

impl Answer {
    /// Returns the key of the result, where it is kept.
    pub(crate) fn key(&self) -> Option<Key> {
        self.entry.as_ref().map(|(key, _)| *key)
    }

    /// Notes that a coding of the bytes was made.
    pub(crate) fn grew(&self, cache: &Cache) {
        if let Some((key, entry)) = &self.entry {
            cache.weigh(key, entry);
        }
    }

    fn of(key: Key, entry: Arc<Entry>, status: Status) -> Self {
        Self {
            encoded: Arc::clone(&entry.encoded),
            status,
            freshness: Some(entry.freshness(Instant::now())),
            entry: Some((key, entry)),
        }
    }
}

/// Answers a call by `deadline`. `refresh` asks for a result that is made now.
pub(crate) async fn answer(
    app: &Arc<App>,
    state: &Arc<State>,
    recipe: Recipe,
    deadline: Instant,
    refresh: bool,
    record: &mut Record<'_>,
) -> Result<Answer, ApiError> {
    let begun = Instant::now();
    if recipe.endpoint.cache_seconds == 0 {
        let encoded = run(app, state, &recipe, deadline).await?;
        record.timings = record.timings.and(encoded.timings);
        return Ok(Answer {
            encoded: Arc::new(encoded),
            status: Status::Bypass,
            freshness: None,
            entry: None,
        });
    }
    let key = key(app, state, &recipe).await?;
    record.timings.cache = Some(begun.elapsed());
    if refresh {
        let encoded = run(app, state, &recipe, deadline).await?;
        record.timings = record.timings.and(encoded.timings);
        let entry = app.cache.store(key, recipe, encoded, begun, true);
        return Ok(Answer::of(key, entry, Status::Request));
    }
    if let Some(entry) = app.cache.find(&key, begun) {
        return Ok(Answer::of(key, entry, Status::Hit));
    }
    loop {
        let (flight, status) = match board(app, state, &recipe, key) {
            Found::Entry(entry) => return Ok(Answer::of(key, entry, Status::Hit)),
            Found::Joined(flight) => (flight, Status::Collapsed),
            Found::Began {
                flight,
                stale: true,
            } => (flight, Status::Stale),
            Found::Began {
                flight,
                stale: false,
            } => (flight, Status::Miss),
        };
        let landed = tokio::time::timeout_at(deadline.into(), flight)
            .await
            .unwrap_or_else(|_| Err(WarehouseError::DeadlineExceeded.into()));
        match landed {
            // The time of the caller who began was over, ours is not: we begin anew.
            Err(error)
                if status == Status::Collapsed
                    && error.is_deadline()
                    && Instant::now() < deadline => {}
            Err(error) => return Err(error),
            Ok(entry) => {
                if status != Status::Collapsed {
                    record.timings = record.timings.and(entry.encoded.timings);
                }
                return Ok(Answer::of(key, entry, status));
            }
        }
    }
}

/// Finds a result, or gets on a flight to it.
fn board(app: &Arc<App>, state: &Arc<State>, recipe: &Recipe, key: Key) -> Found {
    let now = Instant::now();
    // The caller who begins may have lowered their own deadline; others who join have theirs.
    let deadline = now + state.patience(&recipe.endpoint);
    let work = {
        let (app, state, recipe) = (Arc::clone(app), Arc::clone(state), recipe.clone());
        async move { run(&app, &state, &recipe, deadline).await }
    };
    app.cache.find_or_begin(key, recipe, now, work)
}

/// Returns the key of a call. A query of the caller counts by its canonical text, which does not depend
/// on how it is spelt nor on the instant of the call.
async fn key(app: &Arc<App>, state: &Arc<State>, recipe: &Recipe) -> Result<Key, ApiError> {
    let sql = match &recipe.sent {
        None => return Ok(recipe.key("stored").finish()),
        // Its times are relative to the instant of the call, so that no compiled text stands for it.
        Some(Sent::Lql(text)) => return Ok(recipe.key("lql").part(text).finish()),
        Some(Sent::Sql(sql)) => sql,
    };
    let spelling = recipe.key("spelling").part(sql).finish();
    if let Some(key) = app.cache.canonical(&spelling) {
        return Ok(key);
    }
    // Printed for BigQuery, the clock is a call and no instant, and tables have the names of streams.
    let target = Target::BigQuery {
        tables: Default::default(),
    };
    let compiled = query::compile(app, state, recipe, target, 0).await?;
    let canonical = recipe.key("canonical").part(compiled.sql).finish();
    app.cache.remember(spelling, canonical);
    Ok(canonical)
}

/// Compiles a call for the instant of now, runs it and writes its rows. A failure tells how long the phases
/// up to it took.
pub(crate) async fn run(
    app: &Arc<App>,
    state: &Arc<State>,
    recipe: &Recipe,
    deadline: Instant,
) -> Result<Encoded, ApiError> {
    let mut timings = Timings::default();
    let made = make(app, state, recipe, deadline, &mut timings).await;
    let Made {
        body,
        rows,
        truncated,
    } = made.map_err(|error| error.after(timings))?;
    app.metrics.query(
        &recipe.endpoint.name,
        timings.run.unwrap_or_default(),
        body.len(),
        timings.bytes_billed,
    );
    Ok(Encoded::new(recipe.format, body, rows, truncated, timings))
}

/// What a query has come to.
struct Made {
    body: Bytes,
    rows: usize,
    truncated: bool,
}

async fn make(
    app: &Arc<App>,
    state: &Arc<State>,
    recipe: &Recipe,
    deadline: Instant,
    timings: &mut Timings,
) -> Result<Made, ApiError> {
    let target = state.warehouse.target().clone();
    let compiled = query::compile(app, state, recipe, target, app.clock.now());
    let compiled = timed(&mut timings.compile, compiled).await?;
    let place = timed(&mut timings.queue, app.gate.enter(deadline)).await?;

    let limit = tokio::time::Instant::from_std(deadline + GRACE);
    let terms = Terms {
        deadline,
        endpoint: recipe.endpoint.name.clone(),
        token: recipe.token.clone(),
        labels: recipe.labels.clone(),
        maximum_bytes_billed: recipe.endpoint.maximum_bytes_billed,
    };
    let running = tokio::time::timeout_at(limit, state.warehouse.run(&compiled, terms));
    let rows = timed(&mut timings.run, running)
        .await
        .unwrap_or(Err(WarehouseError::DeadlineExceeded))
        .inspect_err(|error| app.metrics.query_failed(error))
        .map_err(|error| ApiError::from(error).redacted(recipe.redaction.as_ref()))?;
    timings.bytes_billed = rows.bytes_billed;
    drop(place);

    let begun = Instant::now();
    let body = recipe
        .format
        .encode(&rows, state.config.server.max_result_bytes);
    timings.encode = Some(begun.elapsed());
    Ok(Made {
        body: app.memory.hold(body?, deadline).await?,
        rows: rows.rows.len(),
        truncated: rows.truncated,
    })
}

/// Notes how long some work takes, whatever comes of it.
async fn timed<T>(time: &mut Option<Duration>, work: impl Future<Output = T>) -> T {
    let begun = Instant::now();
    let outcome = work.await;
    *time = Some(begun.elapsed());
    outcome
}
