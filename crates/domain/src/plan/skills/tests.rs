//! Directories of skills: R-CFG-3, R-CFG-4, and what R-OBS and R-AMB say of them.

use crate::{
    key::{Origin, SourceKey},
    plan::Plan,
    policy::{Policy, ProjectFiles, SkillDirectory},
    reason::UnavailableReason,
    session::{Prior, Trust},
    skill::{EmbeddedSkill, SkillListing, SkillOffers},
    testing::{Ground, Session, World, path, policy},
};

const HOME: &str = "/home/me/.agents/skills";
const HERE: &str = "/repo/.agents/skills";
const DEEP: &str = "/repo/a/.agents/skills";
const DENIED: UnavailableReason = UnavailableReason::PermissionDenied;

fn skills() -> Policy {
    directories(&[".agents/skills", "~/.agents/skills"])
}

fn directories(entries: &[&str]) -> Policy {
    let home = path("/home/me");
    let entry = |entry: &&str| SkillDirectory::new(entry, Some(&home)).unwrap();
    policy(|policy| {
        policy.skills.directories = entries.iter().map(entry).collect();
    })
}

/// A skill in a directory of skills.
fn put<'w>(world: &'w mut World, root: &str, name: &str, description: &str) -> &'w mut World {
    let text = format!("---\nname: {name}\ndescription: {description}\n---\nBody of {name}.\n");
    world.put(&format!("{root}/{name}/SKILL.md"), &text)
}

fn world(skills: &[(&str, &str, &str)]) -> World {
    let mut world = World::repo(&[]);
    for (root, name, description) in skills {
        put(&mut world, root, name, description);
    }
    world
}

/// What is listed, what is held and what is withheld, one line each.
fn seen(world: &World, ground: &Ground, policy: &Policy) -> Vec<String> {
    let context = world.context(ground, policy);
    let source = context.source(&SourceKey::Skills);
    let listing = source.and_then(|source| SkillListing::decode(&source.value));
    let mut lines: Vec<_> = listing
        .iter()
        .flat_map(SkillListing::skills)
        .map(|skill| format!("{}: {}", skill.name, skill.description))
        .collect();
    let held = |u: &crate::context::Unavailable| format!("? {} {}", u.key, u.reason);
    lines.extend(context.unavailable.iter().map(held));
    lines.extend(context.withheld.iter().map(|w| format!("! {} {}", w.key, w.reason)));
    lines
}

fn at(directory: &str) -> Ground {
    Ground::at(directory)
}

fn planned(world: &World, ground: &Ground, policy: &Policy) -> Plan {
    world.look(ground, policy).0
}

#[test]
fn r_cfg_3_directories_stand_from_the_location_up_to_the_boundary_and_then_elsewhere() {
    let policy = directories(&["~/s", ".agents/skills", "/opt/s", "more"]);
    let mut world = World::repo(&[]);
    world.offers.directories = vec![path("/host/s")];
    let ground = at("/repo/a");
    let plan = planned(&world, &ground, &policy);
    let roots: Vec<_> = plan.skill_roots().map(|root| root.directory.to_string()).collect();
    let expect = [DEEP, "/repo/a/more", HERE, "/repo/more", "/host/s", "/opt/s", "/home/me/s"];
    assert_eq!(roots, expect);
    let alone = planned(&World::default(), &at("/x/y"), &skills());
    let alone: Vec<_> = alone.skill_roots().map(|root| root.directory.to_string()).collect();
    assert_eq!(alone, ["/x/y/.agents/skills", HOME], "R-AMB-4");
}

