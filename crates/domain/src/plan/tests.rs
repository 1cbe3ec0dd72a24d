//! Which candidates there are, and which count: R-AMB, R-OBS-8, R-OBS-11, R-OBS-12, R-LOC-7.

use super::*;
use crate::{
    reason::UnavailableReason,
    testing::{Ground, World, canonical, names, path, policy, scope, short},
};

/// What is told, in the order of telling, then what is not: `held` and each withheld with its reason.
pub(super) fn look(world: &World, ground: &Ground, policy: &Policy) -> Vec<String> {
    let context = world.context(ground, policy);
    let told = context.sources.iter().map(|source| short(&source.key));
    let held = context.unavailable.iter().map(|u| format!("held {} {}", short(&u.key), u.reason));
    let withheld = context.withheld.iter().map(|w| format!("{} {}", w.reason, short(&w.key)));
    told.chain(held).chain(withheld).collect()
}

fn thorough(directory: &str) -> Ground {
    Ground { thoroughness: Thoroughness::NearMisses, ..Ground::at(directory) }
}

fn grouped(groups: &[&[&str]]) -> Policy {
    policy(|policy| policy.instructions.names = names(groups))
}

fn globs(patterns: &[&str]) -> crate::policy::Globs {
    let patterns: Vec<_> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
    crate::policy::Globs::new(&patterns).unwrap()
}

#[test]
fn r_amb_1_candidates_are_the_global_files_and_each_directory_down_to_the_location() {
    let policy = policy(|p| p.instructions.global = vec![path("/home/me/told/AGENTS.md")]);
    let (plan, ..) = World::repo(&[]).look(&Ground::at("/repo/a/b"), &policy);
    let candidates: Vec<_> =
        plan.candidates().groups.iter().flatten().map(|c| c.path.to_string()).collect();
    assert_eq!(
        candidates,
        ["/home/me/told/AGENTS.md", "/repo/AGENTS.md", "/repo/a/AGENTS.md", "/repo/a/b/AGENTS.md"]
    );
}

#[test]
fn r_amb_2_the_first_existing_name_of_a_group_wins_and_groups_stack() {
    let policy =
        grouped(&[&["AGENTS.override.md", "AGENTS.md", "CLAUDE.md"], &["AGENTS.local.md"]]);
    let check = |files: &[&str], expect: &[&str]| {
        let files: Vec<_> = files.iter().map(|file| (*file, "x")).collect();
        assert_eq!(look(&World::repo(&files), &Ground::at("/repo"), &policy), expect, "{files:?}");
    };
    check(&[], &[]);
    check(&["/repo/CLAUDE.md"], &["/repo/CLAUDE.md"]);
    check(
        &["/repo/AGENTS.md", "/repo/CLAUDE.md"],
        &["/repo/AGENTS.md", "shadowed /repo/CLAUDE.md"],
    );
    check(
        &["/repo/AGENTS.override.md", "/repo/AGENTS.md", "/repo/AGENTS.local.md"],
        &["/repo/AGENTS.override.md", "/repo/AGENTS.local.md", "shadowed /repo/AGENTS.md"],
    );
    check(&["/repo/agents.md", "/repo/AGENTS.md.txt", "/repo/AGENTS"], &[]);
}

#[test]
fn r_amb_2_what_is_withheld_does_not_win_and_what_is_unavailable_holds_its_group() {
    let policy = grouped(&[&["one", "two", "three"]]);
    let check = |change: &dyn Fn(&mut World) -> &mut World, expect: &[&str]| {
        let mut world = World::repo(&[("/repo/two", "2"), ("/repo/three", "3")]);
        change(&mut world);
        assert_eq!(look(&world, &Ground::at("/repo"), &policy), expect);
    };
    let denied = UnavailableReason::PermissionDenied;
    check(
        &|w| w.fifo("/repo/one"),
        &["/repo/two", "not_regular_file /repo/one", "shadowed /repo/three"],
    );
    check(
        &|w| w.link("/repo/one", "/etc/passwd").put("/etc/passwd", ""),
        &["/repo/two", "outside_project /repo/one", "shadowed /repo/three"],
    );
    check(&|w| w.fail("/repo/one", denied), &["held /repo/one permission_denied"]);
    check(&|w| w.fail("/repo/three", denied), &["/repo/two"]);
    check(
        &|w| w.fifo("/repo/two").fail("/repo/three", denied),
        &["held /repo/three permission_denied", "not_regular_file /repo/two"],
    );
}

