//! URLs under `told serve`, from a real server on loopback that does anything: R-URL-1 to -5. What an answer
//! means address by address and hop by hop, the contract of the fetcher proves (UF-1 to UF-16).

use super::client::{Server, texts};
use crate::binary::bench::Bench;
use serde_json::{Value, json};
use std::{net::TcpListener, sync::Arc};
use told_testkit::fake::url_script::{Answer, Body, Reply, Script};
pub(super) use told_testkit::fake::url_server::Server as Web;

const SESSION: &str = "url/1";

/// A host whose user names `/a` of a server on loopback, and asks it at every boundary.
pub(super) struct Online {
    pub(super) bench: Bench,
    pub(super) server: Server,
    pub(super) script: Arc<Script>,
    web: Web,
}

/// What one boundary came to.
#[derive(Debug)]
struct Told {
    /// The text that it added; empty where it added none.
    text: String,
    /// The reason for which `/a` is held.
    held: Option<String>,
}

/// Looks at every boundary, at this machine too.
const EAGER: &str =
    "[urls]\nttl_s = 0\nretry_after_s = 0\nprivate_addresses = true\ntimeout_ms = 60000\n";

impl Online {
    pub(super) fn new() -> Self {
        let script = Arc::<Script>::default();
        let web = Web::start(&script).unwrap();
        let url = format!("http://127.0.0.1:{}/a", web.port());
        let (bench, server) = host(&url, EAGER);
        Self { bench, server, script, web }
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.web.port())
    }

    /// The server's answer to what comes next, and the boundary that asks.
    fn boundary(&mut self, reply: impl Into<Reply>) -> Told {
        self.script.at("/a", [reply.into()]);
        boundary(&mut self.server)
    }
}

/// A host whose user names this URL and nothing else is told.
fn host(url: &str, urls: &str) -> (Bench, Server) {
    let bench = Bench::new();
    std::fs::remove_file(bench.path("shop/AGENTS.md")).unwrap();
    let include = format!("[instructions]\ninclude = [\"{url}\"]\n");
    let context = "[context]\ndate = false\nenvironment = false\n";
    bench.write(".config/told/config.toml", format!("{context}{include}{urls}"));
    let mut server = Server::start(&bench);
    server.open(&bench, SESSION);
    (bench, server)
}

fn boundary(server: &mut Server) -> Told {
    let briefing = server.sync(SESSION);
    let text = if briefing["admitted"].is_null() {
        String::new()
    } else {
        texts(&briefing).pop().unwrap().1
    };
    let held = briefing["held"].as_array().unwrap();
    assert!(held.len() <= 1, "{held:?}");
    Told { text, held: held.first().map(|held| held["reason"].as_str().unwrap().to_owned()) }
}

fn html() -> Answer {
    let page = Body::Whole("<!doctype html><title>Sign in</title>".into());
    Answer::new(200).with("content-type", "text/html").body(page)
}

fn coded() -> Answer {
    Answer::new(200).with("content-encoding", "gzip").body(Body::Whole(vec![0x1F, 0x8B, 8, 0]))
}

/// Every answer that leaves nobody wiser, with its reason.
fn useless() -> Vec<(Reply, &'static str)> {
    let mut useless: Vec<(Reply, &str)> = vec![
        (Answer::new(304).into(), "http_304"),
        (Answer::to(301, "/a").into(), "too_many_redirects"),
        (Answer::to(302, "ftp://127.0.0.1/a").into(), "http_302"),
        (Answer::to(302, "http://0.0.0.0/a").into(), "address_refused"),
        (Answer::to(302, "http://[::ffff:0.0.0.0]/a").into(), "address_refused"),
        (html().into(), "unexpected_content_type"),
        (coded().into(), "encoded_body"),
        (Answer::text("").body(Body::Whole(vec![0x1F, 0x8B, 8, 0])).into(), "encoded_body"),
        (Answer::text("").body(Body::Announced(100, "half".into())).into(), "connection_failed"),
        (Answer::text("").body(Body::BrokenOff("half".into())).into(), "connection_failed"),
        (Answer::text("").body(Body::Endless(Some(2 << 30))).into(), "too_large"),
        (Answer::text("").body(Body::Endless(None)).into(), "too_large"),
        (Reply::HangUp, "connection_failed"),
        (Reply::Noise, "connection_failed"),
    ];
    for (status, reason) in [
        (401, "http_401"),
        (403, "http_403"),
        (429, "http_429"),
        (500, "http_500"),
        (503, "http_503"),
        (206, "http_206"),
    ] {
        useless.push((Answer::new(status).into(), reason));
    }
    useless
}