#[test]
fn r_cfg_4_of_equal_names_the_nearest_counts_and_the_home_is_last() {
    let mut world = world(&[
        (HOME, "pdf", "home"),
        (HOME, "git", "home"),
        (HERE, "pdf", "here"),
        (DEEP, "pdf", "deep"),
        ("/host/s", "git", "host"),
    ]);
    world.offers.directories = vec![path("/host/s")];
    world.offers.embedded = vec![
        EmbeddedSkill::new("git", "value", "").unwrap(),
        EmbeddedSkill::new("web", "value", "").unwrap(),
    ];
    assert_eq!(
        seen(&world, &at("/repo/a"), &skills()),
        [
            "git: host",
            "pdf: deep",
            "web: value",
            "! file:/home/me/.agents/skills/git/SKILL.md shadowed",
            "! file:/home/me/.agents/skills/pdf/SKILL.md shadowed",
            "! file:/repo/.agents/skills/pdf/SKILL.md shadowed",
        ]
    );
    world.offers = SkillOffers::default();
    assert_eq!(seen(&world, &at("/repo"), &skills())[..2], ["git: home", "pdf: here"]);
}

#[test]
fn r_cfg_4_what_breaks_the_format_is_withheld_and_the_others_stay() {
    let mut world = world(&[(HERE, "good", "d")]);
    world
        .put(&format!("{HERE}/none/SKILL.md"), "# No front matter\n")
        .put(&format!("{HERE}/empty/SKILL.md"), "")
        .put(&format!("{HERE}/other/SKILL.md"), "---\nname: good\ndescription: d\n---\n")
        .fifo(&format!("{HERE}/fifo/SKILL.md"))
        .put(&format!("{HERE}/README.md"), "not a skill")
        .directory(&format!("{HERE}/bare"))
        .put(&format!("{HERE}/lower/skill.md"), "---\nname: lower\ndescription: d\n---\n");
    assert_eq!(
        seen(&world, &at("/repo"), &skills()),
        [
            "good: d",
            "! file:/repo/.agents/skills/empty/SKILL.md invalid_skill",
            "! file:/repo/.agents/skills/fifo/SKILL.md not_regular_file",
            "! file:/repo/.agents/skills/none/SKILL.md invalid_skill",
            "! file:/repo/.agents/skills/other/SKILL.md invalid_skill",
        ]
    );
    let (plan, answers, ..) = world.look(&at("/repo"), &skills());
    let set = plan.skills(&answers, &crate::skill::FormerSkills::None);
    let fault = &set.faults[&path(&format!("{HERE}/none/SKILL.md"))];
    assert_eq!(fault.to_string(), "it does not begin with front matter: a first line of `---`");
}

#[test]
fn r_cfg_3_a_skill_may_lie_deep_and_what_lies_in_it_is_its_own() {
    let mut world = world(&[
        (&format!("{HERE}/group"), "pdf", "d"),
        (&format!("{HERE}/a/b/c/d/e"), "sixth", "d"),
        (&format!("{HERE}/a/b/c/d/e/f"), "seventh", "d"),
        (&format!("{HERE}/group/pdf/assets"), "template", "d"),
        (HERE, "git", "d"),
    ]);
    let deeper = "! file:/repo/.agents/skills limit";
    assert_eq!(seen(&world, &at("/repo"), &skills()), ["git: d", "pdf: d", "sixth: d", deeper]);
    // A directory of skills that is one itself hides none of them.
    world.put(&format!("{HERE}/SKILL.md"), "---\nname: skills\ndescription: d\n---\n");
    assert_eq!(
        seen(&world, &at("/repo"), &skills()),
        ["git: d", "pdf: d", "sixth: d", "skills: d", deeper]
    );
    let mut shallow = skills();
    shallow.skills.max_depth = 1;
    assert_eq!(seen(&world, &at("/repo"), &shallow), ["git: d", "skills: d", deeper]);
}

