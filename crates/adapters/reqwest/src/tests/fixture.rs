//! A scripted server in plain text and one over TLS, under names of the public network. Nothing leaves
//! loopback: a public address that passed the check is dialled there instead.

use crate::{ReqwestFetcher, Resolver, client::tls_with};
use async_trait::async_trait;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{
    ClientConfig, RootCertStore, ServerConfig, ServerConnection, StreamOwned,
    crypto::ring,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};
use std::{
    io,
    net::{IpAddr, Ipv4Addr, TcpListener},
    sync::{Arc, LazyLock},
};
use told_ports::UrlFetcher;
use told_testkit::{
    contract::url_fetcher::{Fixture, Scheme},
    fake::{
        url_script::{Names, Resolved, Script},
        url_server::Server,
    },
};

/// Certificates of its own, that nobody else trusts.
static CERTIFICATE: LazyLock<CertifiedKey<rcgen::KeyPair>> = LazyLock::new(|| {
    generate_simple_self_signed(["rules.test".into(), "secure.test".into(), "other.test".into()])
        .expect("a certificate")
});

fn trusting() -> Result<ClientConfig, rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.add(CERTIFICATE.cert.der().clone())?;
    tls_with(roots)
}

fn proving() -> Arc<ServerConfig> {
    let key = PrivatePkcs8KeyDer::from(CERTIFICATE.signing_key.serialize_der());
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the provider knows TLS")
        .with_no_client_auth()
        .with_single_cert(vec![CERTIFICATE.cert.der().clone()], PrivateKeyDer::Pkcs8(key));
    Arc::new(config.expect("a certificate and its key"))
}

pub(super) struct Real {
    pub(super) script: Arc<Script>,
    pub(super) names: Arc<Names>,
    plain: Server,
    secure: Server,
    fetcher: Arc<ReqwestFetcher>,
}

impl Real {
    pub(super) fn new() -> Self {
        let (script, names) = (Arc::<Script>::default(), Arc::<Names>::default());
        let config = proving();
        let wrap = move |stream| {
            let connection = ServerConnection::new(Arc::clone(&config));
            let stream = StreamOwned::new(connection.map_err(io::Error::other)?, stream);
            Ok(Box::new(stream) as Box<dyn told_testkit::fake::url_server::Talk>)
        };
        let scripted = Arc::new(Scripted(Arc::clone(&names)));
        let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let fetcher = ReqwestFetcher::dialling(scripted, loopback, trusting);
        Self {
            plain: Server::start(&script).expect("a port"),
            secure: Server::wrapped(&script, Arc::new(wrap)).expect("a port"),
            fetcher: Arc::new(fetcher),
            script,
            names,
        }
    }
}

struct Scripted(Arc<Names>);

#[async_trait]
impl Resolver for Scripted {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        match self.0.resolve(name) {
            Resolved::To(addresses) => Ok(addresses),
            Resolved::Nothing => Err(io::ErrorKind::NotFound.into()),
            Resolved::Hangs => std::future::pending().await,
        }
    }
}

impl Fixture for Real {
    fn script(&self) -> &Script {
        &self.script
    }

    fn names(&self) -> &Names {
        &self.names
    }

    fn port(&self, scheme: Scheme) -> u16 {
        match scheme {
            Scheme::Http => self.plain.port(),
            Scheme::Https => self.secure.port(),
        }
    }

    fn closed_port(&self) -> u16 {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        listener.local_addr().expect("an address").port()
    }

    fn fetcher(&self) -> Arc<dyn UrlFetcher> {
        Arc::clone(&self.fetcher) as Arc<dyn UrlFetcher>
    }
}
