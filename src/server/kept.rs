//! The straight way of a request that was sent just so before and whose result is kept.
//!
//! What a request comes to depends on its method, its target and [some headers](HEADERS), on the settings and
//! endpoints, on the tokens and on the time. [`remember`] is told what one came to by whoever answered it the long way,
//! in [`query`](super::query). [`answer`] finds that again by a digest of the former, as long as the rest is as it was:
//! a request that was allowed is allowed still. It reads no parameter, waits for nothing, and looks up nothing twice.
//! Rates are counted, and the use of tokens is noted, on both ways alike.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Instant;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CACHE_CONTROL, HeaderName, HeaderValue, IF_NONE_MATCH,
    ORIGIN,
};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Request, Response, Uri};
use jiff::Timestamp;
use subtle::ConstantTimeEq;

use super::access_log::{Kind, Record};
use super::auth::TokenRecord;
use super::cache::{Entry, Key, Status};
use super::limits::{PREFER, Patience, REQUEST_TIMEOUT};
use super::media::Coding;
use super::request::X_API_KEY;
use super::route::{Answering, QUERY_TEMPLATE};
use super::{App, Arrival, State, response};
use crate::endpoint::Endpoint;

/// The headers that a request without body is answered by, besides that which asks for redaction. Not among them is
/// what is read anew each time: `If-None-Match`, `X-Request-Id` and `traceparent`.
static HEADERS: [HeaderName; 8] = [
    ACCEPT,
    ACCEPT_ENCODING,
    AUTHORIZATION,
    CACHE_CONTROL,
    ORIGIN,
    PREFER,
    REQUEST_TIMEOUT,
    X_API_KEY,
];

/// What a request that was sent before came to.
pub(crate) struct Known {
    /// What was sent, where it is short. It holds the token, and is shown nowhere.
    sent: Option<Box<[u8]>>,
    /// The key of its result.
    pub(crate) key: Key,
    /// Of the state that it was answered from.
    generation: u64,
    /// Of the tokens.
    tokens: u64,
    expires: Option<Timestamp>,
    /// The name of the token.
    token: String,
    /// The last minute, since the Unix epoch, in which the use of the token was noted.
    noted: AtomicI64,
    endpoint: Arc<Endpoint>,
    coding: Coding,
    patience: Patience,
    /// The parameters that the endpoint does not have.
    ignored: Option<HeaderValue>,
    kind: Kind,
}

/// What a request came to by the long way.
pub(crate) struct Outcome<'a> {
    /// The key of its result.
    pub(crate) key: Key,
    /// The version of the tokens, taken before the tokens were.
    pub(crate) tokens: u64,
    /// The token.
    pub(crate) token: &'a TokenRecord,
    /// The endpoint.
    pub(crate) endpoint: Arc<Endpoint>,
    /// The coding that the caller likes best.
    pub(crate) coding: Coding,
    /// How long the caller waits.
    pub(crate) patience: Patience,
    /// The parameters that the endpoint does not have.
    pub(crate) ignored: Option<HeaderValue>,
}

/// What the last request on a connection that went the straight way came to. Most callers ask for few things, again
/// and again, and to compare is quicker than to make a digest.
///
/// It is of one task, so that nobody waits for it.
#[derive(Default)]
pub(crate) struct Last(RefCell<Option<Repeat>>);

/// See [`Last`].
struct Repeat {
    known: Arc<Known>,
    /// What its result was. A connection on which nothing comes keeps no result in memory.
    entry: Weak<Entry>,
}

/// Longer requests are not kept to be compared, in bytes.
const SENT_BYTES: usize = 1024;

impl Repeat {
    /// Returns what such a request came to: `last`, or what is found and is the last from now on.
    fn of<'a>(last: &'a mut Option<Self>, app: &App, sent: &[u8]) -> Option<&'a mut Self> {
        let is_last = last.as_ref().is_some_and(|l| l.known.was_sent_as(sent));
        if !is_last {
            *last = Some(Self {
                known: app.cache.recall(&Key::of(sent))?,
                entry: Weak::new(),
            });
        }
        last.as_mut()
    }

    /// Returns the result, if it may be served.
    fn entry(&mut self, app: &App, now: Instant) -> Option<Arc<Entry>> {
        let key = &self.known.key;
        let last = self.entry.upgrade();
        if let Some(entry) = last.filter(|entry| app.cache.still_has(key, entry, now)) {
            return Some(entry);
        }
        let entry = app.cache.find(key, now)?;
        self.entry = Arc::downgrade(&entry);
        Some(entry)
    }
}

/// Remembers what a request came to.
pub(crate) fn remember(app: &App, state: &State, head: &Parts, outcome: Outcome<'_>) {
    let keep = |sent: &[u8]| {
        let is_short = sent.len() <= SENT_BYTES;
        (Key::of(sent), is_short.then(|| sent.into()))
    };
    let sent = as_sent(&head.method, &head.uri, &head.headers, state, keep);
    let Some((sent_key, sent)) = sent else {
        return;
    };
    let Outcome {
        key,
        tokens,
        token,
        endpoint,
        coding,
        patience,
        ignored,
    } = outcome;
    let known = Known {
        sent,
        key,
        generation: state.generation(),
        tokens,
        expires: token.expires,
        token: token.name.clone(),
        noted: AtomicI64::new(i64::MIN),
        endpoint,
        coding,
        patience,
        ignored,
        kind: Kind::default(),
    };
    app.cache.remember_request(sent_key, known);
}