#[test]
fn r_obs_7_a_link_may_lead_about_the_project_and_not_out_of_it() {
    let mut world = world(&[("/repo/shared", "pdf", "d"), ("/else", "out", "d")]);
    world
        .directory(HERE)
        .link(&format!("{HERE}/pdf/SKILL.md"), "/repo/shared/pdf/SKILL.md")
        .link(&format!("{HERE}/out/SKILL.md"), "/else/out/SKILL.md");
    let out = "! file:/repo/.agents/skills/out/SKILL.md outside_project";
    assert_eq!(seen(&world, &at("/repo"), &skills()), ["pdf: d", out]);
    let mut anywhere = skills();
    anywhere.instructions.links = crate::policy::Links::Anywhere;
    assert_eq!(seen(&world, &at("/repo"), &anywhere), ["out: d", "pdf: d"]);
    let mut world = self::world(&[("/else", "out", "d")]);
    world.link(HERE, "/else");
    let expect = "! file:/repo/.agents/skills outside_project";
    assert_eq!(seen(&world, &at("/repo"), &skills()), [expect]);
}

#[test]
fn r_obs_8_one_file_that_two_directories_lead_to_is_one_skill() {
    let mut world = world(&[(HERE, "pdf", "d")]);
    world.link(HOME, HERE);
    assert_eq!(seen(&world, &at("/repo"), &skills()), ["pdf: d"]);
}

#[test]
fn r_cfg_3_a_link_that_a_skill_can_be_called_by_is_looked_into() {
    let below = |paths: &[&str]| crate::look::Below {
        paths: paths.iter().map(Into::into).collect(),
        ..crate::look::Below::default()
    };
    let found = crate::skill::candidates(
        &path("/s"),
        &below(&["LICENSE", "a.md", "group/x/SKILL.md", "group/x/run", "linked", "z-1/y/linked"]),
    );
    let found: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found, ["/s/linked/SKILL.md", "/s/group/x/SKILL.md", "/s/z-1/y/linked/SKILL.md"]);
}

#[test]
fn r_obs_12_skills_take_no_instruction_files_bytes() {
    let mut world = world(&[(HERE, "a", "d"), (HERE, "b", "d")]);
    world.put("/repo/AGENTS.md", &"x".repeat(100));
    let mut tight = skills();
    tight.limits.total_bytes = 150;
    let context = world.context(&at("/repo"), &tight);
    assert_eq!(context.sources.len(), 2, "{:?}", context.withheld);
    let limit = "! file:/repo/.agents/skills/b/SKILL.md limit";
    assert_eq!(seen(&world, &at("/repo"), &tight), ["a: d", limit]);
    tight.limits.directory_entries = 1;
    let cut = "! file:/repo/.agents/skills limit";
    assert_eq!(seen(&world, &at("/repo"), &tight), ["a: d", cut]);
    // The body is not read for the list.
    put(&mut world, HERE, "a", &format!("d\n---\n{}", "x".repeat(100_000)));
    let (plan, answers, ..) = world.look(&at("/repo"), &skills());
    let most = answers.files.iter().filter_map(|file| match file {
        crate::observation::Observation::Available(file) => Some(file.bytes.len()),
        _ => None,
    });
    assert_eq!(most.max(), Some(16 * 1024), "{:?}", plan.looks);
}

#[test]
fn r_amb_9_an_untrusted_session_has_the_users_skills_alone() {
    let mut world =
        world(&[(HOME, "git", "home"), (HERE, "pdf", "here"), ("/host", "web", "host")]);
    world.offers.directories = vec![path("/host")];
    let mut ground = at("/repo");
    ground.trust = Trust::Untrusted;
    let withheld = |reason| format!("! file:/repo/.agents/skills {reason}");
    assert_eq!(
        seen(&world, &ground, &skills()),
        ["git: home".to_owned(), "web: host".to_owned(), withheld("untrusted")]
    );
    let mut off = skills();
    off.instructions.project = ProjectFiles::Disabled;
    assert_eq!(seen(&world, &at("/repo"), &off)[2], withheld("disabled"));
    assert_eq!(seen(&World::repo(&[]), &at("/repo"), &off), [""; 0], "what is missing is no news");
}