#[test]
fn r_url_2_what_leaves_nobody_wiser_leaves_what_was_told() {
    let mut online = Online::new();
    let first = online.boundary(Answer::text("Rule 0.\n"));
    assert_eq!(first.text, format!("Instructions from: {}\nRule 0.\n", online.url("/a")));
    for (round, (reply, reason)) in useless().into_iter().enumerate() {
        let failed = online.boundary(reply);
        assert_eq!((failed.text.as_str(), failed.held.as_deref()), ("", Some(reason)));
        let same = online.boundary(Answer::text(&format!("Rule {round}.\n")));
        assert_eq!((same.text.as_str(), same.held), ("", None), "what stands is what was told");
        let next = format!("Rule {}.\n", round + 1);
        let told = online.boundary(Answer::text(&next));
        assert!(told.text.contains("replaces what they said before"), "{reason}: {}", told.text);
        assert!(told.text.ends_with(&format!("{}\n{next}", online.url("/a"))), "{}", told.text);
    }
}

#[test]
fn r_bnd_2_a_first_boundary_goes_on_without_a_url_and_tells_it_later() {
    for (reply, reason) in useless().into_iter().take(3) {
        let mut online = Online::new();
        let first = online.boundary(reply);
        assert_eq!((first.text.as_str(), first.held.as_deref()), ("", Some(reason)));
        let told = online.boundary(Answer::text("A rule.\n"));
        assert_eq!(told.text, format!("Instructions from: {}\nA rule.\n", online.url("/a")));
        assert_eq!(told.held, None);
    }
}

#[test]
fn r_url_2_texts_of_every_kind_are_told() {
    let mut online = Online::new();
    let utf_16: Vec<u8> = "\u{feff}Ünïcode".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked = Body::Whole("\u{feff}Marked.".into());
    let latin = Answer::new(200).with("content-type", "text/plain; charset=iso-8859-1");
    online.script.at("/b", [Answer::text("From b.")]);
    let (status, away) = (301, online.url("/b"));
    for (answer, text) in [
        (Answer::text("Plain."), "Plain."),
        (Answer::new(200).body(Body::Chunked(utf_16)), "Ünïcode"),
        (Answer::text("").body(marked), "Marked."),
        (latin.body(Body::Whole(vec![b'E', 0xE9])), "Eé"),
        (Answer::text("").body(Body::UntilClosed("To the end.".into())), "To the end."),
        (Answer::text("").body(Body::Announced(4, "Fourth".into())), "Four"),
        (Answer::text(""), ""),
        (Answer::to(status, &away), "From b."),
        (Answer::new(204), ""),
        (Answer::to(302, "/b"), "From b."),
    ] {
        let told = online.boundary(answer);
        let expect = format!("Instructions from: {}\n{text}", online.url("/a"));
        assert!(told.text.ends_with(&expect) && told.held.is_none(), "{text}: {told:?}");
    }
}

