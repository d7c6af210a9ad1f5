//! What requests are answered from and a reload replaces as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::config::Config;
use crate::endpoint::{Endpoint, Endpoints};
use crate::warehouse::Warehouse;

/// Settings, endpoints and warehouse that belong together. A request holds on to one from beginning to
/// end.
pub struct State {
    /// Settings.
    pub(crate) config: Config,
    /// The endpoints by id and name.
    pub(crate) endpoints: Endpoints,
    /// Where queries run.
    pub(crate) warehouse: Arc<dyn Warehouse>,
    /// The header that asks for redaction. The settings admit only what makes a name.
    redaction_header: Option<HeaderName>,
    /// Tells this state from every other of the process.
    generation: u64,
    /// What tells each endpoint, under these settings, from every other version of it; by its id.
    versions: BTreeMap<Uuid, [u8; 32]>,
}

impl State {
    /// Puts the parts together.
    #[must_use]
    pub fn new(config: Config, endpoints: Endpoints, warehouse: Arc<dyn Warehouse>) -> Self {
        // Every setting counts, as any may change what a query reads or may do. Nothing secret is in
        // the configuration, and the digest goes nowhere but into keys.
        let settings = Sha256::digest(format!("{config:?}"));
        let version = |endpoint: &Endpoint| {
            let mut digest = Sha256::new_with_prefix(settings);
            digest.update(endpoint.id.as_bytes());
            digest.update(endpoint.digest);
            digest.finalize().into()
        };
        static GENERATIONS: AtomicU64 = AtomicU64::new(0);
        let redaction_header = format!("{}-ENDPOINT-REDACT-PII", config.server.header_prefix);
        Self {
            generation: GENERATIONS.fetch_add(1, Ordering::Relaxed),
            redaction_header: HeaderName::try_from(redaction_header).ok(),
            versions: endpoints.iter().map(|e| (e.id, version(e))).collect(),
            config,
            endpoints,
            warehouse,
        }
    }

    /// Returns the settings.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the warehouse, if it is also right for these settings and endpoints.
    #[must_use]
    pub fn warehouse_for(
        &self,
        config: &Config,
        endpoints: &Endpoints,
    ) -> Option<Arc<dyn Warehouse>> {
        let is_same = self.config.warehouse == config.warehouse
            && self.config.streams == config.streams
            && self.endpoints.catalog() == endpoints.catalog();
        is_same.then(|| Arc::clone(&self.warehouse))
    }

    /// Returns what tells this state from every other of the process.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the header that asks for redaction.
    pub(crate) fn redaction_header(&self) -> Option<&HeaderName> {
        self.redaction_header.as_ref()
    }

    /// Returns the values of the header that asks for redaction.
    pub(crate) fn asked_redaction<'a>(
        &self,
        headers: &'a HeaderMap,
    ) -> impl Iterator<Item = &'a HeaderValue> {
        let name = self.redaction_header.as_ref();
        name.into_iter().flat_map(|name| headers.get_all(name))
    }

    /// Returns what tells this version of an endpoint, under these settings, from every other; `None` for
    /// an endpoint that is not served.
    pub(crate) fn version(&self, endpoint: &Endpoint) -> Option<[u8; 32]> {
        self.versions.get(&endpoint.id).copied()
    }

    /// Returns the versions of all endpoints.
    pub(crate) fn versions(&self) -> BTreeSet<[u8; 32]> {
        self.versions.values().copied().collect()
    }

    /// Returns whether an endpoint is served in this version.
    pub(crate) fn has(&self, endpoint: &Endpoint, version: &[u8; 32]) -> bool {
        self.version(endpoint).as_ref() == Some(version)
    }

    /// Returns the key of the setting that [`Self::patience`] comes from.
    pub(crate) fn patience_source(&self, endpoint: &Endpoint) -> &'static str {
        let server = self.config.server.request_timeout_seconds;
        match endpoint.timeout_seconds {
            Some(own) if own < server => "timeout_seconds",
            _ => "server.request_timeout_seconds",
        }
    }

    /// Returns how long a call of an endpoint may take.
    pub(crate) fn patience(&self, endpoint: &Endpoint) -> Duration {
        let server = self.config.server.request_timeout_seconds;
        let seconds = endpoint
            .timeout_seconds
            .map_or(server, |own| own.min(server));
        Duration::from_secs(seconds)
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("endpoints", &self.endpoints.iter().count())
            .finish_non_exhaustive()
    }
}
