//! Reads the exact texts as a model would: from headers, leads and diffs back to values.

use super::{
    naive::same,
    told::{AtHand, Beliefs, Believed},
};
use told_domain::{
    briefing::{ChangeKind, ChangeView},
    told::Form,
};

/// What one text says of one source.
#[derive(Clone, Debug)]
pub(super) struct Heard {
    pub(super) key: String,
    pub(super) kind: ChangeKind,
    pub(super) form: Form,
    /// The value that it then has; nothing where it no longer applies.
    pub(super) value: Option<String>,
    /// The directory that it applies to, for a path-local file.
    pub(super) scope: Option<String>,
}

const RANK: &str = "Where the instructions below disagree, the more specific ones count: ";
const GONE: &str = "Previously loaded instructions no longer apply.";
const REPLACES_ALL: &str =
    "What follows replaces all instructions given before in this conversation.";

/// The values that a baseline gives, in its order.
pub(super) fn baseline(text: &str, changes: &[ChangeView]) -> Result<Vec<Heard>, String> {
    let mut rest = Rest { left: text, begun: false };
    if changes.iter().filter(|change| is_instruction(change)).count() >= 2 {
        rest.begins(RANK)?;
    }
    let mut heard: Vec<Heard> = Vec::new();
    for change in changes {
        let key = change.source.to_string();
        if heard.iter().any(|known| known.key == key) {
            return Err(format!("{key} stands twice in a baseline"));
        }
        let (value, scope) = rest.block(change)?;
        heard.push(Heard { key, kind: change.kind, form: change.form, value: Some(value), scope });
    }
    rest.end()?;
    Ok(heard)
}

/// What an update says to a model that believes this.
pub(super) fn update(
    text: &str,
    changes: &[ChangeView],
    beliefs: &Beliefs<'_>,
    replaces_all: bool,
) -> Result<Vec<Heard>, String> {
    let mut rest = Rest { left: text, begun: false };
    if replaces_all && changes.is_empty() {
        rest.is(GONE)?;
    } else if replaces_all {
        rest.is(REPLACES_ALL)?;
        if changes.iter().filter(|change| is_instruction(change)).count() >= 2 {
            rest.begins(RANK)?;
        }
    }
    let removed = changes.iter().take_while(|change| change.kind == ChangeKind::Removed).count();
    let (removals, told) = changes.split_at(removed);
    let mut heard = Vec::new();
    for removal in removals {
        let key = removal.source.to_string();
        rest.sentence_about(&key, "no longer appl")?;
        if beliefs.get(key.as_str()).is_none_or(Believed::is_nothing) {
            return Err(format!("{key} is told as removed, and was not told"));
        }
        let (kind, form) = (removal.kind, removal.form);
        heard.push(Heard { key, kind, form, value: None, scope: None });
    }
    if removals.iter().any(is_instruction) && !some_left(beliefs, removals, told) {
        rest.is(GONE)?;
    }
    for change in told {
        heard.push(one_told(&mut rest, change, beliefs)?);
    }
    if told
        .windows(2)
        .any(|pair| [pair[0].kind, pair[1].kind] == [ChangeKind::Changed, ChangeKind::Added])
    {
        return Err("an addition stands behind a change".to_owned());
    }
    rest.end()?;
    Ok(heard)
}

/// An addition or a change.
fn one_told(
    rest: &mut Rest<'_>,
    change: &ChangeView,
    beliefs: &Beliefs<'_>,
) -> Result<Heard, String> {
    let key = change.source.to_string();
    let belief = beliefs.get(key.as_str()).copied().unwrap_or_default();
    let last = belief.last_value();
    let (value, scope) = match (change.kind, belief.at_hand) {
        (ChangeKind::Removed, _) => return Err(format!("{key}: a removal behind others")),
        // What the transcript says otherwise is told as it was last, where nobody can look.
        (ChangeKind::Added, AtHand::Value(..)) if belief.current => {
            return Err(format!("{key} is told as new once more"));
        }
        (ChangeKind::Changed, AtHand::Nothing) => {
            return Err(format!("{key} changed and was not told"));
        }
        (ChangeKind::Added, _) => rest.block(change)?,
        (ChangeKind::Changed, at_hand) => {
            rest.sentence_about(&key, "changed")?;
            match (change.form, at_hand) {
                (Form::Full, _) => rest.block(change)?,
                (Form::Diff, AtHand::Value(telling, before)) if belief.current => {
                    (patch(before, rest.paragraph()?)?, telling.heard.scope.clone())
                }
                (Form::Diff, _) => {
                    return Err(format!("{key}: a diff stands on {last:?}, which is not at hand"));
                }
            }
        }
    };
    if belief.gives(|before| same(&key, before, &value)) {
        return Err(format!("{key} is told again with the value that it had"));
    }
    let (kind, form) = (change.kind, change.form);
    Ok(Heard { key, kind, form, value: Some(value), scope })
}

/// Whether instructions are believed once these are removed and those are told.
fn some_left(beliefs: &Beliefs<'_>, removals: &[ChangeView], told: &[ChangeView]) -> bool {
    let removed = |key: &str| removals.iter().any(|removal| removal.source.to_string() == key);
    let believed = beliefs.iter().any(|(key, belief)| {
        key.starts_with("file:") && !matches!(belief.at_hand, AtHand::Nothing) && !removed(key)
    });
    believed || told.iter().any(is_instruction)
}

