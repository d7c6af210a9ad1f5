//! HTTP requests: TLS, a proxy where there is one, gzip, answers of bounded size. Knows nothing of BigQuery.

use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_compression::tokio::bufread::GzipDecoder;
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderMap, HeaderValue, USER_AGENT};
use hyper::{Request, StatusCode, Uri};
use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::AsyncReadExt as _;

use super::settings::{OpenError, Proxy};

/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long an unused connection is kept.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// How often a connection that many requests share is tried while it is in use, and how long it may take
/// to prove itself. One that is dead would otherwise swallow every repetition.
const PING_INTERVAL: Duration = Duration::from_secs(5);
const PING_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest body, before and after it is unpacked. A page of BigQuery has at most 20 MB.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

/// Google's servers pack their answers only for a client that also has `gzip` in its name.
const AGENT: HeaderValue =
    HeaderValue::from_static(concat!("logboom/", env!("CARGO_PKG_VERSION"), " (gzip)"));

type Direct = HttpsConnector<HttpConnector>;
type Tunneled = HttpsConnector<Tunnel<Direct>>;

/// A client with its connections.
#[derive(Debug)]
pub(super) struct Http {
    direct: Client<Direct, Full<Bytes>>,
    /// For `https` when there is a proxy. Plain `http` stays on this machine or network: it leads to an
    /// emulator or to the metadata server.
    tunneled: Option<Client<Tunneled, Full<Bytes>>>,
    proxies: Matcher,
}

/// An answer that arrived as a whole.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// Why there is no answer. Nothing says whether the request arrived.
#[derive(Debug, thiserror::Error)]
pub(super) enum HttpError {
    /// No connection, or one that broke.
    #[error("{0}")]
    Transport(String),
    /// A body beyond [`MAX_BODY_BYTES`].
    #[error("an answer of more than {MAX_BODY_BYTES} bytes")]
    TooLarge,
}

impl Http {
    /// Returns a client that trusts the certificates of `ca_file`, or else Mozilla's.
    pub(super) fn new(proxy: &Proxy, ca_file: Option<&Path>) -> Result<Self, OpenError> {
        let tls = tls(ca_file)?;
        let direct = https(tls.clone(), tcp());
        let tunneled = match proxy.for_https()? {
            Some(hop) => {
                // The proxy itself may be reached over TLS.
                let to_proxy = HttpsConnectorBuilder::new()
                    .with_tls_config(tls.clone())
                    .https_or_http()
                    .enable_http1()
                    .wrap_connector(tcp());
                let mut tunnel = Tunnel::new(hop.uri().clone(), to_proxy);
                if let Some(credentials) = hop.basic_auth() {
                    tunnel = tunnel.with_auth(credentials.clone());
                }
                Some(builder().build(https(tls, tunnel)))
            }
            None => None,
        };
        Ok(Self {
            direct: builder().build(direct),
            tunneled,
            proxies: proxy.matcher(),
        })
    }

    /// Sends a request and reads the whole answer.
    ///
    /// # Errors
    /// The answer did not arrive, or is too long.
    pub(super) async fn send(&self, mut request: Request<Full<Bytes>>) -> Result<Reply, HttpError> {
        let headers = request.headers_mut();
        headers.insert(USER_AGENT, AGENT);
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        let tunneled = self
            .tunneled
            .as_ref()
            .filter(|_| self.is_proxied(request.uri()));
        let response = match tunneled {
            Some(client) => client.request(request).await,
            None => self.direct.request(request).await,
        };
        let (head, body) = response.map_err(|error| transport(&error))?.into_parts();
        let body = Limited::new(body, MAX_BODY_BYTES).collect().await;
        let packed = body
            .map_err(|error| {
                if error.is::<http_body_util::LengthLimitError>() {
                    HttpError::TooLarge
                } else {
                    transport(error.as_ref())
                }
            })?
            .to_bytes();
        let body = unpack(&head.headers, packed).await?;
        Ok(Reply {
            status: head.status,
            headers: head.headers,
            body,
        })
    }

