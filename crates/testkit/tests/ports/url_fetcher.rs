use std::sync::Arc;
use told_ports::UrlFetcher;
use told_testkit::{
    contract::url_fetcher::{Fixture, Scheme},
    fake::{
        url_fetcher::FakeUrlFetcher,
        url_script::{Names, Script},
    },
};

struct Fake {
    script: Arc<Script>,
    names: Arc<Names>,
    fetcher: Arc<FakeUrlFetcher>,
}

fn make() -> Fake {
    let (script, names) = (Arc::<Script>::default(), Arc::<Names>::default());
    let fetcher = FakeUrlFetcher::new(Arc::clone(&script), Arc::clone(&names));
    fetcher.close(1);
    fetcher.unprove("wrong.test");
    Fake { script, names, fetcher: Arc::new(fetcher) }
}

impl Fixture for Fake {
    fn script(&self) -> &Script {
        &self.script
    }

    fn names(&self) -> &Names {
        &self.names
    }

    fn port(&self, scheme: Scheme) -> u16 {
        match scheme {
            Scheme::Http => 8080,
            Scheme::Https => 8443,
        }
    }

    fn closed_port(&self) -> u16 {
        1
    }

    fn fetcher(&self) -> Arc<dyn UrlFetcher> {
        Arc::clone(&self.fetcher) as Arc<dyn UrlFetcher>
    }
}

told_testkit::url_fetcher_contract!(make);
