//! Skills under a server, on real files that it may watch: R-CFG-3 to R-CFG-5.

use super::life::Life;
use serde_json::{Value, json};

const ROOT: &str = "shop/.agents/skills";

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n# How to {name}\n")
}

impl Life {
    fn write_skill(&self, name: &str, description: &str) {
        self.bench.write(&format!("{ROOT}/{name}/SKILL.md"), skill(name, description));
    }

    fn remove(&self, path: &str) {
        std::fs::remove_dir_all(self.bench.path(path)).unwrap();
    }

    /// What `skill/list` says: names, and each withheld path with its reason.
    fn skills(&mut self) -> (Vec<String>, Vec<(String, String)>) {
        let directory = self.bench.path("shop/api");
        let found = self.server.get("skill/list", json!({"directory": directory}));
        let names = found["skills"].as_array().unwrap().iter();
        let names = names.map(|skill| skill["name"].as_str().unwrap().to_owned()).collect();
        let home = self.bench.path("").display().to_string();
        let left_out = |source: &Value| {
            let path = source["path"].as_str().unwrap();
            let path = path.strip_prefix(&home).unwrap_or(path).to_owned();
            (path, source["reason"].as_str().unwrap().to_owned())
        };
        (names, found["withheld"].as_array().unwrap().iter().map(left_out).collect())
    }
}

#[test]
fn r_cfg_5_skills_come_change_and_go() {
    let mut life = Life::begin();
    // More boundaries than it takes to watch, and to verify what is watched.
    for round in 0..8 {
        life.write_skill("pdf", "Reads PDF.");
        let told = life.boundary();
        assert_eq!(told.changes, ["added core/skills"], "{round}");
        let text = "Skills that can be loaded by name, and what each is for:\n- pdf: Reads PDF.";
        assert_eq!(told.text, text);
        life.write_skill("git", "Commits.");
        let told = life.boundary();
        assert_eq!(told.changes, ["changed core/skills"], "{round}");
        let lead =
            "The list of skills has changed. What follows amends what was said of it before.";
        assert_eq!(told.text, format!("{lead}\n\nNew skills:\n- git: Commits."));
        life.write_skill("git", "Commits well.");
        let text = format!("{lead}\n\nSkills with another description:\n- git: Commits well.");
        assert_eq!(life.boundary().text, text);
        life.bench
            .write(&format!("{ROOT}/git/SKILL.md"), skill("git", "Commits well.") + "More.\n");
        assert_eq!(life.boundary().changes, [""; 0], "a body is told to nobody");
        life.remove(&format!("{ROOT}/pdf"));
        let text = format!("{lead}\n\nSkills that can no longer be loaded:\n- pdf");
        assert_eq!(life.boundary().text, text);
        if round % 2 == 0 {
            life.remove(ROOT);
        } else {
            life.bench.write(&format!("{ROOT}/git/SKILL.md"), "no skill\n");
        }
        let told = life.boundary();
        assert_eq!(told.changes, ["removed core/skills"], "{round}");
        assert_eq!(told.text, "The list of skills no longer applies.");
    }
}

#[test]
fn r_cfg_4_what_breaks_the_format_is_withheld_and_the_others_stay() {
    let mut life = Life::begin();
    life.write_skill("good", "Stays.");
    let put = |name: &str, text: &str| life.bench.write(&format!("{ROOT}/{name}/SKILL.md"), text);
    put("bom", &format!("\u{feff}{}", skill("bom", "Has a mark.")));
    put("crlf", &skill("crlf", "Has other line ends.").replace('\n', "\r\n"));
    put("bare", "# Nothing before\n");
    put("open", "---\nname: open\ndescription: d\n");
    put("yaml", "---\nname: yaml\ndescription: when: always\n---\n");
    put(
        "bomb",
        "---\nname: bomb\ndescription: &a d\nb: &b [*a, *a]\nc: [*b, *b, *b]\nd: *z\n---\n",
    );
    put("other", &skill("another", "d"));
    put("Upper", &skill("Upper", "d"));
    put("mute", "---\nname: mute\n---\n");
    put("long", &skill("long", &"x".repeat(1025)));
    put("late", &format!("---\nname: late\ndescription: d\nx: {}\n---\n", "y".repeat(20_000)));
    let told = life.boundary();
    assert_eq!(told.changes, ["added core/skills"]);
    assert!(told.text.contains("- bom: Has a mark.\n- crlf: Has other line ends.\n- good: Stays."));
    let broken = ["Upper", "bare", "bomb", "late", "long", "mute", "open", "other", "yaml"];
    let expect = broken.map(|name| (format!("{ROOT}/{name}/SKILL.md"), "invalid_skill".to_owned()));
    assert_eq!(life.skills().1, expect);
    assert_eq!(told.briefing["withheld"].as_array().unwrap().len(), broken.len());
    let sources = life.server.get("session/sources", json!({"session": "life/1"}));
    let sources = sources["sources"].as_array().unwrap();
    let listed = sources.iter().find(|source| source["source"] == "core/skills").unwrap();
    assert_eq!((&listed["kind"], &listed["state"]), (&json!("skills"), &json!("active")));
    life.bench.write(&format!("{ROOT}/good/SKILL.md"), "");
    let told = life.boundary();
    assert!(told.text.ends_with("Skills that can no longer be loaded:\n- good"), "{}", told.text);
}