#[test]
fn r_cfg_6_a_project_names_its_own_directories_instead_of_the_users_relative_ones() {
    let mut world =
        world(&[(HOME, "git", "home"), (HERE, "pdf", "here"), ("/repo/tools", "web", "own")]);
    world.put("/repo/.told/config.toml", "[skills]\ndirectories = [\"tools\", \"../else\"]\n");
    put(&mut world, "/else", "out", "d");
    assert_eq!(
        seen(&world, &at("/repo"), &skills()),
        ["git: home", "web: own", "! file:/else outside_project"]
    );
}

#[test]
fn r_amb_7_the_list_stands_behind_the_files_and_says_who_wrote_it() {
    let mut world = world(&[(HERE, "pdf", "d")]);
    world.put("/repo/AGENTS.md", "x");
    let context = world.context(&at("/repo"), &skills());
    assert_eq!(context.sources[1].key, SourceKey::Skills);
    assert_eq!(context.sources[1].origin, Origin::Project);
    let user = self::world(&[(HOME, "pdf", "d")]).context(&at("/repo"), &skills());
    assert_eq!(user.sources[0].origin, Origin::User);
}

/// A session at `/repo` that was told of what the world has.
fn told(world: &World) -> Session {
    let mut session = Session::open_as(Prior::None, Trust::Trusted);
    session.policy = skills();
    session.sync_at(1, world);
    session
}

#[test]
fn r_obs_1_a_failed_scan_holds_its_skills_and_an_absence_removes_them() {
    let first = world(&[(HOME, "git", "home"), (HERE, "pdf", "here"), (HERE, "web", "here")]);
    for (fails, told_now) in [(true, vec![]), (false, vec!["d core/skills"])] {
        let mut session = told(&first);
        let mut now = world(&[(HOME, "git", "home")]);
        if fails {
            now.fail(HERE, DENIED);
        }
        assert_eq!(session.sync_at(2, &now), told_now);
        let context = now.context(&session.ground(), &session.policy);
        let held: Vec<_> = crate::compare::held(session.state(), &context)
            .into_iter()
            .map(|held| (held.key.to_string(), held.since.map(|revision| revision.0)))
            .collect();
        let expect = vec![(format!("file:{HERE}"), Some(2))];
        assert_eq!(held, if fails { expect } else { vec![] });
    }
    // What the others say still counts, and so does what was told for long.
    let mut session = told(&first);
    let mut now = world(&[(HOME, "git", "home, again")]);
    now.fail(HERE, DENIED);
    assert_eq!(session.sync_at(2, &now), ["d core/skills"]);
    session.compact(3);
    session.sync_at(4, &now);
    let text = session.last_text();
    for skill in ["- git: home, again", "- pdf: here", "- web: here"] {
        assert!(text.contains(skill), "{text}");
    }
    assert_eq!(session.sync_at(5, &first), ["d core/skills"]);
}

#[test]
fn r_obs_11_a_skill_that_cannot_be_read_is_held_alone() {
    let first = world(&[(HERE, "pdf", "here"), (HERE, "web", "here")]);
    let mut session = told(&first);
    let mut now = world(&[(HERE, "pdf", "new"), (HERE, "web", "here")]);
    now.fail(&format!("{HERE}/web/SKILL.md"), DENIED);
    let lines = seen(&now, &session.ground(), &session.policy);
    let held = "? file:/repo/.agents/skills/web/SKILL.md permission_denied";
    assert_eq!(lines, ["pdf: new", "web: here", held]);
    assert_eq!(session.sync_at(2, &now), ["d core/skills"]);
    assert!(!session.last_text().contains("web"), "{}", session.last_text());
    assert_eq!(session.sync_at(3, &world(&[(HERE, "pdf", "new")])), ["d core/skills"]);
}

