//! A server's answer: a line with the status, lines of headers, an empty line, the body (R-URL-2).

use super::{Came, Target};
use told_domain::{
    reason::HttpStatus,
    url::{FetchLimits, Head, SourceUrl, Validators, Verdict, read_body},
};

pub(super) const TARGET: Target = Target {
    name: "answer",
    holds: "only a plain 2xx is read, only a safe redirect is followed, what is sent back can begin no header, \
            and a body that is text is delivered without NUL and is no page",
    words: &[
        "200",
        "204",
        "206",
        "301",
        "302",
        "304",
        "307",
        "404",
        "410",
        "500",
        "\n",
        "\n\n",
        "content-type: text/plain\n",
        "content-type: text/html\n",
        "content-type: application/octet-stream\n",
        "; charset=utf-16le",
        "; charset=\"iso-8859-1\"",
        "content-encoding: gzip\n",
        "content-encoding: identity, identity\n",
        "transfer-encoding: chunked\n",
        "content-length: 99\n",
        "location: http://h/\n",
        "location: //h/a\n",
        "location: https://u:p@h/\n",
        "etag: \"a\"\n",
        "etag: \u{1}\n",
        "last-modified: now\n",
        "<!doctype html>",
        "<html",
        "<!-- ",
        " -->",
        "<?xml ",
        "?>",
        "\u{feff}",
        "\0",
        "\u{1f}\u{8b}",
        "plain text",
        ":",
        "\u{ff}",
    ],
    bytes_max: 2048,
    check,
};

const LIMITS: FetchLimits = FetchLimits { timeout_ms: 1, max_bytes: 256 };

fn check(input: &[u8]) -> Came {
    let (head, body) = halves(input);
    let mut lines = head.split(|byte| *byte == b'\n');
    let status = lines
        .next()
        .and_then(|line| std::str::from_utf8(line).ok())
        .and_then(|line| line.trim().parse().ok());
    let Some(status) = status.and_then(HttpStatus::new) else { return Came::refused(0) };
    let headers: Vec<(String, &[u8])> = lines
        .filter_map(|line| {
            let colon = line.iter().position(|byte| *byte == b':')?;
            Some((String::from_utf8_lossy(&line[..colon]).into_owned(), &line[colon + 1..]))
        })
        .collect();
    let head = Head::new(status, headers.iter().map(|(name, value)| (name.as_str(), *value)));
    let url: SourceUrl = "https://example.org/a".parse().expect("a URL");
    let verdict = head.verdict(&url, true, LIMITS);
    let number = status.get();
    match &verdict {
        Verdict::Read => {
            assert!((200..300).contains(&number) && number != 206 && !is_coded(&headers))
        }
        Verdict::NotModified => assert_eq!(number, 304),
        Verdict::NotFound => assert_eq!(number, 404),
        Verdict::Gone => assert_eq!(number, 410),
        Verdict::Follow(next) => assert!(next.is_secure() && next.secret().username().is_empty()),
        Verdict::Unavailable(_) => {}
    }
    assert!(number != 304 || head.verdict(&url, false, LIMITS) != Verdict::NotModified);
    if let Some(validators) = Validators::of(&url, &head) {
        for (_, value) in validators.headers(&url) {
            assert!(value.len() <= 1024 && value.bytes().all(|byte| matches!(byte, b' '..=b'~')));
        }
    }
    let read = read_body(&head, body);
    if let Ok(delivered) = &read {
        assert!(!delivered.text.contains('\0'));
        let start = delivered.text.trim_start().to_ascii_lowercase();
        assert!(!start.starts_with("<!doctype html>") && !start.starts_with("<html>"), "a page");
    }
    let what = match verdict {
        Verdict::Unavailable(reason) => reason.to_string(),
        other => format!("{:?}", std::mem::discriminant(&other)),
    };
    Came::accepted((what, read.map(|text| text.warnings).map_err(|reason| reason.to_string())))
}

fn halves(input: &[u8]) -> (&[u8], &[u8]) {
    let end = input.windows(2).position(|two| two == b"\n\n");
    end.map_or((input, &[]), |end| (&input[..end], &input[end + 2..]))
}

/// Whether any header names a coding, read as simply as can be.
fn is_coded(headers: &[(String, &[u8])]) -> bool {
    headers.iter().any(|(name, value)| {
        name.eq_ignore_ascii_case("content-encoding")
            && String::from_utf8_lossy(value).split(',').any(|coding| {
                let coding = coding.trim();
                !coding.is_empty() && !coding.eq_ignore_ascii_case("identity")
            })
    })
}
