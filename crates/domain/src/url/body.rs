//! From a server's body to the text that is delivered, or the word that it is none (R-URL-2).

use super::Head;
use crate::{
    reason::UnavailableReason,
    text::{DeliveredText, deliver_in},
};

/// The text of a whole body. A byte-order mark decides its encoding, else the server does, else it is
/// UTF-8 (R-OBS-5).
///
/// # Errors
/// Where it is no text: a page, or data.
pub fn read_body(head: &Head, bytes: &[u8]) -> Result<DeliveredText, UnavailableReason> {
    if bytes.starts_with(&[0x1F, 0x8B]) {
        return Err(UnavailableReason::EncodedBody);
    }
    let delivered = deliver_in(bytes, head.charset());
    let says_text = head.media_type().is_some_and(|media| media != "application/octet-stream");
    if is_page(&delivered.text) || (!says_text && is_data(&delivered.text)) {
        return Err(UnavailableReason::UnexpectedContentType);
    }
    Ok(delivered)
}

/// Whether a body of this type can be text. Many servers of plain files call everything an octet
/// stream, so that its bytes decide.
pub(super) fn may_be_text(media: &str) -> bool {
    match media.split_once('/') {
        Some(("text", kind)) => kind != "html",
        Some(("application", kind)) => {
            let plain = ["json", "yaml", "x-yaml", "toml", "xml", "markdown", "octet-stream"];
            plain.contains(&kind) || (is_structured(kind) && kind != "xhtml+xml")
        }
        _ => false,
    }
}

fn is_structured(kind: &str) -> bool {
    ["+json", "+yaml", "+xml"].iter().any(|suffix| kind.ends_with(suffix))
}

/// As far as a page or data is looked for.
const SNIFFED_BYTES: usize = 4096;

/// Whether it begins as an HTML document does. Markdown may begin with any other tag.
fn is_page(text: &str) -> bool {
    let mut rest = start(text).trim_start_matches('\u{feff}').trim_start();
    // A page may open with comments and declarations. Each turn takes some of the text away.
    while let Some((opener, closer)) =
        [("<!--", "-->"), ("<?", "?>")].into_iter().find(|(opener, _)| rest.starts_with(opener))
    {
        match rest[opener.len()..].split_once(closer) {
            Some((_, after)) => rest = after.trim_start(),
            None => return false,
        }
    }
    let begins = |tag: &str| {
        let head = rest.get(..tag.len()).is_some_and(|head| head.eq_ignore_ascii_case(tag));
        let ends = rest.as_bytes().get(tag.len());
        head && ends.is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'))
    };
    ["<!doctype html", "<html", "<head", "<body"].into_iter().any(begins)
}

/// Whether what the server calls nothing in particular is no text. NUL has become U+FFFD, and what
/// is mostly that was never written to be read.
fn is_data(text: &str) -> bool {
    let (mut all, mut broken) = (0_usize, 0_usize);
    for character in start(text).chars() {
        all += 1;
        broken += usize::from(character == '\u{fffd}');
    }
    broken * 10 > all
}

fn start(text: &str) -> &str {
    let end = (0..=SNIFFED_BYTES.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reason::{HttpStatus, Warning};

    fn read(content_type: &str, bytes: &[u8]) -> Result<(String, Vec<Warning>), UnavailableReason> {
        let status = HttpStatus::new(200).unwrap();
        let head = Head::new(status, [("content-type", content_type.as_bytes())]);
        read_body(&head, bytes).map(|text| (text.text.to_string(), text.warnings))
    }

    fn utf16(text: &str, little: bool) -> Vec<u8> {
        let unit = |unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() };
        text.encode_utf16().flat_map(unit).collect()
    }

    #[test]
    fn r_url_2_a_page_is_no_text_whatever_it_is_called() {
        let page = |text: &str| read("text/plain", text.as_bytes()).is_err();
        for text in [
            "<!DOCTYPE html><title>Sign in</title>",
            "<!doctype HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\">",
            "\n\t <html lang=en>",
            "<HTML>",
            "<html",
            "<head>",
            "<body class=a>",
            "<!-- proxy --> <!-- x -->\n<html>",
            "<?xml version=\"1.0\"?><!DOCTYPE html>",
            "\u{feff}<html>",
        ] {
            assert!(page(text), "{text}");
        }
        for text in [
            "",
            "Be brief.",
            "<h1>Rules</h1>",
            "<header>",
            "<!-- generated -->\n# Rules",
            "<!-- never closed <html>",
            "Answer in <html>.",
            "<!doctype htmlx",
            "<p>",
        ] {
            assert!(!page(text), "{text}");
        }
        let wide = utf16("\u{feff}<!DOCTYPE html>", true);
        assert_eq!(read("text/plain", &wide), Err(UnavailableReason::UnexpectedContentType));
    }

    #[test]
    fn r_obs_5_the_mark_decides_the_encoding_then_the_server() {
        let text = |content_type: &str, bytes: &[u8]| read(content_type, bytes).unwrap().0;
        assert_eq!(text("text/plain", "é".as_bytes()), "é");
        assert_eq!(text("text/plain; charset=UTF-8", "é".as_bytes()), "é");
        assert_eq!(text("text/plain;charset=\"iso-8859-1\"", b"caf\xE9"), "café");
        assert_eq!(text("text/plain; format=x; Charset=windows-1252", b"\x80"), "€");
        assert_eq!(text("text/plain; charset=utf-16le", &utf16("hé\n", true)), "hé\n");
        assert_eq!(text("text/plain; charset=utf-16", &utf16("hé\n", true)), "hé\n");
        assert_eq!(text("text/plain", &utf16("\u{feff}hé", false)), "hé");
        assert_eq!(text("text/plain; charset=iso-8859-1", &utf16("\u{feff}hé", true)), "hé");
        assert_eq!(text("text/plain; charset=iso-8859-1", b"\xEF\xBB\xBFa"), "a");
        assert_eq!(text("text/plain; charset=nonsense", "é".as_bytes()), "é");
        let latin = read("text/plain", b"caf\xE9").unwrap();
        assert_eq!(latin, ("caf\u{fffd}".into(), vec![Warning::InvalidText]));
    }

    #[test]
    fn r_url_2_data_is_no_text_where_the_server_does_not_say_so() {
        let refused = Err(UnavailableReason::UnexpectedContentType);
        let data = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0";
        assert_eq!(read("", data), refused);
        assert_eq!(read("application/octet-stream", data), refused);
        assert!(read("text/plain", data).is_ok_and(|(_, warnings)| !warnings.is_empty()));
        assert_eq!(
            read("application/octet-stream", b"# Rules\n"),
            Ok(("# Rules\n".into(), vec![]))
        );
        assert!(read("", &utf16("\u{feff}# Rules", true)).is_ok());
        assert_eq!(read("text/plain", b"\x1f\x8b\x08\0"), Err(UnavailableReason::EncodedBody));
    }

    #[test]
    fn r_url_2_some_types_can_be_text() {
        for media in ["text/plain", "text/x-rst", "application/json", "application/ld+json"] {
            assert!(may_be_text(media), "{media}");
        }
        for media in ["text/html", "application/xhtml+xml", "image/svg+xml", "audio/ogg", "text"] {
            assert!(!may_be_text(media), "{media}");
        }
    }
}
