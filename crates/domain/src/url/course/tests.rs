//! A URL's looks in order, each a word: what is asked, what the look sees, what the URL is observed as.

use super::*;
use crate::policy::UrlPolicy;

struct Life {
    course: Course,
    policy: UrlPolicy,
    now: i64,
    looks: u64,
    fresh: Option<Found>,
}

impl Life {
    fn new(change: impl FnOnce(&mut UrlPolicy)) -> Self {
        let mut policy = UrlPolicy::default();
        change(&mut policy);
        Self { course: Course::default(), policy, now: 0, looks: 0, fresh: None }
    }

    /// Seconds pass.
    fn after(&mut self, seconds: i64) -> &mut Self {
        self.now += seconds;
        self
    }

    fn boundary(&mut self, server: &str) -> String {
        self.asked(Counts::Counted, server)
    }

    fn preview(&mut self, server: &str) -> String {
        self.asked(Counts::Uncounted, server)
    }

    /// What an application does, where the server would answer so.
    fn asked(&mut self, counts: Counts, server: &str) -> String {
        let now = Timestamp::from_millisecond(self.now * 1_000);
        let observed = match self.course.ask(now, counts, &self.policy) {
            Ask::Answered(observed) => return format!("{} unasked", word(&observed)),
            ask => {
                if ask == Ask::GetAnew {
                    self.fresh = None;
                }
                if let Some(found) = &self.fresh {
                    let observed = self.course.took(Ok(found), counts, &self.policy);
                    return format!("{} fresh", word(&observed));
                }
                self.looks += 1;
                let outcome = seen(server, self.looks, now);
                let observed = self.course.took(outcome.as_ref(), counts, &self.policy);
                if let Ok(found) = outcome {
                    self.fresh = Some(found);
                }
                observed
            }
        };
        word(&observed)
    }
}

fn seen(server: &str, look: u64, at: Timestamp) -> Result<Found, Failed> {
    let failed = |why| Err(Failed { look, at, why });
    match server {
        "404" => failed(Failure::NotFound),
        "500" | "403" => {
            let reason = format!("http_{server}").parse().unwrap();
            failed(Failure::Unavailable(reason))
        }
        "410" => Ok(Found { look, at, page: Page::Gone }),
        text => {
            let text = DeliveredText { text: text.into(), warnings: Vec::new() };
            Ok(Found { look, at, page: Page::Text(text, None) })
        }
    }
}

fn word(observed: &Observation<DeliveredText>) -> String {
    match observed {
        Observation::Available(text) => text.text.to_string(),
        Observation::Absent(_) => "absent".to_owned(),
        Observation::Unavailable(reason) => reason.to_string(),
    }
}

fn at_every_boundary(policy: &mut UrlPolicy) {
    (policy.ttl_s, policy.retry_after_s) = (0, 0);
}

#[test]
fn r_url_5_a_value_is_fresh_for_so_long() {
    let mut life = Life::new(|_| ());
    assert_eq!(life.boundary("one"), "one");
    assert_eq!(life.boundary("two"), "one fresh");
    assert_eq!(life.after(59).boundary("two"), "one fresh");
    assert_eq!(life.after(1).boundary("two"), "two");
    assert_eq!(life.after(60).boundary("500"), "http_500");
    assert_eq!(life.after(30).boundary("three"), "three");
    // The clock was set back: nobody knows how long it has been.
    assert_eq!(life.after(-1_000).boundary("four"), "four");
}

#[test]
fn r_url_5_a_failure_is_not_tried_again_for_so_long_and_longer() {
    let mut life = Life::new(|_| ());
    assert_eq!(life.boundary("500"), "http_500");
    for wait in [30, 60, 120, 240, 480, 600, 600, 600] {
        assert_eq!(life.boundary("text"), "http_500 unasked", "{wait}");
        assert_eq!(life.after(wait - 1).boundary("text"), "http_500 unasked", "{wait}");
        assert_eq!(life.after(1).boundary("500"), "http_500", "{wait}");
    }
    assert_eq!(life.after(600).boundary("text"), "text");
    assert_eq!(life.after(60).boundary("403"), "http_403", "a success begins anew");
    assert_eq!(life.after(29).boundary("text"), "http_403 unasked");
    assert_eq!(life.after(1).boundary("text"), "text");
    // Longer from the start.
    let mut life = Life::new(|policy| policy.retry_after_s = 1_000);
    for _ in 0..3 {
        assert_eq!(life.boundary("500"), "http_500");
        assert_eq!(life.after(999).boundary("text"), "http_500 unasked");
        life.after(1);
    }
    let mut life = Life::new(|policy| policy.retry_after_s = u64::MAX);
    assert_eq!(life.boundary("500"), "http_500");
    assert_eq!(life.after(i64::from(i32::MAX)).boundary("text"), "http_500 unasked");
}

