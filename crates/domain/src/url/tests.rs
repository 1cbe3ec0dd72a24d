//! URLs as sources: R-AMB-6 to -9, R-BND-2, R-BND-3, R-URL-2 to -4.

use super::{AddressPolicy, URLS_MAX, of_user};
use crate::{
    command::{Adoption, Claimed, Command, Decision},
    compare::held,
    context::SystemContext,
    decide::{NotAdopted, adoptable},
    hash::ContentHash,
    observation::{Absence, Observation},
    policy::{FromProjects, Include, Policy},
    reason::{UnavailableReason, Warning},
    session::{Prior, Trust},
    testing::{Ground, Session, World, path, policy, short},
    text::DeliveredText,
};

const CONFIGURATION: &str = "/repo/.told/config.toml";
const A: &str = "https://example.org/a";

/// A user who includes these.
fn user(entries: &[&str]) -> Policy {
    let include = entries.iter().map(|entry| Include::new(entry, Some(&path("/home")), None));
    policy(|p| p.instructions.include = include.map(Result::unwrap).collect())
}

/// A project that includes these.
fn project(entries: &[&str]) -> World {
    let mut world = World::repo(&[]);
    world.put(CONFIGURATION, &format!("[instructions]\ninclude = {entries:?}"));
    world
}

fn text(text: &str) -> Observation<DeliveredText> {
    Observation::Available(DeliveredText { text: text.into(), warnings: Vec::new() })
}

fn serve(world: &mut World, url: &str, found: Observation<DeliveredText>) {
    world.servers.insert(url.to_owned(), found);
}

/// Each source with its value, held with its reason, and withheld with its own, without hashes.
fn found(context: &SystemContext) -> Vec<String> {
    let name = |key: &crate::key::SourceKey| key.url().map_or_else(|| short(key), str::to_owned);
    let told = context.sources.iter().map(|s| format!("{} = {}", name(&s.key), s.value));
    let held = context.unavailable.iter().map(|u| format!("held {} {}", name(&u.key), u.reason));
    let withheld = context.withheld.iter().map(|w| format!("{} {}", w.reason, name(&w.key)));
    told.chain(held).chain(withheld).collect()
}

fn at_repo(world: &World, policy: &Policy) -> SystemContext {
    world.context(&Ground::at("/repo"), policy)
}

#[test]
fn r_amb_7_a_url_stands_at_its_entrys_place() {
    let mut world = project(&["p.md", "https://example.org/p", "q.md"]);
    for file in ["/repo/AGENTS.md", "/repo/p.md", "/repo/q.md", "/home/u.md", "/home/v.md"] {
        world.put(file, "file");
    }
    serve(&mut world, A, text("a"));
    serve(&mut world, "https://example.org/p", text("p"));
    let mut policy = user(&["u.md", A, "v.md"]);
    policy.urls.from_projects = FromProjects::Fetched;
    let expect = [
        "/repo/AGENTS.md = file",
        "/home/u.md = file",
        "https://example.org/a = a",
        "/home/v.md = file",
        "/repo/p.md = file",
        "https://example.org/p = p",
        "/repo/q.md = file",
    ];
    assert_eq!(found(&at_repo(&world, &policy)), expect);
}

#[test]
fn r_url_3_a_projects_urls_are_fetched_where_the_host_allows_it_and_reach_public_addresses_alone() {
    let mut world = project(&["https://example.org/p"]);
    serve(&mut world, "https://example.org/p", text("p"));
    let mut policy = user(&[A]);
    policy.urls.own = AddressPolicy::Private;
    serve(&mut world, A, text("a"));
    let told = "https://example.org/a = a";
    let disabled = "disabled https://example.org/p";
    assert_eq!(found(&at_repo(&world, &policy)), [told, disabled]);
    policy.urls.from_projects = FromProjects::Fetched;
    let context = at_repo(&world, &policy);
    assert_eq!(found(&context), [told, "https://example.org/p = p"]);
    let reach: Vec<_> = context.urls.iter().map(|named| named.reach).collect();
    assert_eq!(reach, [AddressPolicy::Private, AddressPolicy::Public]);
    // Nothing of the project's counts in an untrusted session.
    let ground = Ground { trust: Trust::Untrusted, ..Ground::at("/repo") };
    let untrusted = format!("untrusted {CONFIGURATION}");
    assert_eq!(found(&world.context(&ground, &policy)), [told, &untrusted]);
}