fn is_instruction(change: &ChangeView) -> bool {
    change.path.is_some()
}

/// What is left of a text to read.
struct Rest<'a> {
    left: &'a str,
    begun: bool,
}

impl<'a> Rest<'a> {
    /// What stands between two parts.
    fn gap(&mut self) -> Result<(), String> {
        if std::mem::replace(&mut self.begun, true) {
            let left = self.left.strip_prefix("\n\n");
            self.left = left.ok_or_else(|| format!("no gap before {:?}", head(self.left)))?;
        }
        Ok(())
    }

    fn paragraph(&mut self) -> Result<&'a str, String> {
        self.gap()?;
        let end = self.left.find("\n\n").unwrap_or(self.left.len());
        let (paragraph, left) = self.left.split_at(end);
        self.left = left;
        Ok(paragraph)
    }

    fn begins(&mut self, begin: &str) -> Result<(), String> {
        let paragraph = self.paragraph()?;
        let fine = paragraph.starts_with(begin);
        fine.then_some(()).ok_or_else(|| format!("{begin:?} is missing: {:?}", head(paragraph)))
    }

    fn is(&mut self, sentence: &str) -> Result<(), String> {
        let paragraph = self.paragraph()?;
        let fine = paragraph == sentence;
        fine.then_some(()).ok_or_else(|| format!("{sentence:?} is missing: {:?}", head(paragraph)))
    }

    /// A sentence that names the source and says what became of it.
    fn sentence_about(&mut self, key: &str, what: &str) -> Result<(), String> {
        let sentence = self.paragraph()?;
        let name = match key.split_once([':', '/']) {
            Some(("file", path)) => path,
            Some(("api" | "core", name)) => name,
            _ => key,
        };
        let fine = sentence.contains(name) && sentence.contains(what) && !sentence.contains('\n');
        fine.then_some(()).ok_or_else(|| format!("{sentence:?} does not say {what:?} of {key}"))
    }

    /// A source's value in full, and the directory that it applies to.
    fn block(&mut self, change: &ChangeView) -> Result<(String, Option<String>), String> {
        let Some(path) = &change.path else {
            return self.paragraph().map(|value| (value.to_owned(), None));
        };
        self.gap()?;
        let header = format!("Instructions from: {path}\n");
        let left = self.left.strip_prefix(header.as_str());
        let mut left =
            left.ok_or_else(|| format!("no header {header:?}: {:?}", head(self.left)))?;
        let line = left.strip_prefix("Applies to: ").and_then(|rest| rest.split_once('\n'));
        let scope = line.map(|(scope, behind)| {
            left = behind;
            scope.to_owned()
        });
        let bytes = usize::try_from(change.bytes.unwrap_or_default()).unwrap_or(usize::MAX);
        let value = left.get(..bytes).ok_or_else(|| format!("{path} is cut short"))?;
        self.left = &left[bytes..];
        Ok((value.to_owned(), scope))
    }

    fn end(&self) -> Result<(), String> {
        let fine = self.left.is_empty();
        fine.then_some(()).ok_or_else(|| format!("nobody knows what {:?} is", head(self.left)))
    }
}

fn head(text: &str) -> String {
    text.chars().take(60).collect()
}

/// Applies a unified diff.
fn patch(old: &str, diff: &str) -> Result<String, String> {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let mut new = String::new();
    let mut at = 0;
    let mut last_was_added = false;
    for line in diff.split('\n') {
        let (mark, body) = line.split_at(line.len().min(1));
        match mark {
            "@" => {
                let start =
                    line.strip_prefix("@@ -").and_then(|rest| rest.split([',', ' ']).next());
                let start: usize = start.and_then(|s| s.parse().ok()).ok_or("no hunk")?;
                let start = start.saturating_sub(1);
                let kept = old.get(at..start).ok_or("a hunk out of order")?;
                new.extend(kept.iter().copied());
                at = start;
            }
            " " | "-" => {
                let line = old.get(at).ok_or("a diff beyond the end")?;
                if line.strip_suffix('\n').unwrap_or(line) != body {
                    return Err(format!("the diff's base is another: {line:?}, {body:?}"));
                }
                if mark == " " {
                    new.push_str(line);
                }
                last_was_added = false;
                at += 1;
            }
            "+" => {
                new.push_str(body);
                new.push('\n');
                last_was_added = true;
            }
            "\\" => {
                if last_was_added {
                    new.pop();
                }
            }
            _ => return Err(format!("no line of a diff: {line:?}")),
        }
    }
    new.extend(old.get(at..).unwrap_or_default().iter().copied());
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_is_read_back() {
        let old = "a\nb\nc\nd\n";
        let new = patch(old, "@@ -2,3 +2,3 @@\n b\n-c\n+x\n d").unwrap();
        assert_eq!(new, "a\nb\nx\nd\n");
        let end = "@@ -1,1 +1,1 @@\n-a\n+b\n\\ No newline at end of file";
        assert_eq!(patch("a\n", end).unwrap(), "b");
        assert!(patch(old, "@@ -1,1 +1,1 @@\n-z\n+y").is_err());
    }
}
