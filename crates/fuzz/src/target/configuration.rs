//! The user's configuration file.

use super::{Came, Target, assert_one_line, project::shape};
use serde_json::{Value, json};
use std::path::Path;
use told::configuration::{Loaded, Origin, Surroundings};

pub(super) const TARGET: Target = Target {
    name: "configuration",
    holds: "what is accepted makes a policy and prints back to an equal configuration, and what is not says \
            why on one line",
    words: &[
        "[instructions]\n",
        "[limits]\n",
        "[context]\n",
        "[urls]\n",
        "[skills]\n",
        "[watch]\n",
        "[store]\n",
        "names = [[\"AGENTS.md\"]]\n",
        "global = [\"AGENTS.md\", \"~/x\", \"/y\"]\n",
        "project = false\n",
        "order = \"nearest_first\"\n",
        "project_markers = [\".git\"]\n",
        "walk_to_home = true\n",
        "include = [\"docs/*.md\", \"~/a\", \"/b\"]\n",
        "exclude = [\"**/x/**\", \"~/y\"]\n",
        "max_bytes = 262144\n",
        "links_outside_project = true\n",
        "update_text = \"diff\"\n",
        "nested_projects = \"ignore\"\n",
        "path_local = false\n",
        "total_bytes = 1\n",
        "candidates = 1\n",
        "look_ms = 0\n",
        "value_bytes = 9\n",
        "environment = false\n",
        "date = false\n",
        "mode = \"off\"\n",
        "wait_ms = 10\n",
        "keep_days = 1\n",
        "directories = [\"~/.agents/skills\"]\n",
        "max_depth = 6\n",
        "timeout_ms = 5\n",
        "\"",
        "[",
        "]",
        "{",
        "*",
        "\\\\",
        "~",
        "..",
        "https://u:p@h/a?b",
        "\u{1b}",
        "\\u001b",
        "\u{202e}",
        "\n",
    ],
    bytes_max: 2048,
    check,
};

fn check(input: &[u8]) -> Came {
    let home = Some("/home/u é".into());
    let surroundings = Surroundings { home, ..Surroundings::default() };
    let file = Path::new("/home/u é/.config/told/config.toml");
    match Loaded::of_bytes(file, input, &surroundings) {
        Ok(loaded) => {
            loaded.configuration().policy().expect("what is accepted makes a policy");
            let (printed, chosen) = print(&loaded);
            let empty = Loaded::of_bytes(file, b"", &surroundings).expect("nothing is said");
            let again = match empty.overlaid(&printed) {
                Ok(again) => again,
                Err(error) => panic!("{printed} is refused: {error}"),
            };
            assert_eq!(print(&again).0, printed, "printed again");
            // What is hidden does not come back.
            if !printed.to_string().contains("***") {
                assert_eq!(again.configuration(), loaded.configuration(), "{printed}");
            }
            Came::accepted(chosen)
        }
        Err(error) => {
            let said = error.to_string();
            assert_one_line(&said);
            Came::refused(shape(&said))
        }
    }
}

/// As an overlay, and the keys that somebody chose.
fn print(loaded: &Loaded) -> (Value, Vec<usize>) {
    let (mut printed, mut chosen) = (json!({}), Vec::new());
    for (at, entry) in loaded.entries().enumerate() {
        let (section, key) = entry.key.split_once('.').expect("section.key");
        printed[section][key] = entry.value;
        chosen.extend((entry.origin != Origin::Default).then_some(at));
        assert_one_line(&entry.origin.to_string());
    }
    (printed, chosen)
}
