//! `logboom healthcheck`: asks a server of this machine whether it is ready, or whether it is alive.
//!
//! Made for containers without a shell. Over TLS it trusts the configured certificate and no other: the
//! question does not leave the machine, and the certificate does not name its address.

use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::Request;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, SignatureScheme};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::source::load_config;
use crate::config::{Server, Tls};

/// The longest answer that is read.
const ANSWER_BYTES: usize = 64 * 1024;

/// Where a server tells whether endpoints and warehouse are ready.
const READY: &str = "/readyz";
/// Where it tells that it is alive.
const ALIVE: &str = "/healthz";

/// The flags of `healthcheck`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Configuration file that the server runs with.
    #[arg(long, value_name = "FILE", env = "LOGBOOM_CONFIG")]
    config: Option<PathBuf>,
    /// Address that the server was told to listen on, where a flag told it.
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
    /// Ask whether it is alive and no more: one whose warehouse is away answers from its cache, and nothing is won by
    /// starting it again.
    #[arg(long)]
    live: bool,
    /// How long to wait, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    timeout: u64,
}

/// Prints what `/readyz` answers, or `/healthz`, and fails unless that is a success.
///
/// # Errors
/// There is no answer, or the server is not as it should be.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut server = load_config(args.config.as_deref())?.server;
    if let Some(listen) = args.listen {
        server.listen = listen;
        server.admin_listen = None;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let patience = Duration::from_secs(args.timeout);
    let path = if args.live { ALIVE } else { READY };
    runtime.block_on(async {
        match tokio::time::timeout(patience, check(&server, path)).await {
            Ok(outcome) => outcome,
            Err(_) => bail!("no answer within {patience:?}"),
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

async fn check(server: &Server, path: &str) -> anyhow::Result<()> {
    let address = reachable(server.admin_listen.unwrap_or(server.listen));
    let stream = TcpStream::connect(address)
        .await
        .with_context(|| format!("connecting to {address}"))?;
    match &server.tls {
        // The address for operators speaks plain HTTP.
        Some(tls) if server.admin_listen.is_none() => {
            let connector = TlsConnector::from(Arc::new(trusting(tls)?));
            let name = ServerName::from(address.ip());
            let stream = connector.connect(name, stream).await;
            ask(stream.context("TLS with the server")?, path).await
        }
        _ => ask(stream, path).await,
    }
}

/// Returns where a server that listens there can be reached from its own machine.
fn reachable(mut listen: SocketAddr) -> SocketAddr {
    if listen.ip().is_unspecified() {
        listen.set_ip(match listen {
            SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        });
    }
    listen
}

async fn ask<S>(stream: S, path: &str) -> anyhow::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let connection = tokio::spawn(connection);
    let request = Request::get(path)
        .header("host", "localhost")
        .body(Empty::<Bytes>::new())?;
    let answer = sender.send_request(request).await.context("asking")?;
    let status = answer.status();
    let body = Limited::new(answer.into_body(), ANSWER_BYTES)
        .collect()
        .await;
    let body = body.map_err(|error| anyhow!(error))?.to_bytes();
    connection.abort();
    let text = String::from_utf8_lossy(&body);
    if !status.is_success() {
        bail!("{path} answers {status}: {text}");
    }
    writeln!(io::stdout().lock(), "{text}")?;
    Ok(())
}

fn trusting(tls: &Tls) -> anyhow::Result<ClientConfig> {
    let cert = CertificateDer::from_pem_file(&tls.cert)
        .with_context(|| format!("reading {}", tls.cert.display()))?;
    let provider = Arc::new(ring::default_provider());
    let verifier = Arc::new(Only {
        cert,
        provider: Arc::clone(&provider),
    });
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth())
}

/// Trusts one certificate, byte for byte, and checks that the server has its key.
#[derive(Debug)]
struct Only {
    cert: CertificateDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Only {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if *end_entity == self.cert {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(rustls::CertificateError::ApplicationVerificationFailure.into())
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// Answers one connection with this status, over TLS if there is a certificate.
    async fn answer(status: &'static str, tls: Option<rustls::ServerConfig>) -> SocketAddr {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            match tls {
                None => write_answer(stream, status).await,
                Some(tls) => {
                    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(tls));
                    if let Ok(stream) = acceptor.accept(stream).await {
                        write_answer(stream, status).await;
                    }
                }
            }
        });
        address
    }

    async fn write_answer(mut stream: impl AsyncRead + AsyncWrite + Unpin, status: &str) {
        let mut head = [0; 20];
        stream.read_exact(&mut head).await.unwrap();
        assert!(head.starts_with(b"GET /readyz HTTP/1.1"));
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 2\r\n\r\n{{}}");
        stream.write_all(answer.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        std::future::pending().await
    }

    fn server(listen: SocketAddr) -> Server {
        Server {
            listen,
            ..Server::default()
        }
    }

    #[tokio::test]
    async fn ready_or_not() {
        let ready = answer("200 OK", None).await;
        assert!(check(&server(ready), READY).await.is_ok());
        let unready = answer("503 Service Unavailable", None).await;
        let error = check(&server(unready), READY)
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains("503"), "{error}");
        // Port 1 is nobody's; where it is, it is no server of ours.
        assert!(
            check(&server(SocketAddr::from(([127, 0, 0, 1], 1))), READY)
                .await
                .is_err()
        );
        let admin = Server {
            admin_listen: Some(answer("200 OK", None).await),
            ..server(SocketAddr::from(([127, 0, 0, 1], 1)))
        };
        assert!(check(&admin, READY).await.is_ok());
    }

    #[tokio::test]
    async fn only_the_configured_certificate_is_trusted() {
        let tests = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls");
        let files = |name: &str| Tls {
            cert: tests.join(format!("{name}.cert.pem")),
            key: tests.join(format!("{name}.key.pem")),
        };
        for (trusted, is_ok) in [("first", true), ("second", false)] {
            let Tls { cert, key } = files("first");
            let key = rustls::pki_types::PrivateKeyDer::from_pem_file(key).unwrap();
            let cert = CertificateDer::from_pem_file(cert).unwrap();
            let provider = Arc::new(ring::default_provider());
            let tls = rustls::ServerConfig::builder_with_provider(provider)
                .with_safe_default_protocol_versions()
                .unwrap()
                .with_no_client_auth()
                .with_single_cert(vec![cert], key)
                .unwrap();
            let server = Server {
                tls: Some(files(trusted)),
                ..server(answer("200 OK", Some(tls)).await)
            };
            assert_eq!(check(&server, READY).await.is_ok(), is_ok, "{trusted}");
        }
    }

    #[test]
    fn addresses_of_this_machine() {
        for (listen, expected) in [
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("10.0.0.1:80", "10.0.0.1:80"),
        ] {
            assert_eq!(
                reachable(listen.parse().unwrap()),
                expected.parse().unwrap()
            );
        }
    }
}