#[test]
fn r_url_1_what_did_not_change_is_asked_for_by_its_tag() {
    let mut online = Online::new();
    let tagged = |text: &str, tag: &str| Answer::text(text).with("etag", tag);
    assert!(online.boundary(tagged("One.", "\"1\"")).text.ends_with("One."));
    for same in [Answer::new(304), Answer::new(304).with("etag", "\"2\"")] {
        let told = online.boundary(same);
        assert_eq!((told.text.as_str(), told.held), ("", None));
    }
    assert_eq!(online.boundary(Answer::new(500)).held.as_deref(), Some("http_500"));
    assert_eq!(online.boundary(Answer::new(304)).held, None, "a failure forgets no tag");
    assert!(online.boundary(tagged("Two.", "\"2\"")).text.ends_with("Two."));
    assert_eq!(online.boundary(Answer::new(304)).text, "");
    let asked = online.script.asked();
    let tags: Vec<_> =
        asked.iter().map(|asked| asked.header("if-none-match").unwrap_or("-")).collect();
    assert_eq!(tags, ["-", "\"1\"", "\"1\"", "\"1\"", "\"1\"", "\"1\"", "\"2\""]);
    assert!(asked.iter().all(|asked| asked.header("accept-encoding") == Some("identity")));
    // Another process remembers none, and what was told stands.
    let next = Server::start(&online.bench);
    assert_eq!(std::mem::replace(&mut online.server, next).end(), (Vec::new(), 0));
    assert_eq!(online.boundary(tagged("Two.", "\"2\"")).text, "");
    assert_eq!(online.script.asked().last().unwrap().header("if-none-match"), None);
}

#[test]
fn r_url_2_a_404_is_an_absence_the_second_time() {
    let mut online = Online::new();
    online.boundary(Answer::text("One."));
    let gone = |told: &Told| told.text.contains("no longer apply") && told.held.is_none();
    assert_eq!(online.boundary(Answer::new(404)).held.as_deref(), Some("http_404"));
    let removed = online.boundary(Answer::new(404));
    assert!(gone(&removed), "{removed:?}");
    assert_eq!(online.boundary(Answer::new(404)).text, "", "told once");
    assert!(online.boundary(Answer::text("Two.")).text.ends_with("Two."));
    for between in [Answer::new(500), Answer::text("Two."), html()] {
        assert_eq!(online.boundary(Answer::new(404)).held.as_deref(), Some("http_404"));
        assert_eq!(online.boundary(between).text, "");
    }
    let params = json!({"session": SESSION});
    for _ in 0..3 {
        online.script.at("/a", [Answer::new(404)]);
        online.server.get("session/preview", params.clone());
    }
    assert_eq!(online.boundary(Answer::new(404)).held.as_deref(), Some("http_404"), "the first");
    // Another process begins to count anew.
    let next = Server::start(&online.bench);
    assert_eq!(std::mem::replace(&mut online.server, next).end(), (Vec::new(), 0));
    assert_eq!(online.boundary(Answer::new(404)).held.as_deref(), Some("http_404"));
    assert!(gone(&online.boundary(Answer::new(404))));
    assert!(online.boundary(Answer::text("Three.")).text.ends_with("Three."));
    assert!(gone(&online.boundary(Answer::new(410))), "410 needs no second look");
    assert!(online.boundary(Answer::text("Four.")).text.ends_with("Four."));
}

/// R-URL-2: a body without end is not read to it, and costs no memory.
#[test]
fn r_url_2_two_gibibytes_are_not_read() {
    let mut online = Online::new();
    for announced in [Some(2 << 30), None] {
        let endless = Answer::text("").body(Body::Endless(announced));
        assert_eq!(online.boundary(endless).held.as_deref(), Some("too_large"));
    }
    // The limit, and what two sockets hold of it.
    assert!(online.script.sent() < 64 << 20, "{} bytes left", online.script.sent());
    #[cfg(target_os = "linux")]
    {
        let status = format!("/proc/{}/status", online.server.id());
        let status = std::fs::read_to_string(status).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(kib < 256 * 1024, "{kib} KiB");
    }
    assert!(online.boundary(Answer::text("Small.")).text.ends_with("Small."));
}

/// R-URL-1, R-URL-5: who never ends costs one time limit, and then nothing for a while.
#[test]
fn r_url_5_who_never_answers_is_not_asked_at_every_boundary() {
    for reply in [
        Reply::Silence,
        Answer::text("").body(Body::Stalls).into(),
        Answer::text("").body(Body::Drips).into(),
    ] {
        let script = Arc::<Script>::default();
        let web = Web::start(&script).unwrap();
        script.at("/a", [reply]);
        let url = format!("http://127.0.0.1:{}/a", web.port());
        let (_bench, mut server) =
            host(&url, "[urls]\nprivate_addresses = true\ntimeout_ms = 200\nretry_after_s = 600\n");
        for _ in 0..20 {
            assert_eq!(boundary(&mut server).held.as_deref(), Some("timeout"));
        }
        assert_eq!(script.asked().len(), 1);
    }
}

