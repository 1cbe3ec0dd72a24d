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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_txt_2_when_a_diff_is_told() {
        let lines = |count: usize, last: &str| format!("{}{last}\n", "a line\n".repeat(count));
        let check = |old: &str, new: &str, policy, expect: bool| {
            let told = diff(old, new, policy);
            assert_eq!(told.is_some(), expect, "{policy:?} {} {}", old.len(), new.len());
            assert_eq!(told, diff(old, new, policy), "the same two texts give the same diff");
        };
        check(&lines(900, "1"), &lines(900, "2"), UpdateText::Full, false);
        check(&lines(900, "1"), &lines(900, "2"), UpdateText::Diff, true);
        check(&lines(900, "1"), &lines(900, "2"), UpdateText::Auto, true);
        check(&lines(400, "1"), &lines(400, "2"), UpdateText::Auto, false);
        check(&lines(900, "1"), &lines(1, "2"), UpdateText::Diff, false);
        check("", "new\n", UpdateText::Diff, false);
        check(&lines(900, "1"), "", UpdateText::Diff, false);
        check(&lines(19_999, "1"), &lines(19_999, "2"), UpdateText::Diff, true);
        check(&lines(20_000, "1"), &lines(19_999, "2"), UpdateText::Diff, false);
        check(&lines(19_999, "1"), &lines(20_000, "2"), UpdateText::Diff, false);
    }

    #[test]
    fn r_txt_2_a_missing_line_end_shows_in_the_diff() {
        let text = |end: &str| format!("{}last{end}", "a line\n".repeat(20));
        let told = diff(&text("\n"), &text(""), UpdateText::Diff).unwrap();
        assert!(told.ends_with("-last\n+last\n\\ No newline at end of file"), "{told}");
    }
}