#[test]
fn r_amb_2_a_near_miss_is_reported_where_no_exact_name_exists() {
    let check = |groups: &[&[&str]], files: &[&str], expect: &[&str]| {
        let files: Vec<_> = files.iter().map(|file| (*file, "x")).collect();
        let ground = thorough("/repo");
        assert_eq!(look(&World::repo(&files), &ground, &grouped(groups)), expect, "{files:?}");
    };
    let one: &[&[&str]] = &[&["AGENTS.md"]];
    check(one, &["/repo/agents.md"], &["near_miss /repo/agents.md"]);
    check(
        one,
        &["/repo/Agents.MD", "/repo/agents.md"],
        &["near_miss /repo/Agents.MD", "near_miss /repo/agents.md"],
    );
    check(one, &["/repo/AGENTS.md", "/repo/agents.md"], &["/repo/AGENTS.md"]);
    check(one, &["/repo/AGENT.md", "/repo/sub/agents.md"], &[]);
    // A name that is wanted itself is none.
    check(&[&["AGENTS.md", "agents.md"]], &["/repo/agents.md"], &["/repo/agents.md"]);
    check(&[&["AGENTS.md"], &["agents.md"]], &["/repo/agents.md"], &["/repo/agents.md"]);
    check(&[&["docs/AGENTS.md"]], &["/repo/docs/agents.md"], &["near_miss /repo/docs/agents.md"]);
}

#[test]
fn r_amb_2_near_misses_cost_nothing_at_an_ordinary_boundary() {
    let (plan, ..) =
        World::repo(&[("/repo/agents.md", "x")]).look(&Ground::at("/repo"), &Policy::default());
    assert_eq!(plan.looks.listings, []);
}

#[test]
fn r_amb_3_the_order_of_telling_is_a_policy() {
    let files = [
        ("/g/AGENTS.md", "x"),
        ("/repo/AGENTS.md", "x"),
        ("/repo/a/AGENTS.md", "x"),
        ("/repo/a/b/AGENTS.md", "x"),
    ];
    let check = |order, expect: [&str; 4]| {
        let policy = policy(|p| {
            p.instructions.order = order;
            p.instructions.global = vec![path("/g/AGENTS.md")];
        });
        assert_eq!(look(&World::repo(&files), &Ground::at("/repo/a/b"), &policy), expect);
    };
    let [global, root, a, b] = files.map(|(at, _)| at);
    check(crate::policy::Order::BroadToSpecific, [global, root, a, b]);
    check(crate::policy::Order::NearestFirst, [global, b, a, root]);
}

#[test]
fn r_amb_4_the_boundary_is_the_nearest_marked_directory_else_the_location() {
    let check = |directory: &str, markers: &[&str], expect: &str| {
        let mut world = World::default();
        for marker in markers {
            world.directory(marker);
        }
        let (_, _, known, unknown) = world.look(&Ground::at(directory), &Policy::default());
        assert_eq!(known.of(&canonical(directory)), Some(canonical(expect)), "{markers:?}");
        assert_eq!(unknown, None);
    };
    check("/a/b/c", &[], "/a/b/c");
    check("/a/b/c", &["/a/.git"], "/a");
    check("/a/b/c", &["/a/.git", "/a/b/.git"], "/a/b");
    check("/a/b/c", &["/a/b/c/.git"], "/a/b/c");
    check("/a/b/c", &["/.git"], "/");
    // By components, never by string prefixes.
    check("/a/bc", &["/a/b/.git"], "/a/bc");
    let mut world = World::default();
    world.put("/a/.git", "gitdir: elsewhere").fifo("/a/b/.git");
    let (_, _, known, _) = world.look(&Ground::at("/a/b"), &Policy::default());
    assert_eq!(known, KnownBoundary::Marked(canonical("/a")), "a file marks, a FIFO does not");
}

