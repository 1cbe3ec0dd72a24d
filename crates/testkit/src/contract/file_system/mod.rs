//! The contract of the `FileSystem` port, one check a clause. `file_system_contract!(make)` runs it,
//! where `make()` gives a fresh [`Fixture`].

mod answers;
mod containment;
mod ground;
mod limits;
mod names;
mod scans;

pub use answers::*;
pub use containment::*;
pub use ground::Fixture;
pub use limits::*;
pub use names::*;
pub use scans::*;

/// Runs the suite on fixtures that `make` gives.
#[macro_export]
macro_rules! file_system_contract {
    ($make:expr) => {
        $crate::file_system_contract! { @clauses $make;
            fs_1_every_answer_stands_at_its_questions_index,
            fs_2_only_a_path_that_leads_nowhere_is_absent,
            fs_3_a_regular_file_is_its_first_bytes_and_its_whole_size,
            fs_4_what_is_no_regular_file_is_withheld_and_never_blocks,
            fs_5_where_the_opened_file_is_decides,
            fs_5_a_link_to_nothing_is_nothing_wherever_it_points,
            fs_5_a_file_swapped_for_a_link_is_itself_or_withheld,
            fs_6_anywhere_follows_links_anywhere,
            fs_7_a_file_that_changes_while_read_is_read_again,
            fs_7_a_file_that_changes_three_times_is_unavailable,
            fs_7_a_file_that_grows_or_shrinks_is_one_version,
            fs_8_what_passes_the_total_is_withheld_and_a_smaller_one_counts,
            fs_9_a_look_that_hangs_costs_itself_alone,
            fs_10_a_real_path_that_is_no_utf8_is_withheld,
            fs_11_a_probe_follows_links_and_tells_the_kind,
            fs_12_a_listing_is_sorted_and_says_where_it_stopped,
            fs_13_a_directory_is_its_canonical_path,
            fs_14_one_failure_changes_no_other_answer,
            fs_15_a_name_is_matched_exactly,
            fs_16_a_scan_gives_all_that_is_no_directory_and_enters_no_link,
            fs_16_a_scan_ends_at_its_depth_and_says_so,
            fs_17_a_scan_stops_at_its_limit_and_says_so,
            fs_17_a_scan_stops_at_its_directories_and_says_so,
            fs_18_a_scan_that_fails_is_no_absence,
        }
    };
    (@clauses $make:expr; $($clause:ident,)*) => {
        $(#[test] fn $clause() {
            $crate::contract::block_on($crate::contract::file_system::$clause($make()));
        })*
    };
}