#[test]
fn r_obs_8_a_url_that_is_named_twice_is_one_source_the_users() {
    let mut world = project(&[A, "https://example.org/a#x", "https://example.org/a?v=1"]);
    serve(&mut world, A, text("a"));
    serve(&mut world, "https://example.org/a?v=1", text("v"));
    let mut policy = user(&[A, A]);
    policy.urls.own = AddressPolicy::Private;
    policy.urls.from_projects = FromProjects::Fetched;
    let context = at_repo(&world, &policy);
    assert_eq!(found(&context), ["https://example.org/a = a", "https://example.org/a?*** = v"]);
    assert_eq!(context.urls[0].reach, AddressPolicy::Private);
    assert_eq!(of_user(&policy), context.urls[..1], "what is known before the look");
}

#[test]
fn r_url_4_urls_that_look_alike_are_sources_of_their_own() {
    let entries = ["https://h/r?token=s3cret", "https://h/r?token=other", "https://me:s3cret@h/r"];
    let mut world = World::repo(&[]);
    for (entry, value) in entries.iter().zip(["one", "two", "three"]) {
        serve(&mut world, entry, text(value));
    }
    let mut session = Session::open();
    session.policy = user(&entries);
    session.sync(&world);
    let told = session.last_text().to_string();
    let values = ["?***\none", "?***\ntwo", "https://***@h/r\nthree"];
    assert!(values.iter().all(|value| told.contains(value)), "{told}");
    let log = serde_json::to_string(&session.log).unwrap();
    assert!(!log.contains("s3cret") && !log.contains("other"), "{log}");
    // A new token for the same is no new source.
    session.policy = user(&["https://h/r?token=new", entries[1], entries[2]]);
    serve(&mut world, "https://h/r?token=new", text("one"));
    assert_eq!(session.sync(&world), [""; 0]);
}

#[test]
fn r_url_4_a_projects_secrets_are_in_no_record() {
    let mut world = project(&["https://u:s3cret@h/r?s3cret", "a.md"]);
    let before = "[instructions]\ninclude = [\"https://u:s3cret@h/r?s3cret\"]";
    serve(&mut world, "https://u:s3cret@h/r?s3cret", text("rules"));
    let mut session = Session::open();
    session.policy.urls.from_projects = FromProjects::Fetched;
    session.sync(&world);
    assert!(session.last_text().contains("https://***@h/r?***\nrules"));
    let log = format!("{} {:?}", serde_json::to_string(&session.log).unwrap(), session.log);
    assert!(!log.contains("s3cret"), "{log}");
    // A process that knows the project from the record alone knows the source.
    let learned = crate::plan::Learned::recalled(session.state());
    world.put(CONFIGURATION, "broken");
    let ground = Ground { learned, ..Ground::at("/repo") };
    let recalled = world.context(&ground, &session.policy);
    world.put(CONFIGURATION, before);
    let read = at_repo(&world, &session.policy);
    let keys = |context: &SystemContext| -> Vec<_> {
        context.urls.iter().map(|named| (named.key.clone(), named.url.is_redacted())).collect()
    };
    assert_eq!(keys(&recalled), [(read.urls[0].key.clone(), true)]);
    assert!(!read.urls[0].url.is_redacted());
}

#[test]
fn r_bnd_2_no_first_boundary_waits_for_a_url() {
    let mut world = World::repo(&[]);
    let mut session = Session::open();
    session.policy = user(&[A]);
    assert_eq!(session.sync(&world), ["epoch 1"]);
    let listed = session.briefing().held;
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].reason, UnavailableReason::ConnectionFailed);
    assert_eq!((listed[0].key.url(), listed[0].since), (Some(A), None));
    serve(&mut world, A, text("rules"));
    let key = short(&listed[0].key);
    assert_eq!(session.sync(&world), [format!("+ {key}")]);
    assert_eq!(session.last_text().to_string(), format!("Instructions from: {A}\nrules"));
    serve(&mut world, A, text("more rules"));
    assert_eq!(session.sync(&world), [format!("~ {key}")]);
    let lead = format!(
        "The instructions from {A} have changed. What follows replaces what they said before, and \
         keeps their rank."
    );
    let expect = format!("{lead}\n\nInstructions from: {A}\nmore rules");
    assert_eq!(session.last_text().to_string(), expect);
}

