//! Sessions by name: opened, listed, told anew, deleted.

use super::bench::Bench;
use serde_json::json;

#[test]
fn a_session_without_a_name_is_its_directorys() {
    let bench = Bench::new();
    assert_eq!(bench.json("sync --json")["session"], bench.session());
    let other = bench.json("sync -C .. --json");
    assert_eq!(other["session"], bench.session().trim_end_matches("/api"));
    let listed = bench.json("sessions --json");
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 2);
    let here = bench.json("sessions --here --json");
    assert_eq!(here["sessions"][0]["session"], bench.session());
    assert_eq!(here["sessions"].as_array().unwrap().len(), 1);
    assert!(bench.out("sessions").contains("\n  in ~/shop/api, revision 2, last record "));
}

#[test]
fn a_named_session_works_where_it_was_opened() {
    let bench = Bench::new();
    let opened = bench.json("open -s a/b --json");
    assert_eq!((&opened["created"], &opened["revision"]), (&json!(true), &json!(1)));
    assert_eq!(bench.json("open -s a/b --json")["created"], false);
    let mut elsewhere = bench.command("sync -s a/b --json");
    let elsewhere = elsewhere.current_dir(bench.path("shop")).output().unwrap();
    let briefing: serde_json::Value = serde_json::from_slice(&elsewhere.stdout).unwrap();
    assert_eq!(briefing["location"]["directory"], *bench.path("shop/api").to_str().unwrap());
    let err = bench.refused("sync -s a/b -C ..", 1);
    assert!(err.contains("session `a/b` works in "), "{err}");
}

#[test]
fn a_compaction_and_a_rebase_start_epochs() {
    let bench = Bench::new();
    bench.out("sync --position 5");
    let said = bench.out("compact --position 9");
    assert!(
        said.starts_with("the next sync of cli/") && said.ends_with(" (revision 3)\n"),
        "{said}"
    );
    let page = bench.out("sync");
    assert!(page.contains("\nTold anew, after a compaction.\n"), "{page}");
    assert_eq!(bench.json("rebase --reason model --json")["revision"], 5);
    let briefing = bench.json("sync --json");
    assert_eq!(
        (&briefing["epoch"]["number"], &briefing["epoch"]["cause"]),
        (&json!(3), &json!("rebased"))
    );
    let log = bench.json("log --json");
    let kinds = log["records"].as_array().unwrap().iter().map(|record| &record["kind"]);
    let kinds = kinds.map(|kind| kind.as_str().unwrap()).collect::<Vec<_>>();
    let epoch = "epoch_started";
    assert_eq!(kinds, ["opened", epoch, "compacted", epoch, "rebased", epoch]);
    let page = bench.json("log --after 2 --limit 2 --json");
    assert_eq!((&page["records"][0]["revision"], &page["more"]), (&json!(3), &json!(true)));
    assert!(bench.refused("sync --position 4", 1).contains("position 4 lies before 9"));
}

#[test]
fn sessions_are_deleted_by_name_and_by_age() {
    let bench = Bench::new();
    bench.out("sync -s a");
    bench.out("sync -s b");
    let kept = bench.out("delete --older-than 1d");
    assert_eq!(kept, "no session is that old: nothing was deleted\n");
    assert_eq!(bench.out("delete a"), "deleted a\n");
    assert_eq!(bench.json("sessions --json")["sessions"][0]["session"], "b");
    assert_eq!(bench.json("delete b --json"), json!({ "deleted": ["b"] }));
}

#[test]
fn an_untrusted_session_leaves_the_project_out() {
    let bench = Bench::new();
    bench.out("open -s u --untrusted");
    let briefing = bench.json("sync -s u --json");
    assert_eq!(briefing["withheld"][0]["reason"], "untrusted");
    assert!(bench.out("sources -s u").contains("withheld  AGENTS.md\n"));
}
