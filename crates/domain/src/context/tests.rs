//! What one look found, put together: R-AMB-7, R-OBS-8, R-OBS-11, R-TXT-3.

use super::*;
use crate::{
    policy::Policy,
    render::{Guidance, Verbatim},
    testing::{Ground, World, canonical, key, path, policy, scope, short},
};

fn plugin(name: &str, guidance: impl Guidance + 'static, value: &str) -> Contributed {
    Contributed {
        key: key(name),
        origin: Origin::Host,
        need: Need::Optional,
        renderer: Renderer::Plugin(Arc::new(guidance)),
        observation: Observation::Available(value.into()),
    }
}

fn order(context: &SystemContext) -> Vec<String> {
    context.sources.iter().map(|source| short(&source.key)).collect()
}

#[test]
fn r_amb_7_sources_stand_in_one_order_whoever_gave_them_first() {
    let mut world =
        World::repo(&[("/g/AGENTS.md", "g"), ("/repo/AGENTS.md", "r"), ("/repo/s/AGENTS.md", "s")]);
    for name in ["core/date", "zz/a", "aa/z", "api/b", "core/environment", "api/a", "core/skills"] {
        world.contributed.push(plugin(name, Verbatim, "value"));
    }
    let policy = policy(|p| p.instructions.global = vec![path("/g/AGENTS.md")]);
    let mut ground = Ground::at("/repo");
    ground.scopes.insert(canonical("/repo/s"), scope("/repo", 1));
    assert_eq!(
        order(&world.context(&ground, &policy)),
        [
            "/g/AGENTS.md",
            "/repo/AGENTS.md",
            "/repo/s/AGENTS.md",
            "core/skills",
            "api/a",
            "api/b",
            "aa/z",
            "zz/a",
            "core/environment",
            "core/date",
        ]
    );
}

#[test]
fn r_amb_7_configured_files_stand_between_ambient_and_path_local_ones() {
    let places = [
        Place::Global(1),
        Place::Ambient { step: 3, group: 0 },
        Place::Configured { entry: 0, path: Some(path("/z")) },
        Place::Configured { entry: 1, path: None },
        Place::PathLocal { depth: 3, directory: path("/z/z"), group: 1 },
        Place::PathLocal { depth: 10, directory: path("/a"), group: 0 },
        Place::Skills,
    ];
    assert!(places.is_sorted());
}

#[test]
fn r_obs_8_two_ways_to_one_file_load_it_once_at_the_broader_place() {
    let mut world = World::repo(&[("/repo/docs/rules.md", "x")]);
    world
        .link("/repo/AGENTS.md", "/repo/docs/rules.md")
        .link("/repo/a/AGENTS.md", "/repo/docs/rules.md");
    for order in [crate::policy::Order::BroadToSpecific, crate::policy::Order::NearestFirst] {
        let policy = policy(|p| p.instructions.order = order);
        let context = world.context(&Ground::at("/repo/a"), &policy);
        let [source] = &context.sources[..] else { panic!("{context:?}") };
        assert_eq!(source.key, key("/repo/docs/rules.md"));
        assert_eq!(source.via, [path("/repo/AGENTS.md"), path("/repo/a/AGENTS.md")]);
        let Place::Ambient { step, .. } = source.place else { panic!("{source:?}") };
        assert_eq!(step, u32::from(order == crate::policy::Order::NearestFirst));
    }
}

#[test]
fn r_obs_8_a_global_file_that_is_ambient_as_well_loads_and_fails_once() {
    let policy = policy(|p| p.instructions.global = vec![path("/repo/AGENTS.md")]);
    let mut world = World::repo(&[("/repo/AGENTS.md", "x")]);
    let context = world.context(&Ground::at("/repo"), &policy);
    assert_eq!(
        (context.sources.len(), &context.sources[0].via[..]),
        (1, &[path("/repo/AGENTS.md")][..])
    );
    world.fail("/repo/AGENTS.md", UnavailableReason::IoError);
    assert_eq!(world.context(&Ground::at("/repo"), &policy).unavailable.len(), 1);
}

#[test]
fn r_obs_11_one_failure_touches_no_other_source() {
    let mut world = World::repo(&[("/repo/AGENTS.md", "r"), ("/repo/a/b/AGENTS.md", "b")]);
    world.fail("/repo/a/AGENTS.md", UnavailableReason::Timeout);
    let context = world.context(&Ground::at("/repo/a/b"), &Policy::default());
    assert_eq!(order(&context), ["/repo/AGENTS.md", "/repo/a/b/AGENTS.md"]);
    assert_eq!(context.unavailable[0].key, key("/repo/a/AGENTS.md"));
    assert_eq!(context.unavailable[0].need, Need::Required);
}

#[test]
fn r_txt_3_a_renderer_without_a_text_is_withheld() {
    struct Silent;
    impl Guidance for Silent {
        fn text(&self, _: &str) -> String {
            String::new()
        }
    }
    let mut world = World::repo(&[("/repo/AGENTS.md", "")]);
    world.contributed = vec![plugin("a/silent", Silent, "value"), plugin("a/empty", Verbatim, "")];
    let context = world.context(&Ground::at("/repo"), &Policy::default());
    assert_eq!(order(&context), ["/repo/AGENTS.md"], "an empty file has a header");
    let withheld: Vec<_> = context.withheld.iter().map(|w| (short(&w.key), w.reason)).collect();
    let expect = ["a/empty", "a/silent"].map(|key| (key.to_owned(), WithheldReason::EmptyText));
    assert_eq!(withheld, expect);
}

#[test]
fn r_obs_1_what_producers_found_stays_what_it_is() {
    let mut world = World::repo(&[]);
    let found = |name: &str, observation| Contributed { observation, ..plugin(name, Verbatim, "") };
    world.contributed = vec![
        found("a/absent", Observation::Absent(Absence::NotFound)),
        found("a/withheld", Observation::Absent(Absence::Withheld(WithheldReason::Disabled))),
        found("a/failed", Observation::Unavailable(UnavailableReason::Timeout)),
    ];
    let context = world.context(&Ground::at("/repo"), &Policy::default());
    assert_eq!(context.sources, []);
    assert_eq!(
        context.withheld,
        [Withheld { key: key("a/withheld"), reason: WithheldReason::Disabled }]
    );
    let unavailable: Vec<_> =
        context.unavailable.iter().map(|u| (short(&u.key), u.reason)).collect();
    assert_eq!(unavailable, [("a/failed".to_owned(), UnavailableReason::Timeout)]);
}

#[test]
fn two_contributions_of_one_key_are_refused() {
    let parts = Parts {
        boundary: canonical("/repo"),
        unknown_boundary: None,
        project: crate::instruction::KnownProject::default(),
        instructions: InstructionSet::default(),
        skills: crate::skill::SkillSet::default(),
        urls: Vec::new(),
        contributed: vec![plugin("a/b", Verbatim, "1"), plugin("a/b", Verbatim, "2")],
        not_registered: Vec::new(),
    };
    assert_eq!(SystemContext::compose(parts), Err(DuplicateKey(key("a/b"))));
}

#[test]
fn r_amb_4_an_unknown_boundary_is_listed_under_its_marker() {
    let mut world = World::repo(&[("/repo/AGENTS.md", "r")]);
    world.remove("/repo/.git").fail("/repo/.git", UnavailableReason::PermissionDenied);
    let context = world.context(&Ground::at("/repo"), &Policy::default());
    assert_eq!(order(&context), ["/repo/AGENTS.md"]);
    assert_eq!(context.unavailable[0].key, key("/repo/.git"));
}
