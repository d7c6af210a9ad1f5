//! The configuration: `logboom.toml`, overlaid by `LOGBOOM_*` environment variables.
//!
//! Everything is optional. Flags of the command line come on top and are applied by the commands, which
//! own them. Paths are relative to the working directory of the process.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer};
use toml::{Table, Value};

use crate::compiler::{Limits, Redaction};
use crate::toml_text::{self, Mistake};
use crate::warehouse::bigquery::{GOOGLE, MAXIMUM_BYTES_BILLED};

/// The file that is read when none is named; it need not exist.
pub const DEFAULT_FILE: &str = "logboom.toml";

/// Beginning of the names of all environment variables that set something.
const PREFIX: &str = "LOGBOOM_";

/// Variables with the prefix that are read elsewhere: where the file is and what is logged.
const OTHER_VARIABLES: [&str; 2] = ["LOGBOOM_CONFIG", "LOGBOOM_LOG"];

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
    #[serde(deserialize_with = "header_prefix")]
    pub header_prefix: String,
    /// A request that takes longer is ended, in seconds.
    #[serde(deserialize_with = "positive")]
    pub request_timeout_seconds: u64,
    /// Bytes of one request body.
    #[serde(deserialize_with = "positive")]
    pub max_body_bytes: usize,
    /// Bytes of one request line and its headers.
    #[serde(deserialize_with = "positive")]
    pub max_head_bytes: usize,
    /// Web origins that browsers may call from; `*` for any.
    #[serde(deserialize_with = "origins")]
    pub cors_origins: Vec<String>,
    /// Connections that are held at a time; others wait to be accepted.
    pub max_connections: NonZeroUsize,
    /// Queries that run at a time, those that refresh kept results included.
    pub max_queries: NonZeroUsize,
    /// Queries that wait for that; those beyond are refused.
    pub max_queued_queries: usize,
    /// Bytes of one result, before compression.
    #[serde(deserialize_with = "positive")]
    pub max_result_bytes: usize,
    /// Bytes of results, besides those that are kept, that wait until their callers have read them.
    #[serde(deserialize_with = "positive")]
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
    #[serde(deserialize_with = "warehouse_kind")]
    pub kind: WarehouseKind,
    /// The folder of stored log rows.
    pub data: PathBuf,
    /// Bytes of memory for all queries that run at a time.
    #[serde(deserialize_with = "positive")]
    pub memory_limit_bytes: usize,
    /// Threads that queries run on; as many as the machine has processors when absent.
    #[serde(deserialize_with = "some_positive")]
    pub threads: Option<usize>,
    /// Queries that run at a time; others wait.
    #[serde(deserialize_with = "positive")]
    pub max_concurrent: usize,
    /// A folder for what does not fit in memory; without one, such a query is refused.
    pub spill_dir: Option<PathBuf>,
    /// The project of BigQuery that queries run in and that is billed.
    #[serde(deserialize_with = "some_project")]
    pub project: Option<String>,
    /// The location of the datasets, such as `EU`; BigQuery finds it out when absent.
    pub location: Option<String>,
    /// A JSON file of credentials, or `metadata` for the service account of the machine; when absent, the
    /// application default credentials.
    pub credentials: Option<PathBuf>,
    /// The most bytes that a query may be billed for, unless its endpoint says otherwise.
    #[serde(deserialize_with = "positive")]
    pub maximum_bytes_billed: u64,
    /// What 1 TiB (2^40 bytes) of billed bytes costs, in any currency, for `check --live`.
    #[serde(deserialize_with = "some_price")]
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
    #[serde(deserialize_with = "table")]
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
        parse(&path.display().to_string(), &text, env)
    }
}

fn parse(
    name: &str,
    text: &str,
    env: impl Iterator<Item = (String, String)>,
) -> Result<Config, ConfigError> {
    let in_file = |mistake: Mistake| ConfigError::File(mistake.render(name, text));
    let mut config: Config = toml_text::read(text).map_err(in_file)?;
    let mut table: Table = toml_text::read(text).map_err(in_file)?;
    // The order of an environment is not fixed; that of the errors is.
    let mut variables: Vec<(String, String)> = env
        .filter(|(name, _)| name.starts_with(PREFIX) && !OTHER_VARIABLES.contains(&name.as_str()))
        .collect();
    variables.sort();
    for (variable, value) in variables {
        (table, config) = overlay(&table, &variable, &value)
            .map_err(|message| ConfigError::Environment { variable, message })?;
    }
    Ok(config)
}

