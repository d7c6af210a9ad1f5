//! What the client is opened with: settings, and the variables of an environment that it follows.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hyper::Uri;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};

use crate::compiler::ir::StreamName;

/// Where BigQuery's REST API is.
pub const GOOGLE: &str = "https://bigquery.googleapis.com";

/// The metadata server of a machine of Google Cloud.
const METADATA_HOST: &str = "metadata.google.internal";

/// What a query may be billed for when nothing else is said: 10 GiB.
pub const MAXIMUM_BYTES_BILLED: u64 = 10 * 1024 * 1024 * 1024;

/// Everything that the client depends on.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where the API is, without a path: [`GOOGLE`], or the address of an emulator.
    pub api: String,
    /// The project that queries run in and that is billed.
    pub project: String,
    /// The location of the datasets, such as `EU`; BigQuery finds it out when absent.
    pub location: Option<String>,
    /// Who asks.
    pub credentials: Credentials,
    /// The most bytes that a query may be billed for, unless its terms say otherwise.
    pub maximum_bytes_billed: u64,
    /// The physical table of each stream, `project.dataset.table`.
    pub tables: BTreeMap<StreamName, String>,
    /// Whether a query text that is new is dry-run first, and its tables compared with what the compiler
    /// says it reads. Off only for an emulator, which does not tell the tables.
    pub guard: bool,
    /// Root certificates to trust instead of Mozilla's, a PEM file.
    pub ca_file: Option<PathBuf>,
    /// The way to hosts that are reached over `https`.
    pub proxy: Proxy,
    /// Rows of one page of a result.
    pub page_rows: u32,
    /// How long the first request of a query waits for rows. Until it is answered, the query has no name
    /// under which it could be cancelled.
    pub first_wait: Duration,
    /// How long a later request waits for rows.
    pub poll_wait: Duration,
    /// How much longer than it was asked to wait the server may take for an answer, before the request is made
    /// again.
    pub patience: Duration,
    /// How failed requests are repeated.
    pub backoff: Backoff,
}

impl Settings {
    /// Returns the settings for queries in a project, with every other one at its default.
    pub fn new(project: impl Into<String>, tables: BTreeMap<StreamName, String>) -> Self {
        Self {
            api: GOOGLE.into(),
            project: project.into(),
            location: None,
            credentials: Credentials::None,
            maximum_bytes_billed: MAXIMUM_BYTES_BILLED,
            tables,
            guard: true,
            ca_file: None,
            proxy: Proxy::default(),
            page_rows: 10_000,
            first_wait: Duration::from_secs(2),
            poll_wait: Duration::from_secs(10),
            patience: Duration::from_secs(15),
            backoff: Backoff::default(),
        }
    }
}

/// How failed requests are repeated: after a random time of at most `first`, then twice that, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The longest pause before the first repetition.
    pub first: Duration,
    /// The longest pause at all.
    pub greatest: Duration,
    /// Attempts altogether.
    pub attempts: u32,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(200),
            greatest: Duration::from_secs(8),
            attempts: 10,
        }
    }
}

impl Backoff {
    /// Returns a random pause before the attempt after this one, the first being 1.
    pub(super) fn pause(&self, attempt: u32) -> Duration {
        let doublings = attempt.saturating_sub(1).min(16);
        let longest = (self.first * 2_u32.pow(doublings)).min(self.greatest);
        // Without randomness, a pause of full length is the safe one.
        let random = getrandom::u32().unwrap_or(u32::MAX);
        longest.mul_f64(f64::from(random) / f64::from(u32::MAX))
    }
}

/// Where access tokens come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credentials {
    /// Nowhere: an emulator wants none.
    None,
    /// A JSON file: the key of a service account, or what `gcloud auth application-default login` left.
    File(PathBuf),
    /// The metadata server at this host: the service account of the machine.
    Metadata(String),
}

/// The variables of an environment that Google's own clients follow, and no others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// `BIGQUERY_EMULATOR_HOST`: `host:port` or a URL.
    pub emulator_host: Option<String>,
    /// `GOOGLE_APPLICATION_CREDENTIALS`: a JSON file.
    pub application_credentials: Option<PathBuf>,
    /// `GCE_METADATA_HOST`: `host` or `host:port`.
    pub metadata_host: Option<String>,
    /// The home folder, where `gcloud` leaves the credentials of a person.
    pub home: Option<PathBuf>,
    /// `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, also in lower case.
    pub proxy: Proxy,
}

