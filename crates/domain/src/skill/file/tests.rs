use super::*;
use crate::reason::Warning;

fn read(text: &str) -> Result<SkillFile, SkillFault> {
    SkillFile::read(text.as_bytes(), text.len() as u64, Some("pdf"))
}

fn said(text: &str) -> String {
    match read(text) {
        Ok(file) => format!("{}|{}|{}", file.name, file.description, file.body.text),
        Err(fault) => format!("! {fault}"),
    }
}

#[test]
fn r_cfg_3_a_skill_has_a_name_a_description_and_a_body() {
    for (text, expect) in [
        ("---\nname: pdf\ndescription: Reads PDF.\n---\nBody\n", "pdf|Reads PDF.|Body\n"),
        ("---\nname: pdf\ndescription: d\n---", "pdf|d|"),
        ("---  \nname: pdf\ndescription: d\n--- \n\nBody", "pdf|d|\nBody"),
        ("---\r\nname: pdf\r\ndescription: d\r\n---\r\nBody\r\n", "pdf|d|Body\r\n"),
        ("\u{feff}---\nname: pdf\ndescription: d\n---\nBody", "pdf|d|Body"),
        ("---\n# a comment\nname: \"pdf\"\ndescription: 'it''s'\n---\n", "pdf|it's|"),
        ("---\nname: pdf\ndescription: >\n  one\n  two\n\n---\n---\n", "pdf|one two|---\n"),
        ("---\nname: pdf\ndescription: |\r\n  one\r\n  two\r\n---\r\n", "pdf|one\ntwo|"),
        (
            "---\ndescription: d\nname: pdf\nlicense: MIT\nmetadata:\n  a: [1, {b: c}]\n---\n",
            "pdf|d|",
        ),
        ("---\nname: pdf\ndescription: 2\n---\n", "pdf|2|"),
        ("---\nname: pdf\ndescription: ja, größer\n---\n", "pdf|ja, größer|"),
    ] {
        assert_eq!(said(text), expect, "{text:?}");
    }
}

#[test]
fn r_cfg_4_what_breaks_the_format_says_how() {
    let long = |count| format!("---\nname: pdf\ndescription: {}\n---\n", "é".repeat(count));
    assert!(read(&long(1024)).is_ok());
    let too_long = long(1025);
    for (text, expect) in [
        ("", "! it does not begin with front matter: a first line of `---`"),
        ("# PDF\n", "! it does not begin with front matter: a first line of `---`"),
        ("\n---\nname: pdf\n---\n", "! it does not begin with front matter: a first line of `---`"),
        ("----\nname: pdf\n---\n", "! it does not begin with front matter: a first line of `---`"),
        (
            "---\nname: pdf\ndescription: d\n",
            "! its front matter does not end: a line of `---` is missing",
        ),
        ("---\n---\n", "! its front matter has no `name`"),
        ("---\n# nothing\n---\n", "! its front matter has no `name`"),
        ("---\ndescription: d\n---\n", "! its front matter has no `name`"),
        ("---\nname:\ndescription: d\n---\n", "! its front matter has no `name`"),
        ("---\nname: pdf\n---\n", "! its front matter has no `description`"),
        ("---\nname: pdf\ndescription: ''\n---\n", "! its front matter has no `description`"),
        ("---\nname: pdf\ndescription: '  '\n---\n", "! its front matter has no `description`"),
        ("---\nname: pdf\ndescription: ~\n---\n", "! its front matter has no `description`"),
        (
            "---\nname: docx\ndescription: d\n---\n",
            "! it is named `docx`, and its directory is not",
        ),
        (&too_long, "! its `description` has 1025 characters, and 1024 are the most"),
    ] {
        assert_eq!(said(text), expect, "{text:?}");
    }
    for name in ["PDF", "pdf--x", "-pdf", "pdf x", "pdf\\n"] {
        let text = format!("---\nname: \"{name}\"\ndescription: d\n---\n");
        assert!(matches!(read(&text), Err(SkillFault::Name(_))), "{name}");
    }
}

#[test]
fn r_cfg_4_no_yaml_is_said_on_one_line() {
    for text in [
        "---\nname: pdf\ndescription: Use it when: always\n---\n",
        "---\nname: [pdf]\ndescription: d\n---\n",
        "---\nname: pdf\nname: pdf\ndescription: d\n---\n",
        "---\n- name\n---\n",
        "---\njust a text\n---\n",
        "---\nname: pdf\n\tdescription: d\n---\n",
        "---\nname: 'pdf\ndescription: d\n---\n",
        "---\nname: *nothing\ndescription: d\n---\n",
        "---\nname: pdf\ndescription: {a: \u{1b}[31m}\n---\n",
    ] {
        let Err(SkillFault::NotYaml(why)) = read(text) else { panic!("{text:?}: {}", said(text)) };
        assert!(!why.is_empty() && why.chars().count() < 400, "{why}");
        assert!(!why.chars().any(char::is_control), "{why:?}");
    }
}

