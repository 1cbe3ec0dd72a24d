//! What one session's transcript says, as a model that reads it would know: text by text, in order.

use super::{naive::Place, transcript_text::Heard};
use std::{collections::BTreeMap, rc::Rc};
use told_domain::{
    briefing::ChangeKind,
    told::{EpochCause, Form},
};

/// One thing that a text tells of one source.
#[derive(Clone, Debug)]
pub(super) struct Telling {
    /// Where it stood when it was told is noted apart, under this number.
    pub(super) id: usize,
    pub(super) heard: Heard,
}

/// One text, or something that another channel told.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) revision: u64,
    pub(super) position: u64,
    /// Nothing where another channel told it.
    pub(super) text: Option<Rc<str>>,
    pub(super) told: Rc<Vec<Telling>>,
    /// The host said that its transcript does not hold it.
    pub(super) lost: bool,
    pub(super) inherited: bool,
    /// Which session's record told it first.
    pub(super) origin: (Rc<str>, u64),
}

/// One epoch's begin.
#[derive(Clone, Debug)]
pub(super) struct Epoch {
    pub(super) number: u64,
    pub(super) cause: EpochCause,
    pub(super) baseline: Text,
}

/// A transcript as it stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Transcript {
    pub(super) epoch: Option<Epoch>,
    /// After the baseline, in the order told.
    pub(super) texts: Vec<Text>,
    /// Requests for an epoch that none has answered.
    pub(super) requests: Vec<(EpochCause, u64)>,
    /// Directories that tools read in, each with its project and its position.
    pub(super) scopes: BTreeMap<String, (String, u64)>,
    pub(super) window: u64,
    pub(super) anchored: Option<u64>,
    /// The record with the last look.
    pub(super) look: Option<u64>,
    /// The last record after which an earlier briefing cannot be extended.
    pub(super) reset: u64,
}

/// What happened to a transcript.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// It began as a copy of another.
    Inherited(Transcript),
    Begun(Epoch),
    Told(Text),
    Scopes(Vec<(String, String)>, u64),
    Requested(EpochCause, u64),
    Window(u64),
    /// Of the epoch of that record, which began there, these texts are lost.
    Lost {
        epoch: u64,
        began: u64,
        lost: Vec<u64>,
    },
    Moved,
}

/// What a model that reads the texts at hand knows of one source.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Believed<'a> {
    /// What the texts at hand say.
    pub(super) at_hand: AtHand<'a>,
    /// What they say together with the lost ones, which come back with the next briefing.
    pub(super) restored: AtHand<'a>,
    /// Whether what is at hand is what was told last.
    pub(super) current: bool,
    /// What was told last, at hand or not, and by which record.
    pub(super) last: Option<(&'a Telling, u64)>,
}

/// What the texts at hand say of one source.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum AtHand<'a> {
    /// Nothing, or that it no longer applies.
    #[default]
    Nothing,
    /// This, in full.
    Value(&'a Telling, &'a str),
    /// A change of something that is not at hand.
    Unclear,
}

/// Where a source stood when it was told; nothing where nobody saw.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub(super) place: Option<Place>,
    pub(super) via: Vec<String>,
    /// Where it stood before it was told again while nobody watched.
    pub(super) earlier: Option<(Place, Vec<String>)>,
}

/// All that is believed, by key.
pub(super) type Beliefs<'a> = BTreeMap<&'a str, Believed<'a>>;

