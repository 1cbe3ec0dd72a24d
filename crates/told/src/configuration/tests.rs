//! Tables: every key, every error, every way to name a file.

use super::{Chosen, Configuration, ConfigurationError, Loaded, Origin, Surroundings};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use told_domain::policy::{Builtin, Links, PathLocal, Policy, ProjectFiles};

fn surroundings(home: &Path) -> Surroundings {
    Surroundings {
        home: Some(home.into()),
        working_directory: home.join("work"),
        ..Surroundings::default()
    }
}

/// A home directory with `text` as its user configuration.
fn home_with(text: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(home.path().join(".config/told")).unwrap();
    std::fs::write(home.path().join(".config/told/config.toml"), text).unwrap();
    home
}

fn read(text: &str) -> (tempfile::TempDir, Result<Loaded, ConfigurationError>) {
    let home = home_with(text);
    let loaded = Loaded::read(&surroundings(home.path()), &Chosen::default());
    (home, loaded)
}

/// What is wrong with `text`, its directory shown as `~`.
fn wrong(text: &str) -> String {
    let (home, loaded) = read(text);
    loaded.unwrap_err().to_string().replace(home.path().to_str().unwrap(), "~")
}

fn value(loaded: &Loaded, key: &str) -> Value {
    loaded.entries().find(|entry| entry.key == key).unwrap().value
}

fn origin(loaded: &Loaded, key: &str) -> Origin {
    loaded.entries().find(|entry| entry.key == key).unwrap().origin
}

#[test]
fn the_defaults_are_those_of_the_manual() {
    let home = tempfile::tempdir().unwrap();
    let loaded = Loaded::read(&surroundings(home.path()), &Chosen::default()).unwrap();
    let global = home.path().join(".config/told/AGENTS.md");
    let exclude = ["**/node_modules/**", "**/.venv/**", "**/site-packages/**", "**/.git/**"];
    let manual = [
        ("instructions.names", json!([["AGENTS.md"]])),
        ("instructions.global", json!([global])),
        ("instructions.project", json!(true)),
        ("instructions.order", json!("broad_to_specific")),
        ("instructions.project_markers", json!([".git"])),
        ("instructions.walk_to_home", json!(false)),
        ("instructions.include", json!([])),
        ("instructions.exclude", json!(exclude)),
        ("instructions.max_bytes", json!(262_144)),
        ("instructions.links_outside_project", json!(false)),
        ("instructions.update_text", json!("full")),
        ("instructions.framing", json!("plain")),
        ("instructions.nested_projects", json!("own")),
        ("instructions.path_local", json!(true)),
        ("limits.total_bytes", json!(4_194_304)),
        ("limits.candidates", json!(20_000)),
        ("limits.directory_entries", json!(10_000)),
        ("limits.look_ms", json!(2_000)),
        ("limits.value_bytes", json!(32_768)),
        ("context.environment", json!(true)),
        ("context.date", json!(true)),
        ("skills.directories", json!([".agents/skills", "~/.agents/skills"])),
        ("skills.max_depth", json!(6)),
        ("urls.timeout_ms", json!(5_000)),
        ("urls.max_bytes", json!(1_048_576)),
        ("urls.not_found_after", json!(2)),
        ("urls.from_projects", json!(false)),
        ("urls.private_addresses", json!(false)),
        ("urls.ttl_s", json!(60)),
        ("urls.retry_after_s", json!(30)),
        ("watch.mode", json!("auto")),
        ("store.wait_ms", json!(10_000)),
        ("store.keep_days", json!(0)),
    ];
    let found = loaded.entries().map(|entry| (entry.key, entry.value)).collect::<Vec<_>>();
    assert_eq!(found, manual);
    assert!(loaded.entries().all(|entry| entry.origin == Origin::Default));
    assert!(!loaded.file_exists());
    assert_eq!(*loaded.configuration(), Configuration::new(&surroundings(home.path())));
}