#[test]
fn r_obs_12_no_front_matter_takes_more_than_its_limits() {
    let pad = "x".repeat(20_000);
    let late = format!("---\nname: pdf\ndescription: d\n# {pad}\n---\n");
    assert_eq!(read(&late), Err(SkillFault::TooLong));
    let head = &late.as_bytes()[..16 * 1024];
    let cut = SkillFile::read(head, late.len() as u64, Some("pdf"));
    assert_eq!(cut, Err(SkillFault::TooLong), "where no more was read");
    let body = format!("---\nname: pdf\ndescription: d\n---\n{pad}\n");
    assert!(read(&body).is_ok(), "the body has another limit");

    let mut laughs = String::from("---\nname: pdf\ndescription: d\nl0: &l0 [lol, lol]\n");
    for level in 1..30 {
        let before = format!("*l{}", level - 1);
        laughs.push_str(&format!("l{level}: &l{level} [{}]\n", [before.as_str(); 9].join(", ")));
    }
    laughs.push_str("---\n");
    assert!(matches!(read(&laughs), Err(SkillFault::NotYaml(_))), "{}", said(&laughs));
    let deep =
        format!("---\nname: pdf\ndescription: d\na: {}{}\n---\n", "[".repeat(900), "]".repeat(900));
    assert!(matches!(read(&deep), Err(SkillFault::NotYaml(_))));
    let many: String = (0..3_000).map(|n| format!("{n}: \n")).collect();
    let many = format!("---\nname: pdf\ndescription: d\n{many}---\n");
    assert!(read(&many).is_err());
}

#[test]
fn r_obs_5_a_skill_is_read_as_text_like_any_file() {
    let text = "---\nname: pdf\ndescription: größer\n---\nBody";
    let utf16: Vec<u8> =
        [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let file = SkillFile::read(&utf16, utf16.len() as u64, Some("pdf")).unwrap();
    assert_eq!((&*file.description, &*file.body.text), ("größer", "Body"));
    let long = format!("---\nname: pdf\ndescription: d\n---\none\ntwo\n{}", "x".repeat(100));
    let file = SkillFile::read(&long.as_bytes()[..50], long.len() as u64, Some("pdf")).unwrap();
    assert_eq!(&*file.body.text, "[Only the first 8 of 108 bytes follow.]\none\ntwo\n");
    assert_eq!(file.body.warnings, [Warning::Truncated]);
    let broken = b"---\nname: pdf\ndescription: a\xffb\n---\n";
    let file = SkillFile::read(broken, broken.len() as u64, Some("pdf")).unwrap();
    assert_eq!(&*file.description, "a\u{fffd}b");
}

#[test]
fn r_cfg_4_no_bytes_break_the_reader() {
    let pieces = [
        "---\n",
        "name",
        ": ",
        "pdf",
        "\n",
        "description",
        "d",
        "- ",
        "&a ",
        "*a",
        "[",
        "]",
        "{",
        "}",
        "'",
        "\"",
        "|",
        ">",
        "\t",
        "  ",
        "#",
        "!!binary ",
        "!t ",
        "? ",
        "<<",
        "%YAML 1.2\n",
        "...\n",
        "\u{feff}",
        "\u{2028}",
        "\\u",
        "~",
        "0x",
        "\r\n",
        "\0",
        "é",
        "@",
    ];
    let mut random = fastrand::Rng::with_seed(17);
    let mut read_well = 0;
    for _ in 0..5_000 {
        let mut text = String::from("---\nname: pdf\ndescription: d\nx: ");
        for _ in 0..random.usize(..12) {
            text.push_str(pieces[random.usize(..pieces.len())]);
        }
        text.push_str("\n---\nBody");
        let mut bytes = text.into_bytes();
        for _ in 0..random.usize(..3) {
            let at = random.usize(..bytes.len());
            bytes[at] = random.u8(..);
        }
        let cut = random.usize(..=bytes.len());
        for part in [&bytes[..], &bytes[..cut]] {
            let size = bytes.len() as u64;
            read_well += usize::from(SkillFile::read(part, size, Some("pdf")).is_ok());
        }
    }
    assert!(read_well > 250, "{read_well}");
}
