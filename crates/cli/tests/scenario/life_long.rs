//! A session of two hundred steps, forked at each of them and taken back to each of them (R-BND-6,
//! R-SES-1, R-SES-2).

use super::{
    client::texts,
    kill::Dice,
    life::{Life, SESSION},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs};

const STEPS: u64 = 200;
/// The first two are ambient.
const DIRECTORIES: [&str; 6] =
    ["shop", "shop/api", "shop/web", "shop/lib", "shop/lib/deep", "shop/doc"];

/// A host that knows what it was sent at each position, and what lies on the disk.
struct Story {
    life: Life,
    dice: Dice,
    sent: Vec<Sent>,
    disk: BTreeMap<&'static str, String>,
    /// Where each directory was read first.
    reads: BTreeMap<&'static str, u64>,
}

/// What stood in the transcript at one position.
#[derive(Clone)]
struct Sent {
    plain: Vec<String>,
    marked: Vec<String>,
    /// Where the epoch starts.
    epoch: u64,
    /// A compaction waits for its boundary.
    pending: bool,
}

impl Story {
    fn told(seed: u64) -> Self {
        let mut life = Life::open("");
        let shown = life.server.get("session/show", json!({"session": SESSION}));
        let nothing =
            Sent { plain: only_texts(&shown), marked: Vec::new(), epoch: 0, pending: false };
        let disk = BTreeMap::from([("shop", "Use tabs.\n".to_owned())]);
        let (dice, reads) = (Dice(seed), BTreeMap::new());
        let mut story = Self { life, dice, sent: vec![nothing], disk, reads };
        story.write("shop");
        story.sync(1);
        for position in 2..=STEPS {
            story.step(position);
        }
        story.life.server.get("session/compact", json!({"session": SESSION}));
        story.sync(STEPS);
        story
    }

    fn step(&mut self, position: u64) {
        let directory = self.directory();
        match self.dice.below(12) {
            0 => {
                self.tell(position, "session/compact", "position", position);
                self.sent[usize::try_from(position).unwrap()].pending = true;
                return;
            }
            1 => return self.read(position, directory),
            2 => self.tell(position, "session/compact", "position", position),
            3 => self.tell(position, "session/rebase", "reason", "other model"),
            4 => {
                let from = position.saturating_sub(self.dice.below(8));
                self.tell(position, "session/window", "from", from);
            }
            5 => self.read(position, directory),
            6 | 7 => self.remove(directory),
            _ => self.write(directory),
        }
        self.sync(position);
    }

    fn directory(&mut self) -> &'static str {
        DIRECTORIES[usize::try_from(self.dice.below(DIRECTORIES.len() as u64)).unwrap()]
    }

    /// Where nothing is told, what was sent before stands.
    fn reach(&mut self, position: u64) {
        while self.sent.len() as u64 <= position {
            self.sent.push(self.sent.last().unwrap().clone());
        }
    }

    fn tell(&mut self, position: u64, method: &str, name: &str, value: impl Into<Value>) {
        self.life.tell(method, name, value);
        self.reach(position);
    }

    fn read(&mut self, position: u64, directory: &'static str) {
        let path = self.life.bench.path(directory).join("a.rs");
        let call = json!({"session": SESSION, "tool": "read", "position": position,
            "paths": [{"path": path, "kind": "file"}]});
        self.life.server.get("session/settle", call);
        for above in DIRECTORIES {
            if directory.starts_with(above) {
                self.reads.entry(above).or_insert(position);
            }
        }
        self.reach(position);
    }

    fn write(&mut self, directory: &'static str) {
        let text = format!("<<{directory} {}>>\n", self.dice.below(40));
        self.life.bench.write(&format!("{directory}/AGENTS.md"), &text);
        self.disk.insert(directory, text);
    }

    fn remove(&mut self, directory: &'static str) {
        if self.disk.remove(directory).is_some() {
            fs::remove_file(self.life.bench.path(directory).join("AGENTS.md")).unwrap();
        }
    }

    fn sync(&mut self, position: u64) {
        let params = json!({"session": SESSION, "position": position, "mark": true});
        let briefing = self.life.server.get("session/sync", params);
        self.assert_reads_true(&briefing, position);
        let shown = self.life.server.get("session/show", json!({"session": SESSION}));
        let epoch = briefing["epoch"]["position"].as_u64().unwrap();
        let (plain, marked) = (only_texts(&shown), only_texts(&briefing));
        let now = Sent { plain, marked, epoch, pending: false };
        self.reach(position);
        // An epoch stands where it was asked for, and is part of all that is anchored there.
        let begun = briefing["admitted"] == briefing["epoch"]["revision"];
        let from = if begun { epoch } else { position };
        for at in from..=position {
            self.sent[usize::try_from(at).unwrap()] = now.clone();
        }
    }

    fn at(&self, position: u64) -> &Sent {
        &self.sent[usize::try_from(position).unwrap()]
    }

    /// The texts, read as a model reads them, give the disk as a session at `position` knows it.
    fn assert_reads_true(&self, briefing: &Value, position: u64) {
        let known = |directory: &str| {
            directory == "shop"
                || directory == "shop/api"
                || self.reads.get(directory).is_some_and(|read| *read <= position)
        };
        let disk: BTreeMap<_, _> = self
            .disk
            .iter()
            .filter(|(directory, _)| known(directory))
            .map(|(directory, text)| ((*directory).to_owned(), text.clone()))
            .collect();
        let home = self.life.bench.path("");
        assert_eq!(believed(briefing, home.to_str().unwrap()), disk, "at {position}: {briefing}");
    }

    /// `session`, a copy of this one at `position`, has its texts, and is told the rest truly.
    fn assert_stands_at(&mut self, session: &str, position: u64, sent: &Sent, method: &str) {
        let shown = self.life.server.get("session/show", json!({"session": session}));
        assert_eq!(only_texts(&shown), sent.plain, "{session} at {position}");
        let params = json!({"session": session, "position": position + 1, "mark": true});
        let briefing = self.life.server.get(method, params);
        let told = only_texts(&briefing);
        if sent.pending {
            assert_eq!(briefing["epoch"]["cause"], "compacted", "{session} at {position}");
            assert_eq!(told.len(), 1, "a baseline");
        } else {
            assert!(told.starts_with(&sent.marked), "{session} at {position}: {told:?}");
            assert!(told.len() <= sent.marked.len() + 1, "one update at most");
        }
        self.assert_reads_true(&briefing, position);
    }
}

