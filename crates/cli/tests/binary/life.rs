//! A session's life at a shell: settled, forked, reverted, moved, adopted.

use super::bench::Bench;
use serde_json::json;

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("shop/api/pay/AGENTS.md", "Count in cents.\n");
    bench.write("shop/api/pay/src/x.rs", "");
    bench
}

#[test]
fn a_settled_path_is_told_at_the_next_sync() {
    let bench = bench();
    bench.out("sync");
    let page = bench.out("settle pay/src/x.rs /etc/hosts");
    assert_eq!(
        page,
        "New scopes; what stands in them is told at the next sync:\n+ api/pay\n+ api/pay/src\n\n\
         Ignored\n  /etc/hosts  it lies outside the project\n"
    );
    let again = bench.json("settle pay --json --tool ls --agent main");
    assert_eq!(again, json!({ "revision": 3, "discovered": [], "ignored": [] }));
    assert!(bench.out("settle pay").starts_with("No new scope"));
    let page = bench.out("sync");
    assert!(page.contains("\nTold now: 1 added.\n") && page.contains("\n+ api/pay/AGENTS.md "));
    let words = |page: String| page.split_whitespace().collect::<Vec<_>>().join(" ");
    let sources = words(bench.out("sources"));
    assert!(sources.contains("active api/pay/AGENTS.md applies to api/pay, 16 B, "), "{sources}");
    assert!(sources.contains(", told at revision 4, in the transcript, "), "{sources}");
    let explained = bench.out("explain pay/src/x.rs");
    let explained = words(explained);
    assert!(explained.contains("applies to ~/shop/api/pay, "), "{explained}");
    assert!(explained.contains("told at revision 4, in the transcript"), "{explained}");
    let explained = bench.json("explain pay/src/x.rs --json");
    assert_eq!(explained["applies"][1]["told_at"], 4);
    assert_eq!(bench.refused("explain x -s no/such", 1).lines().count(), 1);
}

#[test]
fn a_preview_goes_as_if_paths_were_read() {
    let bench = bench();
    let page = bench.out("preview --fresh pay/src/x.rs");
    assert!(page.contains("  api/pay/AGENTS.md ") && !bench.store().exists(), "{page}");
    let text = bench.out("preview pay --text");
    assert!(text.contains("\nApplies to: ") && text.contains("Count in cents.\n"), "{text}");
    bench.out("sync");
    assert_eq!(bench.run("preview --check").status, 0);
    let ran = bench.run("preview --check pay/src/x.rs");
    assert_eq!(ran.status, 3, "{}", ran.err);
    assert!(ran.out.contains("\nWould be told: 1 added. Nothing was written.\n"), "{}", ran.out);
    assert!(ran.out.contains("\n+ api/pay/AGENTS.md "), "{}", ran.out);
    let briefing = bench.json("preview pay --json");
    assert_eq!(briefing["updates"][0]["changes"][0]["kind"], "added");
    assert_eq!((&briefing["revision"], &briefing["admitted"]), (&json!(2), &json!(null)));
    assert_eq!(bench.json("log --json")["records"].as_array().unwrap().len(), 2);
}

#[test]
fn a_fork_is_told_nothing_again_and_a_revert_takes_back() {
    let bench = bench();
    bench.out("sync --position 1");
    let first = bench.out("sync --text");
    bench.out("settle pay --position 5");
    bench.out("sync --position 6");
    let said = bench.out("fork b --position 3");
    let parent = bench.session();
    assert_eq!(said, format!("b goes on from {parent} in ~/shop/api; nothing is told again\n"));
    assert_eq!(bench.out("sync -s b --text"), first);
    let forked = bench.json("fork c --json");
    assert_eq!((&forked["session"], &forked["revision"]), (&json!("c"), &json!(1)));
    assert_eq!(forked["location"]["directory"], *bench.path("shop/api").to_str().unwrap());
    assert_eq!(bench.json("show -s c --json")["updates"][0]["inherited"], true);
    let err = bench.refused(&format!("fork {parent}"), 1);
    assert!(err.contains("the child must have another name"), "{err}");

    assert!(bench.out("revert 9").contains(" was told nothing after position 9"));
    assert!(bench.out("revert 3").ends_with(" up to position 3 (revision 5)\n"));
    assert_eq!(bench.out("show --text"), first);
    assert_eq!(bench.json("revert 0 --json"), json!({ "revision": 6 }));
}