#[test]
fn r_epo_2_what_a_process_cannot_fetch_is_restated() {
    let mut world = World::repo(&[]);
    let mut session = Session::open();
    session.policy = user(&[A]);
    serve(&mut world, A, text("rules"));
    session.sync(&world);
    serve(&mut world, A, Observation::Unavailable(UnavailableReason::NotRegistered));
    session.run(&Command::Compact { position: None });
    let key = short(&at_repo(&world, &session.policy).urls[0].key);
    assert_eq!(session.sync(&world), ["epoch 2".to_owned(), format!("= {key}")]);
}

#[test]
fn r_url_2_what_a_look_found_is_told_held_or_told_as_removed() {
    let mut world = World::repo(&[]);
    let mut session = Session::open();
    session.policy = user(&[A]);
    serve(&mut world, A, text("rules\r\n"));
    session.sync(&world);
    let key = short(&at_repo(&world, &session.policy).urls[0].key);
    serve(&mut world, A, text("rules\n"));
    assert_eq!(session.sync(&world), [""; 0], "line endings alone are no change");
    serve(&mut world, A, Observation::Unavailable(UnavailableReason::Timeout));
    assert_eq!(session.sync(&world), [""; 0]);
    let held = held(session.state(), &at_repo(&world, &session.policy));
    assert_eq!(held[0].since, Some(session.log[1].revision));
    // What is held is restated by the next epoch.
    session.run(&Command::Compact { position: None });
    assert_eq!(session.sync(&world), ["epoch 2".to_owned(), format!("= {key}")]);
    assert!(session.last_text().ends_with(&format!("Instructions from: {A}\nrules\r\n")));
    serve(&mut world, A, Observation::Absent(Absence::NotFound));
    assert_eq!(session.sync(&world), [format!("- {key}")]);
    let gone = format!(
        "The instructions from {A} no longer apply.\n\nPreviously loaded instructions no longer apply."
    );
    assert_eq!(session.last_text().to_string(), gone);
    serve(&mut world, A, text(""));
    assert_eq!(session.sync(&world), [format!("+ {key}")], "an empty text is a text");
}

#[test]
fn r_amb_8_two_urls_begin_with_the_sentence_of_precedence() {
    let mut world = World::repo(&[]);
    let warned = DeliveredText { text: "a".into(), warnings: vec![Warning::InvalidText] };
    serve(&mut world, A, Observation::Available(warned));
    serve(&mut world, "https://example.org/b", text("b"));
    let mut session = Session::open_as(Prior::None, Trust::Untrusted);
    session.policy = user(&[A, "https://example.org/b"]);
    session.sync(&world);
    let told = session.last_text().to_string();
    assert!(told.starts_with("Where the instructions below disagree"), "{told}");
    assert_eq!(at_repo(&world, &session.policy).sources[0].warnings, [Warning::InvalidText]);
}

#[test]
fn r_obs_12_so_many_urls_and_no_more() {
    let entries: Vec<_> = (0..URLS_MAX + 2).map(|number| format!("{A}?{number}")).collect();
    let entries: Vec<_> = entries.iter().map(String::as_str).collect();
    let context = at_repo(&World::repo(&[]), &user(&entries));
    assert_eq!((context.urls.len(), context.withheld.len()), (URLS_MAX, 2));
    assert_eq!(context.withheld[0].reason.as_str(), "limit");
}

#[test]
fn r_ses_10_a_url_is_adopted_by_what_a_configuration_names_or_shows() {
    let mut world = World::repo(&[]);
    let entries = ["https://h/r?token=1", "https://h/r?token=2"];
    for (entry, value) in entries.iter().zip(["one", "two"]) {
        serve(&mut world, entry, text(value));
    }
    let mut session = Session::open();
    session.policy = user(&entries);
    let context = at_repo(&world, &session.policy);
    let claim = |url: &str, told: &str| Adoption {
        source: Claimed::Url(url.parse().unwrap()),
        sha256: Some(ContentHash::of(told)),
    };
    let claims = [
        claim("https://h/r?token=2", "two"),
        claim("https://h/r?***", "one"),
        claim("https://h/r?token=2", "one"),
        claim("https://h/r?token=3", "three"),
    ];
    let found = adoptable(&context, &claims);
    let keys: Vec<_> = found.sources.iter().map(|source| &source.key).collect();
    assert_eq!(keys, [&context.urls[1].key, &context.urls[0].key]);
    let refused = [(2, NotAdopted::OtherContent), (3, NotAdopted::UnknownSource)];
    assert_eq!(found.refused, refused);
    let adopt = Command::Adopt { position: None, context: &context, sources: &claims };
    assert!(matches!(session.run(&adopt), Decision::Commit { .. }));
    assert_eq!(session.sync(&world), ["epoch 1"], "neither is told");
}