/// Sets one variable and reads the whole again. What was there is right, so a mistake is the variable's.
fn overlay(table: &Table, variable: &str, text: &str) -> Result<(Table, Config), String> {
    let path = variable
        .strip_prefix(PREFIX)
        .unwrap_or(variable)
        .to_ascii_lowercase();
    let keys: Vec<&str> = path.split("__").collect();
    let mut mistake = None;
    for candidate in readings(text) {
        let mut changed = table.clone();
        set(&mut changed, &keys, candidate)?;
        match Config::deserialize(Value::Table(changed.clone())) {
            Ok(config) => return Ok((changed, config)),
            Err(error) => mistake = Some(Mistake::from(error).to_string()),
        }
    }
    Err(mistake.unwrap_or_default())
}

/// What the text of a variable may mean, the likeliest last: its mistake is the one that is reported.
fn readings(text: &str) -> Vec<Value> {
    let mut readings = vec![];
    let list = text
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty());
    readings.push(Value::Array(
        list.map(|item| Value::String(item.into())).collect(),
    ));
    readings.push(Value::String(text.into()));
    let literal = toml::from_str::<Table>(&format!("value = {text}"));
    readings.extend(literal.ok().and_then(|mut table| table.remove("value")));
    readings
}

fn set(table: &mut Table, keys: &[&str], value: Value) -> Result<(), String> {
    match keys {
        [] | [""] => Err("names no setting".into()),
        [key] => {
            table.insert((*key).to_owned(), value);
            Ok(())
        }
        [key, deeper @ ..] => {
            let entry = table
                .entry((*key).to_owned())
                .or_insert_with(|| Value::Table(Table::new()));
            match entry {
                Value::Table(inner) => set(inner, deeper, value),
                _ => Err(format!("`{key}` has no settings in it")),
            }
        }
    }
}

fn positive<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u64>,
{
    let number = u64::deserialize(deserializer)?;
    T::try_from(number)
        .ok()
        .filter(|_| number > 0)
        .ok_or_else(|| D::Error::invalid_value(Unexpected::Unsigned(number), &"a number above 0"))
}

fn some_positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    positive(deserializer).map(Some)
}

fn header_prefix<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    let is_token = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    if text.is_empty() || text.len() > 64 || !is_token {
        let expected = "1 to 64 letters, digits and `-`";
        return Err(D::Error::invalid_value(Unexpected::Str(&text), &expected));
    }
    Ok(text)
}

fn origins<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let origins = Vec::<String>::deserialize(deserializer)?;
    for origin in &origins {
        let host = origin
            .strip_prefix("https://")
            .or_else(|| origin.strip_prefix("http://"));
        let is_origin = host.is_some_and(|host| {
            !host.is_empty()
                && host.bytes().all(|b| {
                    b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b':' | b'[' | b']')
                })
        });
        if origin != "*" && !is_origin {
            let expected = "`*` or an origin such as `https://logs.example.com`, without a path";
            return Err(D::Error::invalid_value(Unexpected::Str(origin), &expected));
        }
    }
    Ok(origins)
}

fn warehouse_kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<WarehouseKind, D::Error> {
    match String::deserialize(deserializer)?.as_str() {
        "embedded" => Ok(WarehouseKind::Embedded),
        "bigquery" => Ok(WarehouseKind::BigQuery),
        other => Err(D::Error::unknown_variant(other, &["embedded", "bigquery"])),
    }
}

fn some_project<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if !is_table_part(&text) {
        let expected = "the id of a project";
        return Err(D::Error::invalid_value(Unexpected::Str(&text), &expected));
    }
    Ok(Some(text))
}

fn some_price<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let price = f64::deserialize(deserializer)?;
    if !price.is_finite() || price < 0.0 {
        let expected = "a price, 0 or more";
        return Err(D::Error::invalid_value(Unexpected::Float(price), &expected));
    }
    Ok(Some(price))
}

fn table<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let parts: Vec<&str> = text.split('.').collect();
    if parts.len() != 3 || !parts.iter().all(|part| is_table_part(part)) {
        let expected = "a table as `project.dataset.table`";
        return Err(D::Error::invalid_value(Unexpected::Str(&text), &expected));
    }
    Ok(Some(text))
}

