//! A session that bytes drive: any commands in any order, over a disk that answers anything. After every
//! step it asserts what must always hold.

mod disk;

use crate::target::check_step;
use arbitrary::{Result, Unstructured};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use told_domain::{
    briefing::Briefing,
    command::{Adoption, Claimed, Command, Decision, OnUnavailable, SecondLook, Standing},
    decide::{decide, fork},
    fold::{fold, replay},
    hash::ContentHash,
    key::{ApiKey, SourceKey},
    path::{AbsolutePath, CanonicalPath},
    policy::{Include, Policy, SkillDirectory, UpdateText},
    position::{EpochNumber, Position, Revision},
    record::{DiscoveredScope, Record},
    render::{Blocks, Extent, HostValue, LogRecord, briefing, log_record, look_of},
    session::{Location, Prior, SessionId, Trust},
    state::{Contents, State},
    time::Timestamp,
};

/// Steps of one tale, at most.
const STEPS_MAX: usize = 40;

/// Two that look the same.
const URLS: &[&str] =
    &["https://u:s3cret@example.org/rules?t=s3cret", "https://example.org/rules?t=more"];

/// What was returned of an epoch: each text with its record and position.
type Texts = Vec<(Revision, Position, Arc<str>)>;

/// One session, its log and all that was ever stored for it.
pub(crate) struct Tale {
    policy: Policy,
    id: SessionId,
    /// The project, and directories in it.
    places: Vec<CanonicalPath>,
    /// What files hold.
    contents: Vec<String>,
    pub(crate) log: Vec<Record>,
    blobs: Contents,
    state: Option<State>,
    returned: BTreeMap<EpochNumber, Texts>,
    /// What commands came to, in order.
    pub(crate) came: Vec<u8>,
}

impl Tale {
    /// A tale in directories of these names, of files with these contents, as `bytes` has it.
    pub(crate) fn told(bytes: &[u8], names: &[&str], contents: &[&str]) -> Self {
        let root = AbsolutePath::new("/repo").map(CanonicalPath::observed).expect("a path");
        let mut places = vec![root.clone()];
        for name in names {
            let above = places.last().unwrap_or(&root);
            let below = CanonicalPath::observed(above.join(name));
            if below.is_within(&root) {
                places.push(below);
            }
        }
        let mut tale = Self {
            policy: Policy::default(),
            id: "host/one".parse().expect("a name"),
            places,
            contents: contents.iter().map(|text| (*text).to_owned()).collect(),
            log: Vec::new(),
            blobs: Contents::new(),
            state: None,
            returned: BTreeMap::new(),
            came: Vec::new(),
        };
        // Where the bytes end, so does the tale.
        let _ = tale.run(&mut Unstructured::new(bytes));
        assert_eq!(replay(&tale.log).ok().flatten(), tale.state, "a replay is the fold");
        tale
    }

    fn run(&mut self, draw: &mut Unstructured<'_>) -> Result<()> {
        self.policy.instructions.update_text =
            *draw.choose(&[UpdateText::Full, UpdateText::Diff, UpdateText::Auto])?;
        self.policy.limits.value_bytes = 64;
        let included = |text| Include::new(text, None, None).expect("a URL");
        self.policy.instructions.include = URLS.iter().copied().map(included).collect();
        self.policy.skills.directories = vec![SkillDirectory::Relative(".agents/skills".into())];
        let location = self.location(draw)?;
        let open = Command::Open {
            location: &location,
            position: self.position(draw)?,
            prior: *draw.choose(&[Prior::None, Prior::Unknown])?,
            trust: *draw.choose(&[Trust::Trusted, Trust::Trusted, Trust::Untrusted])?,
        };
        self.ask(&open);
        for _ in 0..STEPS_MAX {
            if draw.is_empty() {
                break;
            }
            self.step(draw)?;
        }
        Ok(())
    }

