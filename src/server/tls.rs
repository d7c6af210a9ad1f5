//! The certificate that HTTPS is served with. It can be replaced while connections go on.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use crate::config::Tls;

/// The protocols that are offered, the better one first (RFC 7301).
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// Why a certificate cannot be used. No message holds anything of a key.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file that cannot be read, or holds no certificate or key in PEM.
    #[error("reading {}: {cause}", path.display())]
    Pem {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: pem::Error,
    },
    /// A file without any certificate.
    #[error("{} holds no certificate", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A certificate and a key that do not belong together, or are of a kind that is not known.
    #[error("the certificate {} and its key: {cause}", path.display())]
    Unusable {
        /// The file of the certificate.
        path: PathBuf,
        /// Why.
        cause: rustls::Error,
    },
}

/// The certificate in force.
pub(crate) struct Certificate {
    current: Arc<Current>,
    config: Arc<ServerConfig>,
}

/// What a handshake is answered with.
#[derive(Debug)]
struct Current(ArcSwap<CertifiedKey>);

impl Certificate {
    /// Reads certificate and key.
    ///
    /// # Errors
    /// Files that cannot be used.
    pub(crate) fn open(files: &Tls) -> Result<Self, TlsError> {
        let provider = Arc::new(ring::default_provider());
        let key = read(files, &provider)?;
        let current = Arc::new(Current(ArcSwap::from_pointee(key)));
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|cause| TlsError::Unusable {
                path: files.cert.clone(),
                cause,
            })?;
        let mut config = config
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&current) as _);
        config.alpn_protocols = PROTOCOLS.iter().map(|name| name.to_vec()).collect();
        Ok(Self {
            current,
            config: Arc::new(config),
        })
    }

    /// Reads another certificate, or the same again.
    ///
    /// # Errors
    /// Files that cannot be used.
    pub(crate) fn read(&self, files: &Tls) -> Result<CertifiedKey, TlsError> {
        read(files, self.config.crypto_provider())
    }

    /// Answers handshakes from now on with this certificate.
    pub(crate) fn replace(&self, key: CertifiedKey) {
        self.current.0.store(Arc::new(key));
    }

    /// Returns what connections are accepted with.
    pub(crate) fn config(&self) -> &Arc<ServerConfig> {
        &self.config
    }
}

impl ResolvesServerCert for Current {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.load_full())
    }
}

fn read(files: &Tls, provider: &CryptoProvider) -> Result<CertifiedKey, TlsError> {
    let Tls { cert, key } = files;
    let unreadable = |path: &PathBuf| {
        let path = path.clone();
        move |cause| TlsError::Pem { path, cause }
    };
    let chain = CertificateDer::pem_file_iter(cert)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(unreadable(cert))?;
    if chain.is_empty() {
        return Err(TlsError::Empty { path: cert.clone() });
    }
    let key = PrivateKeyDer::from_pem_file(key).map_err(unreadable(key))?;
    CertifiedKey::from_der(chain, key, provider).map_err(|cause| TlsError::Unusable {
        path: cert.clone(),
        cause,
    })
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate")
            .field("current", &self.current)
            .finish_non_exhaustive()
    }
}