#[test]
fn r_cfg_3_a_body_is_loaded_on_request() {
    let mut life = Life::begin_with("[instructions]\nmax_bytes = 200\n");
    life.write_skill("pdf", "Reads PDF.");
    let directory = life.bench.path("shop/api");
    let load = |life: &mut Life, name: &str| {
        life.server.call("skill/load", json!({"directory": directory, "name": name}))
    };
    let path = life.bench.path(&format!("{ROOT}/pdf/SKILL.md"));
    let expect = json!({"name": "pdf", "path": path, "body": "# How to pdf\n"});
    assert_eq!(load(&mut life, "pdf"), Ok(expect));
    // As it is now, and cut visibly.
    let long = skill("pdf", "Reads PDF.") + &"A line.\n".repeat(100);
    life.bench.write(&format!("{ROOT}/pdf/SKILL.md"), &long);
    let cut = load(&mut life, "pdf").unwrap();
    let body = cut["body"].as_str().unwrap();
    assert!(
        body.starts_with("[Only the first ") && body.contains("# How to pdf\nA line.\n"),
        "{body}"
    );
    assert_eq!(cut["warnings"], json!(["truncated"]));
    for name in ["docx", "../pdf", "", "pdf/"] {
        let error = load(&mut life, name).unwrap_err();
        assert_eq!((&error["code"], &error["data"]["params"]), (&json!(-32602), &json!(["name"])));
    }
    life.server.refused("skill/load", json!({"directory": directory}), -32602);
    life.server.refused("skill/list", json!({"directory": "/no/such"}), -32009);
}

#[test]
fn r_cfg_4_of_equal_names_the_nearest_is_listed_and_loaded() {
    let mut life = Life::begin();
    life.bench.write(".agents/skills/pdf/SKILL.md", skill("pdf", "The home's."));
    life.bench.write(".agents/skills/git/SKILL.md", skill("git", "The home's."));
    assert_eq!(life.boundary().changes, ["added core/skills"]);
    life.write_skill("pdf", "The project's.");
    let text = life.boundary().text;
    assert!(text.ends_with("another description:\n- pdf: The project's."), "{text}");
    life.bench.write("shop/api/.agents/skills/pdf/SKILL.md", skill("pdf", "The Location's."));
    let text = life.boundary().text;
    assert!(text.ends_with("another description:\n- pdf: The Location's."), "{text}");
    let shadowed = |path: &str| (path.to_owned(), "shadowed".to_owned());
    let expect =
        [shadowed(".agents/skills/pdf/SKILL.md"), shadowed("shop/.agents/skills/pdf/SKILL.md")];
    assert_eq!(life.skills(), (vec!["git".to_owned(), "pdf".to_owned()], expect.to_vec()));
    life.remove("shop/api/.agents");
    life.remove("shop/.agents");
    let text = life.boundary().text;
    assert!(text.ends_with("another description:\n- pdf: The home's."), "{text}");
}

#[test]
fn r_epo_2_a_restart_tells_nothing_and_a_compaction_restates() {
    let mut life = Life::begin();
    life.write_skill("pdf", "Reads PDF.");
    life.boundary();
    life.write_skill("git", "Commits.");
    life.boundary();
    life.restart();
    assert_eq!(life.boundary().changes, [""; 0]);
    life.write_skill("git", "Commits well.");
    life.restart();
    assert_eq!(life.boundary().changes, ["changed core/skills"], "from the list as it was told");
    let compacted = json!({"session": "life/1", "position": life.position});
    life.server.get("session/compact", compacted);
    let told = life.boundary();
    let baseline = told.briefing["epoch"]["baseline"]["text"].as_str().unwrap();
    let list = "what each is for:\n- git: Commits well.\n- pdf: Reads PDF.\n\nEnvironment:";
    assert!(baseline.contains(list), "{baseline}");
}

#[test]
fn r_cfg_6_a_project_names_its_own_directories() {
    let mut life = Life::begin();
    life.write_skill("pdf", "Reads PDF.");
    life.bench.write("shop/tools/skills/web/SKILL.md", skill("web", "Looks things up."));
    life.bench.write("shop/.told/config.toml", "[skills]\ndirectories = [\"tools/skills\"]\n");
    assert!(life.boundary().text.ends_with("- web: Looks things up."));
    assert_eq!(life.skills().0, ["web"]);
    std::fs::remove_file(life.bench.path("shop/.told/config.toml")).unwrap();
    let text = life.boundary().text;
    assert!(text.ends_with("loaded:\n- web\nNew skills:\n- pdf: Reads PDF."), "{text}");
}