#[test]
fn every_key_can_be_set_in_a_file_and_by_an_overlay() {
    let elsewhere = json!(["/etc/told/AGENTS.md"]);
    for (section, name, toml, json) in [
        (
            "instructions",
            "names",
            r#"[["A.md", "B.md"], ["docs/C.md"]]"#,
            json!([["A.md", "B.md"], ["docs/C.md"]]),
        ),
        ("instructions", "global", r#"["/etc/told/AGENTS.md"]"#, elsewhere),
        ("instructions", "project", "false", json!(false)),
        ("instructions", "order", r#""nearest_first""#, json!("nearest_first")),
        ("instructions", "project_markers", r#"[".hg", ".git"]"#, json!([".hg", ".git"])),
        ("instructions", "walk_to_home", "true", json!(true)),
        (
            "instructions",
            "include",
            r#"["/etc/a.md", "/etc/rules/**/*.md"]"#,
            json!(["/etc/a.md", "/etc/rules/**/*.md"]),
        ),
        (
            "instructions",
            "exclude",
            r#"["/vendor/**", "**/*.bak"]"#,
            json!(["/vendor/**", "**/*.bak"]),
        ),
        ("instructions", "max_bytes", "0x400", json!(1024)),
        ("instructions", "links_outside_project", "true", json!(true)),
        ("instructions", "update_text", r#""diff""#, json!("diff")),
        ("instructions", "framing", r#""tagged""#, json!("tagged")),
        ("instructions", "nested_projects", r#""ignore""#, json!("ignore")),
        ("instructions", "path_local", "false", json!(false)),
        ("limits", "total_bytes", "1_000_000", json!(1_000_000)),
        ("limits", "candidates", "7", json!(7)),
        ("limits", "directory_entries", "8", json!(8)),
        ("limits", "look_ms", "9", json!(9)),
        ("limits", "value_bytes", "10", json!(10)),
        ("context", "environment", "false", json!(false)),
        ("context", "date", "false", json!(false)),
        ("skills", "directories", r#"["skills", "/opt/skills"]"#, json!(["skills", "/opt/skills"])),
        ("skills", "max_depth", "2", json!(2)),
        ("watch", "mode", r#""off""#, json!("off")),
        ("store", "wait_ms", "0", json!(0)),
        ("store", "keep_days", "30", json!(30)),
    ] {
        let key = format!("{section}.{name}");
        let (home, loaded) = read(&format!("# a comment\n[{section}]\n\n{name} = {toml}\n"));
        let loaded = loaded.unwrap();
        let file = home.path().join(".config/told/config.toml");
        assert_eq!(value(&loaded, &key), json, "{key}");
        assert_eq!(origin(&loaded, &key), Origin::File(file, 4), "{key}");
        let others = loaded.entries().filter(|entry| entry.origin == Origin::Default).count();
        assert_eq!(others, loaded.entries().count() - 1, "{key}");

        let (_home, loaded) = read("");
        let loaded = loaded.unwrap().overlaid(&json!({ section: { name: json } })).unwrap();
        assert_eq!(value(&loaded, &key), json, "{key}");
        assert_eq!(origin(&loaded, &key), Origin::Overlay, "{key}");
        assert!(loaded.configuration().policy().is_ok(), "{key}");
    }
}

#[test]
fn what_does_not_count_is_told_with_file_line_and_nearest_key() {
    let at = |line: usize, what: &str| format!("~/.config/told/config.toml:{line}: {what}");
    for (text, line, what) in [
        (
            "[instructions]\nproject = true\nexlude = []",
            3,
            "unknown key `instructions.exlude`; did you mean `instructions.exclude`?",
        ),
        (
            "instructions.exlude = []",
            1,
            "unknown key `instructions.exlude`; did you mean `instructions.exclude`?",
        ),
        ("[instruction]\nnames = []", 1, "unknown key `instruction`; did you mean `instructions`?"),
        (
            "[instructions]\ntotal_bytes = 1",
            2,
            "unknown key `instructions.total_bytes`; did you mean `limits.total_bytes`?",
        ),
        ("max_bytes = 1", 1, "unknown key `max_bytes`; did you mean `instructions.max_bytes`?"),
        ("[routes]\nttl_s = 1", 1, "unknown key `routes`; the nearest known key is `context`"),
        ("[urls]\nttl = 1", 2, "unknown key `urls.ttl`; the nearest known key is `urls.ttl_s`"),
        (
            "[instructions]\nincludes = []",
            2,
            "unknown key `instructions.includes`; did you mean `instructions.include`?",
        ),
        (
            "[instructions]\ninclude = \"a.md\"",
            2,
            "`instructions.include` must be a list of paths, globs and URLs, not a string",
        ),
        (
            "[instructions]\ninclude = [\n  \"ok.md\",\n  \"a/[\",\n]",
            4,
            "`instructions.include`: `a/[` is no glob: unclosed character class; missing ']'",
        ),
        (
            "[instructions]\ninclude = [\"*/../a.md\"]",
            2,
            "`instructions.include`: `*/../a.md` is no glob: `.` and `..` can only stand before the first wildcard",
        ),
        (
            "[instructions]\ninclude = [\n\"ftp://u:p@example.org/r?key=secret\"]",
            3,
            "`instructions.include`: `ftp://***`: no URL to fetch: it is neither http nor https",
        ),
        (
            "[limits]\n\"a\\u001bb\" = 1",
            2,
            "unknown key `limits.a\\u{1b}b`; the nearest known key is `limits.look_ms`",
        ),
        ("[limits]\nlook_ms = \"2s\"", 2, "`limits.look_ms` must be a whole number, not a string"),
        ("[limits]\nlook_ms = 1.5", 2, "`limits.look_ms` must be a whole number, not a fraction"),
        ("[limits]\nlook_ms = 0", 2, "`limits.look_ms` must be from 1 to 3600000, not 0"),
        ("[limits]\nlook_ms = -5", 2, "`limits.look_ms` must be from 1 to 3600000, not -5"),
        (
            "[limits]\ncandidates = 1_000_001",
            2,
            "`limits.candidates` must be from 1 to 1000000, not 1000001",
        ),
        ("limits = 3", 1, "`limits` must be a table, not a whole number"),
        ("[context]\ndate = \"yes\"", 2, "`context.date` must be true or false, not a string"),
        ("[context]\ndate = 2026-11-30", 2, "`context.date` must be true or false, not a date"),
        (
            "[instructions]\norder = \"nearest\"",
            2,
            "`instructions.order` must be \"broad_to_specific\" or \"nearest_first\", not \"nearest\"",
        ),
        (
            "[instructions]\norder = 1",
            2,
            "`instructions.order` must be a string, not a whole number",
        ),
        (
            "[instructions]\nnames = [\"AGENTS.md\"]",
            2,
            "`instructions.names` must be a list of lists of names, as in [[\"AGENTS.md\"]], not a string",
        ),
        (
            "[instructions]\nnames = [\n  [\"A.md\"],\n  [],\n]",
            4,
            "`instructions.names` has a group without a name; leave the group out or name a file",
        ),
        (
            "[instructions]\nnames = [\n  [\"../A.md\"],\n]",
            3,
            "`instructions.names`: `../A.md` is no file name: a name is relative, without `.` or `..`, and not empty",
        ),
        (
            "[instructions]\nproject_markers = [\"\"]",
            2,
            "`instructions.project_markers`: `` is no file name: a name is relative, without `.` or `..`, and not empty",
        ),
        (
            "[instructions]\nglobal = \"AGENTS.md\"",
            2,
            "`instructions.global` must be a list of paths, not a string",
        ),
        (
            "[instructions]\nglobal = [1]",
            2,
            "`instructions.global` must be a list of paths, not a whole number",
        ),
        (
            "[instructions]\nexclude = [\n  \"**/ok\",\n  \"a[\",\n]",
            4,
            "`instructions.exclude`: `a[` is no glob: unclosed character class; missing ']'",
        ),
    ] {
        assert_eq!(wrong(text), at(line, what), "{text}");
    }
    assert!(
        wrong("[limits\nlook_ms = 1")
            .starts_with("~/.config/told/config.toml:1: this is no TOML: ")
    );
    assert!(
        wrong("[store]\nwait_ms = 1\nwait_ms = 2").starts_with("~/.config/told/config.toml:3: ")
    );
}

#[test]
fn the_first_mistake_of_the_text_is_told() {
    assert!(wrong("[store]\nzzz = 1\n[context]\naaa = 1").contains(":2: unknown key `store.zzz`"));
}

#[test]
fn an_overlay_names_the_key_that_does_not_count() {
    let (_home, loaded) = read("");
    let loaded = loaded.unwrap();
    for (overlay, what) in [
        (
            json!({"limits": {"look": 1}}),
            "unknown key `limits.look`; the nearest known key is `limits.look_ms`",
        ),
        (json!({"limits": {"look_ms": null}}), "`limits.look_ms` must be a whole number, not null"),
        (
            json!({"limits": {"look_ms": 1.5}}),
            "`limits.look_ms` must be a whole number, not a fraction",
        ),
        (json!({"limits": []}), "`limits` must be a table, not a list"),
        (json!(7), "`configuration` must be a table, not a whole number"),
    ] {
        let error = loaded.clone().overlaid(&overlay).unwrap_err();
        assert_eq!(error.to_string(), format!("the configuration that the host gave: {what}"));
    }
}

#[test]
fn an_overlay_lies_over_the_file_key_by_key() {
    let (_home, loaded) = read("[limits]\nlook_ms = 5\ncandidates = 6");
    let loaded = loaded.unwrap().overlaid(&json!({"limits": {"look_ms": 7}})).unwrap();
    assert_eq!(value(&loaded, "limits.look_ms"), 7);
    assert_eq!(value(&loaded, "limits.candidates"), 6);
    assert_eq!(origin(&loaded, "limits.look_ms"), Origin::Overlay);
}

#[test]
fn relative_paths_start_at_the_file_and_a_tilde_at_home() {
    let (home, loaded) = read(
        "[instructions]\nglobal = [\"more/A.md\", \"../B.md\", \"~/C.md\"]\nexclude = [\"~/x/**\"]",
    );
    let loaded = loaded.unwrap();
    let there = |path: &str| home.path().join(path);
    let global = [there(".config/told/more/A.md"), there(".config/B.md"), there("C.md")];
    assert_eq!(loaded.configuration().instructions.global, global);
    assert_eq!(value(&loaded, "instructions.exclude"), json!([there("x/**")]));

    let (home, loaded) = read("[instructions]\ninclude = [\"A.md\", \"../r/*.md\", \"~/C.md\"]");
    let there = |path: &str| home.path().join(path);
    let include = [there(".config/told/A.md"), there(".config/r/*.md"), there("C.md")];
    assert_eq!(value(&loaded.unwrap(), "instructions.include"), json!(include));

    // A URL is relative to nothing, and shown without its secrets.
    let (_home, loaded) = read("[instructions]\ninclude = [\"https://u:p@example.org/r?key=s\"]");
    let loaded = loaded.unwrap();
    assert_eq!(value(&loaded, "instructions.include"), json!(["https://***@example.org/r?***"]));
    assert!(!format!("{:?}", loaded.configuration()).contains("key=s"));

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("c.toml");
    std::fs::write(&file, "[instructions]\nglobal = [\"~/A.md\"]").unwrap();
    let chosen = Chosen { config: Some(file), store: None };
    let homeless = Loaded::read(&Surroundings::default(), &chosen).unwrap_err();
    assert!(homeless.to_string().ends_with(
        "c.toml:2: `instructions.global` needs a home directory, and there is none; set HOME"
    ));
}

#[test]
fn the_file_is_the_flags_then_the_variables_then_xdgs_then_homes() {
    let root = tempfile::tempdir().unwrap();
    let put = |path: &str, ms: u64| {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("[limits]\nlook_ms = {ms}")).unwrap();
        path
    };
    let mut around = surroundings(root.path());
    let look_ms = |around: &Surroundings, config: Option<&str>| {
        let chosen = Chosen { config: config.map(PathBuf::from), store: None };
        Loaded::read(around, &chosen).unwrap().configuration().limits.look_ms
    };
    assert_eq!(look_ms(&around, None), 2_000);
    put(".config/told/config.toml", 1);
    assert_eq!(look_ms(&around, None), 1);
    put("xdg/told/config.toml", 2);
    around.xdg_config_home = Some("xdg".into());
    assert_eq!(look_ms(&around, None), 1, "a relative XDG directory does not count");
    around.xdg_config_home = Some(root.path().join("xdg"));
    assert_eq!(look_ms(&around, None), 2);
    put("work/variable.toml", 3);
    around.told_config = Some("variable.toml".into());
    assert_eq!(look_ms(&around, None), 3);
    put("work/sub/flag.toml", 4);
    assert_eq!(look_ms(&around, Some("sub/flag.toml")), 4);
    let chosen = Chosen { config: Some("sub/flag.toml".into()), store: None };
    let loaded = Loaded::read(&around, &chosen).unwrap();
    let global = root.path().join("work/sub/AGENTS.md");
    assert_eq!(loaded.configuration().instructions.global, [global], "beside the file that counts");
}

#[test]
fn a_named_file_must_be_there() {
    let home = tempfile::tempdir().unwrap();
    let around = surroundings(home.path());
    let chosen = Chosen { config: Some("no.toml".into()), store: None };
    let flag = Loaded::read(&around, &chosen).unwrap_err().to_string();
    assert!(
        flag.ends_with(
            "no.toml: there is no such file, and --config names it; create it or name another"
        ),
        "{flag}"
    );
    let around = Surroundings { told_config: Some("/no/such.toml".into()), ..around };
    let variable = Loaded::read(&around, &Chosen::default()).unwrap_err().to_string();
    assert_eq!(
        variable,
        "/no/such.toml: there is no such file, and TOLD_CONFIG names it; create it or name another"
    );
}

#[test]
fn a_file_that_is_no_text_or_no_file_is_told() {
    let home = home_with("");
    let file = home.path().join(".config/told/config.toml");
    let tell =
        || Loaded::read(&surroundings(home.path()), &Chosen::default()).unwrap_err().to_string();
    std::fs::write(&file, b"a = \"\xff\"").unwrap();
    assert!(tell().ends_with("config.toml: the file is no UTF-8 text; save it as UTF-8"));
    std::fs::write(&file, vec![b'\n'; 1024 * 1024 + 1]).unwrap();
    assert!(tell().ends_with("has over 1048576 bytes, more than any configuration needs"));
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    assert!(tell().contains("config.toml: the file cannot be read: "));
}

#[test]
fn the_store_is_the_flags_then_the_variables_then_xdgs_then_homes() {
    let mut around = surroundings(Path::new("/home/u"));
    let store = |around: &Surroundings, flag: Option<&str>| {
        let chosen = Chosen { config: None, store: flag.map(PathBuf::from) };
        let loaded = Loaded::read(around, &chosen).unwrap();
        let path = loaded.configuration().store_path().unwrap().to_path_buf();
        (path, loaded.store_origin().clone())
    };
    let default = (PathBuf::from("/home/u/.local/share/told/store.redb"), Origin::Default);
    assert_eq!(store(&around, None), default);
    around.xdg_data_home = Some("/data".into());
    assert_eq!(store(&around, None), ("/data/told/store.redb".into(), Origin::Default));
    around.told_store = Some("s.redb".into());
    let variable = ("/home/u/work/s.redb".into(), Origin::Environment("TOLD_STORE"));
    assert_eq!(store(&around, None), variable);
    let flag = ("/home/u/work/t.redb".into(), Origin::Flag("--store"));
    assert_eq!(store(&around, Some("t.redb")), flag);

    let homeless = Configuration::new(&Surroundings::default());
    assert_eq!(
        homeless.store_path().unwrap_err().to_string(),
        "the configuration: there is no home directory to keep the store in; set TOLD_STORE or give --store PATH"
    );
}

#[test]
fn the_defaults_give_the_rules_defaults() {
    let mut configuration = Configuration::new(&Surroundings::default());
    let policy = configuration.policy().unwrap();
    configuration.instructions.exclude.clear();
    configuration.skills.directories.clear();
    assert_eq!(configuration.policy().unwrap(), Policy::default());
    assert_ne!(policy, Policy::default(), "the rules exclude and name nothing by themselves");
}

#[test]
fn every_switch_reaches_the_rules() {
    let mut configuration = Configuration::new(&surroundings(Path::new("/home/u")));
    configuration.instructions.project = false;
    configuration.instructions.walk_to_home = true;
    configuration.instructions.links_outside_project = true;
    configuration.instructions.path_local = false;
    configuration.instructions.max_bytes = 7;
    configuration.limits.look_ms = 8;
    configuration.context.environment = false;
    let policy = configuration.policy().unwrap();
    assert_eq!(policy.instructions.project, ProjectFiles::Disabled);
    assert_eq!(policy.instructions.walk_to_home.unwrap().as_str(), "/home/u");
    assert_eq!(policy.instructions.global[0].as_str(), "/home/u/.config/told/AGENTS.md");
    assert_eq!(policy.instructions.links, Links::Anywhere);
    assert_eq!(policy.instructions.path_local, PathLocal::Off);
    assert_eq!(policy.instructions.max_bytes, 7);
    assert_eq!(policy.limits.look_ms, 8);
    assert_eq!((policy.builtins.environment, policy.builtins.date), (Builtin::Off, Builtin::Told));
}

#[test]
fn what_code_set_is_checked_as_well() {
    let home = surroundings(Path::new("/home/u"));
    let tell = |change: fn(&mut Configuration), around: &Surroundings| {
        let mut configuration = Configuration::new(around);
        change(&mut configuration);
        configuration.policy().unwrap_err().to_string()
    };
    assert_eq!(
        tell(|c| c.instructions.global = vec!["A.md".into()], &home),
        "the configuration: `instructions.global`: `A.md` cannot be used: the path is not absolute"
    );
    assert_eq!(
        tell(|c| c.instructions.names = vec![vec!["..".into()]], &home),
        "the configuration: `instructions.names`: `..` is no file name: a name is relative, without `.` or `..`, and not empty"
    );
    assert_eq!(
        tell(|c| c.instructions.exclude = vec!["{".into()], &home).split(": ").nth(1),
        Some("`instructions.exclude`")
    );
    assert_eq!(
        tell(|c| c.instructions.walk_to_home = true, &Surroundings::default()),
        "the configuration: `instructions.walk_to_home` needs a home directory, and there is none; set HOME"
    );
}
