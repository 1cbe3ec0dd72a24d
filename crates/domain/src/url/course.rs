//! When a URL is looked at again, and when looks that failed prove an absence (R-URL-2, R-URL-5).

use super::Validators;
use crate::{
    observation::{Absence, Observation},
    policy::UrlPolicy,
    reason::{HttpStatus, UnavailableReason},
    text::DeliveredText,
    time::Timestamp,
};

/// The longest wait after a failure, in seconds, unless a policy's first one is longer.
const RETRY_AFTER_MAX_S: u64 = 600;

/// A look that found out how a URL stands: what its `Refreshable` holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The look's number: later looks have higher ones.
    pub look: u64,
    /// When it ended.
    pub at: Timestamp,
    /// What it found.
    pub page: Page,
}

/// How a URL stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Page {
    /// A text, and what makes the next request conditional.
    Text(DeliveredText, Option<Validators>),
    /// 410: it is not there, and will not be.
    Gone,
}

/// A look that found nothing out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The look's number.
    pub look: u64,
    /// When it ended.
    pub at: Timestamp,
    /// Why.
    pub why: Failure,
}

/// Why a look found nothing out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// 404: a proof only where enough looks in a row see it.
    NotFound,
    /// Nobody knows.
    Unavailable(UnavailableReason),
}

/// Whether a look counts towards an absence: a boundary's does, a preview's does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// It does.
    Counted,
    /// It only shows how things are.
    Uncounted,
}

/// What to do where a URL is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Nothing: the last look failed, and it is too early to try again.
    Answered(Observation<DeliveredText>),
    /// Get its value: what is fresh counts.
    Get,
    /// Its value was fresh for long enough: invalidate it, then get it.
    GetAnew,
}

/// What looks at one URL came to so far. It is not durable, and never looks by itself: it is asked, and
/// told what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    fresh_since: Option<Timestamp>,
    /// The fresh value was invalidated, and no look has brought another since.
    asked_anew: bool,
    failed: Option<Failed>,
    /// Failures since the last success.
    failures: u32,
    /// The last look whose outcome is known.
    known: u64,
    /// Looks in a row that saw a 404.
    missed: u32,
    /// The last look that counted.
    counted: u64,
}

impl Course {
    /// Somebody asks for the URL.
    pub fn ask(&mut self, now: Timestamp, counts: Counts, policy: &UrlPolicy) -> Ask {
        if let Some(failed) = self.failed
            && self.stands(failed, now, counts, policy)
        {
            return Ask::Answered(self.failure(failed.why, self.missed, policy));
        }
        match self.fresh_since {
            Some(since) if !self.asked_anew && is_over(since, now, policy.ttl_s) => {
                self.asked_anew = true;
                Ask::GetAnew
            }
            Some(_) | None => Ask::Get,
        }
    }

    /// A look, or a value that is fresh, came to this: what the URL is observed as. Those who share
    /// a look may each say so.
    pub fn took(
        &mut self,
        outcome: Result<&Found, &Failed>,
        counts: Counts,
        policy: &UrlPolicy,
    ) -> Observation<DeliveredText> {
        let (look, failure) = match outcome {
            Ok(found) => (found.look, None),
            Err(failed) => (failed.look, Some(failed)),
        };
        if look > self.known {
            self.known = look;
            match outcome {
                Ok(found) => {
                    self.fresh_since = Some(found.at);
                    (self.asked_anew, self.failed, self.failures) = (false, None, 0);
                }
                Err(failed) => {
                    self.failed = Some(*failed);
                    self.failures = self.failures.saturating_add(1);
                }
            }
        }
        // What a preview saw is what a boundary would have seen.
        let missed = match failure.map(|failed| failed.why) {
            Some(Failure::NotFound) if look > self.counted => self.missed.saturating_add(1),
            Some(Failure::NotFound) => self.missed,
            Some(Failure::Unavailable(_)) | None => 0,
        };
        if counts == Counts::Counted && look >= self.counted {
            (self.missed, self.counted) = (missed, look);
        }
        match outcome {
            Ok(Found { page: Page::Text(text, _), .. }) => Observation::Available(text.clone()),
            Ok(Found { page: Page::Gone, .. }) => Observation::Absent(Absence::NotFound),
            Err(failed) => self.failure(failed.why, missed, policy),
        }
    }

    fn failure(&self, why: Failure, missed: u32, policy: &UrlPolicy) -> Observation<DeliveredText> {
        match why {
            Failure::Unavailable(reason) => Observation::Unavailable(reason),
            Failure::NotFound if u64::from(missed) >= policy.not_found_after => {
                Observation::Absent(Absence::NotFound)
            }
            Failure::NotFound => Observation::Unavailable(not_found()),
        }
    }

    /// Whether a failure answers for another look.
    fn stands(&self, failed: Failed, now: Timestamp, counts: Counts, policy: &UrlPolicy) -> bool {
        let not_found = failed.why == Failure::NotFound;
        if not_found && counts == Counts::Counted && failed.look > self.counted {
            // Only previews saw it.
            return false;
        }
        let proven = not_found && u64::from(self.missed) >= policy.not_found_after;
        let wait = if proven { policy.ttl_s } else { self.wait(policy) };
        !is_over(failed.at, now, wait)
    }

    /// Seconds after the last failure, doubled with each one.
    fn wait(&self, policy: &UrlPolicy) -> u64 {
        let first = policy.retry_after_s;
        let doublings = self.failures.saturating_sub(1).min(63);
        first.saturating_mul(1 << doublings).min(first.max(RETRY_AFTER_MAX_S))
    }
}

/// Whether so many seconds have passed. Where the clock was set back, they have.
fn is_over(since: Timestamp, now: Timestamp, seconds: u64) -> bool {
    let passed = now.as_millisecond().saturating_sub(since.as_millisecond());
    u64::try_from(passed).map_or(true, |passed| passed >= seconds.saturating_mul(1_000))
}

const fn not_found() -> UnavailableReason {
    match HttpStatus::new(404) {
        Some(status) => UnavailableReason::Http(status),
        None => UnavailableReason::IoError,
    }
}

#[cfg(test)]
mod tests;
