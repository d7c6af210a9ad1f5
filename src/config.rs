//! The configuration: `logboom.toml`, overlaid by `LOGBOOM_*` environment variables.
//!
//! Everything is optional. Flags of the command line come on top and are applied by the commands, which
//! own them. Paths are relative to the working directory of the process.

mod overlay;
#[cfg(test)]
mod tests;
mod value;

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::compiler::{Limits, Redaction};
use crate::warehouse::bigquery::{GOOGLE, MAXIMUM_BYTES_BILLED};

/// The file that is read when none is named; it need not exist.
pub const DEFAULT_FILE: &str = "logboom.toml";

/// What can be configured, with every default filled in.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The HTTP server.
    pub server: Server,
    /// Where queries run.
    pub warehouse: Warehouse,
    /// The folder of endpoints.
    pub endpoints: PathBuf,
    /// The file of access tokens.
    pub tokens: PathBuf,
    /// What is special about a stream, by its name.
    pub streams: BTreeMap<String, Stream>,
    /// Limits on callers' queries.
    pub limits: Limits,
    /// What is redacted where an endpoint or a request asks for it.
    pub redaction: Redaction,
    /// Results that are kept.
    pub cache: Cache,
    /// Limits on the rate of requests.
    pub rate_limits: RateLimits,
}

/// `[server]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The first part of the names of our own request headers, such as `SVC` in
    /// `SVC-ENDPOINT-REDACT-PII`.
    #[serde(deserialize_with = "value::header_prefix")]
    pub header_prefix: String,
    /// A request that takes longer is ended, in seconds.
    #[serde(deserialize_with = "value::positive")]
    pub request_timeout_seconds: u64,
    /// Bytes of one request body.
    #[serde(deserialize_with = "value::positive")]
    pub max_body_bytes: usize,
    /// Bytes of one request line and its headers.
    #[serde(deserialize_with = "value::positive")]
    pub max_head_bytes: usize,
    /// Web origins that browsers may call from; `*` for any.
    #[serde(deserialize_with = "value::origins")]
    pub cors_origins: Vec<String>,
    /// Connections that are held at a time; others wait to be accepted.
    pub max_connections: NonZeroUsize,
    /// Queries that run at a time, those that refresh kept results included.
    pub max_queries: NonZeroUsize,
    /// Queries that wait for that; those beyond are refused.
    pub max_queued_queries: usize,
    /// Bytes of one result, before compression.
    #[serde(deserialize_with = "value::positive")]
    pub max_result_bytes: usize,
    /// Bytes of results, besides those that are kept, that wait until their callers have read them.
    #[serde(deserialize_with = "value::positive")]
    pub max_outgoing_bytes: usize,
    /// Seconds between failing readiness and refusing connections, when the service is asked to end.
    pub shutdown_delay_seconds: u64,
    /// The certificate to serve HTTPS with; plain HTTP when absent.
    pub tls: Option<Tls>,
    /// Another address, for `/healthz`, `/readyz` and `/metrics` over plain HTTP. With it, `/metrics` is
    /// served there alone.
    pub admin_listen: Option<SocketAddr>,
}

/// `[server] tls`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// The file of the certificate and those that lead to its root, in PEM.
    pub cert: PathBuf,
    /// The file of the private key, in PEM.
    pub key: PathBuf,
}

/// `[cache]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cache {
    /// Bytes of all results that are kept, in every coding; 0 keeps none.
    pub capacity_bytes: usize,
    /// Results that are refreshed at a time.
    pub warming_concurrency: NonZeroUsize,
}

/// `[rate_limits]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RateLimits {
    /// Of the requests with one token; none when absent.
    pub token: Option<RateLimit>,
    /// Of the requests to one endpoint; none when absent.
    pub endpoint: Option<RateLimit>,
}

/// So many requests in so many seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    /// Requests; after a pause all of them may come at once.
    pub requests: NonZeroU32,
    /// Seconds.
    pub seconds: NonZeroU64,
}

