//! URLs: one `Refreshable` each, shared by the sessions of a Location (R-URL-1, R-URL-5).

use crate::{engine::World, observe::all};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::sync::Semaphore;
use told_domain::{
    context::ObservedUrl,
    observation::Observation,
    reason::{HttpStatus, UnavailableReason},
    text::DeliveredText,
    time::Timestamp,
    url::{
        AddressPolicy, Ask, Counts, Course, Failed, Failure, Found, NamedUrl, Page, SourceUrl,
        URLS_MAX,
    },
};
use told_ports::{Clock, Request, Response, UrlFetcher};
use told_refreshable::Refreshable;

/// How many URLs of a Location are fetched at a time. A wait for a place counts as one for the server.
const IN_FLIGHT_MAX: usize = 16;

/// How many are remembered, also of those that nobody names any more.
const REMEMBERED_MAX: usize = 4 * URLS_MAX;

/// What a Location's sessions know of URLs. Nothing of it is durable, and it goes with the Location.
pub(crate) struct Urls {
    cells: Mutex<HashMap<(SourceUrl, AddressPolicy), Arc<Cell>>>,
    places: Arc<Semaphore>,
}

/// One URL.
struct Cell {
    page: Refreshable<Arc<Found>, Failed>,
    course: Mutex<Course>,
    /// The number of the last look that began.
    begun: Arc<AtomicU64>,
}

/// What one boundary found of URLs: it looks at each once, however often it goes round (R-OBS-10).
pub(crate) struct UrlSight {
    counts: Counts,
    seen: Vec<ObservedUrl>,
}

impl UrlSight {
    /// Nothing looked at yet.
    pub(crate) const fn new(counts: Counts) -> Self {
        Self { counts, seen: Vec::new() }
    }

    fn of(&self, named: &NamedUrl) -> Option<&ObservedUrl> {
        self.seen.iter().find(|seen| seen.named == *named)
    }
}

impl Urls {
    fn cells(&self, named: &[NamedUrl]) -> Vec<Arc<Cell>> {
        let mut cells = lock(&self.cells);
        if cells.len() > REMEMBERED_MAX {
            cells.retain(|(url, _), _| named.iter().any(|named| named.url == *url));
        }
        let cell = |named: &NamedUrl| {
            let place = (named.url.clone(), named.reach);
            cells.entry(place).or_insert_with(|| Arc::new(Cell::new())).clone()
        };
        named.iter().map(cell).collect()
    }
}

impl Default for Urls {
    fn default() -> Self {
        Self { cells: Mutex::default(), places: Arc::new(Semaphore::new(IN_FLIGHT_MAX)) }
    }
}

impl Cell {
    fn new() -> Self {
        let (page, course) = (Refreshable::new(), Mutex::default());
        Self { page, course, begun: Arc::default() }
    }
}

impl World {
    /// Looks at what of `named` this boundary has not looked at yet, all side by side, and gives what was
    /// found of each.
    pub(crate) async fn look_at_urls(
        &self,
        urls: &Urls,
        named: &[NamedUrl],
        sight: &mut UrlSight,
    ) -> Vec<ObservedUrl> {
        let new = named.iter().filter(|named| sight.of(named).is_none());
        let new: Vec<_> = new.cloned().collect();
        if !new.is_empty() {
            let counts = sight.counts;
            let looks = new.iter().zip(urls.cells(&new)).map(|(named, cell)| async move {
                let observation = self.look_at_url(urls, named, &cell, counts).await;
                ObservedUrl { named: named.clone(), observation }
            });
            sight.seen.extend(all(looks).await);
        }
        named.iter().filter_map(|named| sight.of(named).cloned()).collect()
    }

