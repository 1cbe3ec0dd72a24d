//! Each file holds the cases of one family of rules, and what the model is told in each. With
//! `UPDATE_TRANSCRIPTS=1` what comes of the steps now is written into the files: read the difference.

use std::{fs, path::PathBuf};
use told_testkit::transcript::{replay, titles};

fn check(name: &str, cases: usize) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "transcripts", name].iter().collect();
    let text = fs::read_to_string(&path).expect("a file of cases");
    let replayed = replay(&text);
    if std::env::var_os("UPDATE_TRANSCRIPTS").is_some() {
        fs::write(&path, &replayed).expect("a file of cases");
        return;
    }
    assert!(titles(&text).len() >= cases, "{name} lost cases");
    for (number, (was, is)) in text.lines().zip(replayed.lines()).enumerate() {
        assert_eq!(was, is, "{name}:{}\n{replayed}", number + 1);
    }
    assert_eq!(text, replayed, "{name}");
}

#[test]
fn r_obs() {
    check("observation.txt", 12);
}

#[test]
fn r_amb() {
    check("ambient.txt", 12);
}

#[test]
fn r_cfg() {
    check("configured.txt", 12);
}

#[test]
fn skills() {
    check("skills.txt", 7);
}

#[test]
fn r_bnd() {
    check("boundary.txt", 14);
}

#[test]
fn r_epo() {
    check("epochs.txt", 8);
}

#[test]
fn r_txt() {
    check("texts.txt", 6);
}

#[test]
fn r_api() {
    check("host.txt", 5);
}