/// Answers a request by the straight way; `None` when it has to go the long one.
pub(crate) fn answer<B>(
    app: &App,
    last: &Last,
    request: &Request<B>,
) -> Option<Response<Full<Bytes>>> {
    let (method, headers) = (request.method(), request.headers());
    let state = app.state.load();
    let last = &mut *last.0.borrow_mut();
    let repeat = as_sent(method, request.uri(), headers, &state, move |sent| {
        Repeat::of(last, app, sent)
    })??;
    let arrival = Arrival::now();
    let arrived = arrival.instant;
    let now = app.clock.at(arrival);
    let known = &repeat.known;
    if known.generation != state.generation()
        || known.tokens != app.tokens.version_at(arrived)
        || known.is_expired(now)
    {
        return None;
    }
    let entry = repeat.entry(app, arrived)?;
    let known = &repeat.known;
    let coded = entry.encoded.ready(known.coding)?;
    known.note(app, now);

    let mut record = Record::start(app, method, headers, arrival);
    let answering = Answering::of(&state, method, headers);
    record.route = QUERY_TEMPLATE;
    record.endpoint = Some(Cow::Borrowed(&known.endpoint));
    record.token = Some(Cow::Borrowed(&known.token));
    record.kind = Some(&known.kind);
    let limits = &state.config.rate_limits;
    if limits.token.is_some() || limits.endpoint.is_some() {
        let rates = app.rates();
        let allowance = &mut record.allowance;
        let admitted = rates.admit(&known.token, &known.endpoint.name, allowance);
        if let Err(error) = admitted {
            return Some(answering.complete(&mut record, Err(error)));
        }
    }
    // What is left to do takes less than a clock tells apart.
    let time = arrived.elapsed();
    record.timings.auth = Some(time);
    record.time = Some(time);
    record.rows = Some(entry.encoded.rows);
    record.cache = Some(Status::Hit);
    let unless = headers.get(IF_NONE_MATCH);
    let freshness = entry.freshness(arrived);
    let mut response = response::kept(&entry.encoded, coded, freshness, unless, &record);
    let answer = response.headers_mut();
    known.patience.write(answer);
    if let Some(names) = &known.ignored {
        answer.insert(response::X_IGNORED_PARAMETERS, names.clone());
    }
    answering.conclude(&mut record, &mut response);
    Some(response)
}

impl Known {
    /// Returns whether this was sent. How long that takes depends on nothing but the length, as there is a token in it.
    fn was_sent_as(&self, sent: &[u8]) -> bool {
        let Some(known) = self
            .sent
            .as_deref()
            .filter(|known| known.len() == sent.len())
        else {
            return false;
        };
        let bytes = known.iter().zip(sent);
        let difference = bytes.fold(0, |difference, (a, b)| difference | (a ^ b));
        difference.ct_eq(&0_u8).into()
    }

    fn is_expired(&self, now: i64) -> bool {
        let now = || Timestamp::from_microsecond(now).unwrap_or(Timestamp::MAX);
        self.expires.is_some_and(|expires| expires <= now())
    }

    /// Notes the use of the token, once a minute: more is not written down.
    fn note(&self, app: &App, now: i64) {
        let minute = now.div_euclid(60_000_000);
        if self.noted.load(Ordering::Relaxed) == minute {
            return;
        }
        self.noted.store(minute, Ordering::Relaxed);
        if let Ok(now) = Timestamp::from_microsecond(now) {
            app.tokens.note(&self.token, now);
        }
    }
}

/// Returns what is made of all that a request is answered by; `None` where its body counts as well.
///
/// The token is in it: where it is a key, it has to be a digest of which nobody can find two texts.
fn as_sent<T>(
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
    state: &State,
    make: impl FnOnce(&[u8]) -> T,
) -> Option<T> {
    /// Stands for the header that asks for redaction, as their places do for the others.
    const REDACTION: usize = HEADERS.len();
    const PATH: usize = REDACTION + 1;
    const QUERY: usize = REDACTION + 2;
    thread_local! {
        static ROOM: RefCell<Vec<u8>> = RefCell::default();
    }
    let method = match *method {
        Method::GET => b'G',
        Method::HEAD => b'H',
        _ => return None,
    };
    let redaction = state.redaction_header();
    let place = |name: &HeaderName| {
        let place = HEADERS.iter().position(|known| known == name);
        place.or_else(|| (redaction == Some(name)).then_some(REDACTION))
    };
    ROOM.with_borrow_mut(|room| {
        room.clear();
        room.push(method);
        // Each part has what it is and its length before it, so that no two lists of parts are one text.
        let mut part = |kind: usize, part: &[u8]| {
            room.extend_from_slice(&kind.to_ne_bytes());
            room.extend_from_slice(&part.len().to_ne_bytes());
            room.extend_from_slice(part);
        };
        part(PATH, uri.path().as_bytes());
        part(QUERY, uri.query().unwrap_or_default().as_bytes());
        for (name, value) in headers {
            if let Some(place) = place(name) {
                part(place, value.as_bytes());
            }
        }
        Some(make(room))
    })
}