impl Transcript {
    /// What a model that reads what is at hand believes.
    pub(super) fn beliefs(&self) -> Beliefs<'_> {
        let mut beliefs = Beliefs::new();
        for text in self.epoch.iter().map(|epoch| &epoch.baseline) {
            hear(&mut beliefs, text, !text.lost);
        }
        for text in &self.texts {
            hear(&mut beliefs, text, !text.lost && text.position >= self.window);
        }
        let mut whole = Beliefs::new();
        for text in self.epoch.iter().map(|epoch| &epoch.baseline) {
            hear(&mut whole, text, true);
        }
        for text in &self.texts {
            hear(&mut whole, text, text.position >= self.window);
        }
        for (key, belief) in &mut beliefs {
            belief.restored = whole.get(key).map_or(AtHand::Nothing, |whole| whole.at_hand);
        }
        beliefs
    }

    /// The request that the next boundary answers: the last names the cause.
    pub(super) fn pending(&self) -> Option<(EpochCause, u64)> {
        let (cause, _) = self.requests.last()?;
        let position = self.requests.iter().map(|(_, position)| *position).max();
        Some((*cause, position.unwrap_or_default()))
    }

    /// The position of a call that names none.
    pub(super) fn default_position(&self) -> u64 {
        self.anchored.unwrap_or_default().max(self.window)
    }

    /// Whether something would be taken back by a revert to this position.
    pub(super) fn reaches_beyond(&self, to: u64) -> bool {
        self.anchored.is_some_and(|anchored| to < anchored) || to < self.window
    }

    /// The revisions of the epoch's own texts.
    pub(super) fn own_texts(&self) -> Vec<u64> {
        let own = self.texts.iter().filter(|text| text.text.is_some());
        let mut revisions: Vec<_> =
            self.epoch.iter().map(|epoch| epoch.baseline.revision).collect();
        revisions.extend(own.map(|text| text.revision));
        revisions.dedup();
        revisions
    }

    /// Those of them that are lost.
    pub(super) fn lost(&self) -> Vec<u64> {
        let texts = self.epoch.iter().map(|epoch| &epoch.baseline).chain(&self.texts);
        let lost = texts.filter(|text| text.lost && text.text.is_some());
        let mut revisions: Vec<_> = lost.map(|text| text.revision).collect();
        revisions.dedup();
        revisions
    }

    fn anchor(&mut self, position: u64) {
        self.anchored = Some(self.anchored.map_or(position, |anchored| anchored.max(position)));
    }

    pub(super) fn apply(&mut self, act: &Act) {
        match act {
            Act::Inherited(transcript) => *self = transcript.clone(),
            Act::Begun(epoch) => {
                // What another channel told before the first baseline stands beside it.
                let initial = epoch.cause == EpochCause::Initial;
                self.texts.retain(|text| initial && text.text.is_none());
                self.requests.clear();
                self.look = Some(epoch.baseline.revision);
                self.anchor(epoch.baseline.position);
                self.epoch = Some(epoch.clone());
            }
            Act::Told(text) => {
                if text.text.is_some() {
                    self.look = Some(text.revision);
                }
                // What is told there is there.
                self.window = self.window.min(text.position);
                self.anchor(text.position);
                self.texts.push(text.clone());
            }
            Act::Scopes(scopes, position) => {
                for (scope, project) in scopes {
                    let found = (project.clone(), *position);
                    self.scopes.entry(scope.clone()).or_insert(found);
                }
                self.anchor(*position);
            }
            Act::Requested(cause, position) => {
                self.requests.push((*cause, *position));
                self.anchor(*position);
            }
            Act::Window(from) => self.window = self.window.max(*from),
            Act::Lost { epoch, lost, .. } => {
                let Some(now) = &mut self.epoch else { return };
                if now.baseline.revision == *epoch {
                    now.baseline.lost = lost.contains(epoch);
                    for text in self.texts.iter_mut().filter(|text| text.text.is_some()) {
                        text.lost = lost.contains(&text.revision);
                    }
                }
            }
            Act::Moved => {
                self.scopes.clear();
                self.look = None;
            }
        }
    }

    /// The transcript as a child has it: told by the child's first record.
    pub(super) fn inherited(mut self) -> Self {
        let epoch = self.epoch.iter_mut().map(|epoch| &mut epoch.baseline);
        for text in epoch.chain(&mut self.texts) {
            (text.revision, text.inherited) = (1, true);
        }
        self.reset = 1;
        self.look = self.look.map(|_| 1);
        self
    }

    /// Takes what was inherited back to a position.
    fn cut(&mut self, to: u64) {
        // Nobody knows where the window began earlier: what may be gone is told again.
        self.window = self.window.min(to);
        if self.anchored.is_none_or(|anchored| anchored <= to) {
            return;
        }
        if self.epoch.as_ref().is_some_and(|epoch| epoch.baseline.position > to) {
            (self.epoch, self.look) = (None, None);
            self.requests.clear();
            self.texts.retain(|text| text.text.is_none());
        }
        self.texts.retain(|text| text.position <= to);
        self.requests.retain(|(_, position)| *position <= to);
        self.scopes.retain(|_, (_, position)| *position <= to);
        let mut anchors: Vec<u64> = self.texts.iter().map(|text| text.position).collect();
        anchors.extend(self.epoch.iter().map(|epoch| epoch.baseline.position));
        anchors.extend(self.requests.iter().map(|(_, position)| *position));
        anchors.extend(self.scopes.values().map(|(_, position)| *position));
        self.anchored = anchors.into_iter().max();
    }
}

