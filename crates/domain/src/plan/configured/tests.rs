//! Configured files and a project's own configuration: R-CFG-1, R-CFG-2, R-CFG-6.

use super::super::{Learned, tests::look};
use crate::{
    instruction::KnownProject,
    observation::Observation,
    policy::{Include, Policy},
    reason::UnavailableReason,
    session::Trust,
    testing::{Ground, Session, World, canonical, path, policy, scope, short},
};
use std::sync::Arc;

const CONFIGURATION: &str = "/repo/.told/config.toml";
const DENIED: UnavailableReason = UnavailableReason::PermissionDenied;

/// The user's entries, relative to `/home/me`.
fn includes(entries: &[&str]) -> Policy {
    let entry =
        |entry: &&str| Include::new(entry, Some(&path("/home/me")), Some(&path("/home/me")));
    policy(|p| p.instructions.include = entries.iter().map(entry).map(Result::unwrap).collect())
}

/// A project whose configuration includes these.
fn project(entries: &[&str], files: &[&str]) -> World {
    let files: Vec<_> = files.iter().map(|file| (*file, "x")).collect();
    let mut world = World::repo(&files);
    world.put(CONFIGURATION, &format!("[instructions]\ninclude = {entries:?}"));
    world
}

fn check(world: &World, policy: &Policy, expect: &[&str]) {
    assert_eq!(look(world, &Ground::at("/repo"), policy), expect);
}

#[test]
fn r_amb_7_configured_files_stand_behind_the_ambient_ones_the_users_before_the_projects() {
    let world = project(
        &["docs/b.md", "docs/a.md"],
        &["/repo/AGENTS.md", "/repo/docs/a.md", "/repo/docs/b.md", "/repo/s/AGENTS.md"],
    );
    let mut world = world.clone();
    world.put("/home/me/z.md", "x").put("/home/me/y.md", "x");
    let mut ground = Ground::at("/repo");
    ground.scopes.insert(canonical("/repo/s"), scope("/repo", 1));
    let expect = [
        "/repo/AGENTS.md",
        "/home/me/z.md",
        "/home/me/y.md",
        "/repo/docs/b.md",
        "/repo/docs/a.md",
        "/repo/s/AGENTS.md",
    ];
    assert_eq!(look(&world, &ground, &includes(&["z.md", "~/y.md", "missing.md"])), expect);
}

#[test]
fn r_cfg_1_globs_sort_by_path_within_an_entry_and_a_file_counts_once() {
    let mut world = World::repo(&[("/repo/AGENTS.md", "x")]);
    for file in ["b.md", "a.md", "c/d.md", "n.txt"] {
        world.put(&format!("/home/me/r/{file}"), "x");
    }
    world.link("/home/me/r/l.md", "/repo/AGENTS.md");
    check(
        &world,
        &includes(&["r/c/*.md", "r/**/*.md", "r/a.md"]),
        &["/repo/AGENTS.md", "/home/me/r/c/d.md", "/home/me/r/a.md", "/home/me/r/b.md"],
    );
    check(&world, &includes(&["none/*.md", "r/*.none"]), &["/repo/AGENTS.md"]);
}

#[test]
fn r_obs_7_a_projects_entries_are_contained_and_the_users_may_lead_anywhere() {
    let mut world = project(&["l.md", "../out/x.md", "in.md"], &["/repo/in.md", "/out/x.md"]);
    world.link("/repo/l.md", "/out/x.md").link("/home/me/l.md", "/out/x.md");
    let outside = ["outside_project /out/x.md", "outside_project /repo/l.md"];
    check(&world, &Policy::default(), &[&["/repo/in.md"], &outside[..]].concat());
    let all = ["/out/x.md", "/repo/in.md"];
    check(&world, &includes(&["l.md"]), &[&all, &outside[..]].concat());
}

#[test]
fn r_cfg_2_matches_come_and_go() {
    let mut world = project(&["docs/*.md"], &["/repo/docs/a.md"]);
    let (mut session, docs) = (Session::open(), |name: &str| format!("/repo/docs/{name}"));
    assert_eq!(session.sync(&world), ["epoch 1", &format!("= {}", docs("a.md"))]);
    world.put("/repo/docs/b.md", "b").put("/repo/docs/b.txt", "b").put("/repo/docs/c/d.md", "d");
    assert_eq!(session.sync(&world), [format!("+ {}", docs("b.md"))]);
    world.remove("/repo/docs/a.md");
    assert_eq!(session.sync(&world), [format!("- {}", docs("a.md"))]);
    world.put(CONFIGURATION, "");
    assert_eq!(session.sync(&world), [format!("- {}", docs("b.md"))]);
}

