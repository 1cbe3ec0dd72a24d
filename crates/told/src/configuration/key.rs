//! Every key of the configuration file, as data: its name, how it is read, how it is shown.

use super::{
    Configuration, ConfigurationError, Framing, NestedProjects, Order, UpdateText, WatchMode,
};
use serde_json::{Value as Json, json};
use told_domain::configuration::{Node, Reading, Source};

/// One key.
pub(super) struct Key {
    /// As `section.name`.
    pub(super) name: &'static str,
    read: fn(&mut Configuration, &Reading<'_>, &Node) -> Result<(), ConfigurationError>,
    /// What counts now.
    pub(super) show: fn(&Configuration) -> Json,
}

const ORDERS: &[(&str, Order)] =
    &[("broad_to_specific", Order::BroadToSpecific), ("nearest_first", Order::NearestFirst)];
const UPDATE_TEXTS: &[(&str, UpdateText)] =
    &[("full", UpdateText::Full), ("diff", UpdateText::Diff), ("auto", UpdateText::Auto)];
const FRAMINGS: &[(&str, Framing)] = &[("plain", Framing::Plain), ("tagged", Framing::Tagged)];
const NESTED_PROJECTS: &[(&str, NestedProjects)] =
    &[("own", NestedProjects::Own), ("ignore", NestedProjects::Ignore)];

const WATCH_MODES: &[(&str, WatchMode)] = &[("auto", WatchMode::Auto), ("off", WatchMode::Off)];

const GIB: u64 = 1024 * 1024 * 1024;
const HOUR_MS: u64 = 60 * 60 * 1000;
const YEAR_S: u64 = 365 * 24 * 60 * 60;

macro_rules! key {
    ($section:ident . $name:ident, $read:ident $(($($argument:expr),*))?) => {
        Key {
            name: concat!(stringify!($section), ".", stringify!($name)),
            read: |configuration, reading, node| {
                configuration.$section.$name = reading.$read(node $($(, $argument)*)?)?;
                Ok(())
            },
            show: |configuration| json!(configuration.$section.$name),
        }
    };
}

/// In the order of the manual.
pub(super) const KEYS: &[Key] = &[
    key!(instructions.names, groups),
    key!(instructions.global, paths),
    key!(instructions.project, truth),
    key!(instructions.order, word(ORDERS)),
    key!(instructions.project_markers, names),
    key!(instructions.walk_to_home, truth),
    key!(instructions.include, includes),
    key!(instructions.exclude, globs),
    key!(instructions.max_bytes, number(1, GIB)),
    key!(instructions.links_outside_project, truth),
    key!(instructions.update_text, word(UPDATE_TEXTS)),
    key!(instructions.framing, word(FRAMINGS)),
    key!(instructions.nested_projects, word(NESTED_PROJECTS)),
    key!(instructions.path_local, truth),
    key!(limits.total_bytes, number(1, 64 * GIB)),
    key!(limits.candidates, number(1, 1_000_000)),
    key!(limits.directory_entries, number(1, 10_000_000)),
    key!(limits.look_ms, number(1, HOUR_MS)),
    key!(limits.value_bytes, number(1, GIB)),
    key!(context.environment, truth),
    key!(context.date, truth),
    key!(skills.directories, skill_directories),
    key!(skills.max_depth, number(0, 64)),
    key!(urls.timeout_ms, number(1, HOUR_MS)),
    key!(urls.max_bytes, number(1, GIB)),
    key!(urls.not_found_after, number(1, 1_000)),
    key!(urls.from_projects, truth),
    key!(urls.private_addresses, truth),
    key!(urls.ttl_s, number(0, YEAR_S)),
    key!(urls.retry_after_s, number(0, YEAR_S)),
    key!(watch.mode, word(WATCH_MODES)),
    key!(store.wait_ms, number(0, HOUR_MS)),
    key!(store.keep_days, number(0, 36_500)),
];

/// Lays what `root` says over `configuration`, and names each key that it said with its line.
pub(super) fn lay_over(
    configuration: &mut Configuration,
    root: &Node,
    source: &Source<'_>,
) -> Result<Vec<(&'static str, Option<usize>)>, ConfigurationError> {
    let names: Vec<_> = KEYS.iter().map(|key| key.name).collect();
    let said = told_domain::configuration::lay_over(root, source, &names, |at, reading, node| {
        (KEYS[at].read)(configuration, reading, node)
    })?;
    Ok(said.into_iter().map(|(at, line)| (names[at], line)).collect())
}
