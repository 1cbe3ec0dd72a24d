//! What a tale's boundary looks at, and answers that bytes decide.

use super::Tale;
use arbitrary::{Result, Unstructured};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use told_domain::{
    context::{Contributed, Need, ObservedUrl, Parts, SystemContext},
    instruction::KnownBoundary,
    key::{Origin, PluginKey, SourceKey},
    look::{Below, EntryKind, FileBytes, Names, Read, Seen},
    observation::{Absence, Observation},
    path::{AbsolutePath, CanonicalPath},
    plan::{Learned, Standpoint, Thoroughness, plan},
    reason::{UnavailableReason, WithheldReason},
    render::{Renderer, Verbatim},
    skill::{FormerSkills, no_offers},
    state::State,
    text::deliver,
    url::of_user,
};

/// Plans for one look, at most: what a look teaches may ask for another.
const PLANS_MAX: usize = 4;

/// What a `SKILL.md` holds: one that counts in `pdf`, in `doc`, nowhere.
const SKILLS: &[&str] = &[
    "---\nname: pdf\ndescription: Reads PDFs.\n---\n",
    "---\nname: pdf\ndescription: Reads\tPDFs, all.\n---\n",
    "---\nname: doc\ndescription: Writes.\n---\nbody",
    "",
];

impl Tale {
    /// Plans, looks and composes, as an application does.
    pub(super) fn look(&self, draw: &mut Unstructured<'_>) -> Result<SystemContext> {
        let state = self.state.as_ref().ok_or(arbitrary::Error::EmptyChoose)?;
        let boundary = KnownBoundary::Marked(self.places[0].clone());
        let mut learned = Learned::recalled(state);
        let mut files = BTreeMap::new();
        let mut turn = 0;
        loop {
            let standpoint = Standpoint {
                directory: &state.location.directory,
                boundary: &boundary,
                learned: &learned,
                trust: state.trust,
                offers: no_offers(),
                scopes: &state.told.scopes,
                thoroughness: *draw.choose(&[Thoroughness::Ordinary, Thoroughness::NearMisses])?,
            };
            let plan = plan(&standpoint, &self.policy);
            let seen = self.seen(draw, &plan.looks, &mut files)?;
            let next = plan.learned(&seen, &learned);
            turn += 1;
            if turn < PLANS_MAX && !next.plans_as(&learned) {
                learned = next;
                continue;
            }
            let urls = self.urls(draw)?;
            let contributed = self.contributed(draw, state)?;
            let provided: BTreeSet<_> = contributed.iter().map(|one| &one.key).collect();
            let gone = state.told.entries.keys().filter(|key| !provided.contains(key));
            let not_registered = gone.filter_map(|key| match key {
                SourceKey::Plugin(key) => Some(key.clone()),
                _ => None,
            });
            let not_registered = not_registered.collect();
            let parts = Parts {
                boundary: self.places[0].clone(),
                unknown_boundary: None,
                project: next.project,
                instructions: plan.read(&seen, &self.policy),
                skills: plan.skills(&seen, &FormerSkills::of(state, &self.blobs, None)),
                urls,
                contributed,
                not_registered,
            };
            return Ok(SystemContext::compose(parts).expect("no key comes twice"));
        }
    }

    fn seen(
        &self,
        draw: &mut Unstructured<'_>,
        looks: &told_domain::look::Looks,
        files: &mut BTreeMap<AbsolutePath, Observation<FileBytes>>,
    ) -> Result<Seen> {
        let mut seen = Seen::default();
        for read in &looks.reads {
            let file = match files.get(&read.path) {
                Some(file) => file.clone(),
                None => self.file(draw, read)?,
            };
            files.insert(read.path.clone(), file.clone());
            seen.files.push(file);
        }
        for _ in &looks.probes {
            seen.probes.push(match draw.int_in_range(0..=3)? {
                0 => Observation::Available(EntryKind::File),
                1 => Observation::Unavailable(UnavailableReason::IoError),
                _ => Observation::Absent(Absence::NotFound),
            });
        }
        for listing in &looks.listings {
            let names = vec!["agents.md".into(), "x".into()];
            let more = listing.max_entries < 2;
            seen.listings.push(Observation::Available(Names { names, more }));
        }
        for _ in &looks.scans {
            let paths = vec!["a.md".into(), "doc/SKILL.md".into(), "pdf/SKILL.md".into()];
            seen.scans.push(match draw.int_in_range(0..=2)? {
                0 => Observation::Unavailable(UnavailableReason::PermissionDenied),
                1 => Observation::Absent(Absence::NotFound),
                _ => Observation::Available(Below { paths, more: false, deeper: false }),
            });
        }
        Ok(seen)
    }

