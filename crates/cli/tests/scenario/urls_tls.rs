//! URLs over TLS under `told serve`: what a certificate proves, and where https may lead (R-URL-2, R-URL-4).

use super::{client::Server, urls::Web};
use crate::binary::bench::Bench;
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    crypto::ring,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};
use serde_json::{Value, json};
use std::{io, sync::Arc};
use told_testkit::fake::{
    url_script::{Answer, Script},
    url_server::Talk,
};

fn certificate(name: &str) -> CertifiedKey<KeyPair> {
    generate_simple_self_signed([name.to_owned()]).unwrap()
}

fn serving(script: &Arc<Script>, certificate: &CertifiedKey<KeyPair>) -> Web {
    let key = PrivatePkcs8KeyDer::from(certificate.signing_key.serialize_der());
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.cert.der().clone()], PrivateKeyDer::Pkcs8(key));
    let config = Arc::new(config.unwrap());
    let wrap = move |stream| {
        let connection = ServerConnection::new(Arc::clone(&config)).map_err(io::Error::other)?;
        Ok(Box::new(StreamOwned::new(connection, stream)) as Box<dyn Talk>)
    };
    Web::wrapped(script, Arc::new(wrap)).unwrap()
}

/// One boundary of a host whose system trusts `trusted`, and whose user names these.
fn told(trusted: &CertifiedKey<KeyPair>, urls: &[String]) -> Value {
    let bench = Bench::new();
    let config = format!(
        "[context]\ndate = false\n[instructions]\ninclude = {urls:?}\n[urls]\n\
         private_addresses = true\ntimeout_ms = 60000\n"
    );
    bench.write(".config/told/config.toml", config);
    bench.write("trusted.pem", trusted.cert.pem());
    let mut command = bench.command("serve");
    command.env("SSL_CERT_FILE", bench.path("trusted.pem"));
    let mut server = Server::start_by(command);
    server.open(&bench, "tls/1");
    server.get("session/sync", json!({"session": "tls/1"}))
}

fn held(briefing: &Value) -> Vec<&str> {
    let held = briefing["held"].as_array().unwrap();
    held.iter().map(|held| held["reason"].as_str().unwrap()).collect()
}

#[test]
fn r_url_2_a_server_that_does_not_prove_its_name_is_not_heard() {
    let script = Arc::<Script>::default();
    script.at("/a", [Answer::text("Proven.")]);
    let (ours, theirs) = (certificate("localhost"), certificate("localhost"));
    let wrong = certificate("elsewhere.test");
    let servers = [&ours, &theirs].map(|certificate| serving(&script, certificate));
    let [ours_url, theirs_url] =
        servers.each_ref().map(|web| format!("https://localhost:{}/a", web.port()));
    let briefing = told(&ours, &[ours_url, theirs_url]);
    assert_eq!(held(&briefing), ["tls_failure"], "one that nobody trusts");
    let baseline = briefing["epoch"]["baseline"]["text"].as_str().unwrap();
    assert!(baseline.contains("/a\nProven."), "{baseline}");
    let named = serving(&script, &wrong);
    let named = format!("https://localhost:{}/a", named.port());
    assert_eq!(held(&told(&wrong, &[named])), ["tls_failure"], "trusted, under another name");
    assert_eq!(script.asked().len(), 1, "who is not trusted is asked for nothing");
}

#[test]
fn r_url_4_https_never_leads_to_http() {
    let script = Arc::<Script>::default();
    let certificate = certificate("localhost");
    let (plain, secure) = (Web::start(&script).unwrap(), serving(&script, &certificate));
    let to_http = format!("http://localhost:{}/end", plain.port());
    let to_https = format!("https://localhost:{}/end", secure.port());
    script.at("/end", [Answer::text("The end.")]);
    script.at("/down", [Answer::to(301, &to_http)]);
    script.at("/up", [Answer::to(301, &to_https)]);
    let down = format!("https://localhost:{}/down", secure.port());
    let up = format!("http://localhost:{}/up", plain.port());
    let briefing = told(&certificate, &[down, up.clone()]);
    assert_eq!(held(&briefing), ["http_301"]);
    let baseline = briefing["epoch"]["baseline"]["text"].as_str().unwrap();
    assert!(baseline.contains(&format!("Instructions from: {up}\nThe end.")), "{baseline}");
}
