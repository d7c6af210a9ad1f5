//! How batches reach the collector: the client that the service has anyway, by the standard variables.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use async_trait::async_trait;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use opentelemetry_http::{HttpClient, HttpError, Request, Response};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use tokio::runtime::Handle;

/// How long a batch may take to be sent, where the environment does not say.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest answer of a collector.
const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// Sends batches.
#[derive(Clone, Debug)]
pub(super) struct Sender {
    /// Batches come from a thread outside of it; connections need it.
    runtime: Handle,
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    timeout: Duration,
}

impl Sender {
    /// Reads how the collector is reached. Needs a tokio runtime.
    ///
    /// # Errors
    /// A variable that cannot be followed, or a file that one names and that cannot be used.
    pub(super) fn new() -> anyhow::Result<Self> {
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls()?)
            .https_or_http()
            .enable_http1()
            .build();
        Ok(Self {
            runtime: Handle::current(),
            client: Client::builder(TokioExecutor::new()).build(connector),
            timeout: send_timeout()?,
        })
    }

    async fn send(self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (head, body) = self
            .client
            .request(request.map(Full::new))
            .await?
            .into_parts();
        let body = Limited::new(body, MAX_ANSWER_BYTES).collect().await?;
        Ok(Response::from_parts(head, body.to_bytes()))
    }
}

#[async_trait]
impl HttpClient for Sender {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let sender = self.clone();
        let sending = async move {
            let limit = sender.timeout;
            tokio::time::timeout(limit, sender.send(request)).await?
        };
        self.runtime.spawn(sending).await?
    }
}

/// A variable that is set, and its value.
struct Variable {
    name: String,
    value: String,
}

/// Returns a setting of the exporter: what is said of traces counts more than what is said of all signals
/// (OpenTelemetry Protocol Exporter, 1.60).
fn variable(setting: &str) -> Option<Variable> {
    ["OTEL_EXPORTER_OTLP_TRACES", "OTEL_EXPORTER_OTLP"]
        .map(|prefix| format!("{prefix}_{setting}"))
        .into_iter()
        .find_map(|name| {
            let value = std::env::var(&name).ok()?;
            (!value.is_empty()).then_some(Variable { name, value })
        })
}

/// Returns how long a batch may take to be sent: milliseconds by the standard variables.
fn send_timeout() -> anyhow::Result<Duration> {
    let Some(Variable { name, value }) = variable("TIMEOUT") else {
        return Ok(SEND_TIMEOUT);
    };
    let milliseconds = value.parse();
    let milliseconds = milliseconds.with_context(|| format!("{name} is `{value}`"))?;
    Ok(Duration::from_millis(milliseconds))
}

/// Returns whom to trust as a collector, and who we are to it. Without variables: Mozilla's roots, and nobody.
fn tls() -> anyhow::Result<ClientConfig> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?;
    let config = match variable("CERTIFICATE") {
        Some(file) => config.with_root_certificates(roots(&file)?),
        None => config.with_webpki_roots(),
    };
    match (variable("CLIENT_CERTIFICATE"), variable("CLIENT_KEY")) {
        (Some(certificate), Some(key)) => {
            let chain = certificates(&certificate)?;
            let key = PrivateKeyDer::from_pem_file(&key.value)
                .with_context(|| format!("{} is `{}`", key.name, key.value))?;
            config.with_client_auth_cert(chain, key).with_context(|| {
                format!(
                    "{} is `{}`, which does not fit its key",
                    certificate.name, certificate.value
                )
            })
        }
        (None, None) => Ok(config.with_no_client_auth()),
        (Some(alone), None) | (None, Some(alone)) => {
            bail!(
                "{} is set; a certificate and a key of the client go together",
                alone.name
            )
        }
    }
}

fn roots(file: &Variable) -> anyhow::Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(file)? {
        roots
            .add(certificate)
            .with_context(|| format!("{} is `{}`", file.name, file.value))?;
    }
    Ok(roots)
}

/// Reads the certificates of a file in PEM; at least one.
fn certificates(file: &Variable) -> anyhow::Result<Vec<CertificateDer<'static>>> {
    let Variable { name, value } = file;
    let read =
        CertificateDer::pem_file_iter(value).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let read = read.with_context(|| format!("{name} is `{value}`"))?;
    if read.is_empty() {
        bail!("{name} is `{value}`, which holds no certificate");
    }
    Ok(read)
}
