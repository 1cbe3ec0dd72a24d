//! What the world must not see, and must not change.

use super::fixture::Real;
use crate::ReqwestFetcher;
use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};
use told_domain::{
    reason::UnavailableReason,
    url::{AddressPolicy, FetchLimits},
};
use told_ports::{Request, Response, UrlFetcher as _};
use told_testkit::{
    contract::{
        block_on,
        url_fetcher::{Fixture as _, PUBLIC, Scheme},
    },
    fake::url_script::{Answer, Reply, Resolved},
};

/// Every line of every crate, whichever way it logs.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    fn text(&self) -> String {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&lines).into_owned()
    }
}

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl log::Log for Lines {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let line = format!("{} {}\n", record.target(), record.args());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(line.as_bytes());
    }

    fn flush(&self) {}
}

fn request(url: &str, address_policy: AddressPolicy) -> Request {
    let limits = FetchLimits { timeout_ms: 60_000, max_bytes: 1_000 };
    Request { url: url.parse().unwrap(), validators: None, limits, address_policy }
}

#[test]
fn r_url_4_no_log_line_holds_a_secret() {
    let lines = Lines::default();
    log::set_boxed_logger(Box::new(lines.clone())).unwrap();
    log::set_max_level(log::LevelFilter::Trace);
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let real = Real::new();
    let address = Resolved::To(vec![PUBLIC.parse().unwrap()]);
    for name in ["rules.test", "wrong.test"] {
        real.names.at(name, [address.clone()]);
    }
    real.script.at("/a?token=s3cret", [Answer::to(302, "/b?token=s3cret")]);
    real.script.at("/b?token=s3cret", [Reply::HangUp]);
    let urls = [
        format!("http://rules.test:{}", real.port(Scheme::Http)),
        format!("https://rules.test:{}", real.port(Scheme::Https)),
        format!("https://wrong.test:{}", real.port(Scheme::Https)),
        format!("http://rules.test:{}", real.closed_port()),
        "http://nowhere.test".into(),
        "http://127.0.0.1".into(),
    ];
    tracing::subscriber::with_default(subscriber, || {
        block_on(async {
            for url in urls {
                let url = url.replace("://", "://s3cret:s3cret@") + "/a?token=s3cret";
                let response = real.fetcher().fetch(request(&url, AddressPolicy::Public)).await;
                assert!(matches!(response, Response::Unavailable(_)), "{response:?}");
            }
        });
    });
    let text = lines.text();
    assert!(text.contains("a URL is unavailable url=http://***@127.0.0.1/a?***"), "{text}");
    assert!(text.contains("reqwest::connect"), "the client's own lines are among them: {text}");
    // In clear text, or as the header that it is sent in.
    for secret in ["s3cret", "czNjcmV0"] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn r_url_3_the_systems_own_resolver_is_checked_too() {
    let fetch = |url: &str| {
        let fetcher = ReqwestFetcher::new();
        block_on(fetcher.fetch(request(url, AddressPolicy::Public)))
    };
    let refused = Response::Unavailable(UnavailableReason::AddressRefused);
    assert_eq!(fetch("http://127.0.0.1/"), refused);
    assert_eq!(fetch("http://localhost./"), refused);
}

#[test]
fn the_systems_own_resolver_and_roots_serve_a_private_url() {
    let real = Real::new();
    real.script.at("/a", [Answer::text("text")]);
    let fetcher = ReqwestFetcher::new();
    let at = |scheme: &str, port: u16| format!("{scheme}://localhost:{port}/a");
    block_on(async {
        let plain = at("http", real.port(Scheme::Http));
        let found = fetcher.fetch(request(&plain, AddressPolicy::Private)).await;
        assert!(
            matches!(&found, Response::Fetched(found) if &*found.text.text == "text"),
            "{found:?}"
        );
        // No root of this system signed that certificate.
        let secure = at("https", real.port(Scheme::Https));
        let found = fetcher.fetch(request(&secure, AddressPolicy::Private)).await;
        assert_eq!(found, Response::Unavailable(UnavailableReason::TlsFailure));
    });
}
