//! Access tokens: where they come from, and keeping one good token for everybody.
//!
//! The key of a service account is read and used by the crate `gcp_auth`. The requests are our own,
//! because its providers know no proxy, cannot be pointed anywhere else, and fetch a token once for each
//! waiter when it has expired.

mod source;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use hyper::header::HeaderValue;

use super::http::Http;
use super::settings::{Backoff, Credentials, OpenError};

pub(super) use source::{AuthError, TokenSource};

/// A token is fetched anew when it is good for less than this. The metadata server has a new one five
/// minutes before the old one ends.
const REFRESH_AHEAD: Duration = Duration::from_secs(225);

/// A token is not used when it is good for less than this: a request is under way for some time.
const LEAST_LEFT: Duration = Duration::from_secs(20);

/// How long fetching a token may take altogether.
const FETCH_TIMEOUT: Duration = Duration::from_secs(25);

/// An access token.
#[derive(Clone)]
pub(super) struct Token {
    /// `Bearer …`, marked as sensitive.
    pub(super) header: HeaderValue,
    /// When it ends.
    pub(super) expires: Instant,
}

impl Token {
    fn is_good_for(&self, time: Duration) -> bool {
        self.expires.saturating_duration_since(Instant::now()) > time
    }
}

/// Does not show the token.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token").finish_non_exhaustive()
    }
}

type Fetch = Shared<BoxFuture<'static, Result<Token, AuthError>>>;

/// The token of the process. It is fetched ahead of its end while requests go on with the old one, and
/// once for however many wait for it.
pub(super) struct Tokens {
    source: Arc<dyn TokenSource>,
    http: Arc<Http>,
    backoff: Backoff,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    token: Option<Token>,
    fetch: Option<Fetch>,
}

impl Tokens {
    /// Returns the tokens of these credentials; nothing is fetched yet.
    pub(super) fn open(
        credentials: &Credentials,
        http: Arc<Http>,
        backoff: Backoff,
    ) -> Result<Option<Self>, OpenError> {
        Ok(source::open(credentials)?.map(|source| Self {
            source,
            http,
            backoff,
            state: Arc::default(),
        }))
    }

    /// Returns a token that is good for a request.
    ///
    /// # Errors
    /// None could be fetched.
    pub(super) async fn get(&self) -> Result<Token, AuthError> {
        let fetch = {
            let mut state = lock(&self.state);
            let token = state.token.clone();
            match token {
                Some(token) if token.is_good_for(REFRESH_AHEAD) => return Ok(token),
                Some(token) if token.is_good_for(LEAST_LEFT) => {
                    // It goes on by itself.
                    drop(self.fetch(&mut state));
                    return Ok(token);
                }
                _ => self.fetch(&mut state),
            }
        };
        fetch.await
    }

    /// Forgets a token that was refused, unless there is a newer one already.
    pub(super) fn refused(&self, token: &Token) {
        let mut state = lock(&self.state);
        if state
            .token
            .as_ref()
            .is_some_and(|t| t.header == token.header)
        {
            state.token = None;
        }
    }

    /// Returns the fetch that is under way, or begins one. It is a task of its own, so it goes on when
    /// whoever began it is gone.
    fn fetch(&self, state: &mut State) -> Fetch {
        if let Some(fetch) = &state.fetch {
            return fetch.clone();
        }
        let (source, http, backoff) = (
            Arc::clone(&self.source),
            Arc::clone(&self.http),
            self.backoff,
        );
        let shared = Arc::clone(&self.state);
        let task = tokio::spawn(async move {
            let fetched = fetch(source.as_ref(), &http, backoff).await;
            let mut state = lock(&shared);
            state.fetch = None;
            match &fetched {
                Ok(token) => state.token = Some(token.clone()),
                Err(error) => tracing::warn!(%error, "fetching an access token failed"),
            }
            fetched
        });
        let fetch = task
            .map(|ended| ended.unwrap_or_else(|error| Err(AuthError::Failed(error.to_string()))))
            .boxed()
            .shared();
        state.fetch = Some(fetch.clone());
        fetch
    }
}

/// Fetches a token, again where it failed in passing.
async fn fetch(
    source: &dyn TokenSource,
    http: &Http,
    backoff: Backoff,
) -> Result<Token, AuthError> {
    let attempts = async {
        let mut attempt = 1;
        loop {
            match source.fetch(http).await {
                Err(AuthError::Passing(_)) if attempt < backoff.attempts => {
                    tokio::time::sleep(backoff.pause(attempt)).await;
                    attempt += 1;
                }
                ended => return ended,
            }
        }
    };
    tokio::time::timeout(FETCH_TIMEOUT, attempts)
        .await
        .unwrap_or_else(|_| Err(AuthError::Passing("no answer in time".into())))
}

/// The state is right after every statement, so a panic elsewhere does not spoil it.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").finish_non_exhaustive()
    }
}
