//! Skills as a host in Rust offers and loads them: R-CFG-3, R-EPO-5.

use told::{Engine, Error, Session, domain::skill::EmbeddedSkill};
use told_scenarios::{Ground, sync, texts};

const ROOT: &str = "shop/.agents/skills";

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nBody of {name}.\n")
}

/// The text that this boundary adds; empty where it adds none.
async fn told(session: &Session) -> String {
    let briefing = sync(session).await;
    match briefing.admitted {
        Some(_) => texts(&briefing).last().unwrap().to_string(),
        None => String::new(),
    }
}

async fn begun(ground: &Ground) -> (Engine, Session) {
    let engine = ground.engine();
    let session = ground.open(&engine, "skills/1").await;
    told(&session).await;
    (engine, session)
}

const LEAD: &str =
    "The list of skills has changed. What follows amends what was said of it before.";

#[tokio::test]
async fn r_cfg_3_a_host_registers_a_directory_and_drops_it() {
    let ground = Ground::new();
    ground.write("host/skills/web/SKILL.md", &skill("web", "Looks things up."));
    let (engine, session) = begun(&ground).await;
    let other = ground.open(&engine, "skills/2").await;
    told(&other).await;
    let directory = ground.path("host/skills");
    let guard = session.registry().register_skills(&directory).unwrap();
    assert!(told(&session).await.ends_with("- web: Looks things up."));
    assert_eq!(told(&other).await, "", "it is one session's");
    ground.write("host/skills/pdf/SKILL.md", &skill("pdf", "Reads PDF."));
    assert_eq!(told(&session).await, format!("{LEAD}\n\nNew skills:\n- pdf: Reads PDF."));
    assert_eq!(&*session.load_skill("pdf").await.unwrap().body, "Body of pdf.\n");

    let location = engine.location(&ground.path("shop/api")).await.unwrap();
    let shared = location.registry().register_skills(&directory).unwrap();
    assert!(told(&other).await.contains("- web"), "it is the Location's now");
    drop(guard);
    assert_eq!(told(&session).await, "", "the Location's stands");
    drop(shared);
    assert_eq!(told(&session).await, "The list of skills no longer applies.");
    let error = session.load_skill("pdf").await.unwrap_err();
    assert!(matches!(error, Error::UnknownSkill { .. }), "{error}");
    assert!(session.registry().register_skills("relative".as_ref()).is_err());
}

#[tokio::test]
async fn r_epo_5_who_never_registered_it_takes_nothing_away() {
    let ground = Ground::new();
    ground.write("host/skills/web/SKILL.md", &skill("web", "Looks things up."));
    ground.write(&format!("{ROOT}/git/SKILL.md"), &skill("git", "Commits."));
    let (_engine, session) = begun(&ground).await;
    let embedded = EmbeddedSkill::new("pdf", "Reads PDF.", "Body").unwrap();
    let guards = (
        session.registry().register_skills(&ground.path("host/skills")).unwrap(),
        session.registry().register_skill(embedded.clone()),
    );
    let expect = format!("{LEAD}\n\nNew skills:\n- pdf: Reads PDF.\n- web: Looks things up.");
    assert_eq!(told(&session).await, expect);
    let found = session.skills().await.unwrap();
    let names: Vec<_> = found.skills.iter().map(|skill| skill.name.as_str()).collect();
    assert_eq!(names, ["git", "pdf", "web"]);
    assert_eq!(&*session.load_skill("pdf").await.unwrap().body, "Body");

    let elsewhere = ground.engine();
    let other = elsewhere.session(session.id()).await.unwrap();
    let briefing = sync(&other).await;
    assert_eq!(briefing.admitted, None, "{briefing:?}");
    let held: Vec<_> = briefing.held.iter().map(|held| held.reason.to_string()).collect();
    assert_eq!(held, ["not_registered", "not_registered"]);
    let error = other.load_skill("pdf").await.unwrap_err();
    assert!(matches!(error, Error::SkillNotLoaded { reason: "not_registered", .. }), "{error}");
    other.rebase(None).await.unwrap();
    let baseline = told(&other).await;
    assert!(baseline.contains("- git: ") && !baseline.contains("- pdf"), "{baseline}");
    drop(other);

    assert!(told(&session).await.contains("- pdf: Reads PDF.\n- web: Looks things up."));
    drop(guards);
    assert!(told(&session).await.ends_with("no longer be loaded:\n- pdf\n- web"));
}