#[test]
fn r_amb_4_a_failed_look_nearer_than_any_marker_leaves_the_boundary_unknown() {
    let markers = &Policy::default().instructions.project_markers;
    let (at, denied) = (canonical("/a/b"), Observation::Unavailable(UnavailableReason::IoError));
    let (there, none) = (
        Observation::Available(EntryKind::Directory),
        Observation::Absent(crate::observation::Absence::NotFound),
    );
    let unknown = |at: &str| BoundarySight::Unknown(path(at), UnavailableReason::IoError);
    let marked = |at: &str| KnownBoundary::Marked(canonical(at));
    let found = |at: &str| BoundarySight::Found(marked(at));
    let check = |known: KnownBoundary, seen: &[Observation<EntryKind>], expect: BoundarySight| {
        assert_eq!(known.sight(&at, markers, seen), expect, "{known:?} {seen:?}");
    };
    check(KnownBoundary::No, &[there.clone(), denied.clone(), none.clone()], found("/a/b"));
    check(KnownBoundary::No, &[denied.clone(), there.clone(), none.clone()], unknown("/a/b/.git"));
    check(
        KnownBoundary::Unmarked,
        &[none.clone(), denied.clone(), there.clone()],
        unknown("/a/.git"),
    );
    check(
        KnownBoundary::Unmarked,
        &[none.clone(), none.clone(), none.clone()],
        BoundarySight::Found(KnownBoundary::Unmarked),
    );
    check(marked("/a"), &[none.clone(), there.clone()], found("/a"));
    check(marked("/a"), &[there, none.clone()], found("/a/b"));
    check(marked("/a"), &[none.clone(), none], BoundarySight::LookAbove);
    check(marked("/a"), &[denied], unknown("/a/b/.git"));
}

#[test]
fn r_amb_5_switches_leave_out_and_list_what_they_leave_out() {
    let files = [
        ("/g/AGENTS.md", "g"),
        ("/repo/AGENTS.md", "r"),
        ("/repo/a/AGENTS.md", "a"),
        ("/repo/s/AGENTS.md", "s"),
    ];
    let check = |change: &dyn Fn(&mut Policy), expect: &[&str]| {
        let mut policy = policy(|p| p.instructions.global = vec![path("/g/AGENTS.md")]);
        change(&mut policy);
        let mut ground = Ground::at("/repo/a");
        ground.scopes.insert(canonical("/repo/s"), scope("/repo", 1));
        assert_eq!(look(&World::repo(&files), &ground, &policy), expect);
    };
    let [g, r, a, s] = files.map(|(at, _)| at);
    check(&|_| (), &[g, r, a, s]);
    check(&|p| p.instructions.global.clear(), &[r, a, s]);
    check(
        &|p| p.instructions.project = crate::policy::ProjectFiles::Disabled,
        &[
            g,
            "disabled /repo/AGENTS.md",
            "disabled /repo/a/AGENTS.md",
            "disabled /repo/s/AGENTS.md",
        ],
    );
    check(
        &|p| p.instructions.exclude = globs(&["**/a/**"]),
        &[g, r, s, "excluded /repo/a/AGENTS.md"],
    );
    check(
        &|p| p.instructions.exclude = globs(&["/repo/*"]),
        &[g, a, s, "excluded /repo/AGENTS.md"],
    );
}

#[test]
fn r_amb_5_globs_name_canonical_paths() {
    let policy = policy(|p| p.instructions.exclude = globs(&["**/vendor/**"]));
    let mut world = World::repo(&[("/repo/vendor/rules.md", "x")]);
    world.link("/repo/AGENTS.md", "/repo/vendor/rules.md");
    assert_eq!(look(&world, &Ground::at("/repo"), &policy), ["excluded /repo/AGENTS.md"]);
}