#[test]
fn r_bnd_2_skills_block_no_first_boundary() {
    let mut now = World::repo(&[]);
    now.fail(HERE, DENIED);
    let mut session = Session::open();
    session.policy = skills();
    assert_eq!(session.sync_at(1, &now), ["epoch 1"]);
    assert_eq!(session.sync_at(2, &world(&[(HERE, "pdf", "d")])), ["+ core/skills"]);
}

#[test]
fn r_obs_4_an_emptied_skill_is_looked_at_once_more() {
    let first = world(&[(HERE, "pdf", "here")]);
    let session = told(&first);
    let mut now = first.clone();
    let file = format!("{HERE}/pdf/SKILL.md");
    now.put(&file, "");
    let context = now.context(&session.ground(), &session.policy);
    assert_eq!(crate::compare::emptied(session.state(), &context), [path(&file)]);
    let new = Session::open();
    let context = now.context(&new.ground(), &session.policy);
    assert_eq!(crate::compare::emptied(new.state(), &context), [], "it was never told");
}

#[test]
fn r_epo_5_who_never_had_an_offer_holds_it_and_who_dropped_it_tells_so() {
    let mut first = world(&[("/host", "web", "d"), (HERE, "pdf", "d")]);
    first.offers.directories = vec![path("/host")];
    first.offers.embedded = vec![EmbeddedSkill::new("git", "value", "Body").unwrap()];
    let mut other = first.clone();
    other.offers = SkillOffers::default();
    let mut session = told(&first);
    assert_eq!(session.sync_at(2, &other), [""; 0]);
    assert_eq!(
        seen(&other, &session.ground(), &session.policy),
        [
            "git: value",
            "pdf: d",
            "web: d",
            "? core/skills not_registered",
            "? file:/host not_registered"
        ]
    );
    session.rebase();
    session.sync_at(3, &other);
    let text = session.last_text();
    assert!(text.contains("- pdf: d") && !text.contains("web") && !text.contains("git"), "{text}");

    let mut session = told(&first);
    let mut dropped = other.clone();
    dropped.offers.dropped.directories.insert(path("/host"));
    dropped.offers.dropped.embedded.insert("git".parse().unwrap());
    assert_eq!(session.sync_at(2, &dropped), ["d core/skills"]);
    assert!(session.last_text().contains("- git\n- web"), "{}", session.last_text());
}

#[test]
fn r_txt_4_a_list_of_another_release_stands_while_something_fails() {
    let first = world(&[(HERE, "pdf", "here")]);
    let mut session = told(&first);
    for text in session.blobs.values_mut().filter(|text| text.starts_with('{')) {
        *text = "of another release".into();
    }
    let mut now = world(&[(HOME, "git", "home")]);
    now.fail(HERE, DENIED);
    assert_eq!(session.sync_at(2, &now), [""; 0]);
    now.remove(HERE);
    assert_eq!(session.sync_at(3, &now), ["~ core/skills"]);
}

#[test]
fn r_bnd_4_a_skill_that_moves_tells_nothing() {
    let mut session = told(&world(&[(HERE, "pdf", "d")]));
    assert_eq!(session.sync_at(2, &world(&[(HOME, "pdf", "d")])), [""; 0]);
    assert_eq!(session.sync_at(3, &World::repo(&[])), ["- core/skills"]);
}

#[test]
fn a_missing_directory_is_asked_for_and_not_looked_through() {
    let world = World::repo(&[]);
    let mut ground = at("/repo");
    let (plan, answers, ..) = world.look(&ground, &skills());
    ground.learned = plan.learned(&answers, &ground.learned);
    let (plan, ..) = world.look(&ground, &skills());
    assert!(plan.looks.scans.is_empty());
    let asked = |directory: &str| plan.looks.probes.contains(&path(directory));
    assert!(asked(HERE) && asked(HOME), "{:?}", plan.looks);
    // Once it is there, it is looked through, and then read.
    let mut world = world;
    put(&mut world, HERE, "pdf", "d");
    assert_eq!(seen(&world, &ground, &skills()), ["pdf: d"]);
}