fn only_texts(briefing: &Value) -> Vec<String> {
    texts(briefing).into_iter().map(|(_, text)| text).collect()
}

/// What the baseline and the updates in the window say, in order.
fn believed(briefing: &Value, home: &str) -> BTreeMap<String, String> {
    let mut believed = BTreeMap::new();
    hear(&mut believed, briefing["epoch"]["baseline"]["text"].as_str().unwrap());
    for update in briefing["updates"].as_array().unwrap() {
        if update["in_window"] == false {
            continue;
        }
        for change in update["changes"].as_array().unwrap() {
            if change["kind"] == "removed" {
                let path = change["path"].as_str().unwrap().strip_prefix(home).unwrap();
                let name = path.strip_suffix("AGENTS.md").unwrap().replace('\\', "/");
                believed.remove(name.trim_matches('/'));
            }
        }
        hear(&mut believed, update["text"].as_str().unwrap());
    }
    believed
}

fn hear(believed: &mut BTreeMap<String, String>, text: &str) {
    for told in text.split("<<").skip(1) {
        let told = told.split_once(">>").unwrap().0;
        let name = told.split_once(' ').unwrap().0;
        believed.insert(name.to_owned(), format!("<<{told}>>\n"));
    }
}

/// R-SES-1: a child has the texts of its position, byte for byte; and a child taken back has them,
/// too, as far back as its epoch goes.
#[test]
fn a_child_of_each_position_has_its_parents_texts() {
    let mut story = Story::told(7);
    let log = story.life.server.log(SESSION);
    for position in 0..=STEPS {
        let child = format!("life/1/{position}");
        story.life.fork(&child, position);
        let sent = story.at(position).clone();
        let method = if position % 8 == 5 { "session/sync" } else { "session/preview" };
        story.assert_stands_at(&child, position, &sent, method);
        if position % 40 != 13 {
            continue;
        }
        let nothing = story.at(0).clone();
        for back in (0..position).rev().step_by(7) {
            let params = json!({"session": child, "position": back});
            story.life.server.get("session/revert", params);
            let sent = if back < sent.epoch { nothing.clone() } else { story.at(back).clone() };
            story.assert_stands_at(&child, back, &sent, "session/preview");
        }
    }
    assert_eq!(story.life.server.log(SESSION), log, "no child touches its parent");
}

/// R-SES-2: taken back step by step, the transcript has the bytes that it had, through every
/// compaction.
#[test]
fn a_revert_to_each_position_finds_its_texts_again() {
    let mut story = Story::told(11);
    for position in (0..=STEPS).rev() {
        story.life.revert(position);
        let sent = story.at(position).clone();
        story.assert_stands_at(SESSION, position, &sent, "session/preview");
        if position % 50 == 25 {
            story.life.kill();
        }
    }
    // And from there the session goes on.
    story.sync(1);
    story.step(2);
    story.sync(3);
    assert_eq!(
        story.life.server.get("session/show", json!({"session": SESSION}))["complete"],
        true
    );
}