#[test]
fn r_amb_5_the_walk_may_go_on_to_the_home_directory() {
    let files = [
        ("/home/AGENTS.md", "x"),
        ("/home/me/AGENTS.md", "x"),
        ("/home/me/src/AGENTS.md", "x"),
        ("/home/me/src/repo/AGENTS.md", "x"),
    ];
    let check = |home: Option<&str>, expect: &[&str]| {
        let mut world = World::default();
        world.directory("/home/me/src/repo/.git");
        for (at, text) in files {
            world.put(at, text);
        }
        let policy = policy(|p| p.instructions.walk_to_home = home.map(path));
        assert_eq!(look(&world, &Ground::at("/home/me/src/repo"), &policy), expect, "{home:?}");
    };
    let [_, me, src, repo] = files.map(|(at, _)| at);
    check(None, &[repo]);
    check(Some("/home/me"), &[me, src, repo]);
    check(Some("/home/you"), &[repo]);
    check(Some("/home/me/src/repo"), &[repo]);
}

#[test]
fn r_obs_7_project_files_are_contained_unless_the_policy_allows() {
    let mut world = World::repo(&[
        ("/repo/docs/rules.md", "in"),
        ("/out/rules.md", "out"),
        ("/g/real.md", "g"),
    ]);
    world
        .link("/repo/AGENTS.md", "/repo/docs/rules.md")
        .link("/repo/a/AGENTS.md", "/out/rules.md")
        .link("/g/AGENTS.md", "/g/real.md");
    let mut policy = policy(|p| p.instructions.global = vec![path("/g/AGENTS.md")]);
    let ground = Ground::at("/repo/a");
    assert_eq!(
        look(&world, &ground, &policy),
        ["/g/real.md", "/repo/docs/rules.md", "outside_project /repo/a/AGENTS.md"]
    );
    policy.instructions.links = crate::policy::Links::Anywhere;
    assert_eq!(
        look(&world, &ground, &policy),
        ["/g/real.md", "/repo/docs/rules.md", "/out/rules.md"]
    );
}

#[test]
fn r_amb_9_an_untrusted_session_has_the_users_own_files_only() {
    let world =
        World::repo(&[("/g/AGENTS.md", "g"), ("/repo/AGENTS.md", "r"), ("/repo/s/AGENTS.md", "s")]);
    let policy = policy(|p| {
        p.instructions.global = vec![path("/g/AGENTS.md")];
        p.instructions.project = crate::policy::ProjectFiles::Disabled;
    });
    let mut ground = Ground { trust: Trust::Untrusted, ..Ground::at("/repo") };
    ground.scopes.insert(canonical("/repo/s"), scope("/repo", 1));
    let expect = ["/g/AGENTS.md", "untrusted /repo/AGENTS.md", "untrusted /repo/s/AGENTS.md"];
    assert_eq!(look(&world, &ground, &policy), expect);
}

#[test]
fn r_obs_12_limits_keep_the_most_specific_and_are_visible() {
    let world = World::repo(&[
        ("/repo/AGENTS.md", "rrr"),
        ("/repo/a/AGENTS.md", "aaa"),
        ("/repo/a/b/AGENTS.md", "bbb"),
    ]);
    let check = |change: &dyn Fn(&mut Policy), expect: &[&str]| {
        assert_eq!(look(&world, &thorough("/repo/a/b"), &policy(change)), expect);
    };
    check(
        &|p| p.limits.candidates = 2,
        &["/repo/a/AGENTS.md", "/repo/a/b/AGENTS.md", "limit /repo/AGENTS.md"],
    );
    check(
        &|p| p.limits.total_bytes = 6,
        &["/repo/a/AGENTS.md", "/repo/a/b/AGENTS.md", "limit /repo/AGENTS.md"],
    );
    check(
        &|p| p.limits.candidates = 0,
        &["limit /repo/AGENTS.md", "limit /repo/a/AGENTS.md", "limit /repo/a/b/AGENTS.md"],
    );
    check(
        &|p| p.limits.directory_entries = 1,
        &["/repo/AGENTS.md", "/repo/a/AGENTS.md", "/repo/a/b/AGENTS.md", "limit /repo"],
    );
}

