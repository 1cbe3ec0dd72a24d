//! When a change is told as a diff, and the diff (R-TXT-2).

use crate::policy::UpdateText;
use similar::TextDiff;

/// Over this size `auto` considers a diff, in bytes.
const AUTO_BYTES_MIN: usize = 4 * 1024;
/// Over this many lines no diff is tried.
const LINES_MAX: usize = 20_000;

/// The unified diff from `old` to `new` where `policy` wants it told, else nothing. The same two texts
/// give the same answer: no time limit decides.
#[must_use]
pub(crate) fn diff(old: &str, new: &str, policy: UpdateText) -> Option<String> {
    let worth = |diff: &str| match policy {
        UpdateText::Full => false,
        UpdateText::Diff => diff.len() < new.len(),
        UpdateText::Auto => diff.len() < new.len() / 4,
    };
    let tried = match policy {
        UpdateText::Full => false,
        UpdateText::Diff => true,
        UpdateText::Auto => new.len() > AUTO_BYTES_MIN,
    };
    let lines = |text: &str| text.lines().take(LINES_MAX + 1).count();
    if !tried || lines(old) > LINES_MAX || lines(new) > LINES_MAX {
        return None;
    }
    let diff = TextDiff::from_lines(old, new).unified_diff().context_radius(3).to_string();
    let diff = diff.strip_suffix('\n').unwrap_or(&diff).to_owned();
    worth(&diff).then_some(diff)
}