/// A project may have `-` in its name; datasets and tables are identifiers, tables also with `-`.
fn is_table_part(part: &str) -> bool {
    !part.is_empty()
        && part
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(variables: &[(&str, &str)]) -> impl Iterator<Item = (String, String)> {
        let owned: Vec<(String, String)> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        owned.into_iter()
    }

    #[test]
    fn nothing_configured_is_the_default() {
        assert_eq!(parse("f", "", env(&[])).unwrap(), Config::default());
    }

    #[test]
    fn every_setting_is_read() {
        let text = r#"
            endpoints = "e"
            tokens = "t.toml"
            [server]
            listen = "[::1]:9000"
            header_prefix = "ACME"
            request_timeout_seconds = 5
            max_body_bytes = 10
            max_head_bytes = 20
            cors_origins = ["https://a.example", "http://localhost:3000"]
            max_connections = 100
            max_queries = 7
            max_queued_queries = 0
            max_result_bytes = 1000
            max_outgoing_bytes = 2000
            shutdown_delay_seconds = 4
            tls = { cert = "c.pem", key = "k.pem" }
            admin_listen = "127.0.0.1:9001"
            [cache]
            capacity_bytes = 0
            warming_concurrency = 3
            [rate_limits]
            token = { requests = 600, seconds = 60 }
            [warehouse]
            kind = "embedded"
            data = "d"
            memory_limit_bytes = 30
            threads = 2
            max_concurrent = 3
            spill_dir = "s"
            project = "p-1"
            location = "EU"
            credentials = "key.json"
            maximum_bytes_billed = 5
            price_per_tib = 6.25
            ca_file = "ca.pem"
            api = "https://bigquery.example.test"
            [streams.edge]
            table = "my-project.logs.edge"
            [limits]
            tokens = 100
            [redaction]
            rules = ["ip", "jwt"]
            [redaction.patterns]
            account = 'acct-[0-9]+'
        "#;
        let expected = Config {
            server: Server {
                listen: "[::1]:9000".parse().unwrap(),
                header_prefix: "ACME".into(),
                request_timeout_seconds: 5,
                max_body_bytes: 10,
                max_head_bytes: 20,
                cors_origins: vec!["https://a.example".into(), "http://localhost:3000".into()],
                max_connections: nonzero(100),
                max_queries: nonzero(7),
                max_queued_queries: 0,
                max_result_bytes: 1000,
                max_outgoing_bytes: 2000,
                shutdown_delay_seconds: 4,
                tls: Some(Tls {
                    cert: "c.pem".into(),
                    key: "k.pem".into(),
                }),
                admin_listen: Some("127.0.0.1:9001".parse().unwrap()),
            },
            cache: Cache {
                capacity_bytes: 0,
                warming_concurrency: nonzero(3),
            },
            rate_limits: RateLimits {
                token: Some(RateLimit {
                    requests: NonZeroU32::new(600).unwrap(),
                    seconds: NonZeroU64::new(60).unwrap(),
                }),
                endpoint: None,
            },
            warehouse: Warehouse {
                kind: WarehouseKind::Embedded,
                data: "d".into(),
                memory_limit_bytes: 30,
                threads: Some(2),
                max_concurrent: 3,
                spill_dir: Some("s".into()),
                project: Some("p-1".into()),
                location: Some("EU".into()),
                credentials: Some("key.json".into()),
                maximum_bytes_billed: 5,
                price_per_tib: Some(6.25),
                ca_file: Some("ca.pem".into()),
                api: "https://bigquery.example.test".into(),
            },
            endpoints: "e".into(),
            tokens: "t.toml".into(),
            streams: BTreeMap::from([(
                "edge".into(),
                Stream {
                    table: Some("my-project.logs.edge".into()),
                },
            )]),
            limits: Limits {
                tokens: 100,
                ..Limits::default()
            },
            redaction: Redaction::new(
                &["ip".into(), "jwt".into()],
                &BTreeMap::from([("account".into(), "acct-[0-9]+".into())]),
            )
            .unwrap(),
        };
        assert_eq!(parse("f", text, env(&[])).unwrap(), expected);
    }

    #[test]
    fn the_environment_wins_over_the_file() {
        let text = "endpoints = 'e'\n[server]\nlisten = '127.0.0.1:1'\nheader_prefix = 'A'\n";
        let config = parse(
            "f",
            text,
            env(&[
                ("LOGBOOM_SERVER__LISTEN", "0.0.0.0:2"),
                (
                    "LOGBOOM_SERVER__CORS_ORIGINS",
                    "https://a.example, https://b.example",
                ),
                ("LOGBOOM_WAREHOUSE__THREADS", "4"),
                ("LOGBOOM_STREAMS__EDGE__TABLE", "p.d.t"),
                ("LOGBOOM_TOKENS", "12"),
                ("LOGBOOM_LIMITS__QUERY_BYTES", "99"),
                ("LOGBOOM_LOG", "debug"),
                ("PATH", "/bin"),
            ]),
        )
        .unwrap();
        assert_eq!(config.server.listen, "0.0.0.0:2".parse().unwrap());
        assert_eq!(config.server.header_prefix, "A");
        assert_eq!(
            config.server.cors_origins,
            ["https://a.example", "https://b.example"]
        );
        assert_eq!(config.warehouse.threads, Some(4));
        assert_eq!(config.streams["edge"].table.as_deref(), Some("p.d.t"));
        assert_eq!(config.endpoints, Path::new("e"));
        assert_eq!(config.tokens, Path::new("12"));
        assert_eq!(config.limits.query_bytes, 99);
    }

    #[test]
    fn mistakes_in_the_file_have_a_place() {
        for (text, expected) in [
            (
                "[server]\nlisten = 'nowhere'",
                "f.toml:2:10: invalid socket address syntax",
            ),
            (
                "[server]\nlistn = ''",
                "f.toml:2:1: unknown field `listn`, expected one of `listen`, `header_prefix`, \
                 `request_timeout_seconds`, `max_body_bytes`, `max_head_bytes`, `cors_origins`, \
                 `max_connections`, `max_queries`, `max_queued_queries`, `max_result_bytes`, \
                 `max_outgoing_bytes`, `shutdown_delay_seconds`, `tls`, `admin_listen`; did you mean `listen`?",
            ),
            (
                "[warehouse]\nkind = 'bigqery'",
                "f.toml:2:8: unknown variant `bigqery`, expected `embedded` or `bigquery`; \
                 did you mean `bigquery`?",
            ),
            (
                "[warehouse]\nproject = 'a.b'",
                "f.toml:2:11: invalid value: string \"a.b\", expected the id of a project",
            ),
            (
                "[warehouse]\nprice_per_tib = -1.0",
                "f.toml:2:17: invalid value: floating point `-1.0`, expected a price, 0 or more",
            ),
            (
                "[warehouse]\nkind = 'embeded'",
                "f.toml:2:8: unknown variant `embeded`, expected `embedded` or `bigquery`; did you mean `embedded`?",
            ),
            (
                "[warehouse]\nthreads = 0",
                "f.toml:2:11: invalid value: integer `0`, expected a number above 0",
            ),
            (
                "[server]\nheader_prefix = 'a b'",
                "f.toml:2:17: invalid value: string \"a b\", expected 1 to 64 letters, digits and `-`",
            ),
            (
                "[streams.edge]\ntable = 'edge'",
                "f.toml:2:9: invalid value: string \"edge\", expected a table as `project.dataset.table`",
            ),
            (
                "[server]\ncors_origins = ['a.example']",
                "f.toml:2:16: invalid value: string \"a.example\", expected `*` or an origin such as \
                 `https://logs.example.com`, without a path",
            ),
            (
                "[limits]\ndepth = 101",
                "f.toml:2:9: 101 is more than 100, the most that this limit can be",
            ),
            (
                "[redaction]\nrules = ['ips']",
                "f.toml:1:1: there is no rule `ips`; there are ip, email, jwt, bearer, card, phone",
            ),
            (
                "[redaction.patterns]\naccount = '[0-9]*'",
                "f.toml:1:2: the pattern `account` can match the empty text",
            ),
        ] {
            let error = parse("f.toml", text, env(&[])).expect_err(text);
            assert_eq!(error.to_string(), expected, "{text}");
        }
    }

    #[test]
    fn a_wrong_variable_is_named_in_one_line() {
        for (name, value, expected) in [
            (
                "LOGBOOM_SERVER__REQUEST_TIMEOUT_SECONDS",
                "soon",
                "invalid type: string \"soon\", expected u64",
            ),
            (
                "LOGBOOM_SERVER__MAX_BODY_BYTES",
                "0",
                "invalid value: integer `0`, expected a number above 0",
            ),
            (
                "LOGBOOM_ENDPOINT",
                "x",
                "unknown field `endpoint`, expected one of `server`, `warehouse`, `endpoints`, `tokens`, \
                 `streams`, `limits`, `redaction`, `cache`, `rate_limits`; did you mean `endpoints`?",
            ),
            (
                "LOGBOOM_ENDPOINTS__X",
                "x",
                "`endpoints` has no settings in it",
            ),
            ("LOGBOOM_", "x", "names no setting"),
        ] {
            let text = "endpoints = 'e'";
            let error = parse("f", text, env(&[(name, value)]))
                .expect_err(name)
                .to_string();
            assert_eq!(error, format!("environment variable {name}: {expected}"));
        }
    }

    #[test]
    fn only_the_default_file_may_be_absent() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("absent.toml");
        let error = Config::load(Some(&path), env(&[])).expect_err("the file is absent");
        assert!(matches!(error, ConfigError::Read { .. }), "{error}");
        std::fs::write(&path, "tokens = 't'").unwrap();
        let config = Config::load(Some(&path), env(&[])).unwrap();
        assert_eq!(config.tokens, Path::new("t"));
    }
}