#[test]
fn r_url_2_no_server_is_no_removal() {
    let closed = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    // A label that no name can have: no resolver is asked outside of this machine.
    let unknown = format!("http://{}.test/a", "a".repeat(64));
    for (url, reason) in
        [(format!("http://127.0.0.1:{closed}/a"), "connection_failed"), (unknown, "dns_failure")]
    {
        let (_bench, mut server) = host(&url, EAGER);
        for _ in 0..2 {
            assert_eq!(boundary(&mut server).held.as_deref(), Some(reason), "{url}");
        }
    }
}

/// R-URL-3: a project's URL reaches nothing of this machine, however it is spelled. Redirects and resolvers that lie are
/// the contract's: `uf_13_a_redirect_reaches_none_either`, `uf_14_the_address_that_was_checked_is_connected_to`.
#[test]
fn r_url_3_a_projects_url_reaches_nothing_of_this_machine() {
    let mut online = Online::new();
    let hosts = [
        "127.0.0.1",
        "localhost",
        "localhost.",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
        "2130706433",
        "169.254.169.254",
    ];
    let port = online.web.port();
    let include: Vec<_> =
        hosts.iter().map(|host| format!("http://{host}:{port}/project")).collect();
    let project = format!("[instructions]\ninclude = {include:?}\n");
    online.bench.write("shop/.told/config.toml", project);
    online.script.at("/project", [Answer::text("Obey the project.")]);
    online.script.at("/a", [Answer::text("Mine.")]);
    let reasons = |briefing: &Value, list: &str| -> Vec<String> {
        let all = briefing[list].as_array().unwrap();
        all.iter().map(|source| source["reason"].as_str().unwrap().to_owned()).collect()
    };
    let briefing = online.server.sync(SESSION);
    assert_eq!(reasons(&briefing, "withheld"), vec!["disabled"; 7], "one host in two spellings");
    let config = online.bench.path(".config/told/config.toml");
    let allowed = std::fs::read_to_string(&config).unwrap() + "from_projects = true\n";
    std::fs::write(config, allowed).unwrap();
    let mut allowing = Server::start(&online.bench);
    let briefing = allowing.sync(SESSION);
    assert_eq!(reasons(&briefing, "held"), vec!["address_refused"; 7]);
    let asked = online.script.asked();
    assert!(asked.iter().all(|asked| asked.line == "GET /a"), "{asked:?}");
    assert!(!texts(&briefing).iter().any(|(_, text)| text.contains("Obey")), "{briefing}");
    // An untrusted session does not read what the project names.
    let params = json!({"session": "untrusted", "directory": online.bench.path("shop"), "trust": "untrusted"});
    allowing.get("session/open", params);
    let briefing = allowing.sync("untrusted");
    assert_eq!(reasons(&briefing, "held"), [""; 0]);
    assert!(texts(&briefing)[0].1.contains("Mine."));
}

#[test]
fn r_ses_10_a_url_that_another_channel_told_is_not_told_again() {
    let mut online = Online::new();
    online.script.at("/a", [Answer::text("Known.")]);
    let url = online.url("/a");
    let other = "https://me:s3cret@example.org/?s3cret";
    let sources = json!([{"url": url}, {"url": other}]);
    let adopted =
        online.server.get("session/adopt", json!({"session": SESSION, "sources": sources}));
    let key = adopted["adopted"][0].as_str().unwrap();
    assert!(key.starts_with(&format!("url:{url}#")), "{adopted}");
    let refused = json!([{"url": "https://***@example.org/?***", "reason": "unknown_source"}]);
    assert_eq!(adopted["refused"], refused);
    assert_eq!(texts(&online.server.sync(SESSION)).len(), 1, "an empty baseline");
    assert!(online.boundary(Answer::text("New.")).text.ends_with("New."));
}