#[test]
fn r_obs_12_reads_stand_in_order_of_precedence() {
    let policy = policy(|p| {
        p.instructions.global = vec![path("/g/AGENTS.md")];
        p.instructions.names = names(&[&["1", "2"], &["3"]]);
    });
    let mut ground = Ground::at("/repo");
    ground.scopes.insert(canonical("/repo/s"), scope("/repo", 1));
    let (plan, ..) = World::repo(&[]).look(&ground, &policy);
    let reads: Vec<_> = plan.looks.reads.iter().map(|read| read.path.to_string()).collect();
    assert_eq!(
        reads,
        [
            "/repo/.told/config.toml",
            "/repo/s/3",
            "/repo/s/1",
            "/repo/s/2",
            "/repo/3",
            "/repo/1",
            "/repo/2",
            "/g/AGENTS.md"
        ]
    );
}

#[test]
fn r_loc_7_path_local_files_follow_broad_to_specific_by_depth_then_path() {
    let scopes = ["/repo/b/x", "/repo/b", "/repo/a", "/repo/a-b", "/repo/loc"];
    let files: Vec<_> = scopes.iter().map(|at| format!("{at}/AGENTS.md")).collect();
    let files: Vec<_> = files.iter().map(|at| (at.as_str(), "x")).collect();
    for order in [crate::policy::Order::BroadToSpecific, crate::policy::Order::NearestFirst] {
        let mut ground = Ground::at("/repo/loc");
        for at in scopes {
            ground.scopes.insert(canonical(at), scope("/repo", 1));
        }
        let policy = policy(|p| p.instructions.order = order);
        let expect = ["/repo/loc", "/repo/a", "/repo/a-b", "/repo/b", "/repo/b/x"];
        assert_eq!(
            look(&World::repo(&files), &ground, &policy),
            expect.map(|at| format!("{at}/AGENTS.md"))
        );
    }
}

#[test]
fn r_loc_9_a_scope_counts_while_todays_boundary_contains_it() {
    let check = |location: &str, markers: &[&str], project: &str, expect: &[&str]| {
        let mut world = World::default();
        world.put("/repo/sub/x/AGENTS.md", "x");
        for marker in markers {
            world.directory(marker);
        }
        let mut ground = Ground::at(location);
        ground.scopes.insert(canonical("/repo/sub/x"), scope(project, 1));
        assert_eq!(look(&world, &ground, &Policy::default()), expect, "{location} {markers:?}");
    };
    let told = &["/repo/sub/x/AGENTS.md"];
    check("/repo", &["/repo/.git"], "/repo", told);
    check("/repo/sub", &["/repo/.git", "/repo/sub/.git"], "/repo", told);
    check("/repo/other", &["/repo/.git", "/repo/other/.git"], "/repo", &[]);
    check("/repo", &["/repo/.git", "/repo/sub/.git"], "/repo/sub", told);
    check("/repo/sub/x", &["/repo/.git"], "/repo", told);
}

#[test]
fn r_obs_1_a_question_without_an_answer_is_no_absence() {
    let (plan, mut seen, ..) = World::repo(&[]).look(&Ground::at("/repo"), &Policy::default());
    seen.files.clear();
    let set = plan.read(&seen, &Policy::default());
    assert_eq!(set.unavailable.len(), 1);
}

#[test]
fn r_obs_4_a_second_look_asks_for_the_emptied_files_alone() {
    let (plan, ..) = World::repo(&[]).look(&Ground::at("/repo/a"), &Policy::default());
    let (looks, places) = plan.only(&[path("/repo/AGENTS.md")]);
    let reads: Vec<_> = looks.reads.iter().map(|read| read.path.to_string()).collect();
    assert_eq!((reads, places), (vec!["/repo/AGENTS.md".to_owned()], vec![2]));
    assert_eq!((looks.probes, looks.listings), (vec![], vec![]));
}