#[test]
fn r_url_5_nothing_is_remembered_where_the_policy_is_0() {
    let mut life = Life::new(at_every_boundary);
    for server in ["one", "two", "500", "500", "two", "403", "410", "three"] {
        let expect = match server {
            "500" | "403" => format!("http_{server}"),
            "410" => "absent".to_owned(),
            text => text.to_owned(),
        };
        assert_eq!(life.boundary(server), expect);
    }
}

#[test]
fn r_url_2_two_looks_in_a_row_prove_an_absence() {
    let mut life = Life::new(at_every_boundary);
    let looks = [
        ("text", "text"),
        ("404", "http_404"),
        ("404", "absent"),
        ("404", "absent"),
        ("500", "http_500"),
        ("404", "http_404"),
        ("text", "text"),
        ("404", "http_404"),
        ("410", "absent"),
        ("404", "http_404"),
        ("404", "absent"),
    ];
    for (index, (server, expect)) in looks.into_iter().enumerate() {
        assert_eq!(life.boundary(server), expect, "look {index}");
    }
    let mut once = Life::new(|policy| policy.not_found_after = 1);
    assert_eq!(once.boundary("404"), "absent");
    let mut thrice = Life::new(|policy| {
        at_every_boundary(policy);
        policy.not_found_after = 3;
    });
    let seen = ["404", "404", "404"].map(|server| thrice.boundary(server));
    assert_eq!(seen, ["http_404", "http_404", "absent"]);
}

#[test]
fn r_url_2_what_was_not_looked_at_is_not_counted() {
    let mut life = Life::new(|_| ());
    assert_eq!(life.boundary("404"), "http_404");
    assert_eq!(life.after(29).boundary("404"), "http_404 unasked");
    assert_eq!(life.after(1).boundary("404"), "absent");
    // Proven, it is known for as long as a value is.
    assert_eq!(life.after(59).boundary("text"), "absent unasked");
    assert_eq!(life.after(1).boundary("text"), "text");
}

#[test]
fn r_url_2_a_preview_does_not_count() {
    let mut life = Life::new(at_every_boundary);
    assert_eq!(life.boundary("404"), "http_404");
    for _ in 0..3 {
        assert_eq!(life.preview("404"), "absent", "what a boundary would have seen");
    }
    assert_eq!(life.preview("500"), "http_500");
    assert_eq!(life.boundary("404"), "absent", "it is the second in a row");
    let mut waiting = Life::new(|_| ());
    assert_eq!(waiting.preview("404"), "http_404");
    assert_eq!(waiting.boundary("404"), "http_404", "the first look of its own");
    assert_eq!(waiting.preview("404"), "http_404 unasked");
    assert_eq!(waiting.after(60).boundary("404"), "absent");
    // A value that a preview brought is seen by the boundary that takes it.
    let mut seen = Life::new(|policy| policy.retry_after_s = 0);
    assert_eq!(seen.boundary("404"), "http_404");
    assert_eq!(seen.preview("text"), "text");
    assert_eq!(seen.boundary("404"), "text fresh");
    assert_eq!(seen.after(60).boundary("404"), "http_404");
}

#[test]
fn r_url_2_those_who_share_a_look_count_it_once() {
    let mut course = Course::default();
    let policy = UrlPolicy { retry_after_s: 0, ..UrlPolicy::default() };
    let at = Timestamp::from_millisecond(0);
    let shared = |course: &mut Course, look, counts| {
        word(&course.took(Err(&Failed { look, at, why: Failure::NotFound }), counts, &policy))
    };
    for _ in 0..3 {
        assert_eq!(shared(&mut course, 1, Counts::Counted), "http_404");
    }
    assert_eq!(shared(&mut course, 1, Counts::Uncounted), "http_404");
    assert_eq!(shared(&mut course, 2, Counts::Uncounted), "absent");
    assert_eq!(shared(&mut course, 2, Counts::Counted), "absent");
    assert_eq!(course.failures, 2);
    // Several find the value too old: one of them invalidates it.
    let mut course = Course::default();
    let found = seen("text", 1, at).unwrap();
    course.took(Ok(&found), Counts::Counted, &policy);
    let later = Timestamp::from_millisecond(60_000);
    assert_eq!(course.ask(later, Counts::Counted, &policy), Ask::GetAnew);
    assert_eq!(course.ask(later, Counts::Counted, &policy), Ask::Get);
}