/// The history without what is anchored after a position.
pub(super) fn taken_back(history: &[Act], to: u64) -> Vec<Act> {
    let mut left = Vec::with_capacity(history.len());
    for act in history {
        let stands = match act {
            Act::Begun(epoch) => epoch.baseline.position <= to,
            Act::Told(text) => text.position <= to,
            Act::Scopes(_, position) | Act::Requested(_, position) => *position <= to,
            Act::Window(from) => *from <= to,
            // It is about texts of its epoch alone.
            Act::Lost { began, .. } => *began <= to,
            Act::Inherited(_) | Act::Moved => true,
        };
        let mut act = act.clone();
        if let Act::Inherited(transcript) = &mut act {
            transcript.cut(to);
        }
        if stands {
            left.push(act);
        }
    }
    left
}

/// The transcript that a history makes.
pub(super) fn replayed(history: &[Act]) -> Transcript {
    let mut transcript = Transcript::default();
    history.iter().for_each(|act| transcript.apply(act));
    transcript
}

/// Reads one more text, which may not be at hand.
fn hear<'a>(beliefs: &mut Beliefs<'a>, text: &'a Text, at_hand: bool) {
    for telling in text.told.iter() {
        let belief = beliefs.entry(telling.heard.key.as_str()).or_default();
        let stands = match (telling.heard.kind, telling.heard.form) {
            (ChangeKind::Changed, Form::Diff) => {
                belief.current && matches!(belief.at_hand, AtHand::Value(..))
            }
            _ => true,
        };
        belief.current = at_hand && stands;
        if at_hand {
            belief.at_hand = match &telling.heard.value {
                Some(value) if stands => AtHand::Value(telling, value),
                Some(_) => AtHand::Unclear,
                None => AtHand::Nothing,
            };
        }
        belief.last = Some((telling, text.revision));
    }
}

impl<'a> Believed<'a> {
    /// The telling that says where it stood: as it was last told, else as it was told before that.
    pub(super) fn stood(&self) -> Option<&'a Telling> {
        let at_hand = [self.at_hand, self.restored].into_iter().find_map(|said| match said {
            AtHand::Value(telling, _) => Some(telling),
            AtHand::Nothing | AtHand::Unclear => None,
        });
        let last = self.last.map(|(telling, _)| telling);
        // A removal stands where the value stood that it takes away.
        last.filter(|last| last.heard.value.is_some()).or(at_hand).or(last)
    }

    /// Whether neither the texts at hand nor the lost ones say anything of it.
    pub(super) const fn is_nothing(&self) -> bool {
        matches!((self.at_hand, self.restored), (AtHand::Nothing, AtHand::Nothing))
    }

    /// Whether the texts at hand give this, and would with the lost ones too.
    pub(super) fn gives(&self, is_it: impl Fn(&str) -> bool) -> bool {
        [self.at_hand, self.restored].into_iter().all(|said| match said {
            AtHand::Value(_, text) => is_it(text),
            AtHand::Nothing | AtHand::Unclear => false,
        })
    }

    /// What the texts at hand give in full.
    pub(super) const fn value(&self) -> Option<&'a str> {
        match self.at_hand {
            AtHand::Value(_, text) => Some(text),
            AtHand::Nothing | AtHand::Unclear => None,
        }
    }

    /// The value last told, unless it was a removal.
    pub(super) fn last_value(&self) -> Option<&'a str> {
        self.last.and_then(|(telling, _)| telling.heard.value.as_deref())
    }
}