#[test]
fn a_move_keeps_the_belief_and_tells_the_difference() {
    let bench = bench();
    bench.out("sync -s a");
    let said = bench.out("move pay -s a");
    assert_eq!(said, "a works in ~/shop/api/pay now; the next sync tells what differs there\n");
    let page = bench.out("sync -s a");
    assert!(page.starts_with("~/shop/api/pay\n") && page.contains("\n+ api/pay/AGENTS.md "));
    let moved = bench.json("move .. -s a --json");
    assert_eq!(moved["location"]["directory"], *bench.path("shop").to_str().unwrap());
    assert_eq!(moved["revision"], 5);
    assert!(bench.refused("move nowhere -s a", 1).contains("does not exist"));
}

#[test]
fn what_a_transcript_lost_is_told_again() {
    let bench = bench();
    bench.out("sync --position 1");
    bench.write("shop/AGENTS.md", "Use spaces.\n");
    bench.out("sync --position 4");
    let said = bench.out("window 9");
    assert!(said.contains(" starts at position 9;") && said.ends_with(" (revision 4)\n"), "{said}");
    assert!(bench.out("window 2").ends_with(": nothing changed\n"));
    let sources = bench.out("sources");
    assert!(sources.contains("no longer in the"), "{sources}");
    let again = bench.json("sync --json");
    assert_eq!((&again["admitted"], &again["complete"]), (&json!(5), &json!(true)));
    assert!(again["updates"][1]["text"].as_str().unwrap().contains("Use spaces.\n"));

    assert!(bench.out("holds 2 3 5").contains(" holds every text of its epoch"));
    assert_eq!(bench.json("holds 2 3 --json"), json!({ "revision": 6, "lost": [5] }));
    assert!(bench.out("holds 2").contains(" lost the texts of revision 3, 5; "));
    assert_eq!(bench.json("window 20 --json"), json!({ "revision": 8 }));
}

#[test]
fn what_was_told_by_another_channel_is_not_told() {
    let bench = bench();
    bench.out("open");
    let hash = |text| told::domain::hash::ContentHash::of(text);
    let (right, wrong) = (hash("Use tabs.\n"), hash("Use spaces.\n"));
    let page = bench.out(&format!("adopt ../AGENTS.md@{wrong} https://example.com/A.md"));
    assert_eq!(
        page,
        "Nothing was adopted.\n\nRefused\n  AGENTS.md                 another text stands there now\n  \
         https://example.com/A.md  nothing that would be told stands there\n"
    );
    let page = bench.out(&format!("adopt ../AGENTS.md@{right}"));
    assert!(page.ends_with("\n+ AGENTS.md\n"), "{page}");
    let nothing = bench.json("adopt pay/none --json");
    assert_eq!(nothing["adopted"], json!([]));
    let none = bench.path("shop/api/pay/none");
    assert_eq!(nothing["refused"], json!([{ "path": none, "reason": "unknown_source" }]));
    assert!(!bench.out("sync --text").contains("Use tabs."), "R-SES-10");
}

#[test]
fn a_mark_names_session_and_revision() {
    let bench = bench();
    // Also before there is such a session: exactly what a sync then tells.
    let first = bench.out("preview -s a/b --text --mark");
    assert_eq!(bench.json("preview -s a/b --json --position 3")["epoch"]["position"], 3);
    assert!(!bench.store().exists(), "a preview makes no store");
    let marked = bench.out("sync -s a/b --text --mark");
    assert_eq!(first, marked);
    assert!(marked.starts_with("[told: session a/b, revision 2]\n\n"), "{marked}");
    assert!(!bench.out("sync -s a/b --text").contains("[told: "));
    bench.write("shop/AGENTS.md", "Use spaces.\n");
    let preview = bench.out("preview -s a/b --text --mark");
    assert!(preview.starts_with(&marked), "R-BND-6");
    assert!(preview[marked.len()..].starts_with("\n\n[told: session a/b, revision 3]\n\n"));
}
