//! The list of skills over several boundaries: R-CFG-5 and what follows from it.

use crate::{
    context::{Contributed, Need},
    key::Origin,
    observation::Observation,
    position::Position,
    render::Renderer,
    skill::{ListedSkill, SkillListing},
    testing::{Session, World, key},
};
use insta::assert_snapshot;

const A: &str = "/repo/AGENTS.md";

/// A world whose list is of these skills.
fn offers(world: &mut World, skills: &[(&str, &str)]) -> World {
    let listed = |(name, description): &(&str, &str)| ListedSkill {
        name: name.parse().unwrap(),
        description: (*description).into(),
        path: None,
        directory: None,
        offered: false,
    };
    let value = SkillListing::new(skills.iter().map(listed)).encode();
    world.contributed = vec![Contributed {
        key: key("core/skills"),
        origin: Origin::Project,
        need: Need::Optional,
        renderer: Renderer::Skills,
        observation: Observation::Available(value),
    }];
    world.clone()
}

#[test]
fn r_cfg_5_the_list_is_added_changed_and_removed() {
    let mut world = World::repo(&[(A, "1")]);
    let mut session = Session::open();
    session.sync_at(1, &world);
    let told = session.sync_at(2, &offers(&mut world, &[("pdf", "Reads PDF.")]));
    assert_eq!(told, ["+ core/skills"]);
    assert_snapshot!(session.last_text(), @r"
    Skills that can be loaded by name, and what each is for:
    - pdf: Reads PDF.
    ");
    let told =
        session.sync_at(3, &offers(&mut world, &[("pdf", "Reads PDF."), ("git", "Commits.")]));
    assert_eq!(told, ["d core/skills"]);
    assert_snapshot!(session.last_text(), @r"
    The list of skills has changed. What follows amends what was said of it before.

    New skills:
    - git: Commits.
    ");
    session.sync_at(4, &offers(&mut world, &[("git", "Commits well.")]));
    assert_snapshot!(session.last_text(), @r"
    The list of skills has changed. What follows amends what was said of it before.

    Skills that can no longer be loaded:
    - pdf
    Skills with another description:
    - git: Commits well.
    ");
    assert_eq!(session.sync_at(5, &world), [""; 0], "what stands is told once");
    world.contributed.clear();
    assert_eq!(session.sync_at(6, &world), ["- core/skills"]);
    assert_snapshot!(session.last_text(), @"The list of skills no longer applies.");
}

#[test]
fn r_epo_2_a_compaction_restates_the_list_as_it_is() {
    let mut world = World::repo(&[]);
    let mut session = Session::open();
    session.sync_at(1, &offers(&mut world, &[("a", "1")]));
    session.sync_at(2, &offers(&mut world, &[("a", "1"), ("b", "1")]));
    session.compact(3);
    session.sync_at(4, &offers(&mut world, &[("b", "2")]));
    let briefing = session.briefing();
    assert_eq!((briefing.updates.len(), briefing.epoch.position), (0, Position(3)));
    assert_snapshot!(briefing.epoch.baseline.text.unwrap(), @r"
    Skills that can be loaded by name, and what each is for:
    - b: 2
    ");
}

#[test]
fn r_ses_7_what_rests_on_a_list_that_is_gone_is_told_in_full() {
    let mut world = World::repo(&[(A, "1")]);
    let mut session = Session::open();
    session.sync_at(1, &world);
    session.sync_at(2, &offers(&mut world, &[("a", "1")]));
    session.sync_at(4, &offers(&mut world, &[("a", "1"), ("b", "1")]));
    session.window(3);
    assert_eq!(session.sync_at(5, &world), ["~ core/skills"]);
    assert_snapshot!(session.last_text(), @r"
    The list of skills has changed. What follows replaces what was said of it before.

    Skills that can be loaded by name, and what each is for:
    - a: 1
    - b: 1
    ");
}

#[test]
fn r_txt_4_a_list_that_no_longer_decodes_is_told_in_full() {
    let mut world = World::repo(&[]);
    let mut session = Session::open();
    session.sync_at(1, &offers(&mut world, &[("a", "1")]));
    for text in session.blobs.values_mut().filter(|text| text.starts_with('{')) {
        *text = "of another release".into();
    }
    session.sync_at(2, &offers(&mut world, &[("a", "1"), ("b", "1")]));
    assert!(session.last_text().contains("What follows replaces what was said of it before."));
}