    async fn look_at_url(
        &self,
        urls: &Urls,
        named: &NamedUrl,
        cell: &Cell,
        counts: Counts,
    ) -> Observation<DeliveredText> {
        // A process that cannot fetch takes nothing away (R-EPO-5).
        let Some(fetcher) = &self.fetcher else {
            return Observation::Unavailable(UnavailableReason::NotRegistered);
        };
        if named.url.is_redacted() {
            // Only a record told of it, and no record holds a secret.
            return Observation::Unavailable(UnavailableReason::IoError);
        }
        let policy = &self.policy.urls;
        let now = self.clock.now();
        let ask = lock(&cell.course).ask(now, counts, policy);
        match ask {
            Ask::Answered(observation) => return observation,
            Ask::Get => {}
            Ask::GetAnew => cell.page.invalidate(),
        }
        let request = Request {
            url: named.url.clone(),
            validators: None,
            limits: policy.limits,
            address_policy: named.reach,
        };
        let look = Look {
            fetcher: fetcher.clone(),
            clock: self.clock.clone(),
            places: urls.places.clone(),
            begun: cell.begun.clone(),
            until: later(now, policy.limits.timeout_ms),
            request,
        };
        let outcome = tokio::select! {
            biased;
            outcome = cell.page.get(|last| look.clone().run(last)) => outcome,
            () = self.clock.sleep(Duration::from_millis(policy.limits.timeout_ms)) => {
                // Where its look never began, this is the failure of none.
                let why = Failure::Unavailable(UnavailableReason::Timeout);
                Err(Failed { look: cell.begun.load(Ordering::Acquire), at: self.clock.now(), why })
            }
        };
        lock(&cell.course).took(outcome.as_deref(), counts, policy)
    }
}

/// One look, which outlives the boundary that began it where another shares it.
#[derive(Clone)]
struct Look {
    fetcher: Arc<dyn UrlFetcher>,
    clock: Arc<dyn Clock>,
    places: Arc<Semaphore>,
    begun: Arc<AtomicU64>,
    /// Too late to begin.
    until: Timestamp,
    request: Request,
}

impl Look {
    async fn run(mut self, last: Option<Arc<Found>>) -> Result<Arc<Found>, Failed> {
        let place = self.places.acquire_owned().await;
        if self.clock.now() >= self.until {
            let (look, at) = (self.begun.load(Ordering::Acquire), self.until);
            let why = Failure::Unavailable(UnavailableReason::Timeout);
            return Err(Failed { look, at, why });
        }
        let look = self.begun.fetch_add(1, Ordering::AcqRel) + 1;
        let kept = last.and_then(|last| match &last.page {
            Page::Text(text, validators) => Some((text.clone(), validators.clone())),
            Page::Gone => None,
        });
        self.request.validators = kept.as_ref().and_then(|(_, validators)| validators.clone());
        let response = self.fetcher.fetch(self.request).await;
        drop(place);
        let at = self.clock.now();
        let found = |page| Ok(Arc::new(Found { look, at, page }));
        let failed = |why| Err(Failed { look, at, why });
        match (response, kept) {
            (Response::Fetched(fetched), _) => found(Page::Text(fetched.text, fetched.validators)),
            // The validators are those that the text came with.
            (Response::NotModified, Some((text, validators))) => {
                found(Page::Text(text, validators))
            }
            (Response::NotModified, None) => failed(Failure::Unavailable(not_modified())),
            (Response::NotFound, _) => failed(Failure::NotFound),
            (Response::Gone, _) => found(Page::Gone),
            (Response::Unavailable(reason), _) => failed(Failure::Unavailable(reason)),
        }
    }
}

fn later(now: Timestamp, milliseconds: u64) -> Timestamp {
    let milliseconds = i64::try_from(milliseconds).unwrap_or(i64::MAX);
    Timestamp::from_millisecond(now.as_millisecond().saturating_add(milliseconds))
}

/// What nobody asked for.
fn not_modified() -> UnavailableReason {
    HttpStatus::new(304).map_or(UnavailableReason::IoError, UnavailableReason::Http)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
