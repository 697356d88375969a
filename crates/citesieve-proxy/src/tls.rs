//! TLS, on both sides. The cryptography is ring's.

use std::path::Path;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};

use crate::config::ConfigError;

/// Whom to believe that it is the upstream. `None`: the public authorities.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trust(Option<Arc<RootCertStore>>);

impl Trust {
    /// The public authorities, as Mozilla lists them.
    pub(crate) fn public() -> Self {
        Trust(None)
    }

    /// What tells one from another.
    pub(crate) fn identity(&self) -> usize {
        self.0.as_ref().map_or(0, |roots| Arc::as_ptr(roots) as usize)
    }
}

/// The certificates in a PEM file.
pub(crate) fn trust(path: &Path) -> Result<Trust, ConfigError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots.add(certificate).map_err(|error| wrong(path, error))?;
    }
    Ok(Trust(Some(Arc::new(roots))))
}

/// The client's side. Which protocols to offer is for the connector to say.
pub(crate) fn client(trust: &Trust) -> Result<ClientConfig, ConfigError> {
    let roots = match &trust.0 {
        Some(roots) => Arc::clone(roots),
        None => Arc::new(RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() }),
    };
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| ConfigError::new(format!("TLS: {error}")))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// The server's side, for HTTP/2 and HTTP/1.1.
pub(crate) fn server(cert: &Path, key: &Path) -> Result<Arc<ServerConfig>, ConfigError> {
    let certificates = certificates(cert)?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key, error))?;
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| ConfigError::new(format!("TLS: {error}")))?;
    let mut config =
        builder.with_no_client_auth().with_single_cert(certificates, key).map_err(|error| wrong(cert, error))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, ConfigError> {
    let read = CertificateDer::pem_file_iter(path).map_err(|error| wrong(path, error))?;
    let list: Vec<_> = read.collect::<Result<_, _>>().map_err(|error| wrong(path, error))?;
    if list.is_empty() {
        return Err(wrong(path, "no certificate in it"));
    }
    Ok(list)
}

fn wrong(path: &Path, error: impl std::fmt::Display) -> ConfigError {
    ConfigError::new(format!("{}: {error}", path.display()))
}