#[test]
fn r_amb_9_an_untrusted_session_has_none_of_the_projects() {
    let mut life = Life::begin();
    life.write_skill("pdf", "The project's.");
    life.bench.write(".agents/skills/git/SKILL.md", skill("git", "The home's."));
    let at = json!(life.bench.path("shop/api"));
    let params = json!({"session": "untrusted", "directory": at, "trust": "untrusted"});
    life.server.get("session/open", params);
    let briefing = life.server.sync("untrusted");
    let baseline = briefing["epoch"]["baseline"]["text"].as_str().unwrap();
    assert!(baseline.contains("- git: ") && !baseline.contains("pdf"), "{baseline}");
    let root = format!("file:{}", life.bench.path(ROOT).display());
    let withheld = briefing["withheld"].as_array().unwrap();
    assert!(withheld.iter().any(|w| w["source"] == root && w["reason"] == "untrusted"));
}

#[test]
fn r_cfg_3_what_a_host_provides_is_a_skill_as_a_file_is() {
    let mut life = Life::begin();
    let path = life.bench.path(&format!("{ROOT}/pdf/SKILL.md"));
    let directory = life.bench.path("shop/api");
    let files = json!([{"path": path, "content": skill("pdf", "From a buffer.")}]);
    life.server.get("location/provide", json!({"directory": directory, "files": files}));
    assert!(life.boundary().text.ends_with("- pdf: From a buffer."));
    let loaded = life.server.get("skill/load", json!({"directory": directory, "name": "pdf"}));
    assert_eq!(loaded["body"], "# How to pdf\n");
}

#[cfg(unix)]
mod unix {
    use super::{Life, ROOT, skill};
    use std::{
        fs::{self, Permissions},
        os::unix::fs::{PermissionsExt, symlink},
        process::Command,
    };

    #[test]
    fn r_obs_7_links_stay_in_the_project_and_pipes_block_nobody() {
        let mut life = Life::begin();
        life.bench.write("shop/shared/pdf/SKILL.md", skill("pdf", "Shared."));
        life.bench.write("else/out/SKILL.md", skill("out", "From outside."));
        let at = |path: &str| life.bench.path(path);
        fs::create_dir_all(at(&format!("{ROOT}/pipe"))).unwrap();
        symlink("../../shared/pdf", at(&format!("{ROOT}/pdf"))).unwrap();
        symlink("../../../else/out", at(&format!("{ROOT}/out"))).unwrap();
        symlink("loop", at(&format!("{ROOT}/loop"))).unwrap();
        let pipe = at(&format!("{ROOT}/pipe/SKILL.md"));
        assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
        assert!(life.boundary().text.ends_with("for:\n- pdf: Shared."));
        let withheld =
            |name: &str, reason: &str| (format!("{ROOT}/{name}/SKILL.md"), reason.to_owned());
        let expect = [withheld("out", "outside_project"), withheld("pipe", "not_regular_file")];
        assert_eq!(life.skills(), (vec!["pdf".to_owned()], expect.to_vec()));
        life.bench.write("shop/shared/pdf/SKILL.md", skill("pdf", "Shared, edited."));
        assert!(life.boundary().text.ends_with("description:\n- pdf: Shared, edited."));
        fs::remove_file(at_of(&life, "pdf")).unwrap();
        assert_eq!(life.boundary().changes, ["removed core/skills"]);
    }

    fn at_of(life: &Life, name: &str) -> std::path::PathBuf {
        life.bench.path(&format!("{ROOT}/{name}"))
    }

    #[test]
    fn r_obs_1_a_directory_that_cannot_be_read_keeps_its_skills() {
        let mut life = Life::begin();
        life.write_skill("pdf", "Reads PDF.");
        life.write_skill("git", "Commits.");
        life.bench.write(".agents/skills/web/SKILL.md", skill("web", "Looks things up."));
        life.boundary();
        let root = life.bench.path(ROOT);
        fs::set_permissions(&root, Permissions::from_mode(0o000)).unwrap();
        if fs::read_dir(&root).is_ok() {
            // Whoever may read everything proves nothing here: a loop fails for all.
            fs::set_permissions(&root, Permissions::from_mode(0o755)).unwrap();
            fs::rename(&root, life.bench.path("shop/.agents/aside")).unwrap();
            symlink("skills", &root).unwrap();
        }
        let told = life.boundary();
        assert_eq!(told.changes, [""; 0]);
        let held = &told.briefing["held"][0];
        assert_eq!(held["source"], format!("file:{}", root.display()));
        assert!(held["since"].as_u64().is_some(), "{held}");
        // A restart knows of them from the record alone, and what others say still counts.
        life.restart();
        life.bench.write(".agents/skills/web/SKILL.md", skill("web", "Looks up."));
        let told = life.boundary();
        assert!(told.text.ends_with("another description:\n- web: Looks up."), "{}", told.text);
        if fs::symlink_metadata(&root).unwrap().is_symlink() {
            fs::remove_file(&root).unwrap();
        } else {
            fs::set_permissions(&root, Permissions::from_mode(0o755)).unwrap();
            fs::remove_dir_all(&root).unwrap();
        }
        let told = life.boundary();
        assert!(told.text.ends_with("no longer be loaded:\n- git\n- pdf"), "{}", told.text);
    }
}
