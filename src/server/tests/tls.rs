//! HTTPS: both protocols, and a certificate that is replaced.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::Request;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::connections::start;
use super::service::Service;
use crate::config::{Config, Tls};
use crate::server::auth::SharedTokens;
use crate::server::reload::{Load, reload};
use crate::server::{App, State};

/// Certificates for `localhost`, each signed by itself.
const FILES: [(&str, &str); 2] = [
    (
        include_str!("../../../tests/tls/first.cert.pem"),
        include_str!("../../../tests/tls/first.key.pem"),
    ),
    (
        include_str!("../../../tests/tls/second.cert.pem"),
        include_str!("../../../tests/tls/second.key.pem"),
    ),
];

fn put(folder: &Path, (cert, key): (&str, &str)) {
    std::fs::write(folder.join("cert.pem"), cert).unwrap();
    std::fs::write(folder.join("key.pem"), key).unwrap();
}

fn state(folder: &Path) -> State {
    let mut config = Config::default();
    config.server.tls = Some(Tls {
        cert: folder.join("cert.pem"),
        key: folder.join("key.pem"),
    });
    let service = Service::new();
    super::service::load(service.folder.path(), config, &service.warehouse).unwrap()
}

fn app(folder: &Path) -> Result<App, String> {
    let state = state(folder);
    let tokens = SharedTokens::open(Path::new("/nowhere/tokens.toml")).unwrap();
    App::new(state, tokens, crate::server::Clock::System).map_err(|e| e.to_string())
}

/// Connects as one who trusts a certificate and speaks one protocol.
async fn connect(
    address: SocketAddr,
    trusted: &str,
    protocol: &[u8],
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    let cert = CertificateDer::from_pem_slice(trusted.as_bytes()).unwrap();
    roots.add(cert).unwrap();
    let provider = Arc::new(ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.to_vec()];
    let stream = TcpStream::connect(address).await?;
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
}

fn healthz() -> Request<Empty<Bytes>> {
    Request::get("https://localhost/healthz")
        .body(Empty::new())
        .unwrap()
}

#[tokio::test]
async fn both_protocols_and_a_new_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = FILES;
    put(folder.path(), first);
    let app = Arc::new(app(folder.path()).unwrap());
    let (address, _stop, _server) = start(Arc::clone(&app)).await;

    let stream = connect(address, first.0, b"http/1.1").await.unwrap();
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .unwrap();
    tokio::spawn(connection);
    assert_eq!(sender.send_request(healthz()).await.unwrap().status(), 200);

    let stream = connect(address, first.0, b"h2").await.unwrap();
    let io = TokioIo::new(stream);
    let (mut over_h2, connection) = hyper::client::conn::http2::handshake(TokioExecutor::new(), io)
        .await
        .unwrap();
    tokio::spawn(connection);
    let answer = over_h2.send_request(healthz()).await.unwrap();
    assert_eq!(answer.version(), hyper::Version::HTTP_2);

    // The settings name another folder from now on.
    let other = tempfile::tempdir().unwrap();
    let path = other.path().to_owned();
    let good: Arc<Load> = Arc::new(move |_| Ok(state(&path)));
    let bad: Arc<Load> = Arc::new(|_| Err("a mistake in another file".into()));
    // Files that do not belong together change nothing.
    put(other.path(), (first.0, second.1));
    reload(&app, &good).await;
    assert!(app.reload_failed.load().is_some());
    assert!(connect(address, first.0, b"h2").await.is_ok());
    // Nor does a good certificate when something else is wrong.
    put(folder.path(), second);
    reload(&app, &bad).await;
    assert!(app.reload_failed.load().is_some());
    assert!(connect(address, first.0, b"h2").await.is_ok());

    put(other.path(), second);
    reload(&app, &good).await;
    assert!(app.reload_failed.load().is_none());
    assert!(connect(address, second.0, b"h2").await.is_ok());
    assert!(connect(address, first.0, b"h2").await.is_err());
    // Connections that were there go on.
    assert_eq!(over_h2.send_request(healthz()).await.unwrap().status(), 200);
}

#[test]
fn files_that_cannot_be_used() {
    let [first, second] = FILES;
    for (files, expected) in [
        (("", first.1), "holds no certificate"),
        ((first.0, ""), "key.pem"),
        ((first.0, "no PEM"), "key.pem"),
        ((first.0, second.1), "cert.pem"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), files);
        let error = app(folder.path()).unwrap_err();
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains("PRIVATE"), "{error}");
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(app(folder.path()).unwrap_err().contains("cert.pem"));
}
