//! A session that is a log in memory. After every step it asserts what must always hold.

use super::{Ground, World, canonical, location, short};
use crate::{
    briefing::Briefing,
    command::{Command, Decision, OnUnavailable, Refusal, SecondLook, Standing},
    decide::decide,
    fold::{fold, replay},
    hash::ContentHash,
    head::{HeadChange, RowKey, assemble},
    key::SourceKey,
    plan::Thoroughness,
    policy::Policy,
    position::{EpochNumber, Position, Revision},
    record::{Event, Record},
    render::{Blocks, Extent, briefing, look_of},
    rewind::rewind,
    session::{Prior, Trust},
    state::{Belief, Contents, State},
    time::Timestamp,
    told::{Change, Form, Told},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

type Text = (Revision, Position, Arc<str>);

pub(crate) struct Session {
    pub(crate) policy: Policy,
    pub(crate) log: Vec<Record>,
    /// Every text that was ever stored.
    pub(crate) blobs: Contents,
    referenced: BTreeSet<ContentHash>,
    state: Option<State>,
    rows: BTreeMap<RowKey, Vec<u8>>,
    /// What was returned of each epoch: its baseline, then its updates.
    returned: BTreeMap<EpochNumber, Vec<Text>>,
}

impl Session {
    /// No session yet.
    pub(crate) fn none() -> Self {
        Self {
            policy: Policy::default(),
            log: Vec::new(),
            blobs: Contents::new(),
            referenced: BTreeSet::new(),
            state: None,
            rows: BTreeMap::new(),
            returned: BTreeMap::new(),
        }
    }

    /// A session at `/repo`, its own boundary.
    pub(crate) fn open() -> Self {
        Self::open_as(Prior::None, Trust::Trusted)
    }

    pub(crate) fn open_as(prior: Prior, trust: Trust) -> Self {
        let mut session = Self::none();
        let location = &location("/repo", "/repo");
        session.run(&Command::Open { location, position: None, prior, trust });
        session
    }

    pub(crate) fn state(&self) -> &State {
        self.state.as_ref().unwrap()
    }

    /// What a decision sees: only the texts that the state says it needs.
    pub(crate) fn standing(&self) -> Option<Standing> {
        let state = self.state.clone()?;
        let needs = state.needs().into_iter();
        let contents = needs.map(|hash| (hash, self.blobs[&hash].clone())).collect();
        Some(Standing { state, contents })
    }

    pub(crate) fn decide(&self, command: &Command<'_>) -> Decision {
        let now = Timestamp::from_millisecond(1_000 * i64::try_from(self.log.len()).unwrap());
        decide(self.standing().as_ref(), command, now, &self.policy)
    }

    pub(crate) fn run(&mut self, command: &Command<'_>) -> Decision {
        let decision = self.decide(command);
        if let Decision::Commit { records, blobs } = &decision {
            let references: BTreeSet<_> = records.iter().flat_map(Record::references).collect();
            for blob in blobs {
                assert!(references.contains(&blob.name().sha256), "a text that no record names");
                self.blobs.insert(blob.name().sha256, blob.text().clone());
            }
            for record in records {
                self.push(record.clone());
            }
            self.check_texts(matches!(command, Command::Revert { .. }));
        }
        decision
    }

    /// Appends a record of a command that comes later, with the texts that it needs.
    pub(crate) fn append(&mut self, event: Event, texts: &[&str]) {
        for text in texts {
            self.blobs.insert(ContentHash::of(text), Arc::from(*text));
        }
        let revision = self.state.as_ref().map_or(Revision::NONE, |state| state.revision).next();
        let at = Timestamp::from_millisecond(1_000 * i64::try_from(revision.0).unwrap());
        self.push(Record { revision, at, event });
        self.check_texts(false);
    }

    fn push(&mut self, record: Record) {
        assert_eq!(Record::decode(&record.encode()).unwrap(), record);
        for hash in record.references() {
            assert!(self.blobs.contains_key(&hash), "a record names a text that is not stored");
            self.referenced.insert(hash);
        }
        let state = fold(self.state.clone(), &record).unwrap();
        self.log.push(record);
        assert_eq!(replay(&self.log).unwrap().as_ref(), Some(&state), "replay is fold");
        for hash in state.needs() {
            assert!(self.referenced.contains(&hash), "a needed text that no record names");
        }
        self.check_rows(&state);
        self.state = Some(state);
    }

    fn check_rows(&mut self, state: &State) {
        let HeadChange::Whole(whole) = HeadChange::whole(state) else { panic!("whole is whole") };
        match self.state.as_ref().map(|old| HeadChange::between(old, state)) {
            Some(HeadChange::Rows(changes)) => {
                for (key, row) in changes {
                    match row {
                        Some(row) => self.rows.insert(key, row),
                        None => self.rows.remove(&key),
                    };
                }
            }
            Some(HeadChange::Whole(rows)) => self.rows = rows,
            None => self.rows = whole.clone(),
        }
        assert_eq!(self.rows, whole, "changed rows are all rows");
        let mut texts: Vec<_> =
            whole.iter().map(|(key, row)| (key.to_string(), row.as_slice())).collect();
        // As a store that sorts its keys as text gives them.
        texts.sort();
        let rows = texts.iter().map(|(key, row)| (key.as_str(), *row));
        assert_eq!(assemble(rows).unwrap(), *state);
    }

    /// Within an epoch no byte that was returned changes, moves or disappears; only a revert takes
    /// texts away, from the end.
    fn check_texts(&mut self, reverted: bool) {
        let Some(epoch) = self.state().told.epoch.clone() else { return };
        let briefing = self.briefing();
        let baseline = briefing.epoch.baseline.text.unwrap();
        let mut now = vec![(epoch.revision, epoch.position, baseline)];
        now.extend(briefing.updates.into_iter().map(|u| (u.revision, u.position, u.text)));
        let before = self.returned.entry(epoch.number).or_default();
        if reverted {
            assert!(before.starts_with(&now), "a revert leaves a prefix");
        } else {
            assert!(now.starts_with(before), "texts are only added");
        }
        *before = now;
    }

    pub(crate) fn briefing(&self) -> Briefing {
        let (state, contents) = (self.state(), self.standing().unwrap().contents);
        let id = "host/one".parse().unwrap();
        let look = look_of(state);
        briefing(&id, state, &contents, &look, None, Extent::Complete, Blocks::Joined).unwrap()
    }

    /// The text told last.
    pub(crate) fn last_text(&self) -> String {
        let briefing = self.briefing();
        let baseline = briefing.epoch.baseline.text;
        let last = briefing.updates.last().map(|update| update.text.clone());
        last.or(baseline).unwrap().to_string()
    }

    pub(crate) fn ground(&self) -> Ground {
        let state = self.state();
        Ground {
            directory: state.location.directory.clone(),
            trust: state.trust,
            scopes: state.told.scopes.clone(),
            thoroughness: Thoroughness::Ordinary,
            learned: crate::plan::Learned::recalled(state),
            former: crate::skill::FormerSkills::of(state, &self.blobs, None),
        }
    }

    /// One boundary; what it told, one line a change.
    pub(crate) fn sync(&mut self, world: &World) -> Vec<String> {
        self.sync_at(None, world)
    }

    pub(crate) fn sync_at(
        &mut self,
        position: impl Into<Option<u64>>,
        world: &World,
    ) -> Vec<String> {
        self.try_sync(position.into(), OnUnavailable::Block, world).unwrap()
    }

    pub(crate) fn try_sync(
        &mut self,
        position: Option<u64>,
        on_unavailable: OnUnavailable,
        world: &World,
    ) -> Result<Vec<String>, Refusal> {
        let context = world.context(&self.ground(), &self.policy);
        let command = Command::Sync {
            position: position.map(Position),
            on_unavailable,
            context: &context,
            second_look: SecondLook::Done,
        };
        match self.run(&command) {
            Decision::Commit { records, .. } => Ok(records.iter().flat_map(tells).collect()),
            Decision::Unchanged => Ok(Vec::new()),
            Decision::Refused(refusal) => Err(refusal),
            Decision::LookAgain { .. } => panic!("a second look was taken already"),
        }
    }

    pub(crate) fn compact(&mut self, position: u64) -> Decision {
        self.run(&Command::Compact { position: Some(Position(position)) })
    }

    pub(crate) fn rebase(&mut self) -> Decision {
        self.run(&Command::Rebase { reason: None })
    }

    pub(crate) fn revert(&mut self, to: u64) -> Decision {
        let log = self.log.clone();
        self.run(&Command::Revert { to: Position(to), log: &log })
    }

    pub(crate) fn window(&mut self, from: u64) {
        self.append(Event::WindowMoved { from: Position(from) }, &[]);
    }

    /// The host's transcript holds the epoch's texts but those of `lost`.
    pub(crate) fn lose(&mut self, lost: &[u64]) {
        let lost: Vec<_> = lost.iter().map(|revision| Revision(*revision)).collect();
        let told = &self.state().told;
        let texts = told.epoch.iter().map(|epoch| epoch.revision);
        let texts = texts.chain(told.updates.iter().map(|update| update.revision));
        let held = texts.filter(|revision| !lost.contains(revision)).collect();
        self.append(Event::HoldsDeclared { held, lost }, &[]);
    }

    pub(crate) fn settle(&mut self, position: u64, scopes: &[&str]) {
        let found = |directory: &&str| crate::record::DiscoveredScope {
            directory: canonical(directory),
            project: canonical("/repo"),
        };
        let scopes = scopes.iter().map(found).collect();
        let position = Position(position);
        self.append(Event::ScopesDiscovered { position, agent: None, scopes }, &[]);
    }

    /// A child as a fork at `position` makes one: the store keeps for it what its record names.
    pub(crate) fn fork(&self, position: u64) -> Self {
        let state = self.state();
        let event = Event::Forked {
            parent: "host/one".parse().unwrap(),
            position: Position(position),
            location: state.location.clone(),
            trust: state.trust,
            prior: state.prior,
            told: Box::new(self.rewound(position)),
            values: state.values.clone(),
            epochs: state.epochs,
        };
        let record = super::record(1, event);
        let mut child = Self { policy: self.policy.clone(), ..Self::none() };
        child.blobs =
            record.references().into_iter().map(|hash| (hash, self.blobs[&hash].clone())).collect();
        child.push(record);
        child.check_texts(false);
        child
    }

    pub(crate) fn rewound(&self, position: u64) -> Told {
        rewind(&self.log, Position(position))
    }

    /// What the model believes of `key`, as text.
    pub(crate) fn belief(&self, of: &str) -> String {
        self.belief_of(&super::key(of))
    }

    fn belief_of(&self, key: &SourceKey) -> String {
        match self.state().belief(key) {
            Belief::Nothing => "nothing".to_owned(),
            Belief::Unclear => "unclear".to_owned(),
            Belief::Value(admission, _) => self.blobs[&admission.value.sha256].to_string(),
        }
    }
}

/// What a record tells, one line a source: `=` in a baseline, `+` added, `~` changed, `d` changed
/// as a diff, `-` removed.
fn tells(record: &Record) -> Vec<String> {
    match &record.event {
        Event::EpochStarted { number, sources, .. } => {
            let mut lines = vec![format!("epoch {number}")];
            lines.extend(sources.iter().map(|source| format!("= {}", short(&source.key))));
            lines
        }
        Event::ContextUpdated { changes, .. } => {
            let line = |change: &Change| {
                let kind = match change {
                    Change::Added { .. } => "+",
                    Change::Changed { form: Form::Full, .. } => "~",
                    Change::Changed { form: Form::Diff, .. } => "d",
                    Change::Removed { .. } => "-",
                };
                format!("{kind} {}", short(change.key()))
            };
            changes.iter().map(line).collect()
        }
        other => panic!("a boundary wrote {other:?}"),
    }
}
