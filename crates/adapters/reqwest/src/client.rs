//! The HTTP client, with all switched off that it would do by itself.

use crate::names::Checked;
use reqwest::{Client, header, redirect};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::{CryptoProvider, ring},
};
use rustls_platform_verifier::Verifier;
use std::sync::Arc;

/// Who asks.
const USER_AGENT: &str = concat!("told/", env!("CARGO_PKG_VERSION"));

/// A text, best as Markdown.
const ACCEPT: &str = "text/markdown, text/plain;q=0.9, */*;q=0.5";

/// A client whose connections lead where `names` says.
pub(crate) fn client(names: Checked, tls: ClientConfig) -> Result<Client, reqwest::Error> {
    let mut headers = header::HeaderMap::new();
    headers.insert(header::ACCEPT, header::HeaderValue::from_static(ACCEPT));
    headers.insert(header::ACCEPT_ENCODING, header::HeaderValue::from_static("identity"));
    Client::builder()
        .user_agent(USER_AGENT)
        .default_headers(headers)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .http1_only()
        // A kept connection would be one more thing that outlives a boundary.
        .pool_max_idle_per_host(0)
        .dns_resolver(Arc::new(names))
        .tls_backend_preconfigured(tls)
        .build()
}

/// Certificates are held against the roots of this system. Where it has none, no server can prove
/// itself, and plain http goes on.
pub(crate) fn tls_of_the_system() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    match Verifier::new(Arc::clone(&provider)) {
        Ok(verifier) => Ok(versions(provider)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth()),
        Err(error) => {
            tracing::warn!(%error, "no certificate can be checked");
            tls_with(RootCertStore::empty())
        }
    }
}

/// Certificates are held against these roots.
pub(crate) fn tls_with(roots: RootCertStore) -> Result<ClientConfig, rustls::Error> {
    let builder = versions(Arc::new(ring::default_provider()))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

fn versions(
    provider: Arc<CryptoProvider>,
) -> Result<rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>, rustls::Error> {
    ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()
}