    fn is_proxied(&self, uri: &Uri) -> bool {
        uri.scheme_str() == Some("https") && self.proxies.intercept(uri).is_some()
    }
}

/// Returns the settings that all clients share. An unused connection that turns out to be closed is
/// replaced before anything was sent on it.
fn builder() -> hyper_util::client::legacy::Builder {
    let mut builder = Client::builder(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE_TIMEOUT)
        .http2_keep_alive_interval(PING_INTERVAL)
        .http2_keep_alive_timeout(PING_TIMEOUT);
    builder
}

fn tcp() -> HttpConnector {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
    tcp.set_keepalive(Some(IDLE_TIMEOUT));
    tcp
}

fn https<C>(tls: ClientConfig, connector: C) -> HttpsConnector<C> {
    HttpsConnectorBuilder::new()
        .with_tls_config(tls)
        .https_or_http()
        .enable_http1()
        .enable_http2()
        .wrap_connector(connector)
}

fn tls(ca_file: Option<&Path>) -> Result<ClientConfig, OpenError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| OpenError::Tls(error.to_string()))?;
    let Some(path) = ca_file else {
        return Ok(builder.with_webpki_roots().with_no_client_auth());
    };
    let failed = |message: String| OpenError::CaFile {
        path: path.to_owned(),
        message,
    };
    let mut roots = RootCertStore::empty();
    for certificate in
        CertificateDer::pem_file_iter(path).map_err(|error| failed(error.to_string()))?
    {
        let certificate = certificate.map_err(|error| failed(error.to_string()))?;
        roots
            .add(certificate)
            .map_err(|error| failed(error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(failed("there is no certificate in it".into()));
    }
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

async fn unpack(headers: &HeaderMap, packed: Bytes) -> Result<Bytes, HttpError> {
    match headers.get(CONTENT_ENCODING).map(HeaderValue::as_bytes) {
        None | Some(b"identity") => Ok(packed),
        Some(b"gzip") => {
            let limit = u64::try_from(MAX_BODY_BYTES).unwrap_or(u64::MAX);
            let mut decoder = GzipDecoder::new(Cursor::new(packed)).take(limit + 1);
            let mut body = Vec::new();
            decoder
                .read_to_end(&mut body)
                .await
                .map_err(|error| HttpError::Transport(format!("unpacking the answer: {error}")))?;
            if body.len() > MAX_BODY_BYTES {
                return Err(HttpError::TooLarge);
            }
            Ok(body.into())
        }
        Some(other) => Err(HttpError::Transport(format!(
            "an answer in the unknown encoding `{}`",
            String::from_utf8_lossy(other)
        ))),
    }
}

/// Returns the error with its causes; what hyper prints by itself says little.
fn transport(error: &(dyn std::error::Error + 'static)) -> HttpError {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    HttpError::Transport(text)
}

#[cfg(test)]
mod tests {
    use async_compression::tokio::write::GzipEncoder;
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    async fn packed(length: usize) -> Bytes {
        let mut encoder = GzipEncoder::new(Vec::new());
        encoder.write_all(&vec![b' '; length]).await.unwrap();
        encoder.shutdown().await.unwrap();
        encoder.into_inner().into()
    }

    #[tokio::test]
    async fn an_answer_that_unpacks_to_too_much_is_refused() {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        let fits = unpack(&headers, packed(MAX_BODY_BYTES).await).await;
        assert_eq!(fits.unwrap().len(), MAX_BODY_BYTES);
        let bomb = packed(MAX_BODY_BYTES + 1).await;
        assert!(bomb.len() < MAX_BODY_BYTES / 100);
        let refused = unpack(&headers, bomb).await;
        assert!(matches!(refused, Err(HttpError::TooLarge)), "{refused:?}");
    }
}