    fn file(&self, draw: &mut Unstructured<'_>, read: &Read) -> Result<Observation<FileBytes>> {
        Ok(match draw.int_in_range(0..=11)? {
            0..=2 => Observation::Absent(Absence::NotFound),
            3 => Observation::Absent(Absence::Withheld(*draw.choose(&[
                WithheldReason::OutsideProject,
                WithheldReason::NotRegularFile,
                WithheldReason::Limit,
            ])?)),
            4 | 5 => Observation::Unavailable(*draw.choose(UnavailableReason::ALL)?),
            turn => {
                // Two candidates may have one file behind them.
                let elsewhere = turn == 6;
                let canonical = match elsewhere {
                    true => self.directory(draw)?.join("shared.md"),
                    false => read.path.clone(),
                };
                let text = if read.path.file_name() == Some("SKILL.md") {
                    *draw.choose(SKILLS)?
                } else if elsewhere {
                    &self.contents[0]
                } else {
                    draw.choose(&self.contents)?
                };
                let bytes = text.as_bytes().to_vec();
                let size = bytes.len() as u64;
                let canonical = CanonicalPath::observed(canonical);
                Observation::Available(FileBytes { canonical, bytes, size })
            }
        })
    }

    fn urls(&self, draw: &mut Unstructured<'_>) -> Result<Vec<ObservedUrl>> {
        let observed = |named| {
            let observation = match draw.int_in_range(0..=4)? {
                0 => Observation::Absent(Absence::NotFound),
                1 => Observation::Unavailable(UnavailableReason::TlsFailure),
                _ => {
                    let text = draw.choose(&self.contents)?;
                    Observation::Available(deliver(text.as_bytes(), text.len() as u64))
                }
            };
            Ok(ObservedUrl { named, observation })
        };
        of_user(&self.policy).into_iter().map(observed).collect()
    }

    fn contributed(&self, draw: &mut Unstructured<'_>, state: &State) -> Result<Vec<Contributed>> {
        let of = |key: SourceKey, renderer, observation| Contributed {
            key,
            origin: Origin::Host,
            need: Need::Optional,
            renderer,
            observation,
        };
        let mut contributed = Vec::new();
        for (key, value) in &state.values {
            let text = self.blobs.get(&value.sha256).cloned().unwrap_or_default();
            let observation = Observation::Available(text);
            contributed.push(of(
                SourceKey::Api(key.clone()),
                Renderer::Api(key.clone()),
                observation,
            ));
        }
        let day = Arc::from(*draw.choose(&["2026-01-01", "2026-01-02", "no day"])?);
        contributed.push(of(SourceKey::Date, Renderer::Date, Observation::Available(day)));
        if draw.ratio(1, 2)? {
            let key: PluginKey = "lint/rules".parse().expect("a key");
            let observation = match draw.int_in_range(0..=3)? {
                0 => Observation::Absent(Absence::NotFound),
                1 => Observation::Unavailable(UnavailableReason::Timeout),
                _ => Observation::Available(Arc::from(draw.choose(&self.contents)?.as_str())),
            };
            contributed.push(of(
                SourceKey::Plugin(key),
                Renderer::Plugin(Arc::new(Verbatim)),
                observation,
            ));
        }
        Ok(contributed)
    }
}