#[test]
fn r_cfg_2_a_scan_that_fails_holds_its_former_matches_alone() {
    let mut world = project(&["docs/**/*.md", "x.md"], &["/repo/docs/a.md", "/repo/x.md"]);
    let mut session = Session::open();
    session.sync(&world);
    world.put("/repo/docs/a.md", "edited").put("/repo/x.md", "edited");
    world.put("/repo/docs/new.md", "new").fail("/repo/docs/deep", DENIED);
    assert_eq!(session.sync(&world), ["~ /repo/x.md"]);
    let held = session.briefing().held;
    let glob = held.iter().map(|h| (short(&h.key), h.reason, h.since.map(|r| r.0)));
    assert_eq!(glob.collect::<Vec<_>>(), [("/repo/docs/**/*.md".to_owned(), DENIED, Some(2))]);
    assert_eq!(session.belief("/repo/docs/a.md"), "x");
    world.remove("/repo/docs/a.md").remove("/repo/docs/deep");
    assert_eq!(session.sync(&world), ["- /repo/docs/a.md", "+ /repo/docs/new.md"]);
}

#[test]
fn r_cfg_2_a_first_boundary_needs_the_scan() {
    let mut world = project(&["docs/**/*.md"], &["/repo/docs/a.md"]);
    world.fail("/repo/docs/deep", DENIED);
    check(&world, &Policy::default(), &["held /repo/docs/**/*.md permission_denied"]);
}

#[test]
fn r_obs_12_a_scan_past_its_limit_is_visible() {
    let world = project(&["docs/*.md"], &["/repo/docs/a.md", "/repo/docs/b.md"]);
    let policy = policy(|p| p.limits.directory_entries = 1);
    check(&world, &policy, &["/repo/docs/a.md", "limit /repo/docs/*.md"]);
}

#[test]
fn r_cfg_6_a_project_says_its_names_and_what_it_leaves_out_of_its_own() {
    let files = ["/repo/AGENTS.md", "/repo/OWN.md", "/repo/old/OWN.md", "/repo/old/user.md"];
    let mut world = World::repo(&files.map(|file| (file, "x")));
    world.put("/home/OWN.md", "x").put("/home/AGENTS.md", "x");
    let mut policy = includes(&["/repo/old/user.md"]);
    policy.instructions.walk_to_home = Some(path("/"));
    let mut ground = Ground::at("/repo/old");
    ground.scopes.insert(canonical("/repo/s"), scope("/repo", 1));
    world.put("/repo/s/OWN.md", "x");
    world.put(
        CONFIGURATION,
        "[instructions]\nnames = [[\"OWN.md\"]]\nexclude = [\"old/*.md\"]\n[skills]\ndirectories = []",
    );
    let expect =
        ["/repo/OWN.md", "/repo/old/user.md", "/repo/s/OWN.md", "excluded /repo/old/OWN.md"];
    assert_eq!(look(&world, &ground, &policy), expect);
    // Above its boundary a project has no say.
    world.put("/AGENTS.md", "x").put("/OWN.md", "x");
    assert_eq!(look(&world, &ground, &policy)[0], "/AGENTS.md");
}

#[test]
fn r_cfg_6_while_it_is_broken_or_unavailable_the_last_good_one_counts() {
    let mut world = project(&["a.md"], &["/repo/a.md", "/repo/b.md"]);
    let mut session = Session::open();
    assert_eq!(session.sync(&world), ["epoch 1", "= /repo/a.md"]);
    let listed = |session: &Session| {
        let briefing = session.briefing();
        let held = briefing.held.iter().map(|h| format!("{} {}", short(&h.key), h.reason));
        let withheld = briefing.withheld.iter();
        let withheld = withheld.map(|w| format!("{} {}", short(&w.source), w.reason.unwrap()));
        held.chain(withheld).collect::<Vec<_>>()
    };
    // Each in a process that knows the record alone (R-BND-10), and with a change that makes one.
    let broken = [format!("{CONFIGURATION} invalid_configuration")];
    for (number, text) in
        ["[instructions", "[instructions]\nincludes = []", "a = 1", "\u{0}"].into_iter().enumerate()
    {
        world.put(CONFIGURATION, text).put("/repo/a.md", &format!("{number}"));
        assert_eq!(session.sync(&world), ["~ /repo/a.md"], "{text}");
        assert_eq!(listed(&session), broken, "{text}");
    }
    world.fail(CONFIGURATION, DENIED).put("/repo/a.md", "edited");
    assert_eq!(session.sync(&world), ["~ /repo/a.md"]);
    assert_eq!(listed(&session), [format!("{CONFIGURATION} permission_denied")]);
    world.put(CONFIGURATION, "[instructions]\ninclude = [\"b.md\"]");
    assert_eq!(session.sync(&world), ["- /repo/a.md", "+ /repo/b.md"]);
    assert_eq!(listed(&session), [""; 0]);
    world.remove(CONFIGURATION);
    assert_eq!(session.sync(&world), ["- /repo/b.md"], "the user's alone counts again");
    world.put(CONFIGURATION, "[").put("/repo/AGENTS.md", "x");
    assert_eq!(session.sync(&world), ["+ /repo/AGENTS.md"], "there is no last good one any more");
    assert_eq!(listed(&session), broken);
}