impl Environment {
    /// Reads the variables through `variable`, which returns the value of one; an empty one is as good
    /// as none.
    pub fn read(home: Option<PathBuf>, variable: impl Fn(&str) -> Option<String>) -> Self {
        let get = |name: &str| variable(name).filter(|value| !value.is_empty());
        let either = |name: &str| get(name).or_else(|| get(&name.to_ascii_lowercase()));
        Self {
            emulator_host: get("BIGQUERY_EMULATOR_HOST"),
            application_credentials: get("GOOGLE_APPLICATION_CREDENTIALS").map(PathBuf::from),
            metadata_host: get("GCE_METADATA_HOST"),
            home,
            proxy: Proxy {
                url: either("HTTPS_PROXY").or_else(|| either("ALL_PROXY")),
                except: either("NO_PROXY"),
            },
        }
    }

    /// Returns the base URL of the emulator, if there is one.
    #[must_use]
    pub fn emulator(&self) -> Option<String> {
        let host = self.emulator_host.as_deref()?.trim_end_matches('/');
        Some(if host.contains("://") {
            host.to_owned()
        } else {
            format!("http://{host}")
        })
    }

    /// Returns the application default credentials: the file that the environment names, else the one
    /// that `gcloud` left, else the metadata server.
    ///
    /// Source: Google Cloud documentation, "How Application Default Credentials works".
    #[must_use]
    pub fn default_credentials(&self) -> Credentials {
        if let Some(path) = &self.application_credentials {
            return Credentials::File(path.clone());
        }
        let left = Path::new(".config/gcloud/application_default_credentials.json");
        if let Some(path) = self.home.as_ref().map(|home| home.join(left))
            && path.exists()
        {
            return Credentials::File(path);
        }
        self.metadata()
    }

    /// Returns the credentials of the machine.
    #[must_use]
    pub fn metadata(&self) -> Credentials {
        let host = self.metadata_host.as_deref().unwrap_or(METADATA_HOST);
        Credentials::Metadata(host.to_owned())
    }
}

/// The way to hosts that are reached over `https`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Proxy {
    /// An HTTP proxy, `http://[user:password@]host:port` or `https://…`; none: straight.
    pub url: Option<String>,
    /// Hosts that are reached straight, as curl's `NO_PROXY` lists them.
    pub except: Option<String>,
}

/// Does not show the address, which may hold a password.
impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy")
            .field("is_used", &self.url.is_some())
            .field("except", &self.except)
            .finish()
    }
}

impl Proxy {
    /// Returns what tells which hosts go through the proxy.
    pub(super) fn matcher(&self) -> Matcher {
        Matcher::builder()
            .https(self.url.as_deref().unwrap_or_default())
            .no(self.except.as_deref().unwrap_or_default())
            .build()
    }

    /// Returns the proxy for those hosts.
    pub(super) fn for_https(&self) -> Result<Option<Intercept>, OpenError> {
        let Some(url) = &self.url else {
            return Ok(None);
        };
        let any = Uri::from_static("https://host.invalid");
        Matcher::builder()
            .https(url.as_str())
            .build()
            .intercept(&any)
            .filter(|hop| matches!(hop.uri().scheme_str(), Some("http" | "https")))
            .map(Some)
            .ok_or(OpenError::Proxy)
    }
}

/// Why the client cannot be opened. Each is one line for the operator.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// An API address that is no URL.
    #[error("the address of the BigQuery API `{0}` is not a URL such as `http://127.0.0.1:9050`")]
    Api(String),
    /// An API address that would show the access token to the network.
    #[error("the BigQuery API `{0}` must be an https:// address: access tokens are sent to it")]
    PlainApi(String),
    /// A metadata server that is no host.
    #[error("GCE_METADATA_HOST `{0}` is not a host")]
    MetadataHost(String),
    /// A proxy that cannot be used.
    #[error(
        "the proxy of the environment (HTTPS_PROXY or ALL_PROXY) must be an http:// or https:// URL"
    )]
    Proxy,
    /// TLS that cannot be set up.
    #[error("setting up TLS failed: {0}")]
    Tls(String),
    /// Root certificates that cannot be read.
    #[error("reading root certificates from {} failed: {message}", path.display())]
    CaFile {
        /// The file.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// Credentials that cannot be read.
    #[error("reading credentials from {} failed: {message}", path.display())]
    Credentials {
        /// The file.
        path: PathBuf,
        /// Why; never a part of the file.
        message: String,
    },
}
