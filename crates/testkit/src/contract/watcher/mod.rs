//! The contract of the `Watcher` port, one check a clause. `watcher_contract!(make)` runs it, where
//! `make()` gives a fresh [`Fixture`].

mod ground;
mod links;
mod losses;
mod sharing;
mod telling;

pub use ground::{Act, Fixture};
pub use links::*;
pub use losses::*;
pub use sharing::*;
pub use telling::*;

/// Runs the suite on fixtures that `make` gives.
#[macro_export]
macro_rules! watcher_contract {
    ($make:expr) => {
        $crate::watcher_contract! { @clauses $make;
            wa_1_coverage_is_promised_or_direct_and_a_direct_drain_is_lost,
            wa_2_each_plain_change_is_told,
            wa_2_a_change_of_permissions_is_told,
            wa_3_a_replaced_file_is_told_again_and_again,
            wa_3_a_file_renamed_away_and_back_is_told,
            wa_4_each_once_in_order_and_neighbours_never,
            wa_5_an_absent_entry_is_told_when_it_appears,
            wa_5_directories_made_fast_hide_nothing,
            wa_6_a_directory_above_that_moves_is_lost,
            wa_6_an_exchanged_directory_is_lost,
            wa_6_a_directory_swapped_for_a_link_is_lost,
            wa_7_a_swapped_link_is_told,
            wa_7_a_target_elsewhere_is_told,
            wa_7_a_link_in_the_way_that_is_swapped_is_lost,
            wa_7_a_loop_is_never_covered_for_nothing,
            wa_8_a_second_hard_link_is_direct,
            wa_8_a_hard_link_made_later_is_told,
            wa_9_a_mapped_write_is_told_when_the_file_is_closed,
            wa_10_a_mount_above_is_lost_and_elsewhere_is_nothing,
            wa_11_lost_events_are_lost_for_all,
            wa_12_lost_is_for_good,
            wa_13_equal_subscriptions_are_both_told,
            wa_13_an_ended_subscription_takes_nothing_along,
            wa_14_nothing_is_left_behind_by_a_thousand,
            wa_15_a_limit_takes_nothing_from_the_others,
            wa_16_a_burst_is_one_answer,
            wa_17_watching_writes_nothing,
            wa_18_names_are_told_and_contents_are_not,
            wa_19_an_untrusted_file_system_is_direct,
            wa_20_a_write_that_returned_is_seen_by_every_drain,
            wa_20_a_cancelled_drain_loses_nothing,
        }
    };
    (@clauses $make:expr; $($clause:ident,)*) => {
        $(#[test] fn $clause() {
            $crate::contract::block_on($crate::contract::watcher::$clause($make()));
        })*
    };
}
