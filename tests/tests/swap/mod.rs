//! Races on disk, a short run of each kind; `cargo xtask swap` runs a long one.

use told_scenarios::swap::{Plan, run};

fn holds(seed: u64, watched: bool) {
    // In memory where there is such a place: what is raced is names, not a disk.
    let memory = std::path::Path::new("/dev/shm");
    let root = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    let outcome = run(root.unwrap().path(), Plan { swaps: 4_000, seed, watched }).unwrap();
    assert!(outcome.broken.is_empty(), "{outcome}: {:#?}", outcome.broken);
    assert!(outcome.swaps >= 4_000 && outcome.overlapped > 0, "the race was not run: {outcome}");
    assert!(outcome.became.contains_key("withheld outside_project"), "{:?}", outcome.became);
}

#[test]
fn r_obs_7_what_is_swapped_between_look_and_read_gives_nothing_from_outside() {
    holds(20_261_201, false);
}

#[test]
fn r_obs_7_nor_does_it_where_files_are_watched() {
    holds(20_261_202, true);
}