#[test]
fn r_cfg_6_it_is_left_out_with_all_that_the_project_offers() {
    let world = project(&["a.md"], &["/repo/a.md"]);
    let untrusted = Ground { trust: Trust::Untrusted, ..Ground::at("/repo") };
    let told = look(&world, &untrusted, &Policy::default());
    assert_eq!(told, [format!("untrusted {CONFIGURATION}")]);
    let off = policy(|p| p.instructions.project = crate::policy::ProjectFiles::Disabled);
    check(&world, &off, &[&*format!("disabled {CONFIGURATION}")]);
    let none = World::repo(&[]);
    assert_eq!(look(&none, &untrusted, &Policy::default()), [""; 0]);
}

#[test]
fn r_cfg_6_a_link_that_leads_out_is_no_configuration() {
    let mut world = World::repo(&[("/out/c.toml", "[instructions]\ninclude = [\"a.md\"]")]);
    world.put("/repo/a.md", "x").link(CONFIGURATION, "/out/c.toml");
    check(&world, &Policy::default(), &[&*format!("outside_project {CONFIGURATION}")]);
}

#[test]
fn r_cfg_6_it_takes_no_bytes_of_the_files_and_is_no_larger_than_a_configuration() {
    let mut world = project(&["a.md"], &["/repo/a.md"]);
    let small = policy(|p| p.limits.total_bytes = 1);
    let known = |text: &str| {
        let boundary = canonical("/repo");
        let file = crate::look::FileBytes {
            canonical: canonical(CONFIGURATION),
            bytes: text.into(),
            size: text.len() as u64,
        };
        let project = KnownProject::recalled(boundary, None).seen(Observation::Available(&file));
        Learned { project, ..Learned::default() }
    };
    let text = "[instructions]\ninclude = [\"a.md\"]";
    let ground = Ground { learned: known(text), ..Ground::at("/repo") };
    assert_eq!(look(&world, &ground, &small), ["/repo/a.md"]);
    world.put(CONFIGURATION, &" ".repeat(64 * 1024 + 1));
    let broken = format!("invalid_configuration {CONFIGURATION}");
    assert_eq!(look(&world, &ground, &Policy::default()), ["/repo/a.md", &broken]);
}

#[test]
fn r_cfg_6_the_same_text_is_not_read_twice_and_another_of_equal_meaning_plans_the_same() {
    let world = project(&["a.md"], &["/repo/a.md"]);
    let ground = Ground::at("/repo");
    let (plan, seen, ..) = world.look(&ground, &Policy::default());
    let first = plan.learned(&seen, &Learned::default());
    let again = plan.learned(&seen, &first);
    let counts = |learned: &Learned| learned.project.counts().cloned().unwrap();
    assert!(Arc::ptr_eq(&counts(&first), &counts(&again)) && again.plans_as(&first));
    let mut other = World::repo(&[]);
    other.put(CONFIGURATION, "[instructions]\ninclude = ['a.md']");
    let (plan, seen, ..) = other.look(&ground, &Policy::default());
    let third = plan.learned(&seen, &again);
    assert!(Arc::ptr_eq(&counts(&third), &counts(&first)), "only the text is another");
}

#[test]
fn r_obs_4_an_emptied_configuration_is_seen_to_be_one() {
    let mut world = project(&["a.md"], &[]);
    let ground = Ground::at("/repo");
    let (plan, seen, ..) = world.look(&ground, &Policy::default());
    let before = plan.learned(&seen, &Learned::default());
    assert!(!plan.project_was_emptied(&seen, &before));
    let emptied = world.put(CONFIGURATION, "").answer(&plan.looks);
    assert!(plan.project_was_emptied(&emptied, &before));
    let after = plan.learned(&emptied, &before);
    assert!(!plan.project_was_emptied(&emptied, &after));
    assert!(!plan.project_was_emptied(&emptied, &Learned::default()));
}
