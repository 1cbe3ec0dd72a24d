//! The contract of the `UrlFetcher` port, one check a clause. `url_fetcher_contract!(make)` runs it,
//! where `make()` gives a fresh [`Fixture`].

#![expect(clippy::unwrap_used, reason = "a suite is a test, wherever it is run")]

mod addresses;
mod bodies;
mod ground;
mod redirects;
mod statuses;

pub use addresses::*;
pub use bodies::*;
pub use ground::{Fixture, PUBLIC, Scheme};
pub use redirects::*;
pub use statuses::*;

/// Runs the suite on fixtures that `make` gives.
#[macro_export]
macro_rules! url_fetcher_contract {
    ($make:expr) => {
        $crate::url_fetcher_contract! { @clauses $make;
            uf_1_a_text_comes_whole,
            uf_1_an_empty_answer_is_an_empty_text,
            uf_2_validators_go_to_the_url_that_gave_them,
            uf_2_a_304_is_the_same_value_with_any_tag,
            uf_3_each_status_is_its_own_outcome,
            uf_4_time_is_limited_in_all,
            uf_5_a_body_over_the_limit_is_not_read_further,
            uf_6_identity_is_asked_for_and_a_coded_body_refused,
            uf_7_what_breaks_off_is_no_text,
            uf_8_a_page_or_data_is_no_text,
            uf_9_the_mark_decides_the_encoding_then_the_server,
            uf_10_five_redirects_are_followed,
            uf_10_a_redirect_that_leads_nowhere_is_its_status,
            uf_11_https_never_leads_to_http,
            uf_12_who_asks_is_never_forwarded,
            uf_12_no_cookie_and_no_referrer_is_sent,
            uf_13_no_refused_address_is_reached,
            uf_13_a_redirect_reaches_none_either,
            uf_13_of_several_addresses_the_allowed_are_tried,
            uf_13_private_addresses_are_reached_where_the_policy_says_so,
            uf_14_the_address_that_was_checked_is_connected_to,
            uf_15_each_failure_has_its_reason,
            uf_16_fetches_take_nothing_from_each_other,
            uf_16_a_dropped_fetch_leaves_nothing,
        }
    };
    (@clauses $make:expr; $($clause:ident,)*) => {
        $(#[test] fn $clause() {
            $crate::contract::block_on($crate::contract::url_fetcher::$clause(&$make()));
        })*
    };
}