    fn step(&mut self, draw: &mut Unstructured<'_>) -> Result<()> {
        match draw.int_in_range(0..=15)? {
            0..=5 => self.sync(draw)?,
            6 => self.ask(&Command::Compact { position: self.position(draw)? }),
            7 => self.ask(&Command::Rebase { reason: draw.ratio(1, 2)?.then(|| "why".into()) }),
            8 => {
                let (to, log) = (self.place(draw)?, self.log.clone());
                self.ask(&Command::Revert { to, log: &log });
            }
            9 => {
                let (directory, project) = (self.directory(draw)?, self.directory(draw)?);
                let scopes = [DiscoveredScope { directory, project }];
                let (position, agent) = (self.position(draw)?, None);
                self.ask(&Command::Discover { position, agent, scopes: &scopes });
            }
            10 => self.ask(&Command::Move { location: &self.location(draw)? }),
            11 => self.ask(&Command::Window { from: self.place(draw)? }),
            12 => {
                let held = (0..draw.int_in_range(0..=4)?)
                    .map(|_| Ok(Revision(draw.int_in_range(0..=24)?)));
                let held = held.collect::<Result<Vec<_>>>()?;
                self.ask(&Command::Holds { held: &held });
            }
            13 => self.adopt(draw)?,
            14 => self.value(draw)?,
            _ => self.fork(draw)?,
        }
        Ok(())
    }

    /// One boundary, and at once another that finds the same: it tells nothing (R-BND-3, R-BND-10).
    fn sync(&mut self, draw: &mut Unstructured<'_>) -> Result<()> {
        let context = self.look(draw)?;
        let on_unavailable = *draw.choose(&[OnUnavailable::Block, OnUnavailable::Proceed])?;
        let position = self.position(draw)?;
        let again = Command::Sync {
            position: None,
            on_unavailable,
            context: &context,
            second_look: SecondLook::Done,
        };
        let first = Command::Sync {
            position,
            on_unavailable,
            context: &context,
            second_look: *draw.choose(&[SecondLook::Pending, SecondLook::Done])?,
        };
        let before = self.log.len();
        self.ask(&first);
        if self.log.len() > before {
            let decision = self.decide(&again);
            assert_eq!(
                decision,
                Decision::Unchanged,
                "a boundary that finds the same tells nothing"
            );
        }
        Ok(())
    }

    fn adopt(&mut self, draw: &mut Unstructured<'_>) -> Result<()> {
        let context = self.look(draw)?;
        let key = match draw.ratio(3, 4)? && !context.sources.is_empty() {
            true => draw.choose(&context.sources)?.key.clone(),
            false => SourceKey::File(self.directory(draw)?.as_absolute().clone()),
        };
        let sha256 = draw.ratio(1, 4)?.then(|| ContentHash::of("other"));
        let sources = [Adoption { source: Claimed::Key(key), sha256 }];
        let position = self.position(draw)?;
        self.ask(&Command::Adopt { position, context: &context, sources: &sources });
        Ok(())
    }

    fn value(&mut self, draw: &mut Unstructured<'_>) -> Result<()> {
        let key: ApiKey = draw.choose(&["a", "b/c", "π"])?.parse().expect("a key");
        if draw.ratio(1, 3)? {
            self.ask(&Command::UnsetValue { key: &key });
        } else {
            let title = draw.ratio(1, 2)?.then(|| "A title\nof two lines".to_owned());
            let value = serde_json::json!(draw.choose(&self.contents)?);
            self.ask(&Command::SetValue { key: &key, value: &HostValue { title, value } });
        }
        Ok(())
    }

    /// The tale goes on with the child.
    fn fork(&mut self, draw: &mut Unstructured<'_>) -> Result<()> {
        let position = self.position(draw)?;
        let Some(standing) = self.standing() else { return Ok(()) };
        let record = fork(&self.id, &standing, &self.log, position, self.now());
        assert_eq!(replay(&self.log).ok().flatten(), self.state, "a replay is the fold");
        self.log.clear();
        (self.state, self.returned) = (None, BTreeMap::new());
        let id = if self.id.as_str() == "host/one" { "host/two" } else { "host/one" };
        self.id = id.parse().expect("a name");
        self.append(record);
        self.check_texts(false);
        self.came.push(15);
        Ok(())
    }

    fn ask(&mut self, command: &Command<'_>) {
        let decision = self.decide(command);
        self.came.push(match &decision {
            Decision::Commit { records, .. } => records.len().min(8) as u8,
            Decision::Unchanged => 16,
            Decision::LookAgain { .. } => 17,
            Decision::Refused(_) => 18,
        });
        let Decision::Commit { records, blobs } = decision else { return };
        let named: BTreeSet<_> = records.iter().flat_map(Record::references).collect();
        for blob in &blobs {
            assert!(named.contains(&blob.name().sha256), "a text that no record names");
            self.blobs.insert(blob.name().sha256, blob.text().clone());
        }
        for record in records {
            self.append(record);
        }
        self.check_texts(matches!(command, Command::Revert { .. }));
    }