/// `[warehouse]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Warehouse {
    /// Which engine.
    #[serde(deserialize_with = "value::warehouse_kind")]
    pub kind: WarehouseKind,
    /// The folder of stored log rows.
    pub data: PathBuf,
    /// Bytes of memory for all queries that run at a time.
    #[serde(deserialize_with = "value::positive")]
    pub memory_limit_bytes: usize,
    /// Threads that queries run on; as many as the machine has processors when absent.
    #[serde(deserialize_with = "value::some_positive")]
    pub threads: Option<usize>,
    /// Queries that run at a time; others wait.
    #[serde(deserialize_with = "value::positive")]
    pub max_concurrent: usize,
    /// A folder for what does not fit in memory; without one, such a query is refused.
    pub spill_dir: Option<PathBuf>,
    /// The project of BigQuery that queries run in and that is billed.
    #[serde(deserialize_with = "value::some_project")]
    pub project: Option<String>,
    /// The location of the datasets, such as `EU`; BigQuery finds it out when absent.
    pub location: Option<String>,
    /// A JSON file of credentials, or `metadata` for the service account of the machine; when absent, the
    /// application default credentials.
    pub credentials: Option<PathBuf>,
    /// The most bytes that a query may be billed for, unless its endpoint says otherwise.
    #[serde(deserialize_with = "value::positive")]
    pub maximum_bytes_billed: u64,
    /// What 1 TiB (2^40 bytes) of billed bytes costs, in any currency, for `check --live`.
    #[serde(deserialize_with = "value::some_price")]
    pub price_per_tib: Option<f64>,
    /// Root certificates to trust instead of the built-in ones, a PEM file.
    pub ca_file: Option<PathBuf>,
    /// Where BigQuery's API is, without a path, such as a regional or a private endpoint.
    pub api: String,
}

/// The engine that queries run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarehouseKind {
    /// The one in this process, over local files.
    Embedded,
    /// BigQuery.
    BigQuery,
}

/// `[streams.<name>]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stream {
    /// The physical table on a remote warehouse, `project.dataset.table`.
    #[serde(deserialize_with = "value::table")]
    pub table: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            server: Server::default(),
            warehouse: Warehouse::default(),
            endpoints: "endpoints".into(),
            tokens: "tokens.toml".into(),
            streams: BTreeMap::new(),
            limits: Limits::default(),
            redaction: Redaction::default(),
            cache: Cache::default(),
            rate_limits: RateLimits::default(),
        }
    }
}

impl Default for Server {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            header_prefix: "SVC".into(),
            request_timeout_seconds: 30,
            max_body_bytes: 1024 * 1024,
            max_head_bytes: 64 * 1024,
            cors_origins: Vec::new(),
            max_connections: nonzero(16 * 1024),
            max_queries: nonzero(32),
            max_queued_queries: 256,
            max_result_bytes: 64 * 1024 * 1024,
            max_outgoing_bytes: 512 * 1024 * 1024,
            shutdown_delay_seconds: 0,
            tls: None,
            admin_listen: None,
        }
    }
}

impl Default for Cache {
    fn default() -> Self {
        Self {
            capacity_bytes: 256 * 1024 * 1024,
            warming_concurrency: nonzero(2),
        }
    }
}

fn nonzero(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).unwrap_or(NonZeroUsize::MIN)
}

impl Default for Warehouse {
    fn default() -> Self {
        Self {
            kind: WarehouseKind::Embedded,
            data: "data".into(),
            memory_limit_bytes: 1024 * 1024 * 1024,
            threads: None,
            max_concurrent: 8,
            spill_dir: None,
            project: None,
            location: None,
            credentials: None,
            maximum_bytes_billed: MAXIMUM_BYTES_BILLED,
            price_per_tib: None,
            ca_file: None,
            api: GOOGLE.into(),
        }
    }
}

/// Why there is no configuration. Each is one line.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("reading the configuration {} failed: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The file has a mistake; the text begins with file, line and column.
    #[error("{0}")]
    File(String),
    /// An environment variable has a mistake.
    #[error("environment variable {variable}: {message}")]
    Environment {
        /// The variable.
        variable: String,
        /// What is wrong with it.
        message: String,
    },
}

impl Config {
    /// Reads the configuration from `file` and from the variables of an environment.
    ///
    /// `LOGBOOM_SERVER__LISTEN` sets `listen` of `[server]`: two underscores go one table deeper. A
    /// list may be written as TOML or separated by commas. Without `file`, [`DEFAULT_FILE`] is read if
    /// it exists.
    ///
    /// # Errors
    /// A named file that does not exist, a file or variable with a mistake.
    pub fn load(
        file: Option<&Path>,
        env: impl Iterator<Item = (String, String)>,
    ) -> Result<Config, ConfigError> {
        let path = file.unwrap_or(Path::new(DEFAULT_FILE));
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if file.is_none() && error.kind() == io::ErrorKind::NotFound => {
                String::new()
            }
            Err(cause) => {
                let path = path.to_owned();
                return Err(ConfigError::Read { path, cause });
            }
        };
        overlay::parse(&path.display().to_string(), &text, env)
    }
}
