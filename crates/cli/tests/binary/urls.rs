//! URLs on the command line: R-CFG-1, R-URL-4, and what the views say of them.

use super::bench::Bench;
use std::sync::Arc;
use told_testkit::fake::{
    url_script::{Answer, Script},
    url_server::Server as Web,
};

/// A user who names a URL with secrets that answers, and one that does not.
struct Online {
    bench: Bench,
    script: Arc<Script>,
    host: String,
    _web: Web,
}

impl Online {
    fn new() -> Self {
        let script = Arc::<Script>::default();
        let web = Web::start(&script).unwrap();
        let host = format!("127.0.0.1:{}", web.port());
        let bench = Bench::new();
        let config = format!(
            "[context]\ndate = false\n[instructions]\ninclude = [\n  \
             \"http://me:s3cret@{host}/rules.md?key=s3cret\",\n  \"http://{host}/broken\",\n]\n\
             [urls]\nprivate_addresses = true\n"
        );
        bench.write(".config/told/config.toml", config);
        script.at("/rules.md?key=s3cret", [Answer::text("Use tabs.\n")]);
        script.at("/broken", [Answer::new(500)]);
        Self { bench, script, host, _web: web }
    }
}

/// On one line, however it was wrapped.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn r_cfg_1_a_url_is_told_and_no_view_says_its_secrets() {
    let online = Online::new();
    let bench = &online.bench;
    let shown = format!("http://***@{}/rules.md?***", online.host);
    let sent = bench.out("sync --text");
    assert!(sent.contains(&format!("\n\nInstructions from: {shown}\nUse tabs.\n")), "{sent}");
    assert_eq!(online.script.asked().len(), 2, "each is asked once");
    let broken = format!("http://{}/broken", online.host);
    for (line, urls) in [
        ("", true),
        ("sync", true),
        ("preview", true),
        ("preview --fresh --json", true),
        ("sync --json", true),
        ("sources", true),
        ("sources --json", true),
        ("explain main.rs", true),
        ("explain main.rs --json", true),
        ("log", true),
        ("log --json", true),
        ("show --json", true),
        ("config", true),
        ("config --origin", true),
        ("config --json", true),
        ("doctor", true),
        ("doctor --json", true),
        ("sessions", false),
    ] {
        let said = bench.out(line);
        assert!(!said.contains("s3cret"), "{line}: {said}");
        if urls {
            assert!(words(&said).contains(&shown), "{line}: {said}");
        }
    }
    for line in ["sync", "explain main.rs", "doctor"] {
        let said = words(&bench.out(line));
        let expect = "its server answered 500";
        assert!(said.contains(&broken) && said.contains(expect), "{line}: {said}");
    }
    let store = std::fs::read(bench.store()).unwrap();
    assert!(!store.windows(6).any(|bytes| bytes == b"s3cret"), "the store holds none either");
}

#[test]
fn r_url_2_a_url_is_gone_where_its_server_says_so() {
    let online = Online::new();
    let bench = &online.bench;
    bench.out("sync");
    online.script.at("/rules.md?key=s3cret", [Answer::new(410)]);
    let shown = format!("http://***@{}/rules.md?***", online.host);
    assert!(words(&bench.out("doctor")).contains("its server says that it is gone"));
    assert_eq!(bench.run("preview --check").status, 3);
    let told = bench.out("sync");
    assert!(words(&told).contains(&format!("− {shown}")), "{told}");
    // A command begins to count anew, so one 404 is none.
    online.script.at("/rules.md?key=s3cret", [Answer::text("Use spaces.\n"), Answer::new(404)]);
    assert!(words(&bench.out("sync")).contains(&format!("+ {shown}")));
    for _ in 0..3 {
        let told = bench.out("sync");
        assert!(words(&told).contains("its server answered 404"), "{told}");
    }
}

#[test]
fn r_ses_10_a_url_is_adopted_on_the_command_line() {
    let online = Online::new();
    let bench = &online.bench;
    bench.out("open");
    let url = format!("http://me:s3cret@{}/rules.md?key=s3cret", online.host);
    let said = bench.out(&format!("adopt {url} http://me:s3cret@example.org/?s3cret"));
    assert!(said.contains(&format!("+ http://***@{}/rules.md?***", online.host)), "{said}");
    assert!(said.contains("http://***@example.org/?***") && !said.contains("s3cret"), "{said}");
    assert!(!bench.out("sync --text").contains("rules.md"), "it is not told");
}