    fn decide(&self, command: &Command<'_>) -> Decision {
        let standing = self.standing();
        let decision = decide(standing.as_ref(), command, self.now(), &self.policy);
        assert_eq!(decide(standing.as_ref(), command, self.now(), &self.policy), decision, "pure");
        decision
    }

    fn append(&mut self, record: Record) {
        assert_eq!(Record::decode(&record.encode()).ok().as_ref(), Some(&record));
        for hash in record.references() {
            assert!(self.blobs.contains_key(&hash), "a record names a text that is not stored");
        }
        let before = self.state.take();
        let state = fold(before.clone(), &record).expect("what is decided follows");
        self.log.push(record);
        check_step(before.as_ref(), &state);
        for hash in state.needs() {
            assert!(self.blobs.contains_key(&hash), "a needed text that is not stored");
        }
        self.state = Some(state);
    }

    /// Within an epoch no byte that was returned changes, moves or disappears; only a revert takes texts
    /// away, from the end (R-BND-6).
    fn check_texts(&mut self, reverted: bool) {
        let Some(briefing) = self.briefing() else { return };
        assert!(!format!("{briefing:?}").contains("s3cret"), "a secret is said");
        let Some(baseline) = briefing.epoch.baseline.text else { return };
        let mut now = vec![(briefing.epoch.revision, briefing.epoch.position, baseline)];
        now.extend(
            briefing
                .updates
                .into_iter()
                .map(|update| (update.revision, update.position, update.text)),
        );
        let before = self.returned.entry(briefing.epoch.number).or_default();
        if reverted {
            assert!(before.starts_with(&now), "a revert leaves a prefix");
        } else {
            assert!(now.starts_with(before), "texts are only added");
        }
        *before = now;
    }

    fn standing(&self) -> Option<Standing> {
        let state = self.state.clone()?;
        let standing = Standing::new(state, self.blobs.clone(), &[]);
        assert!(standing.is_whole(), "every text that is needed is stored");
        Some(standing)
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(self.log.len() as i64 * 1_000)
    }

    /// As a host gets it, where there was a boundary.
    pub(crate) fn briefing(&self) -> Option<Briefing> {
        let state = self.state.as_ref()?;
        state.told.epoch.as_ref()?;
        let look = look_of(state);
        let briefing =
            briefing(&self.id, state, &self.blobs, &look, None, Extent::Complete, Blocks::Apart);
        Some(briefing.expect("every text is stored"))
    }

    pub(crate) fn sources(&self) -> Vec<told_domain::briefing::SourceView> {
        self.state
            .as_ref()
            .map_or_else(Vec::new, |state| told_domain::render::sources(state, &look_of(state)))
    }

    pub(crate) fn log_lines(&self) -> Vec<LogRecord> {
        let line = |record| log_record(record, &self.blobs).expect("every text is stored");
        self.log.iter().map(line).collect()
    }

    fn directory(&self, draw: &mut Unstructured<'_>) -> Result<CanonicalPath> {
        draw.choose(&self.places).cloned()
    }

    fn location(&self, draw: &mut Unstructured<'_>) -> Result<Location> {
        let (directory, boundary) = (self.directory(draw)?, self.places[0].clone());
        Ok(Location { directory, boundary })
    }

    fn position(&self, draw: &mut Unstructured<'_>) -> Result<Option<Position>> {
        Ok(if draw.ratio(1, 2)? { Some(self.place(draw)?) } else { None })
    }

    /// Near the last one, so that most are taken.
    fn place(&self, draw: &mut Unstructured<'_>) -> Result<Position> {
        let last = self.state.as_ref().and_then(|state| state.told.anchored).map_or(0, |at| at.0);
        Ok(match draw.int_in_range(0..=20_u64)? {
            20 => Position(u64::MAX),
            step @ 0..=7 => Position(last.saturating_sub(step)),
            step => Position(last.saturating_add(step - 8)),
        })
    }
}