#[tokio::test]
async fn r_epo_5_a_location_that_closed_meanwhile_knows_what_was_dropped() {
    let ground = Ground::new();
    ground.write("host/skills/web/SKILL.md", &skill("web", "Looks things up."));
    let engine = ground.engine();
    let location = engine.location(&ground.path("shop/api")).await.unwrap();
    let guard = location.registry().register_skills(&ground.path("host/skills")).unwrap();
    let session = ground.open(&engine, "skills/1").await;
    assert!(told(&session).await.contains("- web"));
    drop((session, location, guard));
    assert_eq!(engine.locations_open(), 0);
    let session = engine.session(&"skills/1".parse().unwrap()).await.unwrap();
    assert_eq!(told(&session).await, "The list of skills no longer applies.");
}

#[tokio::test]
async fn r_cfg_4_an_embedded_skill_stands_before_the_homes_and_behind_the_projects() {
    let ground = Ground::new();
    ground.write(".agents/skills/pdf/SKILL.md", &skill("pdf", "The home's."));
    let (engine, session) = begun(&ground).await;
    let location = engine.location(&ground.path("shop/api")).await.unwrap();
    let embedded = EmbeddedSkill::new("pdf", "The host's.", "Body").unwrap();
    let _guard = location.registry().register_skill(embedded);
    assert!(told(&session).await.ends_with("- pdf: The host's."));
    ground.write(&format!("{ROOT}/pdf/SKILL.md"), &skill("pdf", "The project's."));
    assert!(told(&session).await.ends_with("- pdf: The project's."));
    let found = engine.skills(&ground.path("shop/api")).await.unwrap();
    assert_eq!(found.skills.len(), 1);
    assert_eq!(found.withheld.len(), 1, "the home's is shadowed");
}

#[tokio::test]
async fn r_wat_4_a_skill_is_seen_whatever_is_watched() {
    let ground = Ground::new();
    let (_engine, session) = begun(&ground).await;
    for round in 0..20 {
        let text = skill("pdf", &format!("Round {round}."));
        ground.write(&format!("{ROOT}/group/pdf/SKILL.md"), &text);
        assert!(told(&session).await.contains(&format!("- pdf: Round {round}.")), "{round}");
        assert_eq!(told(&session).await, "");
        if round % 3 == 0 {
            std::fs::remove_dir_all(ground.path("shop/.agents")).unwrap();
            assert_eq!(told(&session).await, "The list of skills no longer applies.");
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn r_obs_11_a_skill_that_moved_unsaid_is_held_where_it_is() {
    let ground = Ground::new();
    ground.write(&format!("{ROOT}/pdf/SKILL.md"), &skill("pdf", "Reads PDF."));
    let (_engine, session) = begun(&ground).await;
    ground.write(".agents/skills/pdf/SKILL.md", &skill("pdf", "Reads PDF."));
    std::fs::remove_dir_all(ground.path(ROOT)).unwrap();
    assert_eq!(told(&session).await, "", "it is described as before");
    let home = ground.path(".agents/skills");
    std::fs::rename(&home, ground.path("aside")).unwrap();
    std::os::unix::fs::symlink("skills", &home).unwrap();
    let briefing = sync(&session).await;
    assert_eq!((briefing.admitted, briefing.held.len()), (None, 1), "{briefing:?}");
    std::fs::remove_file(&home).unwrap();
    assert_eq!(told(&session).await, "The list of skills no longer applies.");
}
